// Matrices below each other as one packed factor: what is summed over several products becomes one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mha/gemm.hpp"

namespace mha {

/// A packed matrix [total, n], filled row block by row block.
struct Stack {
  std::int32_t total, n;
  float* panels;  ///< packed_size(total, n) floats

  /// b [rows, n] becomes the rows from `first` on.
  void pack_rows(ConstMatrix b, std::int32_t first, std::int32_t rows) const {
    for (std::int32_t column = 0; column < n; column += panel_width()) {
      const float* const data = b.data + column * b.column_stride;
      pack({data, b.row_stride, b.column_stride}, rows, columns_from(column), at(first, column));
    }
  }

  /// C [m, n] = A [m, rows] · the rows from `first` on.
  void multiply_rows(std::int32_t first, std::int32_t rows, std::int32_t m, const float* a, std::ptrdiff_t lda,
                     float* c) const {
    if (rows == total) return gemm(m, n, rows, a, lda, panels, nullptr, c, n);
    for (std::int32_t column = 0; column < n; column += panel_width()) {
      gemm(m, columns_from(column), rows, a, lda, at(first, column), nullptr, c + column, n);
    }
  }

 private:
  [[nodiscard]] std::int32_t columns_from(std::int32_t column) const { return std::min(panel_width(), n - column); }
  [[nodiscard]] float* at(std::int32_t row, std::int32_t column) const {
    return panels + std::ptrdiff_t{column} * total + std::ptrdiff_t{row} * panel_width();
  }
};

}  // namespace mha
