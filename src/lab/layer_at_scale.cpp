#include "lab/layer_at_scale.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "lab/cost.hpp"
#include "mha/attention.hpp"
#include "mha/gemm.hpp"
#include "mha/random.hpp"
#include "mha/softmax.hpp"
#include "mha/tensor.hpp"

namespace mha {
namespace {

/// Rows of a matrix that are made at a time: so many of one panel, and the same columns of X, stay in the first-level
/// cache (8 or 16 kB and, for eleven tokens, 11).
constexpr std::int32_t kBlockRows = 256;

SeededMatrix glorot(std::int32_t in, std::int32_t out, std::uint32_t seed, Tensor tensor, std::int32_t number) {
  const auto limit = static_cast<float>(std::sqrt(6.0 / (static_cast<double>(in) + out)));
  return {in, out, limit, stream(seed, info(tensor).name), static_cast<std::uint64_t>(number)};
}

}  // namespace

Outcome validate_at_scale(const Shape& shape) {
  if (shape.tokens < 1) return {.status = Status::tokens_out_of_range};
  if (shape.context != shape.tokens) return {.status = Status::tokens_out_of_range, .tensor = Tensor::context};
  if (shape.model_dim < 1) return {.status = Status::model_dim_out_of_range};
  if (shape.heads < 1) return {.status = Status::heads_out_of_range};
  if (shape.kv_heads < 1 || shape.kv_heads > shape.heads || shape.heads % shape.kv_heads != 0) {
    return {.status = Status::kv_heads_not_a_divisor};
  }
  if (shape.head_dim < 1) return {.status = Status::head_dim_out_of_range};
  if (shape.tokens > kMaxTokensAtScale || shape.model_dim > kMaxDimAtScale || shape.head_dim > kMaxHeadDimAtScale ||
      shape.heads > kMaxDimAtScale / shape.head_dim) {
    return {.status = Status::too_large};
  }
  return {};
}

CostAtScale cost_at_scale(const Shape& shape) {
  const double d = shape.model_dim;
  const double hk = shape.q_width();
  const double gk = shape.kv_width();
  const double weights = 2 * d * hk + 2 * d * gk;
  return {.weights = weights,
          .weight_bytes = weights * sizeof(float),
          .room_bytes = static_cast<double>(LayerAtScale::room(shape) * sizeof(float)),
          .flops = cost(shape).flops};
}

LayerAtScale::Room::Room(const Shape& shape, float* begin) {
  constexpr std::size_t kAlignment = 16;  // 64 bytes
  const auto take = [&](std::size_t count) {
    const std::span<float> piece = begin == nullptr ? std::span<float>() : std::span(begin + floats, count);
    floats += (count + kAlignment - 1) / kAlignment * kAlignment;
    return piece;
  };
  const auto n = static_cast<std::size_t>(shape.tokens);
  const auto d = static_cast<std::size_t>(shape.model_dim);
  const auto k = static_cast<std::size_t>(shape.head_dim);
  const auto width = static_cast<std::size_t>(panel_width());
  x = take(n * d);
  output = take(n * d);
  q = take(n * k);
  keys = take(n * k);
  values = take(n * k);
  mixed = take(n * k);
  weights = take(n * n);
  packed_keys = take(packed_size(shape.head_dim, shape.tokens));
  packed_values = take(packed_size(shape.tokens, shape.head_dim));
  panel = take(static_cast<std::size_t>(kBlockRows) * width);
  product = take(n * width);
}

std::size_t LayerAtScale::room(const Shape& shape) { return Room(shape, nullptr).floats; }

LayerAtScale::LayerAtScale(const Shape& shape, std::uint32_t seed, std::int32_t number, std::span<float> room)
    : shape_(shape),
      // Uniform within ±√3 has variance 1.
      inputs_(shape.tokens, shape.model_dim, std::sqrt(3.0F), stream(seed, info(Tensor::x).name),
              static_cast<std::uint64_t>(number)),
      w_q_(glorot(shape.model_dim, shape.q_width(), seed, Tensor::w_q, number)),
      w_k_(glorot(shape.model_dim, shape.kv_width(), seed, Tensor::w_k, number)),
      w_v_(glorot(shape.model_dim, shape.kv_width(), seed, Tensor::w_v, number)),
      w_o_(glorot(shape.q_width(), shape.model_dim, seed, Tensor::w_o, number)),
      room_(shape, room.data()) {
  assert(validate_at_scale(shape).ok() && room.size() >= room_.floats);
}

void LayerAtScale::begin() {
  float* to = room_.x.data();
  for (std::int32_t row = 0; row < shape_.tokens; ++row) {
    for (std::int32_t column = 0; column < shape_.model_dim; ++column) *to++ = inputs_.at(row, column);
  }
  std::fill(room_.output.begin(), room_.output.end(), 0.0F);
}

void LayerAtScale::add_head(std::int32_t head) {
  assert(head >= 0 && head < shape_.heads);
  const std::int32_t n = shape_.tokens;
  const std::int32_t d = shape_.model_dim;
  const std::int32_t k = shape_.head_dim;
  const std::int32_t kv_head = shape_.kv_head_of(head);
  if (head == 0 || kv_head != shape_.kv_head_of(head - 1)) {
    project(w_k_, kv_head, room_.keys);
    project(w_v_, kv_head, room_.values);
    pack({room_.keys.data(), 1, k}, k, n, room_.packed_keys.data());
    pack({room_.values.data(), k}, n, k, room_.packed_values.data());
  }
  project(w_q_, head, room_.q);

  gemm(n, n, k, room_.q.data(), k, room_.packed_keys.data(), nullptr, room_.weights.data(), n);
  const float scale = Options().factor(k);
  for (float& score : room_.weights) score *= scale;
  for (std::int32_t i = 0; i < n; ++i) {
    float* const row = room_.weights.data() + std::ptrdiff_t{i} * n;
    softmax_row(row, row, n);
  }
  gemm(n, k, n, room_.weights.data(), n, room_.packed_values.data(), nullptr, room_.mixed.data(), k);

  add_product(room_.mixed.data(), k, w_o_, {head * k, k, 0, d}, room_.output.data());
}

double LayerAtScale::root_mean_square() const {
  double squares = 0;
  for (const float value : room_.output) squares += double{value} * double{value};
  return std::sqrt(squares / static_cast<double>(room_.output.size()));
}

/// `to` [n, k] = X · W[:, columns of the head].
void LayerAtScale::project(const SeededMatrix& matrix, std::int32_t head, std::span<float> to) {
  const std::int32_t k = shape_.head_dim;
  std::fill(to.begin(), to.end(), 0.0F);
  add_product(room_.x.data(), shape_.model_dim, matrix, {0, shape_.model_dim, head * k, k}, to.data());
}

/// C [n, columns] += A [n, rows] · block. One panel of at most kBlockRows rows is made, used and overwritten at a time.
void LayerAtScale::add_product(const float* a, std::int32_t lda, const SeededMatrix& matrix, const Block& block,
                               float* c) {
  const std::int32_t width = panel_width();
  for (std::int32_t row = 0; row < block.rows; row += kBlockRows) {
    const std::int32_t rows = std::min(kBlockRows, block.rows - row);
    for (std::int32_t column = 0; column < block.columns; column += width) {
      const std::int32_t columns = std::min(width, block.columns - column);
      matrix.make(block.first_row + row, rows, block.first_column + column, columns, room_.panel.data());
      gemm(shape_.tokens, columns, rows, a + row, lda, room_.panel.data(), nullptr, room_.product.data(), columns);
      const float* product = room_.product.data();
      for (std::int32_t i = 0; i < shape_.tokens; ++i) {
        float* const sums = c + std::ptrdiff_t{i} * block.columns + column;
        for (std::int32_t j = 0; j < columns; ++j) sums[j] += *product++;
      }
    }
  }
}

}  // namespace mha
