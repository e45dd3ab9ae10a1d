// The loss of one question against PyTorch's and its own equation in double.
#include "train/cross_entropy.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "support.hpp"
#include "training_golden.hpp"

namespace mha::test {
namespace {

TEST_CASE("cross-entropy and its gradient are PyTorch's", "[cross_entropy][golden]") {
  const TrainingGolden golden("cross_entropy");
  std::vector<float> logits = golden["logits"];
  const std::vector<std::int32_t> targets = golden.integers("targets");
  const std::size_t words = logits.size() / targets.size();
  for (std::size_t q = 0; q < targets.size(); ++q) {
    CAPTURE(q);
    const auto row = std::span(logits).subspan(q * words, words);
    const Answer answer = cross_entropy(row, targets[q]);
    const double want = golden["losses"][q];
    CHECK(std::abs(answer.loss - want) <= 4 * kUnit * std::abs(want) + 8 * kUnit);
    cross_entropy_gradient(row, targets[q], 1.0F);
    for (std::size_t j = 0; j < words; ++j) {
      CHECK(std::abs(static_cast<double>(row[j]) - static_cast<double>(golden["gradient"][q * words + j])) <=
            16 * kUnit);
    }
  }
}

TEST_CASE("loss, best word and gradient follow their equations", "[cross_entropy]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 500; ++round) {
    const int words = random.integer(1, 120);
    const int target = random.integer(0, words - 1);
    const float weight = random.number();
    std::vector<float> row =
        random.numbers(static_cast<std::size_t>(words), static_cast<float>(random.pick({1, 10, 60})));
    const std::vector<double> logits(row.begin(), row.end());
    const auto best = std::max_element(logits.begin(), logits.end());
    double sum = 0.0;
    for (const double logit : logits) sum += std::exp(logit - *best);
    const double want = std::log(sum) + *best - logits[static_cast<std::size_t>(target)];

    const Answer answer = cross_entropy(row, target);
    CHECK(std::abs(answer.loss - want) <= (words + 16) * kUnit);
    CHECK(answer.best == best - logits.begin());
    cross_entropy_gradient(row, target, weight);
    double total = 0.0;
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double p = std::exp(logits[j] - *best) / sum;
      const double gradient = static_cast<double>(weight) * (p - (static_cast<int>(j) == target ? 1.0 : 0.0));
      CHECK(std::abs(static_cast<double>(row[j]) - gradient) <= (words + 64) * kUnit);
      total += static_cast<double>(row[j]);
    }
    CHECK(std::abs(total) <= 2 * words * kUnit);  // adding a constant to all logits changes nothing
  }
}

TEST_CASE("of equal logits the first is the best", "[cross_entropy]") {
  std::vector<float> row = {1.0F, 3.0F, 3.0F, 2.0F};
  CHECK(cross_entropy(row, 0).best == 1);
}

TEST_CASE("a hopeless question has a finite loss, and a sure one none", "[cross_entropy]") {
  std::vector<float> hopeless = {3e38F, -3e38F};
  CHECK(std::abs(cross_entropy(hopeless, 1).loss / 6e38 - 1.0) <= 1e-6);
  std::vector<float> sure = {3e38F, -3e38F};
  CHECK(cross_entropy(sure, 0).loss == 0.0);
  std::vector<float> only = {-7.0F};
  CHECK(cross_entropy(only, 0).loss == 0.0);
}

TEST_CASE("a logit that is not a number makes the loss none", "[cross_entropy]") {
  for (const float bad : {kNan, kInfinity}) {
    for (std::size_t words = 1; words <= 9; ++words) {
      for (std::size_t place = 0; place < words; ++place) {
        for (std::int32_t target = 0; target < static_cast<std::int32_t>(words); ++target) {
          std::vector<float> row(words, 0.5F);
          row[place] = bad;
          CAPTURE(words, place, target, bad);
          CHECK_FALSE(std::isfinite(cross_entropy(row, target).loss));
        }
      }
    }
  }
  std::vector<float> all(5, kNan);
  CHECK_FALSE(std::isfinite(cross_entropy(all, 2).loss));
}

}  // namespace
}  // namespace mha::test
