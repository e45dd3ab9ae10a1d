#include "io/npy.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <string_view>

#include "io/file.hpp"
#include "io/json.hpp"
#include "mha/utf8.hpp"

namespace mha {
namespace {

static_assert(std::endian::native == std::endian::little, "the file's floats are copied as they are");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxAxes = 3;

/// Bytes of an array of this shape, false if that is more than 64 bits hold.
bool byte_count(std::span<const std::uint64_t> shape, std::uint64_t& bytes) {
  bytes = sizeof(float);
  for (const std::uint64_t extent : shape) {
    if (extent != 0 && bytes > std::numeric_limits<std::uint64_t>::max() / extent) return false;
    bytes *= extent;
  }
  return true;
}

/// The header is the text of a Python dict. This reads exactly the dicts that NumPy writes, in any order of keys, with
/// any white space and either kind of quotes, and nothing else of Python.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  [[nodiscard]] Result<Array> read() {
    bool ok = take('{', "expected '{'");
    while (ok && !peek('}')) {
      ok = field() && (peek('}') || take(',', "expected ',' or '}'"));
    }
    ok = ok && take('}', "expected '}'");
    skip_space();
    if (ok && position_ != text_.size()) fail("something follows the closing '}'");
    for (const bool* seen : {&seen_descr_, &seen_order_, &seen_shape_}) {
      if (!*seen) fail("'descr', 'fortran_order' and 'shape' must all be given");
    }
    if (!error_.empty()) return Error{"header: " + error_};
    return Array{std::move(shape_), {}};
  }

 private:
  bool fail(std::string what) {
    if (error_.empty()) error_ = std::move(what);
    return false;
  }
  bool fail_here(std::string_view what) { return fail("byte " + std::to_string(position_) + ": " + std::string(what)); }

  void skip_space() {
    while (position_ < text_.size() && std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos) {
      ++position_;
    }
  }
  bool peek(char c) {
    skip_space();
    return position_ < text_.size() && text_[position_] == c;
  }
  bool take(char c, std::string_view otherwise) {
    if (!peek(c)) return fail_here(otherwise);
    ++position_;
    return true;
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (text_.substr(position_, word.size()) != word) return false;
    position_ += word.size();
    return true;
  }

  bool quoted(std::string_view& value) {
    const char quote = peek('"') ? '"' : '\'';
    if (!take(quote, "expected a quoted text")) return false;
    const std::size_t end = text_.find(quote, position_);
    if (end == std::string_view::npos) return fail_here("the header ends inside a quoted text");
    value = text_.substr(position_, end - position_);
    position_ = end + 1;
    return value.find('\\') == std::string_view::npos || fail_here("escapes are not allowed");
  }

  bool once(bool& seen, std::string_view key) {
    if (seen) return fail("'" + std::string(key) + "' is given twice");
    return seen = true;
  }

  bool field() {
    std::string_view key;
    if (!quoted(key) || !take(':', "expected ':' after a key")) return false;
    if (key == "descr") return once(seen_descr_, key) && descr();
    if (key == "fortran_order") return once(seen_order_, key) && order();
    if (key == "shape") return once(seen_shape_, key) && shape();
    return fail("unknown field " + json_quote(utf8_beginning(key, 40)) +
                ": allowed are 'descr', 'fortran_order' and 'shape'");
  }

  bool descr() {
    std::string_view type;
    if (peek('[')) return fail("'descr' is a record type; only '<f4' can be read");
    if (!quoted(type)) return false;
    return type == "<f4" || fail("'descr' is " + json_quote(utf8_beginning(type, 40)) +
                                 "; only '<f4' (float32, little endian) can be read: array.astype('<f4')");
  }

  bool order() {
    if (take_word("False")) return true;
    if (take_word("True")) {
      return fail("'fortran_order' is True; only C order can be read: numpy.ascontiguousarray(array)");
    }
    return fail("'fortran_order' must be False");
  }

