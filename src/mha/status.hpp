// What can go wrong, and where. No exceptions: every function that can fail returns an Outcome.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "mha/tensor.hpp"

namespace mha {

/// Values cross the wasm boundary as int32; their names (kStatusNames) are what the page's texts are keyed by.
enum class Status : std::int32_t {
  ok,
  tokens_out_of_range,      ///< n or m is not in 1…kMaxTokens
  model_dim_out_of_range,   ///< d is not in 1…kMaxModelDim
  heads_out_of_range,       ///< h is not in 1…kMaxHeads
  kv_heads_not_a_divisor,   ///< kv_heads is not in 1…h or does not divide h
  head_dim_out_of_range,    ///< k is not in 1…kMaxModelDim, or h·k is more than kMaxWidth
  too_large,                ///< a tensor needs more than kMaxFloats numbers, a slab more than can be allocated, or an
                            ///< answer more room than it has (influence)
  out_of_memory,            ///< the allocator said no
  wrong_size,               ///< a tensor does not have the number of elements its shape asks for
  not_finite,               ///< NaN or infinity in what was given (−∞ is allowed in a mask)
  overflow,                 ///< the input was finite, a computed number is not
  bad_scale,                ///< a given scale must be finite
  no_such_cell,             ///< an index outside its tensor, or a tensor that this trace does not hold
  not_loaded,               ///< no weights under this id
  bad_text,                 ///< token text is not UTF-8, is empty, or its offsets do not ascend
  bad_gate,                 ///< not one finite gate per head; index[0] is the head, −1 if there are too few or many
  bad_padding,              ///< padding is not in 0…m
  vocabulary_out_of_range,  ///< v is not in 1…kMaxVocabulary
  layers_out_of_range,      ///< not 1…kMaxLayers layers
  slots_out_of_range,       ///< not 1…kMaxSlots slots per token
  bad_learning_rate,        ///< the learning rate or the scale of the start is not positive and finite
  bad_batch,                ///< a batch that the model cannot read, or that asks nothing
  diverged,                 ///< training came to a number that is infinite or NaN, and stopped before it
  bad_model,                ///< the file is no model of this project, or not one that is asked for here
  unknown_word,             ///< a token that the model has not learned; index[0] is the first such
  too_many_words,           ///< more tokens than the model has positions
};

inline constexpr std::array<std::string_view, 26> kStatusNames = {
    "ok",
    "tokens_out_of_range",
    "model_dim_out_of_range",
    "heads_out_of_range",
    "kv_heads_not_a_divisor",
    "head_dim_out_of_range",
    "too_large",
    "out_of_memory",
    "wrong_size",
    "not_finite",
    "overflow",
    "bad_scale",
    "no_such_cell",
    "not_loaded",
    "bad_text",
    "bad_gate",
    "bad_padding",
    "vocabulary_out_of_range",
    "layers_out_of_range",
    "slots_out_of_range",
    "bad_learning_rate",
    "bad_batch",
    "diverged",
    "bad_model",
    "unknown_word",
    "too_many_words",
};

/// A status, and for those that concern one number, which: the tensor and its index (unused places are −1). Gates are
/// no tensor of the table: bad_gate has an index only, and so has unknown_word.
struct [[nodiscard]] Outcome {
  Status status = Status::ok;
  Tensor tensor = Tensor::count;  ///< Tensor::count: none
  std::array<std::int32_t, 3> index = {-1, -1, -1};

  [[nodiscard]] constexpr bool ok() const { return status == Status::ok; }
};

/// One English sentence: what is wrong, where, and what is allowed. (The page has its own texts in both languages.)
[[nodiscard]] std::string message(const Outcome& outcome);

}  // namespace mha
