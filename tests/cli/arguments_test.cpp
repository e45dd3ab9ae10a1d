#include "cli/arguments.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

namespace mha::cli {
namespace {

using Words = std::vector<std::string_view>;

const Words kRequired = {"forward", "--weights", "w", "--input", "x", "--heads", "4", "--out", "o"};

Result<Command> with(Words more) {
  Words words = kRequired;
  words.insert(words.end(), more.begin(), more.end());
  return parse_command(words);
}

std::string fault(const Result<Command>& command) { return command.ok() ? "" : command.error().message; }

Action action(const Words& words) {
  const Result<Command> command = parse_command(words);
  REQUIRE(command.ok());
  return command.value().action;
}

}  // namespace

TEST_CASE("help and version can be asked for in every usual way", "[cli]") {
  CHECK(action({}) == Action::show_help);
  CHECK(action({"help"}) == Action::show_help);
  CHECK(action({"--help"}) == Action::show_help);
  CHECK(action({"-h"}) == Action::show_help);
  CHECK(action({"help", "forward"}) == Action::show_forward_help);
  CHECK(action({"forward", "--help"}) == Action::show_forward_help);
  CHECK(action({"forward", "--heads", "x", "-h"}) == Action::show_forward_help);
  CHECK(action({"--version"}) == Action::show_version);
}

TEST_CASE("what is not given has its default", "[cli]") {
  const Result<Command> command = with({});
  REQUIRE(command.ok());
  CHECK(command.value().action == Action::forward);
  const ForwardArguments& forward = command.value().forward;
  CHECK(forward.weights == "w");
  CHECK(forward.input == "x");
  CHECK(forward.out == "o");
  CHECK(forward.context.empty());
  CHECK(forward.mask.empty());
  CHECK(forward.heads == 4);
  CHECK(forward.kv_heads == 4);
  CHECK_FALSE(forward.causal);
  CHECK(forward.padding == 0);
  CHECK(forward.scale == Options::Scale::inverse_sqrt);
}

TEST_CASE("everything can be given, in both forms", "[cli]") {
  const Result<Command> command =
      parse_command(Words{"forward", "--out=--odd=name", "--scale=-2.5e-1", "--heads=8", "--kv-heads", "2", "--causal",
                          "--mask", "m", "--padding=3", "--context", "c", "--input=x", "--weights", "w"});
  REQUIRE(command.ok());
  const ForwardArguments& forward = command.value().forward;
  CHECK(forward.out == "--odd=name");
  CHECK(forward.heads == 8);
  CHECK(forward.kv_heads == 2);
  CHECK(forward.mask == "m");
  CHECK(forward.context == "c");
  CHECK(forward.options().causal);
  CHECK(forward.options().padding == 3);
  CHECK(forward.options().scale == Options::Scale::given);
  CHECK(forward.options().scale_value == -0.25F);
  CHECK(with({"--scale", "none"}).value().forward.scale == Options::Scale::off);
  CHECK(with({"--scale", "-1"}).value().forward.scale_value == -1.0F);
}

TEST_CASE("a wrong command line says what is allowed", "[cli]") {
  CHECK(fault(parse_command(Words{"backward"})) ==
        "unknown command \"backward\"; allowed are forward, help and --version (see: mha --help)");
  CHECK(fault(parse_command(Words{"--version", "x"})) == "unexpected \"x\" after --version");
  CHECK(fault(parse_command(Words{"help", "backward"})) == "unexpected \"backward\" after help");
  CHECK(fault(parse_command(Words{"forward"})) ==
        "--weights is missing; required are --weights --input --heads --out (see: mha forward --help)");
  CHECK(fault(with({"--head", "4"})) == "unknown option \"--head\" (see: mha forward --help)");
  CHECK(fault(with({"x.npy"})) == "unexpected \"x.npy\": every value follows its option (see: mha forward --help)");
  CHECK(fault(with({"-c"})).starts_with("unexpected \"-c\""));
  CHECK(fault(with({""})).starts_with("unexpected \"\""));
  CHECK(fault(with({"two\nlines"})).starts_with("unexpected \"two\\u000alines\""));
  CHECK(fault(with({"--heads=4"})).starts_with("--heads is given twice"));
  CHECK(fault(with({"--causal", "--causal"})).starts_with("--causal is given twice"));
  CHECK(fault(with({"--causal=true"})).starts_with("--causal takes no value"));
  CHECK(fault(with({"--mask"})).starts_with("--mask must be followed by a file name"));
  CHECK(fault(with({"--mask="})).starts_with("--mask must be followed by a file name, not \"\""));
  CHECK(fault(with({"--mask", "--causal"})).starts_with("--mask must be followed by a file name (see"));
  CHECK(fault(with({"--kv-heads", "3"})).starts_with("--kv-heads 3 must divide --heads 4"));
  CHECK(fault(with({"--kv-heads", "8"})).starts_with("--kv-heads 8 must divide --heads 4"));
}

TEST_CASE("numbers that are none are refused", "[cli]") {
  for (const std::string_view text : {"", "0", "-1", "4097", "four", "4.0", "4x", " 4", "+4", "0x4", "1e1", "nan",
                                      "1e30", "99999999999999999999", "None"}) {
    INFO(text);
    CHECK(
        fault(with({"--kv-heads", text})).starts_with("--kv-heads must be followed by a whole number from 1 to 4096"));
  }
  CHECK(fault(with({"--padding", "513"})).starts_with("--padding must be followed by a whole number from 0 to 512"));
  for (const std::string_view text : {"", "nan", "inf", "-inf", "1e39", "-1e39", "1e999", "x", "0x1p3", "1,5", " 1",
                                      "1 ", "1e", "None", "1.5.2", "-", ".", "e5"}) {
    INFO(text);
    CHECK(fault(with({"--scale", text})).starts_with("--scale must be followed by a finite decimal number or 'none'"));
  }
}

}  // namespace mha::cli
