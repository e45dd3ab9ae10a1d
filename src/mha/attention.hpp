// Multi-head attention, the fast forward pass.
//
//   Q = X W_Q + b_Q          K = C W_K + b_K          V = C W_V + b_V          (C = X in self-attention)
//   S_i = Q_i K_jᵀ           A_i = softmax(s·S_i + M)  Z_i = ξ_i · A_i V_j      (head i, its key/value head j)
//   Y = concat(Z_1 … Z_h) W_O + b_O = Σ_i Z_i W_O[rows of i] + b_O
//
// Source: Vaswani et al. 2017, §3.2; grouped key/value heads: Ainslie et al. 2023; gates ξ: Michel et al. 2019.
// The readable version of the same, in double, is attention_reference.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "mha/buffer.hpp"
#include "mha/gemm.hpp"
#include "mha/layout.hpp"
#include "mha/packed_parameters.hpp"
#include "mha/shape.hpp"
#include "mha/status.hpp"

namespace mha {

struct Input {
  std::span<const float> x = {};        ///< [n, d]
  std::span<const float> context = {};  ///< [m, d], or empty: self-attention
  std::span<const float> mask =
      {};  ///< [n, m] added to the scaled scores, or empty. −∞ forbids; NaN and +∞ are refused
};

struct Options {
  enum class Scale : std::int32_t { inverse_sqrt, off, given };

  Scale scale = Scale::inverse_sqrt;  ///< 1/√k, 1, or scale_value
  float scale_value = 1.0F;
  bool causal = false;       ///< row i sees keys j ≤ i only
  std::int32_t padding = 0;  ///< the last `padding` keys are padding and may not be seen; 0…m
  /// ξ [h] on each head's output before W_O, or empty: all 1. 0 switches a head off.
  std::span<const float> head_gate = {};

  /// The factor s itself.
  [[nodiscard]] float factor(std::int32_t head_dim) const;
  /// True if the options (not the additive mask) forbid row i to see key j.
  [[nodiscard]] bool hides(const Shape& shape, std::int32_t i, std::int32_t j) const {
    return (causal && j > i) || j >= shape.context - padding;
  }
  /// ξ_i.
  [[nodiscard]] float gate(std::int32_t head) const {
    return head_gate.empty() ? 1.0F : head_gate[static_cast<std::size_t>(head)];
  }
};

/// Sizes and finiteness of what a pass is given besides parameters, of a valid shape. forward() and the reference both
/// rely on it.
/// Errors: wrong_size or not_finite, with the tensor and (not_finite) the place of the first bad number; wrong_size of
/// `context` if there is none but m is not n; bad_gate; bad_scale: the factor is not finite; bad_padding.
[[nodiscard]] Outcome validate(const Shape& shape, const Input& input, const Options& options);

/// One layer: parameters checked and packed once, then any number of passes. Keeps no pointer to what it was given
/// except `parameters`, which must outlive it.
class Attention {
 public:
  /// As PackedParameters::load.
  [[nodiscard]] Outcome load(const Shape& shape, const Parameters& parameters);

  /// One pass. `trace` is a slab of Layout(Slab::trace, shape, {.detail = detail}) floats, of which every tensor is
  /// written (the gaps between them are not). Allocates only when a pass needs more workspace than every pass before.
  /// `shape` must fit what was loaded. If the outcome is not ok the trace holds nothing to be read.
  /// Errors: as validate(Shape) and validate(Shape, Input, Options); not_loaded: nothing, or parameters of other sizes;
  /// wrong_size without a tensor: the trace; out_of_memory; overflow: a computed number is infinite or NaN, with the
  /// tensor and the place.
  [[nodiscard]] Outcome forward(const Shape& shape, const Input& input, const Options& options, Detail detail,
                                std::span<float> trace);

  /// contributions[i] = heads[i] · w_o[rows of head i], for heads first … first + count − 1 of a finished pass.
  /// `out` is [count, n, d]. Errors: as validate(Shape); not_loaded; no_such_cell: heads outside 0 … h − 1; wrong_size
  /// of concat or contributions; out_of_memory; overflow, with the place among all contributions.
  [[nodiscard]] Outcome contributions(const Shape& shape, std::span<const float> concat, std::int32_t first,
                                      std::int32_t count, std::span<float> out);

  /// False after a load() that failed, and for what was moved from.
  [[nodiscard]] bool loaded() const { return packed_.loaded(); }
  /// Whether passes of this shape fit the loaded parameters: the same d, hk and gk.
  [[nodiscard]] bool fits(const Shape& shape) const { return packed_.fits(shape); }

 private:
  PackedParameters packed_;
  Parameters parameters_;
  Buffer workspace_;  ///< one head's Kᵀ and V packed, or one head's rows of W_O
};

}  // namespace mha
