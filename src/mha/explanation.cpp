#include "mha/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mha/evidence_reader.hpp"

namespace mha {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Explains one cell; one member function per rule.
class Explainer {
 public:
  Explainer(const Evidence& evidence, const EvidenceReader& read, Explanation& explanation, std::span<Term> terms)
      : shape_(evidence.shape), options_(evidence.options), read_(read), out_(explanation), terms_(terms) {}

  void run() {
    const auto [a, b, c] = out_.cell.index;
    const std::int32_t k = shape_.head_dim;
    switch (out_.cell.tensor) {
      case Tensor::x: return position_sum(a, b);
      case Tensor::q: return projection(Tensor::x, Tensor::w_q, Tensor::b_q, a, b);
      case Tensor::k: return projection(context(), Tensor::w_k, Tensor::b_k, a, b);
      case Tensor::v: return projection(context(), Tensor::w_v, Tensor::b_v, a, b);
      case Tensor::q_heads: return same({Tensor::q, {b, a * k + c, 0}});
      case Tensor::k_heads: return same({Tensor::k, {b, a * k + c, 0}});
      case Tensor::v_heads: return same({Tensor::v, {b, a * k + c, 0}});
      case Tensor::raw_scores: return score(a, b, c);
      case Tensor::scaled_scores: return scaled({Tensor::raw_scores, {a, b, c}});
      case Tensor::masked_scores: return masked({Tensor::scaled_scores, {a, b, c}});
      case Tensor::weights: return softmax(a, b, c);
      case Tensor::heads: return weighted_values(a, b, c);
      case Tensor::concat: return weighted_values(b / k, a, b % k);
      case Tensor::contributions: return contribution(a, b, c);
      case Tensor::output: return output(a, b);
      case Tensor::masked_rows: return masked_row(a);
      default: out_.rule = Rule::given; return;
    }
  }

 private:
  [[nodiscard]] Tensor context() const { return read_.holds(Tensor::context) ? Tensor::context : Tensor::x; }

  void add(const Cell& a, const Cell& b) {
    const double a_value = read_.at(a);
    const double b_value = read_.at(b);
    append({.a = a, .b = b, .a_value = a_value, .b_value = b_value, .value = a_value * b_value, .running = 0});
  }

  void add(const Cell& a, double value) {
    append({.a = a, .b = {}, .a_value = read_.at(a), .b_value = 1, .value = value, .running = 0});
  }

  void append(Term term) {
    magnitude_ += std::abs(term.value);
    out_.sum += term.value;
    term.running = out_.sum;
    terms_[static_cast<std::size_t>(out_.term_count++)] = term;
  }

  /// |gate| γ_{K+2} (|bias| + Σ|ab|): K products, K sums and the gate. Where they underflow, each product may lose
  /// 2⁻¹⁴⁹, which the gate then multiplies, and so may the product with the gate.
  void bound_dot() {
    const double ku = (out_.term_count + 2) * kUnit;
    const double gate = std::abs(out_.gate);
    out_.bound = gate * ku / (1 - ku) * (magnitude_ + std::abs(out_.bias)) + (1 + gate) * out_.term_count * 0x1p-149;
  }

  void position_sum(std::int32_t i, std::int32_t c) {
    out_.rule = Rule::sum;
    for (const Tensor part : {Tensor::token_vectors, Tensor::positions}) {
      const Cell cell{part, {i, c, 0}};
      add(cell, read_.at(cell));
    }
    bound_dot();
  }

  void start_dot(Tensor bias, std::int32_t place) {
    out_.rule = Rule::dot;
    if (bias == Tensor::count || !read_.holds(bias)) return;
    out_.bias = read_.at({bias, {place, 0, 0}});
    out_.sum = out_.bias;
  }

  void projection(Tensor rows, Tensor matrix, Tensor bias, std::int32_t i, std::int32_t column) {
    start_dot(bias, column);
    for (std::int32_t c = 0; c < shape_.model_dim; ++c) add({rows, {i, c, 0}}, {matrix, {c, column, 0}});
    bound_dot();
  }

