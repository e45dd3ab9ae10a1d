#include "mha/embedding.hpp"

#include <string>

#include "mha/portable_math.hpp"
#include "mha/random.hpp"

namespace mha {

// --- excerpt: tokens
void token_vector(std::string_view text, std::uint32_t seed, std::span<float> out) {
  std::string purpose = "token:";
  purpose += text;
  const Stream numbers = stream(seed, purpose);
  constexpr auto kSqrt3 = static_cast<float>(1.7320508075688772);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = kSqrt3 * uniform(numbers, i);
}

void sinusoidal_position(std::int32_t position, std::span<float> out) {
  constexpr double kLog10000 = 9.210340371976184;
  const double log_step = -kLog10000 * 2.0 / static_cast<double>(out.size());
  for (std::size_t i = 0; i < out.size(); i += 2) {
    const double frequency = portable_exp(log_step * static_cast<double>(i / 2));
    const SinCos wave = portable_sin_cos(position * frequency);
    out[i] = static_cast<float>(wave.sin);
    if (i + 1 < out.size()) out[i + 1] = static_cast<float>(wave.cos);
  }
}

void add_positions(std::span<const float> token_vectors, std::span<const float> positions, std::span<float> x) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = token_vectors[i] + positions[i];
}
// --- end excerpt

}  // namespace mha
