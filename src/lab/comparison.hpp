// Do two ways lead to the same numbers? Counted, bit by bit.
#pragma once

#include <cstdint>
#include <span>

namespace mha {

struct Comparison {
  std::int64_t numbers = 0;    ///< how many were compared
  std::int64_t differing = 0;  ///< how many of them differ in any bit
  double largest = 0;          ///< the largest |difference|
};

/// Compares every number of `a` with that of `b` in its place and adds to what was found before.
/// Precondition: as many of one as of the other.
void compare(std::span<const float> a, std::span<const float> b, Comparison& found);

}  // namespace mha
