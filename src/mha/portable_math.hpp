// sin, cos, exp and log in double, built from +, −, × and ÷ only. The libms of Linux, macOS, Windows and wasm round
// differently; these give the same bits everywhere (with -ffp-contract=off). Error below 1e-15 on the ranges given.
#pragma once

namespace mha {

struct SinCos {
  double sin;
  double cos;
};

/// |radians| ≤ 1e5.
[[nodiscard]] SinCos portable_sin_cos(double radians);

/// |exponent| ≤ 700.
[[nodiscard]] double portable_exp(double exponent);

/// The natural logarithm. Precondition: x is a positive normal number (2⁻¹⁰²² or more).
[[nodiscard]] double portable_log(double x);

}  // namespace mha
