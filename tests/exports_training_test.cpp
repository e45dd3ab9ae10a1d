// Training over the wasm boundary: the numbers are the core's, and what can't be asked is refused.
#include "wasm/exports_training.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exports_call.hpp"
#include "lab/observed_run.hpp"
#include "run_record.hpp"
#include "sentences.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

using wasm::kDilemma;
using wasm::kHeadOff;
using wasm::kMaxRuns;
using wasm::kQuality;
using wasm::kRunProgress;
using wasm::kRunSettings;

constexpr std::string_view kSentence = "小明|把|蛋糕|递给|小红|因为|她|不|饿|了|。";
constexpr std::int32_t kWords = 11;

/// Everything that a run can be asked for, as large as it must be.
struct Asked {
  std::vector<double> progress = std::vector<double>(kRunProgress.size());
  double loss = 0;
  std::vector<float> accuracy, head_accuracy, maps;
  std::vector<std::int32_t> states, idle;
  std::vector<double> dilemma = std::vector<double>(kDilemma.size());

  explicit Asked(std::size_t heads = 2)
      : accuracy(info(Task::relation_reading).relations.size()),
        head_accuracy(heads * accuracy.size()),
        maps(heads * kWords * kWords),
        states(head_accuracy.size()),
        idle(heads) {}

  std::int32_t advance(std::int32_t run, std::int32_t steps) { return mha_run_advance(run, steps, progress.data()); }
  std::int32_t measure(std::int32_t run) {
    return mha_run_measure(run, 1, &loss, accuracy.data(), head_accuracy.data(), states.data(), idle.data());
  }
  std::int32_t show(std::int32_t run, const std::vector<std::int32_t>& words) {
    return mha_run_show(run, words.data(), static_cast<std::int32_t>(words.size()), maps.data(), dilemma.data());
  }
};

/// The run of settings(), without the boundary.
void start_alike(ObservedRun& run) {
  ModelShape shape = model_for(Task::relation_reading);
  shape.heads = 2;
  shape.model_dim = 16;
  shape.head_dim = 8;
  RunOptions options = options_for(Task::relation_reading);
  options.batch = 8;
  options.trainer.adam.learning_rate = 0.01;
  options.trainer.seed = 7;
  REQUIRE(run.start(shape, options).ok());
}

TEST_CASE("a run over the boundary is the core's, number by number", "[exports][training]") {
  REQUIRE(mha_run_open(1, settings().data()) == 0);
  ObservedRun run;
  start_alike(run);
  Asked asked;
  REQUIRE(asked.advance(1, 9) == 0);
  REQUIRE(run.advance(9).ok());
  CHECK(asked.progress[kRunProgress["steps"]] == 9);
  CHECK(asked.progress[kRunProgress["loss"]] == run.loss());
  CHECK(asked.progress[kRunProgress["diverged"]] == 0);

  Measurement measured;
  REQUIRE(asked.measure(1) == 0);
  REQUIRE(run.measure(true, measured).ok());
  CHECK(asked.loss == measured.loss);
  CHECK(asked.accuracy == measured.accuracy);
  CHECK(asked.head_accuracy == measured.head_accuracy);
  CHECK(std::equal(asked.states.begin(), asked.states.end(), measured.states.begin(), measured.states.end(),
                   [](std::int32_t state, RoleState is) { return state == static_cast<std::int32_t>(is); }));
  CHECK(std::equal(asked.idle.begin(), asked.idle.end(), measured.is_idle.begin(), measured.is_idle.end()));

  const std::vector<std::int32_t> words = places_of_text(kSentence);
  std::vector<float> maps(asked.maps.size());
  Dilemma dilemma;
  REQUIRE(asked.show(1, words) == 0);
  REQUIRE(run.show(words, maps, dilemma).ok());
  CHECK(asked.maps == maps);
  CHECK(asked.dilemma == std::vector<double>{double(dilemma.head), double(dilemma.query), double(dilemma.first),
                                             double(dilemma.second), dilemma.loss});
  REQUIRE(mha_run_close(1) == 0);
}

