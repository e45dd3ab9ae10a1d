// A folder of a test's own, and bytes from text.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.hpp"

namespace mha::test {

/// Empty at first, gone with everything in it at the end.
class Folder {
 public:
  Folder() {
    std::random_device random;
    do {
      path_ = std::filesystem::temp_directory_path() / ("mha-test-" + std::to_string(random()));
    } while (!std::filesystem::create_directory(path_));
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] std::string file(std::string_view name) const { return (path_ / name).string(); }
  /// How many files, folders and links lie in it.
  [[nodiscard]] std::size_t count() const {
    const std::filesystem::directory_iterator files(path_);
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

 private:
  std::filesystem::path path_;
};

[[nodiscard]] inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

[[nodiscard]] inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline void write_text(const std::string& path, std::string_view text) {
  const std::span<const std::byte> part = bytes_of(text);
  REQUIRE(write_file(path, std::span(&part, 1)).ok());
}

[[nodiscard]] inline std::string read_text(const std::string& path) {
  const Result<std::vector<std::byte>> bytes = read_file(path);
  REQUIRE(bytes.ok());
  return text_of(bytes.value());
}

}  // namespace mha::test
