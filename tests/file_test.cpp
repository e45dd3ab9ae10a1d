#include "io/file.hpp"

#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <system_error>

#include "folder.hpp"

namespace mha::test {
namespace {

namespace fs = std::filesystem;

std::string error_of_writing(const std::string& path) {
  const std::span<const std::byte> part = bytes_of("new");
  const Result<Nothing> written = write_file(path, std::span(&part, 1));
  return written.ok() ? "" : written.error().message;
}

}  // namespace

TEST_CASE("a file comes back as it was written, whatever its size", "[file]") {
  const Folder folder;
  for (const std::size_t size : {0U, 1U, 4095U, 65536U, 200001U}) {
    std::string text(size, 'x');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 % 256);
    write_text(folder.file("f"), text);
    CHECK(read_text(folder.file("f")) == text);
    CHECK(folder.count() == 1);
  }
}

TEST_CASE("parts are written one after another", "[file]") {
  const Folder folder;
  const std::vector<std::span<const std::byte>> parts = {bytes_of("one "), bytes_of(""), bytes_of("two")};
  REQUIRE(write_file(folder.file("f"), parts).ok());
  CHECK(read_text(folder.file("f")) == "one two");
}

TEST_CASE("a missing file and a folder cannot be read", "[file]") {
  const Folder folder;
  CHECK(read_file(folder.file("none")).error().message.starts_with("cannot read: "));
  CHECK(read_file(folder.path()).error().message == "cannot read: it is a folder");
}

TEST_CASE("a file larger than the limit is refused before it is read", "[file]") {
  const Folder folder;
  write_text(folder.file("f"), "a beginning");
  std::error_code code;
  fs::resize_file(folder.file("f"), kMaxFileBytes + 1, code);  // sparse: it takes no room
  if (code) SKIP("no sparse files here: " + code.message());
  CHECK(read_file(folder.file("f")).error().message == "cannot read: larger than 2 GiB");
}

#if !defined(__wasm__)
TEST_CASE("a pipe is read to its end, though it has no size", "[file]") {
  std::array<int, 2> ends = {};
  REQUIRE(pipe(ends.data()) == 0);
  const std::string text(10000, 'x');  // fits into any pipe, so nobody has to read meanwhile
  REQUIRE(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  close(ends[1]);
  CHECK(read_text("/dev/fd/" + std::to_string(ends[0])) == text);
  close(ends[0]);
}
#endif

TEST_CASE("where nothing can be written, nothing is left", "[file]") {
  const Folder folder;
  CHECK(error_of_writing("") == "cannot write: the file name is empty");
  CHECK(error_of_writing(folder.file("no/such/folder")).starts_with("cannot write: "));
  fs::create_directory(folder.file("sub"));
  CHECK(error_of_writing(folder.file("sub")) == "cannot write: it exists and is not a regular file");
  CHECK(error_of_writing("/dev/null") == "cannot write: it exists and is not a regular file");
  CHECK(folder.count() == 1);
}

TEST_CASE("a new file takes the old one's place and permissions", "[file]") {
  const Folder folder;
  write_text(folder.file("f"), "a longer old text");
  const fs::perms owner_only = fs::perms::owner_read | fs::perms::owner_write;
  fs::permissions(folder.file("f"), owner_only);
  write_text(folder.file("f"), "new");
  CHECK(read_text(folder.file("f")) == "new");
  CHECK(fs::status(folder.file("f")).permissions() == owner_only);
}

TEST_CASE("a left-over temporary file is neither used nor removed", "[file]") {
  const Folder folder;
  write_text(folder.file("f.part0"), "another program's");
  write_text(folder.file("f"), "new");
  CHECK(read_text(folder.file("f")) == "new");
  CHECK(read_text(folder.file("f.part0")) == "another program's");
  CHECK(folder.count() == 2);
}

TEST_CASE("links are followed", "[file]") {
  const Folder folder;
  write_text(folder.file("f"), "old");
  fs::create_symlink(folder.file("f"), folder.file("link"));
  fs::create_symlink(folder.file("none"), folder.file("broken"));
  write_text(folder.file("link"), "new");
  CHECK(fs::is_symlink(folder.file("link")));
  CHECK(read_text(folder.file("f")) == "new");
  CHECK(error_of_writing(folder.file("broken")) == "cannot write: a symbolic link that leads nowhere");
  CHECK(same_file(folder.file("f"), folder.file("link")));
  CHECK_FALSE(same_file(folder.file("f"), folder.file("none")));
}

}  // namespace mha::test
