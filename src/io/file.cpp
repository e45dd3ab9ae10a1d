#include "io/file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace mha {
namespace {

namespace fs = std::filesystem;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

Error system_error(std::string_view what, int code) {
  return {std::string(what) + ": " + std::generic_category().message(code)};
}

/// Where the bytes shall really go: through links, and only to a regular file that may be written.
Result<fs::path> resolve_target(const std::string& path) {
  if (path.empty()) return Error{"cannot write: the file name is empty"};
  std::error_code code;
  fs::path target = path;
  if (fs::is_symlink(target, code)) {
    target = fs::weakly_canonical(target, code);
    if (code || fs::is_symlink(target, code)) return Error{"cannot write: a symbolic link that leads nowhere"};
  }
  const fs::file_status status = fs::status(target, code);
  if (!fs::exists(status)) return target;
  if (!fs::is_regular_file(status)) return Error{"cannot write: it exists and is not a regular file"};
  // A rename would replace a write-protected file without asking: opening it for writing asks, and changes nothing.
  if (File probe(std::fopen(target.string().c_str(), "r+b")); probe == nullptr) {
    return system_error("cannot write", errno);
  }
  return target;
}

/// A new, empty file that nobody had before ("x"), next to the target so that rename() stays within one file system.
File create_beside(const fs::path& target, fs::path& name) {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    name = target;
    name += ".part" + std::to_string(attempt);
    if (File file(std::fopen(name.string().c_str(), "wbx")); file != nullptr || errno != EEXIST) return file;
  }
  return nullptr;
}

bool flush_to_disk(std::FILE* file) {
  if (std::fflush(file) != 0) return false;
#if __has_include(<unistd.h>)
  if (::fsync(::fileno(file)) != 0 && errno != EINVAL) return false;
#endif
  return true;
}

/// 0, or the errno of the first step that failed.
int write_parts(File file, std::span<const std::span<const std::byte>> parts) {
  errno = 0;
  for (const std::span<const std::byte> part : parts) {
    if (part.empty()) continue;  // it may have no address, and fwrite wants one
    if (std::fwrite(part.data(), 1, part.size(), file.get()) != part.size()) return errno != 0 ? errno : EIO;
  }
  if (!flush_to_disk(file.get())) return errno != 0 ? errno : EIO;
  if (std::fclose(file.release()) != 0) return errno != 0 ? errno : EIO;
  return 0;
}

}  // namespace

Result<std::vector<std::byte>> read_file(const std::string& path) {
  std::error_code code;
  if (fs::is_directory(path, code)) return Error{"cannot read: it is a folder"};
  const File file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return system_error("cannot read", errno);

  // The size is a hint only: pipes have none, and a file may grow while it is read.
  const std::uintmax_t size = fs::is_regular_file(path, code) ? fs::file_size(path, code) : 0;
  if (!code && size > kMaxFileBytes) return Error{"cannot read: larger than 2 GiB"};
  std::vector<std::byte> bytes(code ? 0 : static_cast<std::size_t>(size) + 1);
  std::size_t filled = 0;
  while (true) {
    if (filled == bytes.size()) bytes.resize(filled + filled / 2 + 65536);
    const std::size_t count = std::fread(bytes.data() + filled, 1, bytes.size() - filled, file.get());
    filled += count;
    if (filled > kMaxFileBytes) return Error{"cannot read: larger than 2 GiB"};
    if (count == 0) break;
  }
  if (std::ferror(file.get()) != 0) return system_error("cannot read", errno);
  bytes.resize(filled);
  return bytes;
}

Result<Nothing> write_file(const std::string& path, std::span<const std::span<const std::byte>> parts) {
  const Result<fs::path> target = resolve_target(path);
  if (!target.ok()) return target.error();

  fs::path temporary;
  File file = create_beside(target.value(), temporary);
  if (file == nullptr) return system_error("cannot write", errno);

  std::error_code code;
  const fs::file_status before = fs::status(target.value(), code);
  if (const int fault = write_parts(std::move(file), parts); fault != 0) {
    fs::remove(temporary, code);
    return system_error("cannot write", fault);
  }
  // Its permissions survive a file's replacement.
  if (fs::exists(before)) fs::permissions(temporary, before.permissions(), code);
  std::error_code renamed;
  fs::rename(temporary, target.value(), renamed);
  if (renamed) {
    fs::remove(temporary, code);
    return Error{"cannot write: " + renamed.message()};
  }
  return Nothing{};
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code code;
  return fs::equivalent(a, b, code);
}

}  // namespace mha
