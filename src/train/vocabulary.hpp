// The words of the lesson's sentences, Chinese and English in one list: what a trained model can read, and nothing
// else.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace mha {

enum class Language : std::int32_t { chinese, english };

/// What a word is to the grammar: what may stand where, and what fits what. `other`: it stands as it is.
enum class Kind : std::int32_t {
  man,
  woman,
  food,
  drink,
  hand,   ///< the verb: who gives what to whom
  eat,    ///< what one does with food
  sip,    ///< what one does with a drink
  taste,  ///< what one does with either
  he,
  she,
  because,
  negation,
  hungry,   ///< wants food: the receiver, if the meaning decides
  thirsty,  ///< wants a drink: the receiver
  full,     ///< wants no food: the giver
  mood,     ///< tells of neither
  other,
};

struct Word {
  std::string_view text;  ///< UTF-8, exactly as it is cut; capitals count
  Language language;
  Kind kind;
};

/// The place that no word has.
inline constexpr std::int32_t kOutOfVocabulary = -1;

/// Stands for a word that is to be guessed. No reader can type it into a sentence: place_of does not know it.
inline constexpr std::int32_t kMask = 0;

/// All words by their places. A place never changes its word: stored weights refer to places.
[[nodiscard]] std::span<const Word> words();

/// Where a word stands, or kOutOfVocabulary.
[[nodiscard]] std::int32_t place_of(std::string_view text);

/// The places of all `tokens`, kOutOfVocabulary where there is none.
[[nodiscard]] std::vector<std::int32_t> places_of(std::span<const std::string_view> tokens);

/// Which of `tokens`, counted from 0, are not in the vocabulary, in ascending order.
[[nodiscard]] std::vector<std::int32_t> out_of_vocabulary(std::span<const std::string_view> tokens);

}  // namespace mha
