#include "cli/command.hpp"

#include <algorithm>
#include <ostream>
#include <string>

#include "cli/arguments.hpp"
#include "cli/forward.hpp"
#include "cli/help.hpp"
#include "mha/simd.hpp"

namespace mha::cli {
namespace {

constexpr std::string_view kVersion = "1.0.0";

/// One line, even if a file's name has several.
int fail(std::ostream& err, const Error& error, int code) {
  std::string line = error.message;
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  err << "mha: " << line << '\n';
  return code;
}

int say(std::ostream& out, std::ostream& err, std::string_view text) {
  out << text << std::flush;
  return out.good() ? kSuccess : fail(err, {"cannot write to standard output"}, kRefused);
}

}  // namespace

int run(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err) {
  const Result<Command> parsed = parse_command(arguments);
  if (!parsed.ok()) return fail(err, parsed.error(), kUsage);
  switch (parsed.value().action) {
    case Action::show_help: return say(out, err, std::string(help_text()) + '\n' + std::string(forward_help_text()));
    case Action::show_forward_help: return say(out, err, forward_help_text());
    case Action::show_version:
      return say(out, err, "mha " + std::string(kVersion) + " (" + std::string(simd_arch()) + ")\n");
    case Action::forward: break;
  }
  const Result<std::string> done = forward(parsed.value().forward);
  if (!done.ok()) return fail(err, done.error(), kRefused);
  out << done.value() << '\n' << std::flush;  // the file stands: whether anybody can read this line changes nothing
  return kSuccess;
}

}  // namespace mha::cli