TEST_CASE("heads switched off over the boundary: the core's numbers, each at its place", "[exports][training]") {
  REQUIRE(mha_run_open(1, settings().data()) == 0);
  Asked asked;
  REQUIRE(asked.advance(1, 9) == 0);
  ObservedRun run;
  start_alike(run);
  REQUIRE(run.advance(9).ok());

  HeadsOff study;
  REQUIRE(run.study_heads(study).ok());
  std::vector<double> heads(2 * kHeadOff.size()), curves(2 * 3 * kQuality.size()), want_heads, want_curves;
  std::vector<std::int32_t> orders(2 * 2);
  REQUIRE(mha_run_study_heads(1, heads.data(), orders.data(), curves.data()) == 0);
  for (const HeadOff& head : study.heads) {
    want_heads.insert(want_heads.end(), {head.without.loss, head.without.accuracy, head.accuracy_lost, head.sliced.loss,
                                         head.sliced.accuracy, head.importance.raw, head.importance.normalised,
                                         static_cast<double>(head.rank), static_cast<double>(head.importance_rank)});
  }
  for (const Pruning* const pruning : {&study.by_importance, &study.greedy}) {
    for (const Quality& point : pruning->curve) want_curves.insert(want_curves.end(), {point.loss, point.accuracy});
  }
  CHECK(heads == want_heads);
  CHECK(curves == want_curves);
  CHECK(std::equal(orders.begin(), orders.begin() + 2, study.by_importance.order.begin()));
  CHECK(std::equal(orders.begin() + 2, orders.end(), study.greedy.order.begin()));

  const std::vector<float> gates = {1.0F, 0.0F};
  Evaluation switched, all_on;
  REQUIRE(run.switch_heads(gates, switched, all_on).ok());
  std::vector<double> loss(2), accuracy(2 * (1 + run.relations()));
  REQUIRE(mha_run_switch_heads(1, gates.data(), loss.data(), accuracy.data()) == 0);
  CHECK(loss == std::vector<double>{switched.loss, all_on.loss});
  CHECK(accuracy[0] == switched.all.accuracy());
  CHECK(accuracy[1 + run.relations()] == all_on.all.accuracy());
  for (std::size_t relation = 0; relation < run.relations(); ++relation) {
    CHECK(accuracy[1 + relation] == switched.relations[relation].accuracy());
    CHECK(accuracy[2 + run.relations() + relation] == all_on.relations[relation].accuracy());
  }

  const std::vector<float> broken = {1.0F, static_cast<float>(kNan)};
  CHECK(mha_run_switch_heads(1, broken.data(), loss.data(), accuracy.data()) == number(Status::bad_gate));
  CHECK(mha_run_switch_heads(1, nullptr, loss.data(), accuracy.data()) == number(Status::wrong_size));
  CHECK(mha_run_study_heads(1, nullptr, orders.data(), curves.data()) == number(Status::wrong_size));
  REQUIRE(mha_run_close(1) == 0);
  CHECK(mha_run_switch_heads(1, gates.data(), loss.data(), accuracy.data()) == number(Status::not_loaded));
  CHECK(mha_run_study_heads(1, heads.data(), orders.data(), curves.data()) == number(Status::not_loaded));
}

TEST_CASE("a run goes forwards only", "[exports][training]") {
  REQUIRE(mha_run_open(0, settings().data()) == 0);
  Asked asked;
  CHECK(asked.advance(0, -1) == number(Status::wrong_size));
  REQUIRE(asked.advance(0, 0) == 0);
  CHECK(asked.progress[kRunProgress["steps"]] == 0);
  CHECK(mha_run_close(0) == 0);
}

