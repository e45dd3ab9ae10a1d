// A trained model with one mistake in its attention, as the page sees it: the same rules as in exports.hpp. Nothing is
// kept between calls.
#pragma once

#include <cstdint>

#include "wasm/exports.hpp"

extern "C" {

/// A model file (train/model_file.hpp) of the task relation_reading, first as it is and then with one Break (not none).
/// Held-out sentences of a Language (−1: both): loss [2]; accuracy [2, 1 + r], over all questions and by relation (−1:
/// nothing was asked). One sentence of n words of the task's vocabulary: maps [2, h, n, n] and a kBroken record; n may
/// be 0, then neither is written. Errors: no_such_cell: no such break or language; bad_model: the file is none, or it
/// has not the task's words, or not `heads` heads, or BrokenAttention cannot break it; as BrokenAttention::show and
/// BrokenAttention::evaluate.
MHA_EXPORT(mha_break)
std::int32_t mha_break(const std::uint8_t* file, std::uint32_t bytes, std::int32_t heads, std::int32_t mistake,
                       std::int32_t language, const std::int32_t* words, std::int32_t n, double* loss, double* accuracy,
                       float* maps, double* broken);

}  // extern "C"
