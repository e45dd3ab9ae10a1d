// Attention where the result is known beforehand: masked rows, equal scores, shifted scores, numbers worked by hand.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "mha/attention.hpp"
#include "problem.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

Pass solve(const Problem& p) {
  Pass pass = run(p);
  REQUIRE(message(pass.outcome) == "no error");
  return pass;
}

std::vector<float> identity(std::int32_t size) {
  std::vector<float> matrix(static_cast<std::size_t>(size * size));
  for (std::int32_t i = 0; i < size; ++i) matrix[static_cast<std::size_t>(i * size + i)] = 1.0F;
  return matrix;
}

/// d = h·k, every W the identity, scores unscaled.
Problem identity_problem(std::int32_t tokens, std::int32_t d, std::int32_t heads, std::vector<float> x) {
  Problem p;
  p.shape = self_attention(tokens, d, heads);
  p.x = std::move(x);
  p.w_q = p.w_k = p.w_v = p.w_o = identity(d);
  p.switches.scale = Options::Scale::off;
  return p;
}

/// "" if the tensor holds these numbers, within 1e-6 (relative, if they are larger than 1).
std::string differs(const Pass& pass, Tensor tensor, const std::vector<double>& want) {
  const auto got = pass[tensor];
  if (got.size() != want.size()) return "another size";
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (!(std::abs(double{got[i]} - want[i]) <= 1e-6 * std::max(1.0, std::abs(want[i])))) {
      return text("%d: got %.9g, want %.9g", static_cast<int>(i), double{got[i]}, want[i]);
    }
  }
  return "";
}

TEST_CASE("two words and one head, worked by hand", "[identities]") {
  // X = W = I: scores are I, so each word looks at itself with e/(e + 1) and at the other with 1/(e + 1).
  const Pass pass = solve(identity_problem(2, 2, 1, {1, 0, 0, 1}));
  CHECK(differs(pass, Tensor::raw_scores, {1, 0, 0, 1}) == "");
  const std::vector<double> weights = {0.731058578630005, 0.268941421369995, 0.268941421369995, 0.731058578630005};
  CHECK(differs(pass, Tensor::weights, weights) == "");
  CHECK(differs(pass, Tensor::output, weights) == "");
}

TEST_CASE("two words and two heads, worked by hand", "[identities]") {
  // Head 0 sees column 0, head 1 column 1 of X = (1 0; 0 2). Head 0: scores (1 0; 0 0). Head 1: scores (0 0; 0 4).
  Problem p = identity_problem(2, 2, 2, {1, 0, 0, 2});
  const double one = 0.731058578630005, four = 0.982013790037908;  // σ(1), σ(4)
  const Pass pass = solve(p);
  CHECK(differs(pass, Tensor::raw_scores, {1, 0, 0, 0, 0, 0, 0, 4}) == "");
  CHECK(differs(pass, Tensor::weights, {one, 1 - one, 0.5, 0.5, 0.5, 0.5, 1 - four, four}) == "");
  CHECK(differs(pass, Tensor::concat, {one, 1, 0.5, 2 * four}) == "");
  CHECK(differs(pass, Tensor::output, {one, 1, 0.5, 2 * four}) == "");

  // W_O takes head 0 to column 0 three times and head 1 to column 1 with a minus; b_o adds 10 and 20.
  p.w_o = {3, 0, 0, -1};
  p.b_o = {10, 20};
  CHECK(differs(solve(p), Tensor::output, {10 + 3 * one, 19, 11.5, 20 - 2 * four}) == "");
  // Exchanged rows of W_O exchange the heads.
  p.w_o = {0, -1, 3, 0};
  CHECK(differs(solve(p), Tensor::output, {13, 20 - one, 10 + 6 * four, 19.5}) == "");
}

TEST_CASE("grouped heads share keys and values, worked by hand", "[identities]") {
  // h = 2, g = 1, k = 1: both query heads read key and value column 0. Head 1 asks with the opposite sign.
  Problem p;
  p.shape = {2, 2, 1, 2, 1, 1};
  p.x = {1, 2};
  p.w_q = {1, -1};
  p.w_k = {1};
  p.w_v = {10};
  p.w_o = {1, 100};
  const double one = 0.731058578630005, two = 0.880797077977882;  // σ(1), σ(2)
  const Pass pass = solve(p);
  CHECK(differs(pass, Tensor::raw_scores, {1, 2, 2, 4, -1, -2, -2, -4}) == "");
  CHECK(differs(pass, Tensor::weights, {1 - one, one, 1 - two, two, one, 1 - one, two, 1 - two}) == "");
  const double h0_1 = 10 + 10 * one, h0_2 = 10 + 10 * two, h1_1 = 20 - 10 * one, h1_2 = 20 - 10 * two;
  CHECK(differs(pass, Tensor::concat, {h0_1, h1_1, h0_2, h1_2}) == "");
  CHECK(std::abs(double{pass.at(Tensor::output, 0, 0)} - (h0_1 + 100 * h1_1)) < 1e-3);
  CHECK(std::abs(double{pass.at(Tensor::output, 1, 0)} - (h0_2 + 100 * h1_2)) < 1e-3);
}