TEST_CASE("runs do not know of each other", "[exports][training]") {
  Asked alone, beside, other(4);
  REQUIRE(mha_run_open(0, settings().data()) == 0);
  REQUIRE(alone.advance(0, 4) == 0);
  REQUIRE(alone.measure(0) == 0);
  REQUIRE(mha_run_open(0, settings().data()) == 0);
  REQUIRE(mha_run_open(kMaxRuns - 1, settings(4).data()) == 0);
  for (int i = 0; i < 4; ++i) {
    REQUIRE(beside.advance(0, 1) == 0);
    REQUIRE(other.advance(kMaxRuns - 1, 1) == 0);
    REQUIRE(other.measure(kMaxRuns - 1) == 0);
  }
  REQUIRE(beside.measure(0) == 0);
  CHECK(beside.loss == alone.loss);
  CHECK(beside.head_accuracy == alone.head_accuracy);
  CHECK(mha_run_close(0) == 0);
  CHECK(mha_run_close(kMaxRuns - 1) == 0);
}

TEST_CASE("what cannot be trained, or is no run, is refused over the boundary", "[exports][training]") {
  Asked asked;
  const std::vector<std::int32_t> words = places_of_text(kSentence);
  for (const std::int32_t id : {-1, kMaxRuns, 2}) {
    CHECK(asked.advance(id, 1) == number(Status::not_loaded));
    CHECK(asked.measure(id) == number(Status::not_loaded));
    CHECK(asked.show(id, words) == number(Status::not_loaded));
    CHECK(mha_run_close(id) == number(Status::not_loaded));
  }
  CHECK(mha_run_open(-1, settings().data()) == number(Status::not_loaded));
  CHECK(mha_run_open(2, nullptr) == number(Status::wrong_size));

  struct Fault {
    std::size_t field;
    double value;
    Status status;
  };
  for (const auto& [field, value, status] : std::vector<Fault>{
           {kRunSettings["task"], -1, Status::no_such_cell},
           {kRunSettings["task"], static_cast<double>(Task::count), Status::no_such_cell},
           {kRunSettings["task"], 0.5, Status::no_such_cell},
           {kRunSettings["seed"], -1, Status::no_such_cell},
           {kRunSettings["seed"], 1.5, Status::no_such_cell},
           {kRunSettings["seed"], 4294967296.0, Status::no_such_cell},
           {kRunSettings["seed"], kNan, Status::no_such_cell},
           {kRunSettings["heads"], 3, Status::head_dim_out_of_range},
           {kRunSettings["heads"], 0, Status::heads_out_of_range},
           {kRunSettings["modelDim"], kNan, Status::model_dim_out_of_range},
           {kRunSettings["layers"], 0, Status::layers_out_of_range},
           {kRunSettings["batch"], 0, Status::bad_batch},
           {kRunSettings["batch"], 1e9, Status::bad_batch},
           {kRunSettings["learningRate"], 0, Status::bad_learning_rate},
           {kRunSettings["learningRate"], kNan, Status::bad_learning_rate},
       }) {
    CAPTURE(field, value);
    std::vector<double> record = settings();
    record[field] = value;
    REQUIRE(mha_run_open(2, settings().data()) == 0);
    CHECK(mha_run_open(2, record.data()) == number(status));
    CHECK(asked.advance(2, 1) == number(Status::not_loaded));
  }
}

TEST_CASE("a run that diverges says so, and what it tells stays finite", "[exports][training]") {
  std::vector<double> wild = settings(8);
  wild[kRunSettings["modelDim"]] = 8;
  wild[kRunSettings["batch"]] = 1;
  wild[kRunSettings["learningRate"]] = 1e30;
  REQUIRE(mha_run_open(3, wild.data()) == 0);
  Asked asked(8);
  REQUIRE(asked.advance(3, 200) == number(Status::diverged));
  CHECK(asked.progress[kRunProgress["diverged"]] == 1);
  CHECK(std::isfinite(asked.progress[kRunProgress["loss"]]));
  CHECK(asked.advance(3, 1) == number(Status::diverged));
  CHECK(mha_run_close(3) == 0);
}

