// Attention problems for tests: random ones, the pass that solves one, and the comparison with the reference.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "mha/attention.hpp"
#include "mha/attention_reference.hpp"
#include "support.hpp"

namespace mha::test {

/// Everything one pass is given, owned, so that a test may change any of it.
struct Problem {
  Shape shape;
  std::vector<float> x, context, mask;
  std::vector<float> w_q, w_k, w_v, w_o;
  std::vector<float> b_q, b_k, b_v, b_o;
  std::vector<float> gates;
  Options switches;  ///< head_gate is not used: gates are

  [[nodiscard]] Parameters parameters() const { return {w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o}; }
  [[nodiscard]] Input input() const { return {x, context, mask}; }
  [[nodiscard]] Options options() const {
    Options all = switches;
    all.head_gate = gates;
    return all;
  }
};

[[nodiscard]] inline std::string describe(const Problem& p) {
  const Shape& s = p.shape;
  std::string line = text("n %d, m %d, d %d, h %d, g %d, k %d; scale %d (%g), causal %d, padding %d", s.tokens,
                          s.context, s.model_dim, s.heads, s.kv_heads, s.head_dim, static_cast<int>(p.switches.scale),
                          static_cast<double>(p.switches.scale_value), p.switches.causal ? 1 : 0, p.switches.padding);
  const auto part = [&](const std::vector<float>& values, const char* name) {
    if (!values.empty()) line += std::string(", ") + name;
  };
  part(p.context, "context");
  part(p.mask, "mask");
  part(p.b_q, "b_q");
  part(p.b_k, "b_k");
  part(p.b_v, "b_v");
  part(p.b_o, "b_o");
  part(p.gates, "gates");
  return line;
}

[[nodiscard]] inline std::size_t floats(Tensor tensor, const Shape& shape) {
  std::int64_t count = 1;
  for (const Axis axis : info(tensor).axes) count *= extent(axis, shape);
  return static_cast<std::size_t>(count);
}

/// Numbers for a tensor of `shape`, in the range that seeded weights and token vectors have.
[[nodiscard]] inline std::vector<float> numbers_for(Tensor tensor, const Shape& shape, Random& random) {
  const auto& axes = info(tensor).axes;
  const bool weights = info(tensor).slab == Slab::parameters && info(tensor).rank == 2;
  const double width = static_cast<double>(extent(axes[0], shape) + extent(axes[1], shape));
  const float limit = weights ? static_cast<float>(std::sqrt(6.0 / width)) : 1.7320508F;
  return random.numbers(floats(tensor, shape), limit);
}

/// Self-attention (context only if m ≠ n), no biases, mask or gates.
[[nodiscard]] inline Problem plain_problem(const Shape& shape, Random& random) {
  Problem p;
  p.shape = shape;
  p.x = numbers_for(Tensor::x, shape, random);
  if (shape.context != shape.tokens) p.context = numbers_for(Tensor::context, shape, random);
  p.w_q = numbers_for(Tensor::w_q, shape, random);
  p.w_k = numbers_for(Tensor::w_k, shape, random);
  p.w_v = numbers_for(Tensor::w_v, shape, random);
  p.w_o = numbers_for(Tensor::w_o, shape, random);
  return p;
}

inline void add_biases(Problem& p, Random& random) {
  p.b_q = numbers_for(Tensor::b_q, p.shape, random);
  p.b_k = numbers_for(Tensor::b_k, p.shape, random);
  p.b_v = numbers_for(Tensor::b_v, p.shape, random);
  p.b_o = numbers_for(Tensor::b_o, p.shape, random);
}

/// About one entry in four −∞, the others within ±2.
[[nodiscard]] inline std::vector<float> random_mask(const Shape& shape, Random& random) {
  std::vector<float> mask = random.numbers(floats(Tensor::mask, shape), 2.0F);
  for (float& entry : mask) {
    if (random.one_in(4)) entry = -kInfinity;
  }
  return mask;
}

/// Some of the gates 0 or 1, the others in between or beyond.
[[nodiscard]] inline std::vector<float> random_gates(const Shape& shape, Random& random) {
  std::vector<float> gates = random.numbers(static_cast<std::size_t>(shape.heads), 1.5F);
  for (float& gate : gates) {
    if (random.one_in(3)) gate = static_cast<float>(random.integer(0, 1));
  }
  return gates;
}

/// Each part and option present or not by chance.
[[nodiscard]] inline Problem random_problem(const Shape& shape, Random& random) {
  Problem p = plain_problem(shape, random);
  if (p.context.empty() && random.one_in(4)) p.context = numbers_for(Tensor::context, shape, random);
  if (random.one_in(2)) p.b_q = numbers_for(Tensor::b_q, shape, random);
  if (random.one_in(2)) p.b_k = numbers_for(Tensor::b_k, shape, random);
  if (random.one_in(2)) p.b_v = numbers_for(Tensor::b_v, shape, random);
  if (random.one_in(2)) p.b_o = numbers_for(Tensor::b_o, shape, random);
  if (random.one_in(3)) p.mask = random_mask(shape, random);
  if (random.one_in(3)) p.gates = random_gates(shape, random);
  p.switches.causal = random.one_in(3);
  if (random.one_in(3)) p.switches.padding = random.integer(0, shape.context);
  if (random.one_in(4))
    p.switches = {Options::Scale::given, random.number(), p.switches.causal, p.switches.padding, {}};
  return p;
}

[[nodiscard]] inline Reference reference_of(const Problem& p) {
  return attention_reference(p.shape, p.parameters(), p.input(), p.options());
}

/// What a pass left behind.
struct Pass {
  Outcome outcome;
  Layout layout;
  Guarded trace;

