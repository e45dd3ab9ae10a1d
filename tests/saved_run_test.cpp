#include "lab/saved_run.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "io/half.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

struct Settings {
  ModelShape shape;
  RunOptions options;
};

Settings small(Task task, std::int32_t heads = 2, std::int32_t d = 8) {
  Settings made{.shape = model_for(task), .options = options_for(task)};
  made.shape.model_dim = d;
  made.shape = with_heads(made.shape, heads);
  made.options.batch = 8;
  made.options.trainer.adam.learning_rate = 0.01;
  made.options.trainer.seed = 5;
  return made;
}

ObservedRun trained(const Settings& settings, std::int32_t steps) {
  ObservedRun run;
  REQUIRE(run.start(settings.shape, settings.options).ok());
  REQUIRE(run.advance(steps).ok());
  return run;
}

std::vector<std::byte> saved(const ObservedRun& run, const Saving& saving) {
  std::vector<std::byte> file;
  REQUIRE(save_run(run.run(), saving, file).ok());
  return file;
}

ModelFile read(const std::vector<std::byte>& file) {
  Result<ModelFile> model = read_model_file(file);
  REQUIRE(model.ok());
  return model.value();
}

/// Parameters and moments.
std::vector<float> numbers(const ObservedRun& run) {
  TrainerState state;
  run.run().trainer().save(state);
  return state.numbers;
}

double value(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  INFO(key);
  REQUIRE(found != metadata.end());
  return std::strtod(found->second.c_str(), nullptr);
}

std::vector<Settings> all_kinds() {
  std::vector<Settings> kinds;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(Task::count); ++i)
    kinds.push_back(small(static_cast<Task>(i)));
  kinds.push_back(small(Task::relation_reading, 1));
  kinds.push_back(small(Task::relation_reading, 4, 20));
  Settings everything = small(Task::relation_reading, 2, 12);
  everything.shape.layers = 2;
  everything.shape.residual = everything.shape.layer_norm = everything.shape.biases = everything.shape.causal = true;
  kinds.push_back(everything);
  return kinds;
}

}  // namespace

TEST_CASE("a run that was saved and restored goes on bit for bit like one never interrupted", "[saved_run]") {
  for (const Settings& settings : all_kinds()) {
    CAPTURE(info(settings.options.task).name, settings.shape.model_dim, settings.shape.heads, settings.shape.layers);
    ObservedRun whole = trained(settings, 7);
    const std::vector<std::byte> file = saved(whole, {.moments = true});
    ObservedRun cut;
    REQUIRE(restore_run(settings.shape, settings.options, file, cut).ok());
    CHECK(cut.steps() == 7);
    CHECK(numbers(cut) == numbers(whole));
    REQUIRE(whole.advance(6).ok());
    REQUIRE(cut.advance(6).ok());
    CHECK(cut.steps() == whole.steps());
    CHECK(cut.loss() == whole.loss());
    CHECK(numbers(cut) == numbers(whole));
    Measurement measured, expected;
    REQUIRE(cut.measure(true, measured).ok());
    REQUIRE(whole.measure(true, expected).ok());
    CHECK(measured.loss == expected.loss);
    CHECK(measured.head_accuracy == expected.head_accuracy);
  }
}

TEST_CASE("without moments in the file they begin at 0", "[saved_run]") {
  const Settings settings = small(Task::relation_reading);
  const ObservedRun run = trained(settings, 7);
  const std::vector<std::byte> file = saved(run, {});
  CHECK(read(file).moments.empty());
  ObservedRun restored;
  REQUIRE(restore_run(settings.shape, settings.options, file, restored).ok());
  const std::vector<float> now = numbers(restored), before = numbers(run);
  const auto moments = static_cast<std::ptrdiff_t>(now.size() / 3);
  CHECK(std::equal(now.begin(), now.begin() + moments, before.begin()));
  CHECK(std::all_of(now.begin() + moments, now.end(), [](float moment) { return moment == 0.0F; }));
}

