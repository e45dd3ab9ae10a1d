#include "mha/simd.hpp"

namespace mha {

MHA_KERNELS_BEGIN

std::string_view simd_arch() { return Arch::name(); }

bool simd_relaxed() {
#if defined(__wasm_relaxed_simd__) && !defined(MHA_SCALAR)
  return true;
#else
  return false;
#endif
}

MHA_KERNELS_END

}  // namespace mha
