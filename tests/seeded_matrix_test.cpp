// Matrices that are never stored: the same bits in every build and in every block, and numbers good enough to stand for
// a model's weights.
#include "lab/seeded_matrix.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mha/buffer.hpp"
#include "mha/gemm.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

constexpr std::string_view kNames[] = {"w_q", "w_k", "w_v", "w_o"};

/// The whole matrix, row by row.
std::vector<float> stored(const SeededMatrix& matrix) {
  std::vector<float> all;
  all.reserve(static_cast<std::size_t>(matrix.rows()) * static_cast<std::size_t>(matrix.columns()));
  for (std::int32_t row = 0; row < matrix.rows(); ++row) {
    for (std::int32_t column = 0; column < matrix.columns(); ++column) all.push_back(matrix.at(row, column));
  }
  return all;
}

/// Numbers of a matrix of limit 1.
std::vector<float> numbers(std::uint32_t seed, std::string_view name, std::uint64_t number, std::int32_t rows,
                           std::int32_t columns) {
  return stored(SeededMatrix(rows, columns, 1.0F, stream(seed, name), number));
}

/// In standard deviations of what independent numbers would have: Σ ab of `count` products.
double correlation(const float* a, const float* b, std::size_t count) {
  double product = 0.0;
  for (std::size_t i = 0; i < count; ++i) product += double{a[i]} * double{b[i]};
  return 3.0 * product / std::sqrt(static_cast<double>(count));
}

TEST_CASE("seeded matrices are pinned", "[seeded_matrix]") {
  // Computed in Python from the definition in the header, not by this code.
  struct Pinned {
    std::uint32_t seed;
    std::string_view name;
    std::uint64_t number;
    std::int32_t rows, columns;
    float limit;
    float first, second, next_row, last;
  };
  constexpr Pinned kPinned[] = {
      {0, "w_q", 0, 12288, 12288, 0x1.0000000000000p-6F, -0x1.a2e4080000000p-7F, 0x1.72464c0000000p-7F,
       0x1.0eb7b40000000p-7F, -0x1.b58d840000000p-7F},
      {1, "w_k", 0, 4096, 1024, 0x1.0000000000000p+0F, -0x1.b5a7ec0000000p-1F, -0x1.e9d1200000000p-1F,
       -0x1.0e2ef00000000p-2F, 0x1.0b4aa00000000p-2F},
      {1, "w_v", 125, 16384, 1024, 0x1.0000000000000p-2F, -0x1.cb1cd40000000p-3F, 0x1.d8b0480000000p-3F,
       -0x1.d82c8c0000000p-3F, 0x1.a7e8700000000p-4F},
      {4294967295U, "w_o", 7, 3, 5, 0x1.8000000000000p+0F, 0x1.1ced4c0000000p-1F, -0x1.a9d9900000000p-1F,
       -0x1.7a8a120000000p+0F, 0x1.fb488a0000000p-1F},
      {20170612, "x", 0, 11, 768, 0x1.bb67ae0000000p+0F, -0x1.0d58d60000000p+0F, -0x1.29ad420000000p+0F,
       -0x1.83d59e0000000p-1F, -0x1.9241dc0000000p-1F},
  };
  for (const Pinned& pinned : kPinned) {
    CAPTURE(pinned.seed, pinned.name, pinned.number);
    const SeededMatrix matrix(pinned.rows, pinned.columns, pinned.limit, stream(pinned.seed, pinned.name),
                              pinned.number);
    CHECK(same_bits(matrix.at(0, 0), pinned.first));
    CHECK(same_bits(matrix.at(0, 1), pinned.second));
    CHECK(same_bits(matrix.at(1, 0), pinned.next_row));
    CHECK(same_bits(matrix.at(pinned.rows - 1, pinned.columns - 1), pinned.last));
  }
}

TEST_CASE("4096 numbers in panels have the pinned hash", "[seeded_matrix]") {
  const SeededMatrix matrix(100, 300, 0.125F, stream(20170612, "w_v"), 3);
  Buffer panels;
  REQUIRE(panels.reserve(packed_size(64, 64)));
  matrix.make(7, 64, 100, 64, panels.data());
  // Row by row, since the width of a panel is the build's own.
  const auto width = static_cast<std::size_t>(panel_width());
  std::vector<float> rows;
  for (std::size_t row = 0; row < 64; ++row) {
    for (std::size_t column = 0; column < 64; ++column) {
      rows.push_back(panels.data()[(column / width * 64 + row) * width + column % width]);
    }
  }
  CHECK(hash_of(rows) == 0xb886ccb4b330fefeU);
}

