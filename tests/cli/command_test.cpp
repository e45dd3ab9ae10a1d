// What `mha` says when it refuses, and that it then leaves nothing behind.
#include "cli/command.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "cli/trace_file.hpp"
#include "fixture.hpp"

namespace mha::cli::test {

TEST_CASE("help names every option and key", "[cli]") {
  const Answer whole = mha({"--help"});
  const Answer forward = mha({"forward", "--help"});
  for (const Answer& help : {whole, forward}) {
    CHECK(help.code == kSuccess);
    for (const std::string_view part :
         {"--weights", "--input", "--context", "--heads", "--kv-heads", "--causal", "--mask", "--padding", "--scale",
          "--out", "1 to 512", "1 to 4096", "8192", "2^28", "exit codes", "example"}) {
      INFO(part);
      CHECK(help.out.find(part) != std::string::npos);
    }
    for (const Tensor tensor : kTraceFileTensors) {
      INFO(info(tensor).name);
      CHECK(help.out.find("\n  " + std::string(info(tensor).name)) != std::string::npos);
    }
  }
  CHECK(whole.out.find("mha --version") != std::string::npos);
  CHECK(whole.out.ends_with(forward.out));
  CHECK(mha({}).out == whole.out);
  CHECK(mha({"help"}).out == whole.out);
  CHECK(mha({"--version"}).out.starts_with("mha "));
}

TEST_CASE("a wrong command line has its own exit code", "[cli]") {
  const Answer answer = mha({"forward", "--heads", "x"});
  CHECK(answer.code == kUsage);
  CHECK(answer.out.empty());
  CHECK(answer.err ==
        "mha: --heads must be followed by a whole number from 1 to 4096, not \"x\" (see: mha forward --help)\n");
}

TEST_CASE("shapes that disagree are named with what they must be", "[cli]") {
  const Problem p = small_problem();
  const Files files(p);
  const std::vector<float> some(64);
  const auto with_weights = [&](std::size_t place, const TensorToWrite& tensor, const std::vector<std::string>& parts) {
    std::vector<TensorToWrite> tensors = files.parameters();
    tensors[place] = tensor;
    files.write_weights(tensors);
    refuses(files, parts);
    files.write_weights(files.parameters());
  };
  with_weights(0, {"w_q", {8, 2, 4}, some}, {"weights.safetensors: w_q is [8, 2, 4], must have two axes: [d, h·k]"});
  with_weights(0, {"w_q", {64, 1}, some}, {"w_q is [64, 1]: its columns must be a multiple of --heads 2"});
  with_weights(0, {"w_q", {4, 16}, some}, {"w_k is [8, 8], must be [d, g·k] = [4, 16] (n = 5, m = 5, d = 4, h = 2"});
  with_weights(1, {"w_k", {4, 16}, some}, {"weights.safetensors: w_k is [4, 16], must be [d, g·k] = [8, 8]"});
  with_weights(3, {"w_o", {64}, some}, {"w_o is [64], must be [h·k, d] = [8, 8]"});
  with_weights(2, {"w_x", {8, 8}, some},
               {"weights.safetensors: tensor \"w_v\" is missing; required are w_q, w_k, w_v"});
  std::vector<TensorToWrite> tensors = files.parameters();
  tensors.push_back({"b_k", {7}, std::span(some).first(7)});
  files.write_weights(tensors);
  refuses(files, {"weights.safetensors: b_k is [7], must be [g·k] = [8]"});
  files.write_weights(files.parameters());

  const auto array = [&](const std::string& option, const std::vector<std::uint64_t>& shape, std::size_t count) {
    REQUIRE(write_npy(files.file("other.npy"), shape, std::span(some).first(count)).ok());
    return plus(files.command(), option + "=" + files.file("other.npy"));
  };
  refuses(files, array("--mask", {5, 6}, 30), {"other.npy: mask is [5, 6], must be [n, m] = [5, 5]"});
  refuses(files, array("--mask", {25}, 25), {"other.npy: mask is [25], must be [n, m] = [5, 5]"});
  refuses(files, array("--context", {3, 9}, 27), {"other.npy: context is [3, 9], must be [m, d] = [3, 8]"});
  refuses(files, array("--context", {24}, 24), {"other.npy: context is [24], must have two axes: [m, d]"});
  refuses(files, array("--context", {0, 8}, 0), {"tokens must be 1 to 512", "m = 0"});
  REQUIRE(write_npy(files.file("x.npy"), std::vector<std::uint64_t>{5, 9}, std::vector<float>(45)).ok());
  refuses(files, {"x.npy: x is [5, 9], must be [n, d] = [5, 8]"});
  REQUIRE(write_npy(files.file("x.npy"), std::vector<std::uint64_t>{513, 8}, std::vector<float>(513 * 8)).ok());
  refuses(files, {"tokens must be 1 to 512", "n = 513"});
  REQUIRE(write_npy(files.file("x.npy"), std::vector<std::uint64_t>{5, 8, 1}, std::vector<float>(40)).ok());
  refuses(files, {"x.npy: x is [5, 8, 1], must have two axes: [n, d]"});
}

TEST_CASE("options that do not fit the files are refused", "[cli]") {
  const Problem p = small_problem();
  const Files files(p);
  refuses(files, plus(files.command(), "--padding=6"), {"--padding 6 is more than there are keys: 0 to 5 are allowed"});
  refuses(files, plus(files.command(), "--kv-heads=1"), {"w_k is [8, 8], must be [d, g·k] = [8, 4]"});
  std::vector<std::string> command = files.command();
  for (std::string& word : command) {
    if (word.starts_with("--heads")) word = "--heads=3";
  }
  refuses(files, command, {"its columns must be a multiple of --heads 3"});
}

TEST_CASE("numbers that cannot be computed with are refused", "[cli]") {
  const auto with_x = [](float value) {
    Problem p = small_problem();
    p.x[13] = value;
    return p;
  };
  for (const float value : {kNan, kInfinity, -kInfinity}) {
    const Problem p = with_x(value);
    refuses(Files(p), {"x.npy: x[1, 5]: a number is NaN or infinite"});
  }
  for (const float value : {1e30F, -1e30F}) {
    const Problem p = with_x(value);
    refuses(Files(p), {"raw_scores[0, 1, 1]", "too large"});
  }
  Problem p = small_problem();
  p.w_v[9] = kNan;
  refuses(Files(p), {"weights.safetensors: w_v[1, 1]: a number is NaN or infinite"});
  p = small_problem();
  p.mask.assign(25, 0.0F);
  p.mask[7] = kInfinity;
  refuses(Files(p), {"mask.npy: mask[1, 2]: a number is NaN or infinite; only a mask may hold -inf"});
  p = small_problem();
  p.w_o[0] = 1e38F;
  for (float& value : p.w_v) value *= 100.0F;
  refuses(Files(p), {"output[", "too large"});
}

TEST_CASE("scores that overflow by the scale or the mask are refused", "[cli]") {
  Problem p = small_problem();
  for (float& value : p.w_q) value *= 1e20F;
  const Files scaled(p);
  refuses(scaled, plus(scaled.command(), "--scale=1e30"), {"scaled_scores[", "too large"});
  for (float& value : p.w_q) value *= 1e16F;
  p.mask.assign(25, 3.4e38F);
  refuses(Files(p), {"masked_scores[", "too large"});
}

TEST_CASE("files that are not what they should be are refused", "[cli]") {
  const Problem p = small_problem();
  const Files files(p);
  const auto swapped = [&](const std::string& option, const std::string& path) {
    std::vector<std::string> command = files.command();
    for (std::size_t i = 0; i < command.size(); ++i) {
      if (command[i] == option) command[i + 1] = path;
    }
    return command;
  };
  refuses(files, swapped("--weights", files.file("none")), {"/none: cannot read: "});
  refuses(files, swapped("--input", files.file("none")), {"/none: cannot read: "});
  refuses(files, swapped("--input", files.file("two\nlines")), {"/two lines: cannot read: "});
  refuses(files, swapped("--input", files.file("weights.safetensors")), {"weights.safetensors: not a .npy file"});
  refuses(files, swapped("--weights", files.file("x.npy")), {"x.npy: header length", "is this a .safetensors file?"});
  write_text(files.file("empty"), "");
  refuses(files, swapped("--weights", files.file("empty")), {"/empty: not a .safetensors file"});
  refuses(files, swapped("--input", files.file("empty")), {"/empty: not a .npy file"});

  const std::string weights = read_text(files.file("weights.safetensors"));
  write_text(files.file("cut"), std::string_view(weights).substr(0, weights.size() - 1));
  refuses(files, swapped("--weights", files.file("cut")), {"/cut: tensor \"w_o\"", "is the file cut off?"});
  std::string half = weights;
  half.replace(half.find("F32"), 3, "I32");
  write_text(files.file("ints"), half);
  refuses(files, swapped("--weights", files.file("ints")), {"/ints: tensor \"w_q\" has dtype \"I32\""});
}

TEST_CASE("a result that cannot be written leaves nothing", "[cli]") {
  const Problem p = small_problem();
  const Files files(p);
  const auto to = [&](const std::string& path) {
    std::vector<std::string> command = files.command();
    command.back() = "--out=" + path;
    return command;
  };
  refuses(files, to(files.file("no/folder")), {"/no/folder: cannot write: "});
  refuses(files, to("/dev/null"), {"/dev/null: cannot write: it exists and is not a regular file"});
  refuses(files, to(files.file("")), {"not a regular file"});
  refuses(files, to(files.file("x.npy")), {"x.npy: --out would replace a file that is read"});
  refuses(files, to(files.file("weights.safetensors")), {"--out would replace a file that is read"});
}

TEST_CASE("a write-protected result is not replaced", "[cli]") {
  namespace fs = std::filesystem;
  const Problem p = small_problem();
  const Files files(p);
  write_text(files.out(), "an older result");
  fs::permissions(files.out(), fs::perms::owner_read);
  fs::permissions(files.file(""), fs::perms::all);
  const uid_t user = geteuid();
  constexpr uid_t kNobody = 65534;  // root may write everything, so it becomes somebody else for a moment
  if (user == 0 && seteuid(kNobody) != 0) SKIP("root that cannot become another user");
  refuses(files, {"trace.safetensors: cannot write: Permission denied"});
  REQUIRE(seteuid(user) == 0);
  CHECK((read_text(files.out()) == "an older result"));
}

TEST_CASE("a full disk leaves the old result whole and nothing half-written", "[cli]") {
  const Problem p = small_problem();
  const Files files(p);
  write_text(files.out(), "an older result");
  rlimit before = {};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t room : {0U, 1U, 1000U, 3000U}) {  // the result has more bytes than this
    const rlimit small = {room, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    const Answer answer = mha(files.command());
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(answer.code == kRefused);
    CHECK(answer.err == "mha: " + files.out() + ": cannot write: File too large\n");
    CHECK((read_text(files.out()) == "an older result"));
    CHECK(files.count() == 3);
  }
  std::signal(SIGXFSZ, old_handler);
  CHECK(mha(files.command()).code == kSuccess);
  CHECK(files.count() == 3);
}

TEST_CASE("a result that stands is a success, though nobody can read about it", "[cli]") {
  const Problem p = small_problem();
  const Files files(p);
  const std::vector<std::string> words = files.command();
  const std::vector<std::string_view> views(words.begin(), words.end());
  std::ostringstream out;
  std::ostringstream err;
  out.setstate(std::ios::badbit);
  CHECK(run(views, out, err) == kSuccess);
  CHECK(err.str().empty());
  const std::string result = read_text(files.out());
  CHECK(parse_safetensors_header(bytes_of(result), result.size()).ok());
}

TEST_CASE("a text that standard output does not take is a failure", "[cli]") {
  std::ostringstream out;
  std::ostringstream err;
  out.setstate(std::ios::badbit);
  CHECK(run({}, out, err) == kRefused);
  CHECK(err.str() == "mha: cannot write to standard output\n");
}

}  // namespace mha::cli::test
