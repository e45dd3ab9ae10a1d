#include "train/task.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>
#include <vector>

#include "train/dice.hpp"
#include "train/letters.hpp"

namespace mha {
namespace {

constexpr std::array<std::string_view, 6> kRelations = {"giver", "receiver", "reference", "cause", "object", "hidden"};
constexpr std::int32_t kHidden = 5;
constexpr std::array<std::string_view, 4> kJobs = {"previous", "next", "first", "same_colour"};
constexpr std::array<std::string_view, 1> kInduction = {"induction"};

const std::array<TaskInfo, static_cast<std::size_t>(Task::count)>& tasks() {
  static const auto sentences = static_cast<std::int32_t>(words().size());
  static const std::span<const std::string_view> kTaught = std::span(kRelations).first(kHidden);
  static const std::array<TaskInfo, static_cast<std::size_t>(Task::count)> made = {{
      {"relation", kTaught, 2, sentences, kMaxSentenceWords, {64, 4, 1, false, false, 3e-3F, 64, 600}},
      {"two-women", kTaught, 2, sentences, kMaxSentenceWords, {64, 8, 1, false, false, 3e-3F, 64, 1500}},
      {"masked-pronoun", kRelations, 2, sentences, kMaxSentenceWords, {64, 4, 2, true, false, 3e-3F, 64, 1500}},
      {"masked-word", kRelations, 2, sentences, kMaxSentenceWords, {64, 4, 2, true, false, 3e-3F, 64, 1500}},
      {"four-jobs", kJobs, 4, kLetters, kJobWords, {32, 4, 1, false, false, 5e-3F, 32, 600}},
      {"induction", kInduction, 1, kLetters, kInductionWords, {32, 4, 2, true, true, 3e-3F, 64, 600}},
  }};
  return made;
}

Clue clue_of(Task task) {
  switch (task) {
    case Task::relation_reading: return Clue::gender;
    case Task::two_women: return Clue::meaning;
    default: return Clue::both;
  }
}

bool is_masked(Task task) { return task == Task::masked_pronoun || task == Task::masked_word; }

void begin(Batch& batch, std::int32_t slots) {
  batch.slots = slots;
  batch.lengths.clear();
  batch.tokens.clear();
  batch.targets.clear();
  batch.partners.clear();
  batch.relations.clear();
}

/// The last sentence of a batch, while its questions are put in.
class Asker {
 public:
  Asker(Batch& batch, std::span<const std::int32_t> tokens) : batch_(batch), first_(batch.rows()) {
    batch.lengths.push_back(static_cast<std::int32_t>(tokens.size()));
    batch.tokens.insert(batch.tokens.end(), tokens.begin(), tokens.end());
    const std::size_t questions = batch.rows() * static_cast<std::size_t>(batch.slots);
    for (auto* part : {&batch.targets, &batch.partners, &batch.relations}) part->resize(questions, kIgnored);
  }

  void ask(std::int32_t place, std::int32_t slot, std::int32_t relation, std::int32_t partner) {
    const std::size_t q = (first_ + static_cast<std::size_t>(place)) * static_cast<std::size_t>(batch_.slots) +
                          static_cast<std::size_t>(slot);
    batch_.targets[q] = token(partner);
    batch_.partners[q] = partner;
    batch_.relations[q] = relation;
  }

  /// The word at `place` becomes the mask. What is asked keeps its answers.
  void hide(std::int32_t place) { token(place) = kMask; }

  void shuffle(Dice& dice) {
    const auto length = static_cast<std::size_t>(batch_.lengths.back());
    for (std::size_t q = first_ * static_cast<std::size_t>(batch_.slots); q < batch_.targets.size(); ++q) {
      if (batch_.targets[q] == kIgnored) continue;
      batch_.partners[q] = static_cast<std::int32_t>(dice.below(length));
      batch_.targets[q] = token(batch_.partners[q]);
    }
  }

 private:
  std::int32_t& token(std::int32_t place) { return batch_.tokens[first_ + static_cast<std::size_t>(place)]; }

