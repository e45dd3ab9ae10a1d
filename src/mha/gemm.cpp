#include "mha/gemm.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "mha/simd.hpp"

// GCC keeps an array of accumulators in memory unless its loops are gone early: 15 against 34 GFLOP/s. Clang needs no
// hint.
#if defined(__GNUC__) && !defined(__clang__)
#define MHA_UNROLL _Pragma("GCC unroll 8")
#else
#define MHA_UNROLL
#endif

namespace mha {
namespace {

// The register tile: so many rows × vectors of C are summed at a time. With the panel's row and one broadcast they must
// fit into 16 registers, and about eight sums must be under way, for a multiply-add takes four cycles and two begin in
// each. A product and an addition, where there is no multiply-add, need a register of their own between them.
struct TileShape {
  int rows, vectors;
};
// What decided, in GFLOP/s for 128 × 512 × 512 on a Zen 5 (and the share of the multiply-add peak in Chromium):
//
//   build        Chromium      Firefox   WebKitGTK   the next best there
//   relaxed 6×2  53.7 (0.95)   53.3      –           5×2: 50.3, 47.5;        3×3: 44.7, 45.3
//   simd    2×4  51.6 (0.90)   50.6      49.0        5×2: 47.9, 49.3, 48.4;  3×3: 35.3, 38.6, 50.3
//
// Natively there (GCC 12) avx2 6×2 has 109 (0.98), 3×4 and 4×3 as much, but in wider panels, that small products leave
// emptier; 5×2 has 105, 2×4 87. sse2 2×4 has 42 (0.76).
constexpr TileShape kTile = kFusedMulAdd ? TileShape{.rows = 6, .vectors = 2} : TileShape{.rows = 2, .vectors = 4};
constexpr int kTileRows = kTile.rows;
constexpr int kPanelVectors = kTile.vectors;
constexpr int kPanelWidth = kPanelVectors * kLanes;

/// One tile of C: Rows rows times one panel. It stores whole vectors and calls nothing: a sum that is alive over a
/// call, if only one that copies the few columns of a last panel, lives on the stack in Firefox and WebKit, in the loop
/// before the call, too: 17 GFLOP/s instead of 50.
template <int Rows>
void tile(std::int32_t k, const float* a, std::ptrdiff_t lda, const float* panel, const float* bias, float* c,
          std::ptrdiff_t ldc) {
  Lanes sum[std::size_t{Rows}][kPanelVectors];
  MHA_UNROLL
  for (int v = 0; v < kPanelVectors; ++v) {
    const Lanes start = Lanes::load_unaligned(bias + v * kLanes);
    MHA_UNROLL
    for (int r = 0; r < Rows; ++r) sum[r][v] = start;
  }

  // --- excerpt: product
  // do-while on the panel pointer: one compare at the end, and the engines keep everything in registers.
  const float* const end = panel + std::ptrdiff_t{k} * kPanelWidth;
  do {
    Lanes b[kPanelVectors];
    MHA_UNROLL
    for (int v = 0; v < kPanelVectors; ++v) b[v] = Lanes::load_aligned(panel + v * kLanes);
    MHA_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const Lanes broadcast(a[r * lda]);
      MHA_UNROLL
      for (int v = 0; v < kPanelVectors; ++v) sum[r][v] = mul_add(broadcast, b[v], sum[r][v]);
    }
    panel += kPanelWidth;
    ++a;
  } while (panel != end);
  // --- end excerpt

