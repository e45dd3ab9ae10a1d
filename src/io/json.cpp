#include "io/json.hpp"

#include <limits>

#include "mha/utf8.hpp"

namespace mha {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::uint32_t code, std::string& out) {
  const auto byte = [&out](std::uint32_t value) { out += static_cast<char>(static_cast<unsigned char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

}  // namespace

bool JsonReader::fail(std::string_view what) {
  if (!failed()) error_ = "byte " + std::to_string(position_) + ": " + std::string(what);
  return false;
}

void JsonReader::skip_space() {
  while (at(' ') || at('\n') || at('\r') || at('\t')) ++position_;
}

bool JsonReader::expect(char c, std::string_view what) {
  if (failed()) return false;
  skip_space();
  if (!at(c)) return fail(what);
  ++position_;
  return true;
}

bool JsonReader::open(char bracket, std::string_view what) {
  if (!expect(bracket, what)) return false;
  if (depth_ == kMaxDepth) return fail("nested deeper than 64 brackets");
  first_[depth_++] = true;
  return true;
}

bool JsonReader::begin_object() { return open('{', "expected an object '{'"); }
bool JsonReader::begin_array() { return open('[', "expected an array '['"); }

/// Steps over a comma or out of the bracket.
bool JsonReader::next_element(char bracket) {
  if (failed() || depth_ == 0) return false;
  skip_space();
  if (at(bracket)) {
    ++position_;
    --depth_;
    return false;
  }
  bool& first = first_[depth_ - 1];
  if (!first && !expect(',', bracket == '}' ? "expected ',' or '}'" : "expected ',' or ']'")) return false;
  first = false;
  return true;
}

bool JsonReader::next_key(std::string& key) {
  return next_element('}') && string(key) && expect(':', "expected ':' after a key");
}

bool JsonReader::next_item() { return next_element(']'); }

bool JsonReader::string(std::string& value) {
  value.clear();
  if (!expect('"', "expected a string '\"'")) return false;
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '"') {
      ++position_;
      return true;
    }
    if (static_cast<unsigned char>(c) < 0x20) return fail("a control character inside a string must be escaped");
    if (c == '\\' ? !escape(value) : !utf8_sequence(value)) return false;
  }
  return fail("the text ends inside a string");
}

bool JsonReader::hex4(std::uint32_t& unit) {
  unit = 0;
  for (int i = 0; i < 4; ++i, ++position_) {
    const char c = position_ < text_.size() ? text_[position_] : '\0';
    std::uint32_t digit = 0;
    if (is_digit(c)) {
      digit = static_cast<std::uint32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<std::uint32_t>(c - 'a' + 10);
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<std::uint32_t>(c - 'A' + 10);
    } else {
      return fail("\\u must be followed by four hexadecimal digits");
    }
    unit = unit * 16 + digit;
  }
  return true;
}

bool JsonReader::escape(std::string& value) {
  constexpr std::string_view kEscaped = "\"\\/bfnrt";
  constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  ++position_;
  const char c = position_ < text_.size() ? text_[position_] : '\0';
  if (const std::size_t place = kEscaped.find(c); place != std::string_view::npos) {
    value.push_back(kMeant[place]);
    ++position_;
    return true;
  }
  if (c != 'u') return fail("unknown escape: allowed are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
  ++position_;
  std::uint32_t code = 0;
  if (!hex4(code)) return false;
  if (code >= 0xDC00 && code <= 0xDFFF) return fail("a low surrogate without its high surrogate");
  if (code >= 0xD800 && code <= 0xDBFF) {
    std::uint32_t low = 0;
    if (text_.substr(position_, 2) != "\\u") return fail("a high surrogate without its low surrogate");
    position_ += 2;
    if (!hex4(low)) return false;
    if (low < 0xDC00 || low > 0xDFFF) return fail("a high surrogate without its low surrogate");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  append_utf8(code, value);
  return true;
}

bool JsonReader::utf8_sequence(std::string& value) {
  const std::size_t length = utf8_length(text_.substr(position_));
  if (length == 0) return fail("not UTF-8");
  value.append(text_, position_, length);
  position_ += length;
  return true;
}

bool JsonReader::unsigned_integer(std::uint64_t& value) {
  if (failed()) return false;
  skip_space();
  const std::size_t start = position_;
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t number = 0;
  for (; position_ < text_.size() && is_digit(text_[position_]); ++position_) {
    const auto digit = static_cast<std::uint64_t>(text_[position_] - '0');
    if (number > (kMax - digit) / 10) return fail("a number above 2^64 - 1");
    number = number * 10 + digit;
  }
  const bool leading_zero = position_ - start > 1 && text_[start] == '0';
  if (position_ == start || leading_zero || at('.') || at('e') || at('E')) {
    position_ = start;
    return fail("expected a whole number, 0 or more");
  }
  value = number;
  return true;
}

bool JsonReader::skip_word(std::string_view word) {
  if (text_.substr(position_, word.size()) != word) return fail("expected a value");
  position_ += word.size();
  return true;
}

bool JsonReader::skip_digits() {
  const std::size_t start = position_;
  while (position_ < text_.size() && is_digit(text_[position_])) ++position_;
  return position_ != start || fail("expected a digit");
}

bool JsonReader::skip_number() {
  if (at('-')) ++position_;
  if (at('0')) {
    ++position_;
  } else if (!skip_digits()) {
    return false;
  }
  if (at('.')) {
    ++position_;
    if (!skip_digits()) return false;
  }
  if (at('e') || at('E')) {
    ++position_;
    if (at('+') || at('-')) ++position_;
    if (!skip_digits()) return false;
  }
  return true;
}

bool JsonReader::skip_value() {
  if (failed()) return false;
  skip_space();
  std::string ignored;
  if (at('"')) return string(ignored);
  if (at('t')) return skip_word("true");
  if (at('f')) return skip_word("false");
  if (at('n')) return skip_word("null");
  if (at('{')) {
    for (begin_object(); next_key(ignored);) skip_value();
    return !failed();
  }
  if (at('[')) {
    for (begin_array(); next_item();) skip_value();
    return !failed();
  }
  if (at('-') || (position_ < text_.size() && is_digit(text_[position_]))) return skip_number();
  return fail("expected a value");
}

bool JsonReader::end() {
  if (failed()) return false;
  skip_space();
  return position_ == text_.size() || fail("something follows the closing bracket");
}

std::string json_quote(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (code < 0x20 || code == 0x7F) {
      quoted += "\\u00";
      quoted += kHex[code >> 4];
      quoted += kHex[code & 0xF];
    } else {
      quoted += c;
    }
  }
  return quoted += '"';
}

}  // namespace mha
