// A trained model in the walk: what is read from its file (train/model_file.hpp), which lies whole in the module's
// memory. Part of the extern "C"; the rules of exports.hpp hold. Nothing is kept between calls.
#pragma once

#include <cstdint>

#include "wasm/exports.hpp"

extern "C" {

/// Judges the whole file, every number of it. Writes a kModel record.
/// Errors: bad_model: it is no such file.
MHA_EXPORT(mha_model_shape)
std::int32_t mha_model_shape(const std::uint8_t* file, std::uint32_t bytes, std::int32_t* model);

/// Where each token stands in the model's vocabulary, −1: nowhere. places [count]; text and offsets as in mha_embed.
/// Errors: bad_model; bad_text: the offsets do not ascend from 0, or a token is no text.
MHA_EXPORT(mha_model_words)
std::int32_t mha_model_words(const std::uint8_t* file, std::uint32_t bytes, const char* text,
                             const std::int32_t* offsets, std::int32_t count, std::int32_t* places);

/// Fills a parameters slab with the model's first layer.
/// Errors: as validate(Shape); bad_model: also one of another d, h, g or k, or with biases, or `parts` asks for some.
MHA_EXPORT(mha_model_parameters)
std::int32_t mha_model_parameters(const std::uint8_t* file, std::uint32_t bytes, const std::int32_t* shape,
                                  const std::int32_t* parts, float* parameters);

/// Fills token_vectors, positions and x of an input slab as the model reads the tokens: rows of its two embeddings, and
/// their sum. Its other tensors are left alone.
/// Errors: as mha_model_words and validate(Shape); wrong_size: count is not n; too_many_words; unknown_word: index[0]
/// is the first; bad_model: also one of another d.
MHA_EXPORT(mha_model_embed)
std::int32_t mha_model_embed(const std::uint8_t* file, std::uint32_t bytes, const std::int32_t* shape,
                             const std::int32_t* parts, const char* text, const std::int32_t* offsets,
                             std::int32_t count, float* input, std::int32_t* outcome);

}  // extern "C"
