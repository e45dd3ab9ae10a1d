// Two ways to the same numbers: every difference is counted, however small, and nothing else.
#include "lab/comparison.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support.hpp"

namespace mha::test {
namespace {

TEST_CASE("every number that differs in a bit is counted", "[comparison]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    const std::vector<float> a = random.numbers(static_cast<std::size_t>(random.integer(0, 70)), 3.0F);
    std::vector<float> b = a;
    std::int64_t differing = 0;
    double largest = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (!random.one_in(3)) continue;
      b[i] = random.one_in(2) ? std::nextafter(b[i], 9.0F) : b[i] + 1.0F;
      ++differing;
      largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    }
    CAPTURE(seed, a.size());
    Comparison found;
    compare(a, b, found);
    CHECK(found.numbers == static_cast<std::int64_t>(a.size()));
    CHECK(found.differing == differing);
    CHECK(found.largest == largest);

    // What follows is added.
    compare(a, a, found);
    CHECK(found.numbers == 2 * static_cast<std::int64_t>(a.size()));
    CHECK(found.differing == differing);
    CHECK(found.largest == largest);
  }
}

TEST_CASE("masked scores are equal, and zeros of two signs are not", "[comparison]") {
  const std::vector<float> a = {-kInfinity, 0.0F, 1.0F};
  Comparison found;
  compare(a, std::vector<float>{-kInfinity, -0.0F, 1.0F}, found);
  CHECK(found.numbers == 3);
  CHECK(found.differing == 1);
  CHECK(found.largest == 0.0);
}

}  // namespace
}  // namespace mha::test
