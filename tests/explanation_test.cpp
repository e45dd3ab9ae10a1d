// Every cell of every tensor of some small problems is explained, and each explanation is held against the trace.
#include "mha/explanation.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "explanation_problem.hpp"
#include "problem.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

struct Wanted {
  Rule rule;
  Tensor a, b;  ///< the operands; Tensor::count: none
  Tensor bias = Tensor::count;
};

Wanted wanted(Tensor tensor, const Parts& parts) {
  const Tensor context = parts.context ? Tensor::context : Tensor::x;
  constexpr Tensor kNone = Tensor::count;
  switch (tensor) {
    case Tensor::x: return {Rule::sum, kNone, kNone};
    case Tensor::q: return {Rule::dot, Tensor::x, Tensor::w_q, Tensor::b_q};
    case Tensor::k: return {Rule::dot, context, Tensor::w_k, Tensor::b_k};
    case Tensor::v: return {Rule::dot, context, Tensor::w_v, Tensor::b_v};
    case Tensor::q_heads: return {Rule::same, Tensor::q, kNone};
    case Tensor::k_heads: return {Rule::same, Tensor::k, kNone};
    case Tensor::v_heads: return {Rule::same, Tensor::v, kNone};
    case Tensor::raw_scores: return {Rule::dot, Tensor::q_heads, Tensor::k_heads};
    case Tensor::scaled_scores: return {Rule::scale, Tensor::raw_scores, kNone};
    case Tensor::masked_scores: return {Rule::mask, kNone, kNone};
    case Tensor::weights: return {Rule::softmax, Tensor::masked_scores, kNone};
    case Tensor::heads: return {Rule::dot, Tensor::weights, Tensor::v_heads};
    case Tensor::concat: return {Rule::dot, Tensor::weights, Tensor::v_heads};
    case Tensor::output: return {Rule::dot, Tensor::concat, Tensor::w_o, Tensor::b_o};
    case Tensor::masked_rows: return {Rule::mask, Tensor::masked_scores, kNone};
    case Tensor::contributions: return {Rule::dot, Tensor::heads, Tensor::w_o};
    default: return {Rule::given, kNone, kNone};
  }
}

/// What holds for every rule: "" if the terms are the cells they name and add up.
std::string wrong_terms(const Solved& solved, const Explained& e, const Wanted& want) {
  const bool dot = want.rule == Rule::dot;
  double sum = want.bias != Tensor::count && solved.parts.biases ? e.explanation.bias : 0.0;
  if (dot && (want.bias == Tensor::count || !solved.parts.biases) && e.explanation.bias != 0.0)
    return "a bias from nowhere";
  for (const Term& term : e.terms) {
    if (want.a != Tensor::count && term.a.tensor != want.a) return "operand a of another tensor";
    if (term.b.tensor != want.b) return "operand b of another tensor";
    const bool inside =
        solved.layout(term.a.tensor)[term.a.tensor].contains(term.a.index[0], term.a.index[1], term.a.index[2]);
    if (!inside) return "operand a outside its tensor";
    if (term.a_value != solved.at(term.a)) return "operand a has another value";
    if (dot && term.b_value != solved.at(term.b)) return "operand b has another value";
    if (dot && term.value != term.a_value * term.b_value) return "not the product";
    sum += term.value;
    if (term.running != sum) return "the running sum is wrong";
  }
  if (want.rule != Rule::given && e.explanation.sum != sum) return "the running sum does not end in the sum";
  return "";
}

