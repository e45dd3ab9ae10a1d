#include "lab/seeded_matrix.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>

#include "mha/gemm.hpp"
#include "mha/simd.hpp"

namespace mha {
namespace {

using Words = xsimd::batch<std::uint32_t, Arch>;
static_assert(Words::size == Lanes::size);

constexpr std::uint32_t kGolden = 0x9e3779b9U;  // ⌊2³²/φ⌋: neighbours are far apart before the first round

/// The hash of the place z, for one number or for a vector of them.
template <class Word>
Word mixed(Word z, Word key) {
  z = (z ^ (z >> 16)) * Word(0x21f0aaadU);
  z = (z ^ (z >> 15) ^ key) * Word(0xd35a2d97U);
  return z;
}

/// The upper 24 bits as a signed number of steps: exact in float, so that the product is the only rounding.
float number(std::uint32_t hash, float step) {
  return static_cast<float>(std::bit_cast<std::int32_t>(hash) >> 8) * step;
}

Lanes number(Words hash, Lanes step) { return xsimd::to_float(xsimd::bitwise_cast<std::int32_t>(hash) >> 8) * step; }

/// Lane i holds i·⌊2³²/φ⌋.
Words lane_places() {
  std::array<std::uint32_t, Words::size> places;
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::uint32_t>(i) * kGolden;
  return Words::load_unaligned(places.data());
}

}  // namespace

SeededMatrix::SeededMatrix(std::int32_t rows, std::int32_t columns, float limit, Stream stream, std::uint64_t number)
    : rows_(rows), columns_(columns), step_(limit * 0x1p-23F) {
  assert(rows >= 1 && columns >= 1 && std::int64_t{rows} * columns <= std::int64_t{1} << 32);
  const std::uint64_t key = bits(stream, number);
  key_[0] = static_cast<std::uint32_t>(key);
  key_[1] = static_cast<std::uint32_t>(key >> 32U);
}

std::uint32_t SeededMatrix::place_of(std::int32_t row, std::int32_t column) const {
  const std::uint32_t element =
      static_cast<std::uint32_t>(row) * static_cast<std::uint32_t>(columns_) + static_cast<std::uint32_t>(column);
  return key_[0] + element * kGolden;
}

float SeededMatrix::at(std::int32_t row, std::int32_t column) const {
  assert(row >= 0 && row < rows_ && column >= 0 && column < columns_);
  return number(mixed(place_of(row, column), key_[1]), step_);
}

void SeededMatrix::make(std::int32_t first_row, std::int32_t rows, std::int32_t first_column, std::int32_t columns,
                        float* panels) const {
  assert(first_row >= 0 && rows >= 1 && first_row <= rows_ - rows);
  assert(first_column >= 0 && columns >= 1 && first_column <= columns_ - columns);
  const std::int32_t width = panel_width();
  const Words lanes = lane_places();
  const Words key(key_[1]);
  const Words down(static_cast<std::uint32_t>(columns_) * kGolden);
  const Lanes step(step_);

  for (std::int32_t first = 0; first < columns; first += width) {
    float* const end = panels + std::ptrdiff_t{rows} * width;
    for (std::int32_t v = 0; v < width; v += kLanes) {
      Words place = lanes + Words(place_of(first_row, first_column + first + v));
      for (float* to = panels + v; to < end; to += width) {
        number(mixed(place, key), step).store_aligned(to);
        place += down;
      }
    }
    const std::int32_t inside = std::min(width, columns - first);
    if (inside < width) {
      for (float* row = panels; row != end; row += width) std::fill(row + inside, row + width, 0.0F);
    }
    panels = end;
  }
}

}  // namespace mha
