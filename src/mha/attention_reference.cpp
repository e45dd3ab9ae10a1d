#include "mha/attention_reference.hpp"

#include <cmath>
#include <limits>

namespace mha {
namespace {

constexpr double kUnit = 0x1p-24;        // u: float rounds within u·|x|
constexpr double kTiny = 0x1p-149;       // and within this where it underflows
constexpr double kExpFloor = 0x1p-125;   // a vector exp may flush results below this to 0
constexpr double kExpUnits = 4 * kUnit;  // error of xsimd's exp, relative (it documents below 2 ulp)
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// γ_K = K·u/(1 − K·u): the growth of K roundings in a row.
double gamma(Eigen::Index k) {
  const double ku = static_cast<double>(k) * kUnit;
  return ku / (1.0 - ku);
}

Matrix matrix(std::span<const float> values, Eigen::Index rows, Eigen::Index columns) {
  using FloatMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const FloatMatrix>(values.data(), rows, columns).cast<double>();
}

/// A given matrix: exact.
Bounded exact(Matrix value) {
  Matrix bound = Matrix::Zero(value.rows(), value.cols());
  return {std::move(value), std::move(bound)};
}

/// a·b + bias (one row, added to every row; may be empty). K + 1 roundings cover fused and separate multiply-adds.
Bounded product(const Bounded& a, const Bounded& b, std::span<const float> bias = {}) {
  Matrix value = a.value * b.value;
  const Matrix largest = (a.value.cwiseAbs() + a.bound) * (b.value.cwiseAbs() + b.bound);
  const Matrix inherited = largest - a.value.cwiseAbs() * b.value.cwiseAbs();
  Matrix magnitude = largest;
  if (!bias.empty()) {
    const Matrix row = matrix(bias, 1, value.cols());
    value.rowwise() += row.row(0);
    magnitude.rowwise() += row.row(0).cwiseAbs();
  }
  const auto k = a.value.cols();
  Matrix bound = inherited.cwiseMax(0.0) + gamma(k + 1) * magnitude;
  bound.array() += static_cast<double>(k) * kTiny;
  return {std::move(value), std::move(bound)};
}

Bounded columns(const Bounded& from, Eigen::Index first, Eigen::Index count) {
  return {from.value.middleCols(first, count), from.bound.middleCols(first, count)};
}

Bounded transposed(const Bounded& from) { return {from.value.transpose(), from.bound.transpose()}; }

/// factor·a; the float factor itself carries one rounding, the product a second.
Bounded times(const Bounded& a, double factor) {
  Matrix bound = std::abs(factor) * (a.bound + gamma(3) * (a.value.cwiseAbs() + a.bound));
  bound.array() += kTiny;
  return {a.value * factor, std::move(bound)};
}

Bounded with_mask(const Bounded& scaled, const Shape& shape, const Input& input, const Options& options) {
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

/// Errors e of the scores multiply each weight by at most exp(±2·max e); then come the subtraction, the exponential,
/// the sum and the division.
void softmax_row(const Bounded& masked, Eigen::Index i, Bounded& weights) {
  const auto scores = masked.value.row(i);
  const double max = scores.maxCoeff();
  if (max == -kInfinity) return;  // every key is masked: zeros
  const double score_error = masked.bound.row(i).maxCoeff();

  // std::exp, number by number: Eigen's own vectorized exp(−∞) is 5e-309, and a forbidden key's weight is exactly 0.
  const Eigen::RowVectorXd exponentials = scores.unaryExpr([max](double score) { return std::exp(score - max); });
  weights.value.row(i) = exponentials / exponentials.sum();

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

}  // namespace

Reference attention_reference(const Shape& shape, const Parameters& p, const Input& input, const Options& options) {
  const Eigen::Index n = shape.tokens;
  const Eigen::Index m = shape.context;
  const Eigen::Index d = shape.model_dim;
  const Eigen::Index k = shape.head_dim;
  const Eigen::Index hk = shape.q_width();
  const Eigen::Index gk = shape.kv_width();
  const double factor = options.scale == Options::Scale::inverse_sqrt
                            ? 1.0 / std::sqrt(static_cast<double>(k))
                            : static_cast<double>(options.factor(shape.head_dim));

  const Bounded x = exact(matrix(input.x, n, d));
  const Bounded c = input.context.empty() ? x : exact(matrix(input.context, m, d));
  const Bounded w_o = exact(matrix(p.w_o, hk, d));

  Reference r;
  r.q = product(x, exact(matrix(p.w_q, d, hk)), p.b_q);
  r.k = product(c, exact(matrix(p.w_k, d, gk)), p.b_k);
  r.v = product(c, exact(matrix(p.w_v, d, gk)), p.b_v);
  r.concat = exact(Matrix::Zero(n, hk));

  for (std::int32_t i = 0; i < shape.heads; ++i) {
    const Eigen::Index kv = shape.kv_head_of(i) * k;
    const Bounded q_i = columns(r.q, i * k, k);
    const Bounded k_i = columns(r.k, kv, k);
    const Bounded v_i = columns(r.v, kv, k);

    r.raw_scores.push_back(product(q_i, transposed(k_i)));
    r.scaled_scores.push_back(times(r.raw_scores.back(), factor));
    r.masked_scores.push_back(with_mask(r.scaled_scores.back(), shape, input, options));
    Bounded weights = exact(Matrix::Zero(n, m));
    for (Eigen::Index row = 0; row < n; ++row) softmax_row(r.masked_scores.back(), row, weights);
    r.weights.push_back(std::move(weights));
    r.heads.push_back(times(product(r.weights.back(), v_i), static_cast<double>(options.gate(i))));

    r.concat.value.middleCols(i * k, k) = r.heads.back().value;
    r.concat.bound.middleCols(i * k, k) = r.heads.back().bound;
    r.contributions.push_back(
        product(r.heads.back(), {w_o.value.middleRows(i * k, k), w_o.bound.middleRows(i * k, k)}));
  }
  r.output = product(r.concat, w_o, p.b_o);

  for (Eigen::Index row = 0; row < n; ++row) {
    r.masked_rows.push_back(r.masked_scores.front().value.row(row).maxCoeff() == -kInfinity);
  }
  return r;
}

}  // namespace mha
