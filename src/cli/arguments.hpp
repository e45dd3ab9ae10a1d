// The command line of `mha`, as data. Nothing here touches a file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/result.hpp"
#include "mha/attention.hpp"

namespace mha::cli {

/// What `mha forward` was asked to do.
struct ForwardArguments {
  std::string weights;
  std::string input;
  std::string context;  ///< empty: self-attention
  std::string mask;     ///< empty: none
  std::string out;
  std::int32_t heads = 0;
  std::int32_t kv_heads = 0;  ///< as many as heads, if not given
  bool causal = false;
  std::int32_t padding = 0;
  Options::Scale scale = Options::Scale::inverse_sqrt;
  float scale_value = 1.0F;

  /// Without gates, which this command has not.
  [[nodiscard]] Options options() const {
    return {.scale = scale, .scale_value = scale_value, .causal = causal, .padding = padding, .head_gate = {}};
  }
};

/// show_help: everything, forward's part included.
enum class Action { show_help, show_forward_help, show_version, forward };

struct Command {
  Action action = Action::show_help;
  ForwardArguments forward;  ///< only for Action::forward
};

/// `arguments` is argv without the program's name. An option's value may follow it or stand behind '='.
[[nodiscard]] Result<Command> parse_command(std::span<const std::string_view> arguments);

}  // namespace mha::cli
