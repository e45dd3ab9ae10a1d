#include "mha/utf8.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>

namespace mha::test {
namespace {

TEST_CASE("UTF-8 and what only looks like it", "[utf8]") {
  using namespace std::string_view_literals;
  static_assert(is_utf8(""));
  for (const std::string_view good :
       {"plain"sv, "\0"sv, "é"sv, "把"sv, "🍰"sv, "\x7f"sv, "\xc2\x80"sv, "\xdf\xbf"sv, "\xe0\xa0\x80"sv,
        "\xed\x9f\xbf"sv, "\xee\x80\x80"sv, "\xf0\x90\x80\x80"sv, "\xf4\x8f\xbf\xbf"sv}) {
    CHECK(is_utf8(good));
    CHECK(is_utf8("x" + std::string(good) + "y"));
    // A cut sequence is none, wherever the cut.
    for (std::size_t kept = 1; kept < good.size() && good.size() <= 4 && good != "plain"; ++kept) {
      CHECK_FALSE(is_utf8(good.substr(0, kept)));
      CHECK_FALSE(is_utf8(std::string(good.substr(0, kept)) + "y"));
    }
  }
  for (const std::string_view bad :
       {"\x80"sv, "\xbf"sv, "\xc0\x80"sv, "\xc1\xbf"sv, "\xe0\x9f\xbf"sv, "\xed\xa0\x80"sv, "\xed\xbf\xbf"sv,
        "\xf0\x8f\xbf\xbf"sv, "\xf4\x90\x80\x80"sv, "\xf5\x80\x80\x80"sv, "\xff"sv, "\xc2\xc2\x80"sv}) {
    CHECK_FALSE(is_utf8(bad));
  }
}

TEST_CASE("a text is cut between characters", "[utf8]") {
  static_assert(utf8_beginning("plain", 3) == "pla");
  CHECK(utf8_beginning("", 0) == "");
  CHECK(utf8_beginning("八场会", 9) == "八场会");
  for (std::size_t bytes = 6; bytes < 9; ++bytes) CHECK(utf8_beginning("八场会", bytes) == "八场");
  for (std::size_t bytes = 0; bytes < 4; ++bytes) CHECK(utf8_beginning("🍰", bytes) == "");
  CHECK(utf8_beginning("\x80\x80\x80", 2) == "");  // no text, but no harm either
}

}  // namespace
}  // namespace mha::test
