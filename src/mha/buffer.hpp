// A growing block of floats on a 64-byte boundary that reports failure instead of throwing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace mha {

class Buffer {
 public:
  Buffer() = default;
  // A block that has gone takes its capacity along: reserve() believes it.
  Buffer(Buffer&& other) noexcept : block_(std::move(other.block_)), capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    block_ = std::move(other.block_);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  /// At least `floats` floats. Contents are lost when it grows. False: out of memory, the old block is gone too.
  [[nodiscard]] bool reserve(std::size_t floats) {
    if (floats <= capacity_) return true;
    block_.reset();
    capacity_ = 0;
    const std::size_t bytes = (floats * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
    block_.reset(static_cast<float*>(std::aligned_alloc(kAlignment, bytes)));
    if (block_ == nullptr) return false;
    capacity_ = floats;
    return true;
  }

  /// reserve() for several blocks of so many floats, each on a 64-byte boundary.
  template <std::size_t Count>
  [[nodiscard]] bool reserve(const std::array<std::size_t, Count>& sizes, std::array<std::span<float>, Count>& blocks) {
    constexpr std::size_t kAlignFloats = kAlignment / sizeof(float);
    const auto aligned = [](std::size_t floats) { return (floats + kAlignFloats - 1) / kAlignFloats * kAlignFloats; };
    std::size_t total = 0;
    for (const std::size_t size : sizes) total += aligned(size);
    if (!reserve(total)) return false;
    std::size_t next = 0;
    for (std::size_t i = 0; i < Count; next += aligned(sizes[i]), ++i) blocks[i] = {data() + next, sizes[i]};
    return true;
  }

  [[nodiscard]] float* data() { return block_.get(); }
  [[nodiscard]] const float* data() const { return block_.get(); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  static constexpr std::size_t kAlignment = 64;
  struct Free {
    void operator()(float* block) const { std::free(block); }
  };
  std::unique_ptr<float, Free> block_;
  std::size_t capacity_ = 0;
};

}  // namespace mha
