#include "mha/softmax.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <limits>

#include "mha/simd.hpp"

namespace mha {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

// A row is whole vectors and a rest of fewer numbers, which comes first: copying it is a call, and what is alive over a
// call lives on the stack in Firefox and WebKit, in the loop before it, too.

/// The rest, and `beyond` it: −∞ neither wins a maximum nor adds to a sum of exponentials.
Lanes load_rest(const float* from, std::int32_t count, float beyond = kMinusInfinity) {
  std::array<float, kLanes> padded;
  padded.fill(beyond);
  std::copy_n(from, count, padded.data());
  return Lanes::load_unaligned(padded.data());
}

void store_rest(Lanes values, float* to, std::int32_t count) {
  std::array<float, kLanes> padded;
  values.store_unaligned(padded.data());
  std::copy_n(padded.data(), count, to);
}

/// eˣ for x ≤ 0, within two units in the last place; 0 where that would be less than 2⁻¹²⁶, and for −∞. xsimd's own
/// takes the exponent out lane by lane under wasm: a third of the speed.
Lanes exponential_of(Lanes x) {
  // x = k·ln 2 + r with |r| ≤ ½ ln 2. Adding 1.5·2²³ rounds to whole numbers, and leaves k in the lowest bits.
  const Lanes rounder(0x1.8p23F);
  const Lanes rounded = mul_add(x, Lanes(1.44269504F), rounder);
  const Lanes k = rounded - rounder;
  // ln 2 in two parts, the first so short that k times it is exact.
  const Lanes r = mul_add(k, Lanes(2.12194440e-4F), mul_add(k, Lanes(-0.693359375F), x));
  // eʳ = 1 + r + r²·(…), of least relative error.
  Lanes series(0x1.6a23ccp-10F);
  for (const float term : {0x1.123a2p-7F, 0x1.5558f2p-5F, 0x1.555492p-3F, 0x1.fffffcp-2F}) {
    series = mul_add(series, r, Lanes(term));
  }
  const Lanes power = mul_add(series, r * r, r) + Lanes(1.0F);
  // 2ᵏ: k in the place of the exponent.
  const auto exponent = xsimd::bitwise_cast<std::uint32_t>(rounded) << 23;
  const Lanes scale = xsimd::bitwise_cast<float>(exponent + (127U << 23));
  return xsimd::select(x < Lanes(-87.3365F), Lanes(0.0F), power * scale);
}

}  // namespace

MHA_KERNELS_BEGIN

// --- excerpt: softmax
bool softmax_row(const float* scores, float* weights, std::int32_t count) {
  assert(count >= 1);
  const std::int32_t rest = count % kLanes;
  const std::int32_t whole = count - rest;
  Lanes maxima = load_rest(scores + whole, rest);
  for (std::int32_t j = 0; j < whole; j += kLanes) maxima = larger(maxima, Lanes::load_unaligned(scores + j));
  const float max = xsimd::reduce_max(maxima);
  if (max == kMinusInfinity) {
    std::fill_n(weights, count, 0.0F);
    return false;
  }

  const Lanes last = exponential_of(load_rest(scores + whole, rest) - Lanes(max));
  store_rest(last, weights + whole, rest);
  Lanes sums(0.0F);
  for (std::int32_t j = 0; j < whole; j += kLanes) {
    const Lanes exponential = exponential_of(Lanes::load_unaligned(scores + j) - Lanes(max));
    sums += exponential;
    exponential.store_unaligned(weights + j);
  }

  // Added last all the same: what is forbidden at a row's end then changes no bit of the rest.
  const float sum = xsimd::reduce_add(sums + last);
  for (std::int32_t j = 0; j < whole; j += kLanes) {
    const Lanes weight = Lanes::load_unaligned(weights + j) / Lanes(sum);
    weight.store_unaligned(weights + j);
  }
  for (std::int32_t j = whole; j < count; ++j) weights[j] /= sum;
  return true;
}
// --- end excerpt

float softmax_row_gradient(const float* weights, const float* d_weights, float factor, float* d_scores,
                           std::int32_t count) {
  assert(count >= 1);
  const std::int32_t rest = count % kLanes;
  const std::int32_t whole = count - rest;
  const Lanes last_weights = load_rest(weights + whole, rest, 0.0F);
  const Lanes last_gradients = load_rest(d_weights + whole, rest, 0.0F);
  Lanes sums = last_weights * last_gradients;
  for (std::int32_t j = 0; j < whole; j += kLanes) {
    sums = mul_add(Lanes::load_unaligned(weights + j), Lanes::load_unaligned(d_weights + j), sums);
  }
  const float sum = xsimd::reduce_add(sums);

  store_rest(Lanes(factor) * last_weights * (last_gradients - Lanes(sum)), d_scores + whole, rest);
  for (std::int32_t j = 0; j < whole; j += kLanes) {
    const Lanes difference = Lanes::load_unaligned(d_weights + j) - Lanes(sum);
    (Lanes(factor) * Lanes::load_unaligned(weights + j) * difference).store_unaligned(d_scores + j);
  }
  return sum;
}

MHA_KERNELS_END

}  // namespace mha
