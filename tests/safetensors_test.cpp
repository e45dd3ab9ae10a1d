#include "io/safetensors.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "folder.hpp"
#include "io/half.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

/// A file with this header and `data` zero bytes.
std::string file_with(const std::string& json, std::size_t data) {
  std::string file(8, '\0');
  const std::uint64_t length = json.size();
  std::memcpy(file.data(), &length, 8);
  return file + json + std::string(data, '\0');
}

Result<SafetensorsHeader> parse(const std::string& file) {
  return parse_safetensors_header(bytes_of(file), file.size());
}

std::string fault(const std::string& file) {
  const Result<SafetensorsHeader> header = parse(file);
  return header.ok() ? "" : header.error().message;
}

bool mentions(const std::string& message, const std::string& part) { return message.find(part) != std::string::npos; }

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets,
                  const std::string& dtype = "F32") {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

}  // namespace

TEST_CASE("tensors and metadata come back bit for bit", "[safetensors]") {
  const Folder folder;
  Random random(3);
  std::vector<float> a = random.numbers(6);
  a[0] = kNan, a[1] = -kInfinity, a[2] = -0.0F;
  const std::vector<float> b = random.numbers(1);
  const std::vector<TensorToWrite> tensors = {
      {"a", {2, 3}, a}, {"八 \"quoted\"\n", {}, b}, {"empty", {0, 4}, {}}, {"c", {1, 1, 1}, b}};
  const Metadata metadata = {{"key", "value"}, {"quote\"", "line\nbreak, 会"}};
  REQUIRE(write_safetensors(folder.file("f"), tensors, metadata).ok());

  const std::string file = read_text(folder.file("f"));
  const Result<SafetensorsHeader> header = parse(file);
  REQUIRE(header.ok());
  CHECK(header.value().metadata == metadata);
  CHECK(header.value().tensors.size() == tensors.size());
  CHECK((file.size() - 4 * 8) % 8 == 0);
  for (const TensorToWrite& tensor : tensors) {
    const TensorEntry* found = header.value().find(tensor.name);
    REQUIRE(found != nullptr);
    CHECK(found->shape == tensor.shape);
    const Result<std::vector<float>> values = read_floats(bytes_of(file), *found);
    REQUIRE(values.ok());
    CHECK(same_bits(values.value(), tensor.values));
  }
  CHECK(header.value().find("d") == nullptr);
}

TEST_CASE("the header is enough, the data may be elsewhere", "[safetensors]") {
  const std::string file = file_with("{" + entry("a", "[1000]", "[0,4000]") + "}", 4000);
  const Result<std::uint64_t> size = safetensors_header_size(bytes_of(file).first(8), file.size());
  REQUIRE(size.ok());
  const auto head = bytes_of(file).first(static_cast<std::size_t>(size.value()));
  const Result<SafetensorsHeader> header = parse_safetensors_header(head, file.size());
  REQUIRE(header.ok());
  CHECK(header.value().tensors[0].begin == size.value());
  CHECK(header.value().tensors[0].end == file.size());
  CHECK_FALSE(read_floats(head, header.value().tensors[0]).ok());
  CHECK(parse_safetensors_header(head.first(20), file.size()).error().message == "the header is cut off");
}

TEST_CASE("what the format allows is read", "[safetensors]") {
  CHECK(fault(file_with("{}", 0)) == "");
  CHECK(fault(file_with("{}     ", 0)) == "");
  CHECK(fault(file_with("{\"__metadata__\":{}}", 0)) == "");
  // Any order of tensors and fields, fields of later versions, escapes in names, types that are not read.
  CHECK(fault(file_with("{" + entry("b", "[1]", "[4,8]") + "," + entry("a", "[1]", "[0,4]") + "}", 8)) == "");
  CHECK(fault(file_with(R"({"a":{"data_offsets":[0,4],"new":[{}],"shape":[],"dtype":"F32"}})", 4)) == "");
  CHECK(fault(file_with("{" + entry("a", "[3]", "[0,6]", "BF16") + "," + entry("b", "[7]", "[6,10]", "F4") + "}",
                        10)) == "");
  CHECK(fault(file_with("{" + entry("a", "[0]", "[0,0]") + "," + entry("b", "[1]", "[0,4]") + "}", 4)) == "");
  const Result<SafetensorsHeader> header = parse(file_with("{" + entry(R"(w\u005fq)", "[1]", "[0,4]") + "}", 4));
  REQUIRE(header.ok());
  CHECK(header.value().find("w_q") != nullptr);
}

