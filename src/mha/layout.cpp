#include "mha/layout.hpp"

namespace mha {
namespace {

constexpr std::int64_t kAlignFloats = 16;  // 64 bytes: a cache line, and any vector width of today

constexpr std::int64_t aligned(std::int64_t floats) {
  return (floats + kAlignFloats - 1) / kAlignFloats * kAlignFloats;
}

/// The tensor whose bytes a view shares, or Tensor::count for a tensor that has its own.
constexpr Tensor owner(Tensor tensor) {
  switch (tensor) {
    case Tensor::q_heads: return Tensor::q;
    case Tensor::k_heads: return Tensor::k;
    case Tensor::v_heads: return Tensor::v;
    case Tensor::heads: return Tensor::concat;
    default: return Tensor::count;
  }
}

constexpr bool present(Tensor tensor, const Parts& parts) {
  switch (tensor) {
    case Tensor::context: return parts.context;
    case Tensor::mask: return parts.mask;
    case Tensor::b_q:
    case Tensor::b_k:
    case Tensor::b_v:
    case Tensor::b_o: return parts.biases;
    case Tensor::raw_scores:
    case Tensor::scaled_scores:
    case Tensor::masked_scores: return parts.detail == Detail::full;
    default: return true;
  }
}

/// A tensor that owns its bytes: row-major, last axis contiguous.
View contiguous(const TensorInfo& tensor, const Shape& shape, std::int64_t offset) {
  View view{.rank = tensor.rank, .offset = offset};
  std::int64_t stride = 1;
  for (std::int32_t axis = tensor.rank - 1; axis >= 0; --axis) {
    const auto place = static_cast<std::size_t>(axis);
    view.shape[place] = extent(tensor.axes[place], shape);
    view.strides[place] = stride;
    stride *= view.shape[place];
  }
  return view;
}

// --- excerpt: heads
/// [rows, heads·k] seen as [heads, rows, k]: head i begins i·k further, everything else stays where it is.
View as_heads(const View& whole, std::int64_t heads, std::int64_t head_dim) {
  return {.rank = 3,
          .shape = {heads, whole.shape[0], head_dim},
          .strides = {head_dim, whole.strides[0], 1},
          .offset = whole.offset};
}
// --- end excerpt

}  // namespace

Layout::Layout(Slab slab, const Shape& shape, const Parts& parts) : slab_(slab) {
  for (std::size_t i = 0; i < kTensorCount; ++i) {
    const auto tensor = static_cast<Tensor>(i);
    if (info(tensor).slab != slab || owner(tensor) != Tensor::count || !present(tensor, parts)) continue;
    views_[i] = contiguous(info(tensor), shape, size_);
    size_ = aligned(size_ + views_[i]->count());
  }
  for (std::size_t i = 0; i < kTensorCount; ++i) {
    const auto tensor = static_cast<Tensor>(i);
    if (info(tensor).slab != slab || owner(tensor) == Tensor::count) continue;
    views_[i] = as_heads((*this)[owner(tensor)], extent(info(tensor).axes[0], shape), shape.head_dim);
  }
}

std::span<float> Layout::span(Tensor tensor, std::span<float> slab) const {
  const auto& view = find(tensor);
  if (!view) return {};
  return slab.subspan(static_cast<std::size_t>(view->offset), static_cast<std::size_t>(view->count()));
}

std::span<const float> Layout::span(Tensor tensor, std::span<const float> slab) const {
  const auto& view = find(tensor);
  if (!view) return {};
  return slab.subspan(static_cast<std::size_t>(view->offset), static_cast<std::size_t>(view->count()));
}

}  // namespace mha
