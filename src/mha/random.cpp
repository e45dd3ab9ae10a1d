#include "mha/random.hpp"

#include <cmath>

#include "mha/layout.hpp"

namespace mha {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;  // 2⁶⁴/φ, odd: every counter gives another state

/// SplitMix64's finaliser: each input bit changes each output bit with probability close to ½.
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// FNV-1a over the bytes.
constexpr std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325U;
  for (const char c : text) h = (h ^ static_cast<std::uint8_t>(c)) * 0x100000001b3U;
  return h;
}

}  // namespace

Stream stream(std::uint32_t seed, std::string_view purpose) { return {mix(mix(seed + kGolden) ^ hash(purpose))}; }

std::uint64_t bits(Stream stream, std::uint64_t counter) { return mix(stream.key + (counter + 1) * kGolden); }

float uniform(Stream stream, std::uint64_t counter) {
  const auto steps = static_cast<std::int32_t>(bits(stream, counter) >> 40U);  // 24 bits
  return static_cast<float>(steps) * 0x1p-23F - 1.0F;
}

void fill_glorot(std::span<float> matrix, std::int32_t in, std::int32_t out, Stream stream) {
  const auto limit = static_cast<float>(std::sqrt(6.0 / (static_cast<double>(in) + out)));
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = limit * uniform(stream, i);
}

void fill_parameters(const Shape& shape, bool biases, std::uint32_t seed, std::span<float> slab) {
  const Layout layout(Slab::parameters, shape, {.biases = biases});
  for (const Tensor tensor : {Tensor::w_q, Tensor::w_k, Tensor::w_v, Tensor::w_o}) {
    const auto& axes = info(tensor).axes;
    fill_glorot(layout.span(tensor, slab), static_cast<std::int32_t>(extent(axes[0], shape)),
                static_cast<std::int32_t>(extent(axes[1], shape)), stream(seed, info(tensor).name));
  }
  for (const Tensor tensor : {Tensor::b_q, Tensor::b_k, Tensor::b_v, Tensor::b_o}) {
    for (float& bias : layout.span(tensor, slab)) bias = 0.0F;
  }
}

}  // namespace mha