  [[nodiscard]] std::span<const float> operator[](Tensor tensor) const { return layout.span(tensor, trace.span()); }
  [[nodiscard]] float at(Tensor tensor, std::int64_t a, std::int64_t b = 0, std::int64_t c = 0) const {
    return trace.span()[static_cast<std::size_t>(layout[tensor].at(a, b, c))];
  }
};

/// One pass by `attention`, every operand copied to a block of its own `shift` and more floats off its alignment.
[[nodiscard]] inline Pass run(Attention& attention, const Problem& p, Detail detail = Detail::full,
                              std::size_t shift = 0) {
  const Shifted x(p.x, shift % 4);
  const Shifted context(p.context, (shift + 1) % 4);
  const Shifted mask(p.mask, (shift + 2) % 4);
  const Shifted gates(p.gates, (shift + 3) % 4);
  Options options = p.switches;
  options.head_gate = gates.span();
  const Layout layout(Slab::trace, p.shape, {.detail = detail});
  Pass pass{{}, layout, Guarded(static_cast<std::size_t>(layout.size()), shift)};
  pass.outcome =
      attention.forward(p.shape, {x.span(), context.span(), mask.span()}, options, detail, pass.trace.span());
  return pass;
}

/// The same with parameters loaded from misaligned copies.
[[nodiscard]] inline Pass run(const Problem& p, Detail detail = Detail::full, std::size_t shift = 0) {
  const Shifted w_q(p.w_q, shift % 4), w_k(p.w_k, (shift + 1) % 4), w_v(p.w_v, (shift + 2) % 4);
  const Shifted w_o(p.w_o, (shift + 3) % 4), b_q(p.b_q, shift % 4), b_k(p.b_k, (shift + 1) % 4);
  const Shifted b_v(p.b_v, (shift + 2) % 4), b_o(p.b_o, (shift + 3) % 4);
  Attention attention;
  const Outcome loaded = attention.load(
      p.shape, {w_q.span(), w_k.span(), w_v.span(), w_o.span(), b_q.span(), b_k.span(), b_v.span(), b_o.span()});
  if (loaded.ok()) return run(attention, p, detail, shift);
  return {loaded, Layout(Slab::trace, p.shape, {.detail = detail}), Guarded(0)};
}

}  // namespace mha::test