TEST_CASE("any block is made as pack() would pack it", "[seeded_matrix]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    for (int round = 0; round < 60; ++round) {
      const int rows = random.integer(1, 70), columns = random.integer(1, 70);
      const SeededMatrix matrix(rows, columns, random.number() + 1.5F, stream(seed, "block"),
                                static_cast<std::uint64_t>(round));
      const std::vector<float> all = stored(matrix);
      const int first_row = random.integer(0, rows - 1), first_column = random.integer(0, columns - 1);
      const int height = random.integer(1, rows - first_row), width = random.integer(1, columns - first_column);
      CAPTURE(seed, rows, columns, first_row, height, first_column, width);
      Guarded made(packed_size(height, width));
      Buffer packed;
      REQUIRE(packed.reserve(packed_size(height, width)));
      matrix.make(first_row, height, first_column, width, made.data());
      pack({all.data() + first_row * columns + first_column, columns}, height, width, packed.data());
      CHECK(made.intact());
      CHECK(same_bits(made.span(), {packed.data(), packed_size(height, width)}));
    }
  }
}

TEST_CASE("places beyond 2³¹ are places like others", "[seeded_matrix]") {
  // 2³² elements: the largest there may be.
  const SeededMatrix matrix(1 << 16, 1 << 16, 1.0F, stream(Catch::getSeed(), "large"), 0);
  Guarded made(packed_size(4, 40));
  matrix.make((1 << 16) - 4, 4, (1 << 16) - 40, 40, made.data());
  CHECK(made.intact());
  const auto width = static_cast<std::size_t>(panel_width());
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t column = 0; column < 40; ++column) {
      const float got = made.span()[(column / width * 4 + row) * width + column % width];
      CHECK(
          same_bits(got, matrix.at((1 << 16) - 4 + static_cast<int>(row), (1 << 16) - 40 + static_cast<int>(column))));
    }
  }
}

TEST_CASE("numbers stay within the limit, on its grid, and are even over it", "[seeded_matrix]") {
  constexpr std::int32_t kRows = 512, kColumns = 512;
  constexpr double kCount = double{kRows} * kColumns;
  // Limits of six standard deviations: one false alarm in 10⁸ checks.
  for (const std::uint32_t seed : seeds()) {
    for (const std::string_view name : kNames) {
      CAPTURE(seed, name);
      double sum = 0.0, squares = 0.0, cubes = 0.0;
      int outside = 0, off_grid = 0;
      std::vector<int> places(256);
      for (const float value : numbers(seed, name, 5, kRows, kColumns)) {
        const double x = double{value};
        sum += x;
        squares += x * x;
        cubes += x * x * x;
        if (!(x >= -1.0 && x < 1.0)) ++outside;
        if (x * 0x1p23 != std::floor(x * 0x1p23)) ++off_grid;
        ++places[static_cast<std::size_t>((x + 1.0) * 128.0)];
      }
      CHECK(outside == 0);
      CHECK(off_grid == 0);
      CHECK(std::abs(sum / kCount) < 6 * std::sqrt(1.0 / 3.0 / kCount));
      CHECK(std::abs(squares / kCount - 1.0 / 3.0) < 6 * std::sqrt(4.0 / 45.0 / kCount));
      CHECK(std::abs(cubes / kCount) < 6 * std::sqrt(1.0 / 7.0 / kCount));
      double chi = 0.0;
      for (const int count : places) chi += (count - kCount / 256) * (count - kCount / 256) / (kCount / 256);
      CHECK(std::abs(chi - 255.0) < 6 * std::sqrt(2.0 * 255.0));
    }
  }
}

TEST_CASE("neighbours in a row, in a column and in another head are not correlated", "[seeded_matrix]") {
  // 128 columns a head, as in GPT-3; the lags are between elements, of which a row has 1024.
  constexpr std::int32_t kRows = 256, kColumns = 1024;
  for (const std::uint32_t seed : seeds()) {
    const std::vector<float> all = numbers(seed, "w_q", 0, kRows, kColumns);
    std::vector<std::size_t> lags = {128, 256, 512, 896, 1024, 1025, 2048, 4096, 32768, 65536};
    // Lags near which multiples of ⌊2³²/φ⌋ come back: the Fibonacci numbers.
    constexpr std::size_t kFibonacci[] = {89, 144, 233, 377, 610, 987, 1597, 2584, 4181, 6765, 10946, 17711, 28657};
    lags.insert(lags.end(), std::begin(kFibonacci), std::end(kFibonacci));
    for (std::size_t lag = 1; lag <= 64; ++lag) lags.push_back(lag);
    for (const std::size_t lag : lags) {
      CAPTURE(seed, lag);
      CHECK(std::abs(correlation(all.data(), all.data() + lag, all.size() - lag)) < 6.0);
      // Nor are their sizes: Σ (a² − 1/3)(b² − 1/3), whose terms have variance (4/45)².
      double product = 0.0;
      const std::size_t count = all.size() - lag;
      for (std::size_t i = 0; i < count; ++i) {
        product += (double{all[i]} * all[i] - 1.0 / 3.0) * (double{all[i + lag]} * all[i + lag] - 1.0 / 3.0);
      }
      CHECK(std::abs(product) < 6.0 * 4.0 / 45.0 * std::sqrt(static_cast<double>(count)));
    }
  }
}

