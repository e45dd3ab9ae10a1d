#include "io/decimal.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "support.hpp"

namespace mha::test {

TEST_CASE("a number has the decimals it is told to have", "[decimal]") {
  CHECK(decimal_text(0.05, 4) == "0.0500");
  CHECK(decimal_text(1.0, 4) == "1.0000");
  CHECK(decimal_text(0.0, 6) == "0.000000");
  CHECK(decimal_text(12.3456789, 2) == "12.35");
  CHECK(decimal_text(0.99996, 4) == "1.0000");
  CHECK(decimal_text(7.0, 0) == "7");
  CHECK(decimal_text(1e300, 4) == "99999999999.9999");
}

TEST_CASE("any text is within half of its last place", "[decimal]") {
  Random random(11);
  for (const float number : random.numbers(500)) {
    const double value = std::abs(static_cast<double>(number));
    for (const std::int32_t decimals : {0, 2, 4, 6}) {
      const std::string text = decimal_text(value, decimals);
      CAPTURE(value, text);
      CHECK(std::abs(std::strtod(text.c_str(), nullptr) - value) <= 0.5000001 * std::pow(10.0, -decimals));
    }
  }
}

TEST_CASE("the shortest text gives the number back bit for bit, and is no longer than it must be", "[decimal]") {
  for (const char* text :
       {"0.003", "0.001", "0.01", "1", "10", "0.1", "0.0000125", "123.456", "0.30000000000001", "0"}) {
    CHECK(shortest_decimal_text(std::strtod(text, nullptr)) == text);
  }
  for (std::int32_t digits = 1; digits < 3000; ++digits) {
    const double value = digits / 1e5;
    if (std::strtod(shortest_decimal_text(value).c_str(), nullptr) != value) FAIL(digits);
  }
  // Whatever comes, there is a text: of what has too many digits, the nearest; of what is too large, the largest.
  CHECK(shortest_decimal_text(static_cast<double>(0.003F)) == "0.003000000026077");
  CHECK(shortest_decimal_text(1e-30) == "0.000000000000000");
  CHECK(shortest_decimal_text(1e30) == "999999999999999");
  CHECK(shortest_decimal_text(std::numeric_limits<double>::max()) == "999999999999999");
}

TEST_CASE("rounding goes to the nearest, halves to the even one, and nothing becomes −0", "[decimal]") {
  CHECK(rounded_to(0.125, 2) == 0.12);
  CHECK(rounded_to(0.375, 2) == 0.38);
  CHECK(rounded_to(-0.126, 2) == -0.13);
  CHECK(!std::signbit(rounded_to(-0.004, 2)));
  CHECK(rounded_to(2.5, 0) == 2.0);
}

TEST_CASE("a number of up to 15 digits is read as strtod reads it, and nothing else is a number", "[decimal]") {
  for (const char* text : {"0", "7", "-0.75", "0.3", "0.003", "123456789012345", "1234567.89012345", "-12.5", "00.10",
                           "0.00000000000001", "99999999999999.9"}) {
    INFO(text);
    CHECK(decimal_number(text) == std::strtod(text, nullptr));
  }
  for (std::int32_t digits = 0; digits < 3000; ++digits) {
    const std::string text = shortest_decimal_text(digits / 1e5);
    if (decimal_number(text) != std::strtod(text.c_str(), nullptr)) FAIL(text);
  }
  for (const char* text : {"", "-", ".", "1.", ".5", "-.5", "1.2.3", "1e3", " 1", "1 ", "+1", "--1", "nan", "inf",
                           "0x1", "1234567890123456", "1,5"}) {
    INFO(text);
    CHECK(!decimal_number(text));
  }
}

}  // namespace mha::test
