// The one table of tensors: what exists, its name, its axes, the slab it lives in.
//
// The page's TypeScript types are generated from this table (src/wasm/describe_tables.cpp), the .safetensors keys of
// the `mha` command come from it, and an explanation names its operands by it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mha/shape.hpp"

namespace mha {

/// `one` pads the unused places of a tensor with fewer than three axes.
enum class Axis : std::int32_t { one, n, m, d, h, g, k, hk, gk };

inline constexpr std::array<std::string_view, 9> kAxisNames = {"1", "n", "m", "d", "h", "g", "k", "h·k", "g·k"};

[[nodiscard]] constexpr std::int64_t extent(Axis axis, const Shape& shape) {
  switch (axis) {
    case Axis::one: return 1;
    case Axis::n: return shape.tokens;
    case Axis::m: return shape.context;
    case Axis::d: return shape.model_dim;
    case Axis::h: return shape.heads;
    case Axis::g: return shape.kv_heads;
    case Axis::k: return shape.head_dim;
    case Axis::hk: return shape.q_width();
    case Axis::gk: return shape.kv_width();
  }
  return 0;
}

/// Tensors that are made, travel and are thrown away together share one block of memory.
enum class Slab : std::int32_t { input, parameters, trace, contributions };

enum class Tensor : std::int32_t {
  token_vectors,
  positions,
  x,
  context,
  mask,
  w_q,
  w_k,
  w_v,
  w_o,
  b_q,
  b_k,
  b_v,
  b_o,
  q,
  k,
  v,
  q_heads,
  k_heads,
  v_heads,
  raw_scores,
  scaled_scores,
  masked_scores,
  weights,
  heads,
  concat,
  output,
  masked_rows,
  contributions,
  count
};

inline constexpr std::size_t kTensorCount = static_cast<std::size_t>(Tensor::count);

struct TensorInfo {
  std::string_view name;
  std::array<Axis, 3> axes;
  std::int32_t rank;
  Slab slab;
};

/// In the order of enum Tensor.
inline constexpr std::array<TensorInfo, kTensorCount> kTensors = {{
    // What a token is, where it stands, and their sum: X.
    {"token_vectors", {Axis::n, Axis::d, Axis::one}, 2, Slab::input},
    {"positions", {Axis::n, Axis::d, Axis::one}, 2, Slab::input},
    {"x", {Axis::n, Axis::d, Axis::one}, 2, Slab::input},
    {"context", {Axis::m, Axis::d, Axis::one}, 2, Slab::input},
    {"mask", {Axis::n, Axis::m, Axis::one}, 2, Slab::input},
    // [in, out]: they multiply from the right. Head i owns columns i·k … (i+1)·k of w_q and the same ROWS of w_o.
    {"w_q", {Axis::d, Axis::hk, Axis::one}, 2, Slab::parameters},
    {"w_k", {Axis::d, Axis::gk, Axis::one}, 2, Slab::parameters},
    {"w_v", {Axis::d, Axis::gk, Axis::one}, 2, Slab::parameters},
    {"w_o", {Axis::hk, Axis::d, Axis::one}, 2, Slab::parameters},
    {"b_q", {Axis::hk, Axis::one, Axis::one}, 1, Slab::parameters},
    {"b_k", {Axis::gk, Axis::one, Axis::one}, 1, Slab::parameters},
    {"b_v", {Axis::gk, Axis::one, Axis::one}, 1, Slab::parameters},
    {"b_o", {Axis::d, Axis::one, Axis::one}, 1, Slab::parameters},
    // Projected, then seen as heads: the *_heads tensors are strided views of the same bytes.
    {"q", {Axis::n, Axis::hk, Axis::one}, 2, Slab::trace},
    {"k", {Axis::m, Axis::gk, Axis::one}, 2, Slab::trace},
    {"v", {Axis::m, Axis::gk, Axis::one}, 2, Slab::trace},
    {"q_heads", {Axis::h, Axis::n, Axis::k}, 3, Slab::trace},
    {"k_heads", {Axis::g, Axis::m, Axis::k}, 3, Slab::trace},
    {"v_heads", {Axis::g, Axis::m, Axis::k}, 3, Slab::trace},
    {"raw_scores", {Axis::h, Axis::n, Axis::m}, 3, Slab::trace},
    {"scaled_scores", {Axis::h, Axis::n, Axis::m}, 3, Slab::trace},
    {"masked_scores", {Axis::h, Axis::n, Axis::m}, 3, Slab::trace},
    {"weights", {Axis::h, Axis::n, Axis::m}, 3, Slab::trace},
    // heads is a strided view of concat: concatenating moves nothing either.
    {"heads", {Axis::h, Axis::n, Axis::k}, 3, Slab::trace},
    {"concat", {Axis::n, Axis::hk, Axis::one}, 2, Slab::trace},
    {"output", {Axis::n, Axis::d, Axis::one}, 2, Slab::trace},
    // 1 where every key of a row is masked (its weights are zeros), else 0.
    {"masked_rows", {Axis::n, Axis::one, Axis::one}, 1, Slab::trace},
    // contributions[i] = heads[i] · w_o[rows of head i]: they and b_o add up to the output.
    {"contributions", {Axis::h, Axis::n, Axis::d}, 3, Slab::contributions},
}};

[[nodiscard]] constexpr const TensorInfo& info(Tensor tensor) { return kTensors[static_cast<std::size_t>(tensor)]; }

/// Elements of a whole tensor: int64, since all contributions may be more than a 32-bit size_t counts.
[[nodiscard]] constexpr std::int64_t element_count(Tensor tensor, const Shape& shape) {
  std::int64_t count = 1;
  for (const Axis axis : info(tensor).axes) count *= extent(axis, shape);
  return count;
}

}  // namespace mha
