// The vector type of the hot paths, and the one operation whose meaning depends on the build.
//
// gemm.cpp, softmax.cpp, peak.cpp and simd.cpp are the kernels. Natively on x86-64 they are compiled twice, for what
// every such machine has and for AVX2 with FMA, each time in a namespace of its own, and x86/dispatch.cpp picks one at
// run time. Everywhere else they are compiled once, and the calls are direct.
#pragma once

#include <string_view>

#if defined(MHA_SCALAR) && !defined(XSIMD_WITH_EMULATED)
#define XSIMD_WITH_EMULATED 1
#endif
#include <xsimd/xsimd.hpp>
#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

// Around those functions of the kernels that others call.
#if defined(MHA_KERNELS)
#define MHA_KERNELS_BEGIN namespace MHA_KERNELS {
#define MHA_KERNELS_END }
#else
#define MHA_KERNELS_BEGIN
#define MHA_KERNELS_END
#endif

namespace mha {

#if defined(MHA_SCALAR)
using Arch = xsimd::emulated<128>;  // plain loops over four floats: the code path without any SIMD instruction
#else
using Arch = xsimd::default_arch;
#endif
using Lanes = xsimd::batch<float, Arch>;
// Not inline, like all here that does not name Lanes in its type: what differs between two files may not be shared.
constexpr int kLanes = static_cast<int>(Lanes::size);

/// The architecture that the kernels compute on, as xsimd names it, and whether their mul_add is a relaxed madd.
[[nodiscard]] std::string_view simd_arch();
[[nodiscard]] bool simd_relaxed();

/// Whether mul_add is one instruction.
#if (defined(__wasm_relaxed_simd__) || defined(__FMA__)) && !defined(MHA_SCALAR)
constexpr bool kFusedMulAdd = true;
#else
constexpr bool kFusedMulAdd = false;
#endif

/// a·b + c. With FMA one instruction, which rounds once. In the relaxed wasm build one, too, that may or may not round
/// in between; xsimd's own fma under wasm is a multiplication and an addition.
[[nodiscard]] inline Lanes mul_add(Lanes a, Lanes b, Lanes c) {
#if defined(__wasm_relaxed_simd__) && !defined(MHA_SCALAR)
  return Lanes(wasm_f32x4_relaxed_madd(a, b, c));
#elif defined(__FMA__) && !defined(MHA_SCALAR)
  return xsimd::fma(a, b, c);
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
