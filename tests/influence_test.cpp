// The thread forward against the thread back, cell by cell, and against what really changes.
#include "mha/influence.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "explanation_problem.hpp"
#include "mha/attention_reference.hpp"
#include "problem.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

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

template <typename Visit>
void for_every_cell_of(Tensor tensor, const Shape& shape, Visit visit) {
  const auto [a, b, c] = extents(tensor, shape);
  for (std::int32_t u = 0; u < a; ++u) {
    for (std::int32_t v = 0; v < b; ++v) {
      for (std::int32_t w = 0; w < c; ++w) visit(Cell{tensor, {u, v, w}});
    }
  }
}

template <typename Visit>
void for_every_cell(const Solved& solved, Visit visit) {
  for (std::size_t i = 0; i < kTensorCount; ++i) {
    const auto tensor = static_cast<Tensor>(i);
    if (solved.holds(tensor)) for_every_cell_of(tensor, solved.problem.shape, visit);
  }
}

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

bool forbidden(const Solved& solved, const Cell& score) {
  return solved.at({Tensor::masked_scores, score.index}) == kMinusInfinity;
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
    if (x.rule == Rule::softmax && term.a_value == kMinusInfinity) continue;
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

/// Every part and option, closed gates and a scale of 0 among them; the masks of rows and keys at their most ragged.
std::vector<Solved> followed(Random& random) {
  std::vector<Solved> all = problems(random);
  all.pop_back();  // core detail: a test of its own
  for (int round = 0; round < 3; ++round) {
    const int g = random.integer(1, 2);
    const int n = random.integer(1, 4);
    Problem p = random_problem({n, random.one_in(2) ? n : random.integer(1, 4), random.integer(1, 4),
                                g * random.integer(1, 3), g, random.integer(1, 3)},
                               random);
    if (!p.b_q.empty() || !p.b_k.empty() || !p.b_v.empty() || !p.b_o.empty()) add_biases(p, random);
    if (random.one_in(4)) p.switches.scale_value = 0.0F;
    all.emplace_back(p, Detail::full, random);
  }
  return all;
}

std::unique_ptr<Influence> influence_of(const Solved& solved, const Cell& cell) {
  auto found = std::make_unique<Influence>();
  REQUIRE(influence(solved.evidence(), cell, *found).ok());
  return found;
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

/// What the double reference makes of a problem, by tensor.
struct Answer {
  Reference reference;
  std::int32_t k, per_kv_head;

  explicit Answer(const Problem& p)
      : reference(reference_of(p)), k(p.shape.head_dim), per_kv_head(p.shape.heads / p.shape.kv_heads) {}

  /// Precondition: a tensor of the trace but masked_rows, or contributions.
  [[nodiscard]] double at(const Cell& cell) const {
    const auto [a, b, c] = cell.index;
    const auto of_head = [&](const std::vector<Bounded>& heads) {
      return heads[static_cast<std::size_t>(a)].value(b, c);
    };
    switch (cell.tensor) {
      case Tensor::q: return reference.q.value(a, b);
      case Tensor::k: return reference.k.value(a, b);
      case Tensor::v: return reference.v.value(a, b);
      case Tensor::q_heads: return reference.q.value(b, a * k + c);
      case Tensor::k_heads: return reference.k.value(b, a * k + c);
      case Tensor::v_heads: return reference.v.value(b, a * k + c);
      case Tensor::raw_scores: return of_head(reference.raw_scores);
      case Tensor::scaled_scores: return of_head(reference.scaled_scores);
      case Tensor::masked_scores: return of_head(reference.masked_scores);
      case Tensor::weights: return of_head(reference.weights);
      case Tensor::heads: return of_head(reference.heads);
      case Tensor::concat: return reference.concat.value(a, b);
      case Tensor::contributions: return of_head(reference.contributions);
      default: return reference.output.value(a, b);
    }
  }
};

constexpr Tensor kComputed[] = {Tensor::q,
                                Tensor::k,
                                Tensor::v,
                                Tensor::q_heads,
                                Tensor::k_heads,
                                Tensor::v_heads,
                                Tensor::raw_scores,
                                Tensor::scaled_scores,
                                Tensor::masked_scores,
                                Tensor::weights,
                                Tensor::heads,
                                Tensor::concat,
                                Tensor::contributions,
                                Tensor::output};

struct Given {
  Tensor tensor;
  std::vector<float> Problem::* values;
};

constexpr Given kGiven[] = {
    {Tensor::x, &Problem::x},     {Tensor::context, &Problem::context}, {Tensor::mask, &Problem::mask},
    {Tensor::w_q, &Problem::w_q}, {Tensor::w_k, &Problem::w_k},         {Tensor::w_v, &Problem::w_v},
    {Tensor::w_o, &Problem::w_o}, {Tensor::b_q, &Problem::b_q},         {Tensor::b_k, &Problem::b_k},
    {Tensor::b_v, &Problem::b_v}, {Tensor::b_o, &Problem::b_o}};

int visible_keys(const Solved& solved, std::int32_t row) {
  int count = 0;
  for (std::int32_t j = 0; j < solved.problem.shape.context; ++j) {
    if (!forbidden(solved, {Tensor::weights, {0, row, j}})) ++count;
  }
  return count;
}

/// Whether one of a box's rows has a choice of keys: a key alone has weight 1 whatever its score.
bool has_choice(const Solved& solved, const Region& region) {
  const std::size_t axis = info(region.tensor).axes[0] == Axis::n ? 0 : 1;
  for (std::int32_t i = region.first[axis]; i < region.first[axis] + region.count[axis]; ++i) {
    if (visible_keys(solved, i) > 1) return true;
  }
  return false;
}

/// Changes a given number and holds what changes in the reference against the boxes.
std::string wrong_change(const Solved& solved, const Answer& before, const Given& given, const Cell& cell) {
  Problem other = solved.problem;
  const auto lengths = extents(given.tensor, other.shape);
  float& value = (other.*given.values)[static_cast<std::size_t>(cell.index[0] * lengths[1] + cell.index[1])];
  value += 0.75F;
  const Answer after(other);
  const auto found = influence_of(solved, cell);

  std::vector<bool> changed(found->reached.all().size(), false);
  for (const Tensor tensor : kComputed) {
    std::string bad;
    for_every_cell_of(tensor, other.shape, [&](const Cell& at) {
      if (before.at(at) == after.at(at)) return;
      bool inside = false;
      for (std::size_t i = 0; i < changed.size(); ++i) {
        if (!found->reached.all()[i].contains(at)) continue;
        changed[i] = inside = true;
      }
      if (!inside) bad = std::string(info(tensor).name) + " changes outside";
    });
    if (!bad.empty()) return bad;
  }
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const Region& region = found->reached.all()[i];
    // The same added to all keys adds the same to all scores of a row, which a softmax does not see.
    if (given.tensor == Tensor::b_k && region.tensor > Tensor::masked_scores) continue;
    if (!changed[i] && has_choice(solved, region)) {
      return std::string(info(region.tensor).name) + " does not change";
    }
  }
  return "";
}

TEST_CASE("what a number reaches changes with it, and nothing else", "[influence]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    for (const Solved& solved : followed(random)) {
      INFO(describe(solved.problem));
      const Answer before(solved.problem);
      for (const Given& given : kGiven) {
        if (!solved.holds(given.tensor)) continue;
        for_every_cell_of(given.tensor, solved.problem.shape, [&](const Cell& cell) {
          if (const std::string bad = wrong_change(solved, before, given, cell); !bad.empty()) {
            FAIL_CHECK(info(cell.tensor).name << " " << cell.index[0] << ", " << cell.index[1] << ": " << bad);
          }
        });
      }
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
    std::vector<Region> kept;
    for (const Region& region : influence_of(full, cell)->reached.all()) {
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