  Batch& batch_;
  std::size_t first_;
};

void ask_relations(const Sentence& sentence, Asker& asker) {
  const auto ask = [&](Role word, std::int32_t slot, std::int32_t relation, Role partner) {
    if (sentence.has(word)) asker.ask(sentence.place(word), slot, relation, sentence.place(partner));
  };
  ask(Role::verb, 0, 0, Role::giver);
  ask(Role::verb, 1, 1, Role::receiver);
  ask(Role::pronoun, 0, 2, sentence.antecedent);
  ask(Role::because, 0, 3, Role::cause);
  ask(Role::purpose, 0, 4, Role::thing);
}

void ask_jobs(std::span<const std::int32_t> row, Asker& asker) {
  const auto n = static_cast<std::int32_t>(row.size());
  for (std::int32_t i = 0; i < n; ++i) {
    if (i > 0) asker.ask(i, 0, 0, i - 1);
    if (i + 1 < n) asker.ask(i, 1, 1, i + 1);
    asker.ask(i, 2, 2, 0);
    for (std::int32_t j = 0; j < n; ++j) {
      const bool same = colour_of(row[static_cast<std::size_t>(j)]) == colour_of(row[static_cast<std::size_t>(i)]);
      if (j != i && same) asker.ask(i, 3, 3, j);
    }
  }
}

void ask_induction(std::int32_t piece, Asker& asker) {
  for (std::int32_t i = piece; i < kInductionWords; ++i) asker.ask(i, 0, 0, i - piece + 1);
}

void add_sentence(Task task, Stream stream, Split split, Questions questions, Batch& batch) {
  Dice dice({bits(stream, 0)});
  const Stream words = {bits(stream, 1)};
  if (task == Task::four_jobs) {
    const JobRow row = draw_job_row(words, split);
    Asker asker(batch, row);
    ask_jobs(row, asker);
    if (questions == Questions::shuffled) asker.shuffle(dice);
  } else if (task == Task::induction) {
    const InductionRow row = draw_induction_row(words, split);
    Asker asker(batch, row);
    ask_induction(piece_of(row), asker);
    if (questions == Questions::shuffled) asker.shuffle(dice);
  } else {
    const Sentence sentence = draw_sentence(words, clue_of(task), split);
    Asker asker(batch, sentence.tokens());
    const auto length = static_cast<std::size_t>(sentence.length);
    const std::int32_t hidden =
        task == Task::masked_pronoun ? sentence.place(Role::pronoun) : static_cast<std::int32_t>(dice.below(length));
    if (!is_masked(task) || questions == Questions::relations) ask_relations(sentence, asker);
    if (is_masked(task) && questions != Questions::relations) asker.ask(hidden, 0, kHidden, hidden);
    if (is_masked(task)) asker.hide(hidden);
    if (questions == Questions::shuffled) asker.shuffle(dice);
  }
}

/// The stream of sentence `number` of the endless list.
Stream sentence_stream(std::uint32_t seed, Split split, std::uint64_t number) {
  return {bits(stream(seed, split == Split::train ? "training sentences" : "held-out sentences"), number)};
}

}  // namespace

const TaskInfo& info(Task task) { return tasks()[static_cast<std::size_t>(task)]; }

std::optional<Task> task_named(std::string_view name) {
  const auto found = std::ranges::find(tasks(), name, &TaskInfo::name);
  if (found == tasks().end()) return std::nullopt;
  return static_cast<Task>(found - tasks().begin());
}

std::string_view word_text(Task task, std::int32_t place) {
  if (task == Task::four_jobs || task == Task::induction) return letter_text(place);
  return place >= 0 && place < info(task).vocabulary ? words()[static_cast<std::size_t>(place)].text
                                                     : std::string_view();
}

std::int32_t word_place(Task task, std::string_view text) {
  if (task != Task::four_jobs && task != Task::induction) return place_of(text);
  for (std::int32_t place = 0; place < info(task).vocabulary; ++place) {
    if (word_text(task, place) == text) return place;
  }
  return kOutOfVocabulary;
}

void make_batch(Task task, std::uint32_t seed, Split split, Questions questions, std::uint64_t first,
                std::int32_t count, Batch& batch) {
  begin(batch, info(task).slots);
  for (std::int32_t i = 0; i < count; ++i) {
    add_sentence(task, sentence_stream(seed, split, first + static_cast<std::uint64_t>(i)), split, questions, batch);
  }
}

void make_batch(Task task, std::uint32_t seed, Split split, Questions questions, std::span<const std::uint64_t> numbers,
                Batch& batch) {
  begin(batch, info(task).slots);
  for (const std::uint64_t number : numbers) {
    add_sentence(task, sentence_stream(seed, split, number), split, questions, batch);
  }
}

std::optional<Language> language_of(Task task, std::span<const std::int32_t> tokens) {
  if (task == Task::four_jobs || task == Task::induction) return std::nullopt;
  for (const std::int32_t token : tokens) {
    if (token != kMask && token >= 0 && token < info(task).vocabulary) {
      return words()[static_cast<std::size_t>(token)].language;
    }
  }
  return std::nullopt;
}

bool read_gold(Task task, std::span<const std::int32_t> tokens, Batch& batch) {
  begin(batch, info(task).slots);
  const auto known = [&](std::int32_t token) { return token >= 0 && token < info(task).vocabulary; };
  if (tokens.empty() || !std::ranges::all_of(tokens, known)) return false;
  Asker asker(batch, tokens);
  if (task == Task::four_jobs) {
    if (!is_job_row(tokens)) return false;
    ask_jobs(tokens, asker);
  } else if (task == Task::induction) {
    const std::int32_t piece = piece_of(tokens);
    if (piece == 0) return false;
    ask_induction(piece, asker);
  } else {
    const std::optional<Sentence> sentence = read_sentence(tokens);
    if (!sentence || !has_clue(*sentence, clue_of(task))) return false;
    ask_relations(*sentence, asker);
    if (task == Task::masked_pronoun) asker.hide(sentence->place(Role::pronoun));
  }
  return true;
}

double best_fixed_offset(const Batch& batch, std::int32_t relation) {
  std::vector<std::int32_t> offsets;
  std::size_t q = 0;
  for (const std::int32_t length : batch.lengths) {
    for (std::int32_t i = 0; i < length; ++i) {
      for (std::int32_t slot = 0; slot < batch.slots; ++slot, ++q) {
        if (batch.relations[q] == relation) offsets.push_back(batch.partners[q] - i);
      }
    }
  }
  std::ranges::sort(offsets);
  std::size_t best = 0, run = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    run = i > 0 && offsets[i] == offsets[i - 1] ? run + 1 : 1;
    best = std::max(best, run);
  }
  return offsets.empty() ? 0.0 : static_cast<double>(best) / static_cast<double>(offsets.size());
}

}  // namespace mha
