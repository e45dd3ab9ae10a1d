// The generator: pinned numbers, so that native and wasm builds are proven to agree, and the statistics that make them
// usable. The pinned numbers were computed in Python from the definitions of SplitMix64 and FNV-1a, not by this code.
#include "mha/random.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "mha/layout.hpp"
#include "problem.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

constexpr std::uint64_t kLastCounter = ~std::uint64_t{0};

TEST_CASE("bits are the published numbers of SplitMix64", "[random]") {
  // SplitMix64 seeded with 1234567 (rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64) and with 0.
  constexpr Stream kPublished = {1234567};
  CHECK(bits(kPublished, 0) == 6457827717110365317U);
  CHECK(bits(kPublished, 1) == 3203168211198807973U);
  CHECK(bits(kPublished, 2) == 9817491932198370423U);
  CHECK(bits(kPublished, 3) == 4593380528125082431U);
  CHECK(bits(kPublished, 4) == 16408922859458223821U);
  CHECK(bits({0}, 0) == 0xe220a8397b1dcdafU);
  CHECK(bits({0}, 1) == 0x6e789e6aa1b965f4U);
}

TEST_CASE("streams, bits and floats are pinned", "[random]") {
  struct Pinned {
    std::uint32_t seed;
    std::string_view purpose;
    std::uint64_t key, first, beyond_32_bits, last;
    float uniforms[3];
  };
  constexpr Pinned kPinned[] = {
      {0,
       "",
       0xaebe53f85cdc3c4cU,
       0x0d7293fe83b1a2bcU,
       0x2f0e3f7fa44633dbU,
       0x9b83da7d9a524ca6U,
       {-0x1.ca35b4p-1F, -0x1.362440p-4F, 0x1.58ec54p-1F}},
      {1,
       "w_q",
       0xb076ea59b44f4d9aU,
       0x87722c3b4446acb6U,
       0xf34b8f239a2a4d7bU,
       0x5a834d8a524492b6U,
       {0x1.dc8b00p-5F, -0x1.1d8150p-1F, -0x1.14bf0cp-1F}},
      {1,
       "w_k",
       0x240f7cc55cd49c8dU,
       0x65a4979e3674409aU,
       0x6f261e77bb80b37bU,
       0x200f40f1e68b30d4U,
       {-0x1.a5b690p-3F, 0x1.2d72c0p-2F, -0x1.8c8a80p-6F}},
      {2,
       "w_q",
       0xcc77b767c35ec6a3U,
       0x3665c9a4e53378f8U,
       0x61796e4d39f5c5ebU,
       0x11a6e1b790f69eacU,
       {-0x1.2668dcp-1F, -0x1.d1abd0p-3F, 0x1.4c3860p-2F}},
      {4294967295U,
       "token:小明",
       0xe8202e221c32933eU,
       0x10ef6dd74ffc4c00U,
       0x9953ccd13597cca8U,
       0x9afccfb41ae9e656U,
       {-0x1.bc424cp-1F, -0x1.2ff058p-2F, -0x1.6e9f78p-2F}},
  };
  for (const Pinned& pinned : kPinned) {
    CAPTURE(pinned.seed, pinned.purpose);
    const Stream numbers = stream(pinned.seed, pinned.purpose);
    CHECK(numbers.key == pinned.key);
    CHECK(bits(numbers, 0) == pinned.first);
    CHECK(bits(numbers, std::uint64_t{1} << 32U) == pinned.beyond_32_bits);
    CHECK(bits(numbers, kLastCounter) == pinned.last);
    for (std::uint64_t i = 0; i < 3; ++i) CHECK(same_bits(uniform(numbers, i), pinned.uniforms[i]));
  }
}

TEST_CASE("4096 floats have the pinned hash", "[random]") {
  std::vector<float> numbers(4096);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = uniform(stream(20170612, "w_v"), i);
  CHECK(hash_of(numbers) == 0xf26a979c3b93346bU);
}

