#include "mha/attention_gradient.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "mha/finite.hpp"
#include "mha/gemm.hpp"
#include "mha/softmax.hpp"
#include "mha/stack.hpp"

namespace mha {
namespace {

/// W_Qᵀ, W_Kᵀ and W_Vᵀ below each other, behind W_Oᵀ.
Stack projections(const Shape& s, float* panels) {
  return {s.q_width() + 2 * s.kv_width(), s.model_dim, panels + packed_size(s.model_dim, s.q_width())};
}

/// to [columns, rows] = transposed from [rows, columns], in blocks that stay in the cache.
void transpose(const float* from, std::ptrdiff_t row_stride, std::int32_t rows, std::int32_t columns, float* to) {
  constexpr std::int32_t kBlock = 16;
  for (std::int32_t first = 0; first < rows; first += kBlock) {
    const std::int32_t last = std::min(rows, first + kBlock);
    for (std::int32_t column = 0; column < columns; ++column) {
      float* const row = to + std::ptrdiff_t{column} * rows;
      for (std::int32_t i = first; i < last; ++i) row[i] = from[i * row_stride + column];
    }
  }
}

/// Some columns of a matrix whose rows are `stride` floats apart.
struct Columns {
  float* data;
  std::ptrdiff_t stride;

  [[nodiscard]] float* at(std::int32_t row, std::int32_t column) const { return data + row * stride + column; }
  operator ConstMatrix() const { return {data, stride}; }  // NOLINT(google-explicit-constructor): it is one
};

/// One backward pass in progress: the axes by their letters (n and m of all sequences together), and the workspace.
struct Pass {
  const Shape& shape;
  const Traced& traced;
  const Gradients& gradients;
  std::int32_t n, m, d, k, hk, gk;
  std::int32_t group;                    ///< query heads that share one key/value head
  std::size_t map = 0;                   ///< numbers of the largest sequence's maps of one group
  Columns d_q = {}, d_k = {}, d_v = {};  ///< in self-attention side by side: then dX is one product
  float *d_z = nullptr, *d_scores = nullptr, *transposed = nullptr, *packed = nullptr;

  Pass(const Traced& of, const Gradients& to)
      : shape(of.shape),
        traced(of),
        gradients(to),
        n(shape.tokens),
        m(shape.context),
        d(shape.model_dim),
        k(shape.head_dim),
        hk(shape.q_width()),
        gk(shape.kv_width()),
        group(shape.heads / shape.kv_heads) {}

  [[nodiscard]] bool is_self() const { return traced.context.empty(); }
  [[nodiscard]] std::span<const float> context() const { return is_self() ? traced.x : traced.context; }

