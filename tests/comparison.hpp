// Comparison of passes with the reference and with each other. Each function returns "" if all is well, else one line
// that says which tensor, head, row and column is wrong, what was got, wanted and allowed: CHECK(beyond_bound(…) ==
// "").
#pragma once

#include <cmath>
#include <string>

#include "problem.hpp"

namespace mha::test {

/// No limit relative to the largest number: only the a priori bound counts.
inline constexpr double kBoundOnly = std::numeric_limits<double>::infinity();
/// House rule for d ≤ 1024: also within this of the largest number of the tensor.
inline constexpr double kHouseLimit = 2e-6;

/// The largest finite magnitude.
[[nodiscard]] inline double largest(const Matrix& values) {
  double most = 0.0;
  for (const double value : values.reshaped()) {
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  }
  return most;
}

/// Compares the matrix `name`[head] of a trace. `limit` is an absolute one on top of the bound.
[[nodiscard]] inline std::string beyond_bound(const Pass& pass, Tensor name, std::int32_t head, const Bounded& want,
                                              double limit) {
  const bool by_head = info(name).rank == 3;
  for (Eigen::Index row = 0; row < want.value.rows(); ++row) {
    for (Eigen::Index column = 0; column < want.value.cols(); ++column) {
      const double got = by_head ? pass.at(name, head, row, column) : pass.at(name, row, column);
      const double value = want.value(row, column);
      const double bound = std::min(want.bound(row, column), limit);
      const bool fine = std::isinf(value) ? got == value : std::abs(got - value) <= bound;
      if (!fine) {
        return text("%s head %d row %d column %d: got %.9g, want %.9g, error %.3g, bound %.3g, limit %.3g",
                    std::string(info(name).name).c_str(), head, static_cast<int>(row), static_cast<int>(column), got,
                    value, std::abs(got - value), want.bound(row, column), limit);
      }
    }
  }
  return "";
}

/// One tensor of all heads; the limit is relative to the largest number of all of them.
[[nodiscard]] inline std::string beyond_bound(const Pass& pass, Tensor name, const std::vector<Bounded>& want,
                                              double relative) {
  double most = 0.0;
  for (const Bounded& head : want) most = std::max(most, largest(head.value));
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (std::string bad = beyond_bound(pass, name, static_cast<std::int32_t>(i), want[i], relative * most);
        !bad.empty()) {
      return bad;
    }
  }
  return "";
}

[[nodiscard]] inline std::string beyond_bound(const Pass& pass, Tensor name, const Bounded& want, double relative) {
  return beyond_bound(pass, name, -1, want, relative * largest(want.value));
}

/// Column blocks of k columns: what the *_heads views show.
[[nodiscard]] inline std::vector<Bounded> split(const Bounded& whole, std::int32_t head_dim) {
  std::vector<Bounded> heads;
  for (Eigen::Index first = 0; first < whole.value.cols(); first += head_dim) {
    heads.push_back({whole.value.middleCols(first, head_dim), whole.bound.middleCols(first, head_dim)});
  }
  return heads;
}

