// Problems whose cells are followed forward, and how to walk through those cells.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <memory>
#include <vector>

#include "explanation_problem.hpp"
#include "mha/influence.hpp"
#include "problem.hpp"
#include "support.hpp"

namespace mha::test {

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

/// Whether the mask forbids the cell of the scores with this index.
inline bool forbidden(const Solved& solved, const Cell& score) {
  return solved.at({Tensor::masked_scores, score.index}) == double{-kInfinity};
}

/// Every part and option, closed gates and a scale of 0 among them; the masks of rows and keys at their most ragged.
inline std::vector<Solved> followed(Random& random) {
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

inline std::unique_ptr<Influence> influence_of(const Solved& solved, const Cell& cell) {
  auto found = std::make_unique<Influence>();
  REQUIRE(influence(solved.evidence(), cell, *found).ok());
  return found;
}

}  // namespace mha::test
