// .safetensors: named tensors in one file, without code that runs on loading.
//
//   8 bytes   N, little endian, at most kMaxHeaderBytes
//   N bytes   JSON, may end in spaces: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …}
//             and optionally "__metadata__": {"key": "text", …}
//   the rest  the data; offsets count from its start, and it has no hole, no overlap and nothing left over
//
// Source: https://github.com/huggingface/safetensors (README, "Format").
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/result.hpp"

namespace mha {

inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  ///< the reference implementation's limit

using Metadata = std::map<std::string, std::string>;

/// Where one tensor lies in the file.
struct TensorEntry {
  std::string name;
  std::string dtype;  ///< as written: "F32", "BF16", …
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;  ///< bytes from the start of the FILE
  std::uint64_t end = 0;
};

/// The checked header. Only an unknown dtype's size is not checked against its shape.
struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  ///< in the order of their data
  Metadata metadata;

  /// Null if there is none of that name.
  [[nodiscard]] const TensorEntry* find(std::string_view name) const;
};

/// `head` is the beginning of a file of `file_size` bytes, at least its header: the data need not be in memory.
[[nodiscard]] Result<SafetensorsHeader> parse_safetensors_header(std::span<const std::byte> head,
                                                                 std::uint64_t file_size);

/// The header bytes that parse_safetensors_header() needs: 8 + N, from the first 8 bytes of the file.
[[nodiscard]] Result<std::uint64_t> safetensors_header_size(std::span<const std::byte> head, std::uint64_t file_size);

/// A copy of one tensor's numbers; their bytes lie anywhere in the file, floats must be aligned. An error if `entry` is
/// neither F32 nor F16. Precondition: `entry` comes from the header of these `file` bytes.
[[nodiscard]] Result<std::vector<float>> read_floats(std::span<const std::byte> file, const TensorEntry& entry);

/// A whole number 0 … 2³¹ − 1 of the metadata, or −1: there is none under this key.
[[nodiscard]] std::int32_t whole_number(const Metadata& metadata, const std::string& key);

/// A tensor to be written, row-major and contiguous.
struct TensorToWrite {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::span<const float> values;
  bool half = false;  ///< as F16, each number rounded to the nearest
};

/// The first 8 + N bytes of a file that holds `tensors` in this order; their values follow without a gap. Padded with
/// spaces to a multiple of 8. An error: two tensors of one name, the reserved name, a shape that does not fit.
[[nodiscard]] Result<std::string> safetensors_header(std::span<const TensorToWrite> tensors, const Metadata& metadata);

/// Header and data in one piece.
[[nodiscard]] Result<std::vector<std::byte>> safetensors_bytes(std::span<const TensorToWrite> tensors,
                                                               const Metadata& metadata);

/// Header and data as one file, written completely or not at all (see write_file).
[[nodiscard]] Result<Nothing> write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors,
                                                const Metadata& metadata);

/// "[2, 3]", for messages.
[[nodiscard]] std::string shape_text(std::span<const std::uint64_t> shape);

}  // namespace mha