TEST_CASE("causal and scale, worked by hand", "[identities]") {
  Problem p = identity_problem(2, 4, 1, {2, 0, 0, 0, 0, 2, 0, 0});
  p.switches.scale = Options::Scale::inverse_sqrt;  // ½: scores (2 0; 0 2)
  p.switches.causal = true;
  const double two = 0.880797077977882;
  const Pass pass = solve(p);
  CHECK(differs(pass, Tensor::raw_scores, {4, 0, 0, 4}) == "");
  CHECK(differs(pass, Tensor::scaled_scores, {2, 0, 0, 2}) == "");
  CHECK(pass.at(Tensor::masked_scores, 0, 0, 1) == -kInfinity);
  CHECK(differs(pass, Tensor::weights, {1, 0, 1 - two, two}) == "");
  CHECK(differs(pass, Tensor::output, {2, 0, 0, 0, 2 * (1 - two), 2 * two, 0, 0}) == "");
}

TEST_CASE("a row that may see nothing gives zeros, a flag and b_o", "[identities]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    const Shape s = {random.integer(2, 12), random.integer(2, 12), 9, 4, 2, random.integer(1, 9)};
    Problem p = plain_problem(s, random);
    add_biases(p, random);
    const std::int32_t blind = random.integer(0, s.tokens - 1);
    p.mask = random.numbers(floats(Tensor::mask, s));
    for (std::int32_t j = 0; j < s.context; ++j) p.mask[static_cast<std::size_t>(blind * s.context + j)] = -kInfinity;
    Problem all_padding = p;
    all_padding.mask.clear();
    all_padding.switches.padding = s.context;

    const auto check_row = [&](const Pass& pass, std::int32_t row) {
      CAPTURE(row);
      CHECK(pass.at(Tensor::masked_rows, row) == 1.0F);
      int wrong = 0;
      for (std::int32_t head = 0; head < s.heads; ++head) {
        for (std::int32_t j = 0; j < s.context; ++j) wrong += pass.at(Tensor::weights, head, row, j) != 0.0F ? 1 : 0;
      }
      for (std::int32_t c = 0; c < s.q_width(); ++c) wrong += pass.at(Tensor::concat, row, c) != 0.0F ? 1 : 0;
      CHECK(wrong == 0);
      const auto d = static_cast<std::size_t>(s.model_dim);
      CHECK(same_bits(pass[Tensor::output].subspan(static_cast<std::size_t>(row) * d, d), p.b_o));
    };
    const Pass one = solve(p);
    check_row(one, blind);
    float flags = 0.0F;
    for (const float flag : one[Tensor::masked_rows]) flags += flag;
    CHECK(flags == 1.0F);
    const Pass every = solve(all_padding);
    for (std::int32_t row = 0; row < s.tokens; ++row) check_row(every, row);
    // Without b_o: zeros.
    all_padding.b_o.clear();
    CHECK(same_bits(solve(all_padding)[Tensor::output], std::vector<float>(floats(Tensor::output, s))));
  }
}

TEST_CASE("without questions attention is uniform", "[identities]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    for (const std::int32_t n : {1, 2, 3, 7, 16, 33}) {
      Problem p = plain_problem({n, n, 10, 2, 1, 7}, random);
      p.w_q.assign(p.w_q.size(), 0.0F);
      p.switches.causal = random.one_in(2);
      INFO(describe(p));
      const Pass pass = solve(p);
      int wrong = 0;
      for (std::int32_t head = 0; head < 2; ++head) {
        for (std::int32_t i = 0; i < n; ++i) {
          const int seen = p.switches.causal ? i + 1 : n;
          for (std::int32_t j = 0; j < n; ++j) {
            const double want = j < seen ? 1.0 / seen : 0.0;
            if (!(std::abs(double{pass.at(Tensor::weights, head, i, j)} - want) <= 4 * kUnit * want)) ++wrong;
          }
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("adding the same number to every score of a row changes no weight", "[identities]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    const Shape s = {random.integer(1, 12), random.integer(1, 12), 10, 3, 3, random.integer(1, 9)};
    const Problem p = plain_problem(s, random);
    INFO(describe(p));

    Problem shifted = p;  // by the mask: row i by a number of its own
    for (std::int32_t i = 0; i < s.tokens; ++i) {
      shifted.mask.insert(shifted.mask.end(), static_cast<std::size_t>(s.context), random.number(20.0F));
    }
    Problem biased = p;  // by b_k: q_i·(k_j + b) = q_i·k_j + q_i·b, the same for every j
    biased.b_k = numbers_for(Tensor::b_k, s, random);

    const Pass plain = solve(p);
    const Reference plain_bounds = reference_of(p);
    for (const Problem* variant : {&shifted, &biased}) {
      const Pass pass = solve(*variant);
      const Reference bounds = reference_of(*variant);
      CHECK(different_bits(pass, plain) != "");
      int beyond = 0;
      for (std::int32_t head = 0; head < s.heads; ++head) {
        const auto place = static_cast<std::size_t>(head);
        for (std::int32_t i = 0; i < s.tokens; ++i) {
          for (std::int32_t j = 0; j < s.context; ++j) {
            const double change =
                std::abs(double{pass.at(Tensor::weights, head, i, j)} - double{plain.at(Tensor::weights, head, i, j)});
            const double bound = plain_bounds.weights[place].bound(i, j) + bounds.weights[place].bound(i, j);
            if (!(change <= std::min(bound, 1e-4))) ++beyond;
          }
        }
      }
      CHECK(beyond == 0);
    }
  }
}

TEST_CASE("one token attends to itself entirely", "[identities]") {
  Random random(Catch::getSeed());
  for (const std::int32_t h : {1, 2, 5}) {
    const Pass pass = solve(plain_problem(self_attention(1, 10, h), random));
    for (const float weight : pass[Tensor::weights]) CHECK(weight == 1.0F);
    CHECK(same_bits(pass[Tensor::concat], pass[Tensor::v]));
  }
}

}  // namespace
}  // namespace mha::test
