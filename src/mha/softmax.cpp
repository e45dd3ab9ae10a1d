#include "mha/softmax.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "mha/simd.hpp"

namespace mha {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

/// The vector at `from`; beyond `count` it holds −∞, which neither wins a maximum nor adds to a sum.
Lanes load(const float* from, std::int32_t count) {
  if (count >= kLanes) return Lanes::load_unaligned(from);
  std::array<float, kLanes> padded;
  padded.fill(kMinusInfinity);
  std::copy_n(from, count, padded.data());
  return Lanes::load_unaligned(padded.data());
}

void store(Lanes values, float* to, std::int32_t count) {
  if (count >= kLanes) {
    values.store_unaligned(to);
    return;
  }
  std::array<float, kLanes> padded;
  values.store_unaligned(padded.data());
  std::copy_n(padded.data(), count, to);
}

}  // namespace

// --- excerpt: softmax
bool softmax_row(const float* scores, float* weights, std::int32_t count) {
  assert(count >= 1);
  Lanes maxima(kMinusInfinity);
  for (std::int32_t j = 0; j < count; j += kLanes) maxima = larger(maxima, load(scores + j, count - j));
  const float max = xsimd::reduce_max(maxima);
  if (max == kMinusInfinity) {
    std::fill_n(weights, count, 0.0F);
    return false;
  }

  const Lanes shift(max);
  const Lanes zero(0.0F);
  const Lanes lowest(kMinusInfinity);
  Lanes sums(0.0F);
  for (std::int32_t j = 0; j < count; j += kLanes) {
    const Lanes score = load(scores + j, count - j);
    // Forbidden is exactly 0, whatever a vector exp makes of −∞.
    const Lanes exponential = xsimd::select(score == lowest, zero, xsimd::exp(score - shift));
    sums += exponential;
    store(exponential, weights + j, count - j);
  }

  const Lanes sum(xsimd::reduce_add(sums));
  for (std::int32_t j = 0; j < count; j += kLanes) store(load(weights + j, count - j) / sum, weights + j, count - j);
  return true;
}
// --- end excerpt

}  // namespace mha
