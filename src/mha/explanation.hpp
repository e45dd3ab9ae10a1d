// Where a number comes from: the operands of any cell of any tensor, by name and index, and what they add up to.
//
// Everything here is double arithmetic over the float operands of the trace, so what it adds up to may differ from the
// trace's own `value` by the float rounding that Explanation::bound limits. Source of the bounds: Higham, Accuracy and
// Stability of Numerical Algorithms, §3.1: K roundings in a row err by at most γ_K Σ|a||b|, γ_K = K·u/(1 − K·u).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "mha/attention.hpp"
#include "mha/layout.hpp"
#include "mha/status.hpp"

namespace mha {

/// How the cell was made.
enum class Rule : std::int32_t {
  given,    ///< nothing made it: a parameter, a token vector, a position, a mask entry
  sum,      ///< a₁ + a₂ (x); terms have operand a only
  dot,      ///< Σ a·b (+ bias) (× gate): q k v, raw_scores, heads, concat, contributions, output
  scale,    ///< a × factor: scaled_scores
  mask,     ///< a + mask, or −∞ where forbidden: masked_scores
  softmax,  ///< exp(a − row maximum) ÷ row sum: weights
  same,     ///< another view of the same bytes: q_heads, k_heads, v_heads → q, k, v
};

inline constexpr std::array<std::string_view, 7> kRuleNames = {"given", "sum",     "dot", "scale",
                                                               "mask",  "softmax", "same"};

struct Cell {
  Tensor tensor = Tensor::count;
  std::array<std::int32_t, 3> index = {0, 0, 0};  ///< places beyond the rank are 0
};

/// One product of a dot product (a·b), one summand of a sum (a), or one key of a softmax row (a: its masked score).
struct Term {
  Cell a;
  Cell b;  ///< b.tensor = Tensor::count: this term has no second factor
  double a_value;
  double b_value;
  double value;    ///< a·b; for a softmax key: exp(a − row maximum)
  double running;  ///< the sum of all terms (and the bias, which comes first) up to this one
};

inline constexpr std::int32_t kMaxLargest = 8;

/// What value, sum and bound say depends on the rule; u = 2⁻²⁴:
///   given         sum and bound are 0
///   dot, sum      |value − gate·sum| ≤ bound = |gate|·γ_{K+2}·(|bias| + Σ|a·b|) + underflow, for K terms.
///                 A contribution is computed here: its value is its sum
///   scale         |value − sum| ≤ bound; sum = a·factor, one rounding
///   mask          masked_scores: |value − sum| ≤ bound; sum = a + mask, one rounding. Forbidden: value is −∞, bound 0
///                 masked_rows: value is 1 if sum, the number of forbidden keys, is all of them; bound 0
///   softmax       |value − exponential/sum| ≤ bound; sum = Σ exp(a − row_max). Forbidden: value and bound are 0
///   same          value = sum, bound 0
struct Explanation {
  Rule rule = Rule::given;
  Cell cell;
  double value = 0;        ///< the number in the trace
  double sum = 0;          ///< Σ of the terms' values; dot: and the bias, before the gate
  double bound = 0;        ///< how far float arithmetic may take `value` away from what the rule says, at most
  double bias = 0;         ///< dot: added once; 0 if there is none
  double gate = 1;         ///< heads, concat: ξ of the head; else 1
  double factor = 1;       ///< scale: s
  double masked = 0;       ///< mask, softmax: 1 if the cell is forbidden (its score is −∞, its weight 0)
  double row_max = 0;      ///< softmax: the largest masked score of the row
  double difference = 0;   ///< softmax: this cell's score − row_max
  double exponential = 0;  ///< softmax: exp(difference)
  double row_masked = 0;   ///< softmax: 1 if the whole row is forbidden (all weights 0)
  std::int32_t term_count = 0;
  /// The terms of largest magnitude (softmax: largest exponentials), largest first: positions in `terms`.
  std::int32_t largest_count = 0;
  std::array<std::int32_t, kMaxLargest> largest = {};
  double rest = 0;  ///< the sum of all terms that are not among `largest`
};

/// Everything an explanation reads. Spans are whole slabs; layouts say where things are.
struct Evidence {
  Shape shape;
  Parts parts;
  std::span<const float> input;       ///< slab of Layout(Slab::input, shape, parts)
  std::span<const float> parameters;  ///< slab of Layout(Slab::parameters, shape, parts)
  std::span<const float> trace;       ///< slab of Layout(Slab::trace, shape, parts)
  Options options;
};

/// The number of terms explain() will write: at most max(d, h·k, m), 2 for a sum.
[[nodiscard]] std::int32_t max_terms(const Shape& shape);

/// Explains one cell. `terms` must hold max_terms(shape). `largest` (0…kMaxLargest) is how many of the largest terms to
/// name. A contributions cell needs no contributions slab: it is explained from heads and w_o.
/// Errors: as validate(Shape); wrong_size: a slab or `terms`, or of `context` if there is none but m is not n;
/// bad_gate: not one gate per head; no_such_cell: the index is outside, or the tensor is not part of this evidence
/// (weights and masked_rows are explained by scores, which only full detail keeps).
[[nodiscard]] Outcome explain(const Evidence& evidence, const Cell& cell, std::int32_t largest,
                              Explanation& explanation, std::span<Term> terms);

/// An output cell as the sum of its h contributions: by_head[i] = Σ_c heads[i, row, c] · w_o[i·k + c, column].
/// Their sum plus b_o[column] is the cell. by_head is [h]. Errors: as explain(); wrong_size also for by_head.
[[nodiscard]] Outcome explain_by_head(const Evidence& evidence, std::int32_t row, std::int32_t column,
                                      std::span<double> by_head);

}  // namespace mha
