// Where each tensor lies in its slab: named, shaped, strided views.
//
// One slab is one caller-owned block of floats. A split tensor is a second view of the same bytes: q as [n, h·k] has
// strides (h·k, 1), q_heads as [h, n, k] has strides (k, h·k, 1) and the same offset. So splitting and concatenating
// move no byte, and a test asserts it (tests/layout_test.cpp).
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mha/shape.hpp"
#include "mha/tensor.hpp"

namespace mha {

/// Unused axes have extent 1 and stride 0. Offset and strides count floats.
struct View {
  std::int32_t rank = 0;
  std::array<std::int64_t, 3> shape = {1, 1, 1};
  std::array<std::int64_t, 3> strides = {0, 0, 0};
  std::int64_t offset = 0;

  [[nodiscard]] constexpr std::int64_t count() const { return shape[0] * shape[1] * shape[2]; }
  [[nodiscard]] constexpr std::int64_t at(std::int64_t a, std::int64_t b = 0, std::int64_t c = 0) const {
    return offset + a * strides[0] + b * strides[1] + c * strides[2];
  }
  [[nodiscard]] constexpr bool contains(std::int64_t a, std::int64_t b, std::int64_t c) const {
    return a >= 0 && a < shape[0] && b >= 0 && b < shape[1] && c >= 0 && c < shape[2];
  }
};

/// How much of a pass is kept. `core`: q k v weights concat output, what the mathematics needs. `full`: also the raw,
/// scaled and masked scores, for reading along.
enum class Detail : std::int32_t { core, full };

/// Which optional tensors there are.
struct Parts {
  bool context = false;  ///< cross-attention: keys and values come from their own rows
  bool mask = false;     ///< an additive mask [n, m]
  bool biases = false;
  Detail detail = Detail::full;
};

/// The views of one slab. Every tensor starts on a 64-byte boundary of the slab.
class Layout {
 public:
  /// Lays out the tensors of `slab` that `parts` has, in the order of the table; of `parts`, what is about other slabs
  /// is not read. Any valid shape has a layout, however large: whether it can be allocated is not asked.
  Layout(Slab slab, const Shape& shape, const Parts& parts);

  [[nodiscard]] Slab slab() const { return slab_; }
  /// Floats the slab must hold.
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// Empty: this slab does not hold that tensor (another slab's, or left out by Parts).
  [[nodiscard]] const std::optional<View>& find(Tensor tensor) const {
    return views_[static_cast<std::size_t>(tensor)];
  }
  /// Precondition: find(tensor).
  [[nodiscard]] const View& operator[](Tensor tensor) const {
    assert(find(tensor));
    return *find(tensor);
  }

  /// The floats of a contiguous tensor inside its slab, empty if the slab does not hold it.
  [[nodiscard]] std::span<float> span(Tensor tensor, std::span<float> slab) const;
  [[nodiscard]] std::span<const float> span(Tensor tensor, std::span<const float> slab) const;

 private:
  Slab slab_;
  std::int64_t size_ = 0;
  std::array<std::optional<View>, kTensorCount> views_;
};

}  // namespace mha