  void score(std::int32_t head, std::int32_t i, std::int32_t j) {
    start_dot(Tensor::count, 0);
    for (std::int32_t c = 0; c < shape_.head_dim; ++c) {
      add({Tensor::q_heads, {head, i, c}}, {Tensor::k_heads, {shape_.kv_head_of(head), j, c}});
    }
    bound_dot();
  }

  void weighted_values(std::int32_t head, std::int32_t i, std::int32_t c) {
    start_dot(Tensor::count, 0);
    out_.gate = static_cast<double>(options_.gate(head));
    for (std::int32_t j = 0; j < shape_.context; ++j) {
      add({Tensor::weights, {head, i, j}}, {Tensor::v_heads, {shape_.kv_head_of(head), j, c}});
    }
    bound_dot();
  }

  void contribution(std::int32_t head, std::int32_t i, std::int32_t column) {
    start_dot(Tensor::count, 0);
    for (std::int32_t c = 0; c < shape_.head_dim; ++c) {
      add({Tensor::heads, {head, i, c}}, {Tensor::w_o, {head * shape_.head_dim + c, column, 0}});
    }
    out_.value = out_.sum;  // no slab holds it: this is where it is computed
    bound_dot();
  }

  void output(std::int32_t i, std::int32_t column) {
    start_dot(Tensor::b_o, column);
    for (std::int32_t c = 0; c < shape_.q_width(); ++c) add({Tensor::concat, {i, c, 0}}, {Tensor::w_o, {c, column, 0}});
    bound_dot();
  }

  void same(const Cell& original) {
    out_.rule = Rule::same;
    add(original, read_.at(original));
  }

  void scaled(const Cell& raw) {
    out_.rule = Rule::scale;
    out_.factor = static_cast<double>(options_.factor(shape_.head_dim));
    add(raw, read_.at(raw) * out_.factor);
    out_.bound = kUnit * std::abs(out_.sum) + 0x1p-149;
  }

  void masked(const Cell& before) {
    out_.rule = Rule::mask;
    const auto [head, i, j] = before.index;
    add(before, read_.at(before));
    if (const Cell mask{Tensor::mask, {i, j, 0}}; read_.holds(Tensor::mask)) add(mask, read_.at(mask));
    out_.masked = out_.value == -kInfinity ? 1 : 0;
    if (out_.masked == 0) out_.bound = kUnit * std::abs(out_.sum);
  }

  void softmax(std::int32_t head, std::int32_t i, std::int32_t j) {
    out_.rule = Rule::softmax;
    const auto score_of = [&](std::int32_t key) { return read_.at({Tensor::masked_scores, {head, i, key}}); };
    out_.row_max = score_of(0);
    for (std::int32_t key = 1; key < shape_.context; ++key) out_.row_max = std::max(out_.row_max, score_of(key));
    out_.row_masked = out_.row_max == -kInfinity ? 1 : 0;
    out_.masked = score_of(j) == -kInfinity ? 1 : 0;

    double distance = 0;
    for (std::int32_t key = 0; key < shape_.context; ++key) {
      const double score = score_of(key);
      const double exponential = score == -kInfinity ? 0.0 : std::exp(score - out_.row_max);
      if (exponential > 0) distance += exponential * (out_.row_max - score);
      add({Tensor::masked_scores, {head, i, key}}, exponential);
    }
    if (out_.masked != 0) return;  // no difference, exponential 0, weight exactly 0
    out_.difference = score_of(j) - out_.row_max;
    out_.exponential = std::exp(out_.difference);
    // The same rounding model as attention_reference.cpp, without score errors: the operands are the trace's own.
    const double relative =
        kUnit * (-out_.difference + distance / out_.sum) + (static_cast<double>(shape_.context) + 12) * kUnit;
    out_.bound = out_.exponential / out_.sum * relative * 1.01 + 0x1p-125;
  }

