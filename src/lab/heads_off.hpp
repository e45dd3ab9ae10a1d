// What the lesson asks of a model whose heads are switched off: each head alone, what I_h promised beside it, the
// common bug that is no ablation, and all heads one after another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lab/importance.hpp"
#include "mha/status.hpp"
#include "train/batch.hpp"
#include "train/network.hpp"

namespace mha {

/// How well a model does over all questions of a batch.
struct Quality {
  double loss = 0;      ///< mean, in nats
  double accuracy = 0;  ///< share of right answers
};

/// One head, and the model without it.
struct HeadOff {
  Quality without;           ///< its output is zeros before W_O, see ablate_each()
  double accuracy_lost = 0;  ///< accuracy with all heads, less that without it; negative: it is better off
  Quality sliced;            ///< the bug, see zero_output_slice_each()
  Importance importance;
  std::int32_t rank = 0;             ///< 1 …: 1 + how many heads' absence makes the loss larger than its absence
  std::int32_t importance_rank = 0;  ///< 1 …: 1 + how many heads have a larger normalised I_h
};

/// Heads taken out one after another.
struct Pruning {
  std::vector<std::int32_t> order;
  std::vector<Quality> curve;  ///< [l·h + 1] without the first j of them
};

struct HeadsOff {
  std::vector<HeadOff> heads;  ///< [l·h], layer after layer
  Pruning by_importance;       ///< the smallest normalised I_h first, all of them measured before any head is out
  Pruning greedy;              ///< each time the one that is missed least, see greedy_order()
};

/// Everything that HeadsOff has, of one batch: h²/2 + 5h evaluations, about, for h heads in all.
/// Errors: head_dim_out_of_range: h does not divide d, which the bug needs; as Network::forward and Network::backward.
[[nodiscard]] Outcome study_heads_off(Network& network, const Batch& batch, std::span<const float> parameters,
                                      HeadsOff& study);

}  // namespace mha
