// .npy: one array in one file, NumPy's own format. Read: versions 1.0, 2.0 and 3.0, '<f4', C order, 1 to 3 axes.
// Written: version 1.0.
//
//   6 bytes  \x93NUMPY        2 bytes  version        2 (version 1.0) or 4 bytes  header length, little endian
//   header   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }  and spaces up to a line feed
//   the rest the numbers
//
// Source: numpy/lib/format.py (NEP 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/result.hpp"

namespace mha {

struct Array {
  std::vector<std::uint64_t> shape;  ///< 1 to 3 axes; an extent may be 0
  std::vector<float> values;         ///< row-major
};

/// The array in the bytes of a whole .npy file. An error says which field of the header is wrong and what can be read,
/// or that the numbers are not as many as the shape says; any float is allowed, NaN too.
[[nodiscard]] Result<Array> parse_npy(std::span<const std::byte> file);

/// Everything before the numbers, padded so that they start at a multiple of 64 bytes, as NumPy does.
/// Precondition: 1 to 3 axes.
[[nodiscard]] std::string npy_header(std::span<const std::uint64_t> shape);

/// An error if `values` are not as many as the shape says or the file cannot be written (see write_file).
[[nodiscard]] Result<Nothing> write_npy(const std::string& path, std::span<const std::uint64_t> shape,
                                        std::span<const float> values);

}  // namespace mha
