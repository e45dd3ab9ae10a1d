// The same layer as one would write it with Eigen: a contender of the benchmark. And the oracle in double, which says
// whether a contender's output is right.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mha/attention_reference.hpp"

namespace mha::bench {

using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline std::span<const float> span_of(const Floats& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

struct EigenLayer {
  Shape shape;
  Floats x, w_q, w_k, w_v, w_o;       // given
  Floats q, k, v, scores, concat, y;  // made

  explicit EigenLayer(const Shape& of) : shape(of) {
    const Eigen::Index d = shape.model_dim;
    x.resize(shape.tokens, d);
    for (Floats* const matrix : {&w_q, &w_k, &w_v, &w_o}) matrix->resize(d, d);
    concat.resize(shape.tokens, d);
    y.resize(shape.tokens, d);
  }

  void forward() {
    const std::int32_t width = shape.head_dim;
    q.noalias() = x * w_q;
    k.noalias() = x * w_k;
    v.noalias() = x * w_v;
    const float scale = 1.0F / std::sqrt(static_cast<float>(width));
    for (std::int32_t head = 0; head < shape.heads; ++head) {
      const auto columns = [&](Floats& matrix) { return matrix.middleCols(head * width, width); };
      scores.noalias() = columns(q) * columns(k).transpose();
      scores *= scale;
      scores.colwise() -= scores.rowwise().maxCoeff().eval();
      scores = scores.array().exp();
      scores.array().colwise() /= scores.rowwise().sum().array().eval();
      columns(concat).noalias() = scores * columns(v);
    }
    y.noalias() = concat * w_o;
  }

  [[nodiscard]] Parameters parameters() const {
    return {.w_q = span_of(w_q), .w_k = span_of(w_k), .w_v = span_of(w_v), .w_o = span_of(w_o)};
  }

  /// The largest |output − reference| / bound over an output [n, d]. At most 1: as right as any float computation.
  [[nodiscard]] double deviation(std::span<const float> output) const {
    const Reference reference = attention_reference(shape, parameters(), Input{.x = span_of(x)}, Options{});
    double worst = 0;
    for (std::size_t i = 0; i < output.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      const double error = std::abs(static_cast<double>(output[i]) - reference.output.value.data()[at]);
      const double share = error / reference.output.bound.data()[at];
      if (!(share <= worst)) worst = share;
    }
    return worst;
  }
};

}  // namespace mha::bench
