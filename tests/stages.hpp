// Each stage of a pass, held against double arithmetic on the very floats that went into it.
//
// The a priori bound of the whole pass carries the largest possible error of every stage through all later ones, so it
// is thousands of times wider than any error that happens. These bounds are for one stage alone: they are as sure, and
// so narrow that a wrong term cannot hide in them. Like those in comparison.hpp, the functions return "" if all is
// well.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "comparison.hpp"
#include "problem.hpp"

namespace mha::test {

/// "" if each weight is within its bound of exp(s − max)/Σ in double. The subtraction rounds by u·|s − max|, which the
/// exponential turns into a relative error; exp (4 u, generously: xsimd documents 1 ulp = 2 u), the sum of `count`
/// numbers and the division add theirs. A vector exp may flush results below 2⁻¹²⁵ to 0. −∞ must give exactly 0.
[[nodiscard]] inline std::string beyond_softmax(std::span<const float> scores, std::span<const float> weights) {
  constexpr double kExpUnits = 4.0;
  const double max = *std::max_element(scores.begin(), scores.end());
  double sum = 0.0, distance = 0.0;  // distance: the mean of max − s, weighted
  for (const float score : scores) {
    const double exponential = score == -kInfinity ? 0.0 : std::exp(double{score} - max);
    sum += exponential;
    if (exponential > 0.0) distance += exponential * (max - double{score});
  }
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const double below = max - double{scores[j]};
    const double want = scores[j] == -kInfinity ? 0.0 : std::exp(-below) / sum;
    const double units = below + distance / sum + 2 * kExpUnits + 1.0;
    const double relative = want > 0.0 ? kUnit * units + gamma(static_cast<std::int64_t>(scores.size())) : 0.0;
    const double bound = scores[j] == -kInfinity ? 0.0 : want * std::expm1(relative) + 0x1p-125;
    const double got = weights[j];
    if (!(std::abs(got - want) <= bound)) {
      return text("weight %d of score %.9g: got %.9g, want %.9g, bound %.3g", static_cast<int>(j), double{scores[j]},
                  got, want, bound);
    }
  }
  return "";
}

/// A row-major matrix of floats, as double.
[[nodiscard]] inline Matrix as_matrix(std::span<const float> values, std::int32_t rows, std::int32_t columns) {
  using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const Floats>(values.data(), rows, columns).cast<double>();
}

/// Compares tensor `name` (of `head`, if it has heads) with gate·(a·b + bias), within |gate|·γ_{K+2}·(|a||b| + |bias|).
[[nodiscard]] inline std::string beyond_product(const Pass& pass, Tensor name, std::int32_t head, const Matrix& a,
                                                const Matrix& b, const std::vector<float>& bias = {},
                                                double gate = 1.0) {
  Bounded want = {a * b, a.cwiseAbs() * b.cwiseAbs()};
  if (!bias.empty()) {
    const Matrix row = as_matrix(bias, 1, static_cast<std::int32_t>(bias.size()));
    want.value.rowwise() += row.row(0);
    want.bound.rowwise() += row.row(0).cwiseAbs();
  }
  want.value *= gate;
  want.bound *= std::abs(gate) * gamma(a.cols() + 2);
  want.bound.array() += static_cast<double>(a.cols()) * 0x1p-149;
  return beyond_bound(pass, name, head, want, kBoundOnly);
}

/// Scaled and masked scores are one float operation each: exact.
[[nodiscard]] inline std::string wrong_scores(const Pass& pass, const Problem& p, std::int32_t head) {
  const float factor = p.switches.factor(p.shape.head_dim);
  for (std::int32_t i = 0; i < p.shape.tokens; ++i) {
    for (std::int32_t j = 0; j < p.shape.context; ++j) {
      const float scaled = pass.at(Tensor::scaled_scores, head, i, j);
      const float masked = pass.at(Tensor::masked_scores, head, i, j);
      if (scaled != factor * pass.at(Tensor::raw_scores, head, i, j)) {
        return text("scaled_scores head %d row %d column %d: %.9g", head, i, j, double{scaled});
      }
      const float entry = p.mask.empty() ? 0.0F : p.mask[static_cast<std::size_t>(i * p.shape.context + j)];
      const float want = p.switches.hides(p.shape, i, j) ? -kInfinity : scaled + entry;
      if (masked != want) {
        return text("masked_scores head %d row %d column %d: got %.9g, want %.9g", head, i, j, double{masked},
                    double{want});
      }
    }
  }
  return "";
}

/// Every stage of a pass in full detail.
[[nodiscard]] inline std::string wrong_stage(const Pass& pass, const Problem& p) {
  const auto [n, m, d, h, g, k] = p.shape;
  const Matrix x = as_matrix(p.x, n, d);
  const Matrix context = p.context.empty() ? x : as_matrix(p.context, m, d);
  std::string bad = beyond_product(pass, Tensor::q, -1, x, as_matrix(p.w_q, d, h * k), p.b_q);
  if (bad.empty()) bad = beyond_product(pass, Tensor::k, -1, context, as_matrix(p.w_k, d, g * k), p.b_k);
  if (bad.empty()) bad = beyond_product(pass, Tensor::v, -1, context, as_matrix(p.w_v, d, g * k), p.b_v);

  const Matrix q = as_matrix(pass[Tensor::q], n, h * k);
  const Matrix keys = as_matrix(pass[Tensor::k], m, g * k);
  const Matrix values = as_matrix(pass[Tensor::v], m, g * k);
  const auto map = static_cast<std::size_t>(n * m), row = static_cast<std::size_t>(m);
  for (std::int32_t head = 0; bad.empty() && head < h; ++head) {
    const std::int32_t shared = head / (h / g) * k;
    bad = beyond_product(pass, Tensor::raw_scores, head, q.middleCols(head * k, k),
                         keys.middleCols(shared, k).transpose());
    if (bad.empty()) bad = wrong_scores(pass, p, head);
    const auto scores = pass[Tensor::masked_scores].subspan(static_cast<std::size_t>(head) * map, map);
    const auto weights = pass[Tensor::weights].subspan(static_cast<std::size_t>(head) * map, map);
    for (std::size_t i = 0; bad.empty() && i < static_cast<std::size_t>(n); ++i) {
      bad = beyond_softmax(scores.subspan(i * row, row), weights.subspan(i * row, row));
    }
    if (bad.empty()) {
      bad = beyond_product(pass, Tensor::heads, head, as_matrix(weights, n, m), values.middleCols(shared, k), {},
                           double{p.options().gate(head)});
    }
  }
  if (!bad.empty()) return bad;
  return beyond_product(pass, Tensor::output, -1, as_matrix(pass[Tensor::concat], n, h * k), as_matrix(p.w_o, h * k, d),
                        p.b_o);
}

}  // namespace mha::test