  MHA_UNROLL
  for (int r = 0; r < Rows; ++r) {
    MHA_UNROLL
    for (int v = 0; v < kPanelVectors; ++v) sum[r][v].store_unaligned(c + r * ldc + v * kLanes);
  }
}

/// One row of C over kRowPanels panels: within one panel a single row has too few sums under way, in the relaxed build
/// 12 GFLOP/s instead of 25. Not inlined, because its caller calls.
constexpr int kRowPanels = 8 / kPanelVectors;
constexpr int kRowWidth = kRowPanels * kPanelWidth;

[[gnu::noinline]] void single_row(std::int32_t k, const float* a, const float* panels, const float* bias, float* c) {
  Lanes sum[kRowPanels][kPanelVectors];
  MHA_UNROLL
  for (int p = 0; p < kRowPanels; ++p) {
    MHA_UNROLL
    for (int v = 0; v < kPanelVectors; ++v) {
      sum[p][v] = bias == nullptr ? Lanes(0.0F) : Lanes::load_unaligned(bias + p * kPanelWidth + v * kLanes);
    }
  }
  const std::ptrdiff_t next = std::ptrdiff_t{k} * kPanelWidth;
  const float* const end = panels + next;
  do {
    const Lanes broadcast(*a++);
    MHA_UNROLL
    for (int p = 0; p < kRowPanels; ++p) {
      MHA_UNROLL
      for (int v = 0; v < kPanelVectors; ++v) {
        sum[p][v] = mul_add(broadcast, Lanes::load_aligned(panels + p * next + v * kLanes), sum[p][v]);
      }
    }
    panels += kPanelWidth;
  } while (panels != end);
  MHA_UNROLL
  for (int p = 0; p < kRowPanels; ++p) {
    MHA_UNROLL
    for (int v = 0; v < kPanelVectors; ++v) sum[p][v].store_unaligned(c + p * kPanelWidth + v * kLanes);
  }
}

using Tile = void (*)(std::int32_t, const float*, std::ptrdiff_t, const float*, const float*, float*, std::ptrdiff_t);

template <int... Rows>
constexpr std::array<Tile, sizeof...(Rows)> tiles_of(std::integer_sequence<int, Rows...>) {
  return {tile<Rows + 1>...};
}

/// kTiles[r − 1] computes r rows.
constexpr auto kTiles = tiles_of(std::make_integer_sequence<int, kTileRows>{});

}  // namespace

MHA_KERNELS_BEGIN

std::int32_t panel_width() { return kPanelWidth; }

std::size_t packed_size(std::int32_t k, std::int32_t n) {
  const std::size_t panels = (static_cast<std::size_t>(n) + kPanelWidth - 1) / kPanelWidth;
  return panels * kPanelWidth * static_cast<std::size_t>(k);
}

void pack(ConstMatrix b, std::int32_t k, std::int32_t n, float* panels) {
  assert(k >= 1 && n >= 1);
  for (std::int32_t first = 0; first < n; first += kPanelWidth) {
    const std::int32_t columns = std::min(kPanelWidth, n - first);
    for (std::int32_t row = 0; row < k; ++row) {
      const float* const source = b.data + row * b.row_stride + first * b.column_stride;
      for (std::int32_t column = 0; column < columns; ++column) panels[column] = source[column * b.column_stride];
      std::fill(panels + columns, panels + kPanelWidth, 0.0F);
      panels += kPanelWidth;
    }
  }
}

void gemm(std::int32_t m, std::int32_t n, std::int32_t k, const float* a, std::ptrdiff_t lda, const float* panels,
          const float* bias, float* c, std::ptrdiff_t ldc) {
  assert(m >= 1 && n >= 1 && k >= 1);
  assert(reinterpret_cast<std::uintptr_t>(panels) % (kLanes * sizeof(float)) == 0);
  // 14 rows in tiles of at most 6 are 5 + 5 + 4, not 6 + 6 + 2: short tiles waste the panel's loads.
  const std::int32_t tiles = (m + kTileRows - 1) / kTileRows;
  const std::int32_t rows = m / tiles;
  const std::int32_t taller = m % tiles;

  std::int32_t first = 0;
  for (; m == 1 && first + kRowWidth <= n; first += kRowWidth) {
    single_row(k, a, panels, bias == nullptr ? nullptr : bias + first, c + first);
    panels += std::ptrdiff_t{k} * kRowWidth;
  }
  for (; first < n; first += kPanelWidth) {
    const std::int32_t columns = std::min(kPanelWidth, n - first);
    std::array<float, kPanelWidth> start = {};
    if (bias != nullptr) std::copy_n(bias + first, columns, start.data());

    // The panel stays in the first-level cache while the rows of A stream past it.
    std::int32_t row = 0;
    for (std::int32_t t = 0; t < tiles; ++t) {
      const std::int32_t height = rows + (t < taller ? 1 : 0);
      const Tile compute = kTiles[static_cast<std::size_t>(height - 1)];
      float* const to = c + row * ldc + first;
      if (columns == kPanelWidth) {
        compute(k, a + row * lda, lda, panels, start.data(), to, ldc);
      } else {
        std::array<float, std::size_t{kTileRows} * kPanelWidth> whole;
        compute(k, a + row * lda, lda, panels, start.data(), whole.data(), kPanelWidth);
        for (std::int32_t r = 0; r < height; ++r) std::copy_n(whole.data() + r * kPanelWidth, columns, to + r * ldc);
      }
      row += height;
    }
    panels += std::ptrdiff_t{k} * kPanelWidth;
  }
}

MHA_KERNELS_END

}  // namespace mha
