// What can be learned: the tasks, their questions, and the batches that ask them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "train/batch.hpp"
#include "train/grammar.hpp"

namespace mha {

enum class Task : std::int32_t {
  relation_reading,  ///< each word names its partners; gender tells whom the pronoun means
  two_women,         ///< the same where the meaning tells
  masked_pronoun,    ///< no partners are taught: the pronoun is hidden, the model names it
  masked_word,       ///< the same for any one word
  four_jobs,         ///< letters.hpp
  induction,         ///< letters.hpp
  count
};

/// A run that shows what the task is there to show, if the embeddings begin about as large as N(0, 1). From small ones
/// (0.1), and d = 64, one head reads the relations nearly as fast as four.
struct Recipe {
  std::int32_t d, heads, layers;
  bool residual, causal;
  float learning_rate;
  std::int32_t batch;  ///< sentences per step
  std::int32_t steps;
};

struct TaskInfo {
  std::string_view name;
  std::span<const std::string_view> relations;  ///< Batch::relations counts in this list
  std::int32_t slots;
  std::int32_t vocabulary;  ///< words, counted from 0
  std::int32_t longest;     ///< the most words of a sentence
  Recipe recipe;
};

[[nodiscard]] const TaskInfo& info(Task task);
/// The task of this name.
[[nodiscard]] std::optional<Task> task_named(std::string_view name);

/// A word of the task's vocabulary; empty outside it.
[[nodiscard]] std::string_view word_text(Task task, std::int32_t place);
/// Where a word stands in the task's vocabulary, or kOutOfVocabulary. No text is the mask's.
[[nodiscard]] std::int32_t word_place(Task task, std::string_view text);

enum class Questions : std::int32_t {
  asked,      ///< what the task teaches
  relations,  ///< who belongs to whom, also where the task does not teach it: what heads are measured by. Hidden
              ///< words stay hidden, as the model knows its sentences
  shuffled,   ///< a control: each question's answer is the word at a random place, so nothing can be learned
};

/// Sentences first … first + count − 1 of the endless list of this task, seed and split; `batch` keeps its memory. Step
/// t of a run trains on the sentences from t·count on.
void make_batch(Task task, std::uint32_t seed, Split split, Questions questions, std::uint64_t first,
                std::int32_t count, Batch& batch);

/// The same for sentences of these numbers.
void make_batch(Task task, std::uint32_t seed, Split split, Questions questions, std::span<const std::uint64_t> numbers,
                Batch& batch);

/// The language of a sentence of this task, if it has one.
[[nodiscard]] std::optional<Language> language_of(Task task, std::span<const std::int32_t> tokens);

/// A sentence from elsewhere, with nothing hidden, as a batch of one with the gold of its relations; masked_pronoun
/// hides the pronoun in it. False, and no question in it, if it is none of the task's; then `batch` has its words, if
/// all of them are words of the vocabulary.
bool read_gold(Task task, std::span<const std::int32_t> tokens, Batch& batch);

/// The best that counting places can do: the share of the questions of `relation` whose partner is always the same
/// number of places away. 0 if the batch has no such question.
[[nodiscard]] double best_fixed_offset(const Batch& batch, std::int32_t relation);

}  // namespace mha
