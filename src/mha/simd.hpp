// The vector type of the hot paths, and the one operation whose meaning depends on the build.
#pragma once

#include <string_view>

#if defined(MHA_SCALAR) && !defined(XSIMD_WITH_EMULATED)
#define XSIMD_WITH_EMULATED 1
#endif
#include <xsimd/xsimd.hpp>
#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace mha {

#if defined(MHA_SCALAR)
using Arch = xsimd::emulated<128>;  // plain loops over four floats: the code path without any SIMD instruction
#else
using Arch = xsimd::default_arch;
#endif
using Lanes = xsimd::batch<float, Arch>;
inline constexpr int kLanes = static_cast<int>(Lanes::size);

/// The architecture that this build computes on, as xsimd names it, and whether mul_add is a relaxed madd.
[[nodiscard]] std::string_view simd_arch();
[[nodiscard]] bool simd_relaxed();

/// Whether mul_add is one instruction.
#if defined(__wasm_relaxed_simd__) && !defined(MHA_SCALAR)
inline constexpr bool kFusedMulAdd = true;
#else
inline constexpr bool kFusedMulAdd = false;
#endif

/// a·b + c. In the relaxed wasm build one instruction that may or may not round in between; xsimd's own fma under wasm
/// is a multiplication and an addition.
[[nodiscard]] inline Lanes mul_add(Lanes a, Lanes b, Lanes c) {
#if defined(__wasm_relaxed_simd__) && !defined(MHA_SCALAR)
  return Lanes(wasm_f32x4_relaxed_madd(a, b, c));
#else
  return a * b + c;
#endif
}

/// The larger of two lanes, neither of them NaN: the form that is one instruction everywhere.
[[nodiscard]] inline Lanes larger(Lanes a, Lanes b) {
#if defined(__wasm_simd128__) && !defined(MHA_SCALAR)
  return Lanes(wasm_f32x4_pmax(a, b));
#else
  return xsimd::select(a > b, a, b);
#endif
}

}  // namespace mha