/// Every tensor of a pass, as far as the trace holds it.
[[nodiscard]] inline std::string beyond_bound(const Pass& pass, const Shape& shape, const Reference& want,
                                              double relative) {
  const std::int32_t k = shape.head_dim;
  std::string bad = beyond_bound(pass, Tensor::q, want.q, relative);
  if (bad.empty()) bad = beyond_bound(pass, Tensor::k, want.k, relative);
  if (bad.empty()) bad = beyond_bound(pass, Tensor::v, want.v, relative);
  if (bad.empty()) bad = beyond_bound(pass, Tensor::q_heads, split(want.q, k), kBoundOnly);
  if (bad.empty()) bad = beyond_bound(pass, Tensor::k_heads, split(want.k, k), kBoundOnly);
  if (bad.empty()) bad = beyond_bound(pass, Tensor::v_heads, split(want.v, k), kBoundOnly);
  if (pass.layout.find(Tensor::raw_scores)) {
    if (bad.empty()) bad = beyond_bound(pass, Tensor::raw_scores, want.raw_scores, relative);
    if (bad.empty()) bad = beyond_bound(pass, Tensor::scaled_scores, want.scaled_scores, relative);
    if (bad.empty()) bad = beyond_bound(pass, Tensor::masked_scores, want.masked_scores, relative);
  }
  if (bad.empty()) bad = beyond_bound(pass, Tensor::weights, want.weights, relative);
  if (bad.empty()) bad = beyond_bound(pass, Tensor::heads, want.heads, relative);
  if (bad.empty()) bad = beyond_bound(pass, Tensor::concat, want.concat, relative);
  if (bad.empty()) bad = beyond_bound(pass, Tensor::output, want.output, relative);
  for (std::int32_t row = 0; bad.empty() && row < shape.tokens; ++row) {
    const float flag = want.masked_rows[static_cast<std::size_t>(row)] ? 1.0F : 0.0F;
    const float got = pass.at(Tensor::masked_rows, row);
    if (got != flag) bad = text("masked_rows row %d: got %g, want %g", row, double{got}, double{flag});
  }
  return bad;
}

/// Contributions [count, n, d] of heads first … against the reference.
[[nodiscard]] inline std::string beyond_bound(std::span<const float> contributions, const Shape& shape,
                                              std::int32_t first, const Reference& want) {
  std::size_t place = 0;
  for (auto head = static_cast<std::size_t>(first); place < contributions.size(); ++head) {
    for (std::int32_t row = 0; row < shape.tokens; ++row) {
      for (std::int32_t column = 0; column < shape.model_dim; ++column, ++place) {
        const double got = contributions[place];
        const double value = want.contributions[head].value(row, column);
        const double bound = want.contributions[head].bound(row, column);
        if (!(std::abs(got - value) <= bound)) {
          return text("contributions head %d row %d column %d: got %.9g, want %.9g, bound %.3g", static_cast<int>(head),
                      row, column, got, value, bound);
        }
      }
    }
  }
  return "";
}

/// Compares the tensors that both traces hold, bit for bit.
[[nodiscard]] inline std::string different_bits(const Pass& a, const Pass& b) {
  for (std::size_t i = 0; i < kTensorCount; ++i) {
    const auto tensor = static_cast<Tensor>(i);
    if (!a.layout.find(tensor) || !b.layout.find(tensor)) continue;
    const View& view = a.layout[tensor];
    if (view.shape != b.layout[tensor].shape) return "another shape: " + std::string(info(tensor).name);
    for (std::int64_t u = 0; u < view.shape[0]; ++u) {
      for (std::int64_t v = 0; v < view.shape[1]; ++v) {
        for (std::int64_t w = 0; w < view.shape[2]; ++w) {
          if (same_bits(a.at(tensor, u, v, w), b.at(tensor, u, v, w))) continue;
          return text("%s[%d, %d, %d]: %.9g and %.9g", std::string(info(tensor).name).c_str(), static_cast<int>(u),
                      static_cast<int>(v), static_cast<int>(w), double{a.at(tensor, u, v, w)},
                      double{b.at(tensor, u, v, w)});
        }
      }
    }
  }
  return "";
}

/// The first number of the trace that is NaN or infinite; −∞ is fine in masked_scores.
[[nodiscard]] inline std::string not_finite(const Pass& pass) {
  for (std::size_t i = 0; i < kTensorCount; ++i) {
    const auto tensor = static_cast<Tensor>(i);
    for (const float value : pass[tensor]) {
      if (std::isfinite(value) || (tensor == Tensor::masked_scores && value == -kInfinity)) continue;
      return std::string(info(tensor).name) + text(" holds %g", double{value});
    }
  }
  return "";
}

}  // namespace mha::test
