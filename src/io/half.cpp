#include "io/half.hpp"

#include <bit>

namespace mha {
namespace {

constexpr std::uint32_t kInfiniteHalf = 0x7C00;
constexpr std::uint32_t kInfinite = 0x7F80'0000;
/// Bits of the fraction that a half has no room for.
constexpr std::uint32_t kDropped = 23 - 10;
/// How far apart the biases of the two exponents are.
constexpr std::uint32_t kRebias = 127 - 15;
/// 2⁻¹⁴, from which on halves are normal.
constexpr std::uint32_t kSmallestNormal = (kRebias + 1) << 23U;

}  // namespace

std::uint16_t to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFF'FFFFU;
  if (magnitude > kInfinite) return static_cast<std::uint16_t>(sign | kInfiniteHalf | 0x200U);
  if (magnitude < kSmallestNormal) {
    // Below it halves are multiples of 2⁻²⁴, as floats around 0.5 are: an addition rounds, and leaves the multiple.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign |
                                      (std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5F)));
  }
  // Half of the last place, less one unless the bit before is 1: ties go to even. A carry moves on into the exponent.
  const std::uint32_t odd = (magnitude >> kDropped) & 1U;
  const std::uint32_t rounded = (magnitude - (kRebias << 23U) + (1U << (kDropped - 1)) - 1 + odd) >> kDropped;
  return static_cast<std::uint16_t>(sign | (rounded < kInfiniteHalf ? rounded : kInfiniteHalf));
}

float from_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  const std::uint32_t exponent = (half >> 10U) & 0x1FU;
  const std::uint32_t fraction = half & 0x3FFU;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  const std::uint32_t wide = exponent == 0x1F ? kInfinite : (exponent + kRebias) << 23U;
  return std::bit_cast<float>(sign | wide | (fraction << kDropped));
}

}  // namespace mha
