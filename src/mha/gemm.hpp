// Matrix product with one packed factor: the only hot loop of the core.
//
// B [K, N] is cut into panels of kPanelWidth columns, each stored row by row without a gap, the last one padded with
// zeros. The micro-kernel keeps a tile of C in registers, reads a panel forward once per tile and broadcasts A from its
// own rows: neither A nor C needs packing, so results land where the trace wants them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mha {

/// A strided matrix in memory. Strides count floats.
struct ConstMatrix {
  const float* data;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t column_stride = 1;
};

/// Columns of one panel, chosen for the kernels that run (see the register tile in gemm.cpp).
[[nodiscard]] std::int32_t panel_width();

/// Floats that pack() writes for a [K, N] matrix.
[[nodiscard]] std::size_t packed_size(std::int32_t k, std::int32_t n);

/// Packs B [K, N] into panels, which begin where a vector may (a Buffer does). B may be any strided view,
/// a transposed one too (that is how Kᵀ is made). Precondition: K, N ≥ 1.
void pack(ConstMatrix b, std::int32_t k, std::int32_t n, float* panels);

/// C [M, N] = A [M, K] · B + bias, with B in panels; C's rows are ldc floats apart, A's lda. bias is [N] or null.
/// Each element is bias + a₀b₀ + a₁b₁ + … in this order whatever the tile: a wide product and its column blocks agree
/// bit for bit. Precondition: M, N, K ≥ 1.
void gemm(std::int32_t m, std::int32_t n, std::int32_t k, const float* a, std::ptrdiff_t lda, const float* panels,
          const float* bias, float* c, std::ptrdiff_t ldc);

/// FLOPs of one gemm: 2·M·N·K.
[[nodiscard]] constexpr double gemm_flops(std::int32_t m, std::int32_t n, std::int32_t k) { return 2.0 * m * n * k; }

}  // namespace mha
