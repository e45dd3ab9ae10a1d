// `mha forward`: files in, one pass, one file out.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "cli/arguments.hpp"
#include "io/npy.hpp"
#include "io/result.hpp"
#include "mha/shape.hpp"
#include "mha/tensor.hpp"

namespace mha::cli {

/// The given tensors by name: x, context, mask and the parameters. Empty: not given.
class TensorSet {
 public:
  [[nodiscard]] std::optional<Array>& operator[](Tensor tensor) { return arrays_[static_cast<std::size_t>(tensor)]; }
  [[nodiscard]] const std::optional<Array>& operator[](Tensor tensor) const {
    return arrays_[static_cast<std::size_t>(tensor)];
  }
  /// Empty if it is not given.
  [[nodiscard]] std::span<const float> span(Tensor tensor) const {
    const auto& array = (*this)[tensor];
    return array ? std::span<const float>(array->values) : std::span<const float>();
  }

 private:
  std::array<std::optional<Array>, kTensorCount> arrays_;
};

/// Sizes from the shapes of x, context, w_q and the numbers of heads; then every tensor's shape is held against them.
/// An error names the tensor, its shape and what it must be; `file_of` puts the tensor's file in front.
[[nodiscard]] Result<Shape> derive_shape(const TensorSet& given, const ForwardArguments& arguments);

/// One line about what was done. Errors begin with the file they are about.
[[nodiscard]] Result<std::string> forward(const ForwardArguments& arguments);

}  // namespace mha::cli
