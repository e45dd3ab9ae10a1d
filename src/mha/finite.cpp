#include "mha/finite.hpp"

#include <algorithm>
#include <cmath>

#include "mha/simd.hpp"

namespace mha {

Outcome at_element(Status status, Tensor tensor, const Shape& shape, std::uint64_t element) {
  Outcome outcome{.status = status, .tensor = tensor};
  for (std::int32_t axis = info(tensor).rank - 1; axis >= 0; --axis) {
    const auto place = static_cast<std::size_t>(axis);
    const auto length = static_cast<std::uint64_t>(extent(info(tensor).axes[place], shape));
    outcome.index[place] = static_cast<std::int32_t>(element % length);
    element /= length;
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
                       std::uint64_t first) {
  const std::size_t bad = first_not_finite(values);
  return bad == values.size() ? Outcome{} : at_element(status, tensor, shape, first + bad);
}

}  // namespace mha
