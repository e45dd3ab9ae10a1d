// What explain() refuses: cells that are not there, and evidence that does not fit its shape.
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "explanation_problem.hpp"
#include "mha/explanation.hpp"
#include "problem.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

TEST_CASE("cells that are not there are refused", "[explanation]") {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  Random random(Catch::getSeed());
  const std::vector<Solved> all = problems(random);
  for (const Solved& solved : all) {
    for (std::size_t i = 0; i < kTensorCount; ++i) {
      const auto tensor = static_cast<Tensor>(i);
      CAPTURE(info(tensor).name);
      const auto lengths = extents(tensor, solved.problem.shape);
      for (std::size_t place = 0; place < 3; ++place) {
        for (const std::int32_t outside : {-kMost - 1, -1, lengths[place], kMost}) {
          Cell cell{tensor, {0, 0, 0}};
          cell.index[place] = outside;
          CHECK(explain_cell(solved, cell).outcome.status == Status::no_such_cell);
        }
      }
      if (!solved.holds(tensor))
        CHECK(explain_cell(solved, {tensor, {0, 0, 0}}).outcome.status == Status::no_such_cell);
    }
    for (const int beyond : {-1, static_cast<int>(kTensorCount), 1000}) {
      CHECK(explain_cell(solved, {static_cast<Tensor>(beyond), {0, 0, 0}}).outcome.status == Status::no_such_cell);
    }
    std::vector<double> by_head(static_cast<std::size_t>(solved.problem.shape.heads));
    for (const auto& [row, column] : {std::pair{-1, 0},
                                      {0, -1},
                                      {solved.problem.shape.tokens, 0},
                                      {0, solved.problem.shape.model_dim},
                                      {kMost, kMost}}) {
      CHECK(explain_by_head(solved.evidence(), row, column, by_head).status == Status::no_such_cell);
    }
  }
  // Weights are explained by scores, which a core trace does not keep; the rest is explained all the same.
  const Solved& core = all.back();
  CHECK(explain_cell(core, {Tensor::weights, {0, 0, 0}}).outcome.status == Status::no_such_cell);
  CHECK(explain_cell(core, {Tensor::masked_rows, {0, 0, 0}}).outcome.status == Status::no_such_cell);
  CHECK(explain_cell(core, {Tensor::output, {0, 0, 0}}).outcome.ok());
}

TEST_CASE("evidence of the wrong size is refused", "[explanation]") {
  Random random(Catch::getSeed());
  const Solved solved = std::move(problems(random)[1]);
  const Cell cell = {Tensor::output, {0, 0, 0}};
  std::vector<Term> terms(static_cast<std::size_t>(max_terms(solved.problem.shape)));
  Explanation explanation;
  const auto status = [&](const Evidence& evidence, std::span<Term> room) {
    return explain(evidence, cell, 3, explanation, room).status;
  };
  const Evidence good = solved.evidence();
  CHECK(status(good, terms) == Status::ok);
  CHECK(status(good, std::span(terms).first(terms.size() - 1)) == Status::wrong_size);
  for (std::span<const float> Evidence::* slab : {&Evidence::input, &Evidence::parameters, &Evidence::trace}) {
    Evidence bad = good;
    bad.*slab = (bad.*slab).subspan(1);
    CHECK(status(bad, terms) == Status::wrong_size);
    bad.*slab = {};
    CHECK(status(bad, terms) == Status::wrong_size);
  }
  // A context that the parts do not have: its rows would be looked for in x.
  Evidence bad = good;
  bad.parts.context = false;
  const std::vector<float> input(static_cast<std::size_t>(Layout(Slab::input, bad.shape, bad.parts).size()));
  bad.input = input;
  for (const Cell& cell_of_k : {Cell{Tensor::k, {4, 0, 0}}, Cell{Tensor::v, {4, 0, 0}}, cell}) {
    const Outcome outcome = explain(bad, cell_of_k, 3, explanation, terms);
    CHECK(outcome.status == Status::wrong_size);
    CHECK(outcome.tensor == Tensor::context);
  }
  std::vector<double> by_head(4);
  CHECK(explain_by_head(bad, 0, 0, by_head).tensor == Tensor::context);
  // One gate per head, or none.
  for (const std::size_t count : {0U, 1U, 3U, 4U, 5U}) {
    CAPTURE(count);
    const std::vector<float> gates(count, 0.5F);
    bad = good;
    bad.options.head_gate = gates;
    const Status expected = count == 0 || count == 4 ? Status::ok : Status::bad_gate;
    CHECK(status(bad, terms) == expected);
    CHECK(explain(bad, {Tensor::heads, {3, 0, 0}}, 3, explanation, terms).status == expected);
    CHECK(explain_by_head(bad, 0, 0, by_head).status == expected);
  }
  bad = good;
  bad.shape.heads = 0;
  CHECK(status(bad, terms) == Status::heads_out_of_range);
  std::vector<double> too_many(5);
  CHECK(explain_by_head(good, 0, 0, too_many).status == Status::wrong_size);
}

}  // namespace
}  // namespace mha::test