/// "" if `largest` names the terms of largest magnitude in order, and the rest is the rest.
std::string wrong_ranking(const Explained& e, std::int32_t asked) {
  const Explanation& x = e.explanation;
  if (x.largest_count != std::min(asked, x.term_count)) return "not as many as were asked for";
  std::vector<bool> named(e.terms.size());
  double last = std::numeric_limits<double>::infinity(), total = 0.0, sum = x.rest, magnitude = 0.0;
  for (std::int32_t rank = 0; rank < x.largest_count; ++rank) {
    const auto place = static_cast<std::size_t>(x.largest[static_cast<std::size_t>(rank)]);
    if (place >= e.terms.size() || named[place]) return "named twice, or outside";
    named[place] = true;
    if (std::abs(e.terms[place].value) > last) return "not in order";
    last = std::abs(e.terms[place].value);
    sum += e.terms[place].value;
  }
  for (std::size_t place = 0; place < e.terms.size(); ++place) {
    total += e.terms[place].value;
    magnitude += std::abs(e.terms[place].value);
    if (!named[place] && std::abs(e.terms[place].value) > last) return "a larger one was left out";
  }
  const bool fine = std::isinf(total) ? sum == total : std::abs(sum - total) <= 1e-14 * (magnitude + std::abs(total));
  return fine ? "" : text("largest and rest add up to %.17g, all to %.17g", sum, total);
}

/// The value against γ_{K+2}·(|bias| + Σ|ab|): the explanation's bound must hold, and must not be wider than needed.
std::string wrong_dot(const Solved& solved, const Explained& e, Tensor tensor) {
  const Explanation& x = e.explanation;
  double magnitude = std::abs(x.bias);
  for (const Term& term : e.terms) magnitude += std::abs(term.value);
  const double gate_size = std::abs(x.gate);
  const double most = gate_size * gamma(x.term_count + 4) * magnitude + (1 + gate_size) * x.term_count * 0x1p-148;
  if (!(x.bound <= most)) return text("a bound of %.3g is too wide, %.3g is enough", x.bound, most);
  if (!(std::abs(x.value - x.gate * x.sum) <= x.bound)) {
    return text("value %.9g, gate·sum %.9g, bound %.3g", x.value, x.gate * x.sum, x.bound);
  }
  std::int32_t head = -1;
  if (tensor == Tensor::heads) head = x.cell.index[0];
  if (tensor == Tensor::concat) head = x.cell.index[1] / solved.problem.shape.head_dim;
  const double gate = head >= 0 ? double{solved.problem.options().gate(head)} : 1.0;
  return x.gate == gate ? "" : "another gate";
}

std::string wrong_mask(const Solved& solved, const Explained& e) {
  const Explanation& x = e.explanation;
  const auto [head, i, j] = x.cell.index;
  const Cell mask = {Tensor::mask, {i, j, 0}};
  const double added = solved.parts.mask ? solved.at(mask) : 0.0;
  const bool hidden = solved.problem.switches.hides(solved.problem.shape, i, j) || added == kMinusInfinity;
  if (e.terms.empty() || e.terms[0].a.tensor != Tensor::scaled_scores) return "the scaled score is missing";
  if (solved.parts.mask != (e.terms.size() == 2)) return "the mask is missing, or there is none";
  if (solved.parts.mask && solved.address(e.terms[1].a) != solved.address(mask)) return "another mask entry";
  if (x.masked != (hidden ? 1.0 : 0.0)) return "forbidden or not is wrong";
  if (hidden) return x.value == kMinusInfinity ? "" : "forbidden, but not −∞";
  return std::abs(x.value - x.sum) <= std::min(x.bound, 1.01 * kUnit * std::abs(x.sum)) ? "" : "not the sum";
}

