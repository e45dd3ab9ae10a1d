// The lesson's tasks, learned: the same losses in every build, right answers on sentences never seen, and the control.
#include "train/run.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "lab/head_role.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

void train(Run& run, std::uint64_t last) {
  while (run.trainer().steps() < last) {
    double loss = 0;
    REQUIRE(run.step(loss).ok());
  }
}

/// How often the best head for each relation looks at the right word most.
std::vector<double> best_heads(const Network& network, const Batch& batch) {
  std::vector<HeadRole> roles;
  measure_heads(network, batch, roles);
  std::vector<double> best(roles[0].relations.size());
  for (const HeadRole& head : roles) {
    for (std::size_t r = 0; r < best.size(); ++r) best[r] = std::max(best[r], head.relations[r].accuracy());
  }
  return best;
}

TEST_CASE("relations are learned, and answered on sentences never seen", "[run]") {
  Run run;
  const RunOptions options = options_for(Task::relation_reading);
  REQUIRE(run.start(model_for(options.task), options).ok());
  train(run, 400);
  Evaluation evaluation;
  REQUIRE(run.evaluate(300, {}, evaluation).ok());
  for (std::size_t r = 0; r < evaluation.relations.size(); ++r) {
    CAPTURE(info(options.task).relations[r]);
    CHECK(evaluation.relations[r].asked > 50);
    CHECK(evaluation.relations[r].accuracy() >= 0.95);
  }
  const std::vector<double> best = best_heads(run.trainer().network(), run.held_out());
  CAPTURE(best);
  CHECK(*std::ranges::max_element(best) >= 0.6);
}

TEST_CASE("shuffled gold teaches nothing, and leaves no head with a role", "[run]") {
  Run run;
  RunOptions options = options_for(Task::relation_reading);
  options.questions = Questions::shuffled;
  REQUIRE(run.start(model_for(options.task), options).ok());
  train(run, 200);
  Batch batch;
  make_batch(options.task, 1, Split::held_out, Questions::relations, 0, 300, batch);
  Evaluation evaluation;
  REQUIRE(run.trainer().evaluate(batch, {}, evaluation).ok());
  CHECK(evaluation.all.accuracy() <= 0.15);
  const std::vector<double> best = best_heads(run.trainer().network(), batch);
  CAPTURE(best);
  CHECK(*std::ranges::max_element(best) <= 0.45);
}

TEST_CASE("a run that is cut and restored goes on with the sentences it would have had", "[run]") {
  const RunOptions options = options_for(Task::four_jobs);
  Run whole, other;
  REQUIRE(whole.start(model_for(options.task), options).ok());
  REQUIRE(other.start(model_for(options.task), options).ok());
  train(whole, 12);
  TrainerState state;
  whole.trainer().save(state);
  train(whole, 20);
  train(other, 3);
  Evaluation evaluation;
  REQUIRE(other.evaluate(10, {}, evaluation).ok());
  REQUIRE(other.trainer().restore(state).ok());
  train(other, 20);
  CHECK(same_bits(whole.trainer().parameters(), other.trainer().parameters()));
}

TEST_CASE("a run trains on its task's list, step after step, and is measured on held-out sentences", "[run]") {
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(Task::count); ++i) {
    const auto task = static_cast<Task>(i);
    CAPTURE(info(task).name);
    RunOptions options = options_for(task);
    options.batch = 3;
    options.trainer.seed = 11;
    Run run;
    Trainer by_hand;
    REQUIRE(run.start(model_for(task), options).ok());
    REQUIRE(by_hand.start(model_for(task), options.trainer).ok());
    Batch batch;
    for (std::uint64_t step = 0; step < 4; ++step) {
      make_batch(task, 11, Split::train, Questions::asked, 3 * step, 3, batch);
      double got = 0, want = 0;
      REQUIRE(run.step(got).ok());
      REQUIRE(by_hand.step(batch, want).ok());
      CHECK(got == want);
    }
    make_batch(task, 11, Split::held_out, Questions::asked, 0, 5, batch);
    Evaluation got, want;
    REQUIRE(run.evaluate(5, {}, got).ok());
    REQUIRE(by_hand.evaluate(batch, {}, want).ok());
    CHECK(run.held_out().tokens == batch.tokens);
    CHECK(got.loss == want.loss);
  }
}

TEST_CASE("every task has a recipe that runs, and a run that cannot be is refused", "[run][status]") {
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(Task::count); ++i) {
    const auto task = static_cast<Task>(i);
    CAPTURE(info(task).name);
    Run run;
    REQUIRE(run.start(model_for(task), options_for(task)).ok());
    train(run, 2);
    Evaluation evaluation;
    REQUIRE(run.evaluate(5, {}, evaluation).ok());
    CHECK(std::isfinite(evaluation.loss));
  }
  const ModelShape model = model_for(Task::relation_reading);
  const RunOptions options = options_for(Task::relation_reading);
  Run run;
  double loss = 0;
  CHECK(run.step(loss).status == Status::not_loaded);
  ModelShape fewer = model;
  --fewer.vocabulary;
  CHECK(run.start(fewer, options).status == Status::bad_batch);
  RunOptions none = options;
  none.batch = 0;
  CHECK(run.start(model, none).status == Status::bad_batch);
  CHECK(run.step(loss).status == Status::not_loaded);
}

}  // namespace
}  // namespace mha::test
