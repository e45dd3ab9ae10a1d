// Whole files in and out. A file is written completely or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/result.hpp"

namespace mha {

/// A layer of the largest shape this core accepts has 4·d·h·k floats, 512 MiB; four times that is more than enough, and
/// reading an endless pipe ends there.
inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 31;

/// The bytes of a file, a pipe or a device up to its end, links followed. An error ("cannot read: …"): a folder, more
/// than kMaxFileBytes, or what the system says. Throws std::bad_alloc only.
[[nodiscard]] Result<std::vector<std::byte>> read_file(const std::string& path);

/// Writes `parts` one after another under a temporary name beside `path`, flushes them to the disk and renames: `path`
/// holds either what it held before or everything. On failure the temporary file is removed.
/// A symbolic link is followed; devices, pipes, folders and write-protected files are refused.
[[nodiscard]] Result<Nothing> write_file(const std::string& path, std::span<const std::span<const std::byte>> parts);

/// True if both names lead to the same existing file.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

}  // namespace mha
