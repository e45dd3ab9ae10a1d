#include "lab/saved_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "io/decimal.hpp"
#include "io/half.hpp"
#include "lab/head_role.hpp"

namespace mha {
namespace {

constexpr std::int32_t kHeldOut = 512;  ///< sentences of each language
constexpr std::int32_t kShareDecimals = 4, kLossDecimals = 6;

/// Held-out sentences of one language.
struct Sentences {
  std::string_view language;
  Batch asked;     ///< with what the task teaches
  Batch partners;  ///< with who belongs to whom
};

/// What a model makes of them.
struct Known {
  Evaluation answers;
  std::vector<std::vector<Tally>> heads;  ///< [l·h][relation]
};

std::vector<Sentences> held_out(Task task) {
  std::vector<Sentences> all;
  const auto add = [&](std::string_view name, std::optional<Language> language) {
    const std::vector<std::uint64_t> numbers = held_out_numbers(task, language, kHeldOut);
    Sentences sentences{.language = name};
    const std::uint32_t seed = ObservedRun::kHeldOutSeed;
    make_batch(task, seed, Split::held_out, Questions::asked, numbers, sentences.asked);
    make_batch(task, seed, Split::held_out, Questions::relations, numbers, sentences.partners);
    all.push_back(std::move(sentences));
  };
  Batch first;
  make_batch(task, ObservedRun::kHeldOutSeed, Split::held_out, Questions::relations, 0, 1, first);
  if (language_of(task, first.tokens)) {
    add("chinese", Language::chinese);
    add("english", Language::english);
  } else {
    add("any", {});
  }
  return all;
}

Outcome measure(Network& network, const std::vector<Sentences>& all, std::span<const float> parameters,
                std::vector<Known>& known) {
  known.assign(all.size(), {});
  for (std::size_t i = 0; i < all.size(); ++i) {
    Evaluation partners;
    if (Outcome bad = evaluate(network, all[i].partners, parameters, {}, partners); !bad.ok()) return bad;
    measure_relations(network, all[i].partners, known[i].heads);
    if (Outcome bad = evaluate(network, all[i].asked, parameters, {}, known[i].answers); !bad.ok()) return bad;
  }
  return {};
}

/// The answers in all languages as those of one batch.
Evaluation together(const std::vector<Known>& known) {
  Evaluation sum;
  const auto add = [](Tally& to, const Tally& tally) {
    to.asked += tally.asked;
    to.right += tally.right;
  };
  for (const auto& [answers, heads] : known) {
    sum.loss += answers.loss * answers.all.asked;
    add(sum.all, answers.all);
    sum.relations.resize(std::max(sum.relations.size(), answers.relations.size()));
    for (std::size_t i = 0; i < answers.relations.size(); ++i) add(sum.relations[i], answers.relations[i]);
  }
  sum.loss /= sum.all.asked;
  return sum;
}

std::string share(const Tally& tally) { return decimal_text(tally.accuracy(), kShareDecimals); }

/// The texts of `count` things with something between them.
template <class Text>
std::string joined(std::size_t count, char between, Text text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) all += between;
    all += text(i);
  }
  return all;
}

void say_what_it_is(const Run& run, Metadata& said) {
  const RunOptions& options = run.options();
  const TaskInfo& about = info(options.task);
  said["task"] = about.name;
  said["relations"] = joined(about.relations.size(), '\n', [&](std::size_t i) { return about.relations[i]; });
  said["seed"] = std::to_string(options.trainer.seed);
  said.emplace("seed_chosen", "first");
  said["batch"] = std::to_string(options.batch);
  said["learning_rate"] = shortest_decimal_text(options.trainer.adam.learning_rate);
  const auto vocabulary = static_cast<std::size_t>(run.trainer().shape().vocabulary);
  said["vocabulary"] = joined(vocabulary, '\n', [&](std::size_t i) {
    const std::string_view word = word_text(options.task, static_cast<std::int32_t>(i));
    const bool can_be_typed = word_place(options.task, word) == static_cast<std::int32_t>(i);
    return can_be_typed ? word : std::string_view();
  });
}