TEST_CASE("uniform reaches both ends of its range and 0, and uses the high bits only", "[random]") {
  // Keys whose first output is known: SplitMix64's output function inverted.
  CHECK(same_bits(uniform({0x61c8864680b583ebU}, 0), -1.0F));             // all bits 0
  CHECK(same_bits(uniform({0x31628af67b2131abU}, 0), 1.0F - 0x1p-23F));   // all bits 1
  CHECK(same_bits(uniform({0x2fedf1efce1d5545U}, 0), 0.0F));              // 2⁶³
  CHECK(same_bits(uniform({0x0d4f88b4067761bdU}, 0), -0x1p-23F));         // 2⁶³ − 1
  CHECK(same_bits(uniform({0x7f46b66b133899a5U}, 0), -1.0F));             // 2⁴⁰ − 1
  CHECK(same_bits(uniform({0xa6562d1cc8a70b75U}, 0), -1.0F + 0x1p-23F));  // 2⁴⁰
}

TEST_CASE("uniform is even over its range and free of correlation", "[random]") {
  constexpr std::uint64_t kCount = 1 << 15;
  const double root = std::sqrt(static_cast<double>(kCount));
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    // Limits of six standard deviations: one false alarm in 10⁸ checks.
    const auto sequence = [&](Stream numbers, std::uint64_t first) {
      std::vector<double> values(kCount);
      for (std::size_t i = 0; i < kCount; ++i) values[i] = double{uniform(numbers, first + i)};
      return values;
    };
    const std::vector<double> base = sequence(stream(seed, "w_q"), 0);
    double sum = 0.0, squares = 0.0;
    int outside = 0, off_grid = 0;
    for (const double value : base) {
      sum += value;
      squares += value * value;
      if (!(value >= -1.0 && value < 1.0)) ++outside;
      if (value * 0x1p23 != std::floor(value * 0x1p23)) ++off_grid;
    }
    CHECK(outside == 0);
    CHECK(off_grid == 0);
    CHECK(std::abs(sum / kCount) < 6 * std::sqrt(1.0 / 3.0) / root);
    CHECK(std::abs(squares / kCount - 1.0 / 3.0) < 6 * std::sqrt(4.0 / 45.0) / root);

    for (const auto& other : {sequence(stream(seed, "w_k"), 0), sequence(stream(seed + 1, "w_q"), 0),
                              sequence(stream(seed ^ 0x80000000U, "w_q"), 0), sequence(stream(seed, "w_q"), 1),
                              sequence(stream(seed, "w_q"), 64)}) {
      double product = 0.0;
      for (std::size_t i = 0; i < kCount; ++i) product += base[i] * other[i];
      CHECK(std::abs(3.0 * product / kCount) < 6.0 / root);
    }
  }
}

TEST_CASE("seeds and purposes all have streams of their own", "[random]") {
  std::set<std::uint64_t> keys;
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    for (const char* purpose : {"", "w_q", "w_k", "w_v", "w_o", "q_w", "token:a", "token:b"}) {
      keys.insert(stream(seed, purpose).key);
    }
  }
  CHECK(keys.size() == 8000);
}

TEST_CASE("numbers can be asked for in any order", "[random]") {
  Random random(Catch::getSeed());
  const Stream numbers = stream(Catch::getSeed(), "order");
  std::vector<float> forward(500), shuffled(500);
  for (std::size_t i = 0; i < forward.size(); ++i) forward[i] = uniform(numbers, i);
  for (const int i : random.permutation(500)) {
    shuffled[static_cast<std::size_t>(i)] = uniform(numbers, static_cast<std::uint64_t>(i));
  }
  CHECK(same_bits(forward, shuffled));
  // So a matrix is a prefix of a taller one with the same limit.
  std::vector<float> whole(60), part(20);
  fill_glorot(whole, 7, 5, numbers);
  fill_glorot(part, 7, 5, numbers);
  CHECK(same_bits(std::span(whole).first(20), part));
}

TEST_CASE("fill_glorot stays within ±√(6/(in + out)) and fills it", "[random]") {
  for (const auto& [in, out] : {std::pair{1, 1}, {8, 8}, {512, 512}, {64, 7}, {7, 64}}) {
    CAPTURE(in, out);
    Guarded matrix(5000, 1);
    fill_glorot(matrix.span(), in, out, stream(Catch::getSeed(), "limits"));
    CHECK(matrix.intact());
    const double limit = std::sqrt(6.0 / (in + out));
    double most = 0.0;
    for (const float value : matrix.span()) most = std::max(most, std::abs(double{value}));
    CHECK(most <= limit * (1 + kUnit));
    CHECK(most > 0.99 * limit);
  }
}

