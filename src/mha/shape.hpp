// The sizes of one attention layer and one pass through it.
//
// Axes, everywhere in this code:
//   n tokens (queries) · m context (keys) · d model_dim · h heads · g kv_heads · k head_dim
#pragma once

#include <cstddef>
#include <cstdint>

namespace mha {

struct Outcome;

inline constexpr std::int32_t kMaxTokens = 512;
inline constexpr std::int32_t kMaxModelDim = 4096;
inline constexpr std::int32_t kMaxHeads = 4096;
inline constexpr std::int32_t kMaxVocabulary = 4096;  ///< words of a model that learns here
inline constexpr std::int32_t kMaxLayers = 8;
inline constexpr std::int32_t kMaxSlots = 8;     ///< questions per token
inline constexpr std::int32_t kMaxWidth = 8192;  ///< h·k; Qwen3-32B has 64·128 on d = 5120
/// 2 GiB is the most that a wasm module of ours may grow to; one tensor may take half of it.
inline constexpr std::int64_t kMaxFloats = std::int64_t{1} << 28;

struct Shape {
  std::int32_t tokens = 0;     ///< n: rows that ask
  std::int32_t context = 0;    ///< m: rows that are asked; equal to n in self-attention
  std::int32_t model_dim = 0;  ///< d: numbers per token
  std::int32_t heads = 0;      ///< h: query heads
  std::int32_t kv_heads = 0;   ///< g: key and value heads; h/g query heads share one (grouped-query attention)
  std::int32_t head_dim = 0;   ///< k: numbers per head. Usually d/h, but that is a habit, not a law (lesson, claim 1)

  [[nodiscard]] constexpr std::int32_t q_width() const { return heads * head_dim; }
  [[nodiscard]] constexpr std::int32_t kv_width() const { return kv_heads * head_dim; }
  /// The key/value head that query head i reads.
  [[nodiscard]] constexpr std::int32_t kv_head_of(std::int32_t i) const { return i / (heads / kv_heads); }

  friend constexpr bool operator==(const Shape&, const Shape&) = default;
};

/// Self-attention of the 2017 design: m = n, g = h, k = d/h (d must be a multiple of h).
[[nodiscard]] constexpr Shape self_attention(std::int32_t n, std::int32_t d, std::int32_t h) {
  return {.tokens = n, .context = n, .model_dim = d, .heads = h, .kv_heads = h, .head_dim = h > 0 ? d / h : 0};
}

/// Whether the same matrices serve passes of both shapes, however they cut them into heads: the same d, hk and gk.
[[nodiscard]] constexpr bool same_matrices(const Shape& a, const Shape& b) {
  return a.model_dim == b.model_dim && a.q_width() == b.q_width() && a.kv_width() == b.kv_width();
}

/// Every other function may assume a shape that passed here. Errors: a size outside its range (tokens_out_of_range with
/// tensor `context` if it is m), kv_heads_not_a_divisor, or too_large: a tensor would need more than kMaxFloats numbers
/// (contributions are not asked: they are computed for the heads wanted).
[[nodiscard]] Outcome validate(const Shape& shape);

}  // namespace mha