/// Matrices that differ in name, layer or seed, by as little as a bit.
std::vector<std::vector<float>> relatives(std::uint32_t seed, std::int32_t rows, std::int32_t columns) {
  std::vector<std::vector<float>> made;
  for (const std::string_view name : kNames) {
    for (const std::uint64_t layer : {0U, 1U, 2U, 64U}) made.push_back(numbers(seed, name, layer, rows, columns));
    made.push_back(numbers(seed + 1, name, 0, rows, columns));
    made.push_back(numbers(seed ^ 0x80000000U, name, 0, rows, columns));
  }
  return made;
}

TEST_CASE("matrices of other names, layers and seeds are not correlated", "[seeded_matrix]") {
  for (const std::uint32_t seed : seeds()) {
    const auto made = relatives(seed, 128, 256);
    for (std::size_t a = 0; a < made.size(); ++a) {
      for (std::size_t b = a + 1; b < made.size(); ++b) {
        CAPTURE(seed, a, b);
        CHECK(std::abs(correlation(made[a].data(), made[b].data(), made[a].size())) < 6.0);
        CHECK(std::abs(correlation(made[a].data() + 1, made[b].data(), made[a].size() - 1)) < 6.0);
      }
    }
  }
}

TEST_CASE("no two matrices are permutations of each other, nor share more numbers than chance has it",
          "[seeded_matrix]") {
  // Of 2²⁴ numbers each has 2¹⁵, so two share 2⁶ = 64 on average: a permutation would share all of them, a sequence
  // that another one joins half way a part.
  for (const std::uint32_t seed : seeds()) {
    auto made = relatives(seed, 128, 256);
    for (auto& values : made) std::sort(values.begin(), values.end());
    for (std::size_t a = 0; a < made.size(); ++a) {
      for (std::size_t b = a + 1; b < made.size(); ++b) {
        CAPTURE(seed, a, b);
        std::vector<float> both;
        std::set_intersection(made[a].begin(), made[a].end(), made[b].begin(), made[b].end(), std::back_inserter(both));
        CHECK(both.size() < 64 + 6 * 8);
      }
    }
  }
}

TEST_CASE("no matrix is a shifted piece of another", "[seeded_matrix]") {
  // With a key that only moves the place, B[e] would be A[e + shift] for this shift and every e.
  constexpr std::uint32_t kGolden = 0x9e3779b9U;
  std::uint32_t inverse = 1;
  for (int step = 0; step < 5; ++step) inverse *= 2 - kGolden * inverse;  // Newton, modulo 2³²
  REQUIRE(kGolden * inverse == 1);
  constexpr std::int32_t kSide = 1 << 16;
  const auto at = [](const SeededMatrix& matrix, std::uint32_t e) {
    return matrix.at(static_cast<std::int32_t>(e >> 16U), static_cast<std::int32_t>(e & 0xffffU));
  };
  for (const std::uint32_t seed : seeds()) {
    const Stream one = stream(seed, "w_q"), two = stream(seed, "w_k");
    const SeededMatrix a(kSide, kSide, 1.0F, one, 0), b(kSide, kSide, 1.0F, two, 0);
    const std::uint32_t shift = static_cast<std::uint32_t>(bits(two, 0) - bits(one, 0)) * inverse;
    int alike = 0;
    for (std::uint32_t e = 0; e < 10000; ++e) {
      if (same_bits(at(a, e + shift), at(b, e))) ++alike;
    }
    CAPTURE(seed);
    CHECK(alike <= 3);  // of 2²⁴ numbers
  }
}

TEST_CASE("matrices are products of their numbers and the limit, rounded once", "[seeded_matrix]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 20; ++round) {
    const float limit = std::abs(random.number()) + 0.001F;
    const SeededMatrix one(30, 20, 1.0F, stream(4, "limit"), 2), other(30, 20, limit, stream(4, "limit"), 2);
    for (std::int32_t row = 0; row < 30; ++row) {
      for (std::int32_t column = 0; column < 20; ++column) {
        CHECK(same_bits(other.at(row, column), one.at(row, column) * limit));
      }
    }
  }
}

}  // namespace
}  // namespace mha::test
