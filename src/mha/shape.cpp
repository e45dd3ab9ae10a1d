#include "mha/shape.hpp"

#include "mha/status.hpp"
#include "mha/tensor.hpp"

namespace mha {
namespace {

constexpr bool between(std::int32_t value, std::int32_t low, std::int32_t high) {
  return value >= low && value <= high;
}

/// Whether every tensor of this shape stays below kMaxFloats. The axes are in range, so int64 can't overflow.
bool fits_memory(const Shape& shape) {
  for (std::size_t i = 0; i < kTensorCount; ++i) {
    const auto tensor = static_cast<Tensor>(i);
    // contributions are computed for the heads asked for, never for all at once.
    if (info(tensor).slab != Slab::contributions && element_count(tensor, shape) > kMaxFloats) return false;
  }
  return true;
}

}  // namespace

Outcome validate(const Shape& shape) {
  if (!between(shape.tokens, 1, kMaxTokens)) return {.status = Status::tokens_out_of_range};
  if (!between(shape.context, 1, kMaxTokens)) return {.status = Status::tokens_out_of_range, .tensor = Tensor::context};
  if (!between(shape.model_dim, 1, kMaxModelDim)) return {.status = Status::model_dim_out_of_range};
  if (!between(shape.heads, 1, kMaxHeads)) return {.status = Status::heads_out_of_range};
  if (!between(shape.kv_heads, 1, shape.heads) || shape.heads % shape.kv_heads != 0) {
    return {.status = Status::kv_heads_not_a_divisor};
  }
  if (!between(shape.head_dim, 1, kMaxModelDim) ||
      std::int64_t{shape.heads} * std::int64_t{shape.head_dim} > std::int64_t{kMaxWidth}) {
    return {.status = Status::head_dim_out_of_range};
  }
  if (!fits_memory(shape)) return {.status = Status::too_large};
  return {};
}

}  // namespace mha
