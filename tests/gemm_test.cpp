// The packed matrix product, against double, at every size that a tile or a panel may end in.
#include "mha/gemm.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "mha/simd.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

constexpr std::int32_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 33, 64, 65};

/// C = A·B + bias with rows further apart than they are long and everything off its alignment.
struct Product {
  std::int32_t m, n, k;
  std::ptrdiff_t lda, ldb, ldc;
  bool has_bias;
  std::vector<float> a, b, bias;  ///< a and b have NaN between their rows

  Product(std::int32_t rows, std::int32_t columns, std::int32_t depth, Random& random)
      : m(rows),
        n(columns),
        k(depth),
        lda(depth + random.integer(0, 3)),
        ldb(columns + random.integer(0, 3)),
        ldc(columns + random.pick({0, 0, 1, 2, 5})),
        has_bias(random.one_in(2)),
        a(strided(rows, depth, lda, random)),
        b(strided(depth, columns, ldb, random)),
        bias(random.numbers(static_cast<std::size_t>(columns))) {}

  static std::vector<float> strided(std::int32_t rows, std::int32_t columns, std::ptrdiff_t stride, Random& random) {
    std::vector<float> made(static_cast<std::size_t>((rows - 1) * stride + columns), kNan);
    for (std::int32_t row = 0; row < rows; ++row) {
      for (std::int32_t column = 0; column < columns; ++column) {
        made[static_cast<std::size_t>(row * stride + column)] = random.number();
      }
    }
    return made;
  }

  [[nodiscard]] float a_at(std::ptrdiff_t row, std::ptrdiff_t column) const {
    return a[static_cast<std::size_t>(row * lda + column)];
  }
  [[nodiscard]] float b_at(std::ptrdiff_t row, std::ptrdiff_t column) const {
    return b[static_cast<std::size_t>(row * ldb + column)];
  }
  [[nodiscard]] float bias_at(std::ptrdiff_t column) const {
    return has_bias ? bias[static_cast<std::size_t>(column)] : 0.0F;
  }

  /// C in a guarded block of rows ldc apart.
  [[nodiscard]] Guarded run(std::size_t shift) const {
    const Shifted left(a, shift % 4), right(b, (shift + 1) % 4), start(bias, (shift + 2) % 4);
    Guarded panels(packed_size(k, n));  // panels are ours: always aligned
    pack({right.data(), ldb}, k, n, panels.data());
    CHECK(panels.intact());
    Guarded c(static_cast<std::size_t>((m - 1) * ldc + n), shift + 3);
    gemm(m, n, k, left.data(), lda, panels.data(), has_bias ? start.data() : nullptr, c.data(), ldc);
    return c;
  }

  [[nodiscard]] std::string describe() const {
    return text("m %d n %d k %d lda %d ldb %d ldc %d bias %d", m, n, k, static_cast<int>(lda), static_cast<int>(ldb),
                static_cast<int>(ldc), has_bias ? 1 : 0);
  }
};

/// bias + a₀b₀ + a₁b₁ + …, each step rounded to float, once where the kernels have FMA. volatile: no compiler may fuse
/// the two.
float in_order(const Product& p, std::int32_t row, std::int32_t column) {
  const bool fused = simd_arch().starts_with("fma");
  volatile float sum = p.bias_at(column);
  for (std::int32_t i = 0; i < p.k; ++i) {
    if (fused) {
      sum = std::fma(p.a_at(row, i), p.b_at(i, column), sum);
      continue;
    }
    volatile float product = p.a_at(row, i) * p.b_at(i, column);
    sum = sum + product;
  }
  return sum;
}

