#include "cli/arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "io/json.hpp"
#include "mha/shape.hpp"

namespace mha::cli {
namespace {

/// Takes a value into the arguments; false: it is none of `allowed`.
using Setter = bool (*)(std::string_view value, ForwardArguments& arguments);

struct Option {
  std::string_view name;
  std::string_view allowed;  ///< what a value may be, for messages; empty: a switch without a value
  bool required;
  Setter set;
};

bool whole_number(std::string_view text, std::int32_t low, std::int32_t high, std::int32_t& number) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() && end == text.data() + text.size() && number >= low && number <= high;
}

/// Decimal, finite as a float. (from_chars for floating point is missing in some standard libraries; strtod also takes
/// hexadecimal, "inf" and leading blanks, hence the look at the characters first.)
bool decimal(std::string_view text, float& number) {
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return false;
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  number = static_cast<float>(value);
  return end == copy.c_str() + copy.size() && std::isfinite(number);
}

template <std::string ForwardArguments::* field>
bool set_path(std::string_view value, ForwardArguments& arguments) {
  arguments.*field = value;
  return !value.empty();
}

bool set_heads(std::string_view value, ForwardArguments& arguments) {
  return whole_number(value, 1, kMaxHeads, arguments.heads);
}

bool set_kv_heads(std::string_view value, ForwardArguments& arguments) {
  return whole_number(value, 1, kMaxHeads, arguments.kv_heads);
}

bool set_padding(std::string_view value, ForwardArguments& arguments) {
  return whole_number(value, 0, kMaxTokens, arguments.padding);
}

bool set_causal(std::string_view, ForwardArguments& arguments) { return arguments.causal = true; }

bool set_scale(std::string_view value, ForwardArguments& arguments) {
  arguments.scale = value == "none" ? Options::Scale::off : Options::Scale::given;
  return value == "none" || decimal(value, arguments.scale_value);
}

constexpr std::array<Option, 10> kOptions = {{
    {"--weights", "a file name", true, set_path<&ForwardArguments::weights>},
    {"--input", "a file name", true, set_path<&ForwardArguments::input>},
    {"--context", "a file name", false, set_path<&ForwardArguments::context>},
    {"--heads", "a whole number from 1 to 4096", true, set_heads},
    {"--kv-heads", "a whole number from 1 to 4096", false, set_kv_heads},
    {"--causal", "", false, set_causal},
    {"--mask", "a file name", false, set_path<&ForwardArguments::mask>},
    {"--padding", "a whole number from 0 to 512", false, set_padding},
    {"--scale", "a finite decimal number or 'none'", false, set_scale},
    {"--out", "a file name", true, set_path<&ForwardArguments::out>},
}};
static_assert(kMaxHeads == 4096 && kMaxTokens == 512, "kOptions says these numbers");

bool asks_for_help(std::string_view argument) { return argument == "--help" || argument == "-h"; }

/// Text from the command line in a message: one line, whatever was typed.
std::string quoted(std::string_view text) { return json_quote(text); }

Error usage(std::string what) { return {std::move(what) + " (see: mha forward --help)"}; }

std::string required_names() {
  std::string names;
  for (const Option& option : kOptions) {
    if (option.required) names.append(names.empty() ? "" : " ").append(option.name);
  }
  return names;
}

class ForwardParser {
 public:
  explicit ForwardParser(std::span<const std::string_view> arguments) : rest_(arguments) {}

  [[nodiscard]] Result<Command> parse() {
    while (!rest_.empty()) {
      const Result<Nothing> taken = take_option();
      if (!taken.ok()) return taken.error();
    }
    for (std::size_t i = 0; i < kOptions.size(); ++i) {
      if (kOptions[i].required && !seen_[i]) {
        return usage(std::string(kOptions[i].name) + " is missing; required are " + required_names());
      }
    }
    if (parsed_.kv_heads == 0) parsed_.kv_heads = parsed_.heads;
    if (parsed_.heads % parsed_.kv_heads != 0) {
      return usage("--kv-heads " + std::to_string(parsed_.kv_heads) + " must divide --heads " +
                   std::to_string(parsed_.heads));
    }
    return Command{Action::forward, parsed_};
  }

 private:
  Result<Nothing> take_option() {
    const std::string_view argument = rest_.front();
    rest_ = rest_.subspan(1);
    const std::size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    if (!name.starts_with("--")) return usage("unexpected " + quoted(argument) + ": every value follows its option");
    const auto option = std::ranges::find(kOptions, name, &Option::name);
    if (option == kOptions.end()) return usage("unknown option " + quoted(name));

    bool& seen = seen_[static_cast<std::size_t>(option - kOptions.begin())];
    if (seen) return usage(std::string(name) + " is given twice");
    seen = true;
    std::optional<std::string_view> value;
    if (equals != std::string_view::npos) value = argument.substr(equals + 1);
    return option->allowed.empty() ? take_switch(*option, value) : take_value(*option, value);
  }

  Result<Nothing> take_switch(const Option& option, std::optional<std::string_view> value) {
    if (value) return usage(std::string(option.name) + " takes no value");
    option.set({}, parsed_);
    return Nothing{};
  }

  Result<Nothing> take_value(const Option& option, std::optional<std::string_view> value) {
    // What looks like an option is one: a file of such a name can be given behind '='.
    if (!value && !rest_.empty() && !rest_.front().starts_with("--")) {
      value = rest_.front();
      rest_ = rest_.subspan(1);
    }
    const std::string must = std::string(option.name) + " must be followed by " + std::string(option.allowed);
    if (!value) return usage(must);
    if (!option.set(*value, parsed_)) return usage(must + ", not " + quoted(*value));
    return Nothing{};
  }

  std::span<const std::string_view> rest_;
  std::array<bool, kOptions.size()> seen_ = {};
  ForwardArguments parsed_;
};

Command show(Action action) { return {action, {}}; }

}  // namespace

Result<Command> parse_command(std::span<const std::string_view> arguments) {
  if (arguments.empty()) return show(Action::show_help);
  const std::string_view first = arguments.front();
  const auto rest = arguments.subspan(1);
  if (first == "forward") {
    if (std::ranges::any_of(rest, asks_for_help)) return show(Action::show_forward_help);
    return ForwardParser(rest).parse();
  }
  if (first == "help" && rest.size() == 1 && rest.front() == "forward") return show(Action::show_forward_help);
  const bool help = first == "help" || asks_for_help(first);
  if (!help && first != "--version") {
    return Error{"unknown command " + quoted(first) + "; allowed are forward, help and --version (see: mha --help)"};
  }
  if (!rest.empty()) return Error{"unexpected " + quoted(rest.front()) + " after " + std::string(first)};
  return show(help ? Action::show_help : Action::show_version);
}

}  // namespace mha::cli
