#include "mha/portable_math.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace mha {
namespace {

// π/2 as a sum of two doubles, the first with its low 20 bits clear so that quarter·kHalfPiHigh is exact.
constexpr double kHalfPiHigh = 0x1.921fb544p+0;
constexpr double kHalfPiLow = 0x1.0b4611a626331p-34;
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;

// ln 2, split likewise.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kSqrt2 = 0x1.6a09e667f3bcdp+0;
constexpr double kInverseLn2 = 0x1.71547652b82fep+0;

/// Nearest integer; exact and free of the rounding mode of the machine's conversion instructions.
double nearest(double x) { return std::floor(x + 0.5); }

/// Taylor series with `Terms` terms, Horner's rule: Σ (−1)^i r^(2i) / (2i + First)!, First = 0: cos, 1: sin (×r).
template <int First, int Terms>
double alternating(double r_squared) {
  double sum = 1.0;
  for (int i = Terms - 1; i >= 1; --i) sum = 1.0 - sum * r_squared / ((2.0 * i + First) * (2.0 * i + First - 1));
  return sum;
}

}  // namespace

SinCos portable_sin_cos(double radians) {
  const double quarter = nearest(radians * kTwoOverPi);
  const double r = (radians - quarter * kHalfPiHigh) - quarter * kHalfPiLow;  // |r| ≤ π/4
  const double sin = r * alternating<1, 10>(r * r);
  const double cos = alternating<0, 11>(r * r);
  switch (static_cast<std::int64_t>(quarter) & 3) {
    case 0: return {sin, cos};
    case 1: return {cos, -sin};
    case 2: return {-sin, -cos};
    default: return {-cos, sin};
  }
}

double portable_exp(double exponent) {
  const double power = nearest(exponent * kInverseLn2);
  const double r = (exponent - power * kLn2High) - power * kLn2Low;  // |r| ≤ ln 2 / 2
  double sum = 1.0;
  for (int i = 14; i >= 1; --i) sum = 1.0 + sum * r / i;
  // 2^power: |power| ≤ 1010, so it is a normal number and its exponent field is its value.
  const auto field = static_cast<std::uint64_t>(static_cast<std::int64_t>(power) + 1023) << 52U;
  double scale;
  std::memcpy(&scale, &field, sizeof scale);
  return sum * scale;
}

double portable_log(double x) {
  // x = 2^power · m with m in (√½, √2].
  std::uint64_t word;
  std::memcpy(&word, &x, sizeof word);
  auto power = static_cast<double>(static_cast<std::int64_t>(word >> 52U) - 1023);
  word = (word & 0x000fffffffffffffU) | 0x3ff0000000000000U;
  double m;
  std::memcpy(&m, &word, sizeof m);
  if (m > kSqrt2) {
    m *= 0.5;
    power += 1.0;
  }
  // ln m = 2·artanh s = 2·(s + s³/3 + s⁵/5 + …) with |s| ≤ 0.172.
  const double s = (m - 1.0) / (m + 1.0);
  double sum = 0.0;
  for (int i = 12; i >= 0; --i) sum = sum * (s * s) + 1.0 / (2 * i + 1);
  return power * kLn2High + (2.0 * s * sum + power * kLn2Low);
}

}  // namespace mha