TEST_CASE("the core says which tokens are words", "[exports][training]") {
  const std::string text = "小明cake不知道";
  const std::vector<std::int32_t> offsets = {0, 6, 10, static_cast<std::int32_t>(text.size())};
  std::vector<std::int32_t> words(3);
  REQUIRE(mha_task_words(0, text.data(), offsets.data(), 3, words.data()) == 0);
  CHECK(words == std::vector<std::int32_t>{place_of("小明"), place_of("cake"), kOutOfVocabulary});
  CHECK(place_of("小明") != kOutOfVocabulary);
  CHECK(mha_task_words(-1, text.data(), offsets.data(), 3, words.data()) == number(Status::no_such_cell));
  CHECK(mha_task_words(0, text.data(), offsets.data(), 0, words.data()) == number(Status::tokens_out_of_range));
  const std::vector<std::int32_t> cut = {0, 5, 10, 13};  // within a character
  CHECK(mha_task_words(0, text.data(), cut.data(), 3, words.data()) == number(Status::bad_text));
}

TEST_CASE("every task has sentences to show, and each of them can be shown", "[exports][training]") {
  for (std::int32_t task = 0; task < static_cast<std::int32_t>(Task::count); ++task) {
    CAPTURE(task);
    const TaskInfo& about = info(static_cast<Task>(task));
    std::vector<std::int32_t> words(static_cast<std::size_t>(about.longest));
    std::int32_t length = 0;
    REQUIRE(mha_task_sentence(task, -1, words.data(), about.longest, &length) == 0);
    REQUIRE(length >= 1);
    words.resize(static_cast<std::size_t>(length));
    std::vector<double> record = settings(1);
    record[kRunSettings["task"]] = task;
    REQUIRE(mha_run_open(4, record.data()) == 0);
    std::vector<float> maps(words.size() * words.size());
    std::vector<double> dilemma(kDilemma.size());
    CHECK(mha_run_show(4, words.data(), length, maps.data(), dilemma.data()) == 0);
    CHECK(mha_task_sentence(task, -1, words.data(), length - 1, &length) == number(Status::too_large));
    CHECK(mha_task_sentence(task, -2, words.data(), about.longest, &length) == number(Status::no_such_cell));
    CHECK(mha_run_close(4) == 0);
  }
}

TEST_CASE("a run can be measured by the sentences of one language, and of both again", "[exports][training]") {
  REQUIRE(mha_run_open(5, settings().data()) == 0);
  Asked both, chinese, english, again;
  REQUIRE(both.measure(5) == 0);
  REQUIRE(mha_run_listen(5, static_cast<std::int32_t>(Language::chinese)) == 0);
  REQUIRE(chinese.measure(5) == 0);
  REQUIRE(mha_run_listen(5, static_cast<std::int32_t>(Language::english)) == 0);
  REQUIRE(english.measure(5) == 0);
  REQUIRE(mha_run_listen(5, -1) == 0);
  REQUIRE(again.measure(5) == 0);
  CHECK(both.loss == again.loss);
  CHECK(chinese.loss != english.loss);
  CHECK(chinese.loss != both.loss);
  CHECK(mha_run_listen(5, 2) == number(Status::no_such_cell));
  CHECK(mha_run_listen(5, -2) == number(Status::no_such_cell));
  CHECK(mha_run_close(5) == 0);
  CHECK(mha_run_listen(5, 0) == number(Status::not_loaded));

  for (const Language language : {Language::chinese, Language::english}) {
    std::vector<std::int32_t> sentence(kMaxSentenceWords);
    std::int32_t length = 0;
    REQUIRE(mha_task_sentence(0, static_cast<std::int32_t>(language), sentence.data(), kMaxSentenceWords, &length) ==
            0);
    for (std::int32_t i = 0; i < length; ++i) {
      const auto place = static_cast<std::size_t>(sentence[static_cast<std::size_t>(i)]);
      CHECK(words()[place].language == language);
    }
  }
}

}  // namespace
}  // namespace mha::test
