// The whole `mha` command as a function, so that tests can call it.
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

namespace mha::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kRefused = 1;  ///< a file's contents or a file itself
inline constexpr int kUsage = 2;    ///< the command line

/// `arguments` is argv without the program's name. Returns the exit code; a failure is one line on `err`. What was
/// asked for decides: a text that cannot be written to `out` is a failure, a line about a file that was written is not.
[[nodiscard]] int run(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err);

}  // namespace mha::cli
