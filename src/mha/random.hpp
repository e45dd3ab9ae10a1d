// Counter-based random numbers: number i of a stream is a function of (stream, i) alone, so it can be asked for in any
// order, and it has the same bits natively and in every wasm build (integer arithmetic and exact float steps only).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "mha/attention.hpp"
#include "mha/shape.hpp"
#include "mha/status.hpp"
#include "mha/tensor.hpp"

namespace mha {

/// A key that selects one sequence. Different purposes get different streams of the same seed.
struct Stream {
  std::uint64_t key;
};

/// The stream of a seed for one purpose, such as "w_q": FNV-1a's 64-bit hash of the bytes of `purpose` (Fowler, Noll,
/// Vo) and the seed, mixed by SplitMix64's finaliser. Neither may change: the same seed would show other numbers.
[[nodiscard]] Stream stream(std::uint32_t seed, std::string_view purpose);

/// 64 well-mixed bits: SplitMix64's output function at position `counter` (Steele, Lea, Flood 2014).
[[nodiscard]] std::uint64_t bits(Stream stream, std::uint64_t counter);

/// Uniform in [−1, 1) in steps of 2⁻²³, each of them exactly representable.
[[nodiscard]] float uniform(Stream stream, std::uint64_t counter);

/// Glorot & Bengio 2010: uniform within ±√(6/(in + out)), [in, out] row-major; element e is number e of `stream`.
void fill_glorot(std::span<float> matrix, std::int32_t in, std::int32_t out, Stream stream);

/// Seeded parameters of one layer: w_q, w_k, w_v, w_o into a slab of Layout(Slab::parameters, …); biases, if the slab
/// has them, are zero. They are random: patterns they make carry no meaning.
void fill_parameters(const Shape& shape, bool biases, std::uint32_t seed, std::span<float> slab);

}  // namespace mha
