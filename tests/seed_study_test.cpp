// Many seeds: the arithmetic of a summary by hand-made results, and a study against runs made one by one.
#include "lab/seed_study.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "lab/seed_summary.hpp"

namespace mha::test {
namespace {

using Owners = std::vector<std::int32_t>;

/// Answered is the last relation, if no head owns it.
SeedResult result(std::int32_t reached, double loss, Owners owners) {
  std::vector<std::uint8_t> answered(owners.size(), 0);
  if (!owners.empty() && owners.back() == kNever) answered.back() = 1;
  return {.reached = reached, .loss = loss, .owners = std::move(owners), .answered = std::move(answered)};
}

SeedPlan small(std::int32_t seeds = 2) {
  SeedPlan plan{.shape = model_for(Task::relation_reading),
                .options = options_for(Task::relation_reading),
                .heads = {1, 4},
                .seeds = seeds,
                .steps = 25,
                .bound = 3.0,
                .every = 10};
  plan.shape.model_dim = 16;
  plan.options.batch = 8;
  plan.options.trainer.adam.learning_rate = 0.01;
  plan.options.trainer.seed = 5;
  return plan;
}

bool same(const SeedResult& a, const SeedResult& b) {
  return a.reached == b.reached && a.diverged == b.diverged && a.loss == b.loss && a.owners == b.owners &&
         a.answered == b.answered;
}

/// Advances by slices of this many steps to the end.
void finish(SeedStudy& study, std::int32_t slice) {
  while (!study.done()) REQUIRE(study.advance(slice).ok());
}

TEST_CASE("nothing is said of no runs", "[seed_study]") {
  const SeedSummary summary = summarize({}, 3);
  CHECK(summary.runs == 0);
  CHECK(summary.median == kNever);
  CHECK(summary.loss == kNever);
  CHECK(summary.owned == Owners{0, 0, 0});
  CHECK(summary.groupings.empty());
}

TEST_CASE("a summary counts steps, losses and owners", "[seed_study]") {
  const std::vector<SeedResult> results = {
      result(300, 0.01, {0, 1, 0}),
      result(kNever, 0.5, {2, 2, kNever}),
      result(100, 0.002, {0, 1, 0}),
      {.reached = 10, .diverged = true},
      result(200, 0.004, {3, 2, 3}),  // as the first, but for the heads' numbers
      result(240, 0.006, {kNever, kNever, 1}),
  };
  const SeedSummary summary = summarize(results, 3);
  CHECK(summary.runs == 6);
  CHECK(summary.diverged == 1);
  CHECK(summary.reached == 4);
  CHECK(summary.median == 220.0);  // of 100, 200, 240, 300
  CHECK(summary.fewest == 100);
  CHECK(summary.most == 300);
  CHECK(summary.loss == 0.006);
  CHECK(summary.owned == Owners{4, 4, 4});
  CHECK(summary.alone == Owners{0, 3, 1});
  CHECK(summary.answered == Owners{0, 0, 1});
  CHECK(summary.assignments == 4);
  REQUIRE(summary.groupings.size() == 3);
  CHECK(summary.groupings[0].groups == Owners{0, 1, 0});
  CHECK(summary.groupings[0].seeds == 3);
  CHECK(summary.groupings[1].groups == Owners{0, 0, kNever});
  CHECK(summary.groupings[2].groups == Owners{kNever, kNever, 0});
}

TEST_CASE("an odd count has one in the middle", "[seed_study]") {
  CHECK(summarize(std::vector{result(30, 3, {}), result(10, 1, {}), result(20, 2, {})}, 0).median == 20.0);
}

TEST_CASE("a study's runs are those of the chapter, made one by one", "[seed_study]") {
  const SeedPlan plan = small();
  SeedStudy study;
  REQUIRE(study.start(plan).ok());
  finish(study, 7);
  for (std::size_t place = 0; place < plan.heads.size(); ++place) {
    REQUIRE(study.results(place).size() == 2);
    for (std::uint32_t seed = 0; seed < 2; ++seed) {
      CAPTURE(place, seed);
      const SeedResult& found = study.results(place)[seed];
      ModelShape shape = plan.shape;
      shape.heads = plan.heads[place];
      shape.head_dim = 16 / shape.heads;
      RunOptions options = plan.options;
      options.trainer.seed += seed;
      ObservedRun run;
      REQUIRE(run.start(shape, options).ok());
      std::int32_t reached = kNever;
      Measurement measured;
      for (const std::int32_t step : {10, 20, 25}) {
        REQUIRE(run.advance(step - static_cast<std::int32_t>(run.steps())).ok());
        REQUIRE(run.measure(false, measured).ok());
        if (reached == kNever && measured.loss < plan.bound) reached = step;
      }
      CHECK(found.reached == reached);
      CHECK(found.loss == measured.loss);
      REQUIRE(found.owners.size() == measured.accuracy.size());
      for (std::size_t r = 0; r < measured.accuracy.size(); ++r) {
        CHECK(found.answered[r] == (measured.accuracy[r] >= kOwned ? 1 : 0));
      }
      for (std::size_t i = 0; i < measured.states.size(); ++i) {
        const bool is_owner =
            found.owners[i % found.owners.size()] == static_cast<std::int32_t>(i / found.owners.size());
        CHECK(is_owner == (measured.states[i] == RoleState::owner));
      }
    }
  }
}

TEST_CASE("slices change nothing, and every h of a seed comes before the next seed", "[seed_study]") {
  SeedStudy whole, sliced;
  REQUIRE(whole.start(small()).ok());
  REQUIRE(sliced.start(small()).ok());
  REQUIRE(whole.advance(1000).ok());
  CHECK(whole.done());
  REQUIRE(sliced.advance(24).ok());
  CHECK((sliced.seed() == 0 && sliced.place() == 0 && sliced.steps() == 24));
  REQUIRE(sliced.advance(2).ok());
  CHECK((sliced.seed() == 0 && sliced.place() == 1 && sliced.steps() == 1));
  REQUIRE(sliced.advance(25).ok());
  CHECK((sliced.seed() == 1 && sliced.place() == 0 && sliced.steps() == 1));
  finish(sliced, 1);
  for (std::size_t place = 0; place < 2; ++place) {
    for (std::size_t seed = 0; seed < 2; ++seed) CHECK(same(whole.results(place)[seed], sliced.results(place)[seed]));
  }
  CHECK_FALSE(same(whole.results(0)[0], whole.results(0)[1]));
  REQUIRE(whole.advance(10).ok());
  CHECK(whole.results(0).size() == 2);
}

TEST_CASE("a study that is measured only at its end is measured", "[seed_study]") {
  SeedPlan plan = small(1);
  plan.every = 1000;
  plan.bound = 1e9;
  SeedStudy study;
  REQUIRE(study.start(plan).ok());
  finish(study, 100);
  CHECK(study.results(0)[0].reached == plan.steps);
  plan.bound = 1e-9;
  REQUIRE(study.start(plan).ok());
  finish(study, 100);
  CHECK(study.results(0)[0].reached == kNever);
}

TEST_CASE("runs that diverge are results, and the study goes on", "[seed_study]") {
  SeedPlan plan = small();
  plan.options.trainer.adam.learning_rate = 1e30;
  plan.bound = 1e30;
  SeedStudy study;
  REQUIRE(study.start(plan).ok());
  finish(study, 10);
  for (std::size_t place = 0; place < 2; ++place) {
    REQUIRE(study.results(place).size() == 2);
    const SeedSummary summary = summarize(study.results(place), study.relations());
    CHECK(summary.diverged == 2);
    CHECK(summary.reached == 0);
    CHECK(summary.assignments == 0);
  }
}

TEST_CASE("what cannot be studied is refused", "[seed_study]") {
  const auto refusal = [](auto change) {
    SeedPlan plan = small();
    change(plan);
    SeedStudy study;
    const Status status = study.start(plan).status;
    CHECK(study.advance(1).status == Status::not_loaded);
    return status;
  };
  CHECK(refusal([](SeedPlan& plan) { plan.heads.clear(); }) == Status::wrong_size);
  CHECK(refusal([](SeedPlan& plan) { plan.heads.assign(9, 1); }) == Status::wrong_size);
  CHECK(refusal([](SeedPlan& plan) { plan.seeds = 0; }) == Status::wrong_size);
  CHECK(refusal([](SeedPlan& plan) { plan.seeds = SeedStudy::kMaxSeeds + 1; }) == Status::wrong_size);
  CHECK(refusal([](SeedPlan& plan) { plan.steps = 0; }) == Status::wrong_size);
  CHECK(refusal([](SeedPlan& plan) { plan.every = -1; }) == Status::wrong_size);
  CHECK(refusal([](SeedPlan& plan) { plan.bound = 0; }) == Status::wrong_size);
  CHECK(refusal([](SeedPlan& plan) { plan.bound = std::nan(""); }) == Status::wrong_size);
  CHECK(refusal([](SeedPlan& plan) { plan.heads = {1, 3}; }) == Status::head_dim_out_of_range);
  CHECK(refusal([](SeedPlan& plan) { plan.heads = {1, 0}; }) == Status::heads_out_of_range);
  CHECK(refusal([](SeedPlan& plan) { plan.options.batch = 0; }) == Status::bad_batch);
}

}  // namespace
}  // namespace mha::test