void say_what_it_knows(const TaskInfo& about, const std::vector<Sentences>& all, const std::vector<Known>& known,
                       Metadata& said) {
  const Evaluation answers = together(known);
  said["held_out"] = std::to_string(kHeldOut);
  said["loss"] = decimal_text(answers.loss, kLossDecimals);
  said["accuracy"] = share(answers.all);
  for (std::size_t r = 0; r < about.relations.size(); ++r) {
    const std::string relation(about.relations[r]);
    if (r < answers.relations.size() && answers.relations[r].asked > 0) {
      said["accuracy." + relation] = share(answers.relations[r]);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& heads = known[i].heads;
      // Every head is asked the same.
      if (r >= heads[0].size() || heads[0][r].asked == 0) continue;
      const std::string key = "heads." + std::string(all[i].language) + "." + relation;
      said[key] = joined(heads.size(), ' ', [&](std::size_t head) { return share(heads[head][r]); });
    }
  }
}

/// Each number as it will stand in the file. Returns the largest change.
double round_all(const Saving& saving, std::span<float> numbers) {
  double largest = 0;
  for (float& number : numbers) {
    float rounded = number;
    if (saving.decimals >= 0) rounded = static_cast<float>(rounded_to(static_cast<double>(number), saving.decimals));
    if (saving.precision == Precision::float16) rounded = from_half(to_half(rounded));
    largest = std::max(largest, std::abs(static_cast<double>(rounded) - static_cast<double>(number)));
    number = rounded;
  }
  return largest;
}

std::string rounding(const Saving& saving) {
  std::string text = saving.decimals < 0 ? "" : std::to_string(saving.decimals) + " decimals";
  if (saving.precision == Precision::float16) text += text.empty() ? "float16" : ", float16";
  return text.empty() ? "none" : text;
}

}  // namespace

Outcome save_run(const Run& run, const Saving& saving, std::vector<std::byte>& file) {
  if (saving.decimals < -1 || saving.decimals > Saving::kMaxDecimals) return {.status = Status::wrong_size};
  const Trainer& trainer = run.trainer();
  if (trainer.layout().size() == 0) return {.status = Status::not_loaded};
  Network network;
  if (Outcome bad = network.open(trainer.shape()); !bad.ok()) return bad;
  const std::vector<Sentences> all = held_out(run.options().task);
  std::vector<Known> known;
  if (Outcome bad = measure(network, all, trainer.parameters(), known); !bad.ok()) return bad;
  const double loss_before = together(known).loss;

  TrainerState state;
  trainer.save(state);
  const auto moments = state.numbers.begin() + static_cast<std::ptrdiff_t>(trainer.layout().size());
  ModelFile model{.shape = trainer.shape(), .steps = static_cast<std::int32_t>(state.steps), .metadata = saving.said};
  if (saving.moments) model.moments.assign(moments, state.numbers.end());
  model.parameters.assign(state.numbers.begin(), moments);
  const double largest = round_all(saving, model.parameters);
  if (Outcome bad = measure(network, all, model.parameters, known); !bad.ok()) return bad;

  say_what_it_is(run, model.metadata);
  say_what_it_knows(info(run.options().task), all, known, model.metadata);
  model.metadata["loss_before_rounding"] = decimal_text(loss_before, kLossDecimals);
  model.metadata["rounding"] = rounding(saving);
  model.metadata["largest_rounding"] = decimal_text(largest, kLossDecimals);
  Result<std::vector<std::byte>> written = write_model_file(model, saving.precision);
  if (!written.ok()) return {.status = Status::bad_model};
  file = std::move(written.value());
  return {};
}

Outcome restore_run(const ModelShape& shape, const RunOptions& options, std::span<const std::byte> file,
                    ObservedRun& run) {
  run = {};
  Result<ModelFile> read = read_model_file(file);
  if (!read.ok()) return {.status = Status::bad_model};
  ModelFile& model = read.value();
  const auto task = model.metadata.find("task");
  if (task == model.metadata.end() || task->second != info(options.task).name || model.shape != shape) {
    return {.status = Status::bad_model};
  }
  TrainerState state{.steps = static_cast<std::uint64_t>(model.steps), .numbers = std::move(model.parameters)};
  const std::size_t parameters = state.numbers.size();
  state.numbers.insert(state.numbers.end(), model.moments.begin(), model.moments.end());
  state.numbers.resize(3 * parameters, 0.0F);
  return run.resume(shape, options, state);
}

}  // namespace mha
