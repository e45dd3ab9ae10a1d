// Many seeds over the wasm boundary: the numbers are the study's, and what can't be asked is refused.
#include "wasm/exports_seed_study.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "exports_call.hpp"
#include "lab/seed_study.hpp"

namespace mha::test {
namespace {

using wasm::kRunSettings;
using wasm::kSeedPlan;
using wasm::kSeedProgress;
using wasm::kSeedSummary;

constexpr std::int32_t kSeeds = 3;
const std::vector<std::int32_t> kHeads = {1, 2};

std::vector<double> settings() {
  std::vector<double> record(kRunSettings.size(), 0.0);
  record[kRunSettings["modelDim"]] = 8;
  record[kRunSettings["layers"]] = 1;
  record[kRunSettings["batch"]] = 4;
  record[kRunSettings["learningRate"]] = 0.01;
  record[kRunSettings["seed"]] = 7;
  return record;
}

std::vector<double> plan() {
  std::vector<double> record(kSeedPlan.size());
  record[kSeedPlan["seeds"]] = kSeeds;
  record[kSeedPlan["steps"]] = 12;
  record[kSeedPlan["bound"]] = 4.0;
  record[kSeedPlan["every"]] = 5;
  record[kSeedPlan["language"]] = -1;
  return record;
}

std::int32_t open() { return mha_study_open(settings().data(), kHeads.data(), 2, plan().data()); }

/// Everything that a study can be asked for, as large as it must be.
struct Asked {
  std::size_t relations = info(Task::relation_reading).relations.size();
  std::vector<double> progress = std::vector<double>(kSeedProgress.size());
  std::vector<double> summaries = std::vector<double>(2 * kSeedSummary.size());
  std::vector<std::int32_t> owned = std::vector<std::int32_t>(2 * relations), alone = owned, answered = owned;
  std::vector<std::int32_t> reached = std::vector<std::int32_t>(2 * kSeeds), grouped = reached;
  std::vector<std::int32_t> groups = std::vector<std::int32_t>(reached.size() * relations);

  std::int32_t advance(std::int32_t steps) { return mha_study_advance(steps, progress.data()); }
  std::int32_t read() {
    return mha_study_read(summaries.data(), owned.data(), alone.data(), answered.data(), reached.data(), grouped.data(),
                          groups.data());
  }
};

TEST_CASE("a study over the boundary is the core's, number by number", "[exports][seed_study]") {
  SeedPlan same{.shape = model_for(Task::relation_reading),
                .options = options_for(Task::relation_reading),
                .heads = kHeads,
                .seeds = kSeeds,
                .steps = 12,
                .bound = 4.0,
                .every = 5};
  same.shape.model_dim = 8;
  same.options.batch = 4;
  same.options.trainer.adam.learning_rate = 0.01;
  same.options.trainer.seed = 7;
  SeedStudy study;
  REQUIRE(study.start(same).ok());
  REQUIRE(open() == 0);
  Asked asked;
  for (const std::int32_t steps : {0, 40, 32, 1}) {
    REQUIRE(asked.advance(steps) == 0);
    REQUIRE(study.advance(steps).ok());
    CHECK(asked.progress == std::vector<double>{double(study.seed()), double(study.place()), double(study.steps()),
                                                study.done() ? 1.0 : 0.0});
    REQUIRE(asked.read() == 0);
    for (std::size_t place = 0; place < 2; ++place) {
      CAPTURE(steps, place);
      const SeedSummary summary = summarize(study.results(place), study.relations());
      const auto found = std::span(asked.summaries).subspan(place * kSeedSummary.size(), kSeedSummary.size());
      CHECK(std::vector(found.begin(), found.end()) ==
            std::vector<double>{double(summary.runs), double(summary.reached), double(summary.diverged), summary.median,
                                double(summary.fewest), double(summary.most), summary.loss, double(summary.assignments),
                                double(summary.groupings.size())});
      for (std::size_t r = 0; r < asked.relations; ++r) {
        CHECK(asked.owned[place * asked.relations + r] == summary.owned[r]);
        CHECK(asked.alone[place * asked.relations + r] == summary.alone[r]);
        CHECK(asked.answered[place * asked.relations + r] == summary.answered[r]);
      }
      for (std::size_t seed = 0; seed < kSeeds; ++seed) {
        const bool is_through = seed < study.results(place).size();
        CHECK(asked.reached[place * kSeeds + seed] == (is_through ? study.results(place)[seed].reached : kNever));
        const bool is_grouping = seed < summary.groupings.size();
        CHECK(asked.grouped[place * kSeeds + seed] == (is_grouping ? summary.groupings[seed].seeds : kNever));
        for (std::size_t r = 0; r < asked.relations; ++r) {
          CHECK(asked.groups[(place * kSeeds + seed) * asked.relations + r] ==
                (is_grouping ? summary.groupings[seed].groups[r] : kNever));
        }
      }
    }
  }
  CHECK(study.done());
  CHECK(mha_study_close() == 0);
  CHECK(asked.read() == number(Status::not_loaded));
}

TEST_CASE("what cannot be studied is refused over the boundary", "[exports][seed_study]") {
  Asked asked;
  CHECK(mha_study_close() == 0);
  CHECK(asked.advance(1) == number(Status::not_loaded));
  const auto refused = [&](const std::vector<double>& run, const std::vector<std::int32_t>& heads,
                           const std::vector<double>& study, Status status) {
    REQUIRE(open() == 0);
    CHECK(mha_study_open(run.data(), heads.data(), static_cast<std::int32_t>(heads.size()), study.data()) ==
          number(status));
    CHECK(asked.advance(1) == number(Status::not_loaded));
  };
  for (const double task : {-1.0, 0.5, 1e9}) {
    std::vector<double> run = settings();
    run[kRunSettings["task"]] = task;
    refused(run, kHeads, plan(), Status::no_such_cell);
  }
  refused(settings(), {3}, plan(), Status::head_dim_out_of_range);
  refused(settings(), std::vector<std::int32_t>(9, 1), plan(), Status::wrong_size);
  for (const std::size_t field : {kSeedPlan["seeds"], kSeedPlan["steps"], kSeedPlan["bound"], kSeedPlan["every"]}) {
    for (const double value : {0.0, -1.0, std::nan("")}) {
      std::vector<double> study = plan();
      study[field] = value;
      refused(settings(), kHeads, study, Status::wrong_size);
    }
  }
  for (const double language : {-2.0, 2.0, 0.5, 1e12, std::nan("")}) {
    std::vector<double> study = plan();
    study[kSeedPlan["language"]] = language;
    refused(settings(), kHeads, study, Status::no_such_cell);
  }
  for (const double seed : {-1.0, 0.5, 4294967296.0, std::nan("")}) {
    std::vector<double> run = settings();
    run[kRunSettings["seed"]] = seed;
    refused(run, kHeads, plan(), Status::no_such_cell);
  }
  CHECK(mha_study_open(nullptr, kHeads.data(), 2, plan().data()) == number(Status::wrong_size));
  CHECK(mha_study_open(settings().data(), nullptr, 2, plan().data()) == number(Status::wrong_size));
}

}  // namespace
}  // namespace mha::test
