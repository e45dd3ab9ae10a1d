// A strict JSON reader (RFC 8259) that walks the text once and builds no tree: the caller asks for what its format
// says must come next. So memory does not grow with what is skipped, and depth is limited.
//
//   std::string key;
//   for (reader.begin_object(); reader.next_key(key);) {
//     if (key == "dtype") reader.string(dtype); else reader.skip_value();
//   }
//   reader.end();
//   if (reader.failed()) … reader.error()
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mha {

/// After the first fault every function returns false and changes nothing.
class JsonReader {
 public:
  /// `text` must outlive the reader.
  explicit JsonReader(std::string_view text) : text_(text) {}

  bool begin_object();
  /// False: the object is over, or a fault.
  bool next_key(std::string& key);
  bool begin_array();
  /// True: a value must be read now. False: the array is over, or a fault.
  bool next_item();

  /// Escapes are resolved. Text that is not UTF-8 and lone surrogates are faults.
  bool string(std::string& value);
  /// A whole number 0…2⁶⁴ − 1 without fraction or exponent.
  bool unsigned_integer(std::uint64_t& value);
  /// Any value, checked but not kept.
  bool skip_value();
  /// Nothing but white space may follow.
  bool end();

  [[nodiscard]] bool failed() const { return !error_.empty(); }
  /// "byte 17: expected ':'", counted from 0.
  [[nodiscard]] const std::string& error() const { return error_; }
  /// Stops with a fault of the caller's own, at the place read last.
  bool fail(std::string_view what);

 private:
  static constexpr std::size_t kMaxDepth = 64;

  void skip_space();
  [[nodiscard]] bool at(char c) const { return position_ < text_.size() && text_[position_] == c; }
  bool expect(char c, std::string_view what);
  bool open(char bracket, std::string_view what);
  bool next_element(char bracket);
  bool escape(std::string& value);
  bool hex4(std::uint32_t& unit);
  bool utf8_sequence(std::string& value);
  bool skip_number();
  bool skip_digits();
  bool skip_word(std::string_view word);

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t depth_ = 0;
  std::array<bool, kMaxDepth> first_ = {};  ///< per open bracket: nothing in it was read yet
  std::string error_;
};

/// A JSON string literal with its quotes. Control characters are escaped, so that the result is one line.
[[nodiscard]] std::string json_quote(std::string_view text);

}  // namespace mha
