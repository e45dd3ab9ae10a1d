// How well a model answers, as it crosses the boundary.
#pragma once

#include <algorithm>
#include <cstddef>

#include "train/evaluation.hpp"

namespace mha::wasm {

/// accuracy [1 + relations]: over all questions and by relation, −1 where nothing was asked.
inline void write_accuracy(const Evaluation& evaluation, std::size_t relations, double* accuracy) {
  accuracy[0] = evaluation.all.accuracy();
  std::fill_n(accuracy + 1, relations, -1.0);
  for (std::size_t i = 0; i < evaluation.relations.size(); ++i) {
    if (evaluation.relations[i].asked > 0) accuracy[1 + i] = evaluation.relations[i].accuracy();
  }
}

}  // namespace mha::wasm