/// "" if C is right, within γ_{K+1}·(|bias| + Σ|a||b|) of the exact sum, and its gaps are untouched.
std::string wrong(const Product& p, std::span<const float> c) {
  for (std::int32_t row = 0; row < p.m; ++row) {
    for (std::int32_t column = 0; column < p.n; ++column) {
      double sum = p.bias_at(column);
      double magnitude = std::abs(sum);
      for (std::int32_t i = 0; i < p.k; ++i) {
        const double term = double{p.a_at(row, i)} * double{p.b_at(i, column)};
        sum += term;
        magnitude += std::abs(term);
      }
      const double got = c[static_cast<std::size_t>(row * p.ldc + column)];
      const double bound = gamma(p.k + 1) * magnitude;
      if (!(std::abs(got - sum) <= bound)) {
        return text("row %d column %d: got %.9g, want %.9g, bound %.3g", row, column, got, sum, bound);
      }
    }
    for (std::ptrdiff_t gap = row * p.ldc + p.n; row + 1 < p.m && gap < (row + 1) * p.ldc; ++gap) {
      if (!same_bits(c[static_cast<std::size_t>(gap)], kNan)) return text("row %d: wrote behind its end", row);
    }
  }
  return "";
}

TEST_CASE("gemm is within its bound at every size, stride and misalignment", "[gemm]") {
  Random random(Catch::getSeed());
  std::size_t shift = 0;
  for (std::int32_t m = 1; m <= 33; ++m) {
    for (const std::int32_t n : kSizes) {
      for (const std::int32_t k : kSizes) {
        const Product product(m, n, k, random);
        const Guarded c = product.run(shift++);
        const std::string bad = wrong(product, c.span());
        if (bad.empty() && c.intact()) continue;
        FAIL_CHECK(product.describe() << " shift " << shift - 1 << ": " << bad
                                      << (c.intact() ? "" : "; wrote outside of C"));
      }
    }
  }
}

TEST_CASE("gemm adds its products in order, whatever the tile", "[gemm]") {
  if (simd_relaxed()) SKIP("a relaxed madd may round once or twice");
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    for (int i = 0; i < 60; ++i) {
      const Product product(random.integer(1, 20), random.integer(1, 70), random.integer(1, 70), random);
      INFO(product.describe());
      const Guarded c = product.run(static_cast<std::size_t>(i));
      int different = 0;
      for (std::int32_t row = 0; row < product.m; ++row) {
        for (std::int32_t column = 0; column < product.n; ++column) {
          const float got = c.span()[static_cast<std::size_t>(row * product.ldc + column)];
          if (!same_bits(got, in_order(product, row, column))) ++different;
        }
      }
      CHECK(different == 0);
    }
  }
}

TEST_CASE("a wide product and its column blocks agree bit for bit", "[gemm]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    for (const std::int32_t width : {1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 33, 64}) {
      const std::int32_t blocks = random.integer(1, 5);
      const Product wide(random.integer(1, 33), blocks * width, random.integer(1, 65), random);
      INFO(wide.describe());
      const Guarded whole = wide.run(0);
      for (std::int32_t block = 0; block < blocks; ++block) {
        Product narrow = wide;
        narrow.n = width;
        narrow.b.erase(narrow.b.begin(), narrow.b.begin() + block * width);
        narrow.bias.erase(narrow.bias.begin(), narrow.bias.begin() + block * width);
        const Guarded part = narrow.run(1);
        for (std::int32_t row = 0; row < wide.m; ++row) {
          const auto from = static_cast<std::size_t>(row * wide.ldc);
          CHECK(same_bits(
              whole.span().subspan(from + static_cast<std::size_t>(block * width), static_cast<std::size_t>(width)),
              part.span().subspan(from, static_cast<std::size_t>(width))));
        }
      }
    }
  }
}

TEST_CASE("a row of C does not depend on the other rows", "[gemm]") {
  Random random(Catch::getSeed());
  for (std::int32_t m = 1; m <= 14; ++m) {
    const Product all(m, 37, 19, random);
    INFO(all.describe());
    const Guarded whole = all.run(0);
    for (std::int32_t row = 0; row < m; ++row) {
      Product one = all;
      one.m = 1;
      one.a.erase(one.a.begin(), one.a.begin() + row * one.lda);
      const Guarded part = one.run(2);
      CHECK(same_bits(whole.span().subspan(static_cast<std::size_t>(row * all.ldc), 37), part.span()));
    }
  }
}

