// The backward pass against PyTorch: every file of tests/golden/gradient through the reference and the fast pass.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "golden_cases.hpp"
#include "gradients.hpp"
#include "io/safetensors.hpp"
#include "problem.hpp"

namespace mha::test {
namespace {

/// A pass, ∂L/∂Y, and what PyTorch's gradients are.
struct GradientCase {
  Case pass;
  SafetensorsHeader header;
  std::vector<std::byte> file;
  std::vector<float> d_output;

  /// Empty: the file has no such gradient.
  [[nodiscard]] std::vector<float> read(const std::string& name) const {
    const TensorEntry* const entry = header.find(name);
    if (entry == nullptr) return {};
    Result<std::vector<float>> values = read_floats(file, *entry);
    REQUIRE(values.ok());
    return values.value();
  }
};

std::vector<GradientCase> gradient_cases() {
  std::vector<GradientCase> cases;
  const std::filesystem::path folder = MHA_GOLDEN_DIR;
  for (const auto& path : golden_paths(folder / "gradient")) {
    INFO(path.filename());
    Result<std::vector<std::byte>> bytes = read_file(path.string());
    REQUIRE(bytes.ok());
    Result<SafetensorsHeader> header = parse_safetensors_header(bytes.value(), bytes.value().size());
    REQUIRE(header.ok());
    GradientCase made = {golden_file(folder / path.filename()), header.value(), bytes.value(), {}};
    made.d_output = made.read("d_output");
    made.pass.problem.gates = made.read("head_gate");
    cases.push_back(std::move(made));
  }
  return cases;
}

}  // namespace

TEST_CASE("the golden gradients cover what the core can do", "[golden][gradient]") {
  int cross = 0, causal = 0, masked = 0, padded = 0, grouped = 0, with_biases = 0, closed = 0, all_open = 0;
  for (const GradientCase& golden : gradient_cases()) {
    const Problem& p = golden.pass.problem;
    cross += p.context.empty() ? 0 : 1;
    causal += p.switches.causal ? 1 : 0;
    masked += p.mask.empty() ? 0 : 1;
    padded += p.switches.padding > 0 ? 1 : 0;
    grouped += p.shape.kv_heads < p.shape.heads ? 1 : 0;
    with_biases += p.b_q.empty() ? 0 : 1;
    closed += std::find(p.gates.begin(), p.gates.end(), 0.0F) != p.gates.end() ? 1 : 0;
    all_open += std::count(p.gates.begin(), p.gates.end(), 1.0F) == p.shape.heads ? 1 : 0;
  }
  CHECK(std::min({cross, causal, masked, padded, grouped, with_biases, closed, all_open}) > 0);
}

TEST_CASE("the reference's gradients agree with PyTorch", "[golden][gradient]") {
  for (const GradientCase& golden : gradient_cases()) {
    const Problem& p = golden.pass.problem;
    INFO(golden.pass.name << ": " << describe(p));
    const GradientReference r = gradient_reference_of(p, reference_of(p), golden.d_output);
    CHECK(beyond_rounding(golden.read("grad_head_gate"), r.head_gate.value) == "");
    // By W_Q and W_K of all zeros on paper float64 leaves noise, which is small beside the other gradients.
    const double noise = 1e-12 * largest(r.w_v.value);
    for (const Tensor tensor : kGradients) {
      const std::vector<float> stored = golden.read("grad_" + std::string(info(tensor).name));
      INFO(info(tensor).name);
      const Matrix& want = of(r, tensor).value;
      const bool given = tensor != Tensor::context || !p.context.empty();
      if (stored.empty()) {
        CHECK((!given || info(tensor).rank == 1));  // a bias that is not there has a gradient all the same
      } else if (largest(want) > noise) {
        CHECK(stored.size() == static_cast<std::size_t>(want.size()));
        CHECK(beyond_rounding(stored, want) == "");
      } else {
        CHECK(std::all_of(stored.begin(), stored.end(), [](float value) { return value == 0.0F; }));
      }
    }
  }
}

TEST_CASE("the fast gradients agree with the reference on the golden files", "[golden][gradient]") {
  for (const GradientCase& golden : gradient_cases()) {
    const Problem& p = golden.pass.problem;
    INFO(golden.pass.name << ": " << describe(p));
    const Solved solved = solve_gradient(p, golden.d_output);
    REQUIRE(message(solved.outcome) == "no error");
    CHECK(solved.gradients.intact());
    CHECK(beyond_bound(solved.gradients, gradient_reference_of(p, reference_of(p), golden.d_output)) == "");
    const Reference trace = as_reference(solved.pass, p.shape);
    CHECK(beyond_bound(solved.gradients, gradient_reference_of(p, trace, golden.d_output)) == "");
  }
}

}  // namespace mha::test
