// The sentences of the lesson: somebody gives somebody something, because …. One small grammar makes them, reads them
// and knows of each word which other word it belongs to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mha/random.hpp"
#include "train/vocabulary.hpp"

namespace mha {

/// The parts of a sentence that the tasks ask about, or that decide what is meant.
enum class Role : std::int32_t { giver, receiver, thing, verb, purpose, because, pronoun, negation, cause, none };

inline constexpr std::size_t kRoles = static_cast<std::size_t>(Role::none);
inline constexpr std::int32_t kMaxSentenceWords = 24;
inline constexpr std::int32_t kAbsent = -1;

struct Sentence {
  Language language = Language::chinese;
  std::int32_t length = 0;
  std::array<std::int32_t, kMaxSentenceWords> words = {};  ///< places in the vocabulary, `length` of them
  std::array<std::int32_t, kRoles> places = {};            ///< where each role stands, from 0, or kAbsent
  Role antecedent = Role::none;                            ///< whom the pronoun means: giver or receiver

  [[nodiscard]] std::span<const std::int32_t> tokens() const {
    return std::span(words).first(static_cast<std::size_t>(length));
  }
  [[nodiscard]] std::int32_t place(Role role) const { return places[static_cast<std::size_t>(role)]; }
  [[nodiscard]] bool has(Role role) const { return place(role) != kAbsent; }
  /// The word in this role; the role must be there.
  [[nodiscard]] const Word& word(Role role) const;
};

/// What tells whom the pronoun means. With gender alone, the cause is drawn freely, as in the lesson's sentence, where
/// gender overrules what hunger would suggest.
enum class Clue : std::int32_t {
  gender,   ///< a man and a woman
  meaning,  ///< two women or two men: the hungry one receives, the one who is not hungry gives
  both,     ///< a man and a woman, and the meaning agrees
};

enum class Split : std::int32_t { train, held_out };

/// Sentence of a stream: the same stream gives the same sentence. Its people, thing, pronoun and cause are a
/// combination of `split`.
[[nodiscard]] Sentence draw_sentence(Stream stream, Clue clue, Split split);

/// Held out is a fifth of all combinations of giver, receiver, thing, pronoun and cause, whatever the word order and
/// the optional words: no sentence with such five words is ever trained on. The lesson's sentences are among them.
[[nodiscard]] Split split_of(const Sentence& sentence);

/// The sentence whose words these are, if the grammar has it and it is clear whom the pronoun means.
[[nodiscard]] std::optional<Sentence> read_sentence(std::span<const std::int32_t> tokens);

/// Whether a sentence is one of those that draw_sentence(…, clue, …) can give.
[[nodiscard]] bool has_clue(const Sentence& sentence, Clue clue);

}  // namespace mha
