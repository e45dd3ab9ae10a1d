// A matrix of random numbers that is never stored: any block of it can be made, and made again, with the same bits in
// every build (integer arithmetic and exact float steps only).
//
// random.hpp has better numbers at five times the price. Here making a weight must not cost more than the eleven
// multiply-adds that it is used for.
#pragma once

#include <cstdint>

#include "mha/random.hpp"

namespace mha {

/// [rows, columns], uniform in ±limit in steps of limit·2⁻²³. Element e = row·columns + column is a hash of e:
///
///   z = key₀ + e·⌊2³²/φ⌋    z ^= z ≫ 16    z *= 0x21f0aaad    z ^= z ≫ 15    z ^= key₁    z *= 0xd35a2d97
///
/// of which the upper 24 bits, read as a signed number, are the steps. Everything is modulo 2³².
///
/// Source of the multipliers and shifts: C. Wellons, hash prospector (github.com/skeeto/hash-prospector, issue 19),
/// with the last shift left out, which only mends low bits. key₁ comes in between the rounds, since with key₀ alone two
/// matrices would be pieces of one and the same sequence, each a shifted copy of the other.
class SeededMatrix {
 public:
  SeededMatrix() = default;
  /// Number `number` (a layer, say) of the matrices of this stream. Precondition: rows, columns ≥ 1, and no more than
  /// 2³² elements, so that no two of them are one hash.
  SeededMatrix(std::int32_t rows, std::int32_t columns, float limit, Stream stream, std::uint64_t number);

  [[nodiscard]] std::int32_t rows() const { return rows_; }
  [[nodiscard]] std::int32_t columns() const { return columns_; }

  /// One element. Precondition: it is inside.
  [[nodiscard]] float at(std::int32_t row, std::int32_t column) const;

  /// The block of `rows` × `columns` elements from (first_row, first_column) on, as pack() would write it: panels for
  /// gemm(). Precondition: the block is inside, and panels begin on a 64-byte boundary.
  void make(std::int32_t first_row, std::int32_t rows, std::int32_t first_column, std::int32_t columns,
            float* panels) const;

 private:
  [[nodiscard]] std::uint32_t place_of(std::int32_t row, std::int32_t column) const;

  std::int32_t rows_ = 0, columns_ = 0;
  float step_ = 0;
  std::uint32_t key_[2] = {};
};

}  // namespace mha
