#include "lab/comparison.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace mha {

void compare(std::span<const float> a, std::span<const float> b, Comparison& found) {
  assert(a.size() == b.size());
  found.numbers += static_cast<std::int64_t>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(a[i]) == std::bit_cast<std::uint32_t>(b[i])) continue;
    ++found.differing;
    found.largest = std::max(found.largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
}

}  // namespace mha
