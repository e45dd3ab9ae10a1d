// Adam: each parameter has a step size of its own, from the running means of its gradient and of its square.
//
//   m ← β₁m + (1 − β₁)g        v ← β₂v + (1 − β₂)g²
//   p ← p − η/(1 − β₁ᵗ) · m / (√v/√(1 − β₂ᵗ) + ε)
//
// Source: Kingma & Ba 2015, algorithm 1; where ε stands, and what is divided by what, as in torch.optim.Adam.
#pragma once

#include <cstdint>
#include <span>

namespace mha {

struct AdamOptions {
  double learning_rate = 1e-3;  ///< η
  double beta1 = 0.9, beta2 = 0.999;
  double epsilon = 1e-8;
};

/// What Adam keeps of each parameter; three spans of one length.
template <class Number>
struct AdamState {
  std::span<Number> parameters, first_moment, second_moment;
};

/// Step number `step` (the first is 1): from one state to the next, which may be the same or lie apart from it. Every
/// operation is rounded on its own, so the bits are the same in every build. A gradient of 0 from the start changes no
/// bit of its parameter.
void adam_step(const AdamOptions& options, std::uint64_t step, std::span<const float> gradient,
               const AdamState<const float>& from, const AdamState<float>& to);

}  // namespace mha
