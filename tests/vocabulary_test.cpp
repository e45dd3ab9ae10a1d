#include "train/vocabulary.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <vector>

#include "mha/utf8.hpp"

namespace mha::test {
namespace {

using Tokens = std::vector<std::string_view>;

TEST_CASE("the vocabulary has at most 115 words, each once, none empty, all of them UTF-8", "[vocabulary]") {
  CHECK(words().size() <= 115);
  std::set<std::string_view> texts;
  for (const Word& word : words()) {
    CAPTURE(word.text);
    CHECK(!word.text.empty());
    CHECK(is_utf8(word.text));
    CHECK(word.text.find_first_of("| []") == std::string_view::npos);  // marks of the grammar and of the URL
    CHECK(texts.insert(word.text).second);
  }
}

TEST_CASE("every word but the mask is found at its place, and nothing else is", "[vocabulary]") {
  for (std::size_t place = 0; place < words().size(); ++place) {
    const std::int32_t found = place_of(words()[place].text);
    CHECK(found == (place == kMask ? kOutOfVocabulary : static_cast<std::int32_t>(place)));
  }
  for (const std::string_view text : {"", " ", "Cake", "CAKE", "cakes", "cak", "小", "小明 ", "\xe5\xb0", "GIVER"}) {
    CAPTURE(text);
    CHECK(place_of(text) == kOutOfVocabulary);
  }
}

TEST_CASE("which tokens are out of vocabulary is told by their places", "[vocabulary]") {
  CHECK(out_of_vocabulary(Tokens{}).empty());
  CHECK(out_of_vocabulary(Tokens{"小明", "把", "蛋糕"}).empty());
  CHECK(out_of_vocabulary(Tokens{"Tom", "eats", "", "the", "□", "cake"}) == std::vector<std::int32_t>{1, 2, 4});
  const std::vector<std::int32_t> places = places_of(Tokens{"Tom", "eats", "cake"});
  CHECK(places == std::vector<std::int32_t>{place_of("Tom"), kOutOfVocabulary, place_of("cake")});
}

TEST_CASE("both languages have as many words of each kind that decides something", "[vocabulary]") {
  const auto count = [](Language language, Kind kind) {
    return std::ranges::count_if(words(), [&](const Word& w) { return w.language == language && w.kind == kind; });
  };
  for (std::int32_t kind = 0; kind < static_cast<std::int32_t>(Kind::other); ++kind) {
    CAPTURE(kind);
    if (static_cast<Kind>(kind) == Kind::because) continue;  // with a capital, too, in English
    CHECK(count(Language::chinese, static_cast<Kind>(kind)) == count(Language::english, static_cast<Kind>(kind)));
    CHECK(count(Language::chinese, static_cast<Kind>(kind)) >= 1);
  }
}

}  // namespace
}  // namespace mha::test
