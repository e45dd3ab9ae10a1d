#include "mha/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mha/finite.hpp"
#include "mha/softmax.hpp"

namespace mha {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// One pass in progress: the axes by their letters, the trace by its tensors.
struct Pass {
  const Shape& shape;
  const Input& input;
  const Options& options;
  const Parameters& parameters;
  std::int32_t n, m, d, k, hk, gk;
  std::span<float> q, keys, values, raw, scaled, masked, weights, concat, output, masked_rows;

  Pass(const Shape& s, const Input& in, const Options& with, const Parameters& p, const Layout& layout, Detail detail,
       std::span<float> trace)
      : shape(s),
        input(in),
        options(with),
        parameters(p),
        n(s.tokens),
        m(s.context),
        d(s.model_dim),
        k(s.head_dim),
        hk(s.q_width()),
        gk(s.kv_width()) {
    const auto tensor = [&](Tensor name) { return layout.span(name, trace); };
    // Without the detail, scores become weights in the place of the weights.
    const auto score = [&](Tensor name) { return tensor(detail == Detail::full ? name : Tensor::weights); };
    q = tensor(Tensor::q);
    keys = tensor(Tensor::k);
    values = tensor(Tensor::v);
    raw = score(Tensor::raw_scores);
    scaled = score(Tensor::scaled_scores);
    masked = score(Tensor::masked_scores);
    weights = tensor(Tensor::weights);
    concat = tensor(Tensor::concat);
    output = tensor(Tensor::output);
    masked_rows = tensor(Tensor::masked_rows);
  }
};

/// Some rows of one head's map, [rows, m] of [h, n, m]: few enough to stay in the cache from their scores to their
/// weights, while a map of n = 512 is a megabyte.
struct Rows {
  std::int32_t head, first, count;
  std::size_t at, size;  ///< where they begin among the numbers of all maps, and how many they are

  Rows(const Pass& p, std::int32_t of, std::int32_t from)
      : head(of),
        first(from),
        count(std::min(p.n - from, most(p.m))),
        at((static_cast<std::size_t>(of) * static_cast<std::size_t>(p.n) + static_cast<std::size_t>(from)) *
           static_cast<std::size_t>(p.m)),
        size(static_cast<std::size_t>(count) * static_cast<std::size_t>(p.m)) {}

  /// A multiple of every tile's rows.
  static std::int32_t most(std::int32_t m) {
    constexpr std::int32_t kStep = 12;
    constexpr std::int32_t kCached = 12'288;  // floats: what a first-level cache holds, or hardly more
    return std::max(1, kCached / m / kStep) * kStep;
  }

