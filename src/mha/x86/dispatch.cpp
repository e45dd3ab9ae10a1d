// Natively on x86-64: which build of the kernels runs. The choice is made once, by the first call.
#include <cstdlib>

#include "mha/gemm.hpp"
#include "mha/peak.hpp"
#include "mha/simd.hpp"
#include "mha/softmax.hpp"

namespace mha {
namespace {

struct Kernels {
  decltype(mha::simd_arch)* simd_arch;
  decltype(mha::simd_relaxed)* simd_relaxed;
  decltype(mha::panel_width)* panel_width;
  decltype(mha::packed_size)* packed_size;
  decltype(mha::pack)* pack;
  decltype(mha::gemm)* gemm;
  decltype(mha::softmax_row)* softmax_row;
  decltype(mha::softmax_row_gradient)* softmax_row_gradient;
  decltype(mha::multiply_add_peak)* multiply_add_peak;
};

}  // namespace

// Every build defines the same functions in its namespace.
#define MHA_DECLARE_KERNELS(build)                                                                     \
  namespace build {                                                                                    \
  decltype(mha::simd_arch) simd_arch;                                                                  \
  decltype(mha::simd_relaxed) simd_relaxed;                                                            \
  decltype(mha::panel_width) panel_width;                                                              \
  decltype(mha::packed_size) packed_size;                                                              \
  decltype(mha::pack) pack;                                                                            \
  decltype(mha::gemm) gemm;                                                                            \
  decltype(mha::softmax_row) softmax_row;                                                              \
  decltype(mha::softmax_row_gradient) softmax_row_gradient;                                            \
  decltype(mha::multiply_add_peak) multiply_add_peak;                                                  \
  constexpr Kernels kKernels = {simd_arch, simd_relaxed, panel_width,          packed_size,      pack, \
                                gemm,      softmax_row,  softmax_row_gradient, multiply_add_peak};     \
  }

MHA_DECLARE_KERNELS(baseline)
MHA_DECLARE_KERNELS(avx2)

namespace {

/// MHA_BASELINE in the environment keeps to the baseline: so the tests run both builds on one machine.
const Kernels& kernels() {
  static const Kernels& chosen =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && std::getenv("MHA_BASELINE") == nullptr
          ? avx2::kKernels
          : baseline::kKernels;
  return chosen;
}

}  // namespace

std::string_view simd_arch() { return kernels().simd_arch(); }
bool simd_relaxed() { return kernels().simd_relaxed(); }

std::int32_t panel_width() { return kernels().panel_width(); }
std::size_t packed_size(std::int32_t k, std::int32_t n) { return kernels().packed_size(k, n); }
void pack(ConstMatrix b, std::int32_t k, std::int32_t n, float* panels) { kernels().pack(b, k, n, panels); }
void gemm(std::int32_t m, std::int32_t n, std::int32_t k, const float* a, std::ptrdiff_t lda, const float* panels,
          const float* bias, float* c, std::ptrdiff_t ldc) {
  kernels().gemm(m, n, k, a, lda, panels, bias, c, ldc);
}
bool softmax_row(const float* scores, float* weights, std::int32_t count) {
  return kernels().softmax_row(scores, weights, count);
}
float softmax_row_gradient(const float* weights, const float* d_weights, float factor, float* d_scores,
                           std::int32_t count) {
  return kernels().softmax_row_gradient(weights, d_weights, factor, d_scores, count);
}
double multiply_add_peak(std::int32_t rounds) { return kernels().multiply_add_peak(rounds); }

}  // namespace mha
