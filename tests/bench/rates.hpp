// What a pass's exponentials and bytes cost on this machine, each alone: two of the three terms of the model that times
// are held against. The third is the multiply-add peak.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mha/simd.hpp"
#include "mha/softmax.hpp"

namespace mha::bench {

/// Softmax of `rows` rows of 128 scores that lie in the first-level cache. Returns the exponentials done.
inline double exponentials(std::int32_t rows) {
  constexpr std::int32_t kCount = 128;
  alignas(64) float scores[kCount];
  alignas(64) float weights[kCount];
  for (std::int32_t j = 0; j < kCount; ++j) scores[j] = static_cast<float>(j % 7) - 3.0F;
  volatile float kept = 0.0F;
  for (std::int32_t row = 0; row < rows; ++row) {
    softmax_row(scores, weights, kCount);
    kept = weights[row % kCount];
  }
  static_cast<void>(kept);
  return static_cast<double>(kCount) * rows;
}

/// A block that is read from its beginning to its end, four sums at a time.
class Bytes {
 public:
  explicit Bytes(std::size_t bytes) : floats_(std::max(bytes / sizeof(float) / kStep, std::size_t{1}) * kStep, 1.0F) {}

  void read() const {
    Lanes sums[4] = {Lanes(0.0F), Lanes(0.0F), Lanes(0.0F), Lanes(0.0F)};
    for (std::size_t i = 0; i < floats_.size(); i += kStep) {
      for (std::size_t j = 0; j < 4; ++j) sums[j] += Lanes::load_unaligned(&floats_[i + j * kLanes]);
    }
    volatile float kept = xsimd::reduce_add(sums[0] + sums[1] + sums[2] + sums[3]);
    static_cast<void>(kept);
  }

 private:
  static constexpr std::size_t kStep = std::size_t{4} * kLanes;
  std::vector<float> floats_;
};

}  // namespace mha::bench
