// How sensitive the loss is to each head: cheap, since one backward pass tells of all heads, and misleading where a
// head that is needed has made its gradient vanish. It belongs beside ablation, never in its place.
//
//   I_h = mean over sentences x of |∂L(x)/∂ξ_h| at ξ = 1, divided by the ℓ2 norm of its layer's
//
// Source: Michel, Levy & Neubig 2019, eq. 2, and §4.1 for the norm (Molchanov et al. 2017).
#pragma once

#include <span>
#include <vector>

#include "mha/status.hpp"
#include "train/batch.hpp"
#include "train/network.hpp"

namespace mha {

struct Importance {
  double raw = 0;         ///< mean |∂L/∂ξ_h|, nats
  double normalised = 0;  ///< 0 for every head of a layer that no loss depends on
};

/// Of every head [layers, h]. Errors: as Network::forward and Network::backward.
[[nodiscard]] Outcome importance(Network& network, const Batch& batch, std::span<const float> parameters,
                                 std::vector<Importance>& heads);

}  // namespace mha