TEST_CASE("NaN stays in its row of A and its column of B", "[gemm]") {
  Random random(1);
  Product product(9, 21, 6, random);
  product.a[static_cast<std::size_t>(4 * product.lda + 2)] = kNan;
  product.b[static_cast<std::size_t>(3 * product.ldb + 17)] = kNan;
  const Guarded c = product.run(1);
  for (std::int32_t row = 0; row < 9; ++row) {
    for (std::int32_t column = 0; column < 21; ++column) {
      const bool nan = std::isnan(c.span()[static_cast<std::size_t>(row * product.ldc + column)]);
      if (nan != (row == 4 || column == 17)) FAIL_CHECK("row " << row << " column " << column << ": NaN " << nan);
    }
  }
}

TEST_CASE("pack lays panels row by row and pads the last one with zeros", "[gemm]") {
  Random random(Catch::getSeed());
  const std::int32_t width = panel_width();
  REQUIRE(width % kLanes == 0);
  REQUIRE(width > 0);
  for (const std::int32_t n : kSizes) {
    for (const std::int32_t k : {1, 2, 5, 16, 33}) {
      CAPTURE(n, k);
      const Product product(1, n, k, random);
      const std::int32_t panels = (n + width - 1) / width;
      REQUIRE(packed_size(k, n) == static_cast<std::size_t>(panels) * static_cast<std::size_t>(width * k));
      const Shifted b(product.b, 3);
      Guarded packed(packed_size(k, n));
      pack({b.data(), product.ldb}, k, n, packed.data());
      CHECK(packed.intact());
      int wrong = 0;
      for (std::int32_t row = 0; row < k; ++row) {
        for (std::int32_t column = 0; column < panels * width; ++column) {
          const std::int32_t place = (column / width * k + row) * width + column % width;
          const float want = column < n ? product.b_at(row, column) : 0.0F;
          if (!same_bits(packed.span()[static_cast<std::size_t>(place)], want)) ++wrong;
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("packing a transposed view is packing the transposed matrix", "[gemm]") {
  Random random(Catch::getSeed());
  for (const std::int32_t n : kSizes) {
    for (const std::int32_t k : {1, 3, 4, 12, 13, 64}) {
      CAPTURE(n, k);
      // keys is [n, k] with rows `stride` apart: one head of K inside [m, g·k].
      const std::ptrdiff_t stride = k + random.pick({0, 1, 12});
      const std::vector<float> keys = Product::strided(n, k, stride, random);
      std::vector<float> transposed(static_cast<std::size_t>(k) * static_cast<std::size_t>(n));
      for (std::int32_t row = 0; row < k; ++row) {
        for (std::int32_t column = 0; column < n; ++column) {
          transposed[static_cast<std::size_t>(row * n + column)] =
              keys[static_cast<std::size_t>(column * stride + row)];
        }
      }
      const Shifted view(keys, 1);
      Guarded by_view(packed_size(k, n)), by_copy(packed_size(k, n));
      pack({view.data(), 1, stride}, k, n, by_view.data());
      pack({transposed.data(), n}, k, n, by_copy.data());
      CHECK(same_bits(by_view.span(), by_copy.span()));
      CHECK(by_view.intact());
    }
  }
}

TEST_CASE("gemm_flops counts a multiplication and an addition each", "[gemm]") {
  CHECK(gemm_flops(2, 3, 5) == 60.0);
  CHECK(gemm_flops(512, 512, 512) == 268435456.0);
  CHECK(gemm_flops(65536, 65536, 65536) == 0x1p49);  // not in 32 bits
}

}  // namespace
}  // namespace mha::test
