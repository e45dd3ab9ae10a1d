#include "io/safetensors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <tuple>

#include "io/file.hpp"
#include "io/half.hpp"
#include "io/json.hpp"
#include "mha/small_sort.hpp"
#include "mha/utf8.hpp"

namespace mha {
namespace {

static_assert(std::endian::native == std::endian::little, "the file's floats are copied as they are");

constexpr std::size_t kLengthBytes = 8;
constexpr std::string_view kMetadataKey = "__metadata__";

struct Dtype {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array<Dtype, 17> kDtypes = {{{"BOOL", 1},
                                            {"U8", 1},
                                            {"I8", 1},
                                            {"F8_E5M2", 1},
                                            {"F8_E4M3", 1},
                                            {"F8_E8M0", 1},
                                            {"I16", 2},
                                            {"U16", 2},
                                            {"F16", 2},
                                            {"BF16", 2},
                                            {"I32", 4},
                                            {"U32", 4},
                                            {"F32", 4},
                                            {"F64", 8},
                                            {"I64", 8},
                                            {"U64", 8},
                                            {"C64", 8}}};

/// Names come from the file: in messages they are quoted and kept short.
std::string named(std::string_view name) {
  constexpr std::size_t kLongest = 80;
  return "tensor " + (name.size() <= kLongest ? json_quote(name) : json_quote(utf8_beginning(name, kLongest)) + "…");
}

/// a·b, false on overflow.
bool multiply(std::uint64_t a, std::uint64_t b, std::uint64_t& product) {
  if (b != 0 && a > std::numeric_limits<std::uint64_t>::max() / b) return false;
  product = a * b;
  return true;
}

/// Reads [a, b, …] of whole numbers. No tensor has more axes than PyTorch allows.
bool read_numbers(JsonReader& reader, std::vector<std::uint64_t>& numbers) {
  constexpr std::size_t kMaxAxes = 64;
  numbers.clear();
  for (reader.begin_array(); reader.next_item();) {
    std::uint64_t number = 0;
    if (numbers.size() == kMaxAxes) return reader.fail("more than 64 numbers in a list");
    if (reader.unsigned_integer(number)) numbers.push_back(number);
  }
  return !reader.failed();
}

/// Marks a field as seen. A second one is a fault: two readers could disagree about which one counts.
bool once(JsonReader& reader, bool& seen, std::string_view field) {
  if (seen) return reader.fail("field \"" + std::string(field) + "\" is given twice");
  seen = true;
  return true;
}

/// One tensor's object. Offsets still count from the start of the data. Unknown fields are for later versions: skipped.
bool read_entry(JsonReader& reader, TensorEntry& entry) {
  bool dtype = false;
  bool shape = false;
  bool offsets = false;
  std::vector<std::uint64_t> range;
  std::string key;
  for (reader.begin_object(); reader.next_key(key);) {
    if (key == "dtype") {
      if (once(reader, dtype, key)) reader.string(entry.dtype);
    } else if (key == "shape") {
      if (once(reader, shape, key)) read_numbers(reader, entry.shape);
    } else if (key == "data_offsets") {
      if (once(reader, offsets, key) && read_numbers(reader, range) && range.size() != 2) {
        reader.fail("field \"data_offsets\" must be [begin, end]");
      }
    } else {
      reader.skip_value();
    }
  }
  if (reader.failed()) return false;
  if (!dtype) return reader.fail("field \"dtype\" is missing");
  if (!shape) return reader.fail("field \"shape\" is missing");
  if (!offsets) return reader.fail("field \"data_offsets\" is missing");
  entry.begin = range[0];
  entry.end = range[1];
  return true;
}

bool read_metadata(JsonReader& reader, Metadata& metadata) {
  std::string key;
  for (reader.begin_object(); reader.next_key(key);) {
    std::string text;
    if (!reader.string(text)) break;
    if (!metadata.emplace(key, std::move(text)).second) return reader.fail("a key is given twice");
  }
  return !reader.failed();
}

Result<SafetensorsHeader> read_header(std::string_view json) {
  // The format asks for '{' as the very first byte, so that a text file is not taken for one.
  if (!json.starts_with('{')) return Error{"header: must begin with '{'"};
  SafetensorsHeader header;
  JsonReader reader(json);
  bool metadata = false;
  std::string key;
  for (reader.begin_object(); reader.next_key(key);) {
    if (key == kMetadataKey) {
      if (!once(reader, metadata, key) || !read_metadata(reader, header.metadata)) {
        return Error{"header, \"__metadata__\" (text values only), " + reader.error()};
      }
      continue;
    }
    TensorEntry& entry = header.tensors.emplace_back();
    entry.name = key;
    if (!read_entry(reader, entry)) return Error{"header, " + named(key) + ", " + reader.error()};
  }
  if (!reader.end()) return Error{"header, " + reader.error()};
  return header;
}

Result<Nothing> check_names(const std::vector<TensorEntry>& tensors) {
  std::vector<std::string_view> names(tensors.size());
  std::ranges::transform(tensors, names.begin(), [](const TensorEntry& entry) { return std::string_view(entry.name); });
  small_sort(std::span(names));
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) return Error{"header, " + named(*twice) + " is given twice"};
  return Nothing{};
}

/// Shape × dtype against the byte range.
Result<Nothing> check_size(const TensorEntry& entry) {
  const auto dtype = std::ranges::find(kDtypes, std::string_view(entry.dtype), &Dtype::name);
  if (dtype == kDtypes.end()) return Nothing{};
  std::uint64_t bytes = dtype->bytes;
  for (const std::uint64_t extent : entry.shape) {
    if (!multiply(bytes, extent, bytes)) {
      return Error{named(entry.name) + ", shape " + shape_text(entry.shape) + " has more than 2^64 bytes"};
    }
  }
  if (entry.end - entry.begin == bytes) return Nothing{};
  return Error{named(entry.name) + ", data_offsets hold " + std::to_string(entry.end - entry.begin) +
               " bytes, but shape " + shape_text(entry.shape) + " of " + entry.dtype + " needs " +
               std::to_string(bytes)};
}

/// Sorts by place and checks that the ranges tile the data exactly.
Result<Nothing> check_offsets(std::vector<TensorEntry>& tensors, std::uint64_t data_size) {
  small_sort(std::span(tensors), [](const TensorEntry& a, const TensorEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  std::uint64_t cursor = 0;
  for (const TensorEntry& entry : tensors) {
    const std::string offsets =
        named(entry.name) + ", data_offsets [" + std::to_string(entry.begin) + ", " + std::to_string(entry.end) + "]";
    if (entry.begin > entry.end) return Error{offsets + " end before they begin"};
    if (entry.end > data_size) {
      return Error{offsets + " lie outside the file: its data has " + std::to_string(data_size) +
                   " bytes (is the file cut off?)"};
    }
    if (entry.begin < cursor) return Error{offsets + " overlap the tensor before"};
    if (entry.begin > cursor) {
      return Error{offsets + " leave a hole: the tensor before ends at " + std::to_string(cursor)};
    }
    if (Result<Nothing> size = check_size(entry); !size.ok()) return size;
    cursor = entry.end;
  }
  if (cursor == data_size) return Nothing{};
  return Error{std::to_string(data_size - cursor) + " bytes follow after the last tensor's data; none are allowed"};
}

template <class Stored, class Convert>
std::vector<float> numbers_of(std::span<const std::byte> bytes, Convert convert) {
  std::vector<float> numbers(bytes.size() / sizeof(Stored));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    numbers[i] = convert(stored);
  }
  return numbers;
}

/// Header and data, which lie where they are unless they are to be rounded.
struct Pieces {
  std::vector<std::span<const std::byte>> all;
  std::vector<std::vector<std::uint16_t>> halves;

  Pieces(const std::string& header, std::span<const TensorToWrite> tensors) {
    all.push_back(std::as_bytes(std::span(header)));
    for (const TensorToWrite& tensor : tensors) {
      if (tensor.half) {
        std::vector<std::uint16_t>& rounded = halves.emplace_back(tensor.values.size());
        std::ranges::transform(tensor.values, rounded.begin(), to_half);
        all.push_back(std::as_bytes(std::span(rounded)));
      } else {
        all.push_back(std::as_bytes(tensor.values));
      }
    }
  }
};

}  // namespace

std::string shape_text(std::span<const std::uint64_t> shape) {
  std::string text = "[";
  for (const std::uint64_t extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text += "]";
}

const TensorEntry* SafetensorsHeader::find(std::string_view name) const {
  const auto place = std::ranges::find(tensors, name, &TensorEntry::name);
  return place == tensors.end() ? nullptr : &*place;
}

Result<std::uint64_t> safetensors_header_size(std::span<const std::byte> head, std::uint64_t file_size) {
  if (file_size < kLengthBytes || head.size() < kLengthBytes) {
    return Error{"not a .safetensors file: it must begin with the header length in 8 bytes, but has only " +
                 std::to_string(std::min<std::uint64_t>(file_size, head.size()))};
  }
  std::uint64_t length = 0;
  std::memcpy(&length, head.data(), kLengthBytes);
  if (length > kMaxHeaderBytes) {
    return Error{"header length " + std::to_string(length) + " is above the limit of " +
                 std::to_string(kMaxHeaderBytes) + " (is this a .safetensors file?)"};
  }
  if (length > file_size - kLengthBytes) {
    return Error{"header length " + std::to_string(length) + " reaches beyond the file, which has " +
                 std::to_string(file_size) + " bytes"};
  }
  return kLengthBytes + length;
}

Result<SafetensorsHeader> parse_safetensors_header(std::span<const std::byte> head, std::uint64_t file_size) {
  const Result<std::uint64_t> size = safetensors_header_size(head, file_size);
  if (!size.ok()) return size.error();
  if (size.value() > head.size()) return Error{"the header is cut off"};

  const std::span<const std::byte> json = head.first(static_cast<std::size_t>(size.value())).subspan(kLengthBytes);
  Result<SafetensorsHeader> header = read_header({reinterpret_cast<const char*>(json.data()), json.size()});
  if (!header.ok()) return header;
  if (const Result<Nothing> names = check_names(header.value().tensors); !names.ok()) return names.error();
  const Result<Nothing> offsets = check_offsets(header.value().tensors, file_size - size.value());
  if (!offsets.ok()) return offsets.error();
  for (TensorEntry& entry : header.value().tensors) {
    entry.begin += size.value();
    entry.end += size.value();
  }
  return header;
}

Result<std::vector<float>> read_floats(std::span<const std::byte> file, const TensorEntry& entry) {
  const bool half = entry.dtype == "F16";
  if (!half && entry.dtype != "F32") {
    return Error{named(entry.name) + " has dtype " + json_quote(entry.dtype) +
                 "; only \"F32\" and \"F16\" can be read"};
  }
  if (entry.end > file.size()) return Error{named(entry.name) + " lies beyond the bytes given"};
  const auto bytes =
      file.subspan(static_cast<std::size_t>(entry.begin), static_cast<std::size_t>(entry.end - entry.begin));
  return half ? numbers_of<std::uint16_t>(bytes, from_half)
              : numbers_of<float>(bytes, [](float value) { return value; });
}

std::int32_t whole_number(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return -1;
  const std::string& text = found->second;
  std::int32_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0 ? number : -1;
}

Result<std::string> safetensors_header(std::span<const TensorToWrite> tensors, const Metadata& metadata) {
  std::string json = "{";
  const auto separate = [&json] { json += json.size() > 1 ? "," : ""; };
  if (!metadata.empty()) {
    json += "\"__metadata__\":{";
    for (bool first = true; const auto& [key, text] : metadata) {
      json += (first ? "" : ",") + json_quote(key) + ":" + json_quote(text);
      first = false;
    }
    json += "}";
  }
  std::uint64_t offset = 0;
  std::vector<TensorEntry> entries;
  for (const TensorToWrite& tensor : tensors) {
    const std::string dtype = tensor.half ? "F16" : "F32";
    const std::uint64_t end = offset + tensor.values.size() * (tensor.half ? 2 : 4);
    const TensorEntry& entry = entries.emplace_back(TensorEntry{tensor.name, dtype, tensor.shape, offset, end});
    if (tensor.name == kMetadataKey) return Error{named(tensor.name) + ": this name is reserved"};
    if (const Result<Nothing> size = check_size(entry); !size.ok()) return size.error();
    separate();
    json += json_quote(tensor.name) + R"(:{"dtype":")" + dtype + R"(","shape":)" + shape_text(tensor.shape) +
            ",\"data_offsets\":[" + std::to_string(offset) + "," + std::to_string(end) + "]}";
    offset = end;
  }
  if (const Result<Nothing> names = check_names(entries); !names.ok()) return names.error();
  json += "}";
  json.append((8 - json.size() % 8) % 8, ' ');
  if (json.size() > kMaxHeaderBytes) return Error{"the header would be longer than the format allows"};

  const std::uint64_t length = json.size();
  std::string header(kLengthBytes, '\0');
  std::memcpy(header.data(), &length, kLengthBytes);
  return header + json;
}

Result<std::vector<std::byte>> safetensors_bytes(std::span<const TensorToWrite> tensors, const Metadata& metadata) {
  const Result<std::string> header = safetensors_header(tensors, metadata);
  if (!header.ok()) return header.error();
  const Pieces pieces(header.value(), tensors);
  std::vector<std::byte> file;
  for (const std::span<const std::byte> piece : pieces.all) file.insert(file.end(), piece.begin(), piece.end());
  return file;
}

Result<Nothing> write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors,
                                  const Metadata& metadata) {
  const Result<std::string> header = safetensors_header(tensors, metadata);
  if (!header.ok()) return header.error();
  return write_file(path, Pieces(header.value(), tensors).all);
}

}  // namespace mha
