// The core against PyTorch: every file of tests/golden through the reference and through the fast pass.
#include "io/golden.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "golden_cases.hpp"
#include "problem.hpp"

namespace mha::test {
namespace {

std::string differs(const Case& golden, Tensor tensor, const std::vector<Bounded>& want) {
  const std::vector<float> stored = golden.read(tensor);
  std::string bad;
  std::size_t first = 0;
  for (const Bounded& head : want) {
    const auto size = static_cast<std::size_t>(head.value.size());
    if (first + size > stored.size()) return "too few numbers";
    if (bad.empty()) bad = beyond_rounding(stored, head.value, first);
    first += size;
  }
  return first == stored.size() ? bad : "too many numbers";
}

std::string differs(const Case& golden, Tensor tensor, const Bounded& want) {
  return differs(golden, tensor, std::vector<Bounded>{want});
}

}  // namespace

TEST_CASE("the golden files cover what the lesson shows", "[golden]") {
  // exp of it is infinite in float: only a softmax that takes the maximum off first survives.
  const auto is_large = [](float score) { return score > 90.0F; };
  int cross = 0, causal = 0, masked = 0, padded = 0, with_biases = 0, plain = 0, grouped = 0, one_token = 0,
      dead_rows = 0, wide = 0, one_number_heads = 0, large_scores = 0;
  for (const Case& golden : golden_files()) {
    const Problem& p = golden.problem;
    const std::vector<float> rows = golden.read(Tensor::masked_rows);
    cross += p.context.empty() ? 0 : 1;
    causal += p.switches.causal ? 1 : 0;
    masked += p.mask.empty() ? 0 : 1;
    padded += p.switches.padding > 0 ? 1 : 0;
    with_biases += p.b_q.empty() ? 0 : 1;
    plain += p.b_q.empty() && p.b_o.empty() ? 1 : 0;
    grouped += p.shape.kv_heads < p.shape.heads ? 1 : 0;
    one_token += p.shape.tokens == 1 ? 1 : 0;
    wide += p.shape.q_width() != p.shape.model_dim ? 1 : 0;
    one_number_heads += p.shape.heads == p.shape.model_dim && p.shape.head_dim == 1 && p.shape.heads > 1 ? 1 : 0;
    large_scores += std::ranges::any_of(golden.read(Tensor::scaled_scores), is_large) ? 1 : 0;
    dead_rows += std::find(rows.begin(), rows.end(), 1.0F) != rows.end() ? 1 : 0;
  }
  CHECK(std::min({cross, causal, masked, padded, with_biases, plain, grouped, one_token, dead_rows, wide,
                  one_number_heads, large_scores}) > 0);
}

TEST_CASE("the reference agrees with PyTorch", "[golden]") {
  for (const Case& golden : golden_files()) {
    INFO(golden.name << ": " << describe(golden.problem));
    const Reference reference = reference_of(golden.problem);
    CHECK(differs(golden, Tensor::q, reference.q) == "");
    CHECK(differs(golden, Tensor::k, reference.k) == "");
    CHECK(differs(golden, Tensor::v, reference.v) == "");
    CHECK(differs(golden, Tensor::raw_scores, reference.raw_scores) == "");
    CHECK(differs(golden, Tensor::scaled_scores, reference.scaled_scores) == "");
    CHECK(differs(golden, Tensor::masked_scores, reference.masked_scores) == "");
    CHECK(differs(golden, Tensor::weights, reference.weights) == "");
    CHECK(differs(golden, Tensor::heads, reference.heads) == "");
    CHECK(differs(golden, Tensor::concat, reference.concat) == "");
    CHECK(differs(golden, Tensor::contributions, reference.contributions) == "");
    CHECK(differs(golden, Tensor::output, reference.output) == "");
    const std::vector<float> masked_rows = golden.read(Tensor::masked_rows);
    REQUIRE(masked_rows.size() == reference.masked_rows.size());
    for (std::size_t row = 0; row < masked_rows.size(); ++row) {
      CHECK((masked_rows[row] == 1.0F) == reference.masked_rows[row]);
    }
  }
}

TEST_CASE("the fast pass agrees with the reference on the golden files", "[golden]") {
  for (const Case& golden : golden_files()) {
    const Problem& p = golden.problem;
    INFO(golden.name << ": " << describe(p));
    const Reference reference = reference_of(p);
    // Scores of hundreds carry an error of hundreds of units into the exponential: only the bound knows how much.
    const bool usual = largest(reference.raw_scores.front().value) < 100.0;
    const Pass pass = run(p);
    REQUIRE(pass.outcome.ok());
    CHECK(beyond_bound(pass, p.shape, reference, usual ? kHouseLimit : kBoundOnly) == "");
    CHECK(pass.trace.intact());

    Attention attention;
    REQUIRE(attention.load(p.shape, p.parameters()).ok());
    Guarded contributions(floats(Tensor::contributions, p.shape));
    REQUIRE(attention.contributions(p.shape, pass[Tensor::concat], 0, p.shape.heads, contributions.span()).ok());
    CHECK(beyond_bound(contributions.span(), p.shape, 0, reference) == "");
  }
}

}  // namespace mha::test