  /// 1 if every score of the row is −∞; the mask is the same for every head, so head 0 decides.
  void masked_row(std::int32_t i) {
    out_.rule = Rule::mask;
    out_.row_masked = out_.value;
    for (std::int32_t j = 0; j < shape_.context; ++j) {
      const Cell cell{Tensor::masked_scores, {0, i, j}};
      add(cell, read_.at(cell) == -kInfinity ? 1 : 0);
    }
  }

  const Shape& shape_;
  const Options& options_;
  const EvidenceReader& read_;
  Explanation& out_;
  std::span<Term> terms_;
  double magnitude_ = 0;
};

/// Names the `count` largest terms and sums the others.
void rank_terms(std::span<const Term> terms, std::int32_t count, Explanation& explanation) {
  count = std::min(count, static_cast<std::int32_t>(terms.size()));
  explanation.largest_count = count;
  std::array<bool, kMaxTokens + kMaxWidth> named = {};
  for (std::int32_t rank = 0; rank < count; ++rank) {
    std::size_t best = terms.size();
    for (std::size_t t = 0; t < terms.size(); ++t) {
      if (!named[t] && (best == terms.size() || std::abs(terms[t].value) > std::abs(terms[best].value))) best = t;
    }
    named[best] = true;
    explanation.largest[static_cast<std::size_t>(rank)] = static_cast<std::int32_t>(best);
  }
  for (std::size_t t = 0; t < terms.size(); ++t) {
    if (!named[t]) explanation.rest += terms[t].value;
  }
}

}  // namespace

std::int32_t max_terms(const Shape& shape) { return std::max({shape.model_dim, shape.q_width(), shape.context, 2}); }

Outcome explain(const Evidence& evidence, const Cell& cell, std::int32_t largest, Explanation& explanation,
                std::span<Term> terms) {
  if (Outcome bad = validate(evidence.shape); !bad.ok()) return bad;
  const EvidenceReader read(evidence);
  if (Outcome bad = read.complete(); !bad.ok()) return bad;
  if (std::cmp_less(terms.size(), max_terms(evidence.shape))) return {.status = Status::wrong_size};

  const Outcome no_such_cell{.status = Status::no_such_cell, .tensor = cell.tensor, .index = cell.index};
  explanation = {.cell = cell};
  if (!read.knows(cell)) return no_such_cell;
  if (cell.tensor != Tensor::contributions) explanation.value = read.at(cell);
  // Scores are explained from scores, which only a full trace keeps.
  if (info(cell.tensor).slab == Slab::trace && evidence.parts.detail != Detail::full &&
      (cell.tensor == Tensor::weights || cell.tensor == Tensor::masked_rows)) {
    return no_such_cell;
  }

  Explainer(evidence, read, explanation, terms).run();
  rank_terms(terms.first(static_cast<std::size_t>(explanation.term_count)), std::clamp(largest, 0, kMaxLargest),
             explanation);
  return {};
}

Outcome explain_by_head(const Evidence& evidence, std::int32_t row, std::int32_t column, std::span<double> by_head) {
  if (Outcome bad = validate(evidence.shape); !bad.ok()) return bad;
  const EvidenceReader read(evidence);
  if (Outcome bad = read.complete(); !bad.ok()) return bad;
  if (std::cmp_not_equal(by_head.size(), evidence.shape.heads)) return {.status = Status::wrong_size};
  if (!read.holds(Cell{Tensor::output, {row, column, 0}})) {
    return {.status = Status::no_such_cell, .tensor = Tensor::output, .index = {row, column, -1}};
  }
  const std::int32_t k = evidence.shape.head_dim;
  for (std::int32_t head = 0; head < evidence.shape.heads; ++head) {
    double& sum = by_head[static_cast<std::size_t>(head)] = 0.0;
    for (std::int32_t c = 0; c < k; ++c) {
      sum += read.at({Tensor::heads, {head, row, c}}) * read.at({Tensor::w_o, {head * k + c, column, 0}});
    }
  }
  return {};
}

}  // namespace mha
