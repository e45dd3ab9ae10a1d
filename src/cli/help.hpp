// The texts of --help.
#pragma once

#include <string_view>

namespace mha::cli {

/// What `mha` is and can do; `mha --help` prints forward's text behind it.
[[nodiscard]] std::string_view help_text();
[[nodiscard]] std::string_view forward_help_text();

}  // namespace mha::cli
