// A solved problem as the wasm boundary wants it: records and slabs, ready for the exported functions.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "explanation_problem.hpp"
#include "problem.hpp"
#include "support.hpp"
#include "wasm/boundary.hpp"
#include "wasm/exports.hpp"

namespace mha::test {

using wasm::kCell;
using wasm::kExplanation;
using wasm::kOutcome;
using wasm::kTerm;
using wasm::kView;

[[nodiscard]] constexpr std::int32_t number(Status status) { return static_cast<std::int32_t>(status); }

[[nodiscard]] inline std::vector<std::int32_t> record_of(const Shape& shape) {
  return {shape.tokens, shape.context, shape.model_dim, shape.heads, shape.kv_heads, shape.head_dim};
}

[[nodiscard]] inline std::vector<std::int32_t> record_of(const Parts& parts) {
  return {parts.context ? 1 : 0, parts.mask ? 1 : 0, parts.biases ? 1 : 0, static_cast<std::int32_t>(parts.detail)};
}

/// Small, with every part and option by chance. A slab holds all biases or none.
[[nodiscard]] inline Problem problem_in_slabs(Random& random) {
  const int g = random.integer(1, 3);
  const int n = random.integer(1, 9);
  Problem p = random_problem({n, random.one_in(2) ? n : random.integer(1, 9), random.integer(1, 20),
                              g * random.integer(1, 3), g, random.integer(1, 9)},
                             random);
  if (!p.b_q.empty() || !p.b_k.empty() || !p.b_v.empty() || !p.b_o.empty()) add_biases(p, random);
  return p;
}

/// The arguments of every function, each of which a test may spoil.
struct Call {
  Solved solved;  ///< what is expected; its slabs are what the functions are given
  std::int32_t layer = wasm::kMaxLoadedLayers - 1;
  std::vector<std::int32_t> shape, parts, outcome = std::vector<std::int32_t>(kOutcome.size(), 77);
  std::vector<double> options;
  std::vector<float> trace;  ///< what mha_forward writes

  Call(Problem problem, Detail detail, Random& random)
      : solved(std::move(problem), detail, random),
        shape(record_of(solved.problem.shape)),
        parts(record_of(solved.parts)),
        options{static_cast<double>(solved.problem.switches.scale),
                static_cast<double>(solved.problem.switches.scale_value), solved.problem.switches.causal ? 1.0 : 0.0,
                static_cast<double>(solved.problem.switches.padding)},
        trace(solved.trace.size(), kNan) {}
  explicit Call(Random& random) : Call(problem_in_slabs(random), Detail::full, random) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() { mha_unload(layer); }

  [[nodiscard]] const float* gates() const {
    return solved.problem.gates.empty() ? nullptr : solved.problem.gates.data();
  }
  [[nodiscard]] Outcome reported() const {
    return {static_cast<Status>(outcome[kOutcome["status"]]),
            static_cast<Tensor>(outcome[kOutcome["tensor"]]),
            {outcome[kOutcome["index"]], outcome[kOutcome["index"] + 1], outcome[kOutcome["index"] + 2]}};
  }

  std::int32_t load() { return mha_load(layer, shape.data(), parts.data(), solved.parameters.data(), outcome.data()); }
  std::int32_t forward() {
    return mha_forward(layer, shape.data(), parts.data(), solved.input.data(), options.data(), gates(), trace.data(),
                       outcome.data());
  }
  std::int32_t contributions(std::int32_t first, std::int32_t count, float* out) {
    return mha_contributions(layer, shape.data(), parts.data(), trace.data(), first, count, out, outcome.data());
  }
  std::int32_t explain(const std::int32_t* cell, std::int32_t largest, double* explanation, double* terms) {
    return mha_explain(layer, shape.data(), parts.data(), solved.input.data(), options.data(), gates(), trace.data(),
                       cell, largest, explanation, terms, outcome.data());
  }
  std::int32_t explain_by_head(std::int32_t row, std::int32_t column, double* by_head) {
    return mha_explain_by_head(layer, shape.data(), parts.data(), solved.input.data(), options.data(), gates(),
                               trace.data(), row, column, by_head, outcome.data());
  }
  std::int32_t influence(const std::int32_t* cell, std::int32_t* direct, std::int32_t* reached, std::int32_t* sizes) {
    return mha_influence(layer, shape.data(), parts.data(), solved.input.data(), options.data(), gates(), trace.data(),
                         cell, direct, reached, sizes, outcome.data());
  }
  std::int32_t row_shares(std::int32_t row, double* shares, double* whole) {
    return mha_row_shares(layer, shape.data(), parts.data(), solved.input.data(), options.data(), gates(), trace.data(),
                          row, shares, whole, outcome.data());
  }
  std::int32_t narrow(std::int32_t role, double* found) {
    return mha_narrow(layer, shape.data(), parts.data(), solved.input.data(), options.data(), gates(), trace.data(),
                      role, found, outcome.data());
  }
  std::int32_t compare(const float* other, std::int32_t tensor, double* found) {
    return mha_compare(shape.data(), parts.data(), trace.data(), other, tensor, found, outcome.data());
  }
};

}  // namespace mha::test