/// The parameters slab of `shape`, NaN before it is filled.
struct Slabful {
  Layout layout;
  Guarded slab;
  Slabful(const Shape& shape, bool biases, std::uint32_t seed)
      : layout(Slab::parameters, shape, {.biases = biases}), slab(static_cast<std::size_t>(layout.size())) {
    fill_parameters(shape, biases, seed, slab.span());
  }
  [[nodiscard]] std::span<const float> operator[](Tensor tensor) const { return layout.span(tensor, slab.span()); }
};

TEST_CASE("seeded parameters are pinned", "[random]") {
  const Slabful square(self_attention(1, 8, 2), false, 1);
  const auto starts_with = [](std::span<const float> values, std::vector<float> want) {
    return same_bits(values.first(3), want);
  };
  CHECK(starts_with(square[Tensor::w_q], {0x1.23d260p-5F, -0x1.5dabc4p-2F, -0x1.52f190p-2F}));
  CHECK(starts_with(square[Tensor::w_k], {-0x1.023edap-3F, 0x1.71327cp-3F, -0x1.e5a95ep-7F}));
  CHECK(starts_with(square[Tensor::w_v], {-0x1.735506p-4F, 0x1.27e180p-3F, -0x1.e27652p-2F}));
  CHECK(starts_with(square[Tensor::w_o], {0x1.26fa1ep-2F, 0x1.a2b2fep-2F, -0x1.ccbffcp-2F}));
  // d = 5, h = 4, g = 2, k = 3: w_q is [5, 12], w_k [5, 6], w_o [12, 5].
  const Slabful grouped({1, 1, 5, 4, 2, 3}, true, 7);
  CHECK(starts_with(grouped[Tensor::w_q], {0x1.0637bcp-2F, 0x1.1141e6p-1F, 0x1.6ce8dcp-9F}));
  CHECK(starts_with(grouped[Tensor::w_k], {0x1.bb5766p-5F, 0x1.c5ad12p-3F, 0x1.343064p-2F}));
  CHECK(starts_with(grouped[Tensor::w_o], {0x1.25212ep-2F, -0x1.908ffep-2F, 0x1.11ed10p-3F}));
}

TEST_CASE("seeded parameters fill their slab, within the limits of each matrix", "[random]") {
  for (const std::uint32_t seed : seeds()) {
    for (const bool biases : {false, true}) {
      CAPTURE(seed, biases);
      const Shape shape = {9, 9, 20, 6, 2, 5};
      const Slabful made(shape, biases, seed);
      CHECK(made.slab.intact());
      for (const Tensor tensor : {Tensor::w_q, Tensor::w_k, Tensor::w_v, Tensor::w_o}) {
        CAPTURE(info(tensor).name);
        const auto& axes = info(tensor).axes;
        const double limit = std::sqrt(6.0 / static_cast<double>(extent(axes[0], shape) + extent(axes[1], shape)));
        REQUIRE(made[tensor].size() == floats(tensor, shape));
        double most = 0.0;
        int outside = 0;
        for (const float value : made[tensor]) {
          most = std::max(most, std::abs(double{value}));
          if (!(std::abs(double{value}) <= limit * (1 + kUnit))) ++outside;
        }
        CHECK(outside == 0);
        CHECK(most > 0.9 * limit);
      }
      for (const Tensor tensor : {Tensor::b_q, Tensor::b_k, Tensor::b_v, Tensor::b_o}) {
        CHECK(made[tensor].size() == (biases ? floats(tensor, shape) : 0));
        for (const float value : made[tensor]) CHECK(same_bits(value, 0.0F));
      }
      CHECK_FALSE(same_bits(made[Tensor::w_k], made[Tensor::w_v]));
      const Slabful again(shape, biases, seed), other(shape, biases, seed + 1);
      for (const Tensor tensor : {Tensor::w_q, Tensor::w_k, Tensor::w_v, Tensor::w_o}) {
        CHECK(same_bits(again[tensor], made[tensor]));
        CHECK_FALSE(same_bits(other[tensor], made[tensor]));
      }
    }
  }
  const Slabful square(self_attention(1, 8, 1), false, 3);
  CHECK_FALSE(same_bits(square[Tensor::w_q], square[Tensor::w_k]));  // else every score matrix were symmetric
  CHECK_FALSE(same_bits(square[Tensor::w_v], square[Tensor::w_o]));
}

}  // namespace
}  // namespace mha::test
