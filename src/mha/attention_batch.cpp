#include "mha/attention_batch.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "mha/finite.hpp"
#include "mha/gemm.hpp"
#include "mha/softmax.hpp"

namespace mha {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::size_t area(std::int32_t rows, std::int32_t columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

/// One head in one sequence.
struct Head {
  Shape shape;  ///< of the sequence
  const Options& options;
  std::int32_t index;
  const float* q;              ///< its columns of the sequence's rows
  const float *keys, *values;  ///< K_jᵀ and V_j, packed
  std::span<float> weights;    ///< [n, n]
  float* z;                    ///< like q
};

/// S = Q_i K_jᵀ, A = softmax(s·S + M), Z_i = ξ_i·A V_j: the stages of Attention::forward, where nobody reads along.
Outcome attend(const Head& head) {
  const std::int32_t n = head.shape.tokens;
  const std::int32_t k = head.shape.head_dim;
  const std::int32_t hk = head.shape.q_width();
  const auto map = head.weights;
  gemm(n, n, k, head.q, hk, head.keys, nullptr, map.data(), n);
  const float factor = head.options.factor(k);
  std::transform(map.begin(), map.end(), map.begin(), [factor](float score) { return score * factor; });
  const std::size_t before = static_cast<std::size_t>(head.index) * map.size();
  if (Outcome bad = require_finite(Status::overflow, Tensor::scaled_scores, head.shape, map, before); !bad.ok()) {
    return bad;
  }
  for (std::int32_t i = 0; i < n; ++i) {
    float* const row = map.data() + std::ptrdiff_t{i} * n;
    if (head.options.causal) std::fill(row + i + 1, row + n, -kInfinity);
    softmax_row(row, row, n);
  }

  gemm(n, k, n, map.data(), n, head.values, nullptr, head.z, hk);
  const float gate = head.options.gate(head.index);
  for (std::int32_t i = 0; gate != 1.0F && i < n; ++i) {
    float* const row = head.z + std::ptrdiff_t{i} * hk;
    std::transform(row, row + k, row, [gate](float value) { return gate * value; });
  }
  return {};
}

}  // namespace

Outcome AttentionBatch::load(const Shape& shape, const Parameters& parameters) {
  finished_ = false;
  shape_ = shape;
  parameters_ = parameters;
  if (Outcome bad = packed_.load(shape, parameters); !bad.ok()) return bad;
  return gradient_.load(shape, parameters);
}

Outcome AttentionBatch::line_up(std::span<const std::int32_t> lengths) {
  sequences_.clear();
  maps_.clear();
  std::int64_t rows = 0;
  std::int64_t maps = 0;
  for (const std::int32_t length : lengths) {
    if (length < 1 || length > kMaxTokens) return {.status = Status::tokens_out_of_range};
    sequences_.push_back({length, length});
    maps_.push_back(static_cast<std::size_t>(maps));
    rows += length;
    maps += std::int64_t{shape_.heads} * length * length;
    if (std::max(rows * std::max(shape_.model_dim, shape_.q_width()), maps) > kMaxFloats) {
      return {.status = Status::too_large};
    }
  }
  if (rows == 0) return {.status = Status::tokens_out_of_range};
  maps_.push_back(static_cast<std::size_t>(maps));
  shape_.tokens = shape_.context = static_cast<std::int32_t>(rows);
  return {};
}

Outcome AttentionBatch::forward(std::span<const std::int32_t> lengths, std::span<const float> x,
                                const Options& options) {
  finished_ = false;
  if (!packed_.loaded()) return {.status = Status::not_loaded};
  if (Outcome bad = line_up(lengths); !bad.ok()) return bad;
  if (Outcome bad = validate(shape_, {.x = x}, options); !bad.ok()) return bad;
  if (options.padding != 0) return {.status = Status::bad_padding};

  const auto [r, c, d, h, g, k] = shape_;
  const std::int32_t hk = shape_.q_width();
  const std::int32_t gk = shape_.kv_width();
  const std::int32_t longest = *std::max_element(lengths.begin(), lengths.end());
  std::array<std::span<float>, 6> trace;
  std::array<std::span<float>, 2> packed;
  if (!trace_.reserve({area(r, hk), area(r, gk), area(r, gk), maps_.back(), area(r, hk), area(r, d)}, trace) ||
      !workspace_.reserve({packed_size(k, longest), packed_size(longest, k)}, packed)) {
    return {.status = Status::out_of_memory};
  }
  const auto& [q, keys, values, weights, concat, output] = trace;

  gemm(r, hk, d, x.data(), d, packed_.w_q(), bias_or_null(parameters_.b_q), q.data(), hk);
  gemm(r, gk, d, x.data(), d, packed_.w_k(), bias_or_null(parameters_.b_k), keys.data(), gk);
  gemm(r, gk, d, x.data(), d, packed_.w_v(), bias_or_null(parameters_.b_v), values.data(), gk);
  std::int32_t first = 0;
  for (std::size_t s = 0; s < sequences_.size(); first += sequences_[s].tokens, ++s) {
    Shape shape = shape_;
    const std::int32_t n = shape.tokens = shape.context = sequences_[s].tokens;
    for (std::int32_t i = 0; i < h; ++i) {
      const std::int32_t j = shape.kv_head_of(i);
      if (i == 0 || j != shape.kv_head_of(i - 1)) {
        const std::ptrdiff_t at = std::ptrdiff_t{first} * gk + j * k;
        pack({keys.data() + at, 1, gk}, k, n, packed[0].data());
        pack({values.data() + at, gk}, n, k, packed[1].data());
      }
      const std::ptrdiff_t at = std::ptrdiff_t{first} * hk + i * k;
      const auto map = weights.subspan(maps_[s] + static_cast<std::size_t>(i) * area(n, n), area(n, n));
      const Head head = {shape, options, i, q.data() + at, packed[0].data(), packed[1].data(), map, concat.data() + at};
      if (Outcome bad = attend(head); !bad.ok()) return bad;
    }
  }
  gemm(r, d, hk, concat.data(), hk, packed_.w_o(), bias_or_null(parameters_.b_o), output.data(), d);
  if (Outcome bad = require_finite(Status::overflow, Tensor::output, shape_, output); !bad.ok()) return bad;

  traced_ = {shape_, sequences_, x, {}, q, keys, values, weights, concat, options.factor(k), options.head_gate};
  output_ = output;
  finished_ = true;
  return {};
}

Outcome AttentionBatch::backward(std::span<const float> d_output, const Gradients& gradients) {
  if (!finished_) return {.status = Status::not_loaded};
  return gradient_.backward(traced_, d_output, gradients);
}

std::span<const float> AttentionBatch::weights(std::size_t sequence, std::int32_t head) const {
  assert(finished_ && sequence < sequences_.size() && head >= 0 && head < shape_.heads);
  const std::size_t size = area(sequences_[sequence].tokens, sequences_[sequence].tokens);
  return traced_.weights.subspan(maps_[sequence] + static_cast<std::size_t>(head) * size, size);
}

}  // namespace mha