TEST_CASE("a file says of its run what it was, and what held-out sentences say of it", "[saved_run]") {
  for (const Settings& settings : all_kinds()) {
    const TaskInfo& about = info(settings.options.task);
    CAPTURE(about.name, settings.shape.heads, settings.shape.layers);
    const ModelFile model = read(saved(trained(settings, 3), {.said = {{"own", "说明"}, {"task", "a lie"}}}));
    const Metadata& said = model.metadata;
    CHECK(said.at("task") == about.name);
    CHECK(said.at("own") == "说明");
    CHECK(said.at("seed") == "5");
    CHECK(said.at("seed_chosen") == "first");
    CHECK(said.at("batch") == "8");
    CHECK(said.at("learning_rate") == "0.01");
    CHECK(said.at("steps") == "3");
    CHECK(said.at("rounding") == "none");
    CHECK(said.at("largest_rounding") == "0.000000");
    CHECK(said.at("loss") == said.at("loss_before_rounding"));
    CHECK(value(said, "held_out") >= 512);
    CHECK(value(said, "accuracy") <= 1);

    std::istringstream names(said.at("relations"));
    std::size_t relations = 0;
    for (std::string name; std::getline(names, name); ++relations) CHECK(name == about.relations[relations]);
    CHECK(relations == about.relations.size());
    for (std::int32_t word = 0; word < about.vocabulary; ++word) {
      const std::string_view text = word_text(settings.options.task, word);
      if (word_place(settings.options.task, text) == word) CHECK(word_place(said, text) == word);
    }
    CHECK(word_place(said, "□") == kOutOfVocabulary);

    const bool speaks = settings.options.task != Task::four_jobs && settings.options.task != Task::induction;
    const auto heads = static_cast<std::size_t>(settings.shape.layers * settings.shape.heads);
    std::size_t tables = 0;
    for (const auto& [key, text] : said) {
      if (!key.starts_with("heads.")) continue;
      ++tables;
      const std::string language = key.substr(6, key.find('.', 6) - 6);
      CHECK((speaks ? language == "chinese" || language == "english" : language == "any"));
      std::istringstream shares(text);
      std::size_t count = 0;
      for (std::string share; shares >> share; ++count) {
        CHECK(share.size() == 6);
        CHECK((share[1] == '.' && std::strtod(share.c_str(), nullptr) <= 1.0));
      }
      CHECK(count == heads);
    }
    // The hidden word of a masked task is no relation that a head could see to.
    const std::size_t seen = about.relations.size() - (about.relations.back() == "hidden" ? 1 : 0);
    CHECK(tables == (speaks ? 2 : 1) * seen);
  }
}

TEST_CASE("what a file says was measured with the numbers in it, whatever their rounding", "[saved_run]") {
  const Settings settings = small(Task::relation_reading);
  const ObservedRun run = trained(settings, 150);
  const std::vector<float> exact = numbers(run);
  for (const Saving& saving : {Saving{.precision = Precision::float16}, Saving{.decimals = 2}, Saving{.decimals = 1},
                               Saving{.precision = Precision::float16, .decimals = 2}}) {
    CAPTURE(static_cast<std::int32_t>(saving.precision), saving.decimals);
    const std::vector<std::byte> file = saved(run, saving);
    const ModelFile model = read(file);
    CHECK(model.metadata.at("loss") != model.metadata.at("loss_before_rounding"));
    double largest = 0;
    for (std::size_t i = 0; i < model.parameters.size(); ++i) {
      const float number = model.parameters[i];
      largest = std::max(largest, std::abs(static_cast<double>(number) - static_cast<double>(exact[i])));
      const double scaled = static_cast<double>(number) * std::pow(10.0, std::max(saving.decimals, 0));
      if (saving.precision == Precision::float16) {
        if (from_half(to_half(number)) != number) FAIL(i);
      } else if (std::abs(scaled - std::nearbyint(scaled)) > 1e-4) {
        FAIL(i);
      }
    }
    CHECK(std::abs(value(model.metadata, "largest_rounding") - largest) <= 5e-7);

    // The same once more, from the file alone: saved again without rounding it says the same of itself.
    ObservedRun again;
    REQUIRE(restore_run(settings.shape, settings.options, file, again).ok());
    const ModelFile second = read(saved(again, {}));
    CHECK(second.parameters == model.parameters);
    for (const auto& [key, text] : model.metadata) {
      const bool of_the_rounding = key == "rounding" || key == "largest_rounding" || key == "loss_before_rounding";
      if (!of_the_rounding && second.metadata.at(key) != text) FAIL(key);
    }
    CHECK(saved(run, saving) == file);
  }
  CHECK(read(saved(run, {.precision = Precision::float16})).metadata.at("rounding") == "float16");
  CHECK(read(saved(run, {.decimals = 2})).metadata.at("rounding") == "2 decimals");
}