  [[nodiscard]] std::span<float> of(std::span<float> maps) const { return maps.subspan(at, size); }
  /// Row i of these, of m numbers.
  [[nodiscard]] float* row(std::span<float> maps, std::int32_t i, std::int32_t m) const {
    return maps.data() + at + std::ptrdiff_t{i} * m;
  }
};

// --- excerpt: project
/// Q = X W_Q + b_Q, K = C W_K + b_K, V = C W_V + b_V: one wide product each. Heads are column blocks of it.
Outcome project(const Pass& p, const PackedParameters& packed) {
  const float* const x = p.input.x.data();
  const float* const c = p.input.context.empty() ? x : p.input.context.data();
  gemm(p.n, p.hk, p.d, x, p.d, packed.w_q(), bias_or_null(p.parameters.b_q), p.q.data(), p.hk);
  gemm(p.m, p.gk, p.d, c, p.d, packed.w_k(), bias_or_null(p.parameters.b_k), p.keys.data(), p.gk);
  gemm(p.m, p.gk, p.d, c, p.d, packed.w_v(), bias_or_null(p.parameters.b_v), p.values.data(), p.gk);
  if (Outcome bad = require_finite(Status::overflow, Tensor::q, p.shape, p.q); !bad.ok()) return bad;
  if (Outcome bad = require_finite(Status::overflow, Tensor::k, p.shape, p.keys); !bad.ok()) return bad;
  return require_finite(Status::overflow, Tensor::v, p.shape, p.values);
}
// --- end excerpt

// --- excerpt: score
/// S_i = Q_i K_iᵀ. `packed` is Kᵀ of this head's key/value head.
Outcome score(const Pass& p, const Rows& rows, const float* packed) {
  const float* const q = p.q.data() + std::ptrdiff_t{rows.first} * p.hk + rows.head * p.k;
  gemm(rows.count, p.m, p.k, q, p.hk, packed, nullptr, rows.of(p.raw).data(), p.m);
  return require_finite(Status::overflow, Tensor::raw_scores, p.shape, rows.of(p.raw), rows.at);
}
// --- end excerpt

// --- excerpt: scale
/// S′_i = s·S_i, rounded on its own, as the trace shows it.
Outcome scale(const Pass& p, const Rows& rows) {
  const auto raw = rows.of(p.raw);
  const auto scaled = rows.of(p.scaled);
  const float factor = p.options.factor(p.k);
  std::transform(raw.begin(), raw.end(), scaled.begin(), [factor](float score) { return score * factor; });
  return require_finite(Status::overflow, Tensor::scaled_scores, p.shape, scaled, rows.at);
}
// --- end excerpt

// --- excerpt: mask
/// S″_i = S′_i + M, and −∞ where the options forbid. A finite mask that overflows is an error: only −∞ given as such
/// forbids, so a row is masked for every head or for none.
Outcome mask(const Pass& p, const Rows& rows) {
  for (std::int32_t r = 0; r < rows.count; ++r) {
    const std::int32_t i = rows.first + r;
    const float* const scaled = rows.row(p.scaled, r, p.m);
    float* const masked = rows.row(p.masked, r, p.m);
    const std::int32_t visible = std::min(p.options.causal ? std::min(i + 1, p.m) : p.m, p.m - p.options.padding);
    if (p.input.mask.empty()) {
      if (masked != scaled) std::copy_n(scaled, visible, masked);
    } else {
      const float* const added = p.input.mask.data() + std::ptrdiff_t{i} * p.m;
      for (std::int32_t j = 0; j < visible; ++j) {
        masked[j] = scaled[j] + added[j];
        if (std::isinf(masked[j]) && added[j] != -kInfinity) {
          return {.status = Status::overflow, .tensor = Tensor::masked_scores, .index = {rows.head, i, j}};
        }
      }
    }
    std::fill(masked + visible, masked + p.m, -kInfinity);
  }
  return {};
}
// --- end excerpt

// --- excerpt: softmax
/// A_i = softmax of each row.
void normalise(const Pass& p, const Rows& rows) {
  for (std::int32_t r = 0; r < rows.count; ++r) {
    const bool visible = softmax_row(rows.row(p.masked, r, p.m), rows.row(p.weights, r, p.m), p.m);
    p.masked_rows[static_cast<std::size_t>(rows.first + r)] = visible ? 0.0F : 1.0F;
  }
}
// --- end excerpt

// --- excerpt: mix
/// Z_i = ξ_i · A_i V_i. It lands in its own columns of concat: concatenating is done by having written here.
void mix(const Pass& p, const Rows& rows, const float* packed) {
  float* const z = p.concat.data() + std::ptrdiff_t{rows.first} * p.hk + rows.head * p.k;
  gemm(rows.count, p.k, p.m, rows.of(p.weights).data(), p.m, packed, nullptr, z, p.hk);
  const float gate = p.options.gate(rows.head);
  if (gate == 1.0F) return;
  for (std::int32_t r = 0; r < rows.count; ++r) {
    float* const row = z + std::ptrdiff_t{r} * p.hk;
    std::transform(row, row + p.k, row, [gate](float value) { return gate * value; });
  }
}
// --- end excerpt

}  // namespace

Outcome Attention::load(const Shape& shape, const Parameters& parameters) {
  parameters_ = parameters;
  return packed_.load(shape, parameters);
}

