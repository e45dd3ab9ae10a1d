#include "lab/ablation.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <numeric>

namespace mha {
namespace {

std::int32_t all_heads(const Network& network) { return network.shape().layers * network.shape().heads; }

std::vector<float> all_on(const Network& network) {
  return std::vector<float>(static_cast<std::size_t>(all_heads(network)), 1.0F);
}

/// Columns i·d/h … of a matrix [rows, d].
void zero_slice(std::span<float> matrix, std::size_t d, std::size_t heads, std::size_t head) {
  const std::size_t width = d / heads;
  for (std::size_t row = 0; row < matrix.size(); row += d) {
    const auto slice = matrix.subspan(row + head * width, width);
    std::fill(slice.begin(), slice.end(), 0.0F);
  }
}

}  // namespace

Outcome ablate_each(Network& network, const Batch& batch, std::span<const float> parameters,
                    std::vector<Evaluation>& without) {
  std::vector<float> gates = all_on(network);
  without.assign(gates.size(), {});
  for (std::size_t head = 0; head < gates.size(); ++head) {
    gates[head] = 0.0F;
    if (Outcome bad = evaluate(network, batch, parameters, gates, without[head]); !bad.ok()) return bad;
    gates[head] = 1.0F;
  }
  return {};
}

Outcome zero_output_slice_each(Network& network, const Batch& batch, std::span<const float> parameters,
                               std::vector<Evaluation>& without) {
  const auto h = static_cast<std::size_t>(network.shape().heads);
  const auto d = static_cast<std::size_t>(network.shape().model_dim);
  assert(h > 0 && d % h == 0);
  without.assign(static_cast<std::size_t>(all_heads(network)), {});
  for (std::size_t head = 0; head < without.size(); ++head) {
    // A column of W_O and b_O that is zeros makes a column of the output zeros.
    std::vector<float> changed(parameters.begin(), parameters.end());
    for (const Weight weight : {Weight::w_o, Weight::b_o}) {
      const auto layer = static_cast<std::int32_t>(head / h);
      zero_slice(network.layout().span(weight, layer, std::span(changed)), d, h, head % h);
    }
    if (Outcome bad = evaluate(network, batch, changed, {}, without[head]); !bad.ok()) return bad;
  }
  return {};
}

Outcome prune(Network& network, const Batch& batch, std::span<const float> parameters,
              std::span<const std::int32_t> order, std::vector<Evaluation>& curve) {
  std::vector<float> gates = all_on(network);
  curve.assign(1, {});
  if (Outcome bad = evaluate(network, batch, parameters, gates, curve.back()); !bad.ok()) return bad;
  for (const std::int32_t head : order) {
    if (head < 0 || head >= all_heads(network) || gates[static_cast<std::size_t>(head)] == 0.0F) {
      return {.status = Status::bad_gate, .index = {head, -1, -1}};
    }
    gates[static_cast<std::size_t>(head)] = 0.0F;
    curve.emplace_back();
    if (Outcome bad = evaluate(network, batch, parameters, gates, curve.back()); !bad.ok()) return bad;
  }
  return {};
}

Outcome greedy_order(Network& network, const Batch& batch, std::span<const float> parameters,
                     std::vector<std::int32_t>& order) {
  std::vector<float> gates = all_on(network);
  order.clear();
  while (order.size() < gates.size()) {
    std::size_t least = gates.size();
    double loss = 0;
    for (std::size_t head = 0; head < gates.size(); ++head) {
      if (gates[head] == 0.0F) continue;
      gates[head] = 0.0F;
      Evaluation without;
      if (Outcome bad = evaluate(network, batch, parameters, gates, without); !bad.ok()) return bad;
      gates[head] = 1.0F;
      if (least == gates.size() || without.loss < loss) {
        least = head;
        loss = without.loss;
      }
    }
    gates[least] = 0.0F;
    order.push_back(static_cast<std::int32_t>(least));
  }
  return {};
}

std::vector<std::int32_t> order_by(std::span<const double> scores) {
  std::vector<std::int32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return scores[static_cast<std::size_t>(a)] < scores[static_cast<std::size_t>(b)];
  });
  return order;
}

}  // namespace mha
