// The oracle of the backward pass: the same in double with Eigen, one line per equation, each gradient with an a priori
// bound on how far any correct float computation of it may be away.
#pragma once

#include <span>

#include "mha/attention.hpp"
#include "mha/attention_reference.hpp"

namespace mha {

/// ∂L/∂ of each. A vector is a matrix of one row. In self-attention there is no context (no rows).
struct GradientReference {
  Bounded x, context;
  Bounded w_q, w_k, w_v, w_o;
  Bounded b_q, b_k, b_v, b_o;
  Bounded head_gate;
};

/// From ∂L/∂Y [n, d] and a finished pass, of which q, k, v, weights and concat are read with their bounds: those of
/// attention_reference(), or exact ones, if it is a trace of floats from which the gradients are computed.
/// Precondition: as attention_reference(); d_output is finite.
[[nodiscard]] GradientReference attention_gradient_reference(const Shape& shape, const Parameters& parameters,
                                                             const Input& input, const Options& options,
                                                             const Reference& pass, std::span<const float> d_output);

}  // namespace mha
