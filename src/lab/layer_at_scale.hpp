// One attention layer at the size of a real model, with weights that are never stored.
//
// GPT-3's layer has 604 million weights, 2.4 GB. But every weight of a projection is used for the n tokens and then not
// again: so each block of a matrix is made, multiplied by and overwritten by the next. What is kept is X, Y and what
// one head needs, about 1 MiB. The weights are seeded random numbers: the cost is a real model's, the meaning is none.
//
//   Z_i = softmax(Q_i K_jᵀ / √k) V_j          Y = Σ_i Z_i W_O[rows of i]          (head i, its key/value head j)
//
// Source: as attention.hpp, whose pass gives the same within rounding (tests/layer_at_scale_test.cpp). No biases, no
// mask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lab/seeded_matrix.hpp"
#include "mha/shape.hpp"
#include "mha/status.hpp"

namespace mha {

inline constexpr std::int32_t kMaxTokensAtScale = 32;
inline constexpr std::int32_t kMaxDimAtScale = 16384;  ///< d, and h·k: Llama-3.1-405B has 16384 of both
inline constexpr std::int32_t kMaxHeadDimAtScale = 1024;
/// No layer takes more room than this, whatever its shape.
inline constexpr std::size_t kMaxRoomAtScale = std::size_t{8} << 20;

/// Shapes beyond validate(Shape), which is about layers that are stored. Self-attention: context is tokens.
/// Errors: as validate(Shape) for sizes below 1, for a context that is not n, and for kv_heads; too_large: a size above
/// its limit here.
[[nodiscard]] Outcome validate_at_scale(const Shape& shape);

/// What a layer of this (valid) shape takes.
struct CostAtScale {
  double weights = 0;       ///< numbers in W_Q, W_K, W_V and W_O, all of which are made
  double weight_bytes = 0;  ///< what storing them as floats would take
  double room_bytes = 0;    ///< what the layer takes instead
  double flops = 0;         ///< of its matrix products; making the weights is not counted
};
[[nodiscard]] CostAtScale cost_at_scale(const Shape& shape);

/// A layer in progress. It keeps everything in the caller's room and nothing of its own: an object made anew over the
/// same room goes on where the last one was, and one that is not finished is taken back by forgetting it.
class LayerAtScale {
 public:
  /// Floats of the room for this (valid) shape: at most kMaxRoomAtScale bytes.
  [[nodiscard]] static std::size_t room(const Shape& shape);

  /// Layer `number` of a model with this (valid) shape. `room` holds room(shape) floats from a 64-byte boundary on.
  LayerAtScale(const Shape& shape, std::uint32_t seed, std::int32_t number, std::span<float> room);

  /// Makes X, uniform with variance 1, and sets Y to zeros.
  void begin();
  /// Adds the contribution of a head to Y. All of them after begin(), in ascending order: heads that share a key/value
  /// head find its keys and values in the room. Allocates nothing.
  void add_head(std::int32_t head);

  [[nodiscard]] std::span<const float> x() const { return room_.x; }              ///< [n, d]
  [[nodiscard]] std::span<const float> output() const { return room_.output; }    ///< Y [n, d] of the heads so far
  [[nodiscard]] std::span<const float> weights() const { return room_.weights; }  ///< A [n, n] of the last head

  /// √(ΣY²/(n·d)): how large a number of Y is.
  [[nodiscard]] double root_mean_square() const;

  /// The matrices, shapes as in kTensors, Glorot-uniform as in random.hpp.
  [[nodiscard]] const SeededMatrix& w_q() const { return w_q_; }
  [[nodiscard]] const SeededMatrix& w_k() const { return w_k_; }
  [[nodiscard]] const SeededMatrix& w_v() const { return w_v_; }
  [[nodiscard]] const SeededMatrix& w_o() const { return w_o_; }

 private:
  /// What lies where in the room.
  struct Room {
    std::size_t floats = 0;
    std::span<float> x, output, q, keys, values, mixed, weights;
    std::span<float> packed_keys, packed_values;  ///< Kᵀ and V of the key/value head, in panels
    std::span<float> panel, product;              ///< a piece of a matrix, and rows times it

    /// Without a beginning it is only measured.
    Room(const Shape& shape, float* begin);
  };
  /// A block of a matrix. Head i owns a block of columns of w_q, and the same rows of w_o.
  struct Block {
    std::int32_t first_row, rows, first_column, columns;
  };

  void project(const SeededMatrix& matrix, std::int32_t head, std::span<float> to);
  void add_product(const float* a, std::int32_t lda, const SeededMatrix& matrix, const Block& block, float* c);

  Shape shape_;
  SeededMatrix inputs_, w_q_, w_k_, w_v_, w_o_;
  Room room_;
};

}  // namespace mha
