#include "io/npy.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "folder.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

using Extents = std::vector<std::uint64_t>;

/// A file of version 1.0 with this header text, and `floats` zeros.
std::string file_with(const std::string& header, std::size_t floats = 6, char version = 1) {
  std::string file = "\x93NUMPY";
  file += {version, '\0', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  if (version > 1) file += std::string(2, '\0');
  return file + header + std::string(4 * floats, '\0');
}

std::string header_of(const std::string& shape) {
  return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

std::string fault(const std::string& file) {
  const Result<Array> array = parse_npy(bytes_of(file));
  return array.ok() ? "" : array.error().message;
}

bool mentions(const std::string& message, const std::string& part) { return message.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("an array comes back bit for bit", "[npy]") {
  const Folder folder;
  const std::vector<Extents> shapes = {{1}, {7}, {2, 3}, {2, 3, 4}, {0}, {0, 5}, {1, 1, 1}, {123, 45}};
  for (const Extents& shape : shapes) {
    std::size_t count = 1;
    for (const std::uint64_t extent : shape) count *= static_cast<std::size_t>(extent);
    Random random(7);
    std::vector<float> values = random.numbers(count);
    if (count > 2) values[0] = kNan, values[1] = -kInfinity, values[2] = -0.0F;
    REQUIRE(write_npy(folder.file("a.npy"), shape, values).ok());

    const std::string file = read_text(folder.file("a.npy"));
    CHECK((file.size() - 4 * count) % 64 == 0);
    const Result<Array> array = parse_npy(bytes_of(file));
    REQUIRE(array.ok());
    CHECK(array.value().shape == shape);
    CHECK(same_bits(array.value().values, values));
  }
}

TEST_CASE("the header is NumPy's own", "[npy]") {
  std::string want("\x93NUMPY\x01\x00\x76\x00", 10);
  want.append("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }").append(58, ' ').append("\n");
  CHECK(npy_header(Extents{2, 3}) == want);
}

TEST_CASE("every header that NumPy may write is read", "[npy]") {
  CHECK(fault(file_with(header_of("(2, 3)"))) == "");
  CHECK(fault(file_with(header_of("(2, 3)"), 6, 2)) == "");
  CHECK(fault(file_with(header_of("(2, 3)"), 6, 3)) == "");
  CHECK(fault(file_with(header_of("(6,)"))) == "");
  CHECK(fault(file_with(header_of("(1, 2, 3,)"))) == "");
  CHECK(fault(file_with("{\"shape\":(2,3),\"descr\":\"<f4\",\"fortran_order\":False}")) == "");
  CHECK(fault(file_with("  { 'shape' : ( 2 , 3 ) ,\n 'fortran_order' : False , 'descr' : '<f4' }  \n")) == "");
}

TEST_CASE("a malformed array says what is wrong", "[npy]") {
  CHECK(fault("") == "not a .npy file: it must begin with \\x93NUMPY");
  CHECK(fault("PK\x03\x04 this is an .npz") == "not a .npy file: it must begin with \\x93NUMPY");
  CHECK(fault("\x93NUMPY\x01") == "the file ends before its version");
  CHECK(fault(std::string("\x93NUMPY\x04\x00\x00\x00", 10)) == "version 4.0; allowed are 1.0, 2.0 and 3.0");
  CHECK(fault(std::string("\x93NUMPY\x01\x00\x05", 9)) == "the file ends before its header length");
  CHECK(fault(std::string("\x93NUMPY\x01\x00\xFF\xFF", 10)) ==
        "header length 65535 reaches beyond the file, which has 10 bytes");
  CHECK(mentions(fault("\x93NUMPY\x02" + std::string("\0\xFF\xFF\xFF\xFF", 5)), "header length 4294967295"));

  const auto header = [](const std::string& text) { return fault(file_with(text)); };
  CHECK(header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }") ==
        "header: 'descr' is \"<f8\"; only '<f4' (float32, little endian) can be read: array.astype('<f4')");
  CHECK(mentions(header("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }"), "\">f4\""));
  CHECK(mentions(header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3), }"), "record type"));
  CHECK(mentions(header("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }"), "numpy.ascontiguousarray"));
  CHECK(mentions(header("{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3), }"), "'fortran_order' must be False"));
  CHECK(mentions(header("{'descr': '<f4', 'fortran_order': False, }"), "must all be given"));
  CHECK(mentions(header("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (6,)}"), "given twice"));
  CHECK(mentions(header("{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'x': 1}"), "unknown field \"x\""));
  std::string key(39, 'k');
  const std::string cut = "unknown field \"" + key + "\"";
  key += "八";  // its first byte is the 40th, the last that a message has room for
  CHECK(mentions(header("{'" + key + "': 1}"), cut));
  CHECK(mentions(header(header_of("(6,)") + "x"), "something follows"));
  CHECK(mentions(header("{'descr': '<f4"), "ends inside a quoted text"));
  CHECK(mentions(header("{'descr': '<\\x664', 'fortran_order': False, 'shape': (6,)}"), "escapes are not allowed"));
  CHECK(mentions(header("['descr']"), "expected '{'"));
  CHECK(mentions(header(""), "expected '{'"));
}

TEST_CASE("a shape that cannot be is refused", "[npy]") {
  const auto shape = [](const std::string& text) { return fault(file_with(header_of(text))); };
  CHECK(shape("()") == "header: 'shape' has 0 axes; allowed are 1 to 3");
  CHECK(shape("(1, 1, 2, 3)") == "header: 'shape' has more than 3 axes; allowed are 1 to 3");
  CHECK(shape("(1, 1, 2, x") == "header: 'shape' has more than 3 axes; allowed are 1 to 3");  // it stops there
  CHECK(mentions(shape("(6)"), "one axis is '(3,)'"));
  CHECK(mentions(shape("6"), "must be a tuple"));
  CHECK(mentions(shape("[2, 3]"), "must be a tuple"));
  CHECK(mentions(shape("(-2, 3)"), "whole numbers"));
  CHECK(mentions(shape("(2.0, 3)"), "expected ','"));
  CHECK(mentions(shape("(2L, 3L)"), "expected ','"));
  CHECK(mentions(shape("(, 3)"), "whole numbers"));
  CHECK(mentions(shape("(2,, 3)"), "whole numbers"));
  CHECK(mentions(shape("(2 3)"), "expected ','"));
  CHECK(mentions(shape("(18446744073709551616,)"), "above 2^64 - 1"));
  CHECK(mentions(shape("(4294967296, 4294967296)"), "more than 2^64 bytes"));
  CHECK(mentions(shape("(4611686018427387904, 4)"), "more than 2^64 bytes"));
  CHECK(shape("(2, 4)") == "the shape asks for 32 bytes of numbers, the file has 24 (is it cut off?)");
  CHECK(shape("(5,)") == "the shape asks for 20 bytes of numbers, the file has 24; none may be left over");
}

TEST_CASE("no prefix of an array is an array", "[npy]") {
  const std::string file = file_with(header_of("(2, 3)"));
  for (std::size_t size = 0; size < file.size(); ++size) {
    INFO(size);
    CHECK(fault(file.substr(0, size)) != "");
  }
  CHECK(fault(file + '\0') != "");
}

TEST_CASE("a damaged byte is a fault or another array, never a crash", "[npy]") {
  const std::string file = file_with(header_of("(2, 3)"));
  for (std::size_t place = 0; place < file.size() - 24; ++place) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = file;
      damaged[place] = static_cast<char>(value);
      const Result<Array> array = parse_npy(bytes_of(damaged));
      if (array.ok()) REQUIRE(array.value().values.size() == 6);
    }
  }
}

TEST_CASE("what does not fit its shape is not written", "[npy]") {
  const Folder folder;
  const std::vector<float> values(6);
  CHECK_FALSE(write_npy(folder.file("a"), Extents{}, values).ok());
  CHECK_FALSE(write_npy(folder.file("a"), Extents{1, 1, 2, 3}, values).ok());
  CHECK_FALSE(write_npy(folder.file("a"), Extents{5}, values).ok());
  CHECK(folder.count() == 0);
}

}  // namespace mha::test
