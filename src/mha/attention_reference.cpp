#include "mha/attention_reference.hpp"

#include <cmath>
#include <limits>

#include "mha/bounded.hpp"

namespace mha {

using namespace bounded;

namespace {

constexpr double kExpFloor = 0x1p-125;   // a vector exp may flush results below this to 0
constexpr double kExpUnits = 4 * kUnit;  // error of xsimd's exp, relative (it documents below 2 ulp)
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Errors e of the scores multiply each weight by at most exp(±2·max e); then come the subtraction, the exponential,
/// the sum and the division.
void bound_softmax(const Bounded& masked, Eigen::Index i, Bounded& weights) {
  const auto scores = masked.value.row(i);
  const double max = scores.maxCoeff();
  if (max == -kInfinity) return;  // zeros, exactly
  const double score_error = masked.bound.row(i).maxCoeff();

  double mean_distance = 0.0;
  for (Eigen::Index j = 0; j < scores.cols(); ++j) {
    if (weights.value(i, j) > 0.0) mean_distance += weights.value(i, j) * (max - scores(j));
  }
  for (Eigen::Index j = 0; j < scores.cols(); ++j) {
    if (scores(j) == -kInfinity) continue;  // exactly 0
    const double relative = 2 * score_error + kUnit * (max - scores(j) + mean_distance + score_error) + 2 * kExpUnits +
                            gamma(scores.cols() + 2);
    // exp of a large error is infinite, and a weight is never more than 1.
    weights.bound(i, j) = std::min(1.0, weights.value(i, j) * std::expm1(relative)) + kExpFloor;
  }
}

// --- excerpt: project
/// Q = X W_Q + b_Q, K = C W_K + b_K, V = C W_V + b_V. In self-attention C is X.
void project(const Shape& shape, const Parameters& p, const Input& input, Reference& r) {
  const Eigen::Index d = shape.model_dim;
  const Bounded x = exact(matrix(input.x, shape.tokens, d));
  const Bounded c = input.context.empty() ? x : exact(matrix(input.context, shape.context, d));

  r.q = product(x, exact(matrix(p.w_q, d, shape.q_width())), p.b_q);
  r.k = product(c, exact(matrix(p.w_k, d, shape.kv_width())), p.b_k);
  r.v = product(c, exact(matrix(p.w_v, d, shape.kv_width())), p.b_v);
}
// --- end excerpt

// --- excerpt: split
struct Head {
  Bounded q, k, v;
};

/// Q_i, K_i, V_i: all rows, and k columns from i·k on. Heads that share their keys and values read the same columns.
Head split(const Shape& shape, const Reference& r, std::int32_t i) {
  const Eigen::Index k = shape.head_dim;
  const Eigen::Index kv = shape.kv_head_of(i);
  return {columns(r.q, i * k, k), columns(r.k, kv * k, k), columns(r.v, kv * k, k)};
}
// --- end excerpt

// --- excerpt: score
/// S_i = Q_i K_iᵀ
Bounded score(const Head& head) { return product(head.q, transposed(head.k)); }
// --- end excerpt

// --- excerpt: scale
/// S′_i = S_i / √k, if the options give no other scale.
Bounded scale(const Shape& shape, const Options& options, const Bounded& scores) {
  const double factor = options.scale == Options::Scale::inverse_sqrt
                            ? 1.0 / std::sqrt(static_cast<double>(shape.head_dim))
                            : static_cast<double>(options.factor(shape.head_dim));
  return times(scores, factor);
}
// --- end excerpt

// --- excerpt: mask
/// S″_i = S′_i + M, and −∞ where the options forbid.
Bounded mask(const Shape& shape, const Input& input, const Options& options, const Bounded& scaled) {
  Bounded masked = scaled;
  for (std::int32_t i = 0; i < shape.tokens; ++i) {
    for (std::int32_t j = 0; j < shape.context; ++j) {
      double& value = masked.value(i, j);
      double& bound = masked.bound(i, j);
      if (!input.mask.empty()) {
        value += static_cast<double>(input.mask[static_cast<std::size_t>(i) * static_cast<std::size_t>(shape.context) +
                                                static_cast<std::size_t>(j)]);
        bound += kUnit * (std::abs(value) + bound);
      }
      if (options.hides(shape, i, j) || value == -kInfinity) {
        value = -kInfinity;
        bound = 0.0;
      }
    }
  }
  return masked;
}
// --- end excerpt

// --- excerpt: softmax
/// A_i = softmax of each row of S″_i; zeros where every key is masked.
Bounded softmax(const Bounded& masked) {
  Bounded weights = exact(Matrix::Zero(masked.value.rows(), masked.value.cols()));
  for (Eigen::Index i = 0; i < masked.value.rows(); ++i) {
    const auto scores = masked.value.row(i);
    const double max = scores.maxCoeff();
    if (max == -kInfinity) continue;
    // std::exp, number by number: Eigen's own vectorized exp(−∞) is 5e-309, and a forbidden key's weight is exactly 0.
    const Eigen::RowVectorXd exponentials = scores.unaryExpr([max](double score) { return std::exp(score - max); });
    weights.value.row(i) = exponentials / exponentials.sum();
    bound_softmax(masked, i, weights);
  }
  return weights;
}
// --- end excerpt

// --- excerpt: mix
/// Z_i = ξ_i · A_i V_i. The gate ξ is 1, or 0 for a head that is switched off.
Bounded mix(const Bounded& weights, const Head& head, float gate) {
  return times(product(weights, head.v), static_cast<double>(gate));
}
// --- end excerpt

// --- excerpt: concat
/// Z = [Z_1 … Z_h]: head i fills k columns from i·k on.
Bounded concat(const Shape& shape, const std::vector<Bounded>& heads) {
  const Eigen::Index k = shape.head_dim;
  Bounded z = exact(Matrix::Zero(shape.tokens, shape.q_width()));
  for (Eigen::Index i = 0; i < shape.heads; ++i) {
    z.value.middleCols(i * k, k) = heads[static_cast<std::size_t>(i)].value;
    z.bound.middleCols(i * k, k) = heads[static_cast<std::size_t>(i)].bound;
  }
  return z;
}
// --- end excerpt

// --- excerpt: output
/// Y = Z W_O + b_O. Head i meets rows i·k … of W_O only: C_i = Z_i W_O[rows], and Y = C_1 + … + C_h + b_O.
void project_output(const Shape& shape, const Parameters& p, Reference& r) {
  const Eigen::Index k = shape.head_dim;
  const Bounded w_o = exact(matrix(p.w_o, shape.q_width(), shape.model_dim));
  for (Eigen::Index i = 0; i < shape.heads; ++i) {
    r.contributions.push_back(product(r.heads[static_cast<std::size_t>(i)], rows(w_o, i * k, k)));
  }
  r.output = product(r.concat, w_o, p.b_o);
}
// --- end excerpt

}  // namespace

// --- excerpt: result
Reference attention_reference(const Shape& shape, const Parameters& p, const Input& input, const Options& options) {
  Reference r;
  project(shape, p, input, r);
  for (std::int32_t i = 0; i < shape.heads; ++i) {
    const Head head = split(shape, r, i);
    r.raw_scores.push_back(score(head));
    r.scaled_scores.push_back(scale(shape, options, r.raw_scores.back()));
    r.masked_scores.push_back(mask(shape, input, options, r.scaled_scores.back()));
    r.weights.push_back(softmax(r.masked_scores.back()));
    r.heads.push_back(mix(r.weights.back(), head, options.gate(i)));
  }
  r.concat = concat(shape, r.heads);
  project_output(shape, p, r);

  for (Eigen::Index row = 0; row < shape.tokens; ++row) {
    r.masked_rows.push_back(r.masked_scores.front().value.row(row).maxCoeff() == -kInfinity);
  }
  return r;
}
// --- end excerpt

}  // namespace mha
