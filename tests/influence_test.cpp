// The thread forward against the thread back, cell by cell.
#include "mha/influence.hpp"

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "explanation_problem.hpp"
#include "influence_problem.hpp"
#include "problem.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

/// The number of a cell among all cells of all tensors.
class Numbering {
 public:
  explicit Numbering(const Shape& shape) : shape_(shape) {
    for (std::size_t i = 0; i < kTensorCount; ++i) {
      first_[i] = total_;
      total_ += static_cast<std::size_t>(element_count(static_cast<Tensor>(i), shape));
    }
  }
  [[nodiscard]] std::size_t of(const Cell& cell) const {
    const auto [a, b, c] = extents(cell.tensor, shape_);
    const auto& [u, v, w] = cell.index;
    return first_[static_cast<std::size_t>(cell.tensor)] + static_cast<std::size_t>((u * b + v) * c + w);
  }
  [[nodiscard]] std::size_t total() const { return total_; }

 private:
  Shape shape_;
  std::array<std::size_t, kTensorCount> first_;
  std::size_t total_ = 0;
};

/// Every name of the number in a cell.
std::vector<Cell> names_of(const Cell& cell, std::int32_t k) {
  const auto [a, b, c] = cell.index;
  constexpr std::pair<Tensor, Tensor> kPairs[] = {{Tensor::q, Tensor::q_heads},
                                                  {Tensor::k, Tensor::k_heads},
                                                  {Tensor::v, Tensor::v_heads},
                                                  {Tensor::concat, Tensor::heads}};
  for (const auto& [whole, split] : kPairs) {
    if (cell.tensor == whole) return {cell, {split, {b / k, a, b % k}}};
    if (cell.tensor == split) return {cell, {whole, {b, a * k + c, 0}}};
  }
  return {cell};
}

/// The operands of a cell that something comes through from: explain()'s own, without those that a mask, a gate or a
/// scale of 0 stops.
std::vector<Cell> live_operands(const Solved& solved, const Cell& cell) {
  const Shape& s = solved.problem.shape;
  const Explained e = explain_cell(solved, cell);
  REQUIRE(e.outcome.ok());
  const Explanation& x = e.explanation;
  if (cell.tensor == Tensor::masked_rows || x.masked != 0 || x.gate == 0 || x.factor == 0) return {};

  const bool is_output = cell.tensor == Tensor::output || cell.tensor == Tensor::contributions;
  const std::int32_t row = cell.index[cell.tensor == Tensor::contributions ? 1 : 0];
  const bool dead_row = is_output && solved.at({Tensor::masked_rows, {row, 0, 0}}) != 0;
  std::vector<Cell> live;
  for (const Term& term : e.terms) {
    if (x.rule == Rule::softmax && term.a_value == double{-kInfinity}) continue;
    if (term.a.tensor == Tensor::weights && forbidden(solved, term.a)) continue;
    if (is_output) {
      const std::int32_t head = term.a.tensor == Tensor::heads ? term.a.index[0] : term.a.index[1] / s.head_dim;
      if (dead_row || solved.problem.options().gate(head) == 0.0F) continue;
    }
    live.push_back(term.a);
    if (term.b.tensor != Tensor::count) live.push_back(term.b);
  }
  if (cell.tensor == Tensor::output && !dead_row) {
    for (std::int32_t head = 0; head < s.heads; ++head) {
      if (solved.problem.options().gate(head) != 0.0F) {
        live.push_back({Tensor::contributions, {head, cell.index[0], cell.index[1]}});
      }
    }
  }
  // A bias is told by its value only.
  constexpr std::pair<Tensor, Tensor> kBiases[] = {
      {Tensor::q, Tensor::b_q}, {Tensor::k, Tensor::b_k}, {Tensor::v, Tensor::b_v}, {Tensor::output, Tensor::b_o}};
  for (const auto& [made, bias] : kBiases) {
    if (cell.tensor == made && solved.holds(bias)) live.push_back({bias, {cell.index[1], 0, 0}});
  }
  return live;
}

