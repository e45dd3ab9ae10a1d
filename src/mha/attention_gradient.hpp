// The exact backward pass of multi-head attention: from ∂L/∂Y to the gradient by everything the forward pass was given.
//
// Write d for ∂L/∂. With Y = Z W_O + b_O, Z_i = ξ_i·A_i V_j, A_i = softmax(s·Q_i K_jᵀ + M):
//
//   dW_O = Zᵀ dY               dZ = dY W_Oᵀ               db_O = Σ rows of dY
//   dA_i = dZ_i V_jᵀ           r_i = row sums of A_i ⊙ dA_i (both without ξ)   dξ_i = Σ r_i
//   dS_i = ξ_i·s·A_i ⊙ (dA_i − r_i)                       (by the raw scores; 0 where A_i is, so masks need no care)
//   dQ_i = dS_i K_j            dK_j = Σ_i dS_iᵀ Q_i        dV_j = Σ_i ξ_i·A_iᵀ dZ_i     (heads i that share j)
//   dW_Q = Xᵀ dQ, dW_K = Cᵀ dK, dW_V = Cᵀ dV               biases: Σ rows of dQ, dK, dV
//   dX = dQ W_Qᵀ, dC = dK W_Kᵀ + dV W_Vᵀ                   (self-attention: C is X, and dX is the sum of all three)
//
// Source: the chain rule; Michel et al. 2019, eq. 2, for ξ. The readable version of the same, in double, is
// attention_gradient_reference.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mha/attention.hpp"
#include "mha/buffer.hpp"
#include "mha/layout.hpp"
#include "mha/packed_parameters.hpp"
#include "mha/shape.hpp"
#include "mha/status.hpp"

namespace mha {

/// Where gradients go, each of the shape of what it is the gradient by; an empty one is not wanted. They are
/// overwritten, not added to. Over a batch they are sums, but for x, which has its own rows, and head_gate.
struct Gradients {
  std::span<float> x = {};        ///< [n, d]; of a batch [rows, d]. In self-attention by way of Q, K and V together
  std::span<float> context = {};  ///< [m, d]; only in cross-attention
  std::span<float> w_q = {}, w_k = {}, w_v = {}, w_o = {};
  std::span<float> b_q = {}, b_k = {}, b_v = {}, b_o = {};
  /// ∂L/∂ξ [h]; of a batch [sequences, h]: each sequence's own, as importance asks for them. Right at ξ = 0, too.
  std::span<float> head_gate = {};
};

/// One of several sequences whose rows lie one behind another.
struct Sequence {
  std::int32_t tokens = 0;   ///< its rows of X
  std::int32_t context = 0;  ///< its rows of C; in self-attention the same
};

/// What the backward pass reads of a finished forward pass, over any number of sequences: r rows of X in all, c of C.
struct Traced {
  Shape shape;  ///< tokens and context are r and c
  std::span<const Sequence> sequences;
  std::span<const float> x;        ///< [r, d]
  std::span<const float> context;  ///< [c, d], or empty: self-attention
  std::span<const float> q;        ///< [r, h·k]
  std::span<const float> k, v;     ///< [c, g·k]
  std::span<const float> weights;  ///< [h, n, m] of each sequence, one behind another
  std::span<const float> concat;   ///< [r, h·k]
  float factor = 1.0F;             ///< s
  std::span<const float> head_gate;

  /// ξ_i.
  [[nodiscard]] float gate(std::int32_t head) const {
    return head_gate.empty() ? 1.0F : head_gate[static_cast<std::size_t>(head)];
  }
};

/// One layer's backward pass: transposed parameters packed once, then any number of passes. Keeps no pointer.
class AttentionGradient {
 public:
  /// Errors: as Attention::load. Nothing is loaded then.
  [[nodiscard]] Outcome load(const Shape& shape, const Parameters& parameters);

  /// Of one finished pass. `trace` is what Attention::forward wrote for the same shape, parameters, input, options and
  /// detail; d_output is ∂L/∂Y [n, d]. Allocates only when a pass needs more workspace than every pass before.
  /// Errors: as validate(Shape) and validate(Shape, Input, Options); not_loaded; wrong_size or not_finite of `output`:
  /// d_output; wrong_size of a tensor: its gradient; wrong_size without a tensor: the trace; bad_gate: the gradient by
  /// the gates is not [h]; out_of_memory; overflow: a gradient is infinite or NaN, with the tensor it is the gradient
  /// by (head_gate is none) and the place. The gradients hold nothing to be read then.
  [[nodiscard]] Outcome backward(const Shape& shape, const Input& input, const Options& options, Detail detail,
                                 std::span<const float> trace, std::span<const float> d_output,
                                 const Gradients& gradients);

  /// Of any number of sequences at once. Errors: not_loaded, and from `wrong_size or not_finite of output` on as above.
  /// Precondition: the spans of `traced` are as large as it says, and hold what a forward pass computes.
  [[nodiscard]] Outcome backward(const Traced& traced, std::span<const float> d_output, const Gradients& gradients);

  /// Whether passes of this shape fit the loaded parameters: the same d, hk and gk. None does after a load() that
  /// failed, nor with what was moved from.
  [[nodiscard]] bool fits(const Shape& shape) const { return panels_.capacity() > 0 && same_matrices(shape, shape_); }

 private:
  Shape shape_;       ///< no sizes: nothing is loaded
  Buffer panels_;     ///< W_Oᵀ, then W_Qᵀ, W_Kᵀ and W_Vᵀ below each other, packed
  Buffer workspace_;  ///< gradients of Q, K, V, Z and of one head's maps, and what is packed on the way
};

}  // namespace mha
