#include "lab/observed_run.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "sentences.hpp"

namespace {

using mha::Dilemma;
using mha::Measurement;
using mha::ObservedRun;
using mha::Status;
using mha::Task;

/// What a run is started with.
struct Settings {
  mha::ModelShape shape;
  mha::RunOptions options;
};

Settings small(std::int32_t heads, std::int32_t d = 32) {
  Settings made{.shape = mha::model_for(Task::relation_reading), .options = mha::options_for(Task::relation_reading)};
  made.shape.model_dim = d;
  made.shape.heads = heads;
  made.shape.head_dim = d / heads;
  made.options.batch = 32;
  made.options.trainer.adam.learning_rate = 1e-2;
  made.options.trainer.seed = 3;
  return made;
}

void start(ObservedRun& run, const Settings& settings) { REQUIRE(run.start(settings.shape, settings.options).ok()); }

bool all_finite(const Measurement& measured) {
  const auto finite = [](float value) { return std::isfinite(value); };
  return std::isfinite(measured.loss) && std::all_of(measured.accuracy.begin(), measured.accuracy.end(), finite) &&
         std::all_of(measured.head_accuracy.begin(), measured.head_accuracy.end(), finite);
}

bool all_finite(const mha::HeadsOff& study) {
  return std::all_of(study.heads.begin(), study.heads.end(), [](const mha::HeadOff& head) {
    return std::isfinite(head.without.loss) && std::isfinite(head.sliced.loss) && std::isfinite(head.importance.raw) &&
           std::isfinite(head.importance.normalised);
  });
}

}  // namespace

TEST_CASE("a run learns to read relations, and heads take some of them", "[observed_run]") {
  ObservedRun run;
  start(run, small(4));
  Measurement before, after;
  REQUIRE(run.measure(true, before).ok());
  REQUIRE(run.advance(250).ok());
  REQUIRE(run.measure(true, after).ok());
  CHECK(run.steps() == 250);
  CHECK(before.loss > 3.0);
  CHECK(after.loss < 0.5);
  for (const float accuracy : after.accuracy) CHECK(accuracy > 0.85F);
  // At the start no head is right much more often than chance would have it.
  CHECK(std::count(before.states.begin(), before.states.end(), mha::RoleState::owner) == 0);
  CHECK(std::count_if(after.states.begin(), after.states.end(),
                      [](mha::RoleState state) { return state >= mha::RoleState::partial; }) > 0);
}

TEST_CASE("what is measured are the held-out sentences of a language, whatever the seed of the run", "[observed_run]") {
  for (const Task task : {Task::relation_reading, Task::masked_pronoun, Task::four_jobs}) {
    mha::RunOptions options = mha::options_for(task);
    options.trainer.seed = 5;
    const mha::ModelShape shape = mha::model_for(task);
    ObservedRun run;
    start(run, {shape, options});
    mha::Trainer by_hand;
    REQUIRE(by_hand.start(shape, options.trainer).ok());
    const std::optional<mha::Language> languages[] = {{}, mha::Language::chinese, mha::Language::english};
    for (const std::optional<mha::Language> language : languages) {
      run.listen_to(language);
      const std::vector<std::uint64_t> numbers = mha::held_out_numbers(task, language, ObservedRun::kHeldOut);
      mha::Evaluation want;
      std::vector<std::vector<mha::Tally>> heads;
      mha::Batch batch;
      mha::make_batch(task, 0, mha::Split::held_out, mha::Questions::relations, numbers, batch);
      REQUIRE(by_hand.evaluate(batch, {}, want).ok());
      mha::measure_relations(by_hand.network(), batch, heads);
      mha::make_batch(task, 0, mha::Split::held_out, mha::Questions::asked, numbers, batch);
      REQUIRE(by_hand.evaluate(batch, {}, want).ok());

      double loss = 0;
      Measurement measured;
      REQUIRE(run.evaluate(loss).ok());
      REQUIRE(run.measure(false, measured).ok());
      CHECK(loss == want.loss);
      CHECK(measured.loss == want.loss);
      for (std::size_t i = 0; i < measured.head_accuracy.size(); ++i) {
        const std::vector<mha::Tally>& tallies = heads[i / run.relations()];
        const std::size_t relation = i % run.relations();
        const double share = relation < tallies.size() ? tallies[relation].accuracy() : 0.0;
        CHECK(measured.head_accuracy[i] == static_cast<float>(share));
      }
    }
  }
}

TEST_CASE("on answers drawn at random no head finds a job", "[observed_run]") {
  Settings settings = small(4);
  settings.options.questions = mha::Questions::shuffled;
  ObservedRun run;
  start(run, settings);
  REQUIRE(run.advance(250).ok());
  Measurement measured;
  REQUIRE(run.measure(true, measured).ok());
  for (const mha::RoleState state : measured.states) CHECK(state == mha::RoleState::low);
  for (const std::uint8_t idle : measured.is_idle) CHECK(idle == 0);  // of a model that knows nothing
}

TEST_CASE("what is measured or shown between two steps changes nothing of a run", "[observed_run]") {
  ObservedRun quiet, asked;
  start(quiet, small(2));
  REQUIRE(quiet.advance(12).ok());
  start(asked, small(2));
  Measurement measured;
  mha::HeadsOff study;
  for (int i = 0; i < 12; ++i) {
    REQUIRE(asked.advance(1).ok());
    REQUIRE(asked.measure(true, measured).ok());
    REQUIRE(asked.study_heads(study).ok());
  }
  Measurement expected;
  REQUIRE(quiet.measure(true, expected).ok());
  REQUIRE(asked.measure(true, measured).ok());
  CHECK(measured.loss == expected.loss);
  CHECK(measured.head_accuracy == expected.head_accuracy);
  CHECK(measured.is_idle == expected.is_idle);
}

