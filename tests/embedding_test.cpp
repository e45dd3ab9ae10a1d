// Token vectors and positions: pinned, so that native and wasm builds are proven to agree, and right.
#include "mha/embedding.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support.hpp"

namespace mha::test {
namespace {

std::vector<float> token(std::string_view text, std::uint32_t seed, std::size_t size) {
  Guarded vector(size, 1);
  token_vector(text, seed, vector.span());
  CHECK(vector.intact());
  return {vector.span().begin(), vector.span().end()};
}

std::vector<float> position(std::int32_t place, std::size_t size) {
  Guarded vector(size, 1);
  sinusoidal_position(place, vector.span());
  CHECK(vector.intact());
  return {vector.span().begin(), vector.span().end()};
}

TEST_CASE("token vectors are pinned, Chinese and emoji too", "[embedding]") {
  // Computed in Python: √3 times SplitMix64 in the stream (seed, "token:" + UTF-8 text).
  struct Pinned {
    const char* text;
    std::vector<float> with_1, with_2017;
  };
  const Pinned pinned[] = {
      {"小明", {-0x1.43d69cp-2F, -0x1.3cdec8p-1F, -0x1.573af0p-2F}, {0x1.71566ep-2F, 0x1.caab68p-2F}},
      {"蛋糕", {-0x1.5f1734p-1F, -0x1.0d958cp+0F, -0x1.ad4a4cp-3F}, {0x1.136bf2p-1F, -0x1.a29322p+0F}},
      {"🍰", {-0x1.5dc5dcp+0F, 0x1.0f12c6p-1F, -0x1.a4757cp-1F}, {0x1.62847cp-1F, -0x1.6daedap-3F}},
      {"Tom", {-0x1.f32180p-1F, -0x1.ee898cp-2F, 0x1.666476p-4F}, {0x1.57fb92p-2F, -0x1.0b1f6cp-1F}},
      {"", {-0x1.9ed348p-1F, -0x1.129310p-1F, 0x1.06a848p+0F}, {0x1.02a49ep-4F, 0x1.0d662cp-1F}},
  };
  for (const Pinned& word : pinned) {
    CAPTURE(word.text);
    CHECK(same_bits(token(word.text, 1, 3), word.with_1));
    CHECK(same_bits(token(word.text, 2017, 2), word.with_2017));
  }
}

TEST_CASE("a shorter vector is the beginning of a longer one", "[embedding]") {
  const std::vector<float> longest = token("因为", Catch::getSeed(), 64);
  for (std::size_t size = 0; size <= 64; ++size) {
    CHECK(same_bits(token("因为", Catch::getSeed(), size), std::span(longest).first(size)));
  }
}

TEST_CASE("a token vector has mean 0 and variance 1, within ±√3", "[embedding]") {
  const std::vector<float> vector = token("她", Catch::getSeed(), 1 << 15);
  double sum = 0.0, squares = 0.0, most = 0.0;
  for (const float value : vector) {
    sum += double{value};
    squares += double{value} * double{value};
    most = std::max(most, std::abs(double{value}));
  }
  const double root = std::sqrt(static_cast<double>(vector.size()));
  CHECK(std::abs(sum / (root * root)) < 6.0 / root);
  CHECK(std::abs(squares / (root * root) - 1.0) < 6.0 * std::sqrt(0.8) / root);
  CHECK(most <= 1.7320509);
  CHECK(most > 1.72);
}

TEST_CASE("different words and seeds have unlike vectors", "[embedding]") {
  const std::vector<std::vector<float>> vectors = {token("小明", 1, 1024), token("小红", 1, 1024),
                                                   token("小明", 2, 1024), token("明小", 1, 1024),
                                                   token("小", 1, 1024)};
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double product = 0.0;
      for (std::size_t c = 0; c < 1024; ++c) product += double{vectors[i][c]} * double{vectors[j][c]};
      CAPTURE(i, j);
      CHECK(std::abs(product / 1024.0) < 6.0 / 32.0);
    }
  }
}

TEST_CASE("the positions of 512 words are the correctly rounded ones", "[embedding]") {
  // The hash is of mpmath's values (200 bits, rounded to double and then to float), so equal bits are right bits.
  std::vector<float> all;
  for (std::int32_t place = 0; place < 512; ++place) {
    const std::vector<float> vector = position(place, 64);
    all.insert(all.end(), vector.begin(), vector.end());
  }
  CHECK(hash_of(all) == 0xdd7d61f62d419f28U);
}

TEST_CASE("positions follow Vaswani et al. §3.5 for every width", "[embedding]") {
  Random random(Catch::getSeed());
  for (const int d : {1, 2, 3, 4, 5, 8, 63, 64, 512, 4096}) {
    for (const int place : {0, 1, 2, 10, 255, 511, random.integer(3, 510)}) {
      CAPTURE(d, place);
      const std::vector<float> vector = position(place, static_cast<std::size_t>(d));
      double worst = 0.0;
      for (int c = 0; c < d; ++c) {
        const double angle = place / std::pow(10000.0, static_cast<double>(c / 2 * 2) / d);
        const double want = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
        // One rounding to float, and what the last bits of the frequency make of the angle.
        const double error = std::abs(double{vector[static_cast<std::size_t>(c)]} - want);
        worst = std::max(worst, error - kUnit * std::abs(want));
      }
      CHECK(worst < 1e-12);
    }
  }
  CHECK(same_bits(position(0, 4), std::vector<float>{0.0F, 1.0F, 0.0F, 1.0F}));
}

TEST_CASE("add_positions adds element by element", "[embedding]") {
  Random random(Catch::getSeed());
  for (std::size_t count = 0; count <= 40; ++count) {
    const Shifted words(random.numbers(count, 2.0F), 1), places(random.numbers(count), 2);
    Guarded x(count, 3);
    add_positions(words.span(), places.span(), x.span());
    CHECK(x.intact());
    int wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!same_bits(x.span()[i], words.span()[i] + places.span()[i])) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

}  // namespace
}  // namespace mha::test
