// One row of softmax, against double, at every length, alignment and size of numbers.
#include "mha/softmax.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "stages.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

struct Row {
  bool visible;
  std::vector<float> weights;
};

Row softmax(std::span<const float> scores, std::size_t shift = 0) {
  const Shifted from(scores, shift);
  Guarded to(scores.size(), shift + 1);
  const bool visible = softmax_row(from.data(), to.data(), static_cast<std::int32_t>(scores.size()));
  CHECK(to.intact());
  return {visible, {to.span().begin(), to.span().end()}};
}

double sum_of(std::span<const float> weights) { return std::accumulate(weights.begin(), weights.end(), 0.0); }

TEST_CASE("softmax is within its bound at every length and alignment", "[softmax]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    for (std::size_t count = 1; count <= 70; ++count) {
      for (std::size_t shift = 0; shift < 4; ++shift) {
        CAPTURE(count, shift);
        std::vector<float> scores = random.numbers(count, static_cast<float>(random.pick({1, 5, 30, 100})));
        const bool masked = random.one_in(2);
        for (float& score : scores) {
          if (masked && random.one_in(3)) score = -kInfinity;
        }
        scores[static_cast<std::size_t>(random.integer(0, static_cast<int>(count) - 1))] = 0.5F;
        const Row row = softmax(scores, shift);
        CHECK(row.visible);
        CHECK(beyond_softmax(scores, row.weights) == "");
        CHECK(std::abs(sum_of(row.weights) - 1.0) <= gamma(static_cast<std::int64_t>(count) + 2));
        int not_zero = 0;
        for (std::size_t j = 0; j < count; ++j) {
          if (scores[j] == -kInfinity && !same_bits(row.weights[j], 0.0F)) ++not_zero;
        }
        CHECK(not_zero == 0);
      }
    }
  }
}

TEST_CASE("a row in which every score is −∞ is all zeros, and says so", "[softmax]") {
  for (std::size_t count = 1; count <= 70; ++count) {
    CAPTURE(count);
    const Row row = softmax(std::vector<float>(count, -kInfinity), count % 4);
    CHECK_FALSE(row.visible);
    CHECK(same_bits(row.weights, std::vector<float>(count)));
  }
}

TEST_CASE("one visible score gets the weight 1, wherever it stands and whatever it is", "[softmax]") {
  for (std::size_t count = 1; count <= 17; ++count) {
    for (std::size_t place = 0; place < count; ++place) {
      for (const float score : {0.0F, -3e38F, 3e38F, 1e-45F}) {
        CAPTURE(count, place, score);
        std::vector<float> scores(count, -kInfinity);
        scores[place] = score;
        const Row row = softmax(scores);
        CHECK(row.visible);
        std::vector<float> want(count);
        want[place] = 1.0F;
        CHECK(same_bits(row.weights, want));
      }
    }
  }
}

TEST_CASE("softmax may work in place", "[softmax]") {
  Random random(Catch::getSeed());
  for (std::size_t count = 1; count <= 70; ++count) {
    CAPTURE(count);
    const std::vector<float> scores = random.numbers(count, 8.0F);
    Guarded both(count, count % 4);
    std::copy(scores.begin(), scores.end(), both.data());
    CHECK(softmax_row(both.data(), both.data(), static_cast<std::int32_t>(count)));
    CHECK(both.intact());
    CHECK(same_bits(both.span(), softmax(scores).weights));
  }
}

TEST_CASE("softmax is invariant under a shift of its scores", "[softmax]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    for (int i = 0; i < 40; ++i) {
      // Multiples of 2⁻¹⁰ with a shift that keeps them exact: the differences are the same, so the bits must be.
      std::vector<float> scores(static_cast<std::size_t>(random.integer(1, 40)));
      for (float& score : scores) score = static_cast<float>(random.integer(-8000, 8000)) * 0x1p-10F;
      const float shift = static_cast<float>(random.integer(-1000, 1000)) * 0.25F;
      std::vector<float> shifted = scores;
      for (float& score : shifted) score += shift;
      CAPTURE(scores.size(), shift);
      CHECK(same_bits(softmax(scores).weights, softmax(shifted).weights));

      // Any other shift rounds the scores: what comes out is right for what went in.
      for (float& score : shifted) score += 3.14159F;
      CHECK(beyond_softmax(shifted, softmax(shifted).weights) == "");
    }
  }
}

TEST_CASE("huge scores neither overflow nor become NaN", "[softmax]") {
  const std::vector<std::vector<float>> rows = {{3e38F, -3e38F},
                                                {3e38F, 3e38F, 3e38F},
                                                {-3e38F, -3e38F, -3e38F},
                                                {1e30F, 1e30F, 0.0F, -1e30F, 1e30F},
                                                {-3e38F, -kInfinity},
                                                {3e38F, -kInfinity, 3e38F},
                                                {3.4028235e38F, -3.4028235e38F, 0.0F},
                                                {88.0F, 89.0F, 1000.0F},
                                                {-1000.0F, -1088.0F, -1e30F},
                                                {0.0F, -87.0F, -88.0F, -100.0F, -104.0F, -1000.0F}};
  for (const auto& scores : rows) {
    CAPTURE(scores);
    const Row row = softmax(scores);
    CHECK(row.visible);
    CHECK(beyond_softmax(scores, row.weights) == "");
  }
}

TEST_CASE("scores too small to matter give equal weights", "[softmax]") {
  constexpr float kDenormal = std::numeric_limits<float>::denorm_min();
  for (std::size_t count = 2; count <= 20; ++count) {
    CAPTURE(count);
    std::vector<float> scores(count);
    for (std::size_t j = 0; j < count; ++j) scores[j] = static_cast<float>(static_cast<int>(j % 5) - 2) * kDenormal;
    const Row row = softmax(scores);
    CHECK(beyond_softmax(scores, row.weights) == "");
    for (const float weight : row.weights) CHECK(same_bits(weight, row.weights.front()));
  }
}

TEST_CASE("equal scores have equal weights, larger ones no smaller weights", "[softmax]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    for (std::size_t count = 2; count <= 70; ++count) {
      // Steps of 1/16, far above what rounding may turn around; many of them equal, in all lanes and in the rest.
      std::vector<float> scores(count);
      for (float& score : scores) score = static_cast<float>(random.integer(-40, 40)) * 0.0625F;
      const Row row = softmax(scores);
      int wrong_order = 0;
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < count; ++j) {
          if (scores[i] == scores[j] ? !same_bits(row.weights[i], row.weights[j])
                                     : (scores[i] < scores[j]) != (row.weights[i] < row.weights[j])) {
            ++wrong_order;
          }
        }
      }
      CAPTURE(count);
      CHECK(wrong_order == 0);
    }
  }
}

TEST_CASE("softmax of known scores", "[softmax]") {
  // e^0 : e^1 : e^2, from the series of e by hand.
  const Row row = softmax(std::vector<float>{0.0F, 1.0F, 2.0F});
  CHECK(std::abs(double{row.weights[0]} - 0.09003057317038046) < 1e-7);
  CHECK(std::abs(double{row.weights[1]} - 0.24472847105479764) < 1e-7);
  CHECK(std::abs(double{row.weights[2]} - 0.66524095577482190) < 1e-7);
}

}  // namespace
}  // namespace mha::test
