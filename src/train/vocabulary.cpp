#include "train/vocabulary.hpp"

#include <algorithm>
#include <array>

namespace mha {
namespace {

using enum Language;
using enum Kind;

// clang-format off
constexpr std::array kWords = std::to_array<Word>({
    {"□", chinese, other},  // kMask, of both languages

    {"小明", chinese, man}, {"小伟", chinese, man}, {"小军", chinese, man}, {"小刚", chinese, man},
    {"小红", chinese, woman}, {"小丽", chinese, woman}, {"小芳", chinese, woman}, {"小兰", chinese, woman},
    {"蛋糕", chinese, food}, {"苹果", chinese, food}, {"面包", chinese, food},
    {"水", chinese, drink}, {"茶", chinese, drink}, {"牛奶", chinese, drink},
    {"递给", chinese, hand}, {"送给", chinese, hand}, {"带给", chinese, hand},
    {"吃", chinese, eat}, {"喝", chinese, sip}, {"尝", chinese, taste},
    {"他", chinese, he}, {"她", chinese, she},
    {"因为", chinese, because}, {"不", chinese, negation},
    {"饿", chinese, hungry}, {"渴", chinese, thirsty}, {"吃饱", chinese, full},
    {"累", chinese, mood}, {"困", chinese, mood}, {"冷", chinese, mood},
    {"把", chinese, other}, {"被", chinese, other}, {"了", chinese, other}, {"的", chinese, other},
    {"昨天", chinese, other}, {"今天", chinese, other}, {"刚才", chinese, other},
    {"悄悄", chinese, other}, {"马上", chinese, other}, {"新鲜", chinese, other}, {"朋友", chinese, other},
    {"真的", chinese, other}, {"已经", chinese, other}, {"，", chinese, other}, {"。", chinese, other},

    {"Tom", english, man}, {"Ben", english, man}, {"Jack", english, man}, {"Sam", english, man},
    {"Lily", english, woman}, {"Rose", english, woman}, {"Anna", english, woman}, {"Mary", english, woman},
    {"cake", english, food}, {"apple", english, food}, {"bread", english, food},
    {"water", english, drink}, {"tea", english, drink}, {"milk", english, drink},
    {"passed", english, hand}, {"handed", english, hand}, {"brought", english, hand},
    {"eat", english, eat}, {"drink", english, sip}, {"taste", english, taste},
    {"he", english, he}, {"she", english, she},
    {"because", english, because}, {"Because", english, because}, {"no", english, negation},
    {"hungry", english, hungry}, {"thirsty", english, thirsty}, {"full", english, full},
    {"tired", english, mood}, {"sleepy", english, mood}, {"cold", english, mood},
    {"the", english, other}, {"to", english, other}, {"was", english, other}, {"longer", english, other},
    {"Yesterday", english, other}, {"Today", english, other}, {"quietly", english, other},
    {"at", english, other}, {"once", english, other}, {"fresh", english, other},
    {"our", english, other}, {"friend", english, other},
    {"really", english, other}, {"already", english, other}, {",", english, other}, {".", english, other},
});
// clang-format on

}  // namespace

std::span<const Word> words() { return kWords; }

std::int32_t place_of(std::string_view text) {
  const auto found =
      std::find_if(kWords.begin() + 1, kWords.end(), [&](const Word& word) { return word.text == text; });
  return found == kWords.end() ? kOutOfVocabulary : static_cast<std::int32_t>(found - kWords.begin());
}

std::vector<std::int32_t> places_of(std::span<const std::string_view> tokens) {
  std::vector<std::int32_t> places(tokens.size());
  std::ranges::transform(tokens, places.begin(), place_of);
  return places;
}

std::vector<std::int32_t> out_of_vocabulary(std::span<const std::string_view> tokens) {
  std::vector<std::int32_t> unknown;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (place_of(tokens[i]) == kOutOfVocabulary) unknown.push_back(static_cast<std::int32_t>(i));
  }
  return unknown;
}

}  // namespace mha