  bool shape() {
    if (!take('(', "'shape' must be a tuple of whole numbers")) return false;
    while (!peek(')')) {
      if (shape_.size() == kMaxAxes) return fail("'shape' has more than 3 axes; allowed are 1 to 3");
      if (!extent()) return false;
      const bool comma = peek(',');
      if (comma) ++position_;
      if (!comma && (!peek(')') || shape_.size() == 1)) return fail_here("'shape': expected ',' (one axis is '(3,)')");
    }
    ++position_;
    return !shape_.empty() || fail("'shape' has 0 axes; allowed are 1 to 3");
  }

  bool extent() {
    const std::size_t start = position_;
    std::uint64_t number = 0;
    for (; position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9'; ++position_) {
      const auto digit = static_cast<std::uint64_t>(text_[position_] - '0');
      if (number > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) {
        return fail("'shape' has a number above 2^64 - 1");
      }
      number = number * 10 + digit;
    }
    if (position_ == start) return fail_here("'shape' must hold whole numbers, 0 or more");
    shape_.push_back(number);
    return true;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::vector<std::uint64_t> shape_;
  bool seen_descr_ = false;
  bool seen_order_ = false;
  bool seen_shape_ = false;
  std::string error_;
};

/// The header's text, and where the numbers begin.
struct Frame {
  std::string_view header;
  std::size_t data = 0;
};

Result<Frame> find_header(std::string_view file) {
  if (!file.starts_with(kMagic)) return Error{"not a .npy file: it must begin with \\x93NUMPY"};
  if (file.size() < kMagic.size() + 2) return Error{"the file ends before its version"};
  const auto byte = [file](std::size_t i) { return static_cast<unsigned char>(file[i]); };
  const unsigned major = byte(6);
  const unsigned minor = byte(7);
  if (major < 1 || major > 3 || minor != 0) {
    return Error{"version " + std::to_string(major) + "." + std::to_string(minor) + "; allowed are 1.0, 2.0 and 3.0"};
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t start = kMagic.size() + 2 + length_bytes;
  if (file.size() < start) return Error{"the file ends before its header length"};
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= std::uint64_t{byte(kMagic.size() + 2 + i)} << (8 * i);
  if (length > file.size() - start) {
    return Error{"header length " + std::to_string(length) + " reaches beyond the file, which has " +
                 std::to_string(file.size()) + " bytes"};
  }
  const auto size = static_cast<std::size_t>(length);
  return Frame{file.substr(start, size), start + size};
}

}  // namespace

Result<Array> parse_npy(std::span<const std::byte> file) {
  const Result<Frame> frame = find_header({reinterpret_cast<const char*>(file.data()), file.size()});
  if (!frame.ok()) return frame.error();
  Result<Array> array = HeaderReader(frame.value().header).read();
  if (!array.ok()) return array;

  std::uint64_t needed = 0;
  const std::uint64_t present = file.size() - frame.value().data;
  if (!byte_count(array.value().shape, needed)) return Error{"header: 'shape' has more than 2^64 bytes"};
  if (needed != present) {
    return Error{"the shape asks for " + std::to_string(needed) + " bytes of numbers, the file has " +
                 std::to_string(present) + (present < needed ? " (is it cut off?)" : "; none may be left over")};
  }
  array.value().values.resize(static_cast<std::size_t>(needed / sizeof(float)));
  const std::span<const std::byte> numbers = file.subspan(frame.value().data);
  if (!numbers.empty()) std::memcpy(array.value().values.data(), numbers.data(), numbers.size());
  return array;
}

std::string npy_header(std::span<const std::uint64_t> shape) {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  text += shape.size() == 1 ? ",), }" : "), }";
  constexpr std::size_t kPrefix = 10;
  text.append(63 - (kPrefix + text.size()) % 64, ' ');
  text += '\n';
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return header + text;
}

Result<Nothing> write_npy(const std::string& path, std::span<const std::uint64_t> shape,
                          std::span<const float> values) {
  std::uint64_t bytes = 0;
  if (shape.empty() || shape.size() > kMaxAxes) return Error{"an array to be written must have 1 to 3 axes"};
  if (!byte_count(shape, bytes) || bytes != values.size_bytes()) return Error{"the shape does not fit the values"};
  const std::string header = npy_header(shape);
  const std::array<std::span<const std::byte>, 2> parts = {std::as_bytes(std::span(header)), std::as_bytes(values)};
  return write_file(path, parts);
}

}  // namespace mha
