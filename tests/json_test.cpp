#include "io/json.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

namespace mha::test {
namespace {

/// The fault of reading one value of any kind, "" if there is none.
std::string fault(std::string_view text) {
  JsonReader reader(text);
  reader.skip_value();
  reader.end();
  return reader.error();
}

/// A string value, or the fault.
std::string read_string(std::string_view text) {
  JsonReader reader(text);
  std::string value;
  reader.string(value);
  reader.end();
  return reader.failed() ? "fault: " + reader.error() : value;
}

std::string read_number(std::string_view text) {
  JsonReader reader(text);
  std::uint64_t value = 0;
  reader.unsigned_integer(value);
  reader.end();
  return reader.failed() ? "fault: " + reader.error() : std::to_string(value);
}

}  // namespace

TEST_CASE("what RFC 8259 allows is read", "[json]") {
  for (const std::string_view text : {"{}", "[]", " [ 1 , 2 ] ", "true", "false", "null", "0", "-0", "-1.5e+10", "1E5",
                                      "0.25e-3", "\"\"", "\"a\\u0000b\"", "{\"a\":{\"b\":[[],{},null]},\"c\":\"d\"}",
                                      "\t\r\n{}\n", "\"\xE5\x85\xAB\xF0\x9F\x8E\x82\"", "\"\x7F\""}) {
    INFO(text);
    CHECK(fault(text) == "");
  }
}

TEST_CASE("what RFC 8259 does not allow is a fault", "[json]") {
  for (const std::string_view text : {"",
                                      " ",
                                      "{",
                                      "}",
                                      "[",
                                      "]",
                                      "{]",
                                      "[}",
                                      "[1",
                                      "[1,",
                                      "[1,]",
                                      "[,1]",
                                      "[1 2]",
                                      "{\"a\"}",
                                      "{\"a\":}",
                                      "{\"a\":1,}",
                                      "{a:1}",
                                      "{'a':1}",
                                      "{1:1}",
                                      "{\"a\" 1}",
                                      "{\"a\":1 \"b\":2}",
                                      "{}{}",
                                      "{} x",
                                      "[] ]",
                                      "tru",
                                      "True",
                                      "nul",
                                      "NaN",
                                      "Infinity",
                                      "-",
                                      "+1",
                                      "01",
                                      "-01",
                                      "1.",
                                      ".5",
                                      "1e",
                                      "1e+",
                                      "0x1",
                                      "\"",
                                      "\"a",
                                      "\"\\",
                                      "\"\\x\"",
                                      "\"\\u12\"",
                                      "\"\\u12g4\"",
                                      "\"\n\"",
                                      "\"\\ud800\"",
                                      "\"\\ud800x\"",
                                      "\"\\ud800\\n\"",
                                      "\"\\ud800\\u0041\"",
                                      "\"\\udc00\"",
                                      "// comment\n{}",
                                      "\xEF\xBB\xBF{}"}) {
    INFO(text);
    CHECK(fault(text) != "");
  }
}

TEST_CASE("only UTF-8 is text", "[json]") {
  for (const std::string_view bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x9F\xBF", "\xE5\x85", "\xED\xA0\x80",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    CHECK(fault("\"" + std::string(bad) + "\"") == "byte 1: not UTF-8");
  }
}

TEST_CASE("escapes are resolved", "[json]") {
  CHECK(read_string(R"("\" \\ \/ \b\f\n\r\t")") == "\" \\ / \b\f\n\r\t");
  CHECK(read_string(R"("\u0041\u00e9\u516b\uD83C\udf82")") == "A\xC3\xA9\xE5\x85\xAB\xF0\x9F\x8E\x82");
  CHECK(read_string(R"("a\u0000b")") == std::string("a\0b", 3));
  CHECK(read_string("1") == "fault: byte 0: expected a string '\"'");
}

TEST_CASE("whole numbers up to 2^64 - 1", "[json]") {
  CHECK(read_number("0") == "0");
  CHECK(read_number(" 18446744073709551615 ") == "18446744073709551615");
  CHECK(read_number("18446744073709551616") == "fault: byte 19: a number above 2^64 - 1");
  for (const std::string_view text : {"-1", "1.0", "1e3", "00", "01", "\"1\"", "", "null", "[]"}) {
    INFO(text);
    CHECK(read_number(text).starts_with("fault: "));
  }
}

TEST_CASE("depth is limited, length is not", "[json]") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(fault(nested(64)) == "");
  CHECK(fault(nested(65)) == "byte 65: nested deeper than 64 brackets");
  CHECK(fault(std::string(1'000'000, '[')) == "byte 65: nested deeper than 64 brackets");
  std::string wide = "[";
  for (int i = 0; i < 100'000; ++i) wide += "[],";
  CHECK(fault(wide + "[]]") == "");
}

TEST_CASE("nothing is read after a fault", "[json]") {
  JsonReader reader("[1, x, 2]");
  std::uint64_t number = 0;
  REQUIRE(reader.begin_array());
  REQUIRE(reader.next_item());
  REQUIRE(reader.unsigned_integer(number));
  REQUIRE(reader.next_item());
  CHECK_FALSE(reader.unsigned_integer(number));
  const std::string first = reader.error();
  CHECK(first == "byte 4: expected a whole number, 0 or more");
  CHECK_FALSE(reader.next_item());
  CHECK_FALSE(reader.skip_value());
  CHECK_FALSE(reader.end());
  CHECK_FALSE(reader.fail("another"));
  CHECK(reader.error() == first);
}

TEST_CASE("a quoted text reads back as itself and is one line", "[json]") {
  std::string every;
  for (int c = 0; c < 128; ++c) every += static_cast<char>(c);
  every += "八场会";
  const std::string quoted = json_quote(every);
  CHECK(quoted.find('\n') == std::string::npos);
  CHECK(read_string(quoted) == every);
}

}  // namespace mha::test
