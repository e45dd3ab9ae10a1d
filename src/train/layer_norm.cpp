#include "train/layer_norm.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace mha {
namespace {

constexpr double kEpsilon = 1e-5;

}  // namespace

void layer_norm(std::span<const float> x, std::span<const float> scale, std::span<const float> shift,
                const Normalised& kept, std::span<float> y) {
  const std::size_t d = scale.size();
  const auto count = static_cast<double>(d);
  for (std::size_t first = 0, row = 0; first < x.size(); first += d, ++row) {
    const auto from = x.subspan(first, d);
    double mean = 0.0;
    for (const float value : from) mean += static_cast<double>(value);
    mean /= count;
    double variance = 0.0;
    for (const float value : from)
      variance += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
    const double inverse = 1.0 / std::sqrt(variance / count + kEpsilon);
    kept.inverse[row] = static_cast<float>(inverse);
    for (std::size_t c = 0; c < d; ++c) {
      const auto normal = static_cast<float>((static_cast<double>(from[c]) - mean) * inverse);
      kept.rows[first + c] = normal;
      y[first + c] = scale[c] * normal + shift[c];
    }
  }
}

void layer_norm_gradient(const Normalised& kept, std::span<const float> scale, std::span<float> d_y,
                         std::span<float> d_scale, std::span<float> d_shift) {
  const std::size_t d = scale.size();
  const auto count = static_cast<double>(d);
  std::fill(d_scale.begin(), d_scale.end(), 0.0F);
  std::fill(d_shift.begin(), d_shift.end(), 0.0F);
  for (std::size_t first = 0, row = 0; first < d_y.size(); first += d, ++row) {
    const auto normal = kept.rows.subspan(first, d);
    const auto gradient = d_y.subspan(first, d);
    for (std::size_t c = 0; c < d_scale.size(); ++c) d_scale[c] += gradient[c] * normal[c];
    for (std::size_t c = 0; c < d_shift.size(); ++c) d_shift[c] += gradient[c];
    double mean = 0.0, along = 0.0;
    for (std::size_t c = 0; c < d; ++c) {
      gradient[c] *= scale[c];
      mean += static_cast<double>(gradient[c]);
      along += static_cast<double>(gradient[c]) * static_cast<double>(normal[c]);
    }
    mean /= count;
    along /= count;
    const auto inverse = static_cast<double>(kept.inverse[row]);
    for (std::size_t c = 0; c < d; ++c) {
      const double rest = static_cast<double>(gradient[c]) - mean - static_cast<double>(normal[c]) * along;
      gradient[c] = static_cast<float>(rest * inverse);
    }
  }
}

}  // namespace mha
