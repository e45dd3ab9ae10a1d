// NaN and infinity: found fast, named exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mha/shape.hpp"
#include "mha/status.hpp"
#include "mha/tensor.hpp"

namespace mha {

/// `status` about element `element` (row-major) of a tensor, with its index along the tensor's own axes.
[[nodiscard]] Outcome at_element(Status status, Tensor tensor, const Shape& shape, std::uint64_t element);

/// Position of the first NaN or infinity, or values.size().
[[nodiscard]] std::size_t first_not_finite(std::span<const float> values);

/// ok if `values`, which begin at element `first` of `tensor`, are all finite; else `status` with the place.
[[nodiscard]] Outcome require_finite(Status status, Tensor tensor, const Shape& shape, std::span<const float> values,
                                     std::uint64_t first = 0);

}  // namespace mha
