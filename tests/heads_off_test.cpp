// Everything that is told of heads switched off, against the single measurements it is made of.
#include "lab/heads_off.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "lab/ablation.hpp"
#include "lab/observed_run.hpp"
#include "model_reference.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

/// A model with heads that fill d, and questions for it.
struct Subject {
  ModelShape shape;
  Batch batch;
  std::vector<float> parameters;
  Network network;

  explicit Subject(Random& random) : shape(random_model(random)) {
    shape.residual = true;
    shape.heads = random.integer(1, 4);
    shape.model_dim = shape.heads * random.integer(2, 4);
    shape.vocabulary = random.integer(5, 20);
    batch = random_batch(shape, 6, random);
    parameters = random_parameters(shape, random);
    REQUIRE(network.open(shape).ok());
  }
};

bool same(const Quality& got, const Evaluation& want) {
  return got.loss == want.loss && got.accuracy == want.all.accuracy();
}

bool same(const Pruning& got, const std::vector<Evaluation>& want) {
  return std::equal(got.curve.begin(), got.curve.end(), want.begin(), want.end(),
                    [](const Quality& a, const Evaluation& b) { return same(a, b); });
}

TEST_CASE("a study of the heads is its single measurements, head by head", "[heads_off]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 20; ++round) {
    Subject s(random);
    HeadsOff study;
    REQUIRE(study_heads_off(s.network, s.batch, s.parameters, study).ok());
    const auto heads = static_cast<std::size_t>(s.shape.layers * s.shape.heads);
    REQUIRE(study.heads.size() == heads);

    std::vector<Evaluation> without, sliced, curve;
    std::vector<Importance> importances;
    std::vector<std::int32_t> order;
    REQUIRE(ablate_each(s.network, s.batch, s.parameters, without).ok());
    REQUIRE(zero_output_slice_each(s.network, s.batch, s.parameters, sliced).ok());
    REQUIRE(importance(s.network, s.batch, s.parameters, importances).ok());
    Evaluation whole;
    REQUIRE(evaluate(s.network, s.batch, s.parameters, {}, whole).ok());
    for (std::size_t head = 0; head < heads; ++head) {
      CHECK(same(study.heads[head].without, without[head]));
      CHECK(same(study.heads[head].sliced, sliced[head]));
      CHECK(study.heads[head].importance.raw == importances[head].raw);
      CHECK(study.heads[head].importance.normalised == importances[head].normalised);
      CHECK(study.heads[head].accuracy_lost == whole.all.accuracy() - without[head].all.accuracy());
    }

    REQUIRE(prune(s.network, s.batch, s.parameters, study.by_importance.order, curve).ok());
    CHECK(same(study.by_importance, curve));
    REQUIRE(greedy_order(s.network, s.batch, s.parameters, order).ok());
    CHECK(study.greedy.order == order);
    REQUIRE(prune(s.network, s.batch, s.parameters, order, curve).ok());
    CHECK(same(study.greedy, curve));
    // Both orders begin and end with the same models.
    CHECK(study.greedy.curve.front().loss == study.by_importance.curve.front().loss);
    CHECK(study.greedy.curve.back().loss == study.by_importance.curve.back().loss);
  }
}

TEST_CASE("ranks: the first is missed most, or has the largest I_h; equal ones share theirs", "[heads_off]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 20; ++round) {
    Subject s(random);
    HeadsOff study;
    REQUIRE(study_heads_off(s.network, s.batch, s.parameters, study).ok());
    for (const HeadOff& one : study.heads) {
      std::int32_t missed_more = 0, larger = 0;
      for (const HeadOff& other : study.heads) {
        missed_more += other.without.loss > one.without.loss ? 1 : 0;
        larger += other.importance.normalised > one.importance.normalised ? 1 : 0;
      }
      CHECK(one.rank == 1 + missed_more);
      CHECK(one.importance_rank == 1 + larger);
    }
    // What goes first has the smallest I_h.
    const auto first = static_cast<std::size_t>(study.by_importance.order.front());
    for (const HeadOff& other : study.heads) {
      CHECK(study.heads[first].importance.normalised <= other.importance.normalised);
    }
  }
}

TEST_CASE("heads that do not divide d have no slice of the output, and are refused", "[heads_off]") {
  Random random(Catch::getSeed());
  ModelShape shape = random_model(random);
  shape.heads = 2;
  shape.model_dim = 5;
  Network network;
  REQUIRE(network.open(shape).ok());
  HeadsOff study;
  const std::vector<float> parameters = random_parameters(shape, random);
  const Batch batch = random_batch(shape, 2, random);
  CHECK(study_heads_off(network, batch, parameters, study).status == Status::head_dim_out_of_range);
  CHECK(study_heads_off(network, batch, std::span(parameters).first(1), study).status != Status::ok);
}

}  // namespace
}  // namespace mha::test
