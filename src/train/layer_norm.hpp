// Layer normalisation of each row: mean 0, variance 1, then a learned scale and shift per column.
//
//   x̂ = (x − mean x)/σ,  σ = √(var x + ε)        y = γ ⊙ x̂ + β
//   dx = (dx̂ − mean dx̂ − x̂ · mean(dx̂ ⊙ x̂))/σ,  dx̂ = γ ⊙ dy        dγ = Σ dy ⊙ x̂,  dβ = Σ dy   (over the rows)
//
// Source: Ba, Kiros & Hinton 2016; ε = 1e-5 and the variance without Bessel's correction as in torch.nn.LayerNorm.
#pragma once

#include <cstdint>
#include <span>

namespace mha {

/// What the backward pass reads: x̂ [r, d] and 1/σ [r].
struct Normalised {
  std::span<float> rows;
  std::span<float> inverse;
};

/// x [r, d] → y [r, d], which may be x. Scale and shift are [d]. Means are taken in double.
void layer_norm(std::span<const float> x, std::span<const float> scale, std::span<const float> shift,
                const Normalised& kept, std::span<float> y);

/// d_y [r, d] becomes ∂L/∂x in place; d_scale and d_shift [d] are overwritten, or empty: not wanted.
void layer_norm_gradient(const Normalised& kept, std::span<const float> scale, std::span<float> d_y,
                         std::span<float> d_scale, std::span<float> d_shift);

}  // namespace mha