TEST_CASE("a sentence on show: every row of every map adds up to 1, and the verb asks two questions",
          "[observed_run]") {
  ObservedRun run;
  start(run, small(4));
  REQUIRE(run.advance(40).ok());
  const std::vector<std::int32_t> words = mha::test::places_of_text("小明|把|蛋糕|递给|小红|因为|她|不|饿|了|。");
  const std::size_t n = words.size();
  std::vector<float> maps(4 * n * n);
  Dilemma dilemma;
  REQUIRE(run.show(words, maps, dilemma).ok());
  for (std::size_t row = 0; row < 4 * n; ++row) {
    const float sum = std::accumulate(maps.begin() + static_cast<std::ptrdiff_t>(row * n),
                                      maps.begin() + static_cast<std::ptrdiff_t>((row + 1) * n), 0.0F);
    CHECK(std::abs(sum - 1.0F) < 1e-5F);
  }
  CHECK(dilemma.head >= 0);
  CHECK(dilemma.query == 3);   // 递给
  CHECK(dilemma.first == 0);   // 小明
  CHECK(dilemma.second == 4);  // 小红
  CHECK(dilemma.loss > 0.0);

  SECTION("words in an order that is no sentence have maps, too, but ask nothing") {
    std::vector<std::int32_t> mixed = words;
    std::reverse(mixed.begin(), mixed.end());
    REQUIRE(run.show(mixed, maps, dilemma).ok());
    CHECK(dilemma.head == -1);
  }
  SECTION("what is no word is refused") {
    std::vector<std::int32_t> bad = words;
    bad[2] = mha::kOutOfVocabulary;
    CHECK(run.show(bad, maps, dilemma).status == Status::bad_batch);
    bad[2] = mha::info(Task::relation_reading).vocabulary;
    CHECK(run.show(bad, maps, dilemma).status == Status::bad_batch);
    CHECK(run.show({}, maps, dilemma).status == Status::bad_batch);
    CHECK(run.show(words, std::span(maps).first(maps.size() - 1), dilemma).status == Status::wrong_size);
  }
}

TEST_CASE("heads switched off by hand: all of them gone, the answers are gone, too", "[observed_run]") {
  ObservedRun run;
  start(run, small(4));
  REQUIRE(run.advance(250).ok());
  mha::Evaluation switched, all_on;
  const std::vector<float> on(4, 1.0F), off(4, 0.0F);
  REQUIRE(run.switch_heads(on, switched, all_on).ok());
  CHECK(switched.loss == all_on.loss);
  CHECK(switched.all.right == all_on.all.right);
  REQUIRE(run.switch_heads(off, switched, all_on).ok());
  CHECK(switched.loss > all_on.loss + 1.0);
  CHECK(switched.all.accuracy() < all_on.all.accuracy() - 0.4);
  CHECK(switched.relations.size() == all_on.relations.size());

  // The same sentences as in a study of the heads, and as in what is measured.
  mha::HeadsOff study;
  Measurement measured;
  REQUIRE(run.study_heads(study).ok());
  REQUIRE(run.measure(false, measured).ok());
  CHECK(study.greedy.curve.front().loss == measured.loss);
  CHECK(study.greedy.curve.back().loss == switched.loss);
  for (std::size_t head = 0; head < 4; ++head) {
    std::vector<float> gates = on;
    gates[head] = 0.0F;
    REQUIRE(run.switch_heads(gates, switched, all_on).ok());
    CHECK(switched.loss == study.heads[head].without.loss);
  }

  CHECK(run.switch_heads({}, switched, all_on).status == Status::bad_gate);
  CHECK(run.switch_heads(std::span(on).first(3), switched, all_on).status == Status::bad_gate);
  CHECK(ObservedRun().study_heads(study).status != Status::ok);
}

TEST_CASE("one head: there is one to switch off", "[observed_run]") {
  ObservedRun run;
  start(run, small(1));
  mha::HeadsOff study;
  REQUIRE(run.study_heads(study).ok());
  REQUIRE(study.heads.size() == 1);
  CHECK(study.heads[0].rank == 1);
  CHECK(study.heads[0].importance_rank == 1);
  CHECK(study.by_importance.curve.size() == 2);
  CHECK(study.greedy.order == study.by_importance.order);
}

TEST_CASE("a run that cannot be started is none", "[observed_run]") {
  ObservedRun run;
  Settings settings = small(4);
  settings.shape.heads = 0;
  CHECK(run.start(settings.shape, settings.options).status == Status::heads_out_of_range);
  CHECK(run.advance(1).status == Status::not_loaded);
}

TEST_CASE("wild settings may learn badly, but every number that is told is finite", "[observed_run]") {
  for (const double rate : {10.0, 1e6, 1e30}) {
    for (const std::int32_t batch : {1, 16}) {
      CAPTURE(rate, batch);
      ObservedRun run;
      Settings settings = small(8, 8);
      settings.options.batch = batch;
      settings.options.trainer.adam.learning_rate = rate;
      start(run, settings);
      mha::Outcome outcome;
      for (int i = 0; i < 40 && outcome.ok(); ++i) outcome = run.advance(5);
      CHECK((outcome.ok() || outcome.status == Status::diverged));
      CHECK(run.diverged() == !outcome.ok());
      Measurement measured;
      // A model of the last finite state may still answer with infinite logits: then it says so.
      if (run.measure(true, measured).ok()) CHECK(all_finite(measured));
      mha::HeadsOff study;
      if (run.study_heads(study).ok()) CHECK(all_finite(study));
      CHECK(std::isfinite(run.loss()));
    }
  }
}