/// For each cell, by its number: the cells that it goes into.
std::vector<std::set<std::size_t>> consumers_of_all(const Solved& solved, const Numbering& number) {
  std::vector<std::set<std::size_t>> consumers(number.total());
  for_every_cell(solved, [&](const Cell& b) {
    for (const Cell& operand : live_operands(solved, b)) {
      for (const Cell& a : names_of(operand, solved.problem.shape.head_dim)) {
        if (number.of(a) != number.of(b)) consumers[number.of(a)].insert(number.of(b));
      }
    }
  });
  return consumers;
}

std::set<std::size_t> closure(const std::vector<std::set<std::size_t>>& consumers, std::size_t from) {
  std::set<std::size_t> reached = consumers[from];
  std::vector<std::size_t> open(reached.begin(), reached.end());
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    for (const std::size_t further : consumers[next]) {
      if (reached.insert(further).second) open.push_back(further);
    }
  }
  return reached;
}

/// The cells that these boxes mean.
std::set<std::size_t> cells_in(const Solved& solved, const Numbering& number, const Regions& regions) {
  std::set<std::size_t> cells;
  for (const Region& region : regions.all()) {
    for_every_cell_of(region.tensor, solved.problem.shape, [&](const Cell& cell) {
      const bool scores = cell.tensor == Tensor::masked_scores || cell.tensor == Tensor::weights;
      if (region.contains(cell) && !(scores && forbidden(solved, cell))) cells.insert(number.of(cell));
    });
  }
  return cells;
}

/// "" if the boxes are inside their tensors, in order, and none is inside another.
std::string untidy(const Solved& solved, const Regions& regions) {
  for (const Region& region : regions.all()) {
    if (!solved.holds(region.tensor)) return "a tensor that is not there";
    const auto lengths = extents(region.tensor, solved.problem.shape);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (region.first[axis] < 0 || region.count[axis] < 1 || region.first[axis] + region.count[axis] > lengths[axis]) {
        return "outside its tensor";
      }
    }
    for (const Region& other : regions.all()) {
      if (&other != &region && other.contains(region)) return "inside another";
    }
    if (&region != regions.boxes.data() && region.tensor < (&region)[-1].tensor) return "not in order";
  }
  return "";
}

TEST_CASE("a cell goes into those cells that it is an operand of", "[influence]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    for (const Solved& solved : followed(random)) {
      INFO(describe(solved.problem));
      const Numbering number(solved.problem.shape);
      const auto consumers = consumers_of_all(solved, number);
      for_every_cell(solved, [&](const Cell& cell) {
        const auto found = influence_of(solved, cell);
        std::string bad = untidy(solved, found->direct) + untidy(solved, found->reached);
        if (cells_in(solved, number, found->direct) != consumers[number.of(cell)]) bad += " other consumers";
        if (cells_in(solved, number, found->reached) != closure(consumers, number.of(cell))) bad += " reaches others";
        if (!bad.empty()) {
          FAIL_CHECK(info(cell.tensor).name << " " << cell.index[0] << ", " << cell.index[1] << ", " << cell.index[2]
                                            << ": " << bad);
        }
      });
    }
  }
}

TEST_CASE("a core trace is followed through what it does not keep", "[influence]") {
  Random random(Catch::getSeed());
  const std::vector<Solved> all = problems(random);
  const Solved& full = all[all.size() - 2];
  const Solved& core = all.back();
  for_every_cell(core, [&](const Cell& cell) {
    const auto found = influence_of(core, cell);
    const auto complete = influence_of(full, cell);
    std::vector<Region> kept;
    for (const Region& region : complete->reached.all()) {
      if (core.holds(region.tensor)) kept.push_back(region);
    }
    CHECK(std::equal(kept.begin(), kept.end(), found->reached.all().begin(), found->reached.all().end()));
  });
}

