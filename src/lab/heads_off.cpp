#include "lab/heads_off.hpp"

#include <algorithm>
#include <cstddef>

#include "lab/ablation.hpp"

namespace mha {
namespace {

Quality quality(const Evaluation& evaluation) {
  return {.loss = evaluation.loss, .accuracy = evaluation.all.accuracy()};
}

/// 1 for the largest; equal ones share theirs.
std::int32_t rank_of(double value, std::span<const double> all) {
  const auto above = std::count_if(all.begin(), all.end(), [&](double other) { return other > value; });
  return 1 + static_cast<std::int32_t>(above);
}

/// `pruning` has its order.
Outcome follow(Network& network, const Batch& batch, std::span<const float> parameters, Pruning& pruning) {
  std::vector<Evaluation> curve;
  if (Outcome bad = prune(network, batch, parameters, pruning.order, curve); !bad.ok()) return bad;
  pruning.curve.resize(curve.size());
  std::transform(curve.begin(), curve.end(), pruning.curve.begin(), quality);
  return {};
}

}  // namespace

Outcome study_heads_off(Network& network, const Batch& batch, std::span<const float> parameters, HeadsOff& study) {
  const ModelShape& shape = network.shape();
  if (shape.heads < 1 || shape.model_dim % shape.heads != 0) return {.status = Status::head_dim_out_of_range};
  std::vector<Importance> importances;
  std::vector<Evaluation> without, sliced;
  if (Outcome bad = importance(network, batch, parameters, importances); !bad.ok()) return bad;
  if (Outcome bad = ablate_each(network, batch, parameters, without); !bad.ok()) return bad;
  if (Outcome bad = zero_output_slice_each(network, batch, parameters, sliced); !bad.ok()) return bad;

  std::vector<double> losses(without.size()), scores(without.size());
  for (std::size_t head = 0; head < without.size(); ++head) {
    losses[head] = without[head].loss;
    scores[head] = importances[head].normalised;
  }
  study.by_importance.order = order_by(scores);
  if (Outcome bad = follow(network, batch, parameters, study.by_importance); !bad.ok()) return bad;
  if (Outcome bad = greedy_order(network, batch, parameters, study.greedy.order); !bad.ok()) return bad;
  if (Outcome bad = follow(network, batch, parameters, study.greedy); !bad.ok()) return bad;

  const Quality whole = study.greedy.curve.front();
  study.heads.resize(without.size());
  for (std::size_t head = 0; head < without.size(); ++head) {
    study.heads[head] = {.without = quality(without[head]),
                         .accuracy_lost = whole.accuracy - without[head].all.accuracy(),
                         .sliced = quality(sliced[head]),
                         .importance = importances[head],
                         .rank = rank_of(losses[head], losses),
                         .importance_rank = rank_of(scores[head], scores)};
  }
  return {};
}

}  // namespace mha