std::string wrong_softmax(const Solved& solved, const Explained& e) {
  const Explanation& x = e.explanation;
  const auto [head, i, j] = x.cell.index;
  double max = kMinusInfinity, sum = 0.0;
  for (const Term& term : e.terms) max = std::max(max, term.a_value);
  for (const Term& term : e.terms) sum += max == kMinusInfinity ? 0.0 : std::exp(term.a_value - max);
  const double score = solved.at({Tensor::masked_scores, {head, i, j}});
  if (x.row_max != max) return "another row maximum";
  if (x.row_masked != solved.at({Tensor::masked_rows, {i, 0, 0}})) return "the row is masked, or not";
  if (x.masked != (score == kMinusInfinity ? 1.0 : 0.0)) return "the cell is masked, or not";
  if (std::abs(x.sum - sum) > 1e-13 * sum) return "another sum";
  if (x.term_count != solved.problem.shape.context) return "not every key";
  if (x.masked != 0.0) return x.value == 0.0 ? "" : "masked, but not 0";
  if (x.difference != score - max) return "another difference";
  if (std::abs(x.exponential - std::exp(x.difference)) > 1e-15) return "another exponential";
  const double weight = x.exponential / x.sum;
  if (!(x.bound <= 1e-4 * weight + 1e-37)) return "a bound that says nothing";
  return std::abs(x.value - weight) <= x.bound ? "" : text("%.9g is not %.9g", x.value, weight);
}

std::string wrong(const Solved& solved, const Cell& cell) {
  const std::int32_t asked = (cell.index[0] + cell.index[1] + cell.index[2]) % (kMaxLargest + 1);
  const Explained e = explain_cell(solved, cell, asked);
  const Explanation& x = e.explanation;
  const Wanted want = wanted(cell.tensor, solved.parts);
  if (!e.outcome.ok()) return "refused: " + message(e.outcome);
  if (x.cell.tensor != cell.tensor || x.cell.index != cell.index) return "another cell";
  if (x.rule != want.rule) return "another rule";
  if (cell.tensor != Tensor::contributions && x.value != solved.at(cell)) return "not the number of the trace";
  if (std::string bad = wrong_terms(solved, e, want); !bad.empty()) return bad;
  if (std::string bad = wrong_ranking(e, asked); !bad.empty()) return bad;
  switch (want.rule) {
    case Rule::given: return e.terms.empty() ? "" : "terms of a given number";
    case Rule::sum: return e.terms.size() == 2 ? wrong_dot(solved, e, cell.tensor) : "not two summands";
    case Rule::dot: return wrong_dot(solved, e, cell.tensor);
    case Rule::scale: {
      const double product = e.terms[0].a_value * x.factor;
      if (x.factor != double{solved.problem.options().factor(solved.problem.shape.head_dim)}) return "another factor";
      return std::abs(x.value - product) <= std::min(x.bound, kUnit * std::abs(product) + 1e-40) ? "" : "not scaled";
    }
    case Rule::mask: return cell.tensor == Tensor::masked_rows ? "" : wrong_mask(solved, e);
    case Rule::softmax: return wrong_softmax(solved, e);
    case Rule::same: return solved.address(e.terms[0].a) == solved.address(cell) ? "" : "another address";
  }
  return "no rule";
}

/// Calls visit(cell) for every cell of every tensor that is there to be explained.
template <typename Visit>
void for_every_cell(const Solved& solved, Visit visit) {
  for (std::size_t i = 0; i < kTensorCount; ++i) {
    const auto tensor = static_cast<Tensor>(i);
    const bool needs_scores = tensor == Tensor::weights || tensor == Tensor::masked_rows;
    if (!solved.holds(tensor) || (needs_scores && solved.parts.detail == Detail::core)) continue;
    const auto [a, b, c] = extents(tensor, solved.problem.shape);
    for (std::int32_t u = 0; u < a; ++u) {
      for (std::int32_t v = 0; v < b; ++v) {
        for (std::int32_t w = 0; w < c; ++w) visit(Cell{tensor, {u, v, w}});
      }
    }
  }
}

TEST_CASE("every cell of every tensor is explained", "[explanation]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    for (const Solved& solved : problems(random)) {
      INFO(describe(solved.problem));
      int cells = 0;
      for_every_cell(solved, [&](const Cell& cell) {
        ++cells;
        if (const std::string bad = wrong(solved, cell); !bad.empty()) {
          FAIL_CHECK(info(cell.tensor).name << " " << cell.index[0] << ", " << cell.index[1] << ", " << cell.index[2]
                                            << ": " << bad);
        }
      });
      CHECK(cells > 200);
    }
  }
}

