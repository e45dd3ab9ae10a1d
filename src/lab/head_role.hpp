// What a head does, measured over many sentences. Roles are partial: shares are reported, and no head is named after
// its largest one.
//
//   entropy     −mean_i Σ_j A_ij ln A_ij          confidence  mean_i max_j A_ij
//   previous    mean_i A_i,i−1                    distance    Σ A_ij |i − j| / Σ A_ij
//   next        mean_i A_i,i+1                    relation    argmax_j A_ij is the gold word, in so many cases
//   first       mean_i A_i,0
//
// Means are over the rows of all sentences; previous, next and first over those that have such a neighbour.
// Source: Clark et al. 2019 (relations, local and broad heads), Voita et al. 2019 (positional heads, confidence).
#pragma once

#include <cstdint>
#include <vector>

#include "train/batch.hpp"
#include "train/evaluation.hpp"
#include "train/network.hpp"

namespace mha {

struct HeadRole {
  double entropy = 0;  ///< nats
  double confidence = 0;
  double previous = 0, next = 0, first = 0;
  double distance = 0;  ///< words
  /// By relation, as far as the batch asks: whether a row's largest weight (of equal ones the first) is on its partner.
  std::vector<Tally> relations;
};

/// Only how often every head [layers, h] is right, by relation: what is asked of a run many times a second.
void measure_relations(const Network& network, const Batch& batch, std::vector<std::vector<Tally>>& heads);

/// Every head [layers, h] of a network that has run over this batch.
void measure_heads(const Network& network, const Batch& batch, std::vector<HeadRole>& roles);

}  // namespace mha
