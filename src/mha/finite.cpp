#include "mha/finite.hpp"

#include <algorithm>
#include <array>
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
  // x·0 is 0 for finite x and NaN for all else: a few sums, that do not wait for each other, decide, and only a bad
  // span is searched.
  constexpr std::size_t kSums = 4;
  const Lanes zero(0.0F);
  std::array<Lanes, kSums> sums;
  sums.fill(zero);
  std::size_t i = 0;
  for (; i + kSums * kLanes <= values.size(); i += kSums * kLanes) {
    for (std::size_t s = 0; s < kSums; ++s) sums[s] += Lanes::load_unaligned(values.data() + i + s * kLanes) * zero;
  }
  float sum = xsimd::reduce_add((sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (; i < values.size(); ++i) sum += values[i] * 0.0F;
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