  [[nodiscard]] bool reserve(Buffer& workspace);
};

bool Pass::reserve(Buffer& workspace) {
  const auto area = [](std::int32_t rows, std::int32_t columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  };
  std::size_t packed_floats = std::max(packed_size(n, std::max(hk, d)), packed_size(m, gk));
  for (const Sequence& s : traced.sequences) {
    map = std::max(map, area(group * s.tokens, s.context));
    packed_floats = std::max(
        {packed_floats, packed_size(k, s.context), packed_size(s.context, k), packed_size(group * s.tokens, k)});
  }
  std::array<std::span<float>, 5> blocks;
  if (!workspace.reserve({packed_floats, area(n, hk), area(n, hk) + 2 * area(m, gk), map,
                          std::max({map, area(n, std::max(d, hk)), area(m, d)})},
                         blocks)) {
    return false;
  }
  packed = blocks[0].data();
  d_z = blocks[1].data();
  float* const d_qkv = blocks[2].data();
  d_scores = blocks[3].data();
  transposed = blocks[4].data();
  const std::ptrdiff_t together = hk + std::ptrdiff_t{2} * gk;
  float* const d_kv = is_self() ? d_qkv + hk : d_qkv + area(n, hk);
  d_q = {d_qkv, is_self() ? together : hk};
  d_k = {d_kv, is_self() ? together : together - hk};
  d_v = {d_kv + gk, d_k.stride};
  return true;
}

/// Where one sequence begins, and one of its key/value heads with the heads that share it.
struct Group {
  Sequence sequence;
  std::int32_t token, key;  ///< rows before it
  std::size_t maps;         ///< numbers of weights before it
  std::size_t index;        ///< of the sequence
  std::int32_t kv_head;
};

/// dA_i = dZ_i V_jᵀ, and from it dξ_i and dS_i: the maps of all heads of the group, below each other. Leaves ξ_i·dZ_i.
void backward_maps(const Pass& p, const Group& g) {
  const auto [rows, keys] = g.sequence;
  pack({p.traced.v.data() + std::ptrdiff_t{g.key} * p.gk + g.kv_head * p.k, 1, p.gk}, p.k, keys, p.packed);
  for (std::int32_t i = 0; i < p.group; ++i) {
    const std::int32_t head = g.kv_head * p.group + i;
    const float gate = p.traced.gate(head);
    const std::ptrdiff_t map = std::ptrdiff_t{i} * rows * keys;
    const float* const weights = p.traced.weights.data() + g.maps + map;
    float* const d_z = p.d_z + std::ptrdiff_t{g.token} * p.hk + head * p.k;
    float* const d_scores = p.d_scores + map;
    gemm(rows, keys, p.k, d_z, p.hk, p.packed, nullptr, d_scores, keys);

    float d_gate = 0.0F;
    for (std::int32_t row = 0; row < rows; ++row) {
      const std::ptrdiff_t at = std::ptrdiff_t{row} * keys;
      d_gate += softmax_row_gradient(weights + at, d_scores + at, gate * p.traced.factor, d_scores + at, keys);
    }
    if (!p.gradients.head_gate.empty()) {
      const std::size_t gates = g.index * static_cast<std::size_t>(p.shape.heads);
      p.gradients.head_gate[gates + static_cast<std::size_t>(head)] = d_gate;
    }
    for (std::int32_t row = 0; gate != 1.0F && row < rows; ++row) {
      float* const z = d_z + std::ptrdiff_t{row} * p.hk;
      std::transform(z, z + p.k, z, [gate](float value) { return gate * value; });
    }
  }
}

/// dQ_i = dS_i K_j of each head of the group.
void backward_queries(const Pass& p, const Group& g) {
  const auto [rows, keys] = g.sequence;
  pack({p.traced.k.data() + std::ptrdiff_t{g.key} * p.gk + g.kv_head * p.k, p.gk}, keys, p.k, p.packed);
  for (std::int32_t i = 0; i < p.group; ++i) {
    gemm(rows, p.k, keys, p.d_scores + std::ptrdiff_t{i} * rows * keys, keys, p.packed, nullptr,
         p.d_q.at(g.token, (g.kv_head * p.group + i) * p.k), p.d_q.stride);
  }
}

/// Σ_i maps_iᵀ · from_i over the heads of the group: with all of them below each other it is one product.
void backward_keys(const Pass& p, const Group& g, const float* maps, const float* from, const Columns& to) {
  const auto [rows, keys] = g.sequence;
  const Stack stack = {p.group * rows, p.k, p.packed};
  for (std::int32_t i = 0; i < p.group; ++i) {
    stack.pack_rows({from + std::ptrdiff_t{g.token} * p.hk + (g.kv_head * p.group + i) * p.k, p.hk}, i * rows, rows);
  }
  transpose(maps, keys, stack.total, keys, p.transposed);
  gemm(keys, p.k, stack.total, p.transposed, stack.total, p.packed, nullptr, to.at(g.key, g.kv_head * p.k), to.stride);
}

void backward_heads(const Pass& p) {
  Group g = {};
  for (const Sequence& sequence : p.traced.sequences) {
    g.sequence = sequence;
    for (g.kv_head = 0; g.kv_head < p.shape.kv_heads; ++g.kv_head) {
      backward_maps(p, g);
      backward_queries(p, g);
      backward_keys(p, g, p.d_scores, p.traced.q.data(), p.d_k);
      backward_keys(p, g, p.traced.weights.data() + g.maps, p.d_z, p.d_v);
      g.maps += static_cast<std::size_t>(p.group) * static_cast<std::size_t>(sequence.tokens) *
                static_cast<std::size_t>(sequence.context);
    }
    g.token += sequence.tokens;
    g.key += sequence.context;
    ++g.index;
  }
}

/// to [inputs, width] = aᵀ · b, of a [rows, inputs] that lies transposed in the workspace; and bias = Σ rows of b.
void backward_matrix(const Pass& p, std::int32_t rows, std::int32_t inputs, ConstMatrix b, std::int32_t width,
                     std::span<float> to, std::span<float> bias) {
  if (!to.empty()) {
    pack(b, rows, width, p.packed);
    gemm(inputs, width, rows, p.transposed, rows, p.packed, nullptr, to.data(), width);
  }
  if (bias.empty()) return;
  std::fill(bias.begin(), bias.end(), 0.0F);
  for (std::int32_t row = 0; row < rows; ++row) {
    std::transform(bias.begin(), bias.end(), b.data + row * b.row_stride, bias.begin(), std::plus());
  }
}

/// dW_O = Zᵀ dY, dW_Q = Xᵀ dQ, dW_K = Cᵀ dK, dW_V = Cᵀ dV, and the biases.
void backward_parameters(const Pass& p, const float* d_output) {
  const Gradients& to = p.gradients;
  transpose(p.traced.concat.data(), p.hk, p.n, p.hk, p.transposed);
  backward_matrix(p, p.n, p.hk, {d_output, p.d}, p.d, to.w_o, to.b_o);
  transpose(p.traced.x.data(), p.d, p.n, p.d, p.transposed);
  backward_matrix(p, p.n, p.d, p.d_q, p.hk, to.w_q, to.b_q);
  if (!p.is_self()) transpose(p.traced.context.data(), p.d, p.m, p.d, p.transposed);
  backward_matrix(p, p.m, p.d, p.d_k, p.gk, to.w_k, to.b_k);
  backward_matrix(p, p.m, p.d, p.d_v, p.gk, to.w_v, to.b_v);
}

/// dX = dQ W_Qᵀ, dC = dK W_Kᵀ + dV W_Vᵀ; in self-attention both at once.
void backward_input(const Pass& p, const Stack& projections) {
  const std::int32_t queries = p.is_self() ? projections.total : p.hk;
  if (!p.gradients.x.empty()) {
    projections.multiply_rows(0, queries, p.n, p.d_q.data, p.d_q.stride, p.gradients.x.data());
  }
  if (!p.gradients.context.empty()) {
    projections.multiply_rows(p.hk, 2 * p.gk, p.m, p.d_k.data, p.d_k.stride, p.gradients.context.data());
  }
}

/// The gradients by tensors of the table, for what is the same with each.
struct Wanted {
  Tensor tensor;
  std::span<float> gradient;
};

std::array<Wanted, 10> tensors_of(const Gradients& g) {
  return {{{Tensor::x, g.x},
           {Tensor::context, g.context},
           {Tensor::w_q, g.w_q},
           {Tensor::w_k, g.w_k},
           {Tensor::w_v, g.w_v},
           {Tensor::w_o, g.w_o},
           {Tensor::b_q, g.b_q},
           {Tensor::b_k, g.b_k},
           {Tensor::b_v, g.b_v},
           {Tensor::b_o, g.b_o}}};
}

Outcome validate_gradients(const Traced& traced, std::span<const float> d_output, const Gradients& gradients) {
  if (std::cmp_not_equal(d_output.size(), element_count(Tensor::output, traced.shape))) {
    return {.status = Status::wrong_size, .tensor = Tensor::output};
  }
  for (const auto& [tensor, gradient] : tensors_of(gradients)) {
    const bool exists = tensor != Tensor::context || !traced.context.empty();
    if (!gradient.empty() && (!exists || std::cmp_not_equal(gradient.size(), element_count(tensor, traced.shape)))) {
      return {.status = Status::wrong_size, .tensor = tensor};
    }
  }
  const std::size_t gates = traced.sequences.size() * static_cast<std::size_t>(traced.shape.heads);
  if (!gradients.head_gate.empty() && gradients.head_gate.size() != gates) return {.status = Status::bad_gate};
  return require_finite(Status::not_finite, Tensor::output, traced.shape, d_output);
}

Outcome require_finite_gradients(const Shape& shape, const Gradients& gradients) {
  for (const auto& [tensor, gradient] : tensors_of(gradients)) {
    if (Outcome bad = require_finite(Status::overflow, tensor, shape, gradient); !bad.ok()) return bad;
  }
  const std::size_t bad = first_not_finite(gradients.head_gate);
  if (bad == gradients.head_gate.size()) return {};
  return {.status = Status::overflow, .index = {static_cast<std::int32_t>(bad), -1, -1}};
}

}  // namespace

Outcome AttentionGradient::load(const Shape& shape, const Parameters& parameters) {
  shape_ = {};
  Shape checked = shape;
  checked.tokens = checked.context = 1;
  if (Outcome bad = validate(checked); !bad.ok()) return bad;
  if (Outcome bad = validate(checked, parameters); !bad.ok()) return bad;
  const std::int32_t d = checked.model_dim;
  const std::int32_t hk = checked.q_width();
  const std::int32_t gk = checked.kv_width();
  if (!panels_.reserve(packed_size(d, hk) + packed_size(hk + 2 * gk, d))) return {.status = Status::out_of_memory};

  // A transposed matrix is the same bytes with the two strides exchanged.
  pack({parameters.w_o.data(), 1, d}, d, hk, panels_.data());
  const Stack stack = projections(checked, panels_.data());
  stack.pack_rows({parameters.w_q.data(), 1, hk}, 0, hk);
  stack.pack_rows({parameters.w_k.data(), 1, gk}, hk, gk);
  stack.pack_rows({parameters.w_v.data(), 1, gk}, hk + gk, gk);
  shape_ = checked;
  return {};
}

Outcome AttentionGradient::backward(const Shape& shape, const Input& input, const Options& options, Detail detail,
                                    std::span<const float> trace, std::span<const float> d_output,
                                    const Gradients& gradients) {
  if (Outcome bad = validate(shape); !bad.ok()) return bad;
  if (!fits(shape)) return {.status = Status::not_loaded};
  if (Outcome bad = validate(shape, input, options); !bad.ok()) return bad;
  const Layout layout(Slab::trace, shape, {.detail = detail});
  if (std::cmp_not_equal(trace.size(), layout.size())) return {.status = Status::wrong_size};

  const Sequence whole = {shape.tokens, shape.context};
  const auto tensor = [&](Tensor name) { return layout.span(name, trace); };
  return backward({.shape = shape,
                   .sequences = {&whole, 1},
                   .x = input.x,
                   .context = input.context,
                   .q = tensor(Tensor::q),
                   .k = tensor(Tensor::k),
                   .v = tensor(Tensor::v),
                   .weights = tensor(Tensor::weights),
                   .concat = tensor(Tensor::concat),
                   .factor = options.factor(shape.head_dim),
                   .head_gate = options.head_gate},
                  d_output, gradients);
}

Outcome AttentionGradient::backward(const Traced& traced, std::span<const float> d_output, const Gradients& gradients) {
  if (!fits(traced.shape)) return {.status = Status::not_loaded};
  if (Outcome bad = validate_gradients(traced, d_output, gradients); !bad.ok()) return bad;
  Pass p(traced, gradients);
  if (!p.reserve(workspace_)) return {.status = Status::out_of_memory};

  // dZ = dY W_Oᵀ
  gemm(p.n, p.hk, p.d, d_output.data(), p.d, panels_.data(), nullptr, p.d_z, p.hk);
  backward_heads(p);
  backward_parameters(p, d_output.data());
  backward_input(p, projections(p.shape, panels_.data()));
  return require_finite_gradients(p.shape, gradients);
}

}  // namespace mha
