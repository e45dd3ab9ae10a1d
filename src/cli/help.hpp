// The texts of --help.
#pragma once

#include <string_view>

namespace mha::cli {

[[nodiscard]] std::string_view help_text();
[[nodiscard]] std::string_view forward_help_text();

}  // namespace mha::cli
