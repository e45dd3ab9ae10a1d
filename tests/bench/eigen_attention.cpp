// The same layer as one would write it with Eigen, compiled to WebAssembly: a contender of the benchmark. And the
// oracle in double, which says whether a contender's output is right.
#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "mha/attention_reference.hpp"

namespace {

using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Problem {
  mha::Shape shape;
  Floats x, w_q, w_k, w_v, w_o;       // given
  Floats q, k, v, scores, concat, y;  // made
  std::vector<float> other;           // an output to be judged
};

std::unique_ptr<Problem> problem;  // NOLINT: the module is one benchmark

std::span<const float> span(const Floats& matrix) { return {matrix.data(), static_cast<std::size_t>(matrix.size())}; }

}  // namespace

#define BENCH_EXPORT(name) __attribute__((export_name(#name), used))

extern "C" {

/// Makes room for n tokens, d and h. The caller fills the five matrices, row-major.
BENCH_EXPORT(begin) void begin(std::int32_t n, std::int32_t d, std::int32_t h) {
  problem = std::make_unique<Problem>();
  problem->shape = mha::self_attention(n, d, h);
  problem->x.resize(n, d);
  for (Floats* const matrix : {&problem->w_q, &problem->w_k, &problem->w_v, &problem->w_o}) matrix->resize(d, d);
  problem->concat.resize(n, d);
  problem->y.resize(n, d);
  problem->other.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(d));
}

/// Where matrix number `which` lies: x, w_q, w_k, w_v, w_o, and the output y.
BENCH_EXPORT(matrix) float* matrix(std::int32_t which) {
  Problem& p = *problem;
  Floats* const matrices[] = {&p.x, &p.w_q, &p.w_k, &p.w_v, &p.w_o, &p.y};
  return matrices[which]->data();
}

/// One pass.
BENCH_EXPORT(forward) void forward() {
  Problem& p = *problem;
  const std::int32_t width = p.shape.head_dim;
  p.q.noalias() = p.x * p.w_q;
  p.k.noalias() = p.x * p.w_k;
  p.v.noalias() = p.x * p.w_v;
  const float scale = 1.0F / std::sqrt(static_cast<float>(width));
  for (std::int32_t head = 0; head < p.shape.heads; ++head) {
    const auto columns = [&](Floats& matrix) { return matrix.middleCols(head * width, width); };
    p.scores.noalias() = columns(p.q) * columns(p.k).transpose();
    p.scores *= scale;
    p.scores.colwise() -= p.scores.rowwise().maxCoeff().eval();
    p.scores = p.scores.array().exp();
    p.scores.array().colwise() /= p.scores.rowwise().sum().array().eval();
    columns(p.concat).noalias() = p.scores * columns(p.v);
  }
  p.y.noalias() = p.concat * p.w_o;
}

/// Where an output that is to be judged goes, n·d floats.
BENCH_EXPORT(other) float* other() { return problem->other.data(); }

/// The largest |other − reference| / bound over the output. At most 1: as right as any float computation can be.
BENCH_EXPORT(deviation) double deviation() {
  const Problem& p = *problem;
  const mha::Parameters parameters = {.w_q = span(p.w_q), .w_k = span(p.w_k), .w_v = span(p.w_v), .w_o = span(p.w_o)};
  const mha::Input input = {.x = span(p.x)};
  const mha::Reference reference = mha::attention_reference(p.shape, parameters, input, mha::Options{});
  double worst = 0;
  for (Eigen::Index i = 0; i < reference.output.value.size(); ++i) {
    const double error =
        std::abs(static_cast<double>(p.other[static_cast<std::size_t>(i)]) - reference.output.value.data()[i]);
    const double share = error / reference.output.bound.data()[i];
    if (!(share <= worst)) worst = share;
  }
  return worst;
}

}  // extern "C"