TEST_CASE("a number of X reaches its row of q, and a row and a column of the scores of every head", "[influence]") {
  Random random(1);
  Problem p = plain_problem({11, 11, 8, 2, 2, 4}, random);
  p.switches.causal = true;
  const Solved solved(p, Detail::full, random);
  const auto found = influence_of(solved, {Tensor::token_vectors, {6, 0, 0}});
  const std::vector<Region> expected = {{Tensor::x, {6, 0, 0}, {1, 1, 1}},
                                        {Tensor::q, {6, 0, 0}, {1, 8, 1}},
                                        {Tensor::k, {6, 0, 0}, {1, 8, 1}},
                                        {Tensor::v, {6, 0, 0}, {1, 8, 1}},
                                        {Tensor::q_heads, {0, 6, 0}, {2, 1, 4}},
                                        {Tensor::k_heads, {0, 6, 0}, {2, 1, 4}},
                                        {Tensor::v_heads, {0, 6, 0}, {2, 1, 4}},
                                        {Tensor::raw_scores, {0, 0, 6}, {2, 11, 1}},
                                        {Tensor::raw_scores, {0, 6, 0}, {2, 1, 11}},
                                        {Tensor::scaled_scores, {0, 0, 6}, {2, 11, 1}},
                                        {Tensor::scaled_scores, {0, 6, 0}, {2, 1, 11}},
                                        {Tensor::masked_scores, {0, 6, 0}, {2, 1, 7}},
                                        {Tensor::masked_scores, {0, 6, 6}, {2, 5, 1}},
                                        {Tensor::weights, {0, 6, 0}, {2, 5, 11}},
                                        {Tensor::heads, {0, 6, 0}, {2, 5, 4}},
                                        {Tensor::concat, {6, 0, 0}, {5, 8, 1}},
                                        {Tensor::output, {6, 0, 0}, {5, 8, 1}},
                                        {Tensor::contributions, {0, 6, 0}, {2, 5, 8}}};
  CHECK(std::equal(expected.begin(), expected.end(), found->reached.all().begin(), found->reached.all().end()));
}

TEST_CASE("what can't be followed is refused", "[influence]") {
  Random random(1);
  const std::vector<Solved> all = problems(random);
  const auto found = std::make_unique<Influence>();
  const auto status = [&](const Evidence& evidence, const Cell& cell) {
    return influence(evidence, cell, *found).status;
  };
  const Evidence good = all[0].evidence();
  for (const Cell& cell :
       {Cell{Tensor::output, {3, 0, 0}}, Cell{Tensor::contributions, {2, 0, 0}}, Cell{Tensor::contributions, {0, 0, 4}},
        Cell{Tensor::mask, {0, 0, 0}}, Cell{Tensor::count, {0, 0, 0}}, Cell{static_cast<Tensor>(-1), {0, 0, 0}}}) {
    CHECK(status(good, cell) == Status::no_such_cell);
  }
  CHECK(status(good, {Tensor::output, {2, 3, 0}}) == Status::ok);
  CHECK(found->direct.size == 0);
  Evidence bad = good;
  bad.input = bad.input.subspan(1);
  CHECK(status(bad, {Tensor::output, {0, 0, 0}}) == Status::wrong_size);
  bad = good;
  bad.shape.tokens = 0;
  CHECK(status(bad, {Tensor::output, {0, 0, 0}}) == Status::tokens_out_of_range);

  // Every second head is switched off: more gaps than boxes.
  Problem ragged = plain_problem({1, 1, 2, 600, 600, 1}, random);
  for (int head = 0; head < 600; ++head) ragged.gates.push_back(static_cast<float>(head % 2));
  const Solved solved(ragged, Detail::full, random);
  const Outcome outcome = influence(solved.evidence(), {Tensor::x, {0, 1, 0}}, *found);
  CHECK(outcome.status == Status::too_large);
  CHECK(outcome.tensor == Tensor::x);
  CHECK(status(solved.evidence(), {Tensor::q, {0, 1, 0}}) == Status::ok);
}

}  // namespace
}  // namespace mha::test
