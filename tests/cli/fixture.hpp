// What the tests of the `mha` command share: its files in a folder of their own, and calling it in this process.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "folder.hpp"
#include "io/npy.hpp"
#include "io/safetensors.hpp"
#include "problem.hpp"

/// A namespace of its own: one binary holds all tests, and others have a kShape too.
namespace mha::cli::test {

using namespace mha::test;

inline constexpr Shape kShape = {.tokens = 5, .context = 5, .model_dim = 8, .heads = 2, .kv_heads = 2, .head_dim = 4};

struct Answer {
  int code = 0;
  std::string out;
  std::string err;
};

[[nodiscard]] inline Answer mha(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const std::vector<std::string_view> views(arguments.begin(), arguments.end());
  const int code = run(views, out, err);
  return {code, out.str(), err.str()};
}

[[nodiscard]] inline std::vector<std::uint64_t> extents(Tensor tensor, const Shape& shape) {
  std::vector<std::uint64_t> result;
  for (int axis = 0; axis < info(tensor).rank; ++axis) {
    result.push_back(static_cast<std::uint64_t>(extent(info(tensor).axes[static_cast<std::size_t>(axis)], shape)));
  }
  return result;
}

/// The files of one problem, and the command line for it.
class Files {
 public:
  explicit Files(const Problem& p) : problem_(p) {
    write_weights(parameters());
    write_array("x.npy", Tensor::x, p.x);
    write_array("context.npy", Tensor::context, p.context);
    write_array("mask.npy", Tensor::mask, p.mask);
  }

  [[nodiscard]] std::string file(std::string_view name) const { return folder_.file(name); }
  [[nodiscard]] std::string out() const { return file("trace.safetensors"); }
  [[nodiscard]] std::size_t count() const { return folder_.count(); }

  [[nodiscard]] std::vector<TensorToWrite> parameters() const {
    std::vector<TensorToWrite> tensors;
    const auto add = [&](Tensor tensor, const std::vector<float>& values) {
      if (!values.empty()) tensors.push_back({std::string(info(tensor).name), extents(tensor, problem_.shape), values});
    };
    add(Tensor::w_q, problem_.w_q);
    add(Tensor::w_k, problem_.w_k);
    add(Tensor::w_v, problem_.w_v);
    add(Tensor::w_o, problem_.w_o);
    add(Tensor::b_q, problem_.b_q);
    add(Tensor::b_k, problem_.b_k);
    add(Tensor::b_v, problem_.b_v);
    add(Tensor::b_o, problem_.b_o);
    return tensors;
  }
  void write_weights(const std::vector<TensorToWrite>& tensors) const {
    REQUIRE(write_safetensors(file("weights.safetensors"), tensors, {}).ok());
  }
  void write_array(std::string_view name, Tensor tensor, const std::vector<float>& values) const {
    if (!values.empty()) REQUIRE(write_npy(file(name), extents(tensor, problem_.shape), values).ok());
  }

  [[nodiscard]] std::vector<std::string> command() const {
    const Problem& p = problem_;
    std::vector<std::string> words = {"forward", "--weights",   file("weights.safetensors"),
                                      "--input", file("x.npy"), "--heads=" + std::to_string(p.shape.heads)};
    const auto add = [&](bool given, std::string word) {
      if (given) words.push_back(std::move(word));
    };
    add(!p.context.empty(), "--context=" + file("context.npy"));
    add(!p.mask.empty(), "--mask=" + file("mask.npy"));
    add(p.shape.kv_heads != p.shape.heads, "--kv-heads=" + std::to_string(p.shape.kv_heads));
    add(p.switches.causal, "--causal");
    add(p.switches.padding > 0, "--padding=" + std::to_string(p.switches.padding));
    add(p.switches.scale == Options::Scale::off, "--scale=none");
    add(p.switches.scale == Options::Scale::given, text("--scale=%.9g", static_cast<double>(p.switches.scale_value)));
    words.push_back("--out=" + out());
    return words;
  }

 private:
  Folder folder_;
  const Problem& problem_;
};

[[nodiscard]] inline Problem small_problem() {
  Random random(11);
  return plain_problem(kShape, random);
}

/// Runs the command, which must refuse, say one line that mentions all of `parts`, and leave the folder as it is.
inline void refuses(const Files& files, const std::vector<std::string>& command,
                    const std::vector<std::string>& parts) {
  const std::size_t before = files.count();
  const Answer answer = mha(command);
  INFO(answer.err);
  CHECK(answer.code == kRefused);
  CHECK(answer.out.empty());
  CHECK(answer.err.starts_with("mha: "));
  CHECK(answer.err.find('\n') == answer.err.size() - 1);
  for (const std::string& part : parts) {
    INFO(part);
    CHECK(answer.err.find(part) != std::string::npos);
  }
  CHECK(files.count() == before);
}

inline void refuses(const Files& files, const std::vector<std::string>& parts) {
  refuses(files, files.command(), parts);
}

[[nodiscard]] inline std::vector<std::string> plus(std::vector<std::string> words, const std::string& word) {
  words.push_back(word);
  return words;
}

}  // namespace mha::cli::test
