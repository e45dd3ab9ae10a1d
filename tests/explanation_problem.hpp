// A solved problem in the slabs that an explanation reads, and the explanation of one of its cells.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "mha/embedding.hpp"
#include "mha/explanation.hpp"
#include "problem.hpp"
#include "support.hpp"

namespace mha::test {

/// A problem solved in slabs, as the page holds it.
struct Solved {
  Problem problem;
  Parts parts;
  Layout input_layout, parameter_layout, trace_layout;
  std::vector<float> input, parameters, trace;

  Solved(Problem p, Detail detail, Random& random)
      : problem(std::move(p)),
        parts{!problem.context.empty(), !problem.mask.empty(), !problem.b_q.empty(), detail},
        input_layout(Slab::input, problem.shape, parts),
        parameter_layout(Slab::parameters, problem.shape, parts),
        trace_layout(Slab::trace, problem.shape, parts),
        input(static_cast<std::size_t>(input_layout.size())),
        parameters(static_cast<std::size_t>(parameter_layout.size())),
        trace(static_cast<std::size_t>(trace_layout.size())) {
    const std::span<float> words = input_layout.span(Tensor::token_vectors, std::span(input));
    const std::span<float> places = input_layout.span(Tensor::positions, std::span(input));
    for (float& value : words) value = random.number(1.7320508F);
    for (float& value : places) value = random.number();
    problem.x.resize(words.size());
    add_positions(words, places, problem.x);

    fill(input_layout, input, Tensor::x, problem.x);
    fill(input_layout, input, Tensor::context, problem.context);
    fill(input_layout, input, Tensor::mask, problem.mask);
    const std::pair<Tensor, const std::vector<float>*> given[] = {
        {Tensor::w_q, &problem.w_q}, {Tensor::w_k, &problem.w_k}, {Tensor::w_v, &problem.w_v},
        {Tensor::w_o, &problem.w_o}, {Tensor::b_q, &problem.b_q}, {Tensor::b_k, &problem.b_k},
        {Tensor::b_v, &problem.b_v}, {Tensor::b_o, &problem.b_o}};
    for (const auto& [tensor, values] : given) fill(parameter_layout, parameters, tensor, *values);

    Attention attention;
    REQUIRE(attention.load(problem.shape, problem.parameters()).ok());
    REQUIRE(attention.forward(problem.shape, problem.input(), problem.options(), detail, trace).ok());
  }

  static void fill(const Layout& layout, std::vector<float>& slab, Tensor tensor, const std::vector<float>& values) {
    const std::span<float> place = layout.span(tensor, std::span(slab));
    REQUIRE(place.size() == values.size());
    std::copy(values.begin(), values.end(), place.begin());
  }

  [[nodiscard]] Evidence evidence() const {
    return {problem.shape, parts, input, parameters, trace, problem.options()};
  }

  [[nodiscard]] const Layout& layout(Tensor tensor) const {
    if (info(tensor).slab == Slab::input) return input_layout;
    return info(tensor).slab == Slab::parameters ? parameter_layout : trace_layout;
  }
  [[nodiscard]] bool holds(Tensor tensor) const {
    return tensor == Tensor::contributions || layout(tensor).find(tensor).has_value();
  }
  [[nodiscard]] std::int64_t address(const Cell& cell) const {
    return layout(cell.tensor)[cell.tensor].at(cell.index[0], cell.index[1], cell.index[2]);
  }
  /// The number in a cell, read by the layout and nothing else.
  [[nodiscard]] double at(const Cell& cell) const {
    const Slab slab = info(cell.tensor).slab;
    const auto& floats = slab == Slab::input ? input : slab == Slab::parameters ? parameters : trace;
    return double{floats[static_cast<std::size_t>(address(cell))]};
  }
};

/// An explanation with its terms.
struct Explained {
  Outcome outcome;
  Explanation explanation;
  std::vector<Term> terms;
};

inline Explained explain_cell(const Solved& solved, const Cell& cell, std::int32_t largest = 3) {
  Explained made;
  made.terms.resize(static_cast<std::size_t>(max_terms(solved.problem.shape)));
  made.outcome = explain(solved.evidence(), cell, largest, made.explanation, made.terms);
  if (made.outcome.ok()) made.terms.resize(static_cast<std::size_t>(made.explanation.term_count));
  return made;
}

inline std::array<std::int32_t, 3> extents(Tensor tensor, const Shape& shape) {
  std::array<std::int32_t, 3> lengths;
  for (std::size_t place = 0; place < 3; ++place) {
    lengths[place] = static_cast<std::int32_t>(extent(info(tensor).axes[place], shape));
  }
  return lengths;
}

/// Without and with every option, in full and in core detail (the last one).
inline std::vector<Solved> problems(Random& random) {
  std::vector<Solved> all;
  Problem plain = plain_problem({3, 3, 4, 2, 2, 2}, random);
  all.emplace_back(plain, Detail::full, random);
  Problem everything = plain_problem({3, 5, 7, 4, 2, 3}, random);
  add_biases(everything, random);
  everything.mask = random_mask(everything.shape, random);
  for (int j = 0; j < 5; ++j) everything.mask[static_cast<std::size_t>(5 + j)] = -kInfinity;  // row 1 sees nothing
  everything.gates = {0.0F, 1.0F, 0.5F, -1.25F};
  all.emplace_back(everything, Detail::full, random);
  Problem causal = plain_problem({6, 6, 5, 3, 1, 9}, random);
  causal.switches = {Options::Scale::given, -0.7F, true, 2, {}};
  all.emplace_back(causal, Detail::full, random);
  all.emplace_back(causal, Detail::core, random);
  return all;
}

}  // namespace mha::test
