// What heads do, against the definitions.
#include "lab/head_role.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "model_reference.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

TEST_CASE("what a head does is what the definitions say", "[head_role]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 40; ++round) {
    const ModelShape shape = random_model(random);
    const Batch batch = random_batch(shape, 5, random);
    const std::vector<float> parameters = random_parameters(shape, random);
    Network network;
    REQUIRE(network.open(shape).ok());
    REQUIRE(network.forward(batch, parameters).ok());
    std::vector<HeadRole> roles;
    measure_heads(network, batch, roles);
    std::vector<std::vector<Tally>> alone(1);  // what was in there goes
    measure_relations(network, batch, alone);
    REQUIRE(alone.size() == roles.size());
    for (std::size_t i = 0; i < roles.size(); ++i) {
      REQUIRE(alone[i].size() == roles[i].relations.size());
      for (std::size_t r = 0; r < alone[i].size(); ++r) {
        CHECK(alone[i][r].asked == roles[i].relations[r].asked);
        CHECK(alone[i][r].right == roles[i].relations[r].right);
      }
    }
    REQUIRE(roles.size() == static_cast<std::size_t>(shape.layers * shape.heads));

    const std::vector<double> slab(parameters.begin(), parameters.end());
    const ModelReference reference(shape, slab);
    for (std::size_t head = 0; head < roles.size(); ++head) {
      double entropy = 0, confidence = 0, previous = 0, next = 0, first = 0, distance = 0;
      int rows = 0, pairs = 0;
      std::size_t word = 0;
      for (const std::int32_t n : batch.lengths) {
        std::vector<Matrix> maps;
        static_cast<void>(reference.logits(std::span(batch.tokens).subspan(word, static_cast<std::size_t>(n)), &maps));
        const Matrix& a = maps[head];
        for (Eigen::Index i = 0; i < n; ++i) {
          for (Eigen::Index j = 0; j < n; ++j) {
            entropy -= a(i, j) > 0 ? a(i, j) * std::log(a(i, j)) : 0.0;
            distance += a(i, j) * std::abs(static_cast<double>(i - j));
          }
          confidence += a.row(i).maxCoeff();
          previous += i > 0 ? a(i, i - 1) : 0.0;
          next += i + 1 < n ? a(i, i + 1) : 0.0;
          first += i > 0 ? a(i, 0) : 0.0;
        }
        rows += n;
        pairs += n - 1;
        word += static_cast<std::size_t>(n);
      }
      CHECK(std::abs(roles[head].entropy - entropy / rows) <= 1e-4);
      CHECK(std::abs(roles[head].confidence - confidence / rows) <= 1e-4);
      CHECK(std::abs(roles[head].distance - distance / rows) <= 1e-3);  // a row's weights add up to 1
      CHECK(std::abs(roles[head].previous - (pairs > 0 ? previous / pairs : 0)) <= 1e-4);
      CHECK(std::abs(roles[head].next - (pairs > 0 ? next / pairs : 0)) <= 1e-4);
      CHECK(std::abs(roles[head].first - (pairs > 0 ? first / pairs : 0)) <= 1e-4);
    }
  }
}

TEST_CASE("a head is right where its largest weight is on the partner", "[head_role]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 40; ++round) {
    const ModelShape shape = random_model(random);
    const Batch batch = random_batch(shape, 5, random);
    Network network;
    REQUIRE(network.open(shape).ok());
    REQUIRE(network.forward(batch, random_parameters(shape, random)).ok());
    std::vector<HeadRole> roles;
    measure_heads(network, batch, roles);
    for (std::size_t head = 0; head < roles.size(); ++head) {
      const auto layer = static_cast<std::int32_t>(head) / shape.heads;
      std::vector<Tally> want(3);
      std::size_t question = 0;
      for (std::size_t s = 0; s < batch.sentences(); ++s) {
        const auto n = static_cast<std::size_t>(batch.lengths[s]);
        const auto map = network.attention(layer).weights(s, static_cast<std::int32_t>(head) % shape.heads);
        for (std::size_t q = 0; q < n * static_cast<std::size_t>(batch.slots); ++q, ++question) {
          if (batch.relations[question] == kIgnored) continue;
          const auto row = map.subspan(q / static_cast<std::size_t>(batch.slots) * n, n);
          Tally& tally = want[static_cast<std::size_t>(batch.relations[question])];
          ++tally.asked;
          tally.right += std::ranges::max_element(row) - row.begin() == batch.partners[question] ? 1 : 0;
        }
      }
      for (std::size_t r = 0; r < roles[head].relations.size(); ++r) {
        CHECK(roles[head].relations[r].asked == want[r].asked);
        CHECK(roles[head].relations[r].right == want[r].right);
      }
    }
  }
}

TEST_CASE("heads that look at one word each have the measures of that", "[head_role]") {
  // Scores from positions alone: head 0 looks one back, head 1 at the first word, as strongly as can be.
  constexpr ModelShape shape = {.vocabulary = 2, .max_positions = 5, .model_dim = 10, .heads = 2, .head_dim = 5};
  const ModelLayout layout(shape);
  std::vector<float> slab(layout.size());
  const auto set = [&](Weight weight, std::size_t row, std::size_t column, float value) {
    const auto place = layout(weight);
    slab[place.offset + row * static_cast<std::size_t>(place.columns) + column] = value;
  };
  for (std::size_t i = 0; i < 5; ++i) {
    set(Weight::position_embedding, i, i, 1.0F);
    set(Weight::w_k, i, i, 1.0F);
    set(Weight::w_k, i, 5 + i, 1.0F);
    set(Weight::w_q, i, i == 0 ? 0 : i - 1, 1000.0F);
    set(Weight::w_q, i, 5, 1000.0F);
  }
  const Batch batch = {.lengths = {5},
                       .tokens = {0, 1, 0, 1, 0},
                       .targets = {0, 0, 0, 0, 0},
                       .partners = {0, 0, 1, 2, 4},
                       .relations = {0, 0, 0, 0, 1}};
  Network network;
  REQUIRE(network.open(shape).ok());
  REQUIRE(network.forward(batch, slab).ok());
  std::vector<HeadRole> roles;
  measure_heads(network, batch, roles);
  CHECK(roles[0].entropy == 0.0);
  CHECK(roles[0].confidence == 1.0);
  CHECK(roles[0].previous == 1.0);
  CHECK(roles[0].next == 0.0);
  CHECK(roles[0].first == 0.25);
  CHECK(roles[0].distance == 0.8);
  CHECK(roles[0].relations[0].accuracy() == 1.0);
  CHECK(roles[0].relations[1].accuracy() == 0.0);
  CHECK(roles[1].previous == 0.25);
  CHECK(roles[1].first == 1.0);
  CHECK(roles[1].distance == 2.0);
  CHECK(roles[1].relations[0].accuracy() == 0.5);
}

}  // namespace
}  // namespace mha::test