TEST_CASE("halves come back as the nearest numbers, in any order with floats", "[safetensors]") {
  Random random(5);
  const std::vector<float> numbers = random.numbers(7);
  const std::vector<TensorToWrite> tensors = {
      {"half", {7}, numbers, true}, {"float", {7, 1}, numbers}, {"again", {1, 7}, numbers, true}};
  const Result<std::vector<std::byte>> file =
      safetensors_bytes(tensors, {{"count", "12"}, {"no", "12 "}, {"less", "-1"}});
  REQUIRE(file.ok());
  const Result<SafetensorsHeader> header = parse_safetensors_header(file.value(), file.value().size());
  REQUIRE(header.ok());
  std::vector<float> rounded(numbers.size());
  std::ranges::transform(numbers, rounded.begin(), [](float number) { return from_half(to_half(number)); });
  CHECK(rounded != numbers);
  CHECK(read_floats(file.value(), *header.value().find("half")).value() == rounded);
  CHECK(read_floats(file.value(), *header.value().find("float")).value() == numbers);
  CHECK(read_floats(file.value(), *header.value().find("again")).value() == rounded);
  CHECK(whole_number(header.value().metadata, "count") == 12);
  for (const char* key : {"no", "less", "absent"}) CHECK(whole_number(header.value().metadata, key) == -1);
}

TEST_CASE("only F32 and F16 are read as floats", "[safetensors]") {
  const std::string file = file_with("{" + entry("w_q", "[2]", "[0,4]", "BF16") + "}", 4);
  const Result<SafetensorsHeader> header = parse(file);
  REQUIRE(header.ok());
  CHECK(read_floats(bytes_of(file), header.value().tensors[0]).error().message ==
        "tensor \"w_q\" has dtype \"BF16\"; only \"F32\" and \"F16\" can be read");
}

TEST_CASE("a malformed length says what is wrong", "[safetensors]") {
  const auto with_length = [](std::uint64_t length) {
    std::string file = file_with("{}", 0);
    std::memcpy(file.data(), &length, 8);
    return fault(file);
  };
  CHECK(mentions(fault(""), "not a .safetensors file"));
  CHECK(mentions(fault("1234567"), "has only 7"));
  CHECK(with_length(3) == "header length 3 reaches beyond the file, which has 10 bytes");
  CHECK(mentions(with_length(100'000'001), "above the limit of 100000000"));
  CHECK(mentions(with_length(~std::uint64_t{0}), "above the limit"));
  CHECK(with_length(0) == "header: must begin with '{'");
  CHECK(mentions(with_length(1), "header, byte 1"));
}

TEST_CASE("a long name is cut between characters in a message", "[safetensors]") {
  const auto missing = [](const std::string& name) { return fault(file_with("{\"" + name + "\":{}}", 0)); };
  const std::string beginning(79, 'x');
  CHECK(mentions(missing(beginning + "y"), "tensor \"" + beginning + "y\","));
  CHECK(mentions(missing(beginning + "八场会"), "tensor \"" + beginning + "\"…,"));
}

TEST_CASE("a malformed header names the tensor, the field and the fault", "[safetensors]") {
  const auto header = [](const std::string& json) { return fault(file_with(json, 4)); };
  const std::string good = entry("a", "[1]", "[0,4]");
  REQUIRE(header("{" + good + "}") == "");
  CHECK(mentions(header("[]"), "must begin with '{'"));
  CHECK(mentions(header(" {" + good + "}"), "must begin with '{'"));
  CHECK(mentions(header("{" + good + "} x"), "something follows"));
  CHECK(mentions(header("{" + good), "expected ',' or '}'"));
  CHECK(mentions(header("{" + good + "," + good + "}"), "tensor \"a\" is given twice"));
  CHECK(mentions(header("{" + good + "," + entry(R"(\u0061)", "[0]", "[4,4]") + "}"), "tensor \"a\" is given twice"));
  CHECK(mentions(header("{\"a\":1}"), "tensor \"a\", byte 5: expected an object"));
  CHECK(mentions(header(R"({"a":{"shape":[1],"data_offsets":[0,4]}})"), "field \"dtype\" is missing"));
  CHECK(mentions(header(R"({"a":{"dtype":"F32","data_offsets":[0,4]}})"), "field \"shape\" is missing"));
  CHECK(mentions(header(R"({"a":{"dtype":"F32","shape":[1]}})"), "field \"data_offsets\" is missing"));
  CHECK(mentions(header(R"({"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}})"),
                 "field \"dtype\" is given twice"));
  CHECK(mentions(header(R"({"a":{"dtype":32,"shape":[1],"data_offsets":[0,4]}})"), "expected a string"));
  CHECK(mentions(header("{" + entry("a", "1", "[0,4]") + "}"), "expected an array"));
  CHECK(mentions(header("{" + entry("a", "[-1]", "[0,4]") + "}"), "expected a whole number"));
  CHECK(mentions(header("{" + entry("a", "[1.0]", "[0,4]") + "}"), "expected a whole number"));
  CHECK(mentions(header("{" + entry("a", "[1]", "[0]") + "}"), "field \"data_offsets\" must be [begin, end]"));
  CHECK(mentions(header("{" + entry("a", "[1]", "[0,4,8]") + "}"), "field \"data_offsets\" must be [begin, end]"));
  CHECK(mentions(header("{" + entry("a\\n" + std::string(500, 'x'), "[2]", "[0,4]") + "}"), "tensor \"a\\u000axxx"));
}