TEST_CASE("the shares are those of an evaluation by itself", "[saved_run]") {
  const Settings settings = small(Task::relation_reading);
  ObservedRun run = trained(settings, 150);
  const Metadata said = read(saved(run, {})).metadata;
  Network network;
  REQUIRE(network.open(settings.shape).ok());
  double loss = 0;
  Tally all, giver;
  for (const Language language : {Language::chinese, Language::english}) {
    Batch batch;
    make_batch(settings.options.task, ObservedRun::kHeldOutSeed, Split::held_out, Questions::asked,
               held_out_numbers(settings.options.task, language, 512), batch);
    Evaluation evaluation;
    REQUIRE(evaluate(network, batch, run.run().trainer().parameters(), {}, evaluation).ok());
    std::vector<HeadRole> roles;
    measure_heads(network, batch, roles);
    std::istringstream shares(said.at(language == Language::chinese ? "heads.chinese.giver" : "heads.english.giver"));
    for (const HeadRole& role : roles) {
      double share = -1;
      shares >> share;
      CHECK(std::abs(share - role.relations[0].accuracy()) <= 5.1e-5);
    }
    loss += evaluation.loss * evaluation.all.asked;
    all.asked += evaluation.all.asked;
    all.right += evaluation.all.right;
    giver.asked += evaluation.relations[0].asked;
    giver.right += evaluation.relations[0].right;
  }
  CHECK(std::abs(value(said, "loss") - loss / all.asked) <= 5.1e-7);
  CHECK(std::abs(value(said, "accuracy") - all.accuracy()) <= 5.1e-5);
  CHECK(std::abs(value(said, "accuracy.giver") - giver.accuracy()) <= 5.1e-5);
}

TEST_CASE("what cannot be saved, or is no file of this run, is refused", "[saved_run]") {
  const Settings settings = small(Task::relation_reading);
  std::vector<std::byte> file;
  CHECK(save_run(Run(), {}, file).status == Status::not_loaded);
  const ObservedRun run = trained(settings, 2);
  for (const std::int32_t decimals : {-2, 7})
    CHECK(save_run(run.run(), {.decimals = decimals}, file).status == Status::wrong_size);

  // A number that no half can hold.
  Settings large = settings;
  large.options.trainer.start_scale = 1e6F;
  const Outcome outcome = save_run(trained(large, 0).run(), {.precision = Precision::float16}, file);
  CHECK(!outcome.ok());
  CHECK(file.empty());

  file = saved(run, {.moments = true});
  ObservedRun restored;
  const auto refused = [&](const ModelShape& shape, const RunOptions& options, std::span<const std::byte> bytes) {
    const Status status = restore_run(shape, options, bytes, restored).status;
    return restored.advance(1).status == Status::not_loaded ? status : Status::ok;
  };
  for (const Settings& other : all_kinds()) {
    if (other.shape == settings.shape && other.options.task == settings.options.task) continue;
    CHECK(refused(other.shape, other.options, file) == Status::bad_model);
  }
  CHECK(refused(settings.shape, settings.options, std::span(file).first(file.size() - 1)) == Status::bad_model);
  CHECK(refused(settings.shape, settings.options, {}) == Status::bad_model);
  RunOptions no_rate = settings.options;
  no_rate.trainer.adam.learning_rate = 0;
  CHECK(refused(settings.shape, no_rate, file) == Status::bad_learning_rate);
  CHECK(restore_run(settings.shape, settings.options, file, restored).ok());
}

}  // namespace mha::test
