// Matrices in double that know how far a float computation of them may be away: what the references compute with.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <span>
#include <utility>

namespace mha {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A matrix and, for each element, the largest error that float arithmetic in any order may cause.
/// Source of the rules: Higham, Accuracy and Stability of Numerical Algorithms, §3.1: |error| ≤ γ_K Σ|a||b|.
struct Bounded {
  Matrix value;
  Matrix bound;
};

namespace bounded {

inline constexpr double kUnit = 0x1p-24;   // u: float rounds within u·|x|
inline constexpr double kTiny = 0x1p-149;  // and within this where it underflows

/// γ_K = K·u/(1 − K·u): the growth of K roundings in a row.
inline double gamma(Eigen::Index k) {
  const double ku = static_cast<double>(k) * kUnit;
  return ku / (1.0 - ku);
}

inline Matrix matrix(std::span<const float> values, Eigen::Index rows, Eigen::Index columns) {
  using FloatMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const FloatMatrix>(values.data(), rows, columns).cast<double>();
}

/// A given matrix: exact.
inline Bounded exact(Matrix value) {
  Matrix bound = Matrix::Zero(value.rows(), value.cols());
  return {std::move(value), std::move(bound)};
}

/// a·b + bias (one row, added to every row; may be empty). K + 1 roundings cover fused and separate multiply-adds.
inline Bounded product(const Bounded& a, const Bounded& b, std::span<const float> bias = {}) {
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

inline Bounded columns(const Bounded& from, Eigen::Index first, Eigen::Index count) {
  return {from.value.middleCols(first, count), from.bound.middleCols(first, count)};
}

inline Bounded rows(const Bounded& from, Eigen::Index first, Eigen::Index count) {
  return {from.value.middleRows(first, count), from.bound.middleRows(first, count)};
}

inline Bounded transposed(const Bounded& from) { return {from.value.transpose(), from.bound.transpose()}; }

/// factor·a; the float factor itself carries one rounding, the product a second.
inline Bounded times(const Bounded& a, double factor) {
  Matrix bound = std::abs(factor) * (a.bound + gamma(3) * (a.value.cwiseAbs() + a.bound));
  bound.array() += kTiny;
  return {a.value * factor, std::move(bound)};
}

/// Element by element a·b.
inline Bounded each_times(const Bounded& a, const Bounded& b) {
  const Matrix largest = (a.value.cwiseAbs() + a.bound).cwiseProduct(b.value.cwiseAbs() + b.bound);
  Matrix bound = largest - a.value.cwiseProduct(b.value).cwiseAbs() + kUnit * largest;
  bound.array() += kTiny;
  return {a.value.cwiseProduct(b.value), std::move(bound)};
}

/// a minus b [rows, 1] in each of its columns.
inline Bounded minus_column(const Bounded& a, const Bounded& b) {
  const Matrix value = a.value.colwise() - b.value.col(0);
  const Matrix bound = a.bound.colwise() + b.bound.col(0);
  return {value, bound + kUnit * (value.cwiseAbs() + bound)};
}

inline Bounded ones(Eigen::Index rows, Eigen::Index columns) { return exact(Matrix::Ones(rows, columns)); }
inline Bounded sum_of_rows(const Bounded& a) { return product(ones(1, a.value.rows()), a); }

/// b below a, or b alone if there is no a yet.
inline Bounded below(const Bounded& a, const Bounded& b) {
  if (a.value.size() == 0) return b;
  const Eigen::Index rows = a.value.rows() + b.value.rows();
  Bounded both = {Matrix(rows, b.value.cols()), Matrix(rows, b.value.cols())};
  both.value << a.value, b.value;
  both.bound << a.bound, b.bound;
  return both;
}
/// The same from left to right.
inline Bounded beside(const Bounded& a, const Bounded& b) { return transposed(below(transposed(a), transposed(b))); }

}  // namespace bounded
}  // namespace mha
