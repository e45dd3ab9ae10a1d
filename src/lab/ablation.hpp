// What a model loses without some of its heads. Heads are counted over all layers: layer·h + head.
//
// Ablating a head is ξ = 0: its output is zeros BEFORE W_O, and every bias stays.
// Source: Michel, Levy & Neubig 2019, §2.3 and §3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mha/status.hpp"
#include "train/batch.hpp"
#include "train/evaluation.hpp"
#include "train/network.hpp"

namespace mha {

/// without[i]: the model with head i alone taken out. Errors: as Network::forward.
[[nodiscard]] Outcome ablate_each(Network& network, const Batch& batch, std::span<const float> parameters,
                                  std::vector<Evaluation>& without);

/// The common bug, for showing it: of head i's layer the columns i·d/h … of its OUTPUT are zeroed, after W_O has mixed
/// the heads. That takes a slice out of every head, and out of b_O, and takes no head out.
/// Precondition: h divides d. Errors: as Network::forward.
[[nodiscard]] Outcome zero_output_slice_each(Network& network, const Batch& batch, std::span<const float> parameters,
                                             std::vector<Evaluation>& without);

/// curve[j]: the model without the first j heads of `order`, of which curve[0] has all heads. `order` has some heads,
/// none of them twice. Errors: as Network::forward; bad_gate: no such head, or twice.
[[nodiscard]] Outcome prune(Network& network, const Batch& batch, std::span<const float> parameters,
                            std::span<const std::int32_t> order, std::vector<Evaluation>& curve);

/// All heads in the order in which they are missed least: each time goes the one without which the loss is least (of
/// equal ones the first), all of those before it being gone. Takes h(h+1)/2 evaluations. Errors: as Network::forward.
[[nodiscard]] Outcome greedy_order(Network& network, const Batch& batch, std::span<const float> parameters,
                                   std::vector<std::int32_t>& order);

/// All heads from the lowest score up, of equal ones the first: the order that scores such as importance() give.
[[nodiscard]] std::vector<std::int32_t> order_by(std::span<const double> scores);

}  // namespace mha
