// Backward passes for tests: gradients in blocks of their own, and the comparison with the reference.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "mha/attention_gradient.hpp"
#include "mha/attention_gradient_reference.hpp"
#include "problem.hpp"
#include "stages.hpp"

namespace mha::test {

/// The tensors that have a gradient, in the order of GradientBlocks.
inline constexpr std::array kGradients = {Tensor::x,   Tensor::context, Tensor::w_q, Tensor::w_k, Tensor::w_v,
                                          Tensor::w_o, Tensor::b_q,     Tensor::b_k, Tensor::b_v, Tensor::b_o};

/// Room for every gradient of a problem, full of NaN, between guards; sequences: of a batch.
class GradientBlocks {
 public:
  explicit GradientBlocks(const Shape& shape, bool cross, std::size_t sequences = 1, std::size_t shift = 0) {
    for (const Tensor tensor : kGradients) {
      blocks_.emplace_back(tensor == Tensor::context && !cross ? 0 : floats(tensor, shape), shift++);
    }
    blocks_.emplace_back(sequences * static_cast<std::size_t>(shape.heads), shift);
  }

  [[nodiscard]] Gradients spans() {
    auto& b = blocks_;
    return {b[0].span(), b[1].span(), b[2].span(), b[3].span(), b[4].span(), b[5].span(),
            b[6].span(), b[7].span(), b[8].span(), b[9].span(), b[10].span()};
  }
  [[nodiscard]] std::span<const float> operator[](Tensor tensor) const {
    const auto at = std::find(kGradients.begin(), kGradients.end(), tensor) - kGradients.begin();
    return blocks_[static_cast<std::size_t>(at)].span();
  }
  [[nodiscard]] std::span<const float> gates() const { return blocks_.back().span(); }
  [[nodiscard]] bool intact() const {
    return std::all_of(blocks_.begin(), blocks_.end(), [](const Guarded& block) { return block.intact(); });
  }

 private:
  std::vector<Guarded> blocks_;
};

/// A forward and a backward pass.
struct Solved {
  Pass pass;
  Outcome outcome;
  GradientBlocks gradients;
};

[[nodiscard]] inline Solved solve_gradient(const Problem& p, std::span<const float> d_output,
                                           Detail detail = Detail::core, std::size_t shift = 0) {
  Solved solved = {run(p, detail, shift), {}, GradientBlocks(p.shape, !p.context.empty(), 1, shift)};
  AttentionGradient gradient;
  solved.outcome = gradient.load(p.shape, p.parameters());
  if (!solved.outcome.ok()) return solved;
  const Shifted d_y(d_output, shift % 4);
  const Options options = p.options();
  solved.outcome = gradient.backward(p.shape, p.input(), options, detail, solved.pass.trace.span(), d_y.span(),
                                     solved.gradients.spans());
  return solved;
}

/// A trace of floats as the reference takes it: exact, so that its bounds are those of the backward pass alone.
[[nodiscard]] inline Reference as_reference(const Pass& pass, const Shape& shape) {
  const auto exact = [](Matrix value) {
    Matrix bound = Matrix::Zero(value.rows(), value.cols());
    return Bounded{std::move(value), std::move(bound)};
  };
  const auto [n, m, d, h, g, k] = shape;
  Reference r;
  r.q = exact(as_matrix(pass[Tensor::q], n, h * k));
  r.k = exact(as_matrix(pass[Tensor::k], m, g * k));
  r.v = exact(as_matrix(pass[Tensor::v], m, g * k));
  r.concat = exact(as_matrix(pass[Tensor::concat], n, h * k));
  const auto map = static_cast<std::size_t>(n) * static_cast<std::size_t>(m);
  for (std::size_t i = 0; i < static_cast<std::size_t>(h); ++i) {
    r.weights.push_back(exact(as_matrix(pass[Tensor::weights].subspan(i * map, map), n, m)));
  }
  return r;
}

[[nodiscard]] inline GradientReference gradient_reference_of(const Problem& p, const Reference& pass,
                                                             std::span<const float> d_output) {
  return attention_gradient_reference(p.shape, p.parameters(), p.input(), p.options(), pass, d_output);
}

[[nodiscard]] inline const Bounded& of(const GradientReference& r, Tensor tensor) {
  switch (tensor) {
    case Tensor::x: return r.x;
    case Tensor::context: return r.context;
    case Tensor::w_q: return r.w_q;
    case Tensor::w_k: return r.w_k;
    case Tensor::w_v: return r.w_v;
    case Tensor::w_o: return r.w_o;
    case Tensor::b_q: return r.b_q;
    case Tensor::b_k: return r.b_k;
    case Tensor::b_v: return r.b_v;
    default: return r.b_o;
  }
}

/// "" if each number is within its bound.
[[nodiscard]] inline std::string beyond_bound(std::span<const float> got, const Bounded& want, std::string_view name) {
  if (std::cmp_not_equal(got.size(), want.value.size())) return std::string(name) + ": another size";
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double value = want.value.data()[i];
    const double bound = want.bound.data()[i];
    if (!(std::abs(got[i] - value) <= bound)) {
      return text("gradient by %s, element %d: got %.9g, want %.9g, error %.3g, bound %.3g", std::string(name).c_str(),
                  static_cast<int>(i), double{got[i]}, value, std::abs(got[i] - value), bound);
    }
  }
  return "";
}

[[nodiscard]] inline std::string beyond_bound(const GradientBlocks& got, const GradientReference& want) {
  for (const Tensor tensor : kGradients) {
    if (std::string bad = beyond_bound(got[tensor], of(want, tensor), info(tensor).name); !bad.empty()) return bad;
  }
  return beyond_bound(got.gates(), want.head_gate, "head_gate");
}

}  // namespace mha::test