TEST_CASE("what underflows before a large gate stays within the bound", "[explanation]") {
  // Two equal weights: ½·2⁻¹⁴⁹ rounds to 0, and the gate makes 2⁻¹³⁰ of what is lost.
  Problem p;
  p.shape = {1, 2, 1, 1, 1, 1};
  p.context = {0x1p-149F, 0.0F};
  p.w_q = {0.0F};
  p.w_k = p.w_v = p.w_o = {1.0F};
  p.gates = {0x1p20F};
  Random random(1);
  const Solved solved(p, Detail::full, random);
  const Explanation x = explain_cell(solved, {Tensor::heads, {0, 0, 0}}).explanation;
  CHECK(x.value == 0.0);
  CHECK(x.gate * x.sum == 0x1p-130);
  for (const Cell& cell : {Cell{Tensor::heads, {0, 0, 0}}, Cell{Tensor::concat, {0, 0, 0}}}) {
    CHECK(wrong(solved, cell) == "");
  }
}

TEST_CASE("a masked row is explained by its scores", "[explanation]") {
  Random random(Catch::getSeed());
  const Solved solved = std::move(problems(random)[1]);
  for (std::int32_t i = 0; i < 3; ++i) {
    const Explained e = explain_cell(solved, {Tensor::masked_rows, {i, 0, 0}});
    REQUIRE(e.outcome.ok());
    CHECK(e.explanation.term_count == 5);
    CHECK(e.explanation.row_masked == e.explanation.value);
    CHECK((e.explanation.sum == 5.0) == (e.explanation.value == 1.0));
  }
  CHECK(explain_cell(solved, {Tensor::masked_rows, {1, 0, 0}}).explanation.value == 1.0);
}

TEST_CASE("an output cell is the sum of its heads", "[explanation]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    for (const Solved& solved : problems(random)) {
      const Shape& s = solved.problem.shape;
      INFO(describe(solved.problem));
      std::vector<double> by_head(static_cast<std::size_t>(s.heads));
      for (std::int32_t i = 0; i < s.tokens; ++i) {
        for (std::int32_t c = 0; c < s.model_dim; ++c) {
          REQUIRE(explain_by_head(solved.evidence(), i, c, by_head).ok());
          const Explained whole = explain_cell(solved, {Tensor::output, {i, c, 0}});
          double sum = whole.explanation.bias;
          for (std::int32_t head = 0; head < s.heads; ++head) {
            const Explained part = explain_cell(solved, {Tensor::contributions, {head, i, c}});
            CHECK(std::abs(by_head[static_cast<std::size_t>(head)] - part.explanation.sum) <= 1e-12);
            CHECK(part.explanation.value == part.explanation.sum);
            sum += by_head[static_cast<std::size_t>(head)];
          }
          CHECK(std::abs(sum - whole.explanation.value) <= whole.explanation.bound + 1e-12);
        }
      }
    }
  }
}

TEST_CASE("any number of largest terms may be asked for", "[explanation]") {
  Random random(Catch::getSeed());
  const Solved solved = std::move(problems(random)[1]);
  for (const std::int32_t asked : {-5, 0, 1, 7, 8, 9, 1000}) {
    const Explained e = explain_cell(solved, {Tensor::output, {2, 3, 0}}, asked);
    REQUIRE(e.outcome.ok());
    CHECK(wrong_ranking(e, std::clamp(asked, 0, kMaxLargest)) == "");
  }
  CHECK(max_terms({3, 5, 7, 4, 2, 3}) == 12);
  CHECK(max_terms({3, 5, 17, 4, 2, 3}) == 17);
  CHECK(max_terms({3, 50, 17, 4, 2, 3}) == 50);
  CHECK(max_terms({1, 1, 1, 1, 1, 1}) == 2);
}

}  // namespace
}  // namespace mha::test
