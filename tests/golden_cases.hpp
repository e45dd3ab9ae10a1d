// The files of tests/golden, for those that hold the core against them.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "io/file.hpp"
#include "io/golden.hpp"
#include "problem.hpp"

namespace mha::test {

/// A file of tests/golden, and its problem as the other tests have it.
struct Case {
  std::string name;
  Golden golden;
  Problem problem;

  [[nodiscard]] const std::vector<float>& read(Tensor tensor) const { return golden[tensor]; }
};

[[nodiscard]] inline Case golden_file(const std::filesystem::path& path) {
  INFO(path.filename());
  Result<std::vector<std::byte>> bytes = read_file(path.string());
  REQUIRE(bytes.ok());
  Result<Golden> parsed = parse_golden(bytes.value());
  REQUIRE(parsed.ok());
  const Golden& g = parsed.value();
  Problem p;
  p.shape = g.shape;
  p.switches = g.options;
  p.x = g[Tensor::x];
  p.context = g[Tensor::context];
  p.mask = g[Tensor::mask];
  p.w_q = g[Tensor::w_q];
  p.w_k = g[Tensor::w_k];
  p.w_v = g[Tensor::w_v];
  p.w_o = g[Tensor::w_o];
  p.b_q = g[Tensor::b_q];
  p.b_k = g[Tensor::b_k];
  p.b_v = g[Tensor::b_v];
  p.b_o = g[Tensor::b_o];
  return {path.filename().string(), std::move(parsed.value()), std::move(p)};
}

/// The .safetensors files of a folder.
[[nodiscard]] inline std::vector<std::filesystem::path> golden_paths(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".safetensors") paths.push_back(entry.path());
  }
  return paths;
}

[[nodiscard]] inline std::vector<Case> golden_files() {
  std::vector<Case> cases;
  for (const auto& path : golden_paths(MHA_GOLDEN_DIR)) cases.push_back(golden_file(path));
  return cases;
}

/// "" if every number of `want` is the stored one up to float rounding of the latter: 2⁻²⁴ of the number. What float64
/// itself loses is far below the last term.
[[nodiscard]] inline std::string beyond_rounding(const std::vector<float>& stored, const Matrix& want,
                                                 std::size_t first = 0) {
  const double slack = 1e-10 * largest(want);
  for (Eigen::Index i = 0; i < want.size(); ++i) {
    const double value = want.data()[i];
    const double golden = stored[first + static_cast<std::size_t>(i)];
    const bool fine = std::isinf(value) ? golden == value : std::abs(golden - value) <= kUnit * std::abs(value) + slack;
    if (!fine) return text("element %d: golden %.9g, reference %.17g", static_cast<int>(i), golden, value);
  }
  return "";
}

}  // namespace mha::test
