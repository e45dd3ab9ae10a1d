// What every module has: memory to give, and which build it is.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mha/simd.hpp"
#include "wasm/boundary.hpp"
#include "wasm/exports.hpp"
#include "wasm/request.hpp"

using namespace mha;
using namespace mha::wasm;

void* mha_allocate(std::uint32_t bytes) {
  constexpr std::uint32_t kAlignment = 64;
  if (bytes == 0 || bytes > kMaxAllocation) return nullptr;
  return std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
}

void mha_release(void* block) { std::free(block); }

std::int32_t mha_arch(char* text, std::int32_t capacity) {
  const std::string_view name = simd_arch();
  if (capacity < 0 || !usable(text, static_cast<std::size_t>(capacity))) return 0;
  std::copy_n(name.data(), std::min(name.size(), static_cast<std::size_t>(capacity)), text);
  return static_cast<std::int32_t>(name.size());
}

std::int32_t mha_relaxed() { return simd_relaxed() ? 1 : 0; }