Outcome Attention::forward(const Shape& shape, const Input& input, const Options& options, Detail detail,
                           std::span<float> trace) {
  if (Outcome bad = validate(shape); !bad.ok()) return bad;
  if (!fits(shape)) return {.status = Status::not_loaded};
  if (Outcome bad = validate(shape, input, options); !bad.ok()) return bad;
  const Layout layout(Slab::trace, shape, {.detail = detail});
  if (std::cmp_not_equal(trace.size(), layout.size())) return {.status = Status::wrong_size};

  const Pass p(shape, input, options, parameters_, layout, detail, trace);
  const std::size_t transposed_keys = packed_size(p.k, p.m);
  if (!workspace_.reserve(transposed_keys + packed_size(p.m, p.k))) return {.status = Status::out_of_memory};
  float* const packed_k = workspace_.data();
  float* const packed_v = packed_k + transposed_keys;

  // --- excerpt: result
  if (Outcome bad = project(p, packed_); !bad.ok()) return bad;
  for (std::int32_t head = 0; head < shape.heads; ++head) {
    const std::int32_t kv_head = shape.kv_head_of(head);
    if (head == 0 || kv_head != shape.kv_head_of(head - 1)) {
      // Kᵀ is the same bytes with the two strides exchanged.
      pack({p.keys.data() + kv_head * p.k, 1, p.gk}, p.k, p.m, packed_k);
      pack({p.values.data() + kv_head * p.k, p.gk}, p.m, p.k, packed_v);
    }
    for (Rows rows(p, head, 0); rows.first < p.n; rows = Rows(p, head, rows.first + rows.count)) {
      if (Outcome bad = score(p, rows, packed_k); !bad.ok()) return bad;
      if (Outcome bad = scale(p, rows); !bad.ok()) return bad;
      if (Outcome bad = mask(p, rows); !bad.ok()) return bad;
      normalise(p, rows);
      mix(p, rows, packed_v);
    }
  }
  // --- end excerpt
  if (Outcome bad = require_finite(Status::overflow, Tensor::concat, shape, p.concat); !bad.ok()) return bad;

  // --- excerpt: output
  // Y = concat(Z_1 … Z_h) W_O + b_O
  gemm(p.n, p.d, p.hk, p.concat.data(), p.hk, packed_.w_o(), bias_or_null(parameters_.b_o), p.output.data(), p.d);
  return require_finite(Status::overflow, Tensor::output, shape, p.output);
  // --- end excerpt
}

Outcome Attention::contributions(const Shape& shape, std::span<const float> concat, std::int32_t first,
                                 std::int32_t count, std::span<float> out) {
  if (Outcome bad = validate(shape); !bad.ok()) return bad;
  if (!fits(shape)) return {.status = Status::not_loaded};
  if (first < 0 || count < 1 || first > shape.heads - count) {
    return {.status = Status::no_such_cell, .tensor = Tensor::contributions, .index = {first, -1, -1}};
  }
  const std::int32_t n = shape.tokens;
  const std::int32_t d = shape.model_dim;
  const std::int32_t k = shape.head_dim;
  const std::size_t per_head = static_cast<std::size_t>(n) * static_cast<std::size_t>(d);
  if (std::cmp_not_equal(concat.size(), element_count(Tensor::concat, shape))) {
    return {.status = Status::wrong_size, .tensor = Tensor::concat};
  }
  if (out.size() != static_cast<std::size_t>(count) * per_head) {
    return {.status = Status::wrong_size, .tensor = Tensor::contributions};
  }
  if (!workspace_.reserve(packed_size(k, d))) return {.status = Status::out_of_memory};

  for (std::int32_t i = 0; i < count; ++i) {
    const std::int32_t head = first + i;
    const auto part = out.subspan(static_cast<std::size_t>(i) * per_head, per_head);
    pack({parameters_.w_o.data() + std::ptrdiff_t{head} * k * d, d}, k, d, workspace_.data());
    gemm(n, d, k, concat.data() + head * k, shape.q_width(), workspace_.data(), nullptr, part.data(), d);
    // Of all contributions there may be more than a size_t of 32 bits counts.
    if (Outcome bad = require_finite(Status::overflow, Tensor::contributions, shape, part,
                                     static_cast<std::uint64_t>(head) * per_head);
        !bad.ok()) {
      return bad;
    }
  }
  return {};
}

}  // namespace mha
