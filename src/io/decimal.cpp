#include "io/decimal.hpp"

#include <algorithm>
#include <cmath>

namespace mha {
namespace {

constexpr double kLargest = 999'999'999'999'999.0;  ///< up to here a double tells every whole number

double power_of_ten(std::int32_t exponent) {
  double power = 1;
  for (std::int32_t i = 0; i < exponent; ++i) power *= 10;
  return power;
}

/// The text of digits · 10^−decimals.
std::string placed(std::int64_t digits, std::int32_t decimals) {
  std::string text = std::to_string(digits);
  const auto behind = static_cast<std::size_t>(decimals);
  if (behind == 0) return text;
  if (text.size() <= behind) text.insert(0, behind + 1 - text.size(), '0');
  return text.insert(text.size() - behind, 1, '.');
}

}  // namespace

double rounded_to(double value, std::int32_t decimals) {
  const double power = power_of_ten(decimals);
  return std::nearbyint(value * power) / power + 0.0;
}

std::string decimal_text(double value, std::int32_t decimals) {
  const double digits = std::min(std::nearbyint(value * power_of_ten(decimals)), kLargest);
  return placed(static_cast<std::int64_t>(digits), decimals);
}

std::string shortest_decimal_text(double value) {
  constexpr std::int32_t kMost = 15;
  for (std::int32_t decimals = 0;; ++decimals) {
    const double power = power_of_ten(decimals);
    const double digits = std::nearbyint(value * power);
    if (digits / power != value && digits < kLargest && decimals < kMost) continue;
    return placed(static_cast<std::int64_t>(std::min(digits, kLargest)), decimals);
  }
}

std::optional<double> decimal_number(std::string_view text) {
  constexpr std::int32_t kMostDigits = 15;
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  const bool has_point = point < text.size();
  if (point == 0 || (has_point && point + 1 == text.size())) return std::nullopt;
  double whole = 0;  // exact, as is the power of ten: one rounding, in the division
  std::int32_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == point) continue;
    if (text[i] < '0' || text[i] > '9' || ++digits > kMostDigits) return std::nullopt;
    whole = 10 * whole + (text[i] - '0');
  }
  const auto behind = has_point ? static_cast<std::int32_t>(text.size() - point - 1) : 0;
  const double value = whole / power_of_ten(behind);
  return negative ? -value : value;
}

}  // namespace mha
