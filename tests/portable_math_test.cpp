// sin, cos, exp and log: accurate, and the same bits in every build. Expected values are from mpmath with 200 bits.
#include "mha/portable_math.hpp"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>

#include "support.hpp"

namespace mha::test {
namespace {

constexpr double kPromised = 1e-15;
constexpr double kLibrary = 0x1p-52;  ///< std::sin and the like may be off by this themselves

TEST_CASE("sin and cos at known places", "[portable_math]") {
  struct Known {
    double radians, sin, cos;
  };
  constexpr Known kKnown[] = {
      {0.0, 0.0, 1.0},
      {1e-8, 0x1.5798ee2308c3ap-27, 1.0},
      {0.5, 0x1.eaee8744b05f0p-2, 0x1.c1528065b7d50p-1},
      {1.0, 0x1.aed548f090ceep-1, 0x1.14a280fb5068cp-1},
      {-2.5, -0x1.326af0dcfcab1p-1, -0x1.9a2f7ef858b7dp-1},
      {3.0, 0x1.210386db6d55bp-3, -0x1.fae04be85e5d2p-1},
      {100.0, -0x1.03425b78c4db8p-1, 0x1.b981dbf665fdfp-1},
      {-1000.125, -0x1.c7f52cd394760p-1, 0x1.d1d15d1656482p-2},
      {31415.9265358979, -0x1.2445a8d0ad2d3p-35, 1.0},  // close to a zero of sin
      {99999.5, 0x1.055f282f41bdap-1, -0x1.b8428c9f69a31p-1},
  };
  for (const auto& [radians, sin, cos] : kKnown) {
    CAPTURE(radians);
    const SinCos got = portable_sin_cos(radians);
    CHECK(std::abs(got.sin - sin) <= kPromised);
    CHECK(std::abs(got.cos - cos) <= kPromised);
  }
}

TEST_CASE("exp at known places", "[portable_math]") {
  struct Known {
    double exponent, value;
  };
  constexpr Known kKnown[] = {
      {0.0, 1.0},
      {1e-10, 0x1.000000006df38p+0},
      {1.0, 0x1.5bf0a8b145769p+1},
      {-1.0, 0x1.78b56362cef38p-2},
      {0.5, 0x1.a61298e1e069cp+0},
      {-9.210340371976184, 0x1.a36e2eb1c4326p-14},
      {10.0, 0x1.5829dcf950560p+14},
      {-700.0, 0x1.14f2b0fb9307fp-1010},
      {700.0, 0x1.d945df4f8ec8ep+1009},
  };
  for (const auto& [exponent, value] : kKnown) {
    CAPTURE(exponent);
    CHECK(std::abs(portable_exp(exponent) / value - 1.0) <= kPromised);
  }
}

TEST_CASE("log at known places", "[portable_math]") {
  struct Known {
    double x, value;
  };
  constexpr Known kKnown[] = {
      {0x1p-1022, -0x1.6232bdd7abcd2p+9}, {1e-30, -0x1.144f69ff9ffc4p+6},      {0.1, -0x1.26bb1bbb55515p+1},
      {0.5, -0x1.62e42fefa39efp-1},       {0.70710678, -0x1.62e4300c77ae8p-2}, {0.7071068, -0x1.62e42e268c249p-2},
      {0.999999, -0x1.0c6f82d74d230p-20}, {1.000001, 0x1.0c6f713f33a1dp-20},   {1.5, 0x1.9f323ecbf984cp-2},
      {2.0, 0x1.62e42fefa39efp-1},        {10.0, 0x1.26bb1bbb55516p+1},        {1e300, 0x1.5963447f87fb5p+9},
  };
  for (const auto& [x, value] : kKnown) {
    CAPTURE(x);
    CHECK(std::abs(portable_log(x) / value - 1.0) <= kPromised);
  }
  CHECK(portable_log(1.0) == 0.0);
}

TEST_CASE("log undoes exp", "[portable_math]") {
  Random random(Catch::getSeed());
  double worst = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const double exponent = double{random.number()} * std::pow(10.0, random.integer(-3, 2)) * 7.0;
    // The error of exp is relative, so it is absolute here.
    worst = std::max(worst, std::abs(portable_log(portable_exp(exponent)) - exponent) / (1.0 + std::abs(exponent)));
  }
  CHECK(worst <= 2 * kPromised);
}

TEST_CASE("both agree with the standard library over their whole range", "[portable_math]") {
  Random random(Catch::getSeed());
  double worst_sin = 0.0, worst_cos = 0.0, worst_exp = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const double fine = double{random.number()} + double{random.number()} * 0x1p-24;
    const double radians = fine * std::pow(10.0, random.integer(-3, 5));
    const double exponent = fine * std::pow(10.0, random.integer(-3, 2)) * 7.0;
    const SinCos wave = portable_sin_cos(radians);
    worst_sin = std::max(worst_sin, std::abs(wave.sin - std::sin(radians)));
    worst_cos = std::max(worst_cos, std::abs(wave.cos - std::cos(radians)));
    worst_exp = std::max(worst_exp, std::abs(portable_exp(exponent) / std::exp(exponent) - 1.0));
  }
  CHECK(worst_sin <= kPromised + kLibrary);
  CHECK(worst_cos <= kPromised + kLibrary);
  CHECK(worst_exp <= kPromised + kLibrary);
}

TEST_CASE("sin and cos are right around every multiple of a quarter turn", "[portable_math]") {
  double worst = 0.0;
  for (int quarter = -200; quarter <= 200; ++quarter) {
    for (const double off : {-1e-3, -1e-9, 0.0, 1e-9, 1e-3, 0.78539, 0.78540}) {
      const double radians = quarter * 1.5707963267948966 + off;
      const SinCos wave = portable_sin_cos(radians);
      worst = std::max({worst, std::abs(wave.sin - std::sin(radians)), std::abs(wave.cos - std::cos(radians))});
    }
  }
  CHECK(worst <= kPromised + kLibrary);
}

TEST_CASE("exp is 2 to a whole power at multiples of ln 2, as near as a double can say", "[portable_math]") {
  for (int power = -1000; power <= 1000; power += 50) {
    const double exponent = power * 0.6931471805599453;
    CAPTURE(power);
    // The argument is off by up to half an ulp of itself, which is relative in the result.
    CHECK(std::abs(portable_exp(exponent) / std::ldexp(1.0, power) - 1.0) <= kPromised + std::abs(exponent) * 0x1p-52);
  }
}

TEST_CASE("the bits are the same in every build", "[portable_math]") {
  // The same steps in Python, whose doubles are IEEE too, gave this hash: a build that differs in one bit is noticed.
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](double value) {
    const auto word = std::bit_cast<std::uint64_t>(value);
    for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (word >> (8 * byte) & 0xffU)) * 0x100000001b3U;
  };
  for (int i = -2000; i <= 2000; ++i) {
    const SinCos wave = portable_sin_cos(i * 0.37);
    add(wave.sin);
    add(wave.cos);
    add(portable_exp(i * 0.17));
  }
  CHECK(hash == 0xccf3637b6f6f401cU);
  hash = 0xcbf29ce484222325U;
  for (int i = 1; i <= 4000; ++i) add(portable_log(i * 0.0037));
  CHECK(hash == 0xcaadc3019617b014U);
}

}  // namespace
}  // namespace mha::test
