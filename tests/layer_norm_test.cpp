// Layer norm against PyTorch's; its gradient against central differences.
#include "train/layer_norm.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "support.hpp"
#include "training_golden.hpp"

namespace mha::test {
namespace {

/// y [r, d] and what was kept of it.
struct Normal {
  std::vector<float> rows, inverse, y;

  Normal(std::span<const float> x, std::span<const float> scale, std::span<const float> shift)
      : rows(x.size()), inverse(x.size() / scale.size()), y(x.size()) {
    layer_norm(x, scale, shift, kept(), y);
  }
  Normalised kept() { return {rows, inverse}; }
};

struct Moments {
  double mean = 0, variance = 0;
};

Moments moments(std::span<const float> values) {
  Moments made;
  for (const float value : values) made.mean += static_cast<double>(value) / static_cast<double>(values.size());
  for (const float value : values) {
    const double off = static_cast<double>(value) - made.mean;
    made.variance += off * off / static_cast<double>(values.size());
  }
  return made;
}

void check_near(std::span<const float> got, std::span<const float> want, double bound) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i, got[i], want[i]);
    CHECK(std::abs(static_cast<double>(got[i]) - static_cast<double>(want[i])) <= bound);
  }
}

TEST_CASE("layer norm and its gradient are PyTorch's", "[layer_norm][golden]") {
  const TrainingGolden golden("layer_norm");
  const std::vector<float>& scale = golden["scale"];
  Normal normal(golden["x"], scale, golden["shift"]);
  check_near(normal.y, golden["y"], 1e-6);
  std::vector<float> d_x = golden["d_y"], d_scale(scale.size()), d_shift(scale.size());
  layer_norm_gradient(normal.kept(), scale, d_x, d_scale, d_shift);
  // The row without variance has σ = √ε, and gradients of hundreds.
  const std::size_t rest = d_x.size() - scale.size();
  check_near(std::span(d_x).first(rest), std::span(golden["d_x"]).first(rest), 1e-6);
  check_near(std::span(d_x).subspan(rest), std::span(golden["d_x"]).subspan(rest), 1e-4);
  check_near(d_scale, golden["d_scale"], 2e-6);
  check_near(d_shift, golden["d_shift"], 2e-6);
}

TEST_CASE("rows have mean 0 and variance 1, wherever they were", "[layer_norm]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 100; ++round) {
    const auto d = static_cast<std::size_t>(random.integer(2, 70));
    const auto rows = static_cast<std::size_t>(random.integer(1, 5));
    std::vector<float> x = random.numbers(rows * d, 2.0F);
    for (float& value : x) value += 1000.0F;  // a mean far away takes no digit of the rest
    const std::vector<float> ones(d, 1.0F), zeros(d, 0.0F);
    const Normal normal(x, ones, zeros);
    for (std::size_t r = 0; r < rows; ++r) {
      const auto [mean, variance] = moments(std::span(normal.y).subspan(r * d, d));
      const double before = moments(std::span(x).subspan(r * d, d)).variance;
      CHECK(std::abs(mean) <= 1e-6);
      CHECK(std::abs(variance - before / (before + 1e-5)) <= 1e-6);
    }
  }
}

TEST_CASE("y may be written over x, and gradients that are not wanted need no room", "[layer_norm]") {
  Random random(Catch::getSeed());
  std::vector<float> x = random.numbers(21);
  const std::vector<float> scale = random.numbers(7), shift = random.numbers(7), d_y = random.numbers(21);
  Normal apart(x, scale, shift);
  Normal kept = apart;
  layer_norm(x, scale, shift, kept.kept(), x);
  CHECK(same_bits(x, apart.y));
  std::vector<float> all = d_y, alone = d_y, d_scale(7), d_shift(7);
  layer_norm_gradient(apart.kept(), scale, all, d_scale, d_shift);
  layer_norm_gradient(apart.kept(), scale, alone, {}, {});
  CHECK(same_bits(all, alone));
}

}  // namespace
}  // namespace mha::test
