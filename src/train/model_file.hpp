// A trained model as one .safetensors file: its parameters under the names of name_of(), and what it is as metadata.
//
//   format            "eight meetings model 1"
//   vocabulary        the words by their places, one to a line; a word that nobody can type is an empty line
//   vocabulary_size max_positions d_model heads head_dim layers slots        whole numbers
//   residual layer_norm biases causal                                        0 or 1
//   steps             that it was trained
//
// and whatever its writer adds. A run that shall go on also has both moments of Adam, each as one tensor of all
// parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "io/result.hpp"
#include "io/safetensors.hpp"
#include "train/model.hpp"

namespace mha {

struct ModelFile {
  ModelShape shape;
  std::int32_t steps = 0;
  Metadata metadata;  ///< all that the file says; for writing: what is said beside the above, and the vocabulary
  std::vector<float> parameters;  ///< a slab of ModelLayout, every number finite
  std::vector<float> moments;     ///< first and second, a slab each, every number finite; empty: the file has none
};

/// What a file says before its numbers.
struct ModelHeader {
  ModelShape shape;
  std::int32_t steps = 0;
  SafetensorsHeader file;
};

/// How each parameter is stored.
enum class Precision : std::int32_t { float32, float16 };

/// An error: not such a file, a size that validate() refuses, a tensor that is missing or of another shape, a number
/// that is not finite.
[[nodiscard]] Result<ModelFile> read_model_file(std::span<const std::byte> file);

/// Of such a file what it says, for whoever needs a few of its numbers only. An error: as read_model_file(), but for
/// the tensors, at which it does not look.
[[nodiscard]] Result<ModelHeader> read_model_header(std::span<const std::byte> file);

/// One parameter. Preconditions: `header` comes from this file, `numbers` are as many as ModelLayout has of it.
/// An error: the tensor is missing, of another shape, or has a number that is not finite.
[[nodiscard]] Result<Nothing> read_weight(std::span<const std::byte> file, const ModelHeader& header, Weight weight,
                                          std::int32_t layer, std::span<float> numbers);

/// Moments are always written as floats. Precondition: a valid shape, and slabs of its layout.
/// An error: as safetensors_header().
[[nodiscard]] Result<std::vector<std::byte>> write_model_file(const ModelFile& model, Precision precision);

/// Where a word stands in the vocabulary of a file's metadata, or kOutOfVocabulary. An empty text stands nowhere.
[[nodiscard]] std::int32_t word_place(const Metadata& metadata, std::string_view text);

}  // namespace mha
