#include "io/half.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "support.hpp"

namespace mha::test {
namespace {

/// The definition: (−1)^s · 2^(e − 15) · (1 + f/1024), and 2⁻²⁴ · f where e is 0.
double value_of(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const double fraction = half & 1023;
  const double sign = half >> 15 ? -1.0 : 1.0;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1 + fraction / 1024, exponent - 15));
}

bool is_finite(std::uint16_t half) { return ((half >> 10) & 31) != 31; }

}  // namespace

TEST_CASE("every half is the float of its value, and comes back", "[half]") {
  for (std::uint32_t bits = 0; bits < 0x1'0000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (!is_finite(half)) continue;
    const float value = from_half(half);
    if (static_cast<double>(value) != value_of(half) || to_half(value) != half) FAIL(bits);
  }
  CHECK(from_half(0x7C00) == kInfinity);
  CHECK(from_half(0xFC00) == -kInfinity);
  CHECK(std::isnan(from_half(0x7E00)));
}

TEST_CASE("a float becomes the nearest half, of two as near the even one", "[half]") {
  // Between every two neighbours: just below the middle, the middle, just above it.
  for (std::uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits);
    const auto high = static_cast<std::uint16_t>(bits + 1);
    const auto middle = static_cast<float>((value_of(low) + value_of(high)) / 2);
    const std::uint16_t even = bits % 2 == 0 ? low : high;
    const bool right = to_half(middle) == even && to_half(-middle) == (even | 0x8000U) &&
                       to_half(std::nextafter(middle, 0.0F)) == low &&
                       to_half(std::nextafter(middle, kInfinity)) == high;
    if (!right) FAIL(bits);
  }
}

TEST_CASE("what is too large for a half is infinite, and NaN stays NaN", "[half]") {
  CHECK(to_half(65519.996F) == 0x7BFF);
  CHECK(to_half(65520.0F) == 0x7C00);
  CHECK(to_half(-1e30F) == 0xFC00);
  CHECK(to_half(kInfinity) == 0x7C00);
  CHECK(std::isnan(from_half(to_half(kNan))));
  CHECK(std::isnan(from_half(to_half(-std::numeric_limits<float>::signaling_NaN()))));
}

}  // namespace mha::test
