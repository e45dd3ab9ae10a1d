#include "mha/finite.hpp"

#include <algorithm>
#include <cmath>

#include "mha/simd.hpp"

namespace mha {

std::size_t size_of(Tensor tensor, const Shape& shape) {
  std::int64_t floats = 1;
  for (const Axis axis : info(tensor).axes) floats *= extent(axis, shape);
  return static_cast<std::size_t>(floats);
}

Outcome at_element(Status status, Tensor tensor, const Shape& shape, std::size_t element) {
  Outcome outcome{.status = status, .tensor = tensor};
  auto rest = static_cast<std::int64_t>(element);
  for (std::int32_t axis = info(tensor).rank - 1; axis >= 0; --axis) {
    const auto place = static_cast<std::size_t>(axis);
    const std::int64_t length = extent(info(tensor).axes[place], shape);
    outcome.index[place] = static_cast<std::int32_t>(rest % length);
    rest /= length;
  }
  return outcome;
}

std::size_t first_not_finite(std::span<const float> values) {
  // x·0 is 0 for finite x and NaN for all else: one sum decides, and only a bad span is searched.
  const std::size_t vectors = values.size() / kLanes * kLanes;
  Lanes sums(0.0F);
  for (std::size_t i = 0; i < vectors; i += kLanes) sums += Lanes::load_unaligned(values.data() + i) * Lanes(0.0F);
  float sum = xsimd::reduce_add(sums);
  for (std::size_t i = vectors; i < values.size(); ++i) sum += values[i] * 0.0F;
  if (sum == 0.0F) return values.size();
  return static_cast<std::size_t>(
      std::find_if(values.begin(), values.end(), [](float value) { return !std::isfinite(value); }) - values.begin());
}

Outcome require_finite(Status status, Tensor tensor, const Shape& shape, std::span<const float> values,
                       std::size_t first) {
  const std::size_t bad = first_not_finite(values);
  return bad == values.size() ? Outcome{} : at_element(status, tensor, shape, first + bad);
}

}  // namespace mha
