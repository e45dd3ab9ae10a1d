// What all tests share: seeds, random numbers that are not the core's own, buffers that lie badly, bit comparison.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_get_random_seed.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace mha::test {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr double kUnit = 0x1p-24;  ///< u: float rounds within u·|x|

/// γ_K = K·u/(1 − K·u), Higham §3.1: K roundings in a row.
inline double gamma(std::int64_t k) {
  const double ku = static_cast<double>(k) * kUnit;
  return ku / (1.0 - ku);
}

/// Seeds of a property test: two that every run tries and one that is new in each run. Catch2 prints the new one at its
/// start ("Randomness seeded to"); --rng-seed repeats it.
inline std::vector<std::uint32_t> seeds() { return {1, 20170612, Catch::getSeed()}; }

/// Test data. mt19937 has the same numbers everywhere; the distributions of <random> have not, hence our own.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}

  /// Uniform within ±limit.
  float number(float limit = 1.0F) { return limit * (static_cast<float>(engine_() >> 8U) * 0x1p-23F - 1.0F); }
  /// Uniform in first … last.
  int integer(int first, int last) {
    return first + static_cast<int>(engine_() % static_cast<std::uint32_t>(last - first + 1));
  }
  int pick(std::initializer_list<int> choices) {
    return choices.begin()[integer(0, static_cast<int>(choices.size()) - 1)];
  }
  bool one_in(int count) { return integer(1, count) == 1; }

  std::vector<float> numbers(std::size_t count, float limit = 1.0F) {
    std::vector<float> made(count);
    for (float& value : made) value = number(limit);
    return made;
  }

  /// 0 … count − 1 in random order.
  std::vector<int> permutation(int count) {
    std::vector<int> order(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) order[static_cast<std::size_t>(i)] = i;
    for (int i = count - 1; i > 0; --i) {
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(integer(0, i))]);
    }
    return order;
  }

 private:
  std::mt19937 engine_;
};

/// A copy that begins `shift` floats past what the allocator gave and ends with its block, so that the address
/// sanitizer sees every read beyond it.
class Shifted {
 public:
  explicit Shifted(std::span<const float> values, std::size_t shift = 0)
      : block_(shift + values.size()), shift_(shift) {
    std::copy(values.begin(), values.end(), block_.begin() + static_cast<std::ptrdiff_t>(shift));
  }
  Shifted(Shifted&&) = default;
  Shifted(const Shifted&) = delete;
  Shifted& operator=(Shifted&&) = delete;
  Shifted& operator=(const Shifted&) = delete;
  ~Shifted() = default;

  [[nodiscard]] std::span<const float> span() const { return std::span(block_).subspan(shift_); }
  [[nodiscard]] const float* data() const { return block_.data() + shift_; }

 private:
  std::vector<float> block_;
  std::size_t shift_;
};

/// A block to write into: full of NaN, `shift` floats past a 64-byte boundary, between words that nobody may touch.
class Guarded {
 public:
  explicit Guarded(std::size_t count, std::size_t shift = 0) : block_(count + 3 * kGuard, guard()), count_(count) {
    const std::size_t past = reinterpret_cast<std::uintptr_t>(block_.data()) / sizeof(float) % kGuard;
    first_ = kGuard + (kGuard - past) % kGuard + shift % kGuard;
    // The guard before is at least 16 words, the guard after at least one.
    std::fill_n(block_.begin() + static_cast<std::ptrdiff_t>(first_), count, kNan);
  }
  Guarded(Guarded&&) = default;
  Guarded(const Guarded&) = delete;
  Guarded& operator=(Guarded&&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() = default;

  [[nodiscard]] std::span<float> span() { return std::span(block_).subspan(first_, count_); }
  [[nodiscard]] std::span<const float> span() const { return std::span(block_).subspan(first_, count_); }
  [[nodiscard]] float* data() { return block_.data() + first_; }

  /// Whether every word outside span() is as it was.
  [[nodiscard]] bool intact() const {
    for (std::size_t i = 0; i < block_.size(); ++i) {
      const bool inside = i >= first_ && i < first_ + count_;
      if (!inside && std::bit_cast<std::uint32_t>(block_[i]) != kGuardBits) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kGuard = 16;
  static constexpr std::uint32_t kGuardBits = 0x7b5a3c19U;  // a finite float nobody computes: 1.1e36
  static float guard() { return std::bit_cast<float>(kGuardBits); }

  std::vector<float> block_;
  std::size_t count_;
  std::size_t first_ = 0;
};

inline bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

/// Same length and the same bytes: −0 differs from 0, and a NaN equals itself.
inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

/// FNV-1a over the bytes of the floats, low byte first: one number that pins them all.
inline std::uint64_t hash_of(std::span<const float> values) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const float value : values) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    for (int byte = 0; byte < 4; ++byte) hash = (hash ^ (word >> (8 * byte) & 0xffU)) * 0x100000001b3U;
  }
  return hash;
}

/// printf into a string, for messages.
template <typename... Arguments>
std::string text(const char* format, Arguments... arguments) {
  std::array<char, 256> line;
  std::snprintf(line.data(), line.size(), format, arguments...);
  return line.data();
}

}  // namespace mha::test
