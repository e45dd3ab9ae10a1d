// Small whole numbers from a stream, one after another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mha/random.hpp"

namespace mha {

class Dice {
 public:
  explicit Dice(Stream stream) : stream_(stream) {}

  /// Uniform in 0 … count − 1, 1 ≤ count < 2³², by Lemire's multiplication; its unevenness is below count/2³².
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(((bits(stream_, next_++) >> 32U) * count) >> 32U);
  }

 private:
  Stream stream_;
  std::uint64_t next_ = 0;
};

}  // namespace mha
