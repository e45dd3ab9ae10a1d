// The four matrices of a layer as factors of products: checked and packed once, then multiplied with any number of
// rows.
#pragma once

#include <cstdint>
#include <span>

#include "mha/buffer.hpp"
#include "mha/shape.hpp"
#include "mha/status.hpp"

namespace mha {

/// Row-major [in, out], shapes as in kTensors. Biases: either empty or of their full length, each on its own.
struct Parameters {
  std::span<const float> w_q = {}, w_k = {}, w_v = {}, w_o = {};
  std::span<const float> b_q = {}, b_k = {}, b_v = {}, b_o = {};
};

/// Sizes and finiteness of parameters, of a valid shape.
/// Errors: wrong_size or not_finite, with the tensor and (not_finite) the place of the first bad number.
[[nodiscard]] Outcome validate(const Shape& shape, const Parameters& parameters);

class PackedParameters {
 public:
  /// Of `shape` only d and the widths hk and gk matter: the matrices know nothing of heads, and one load() serves every
  /// way of cutting them. Allocates only for larger matrices than ever before.
  /// Errors: as validate(Shape) and validate(Shape, Parameters); out_of_memory. Nothing is loaded then.
  [[nodiscard]] Outcome load(const Shape& shape, const Parameters& parameters);

  /// False after a load() that failed, and for what was moved from.
  [[nodiscard]] bool loaded() const { return shape_.model_dim > 0 && panels_.capacity() > 0; }
  /// Whether passes of this shape fit what is loaded: the same d, hk and gk.
  [[nodiscard]] bool fits(const Shape& shape) const { return loaded() && same_matrices(shape, shape_); }

  // In panels, as gemm() wants them. Precondition: loaded().
  [[nodiscard]] const float* w_q() const { return panels_.data(); }
  [[nodiscard]] const float* w_k() const;
  [[nodiscard]] const float* w_v() const;
  [[nodiscard]] const float* w_o() const;

 private:
  Shape shape_;  ///< of one token; no sizes: nothing is loaded
  Buffer panels_;
};

/// A null pointer for gemm() if there is no bias.
[[nodiscard]] inline const float* bias_or_null(std::span<const float> bias) {
  return bias.empty() ? nullptr : bias.data();
}

}  // namespace mha
