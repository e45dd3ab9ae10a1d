// Numbers as decimal text, by whole-number arithmetic: no printf of any libm rounds them its own way, so files that
// are written natively and under wasm are the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mha {

/// The multiple of 10^−decimals nearest to `value`, of two as near the one whose last digit is even; never −0.
/// `decimals` is 0 … 9.
[[nodiscard]] double rounded_to(double value, std::int32_t decimals);

/// "0.0500": `value` with so many decimals (0 … 9). What is no number of 15 digits is cut to the largest that is.
/// Precondition: finite, not negative.
[[nodiscard]] std::string decimal_text(double value, std::int32_t decimals);

/// "0.003": with as few decimals as tell the value from its neighbours, at most 15. A value of up to 15 digits comes
/// back from its text bit for bit. Precondition: finite, not negative.
[[nodiscard]] std::string shortest_decimal_text(double value);

/// The double nearest to "12", "-0.75" or "0.003": up to 15 digits, and at most one point, between two of them.
/// Nothing for any other text. (strtod would bring the arithmetic of long double into a module that has no use for it.)
[[nodiscard]] std::optional<double> decimal_number(std::string_view text);

}  // namespace mha