TEST_CASE("malformed metadata is refused", "[safetensors]") {
  const auto metadata = [](const std::string& json) { return fault(file_with("{\"__metadata__\":" + json + "}", 0)); };
  CHECK(metadata(R"({"a":"b"})") == "");
  CHECK(mentions(metadata(R"({"a":1})"), "\"__metadata__\" (text values only)"));
  CHECK(mentions(metadata("[]"), "\"__metadata__\""));
  CHECK(mentions(metadata(R"({"a":"b","a":"c"})"), "a key is given twice"));
  CHECK(mentions(metadata(R"({},"__metadata__":{})"), "given twice"));
}

TEST_CASE("sizes and offsets must agree with each other and with the file", "[safetensors]") {
  const auto one = [](const std::string& shape, const std::string& offsets, std::size_t data) {
    return fault(file_with("{" + entry("a", shape, offsets) + "}", data));
  };
  CHECK(one("[2]", "[0,4]", 4) == "tensor \"a\", data_offsets hold 4 bytes, but shape [2] of F32 needs 8");
  CHECK(mentions(one("[]", "[0,0]", 0), "shape [] of F32 needs 4"));
  CHECK(mentions(one("[1]", "[4,0]", 4), "data_offsets [4, 0] end before they begin"));
  CHECK(mentions(one("[2]", "[0,8]", 4), "lie outside the file: its data has 4 bytes (is the file cut off?)"));
  CHECK(mentions(one("[1]", "[4,8]", 8), "leave a hole"));
  CHECK(one("[1]", "[0,4]", 5) == "1 bytes follow after the last tensor's data; none are allowed");
  CHECK(mentions(one("[1]", "[18446744073709551612,18446744073709551615]", 4), "lie outside the file"));
  CHECK(mentions(one("[18446744073709551616]", "[0,4]", 4), "a number above 2^64 - 1"));
  CHECK(mentions(one("[4294967296,4294967296,2]", "[0,0]", 0), "more than 2^64 bytes"));
  CHECK(mentions(one("[4611686018427387905]", "[0,4]", 4), "more than 2^64 bytes"));
  const auto two = [](const std::string& first, const std::string& second, std::size_t data) {
    return fault(file_with("{" + entry("a", "[2]", first) + "," + entry("b", "[2]", second) + "}", data));
  };
  CHECK(mentions(two("[0,8]", "[4,12]", 12), "tensor \"b\", data_offsets [4, 12] overlap the tensor before"));
  CHECK(mentions(two("[0,8]", "[0,8]", 8), "overlap the tensor before"));
  CHECK(mentions(two("[0,8]", "[12,20]", 20), "leave a hole: the tensor before ends at 8"));
}

TEST_CASE("no prefix of a file is a file", "[safetensors]") {
  const std::string file = file_with("{" + entry("a", "[2]", "[0,8]") + "}", 8);
  for (std::size_t size = 0; size < file.size(); ++size) {
    INFO(size);
    CHECK(fault(file.substr(0, size)) != "");
  }
}

TEST_CASE("a damaged byte is a fault or another file, never a crash", "[safetensors]") {
  const std::string file = file_with("{" + entry("a", "[1,2]", "[0,8]") + ",\"__metadata__\":{\"k\":\"v\"}}", 8);
  for (std::size_t place = 0; place < file.size() - 8; ++place) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = file;
      damaged[place] = static_cast<char>(value);
      const Result<SafetensorsHeader> header = parse(damaged);
      if (!header.ok()) continue;
      for (const TensorEntry& tensor : header.value().tensors) REQUIRE(tensor.end <= damaged.size());
    }
  }
}

TEST_CASE("what the format does not allow is not written", "[safetensors]") {
  const Folder folder;
  const std::vector<float> values(2);
  const auto write = [&](const std::vector<TensorToWrite>& tensors) {
    const Result<Nothing> written = write_safetensors(folder.file("f"), tensors, {});
    return written.ok() ? "" : written.error().message;
  };
  CHECK(mentions(write({{"a", {3}, values}}), "needs 12"));
  CHECK(mentions(write({{"a", {2}, values}, {"a", {2}, values}}), "given twice"));
  CHECK(mentions(write({{"__metadata__", {2}, values}}), "reserved"));
  CHECK(folder.count() == 0);
}

}  // namespace mha::test
