// The grammar against a rule of its own that knows no forms: it finds the parts of a sentence by their words alone.
#include "train/grammar.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "sentences.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

constexpr Clue kClues[] = {Clue::gender, Clue::meaning, Clue::both};

Sentence drawn(std::uint32_t seed, std::uint64_t number, Clue clue, Split split) {
  return draw_sentence({bits(stream(seed, "test"), number)}, clue, split);
}

/// Where the one word of these kinds stands; kAbsent if none does, −2 if several do.
std::int32_t only(const Sentence& sentence, std::initializer_list<Kind> kinds) {
  std::int32_t found = kAbsent;
  for (std::int32_t i = 0; i < sentence.length; ++i) {
    const Kind kind = words()[static_cast<std::size_t>(sentence.words[static_cast<std::size_t>(i)])].kind;
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) found = found == kAbsent ? i : -2;
  }
  return found;
}

/// The rule: of the two people the first gives. Returns what is wrong, or nothing.
std::string fault(const Sentence& s) {
  std::vector<std::int32_t> people;
  std::set<std::int32_t> names;
  for (std::int32_t i = 0; i < s.length; ++i) {
    const Word& word = words()[static_cast<std::size_t>(s.words[static_cast<std::size_t>(i)])];
    if (word.language != s.language) return "two languages";
    if (word.kind != Kind::man && word.kind != Kind::woman) continue;
    people.push_back(i);
    names.insert(s.words[static_cast<std::size_t>(i)]);
  }
  if (people.size() != 2 || names.size() != 2) return "not two people";
  if (s.place(Role::giver) != people[0] || s.place(Role::receiver) != people[1]) return "who gives, who receives";
  if (s.place(Role::verb) != only(s, {Kind::hand})) return "verb";
  if (s.place(Role::thing) != only(s, {Kind::food, Kind::drink})) return "thing";
  if (s.place(Role::purpose) != only(s, {Kind::eat, Kind::sip, Kind::taste})) return "purpose";
  if (s.place(Role::because) != only(s, {Kind::because})) return "because";
  if (s.place(Role::pronoun) != only(s, {Kind::he, Kind::she})) return "pronoun";
  if (s.place(Role::cause) != only(s, {Kind::hungry, Kind::thirsty, Kind::full, Kind::mood})) return "cause";
  if (s.place(Role::negation) != only(s, {Kind::negation})) return "negation";
  if (!s.has(Role::verb) || !s.has(Role::thing) || !s.has(Role::because) || !s.has(Role::pronoun))
    return "a part lacks";

  const bool she = s.word(Role::pronoun).kind == Kind::she;
  const auto woman = [&](Role role) { return s.word(role).kind == Kind::woman; };
  if (woman(s.antecedent) != she) return "gender of the pronoun";
  if (woman(Role::giver) != woman(Role::receiver)) return "";
  const Kind cause = s.word(Role::cause).kind;
  const bool wants = (cause == Kind::hungry || cause == Kind::thirsty) && !s.has(Role::negation);
  if (cause == Kind::mood || s.antecedent != (wants ? Role::receiver : Role::giver)) return "meaning";
  return "";
}

TEST_CASE("10,000 sentences have the parts that an independent rule finds", "[grammar]") {
  for (const std::uint32_t seed : seeds()) {
    for (const Clue clue : kClues) {
      for (const Split split : {Split::train, Split::held_out}) {
        int wrong = 0;
        for (std::uint64_t i = 0; i < 10000 / 6; ++i) {
          const Sentence sentence = drawn(seed, i, clue, split);
          const std::string what = fault(sentence);
          if (what.empty() && has_clue(sentence, clue) && split_of(sentence) == split) continue;
          UNSCOPED_INFO(seed << " " << i << " " << text_of(sentence.tokens()) << ": " << what);
          ++wrong;
        }
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("what is written is read again as the same", "[grammar]") {
  for (const std::uint32_t seed : seeds()) {
    for (const Clue clue : kClues) {
      int different = 0;
      for (std::uint64_t i = 0; i < 1000; ++i) {
        const Sentence written = drawn(seed, i, clue, Split::train);
        const auto read = read_sentence(written.tokens());
        const bool same = read && read->language == written.language && read->places == written.places &&
                          read->antecedent == written.antecedent &&
                          std::ranges::equal(read->tokens(), written.tokens());
        if (!same) UNSCOPED_INFO(text_of(written.tokens()));
        if (!same) ++different;
      }
      CHECK(different == 0);
    }
  }
}

TEST_CASE("the lesson's sentences are read as people read them, and are held out", "[grammar]") {
  struct Reading {
    const char* text;
    const char* giver;
    const char* receiver;
    const char* meant;
    const char* cause;
    Clue clue;
  };
  // In the first two the gender decides against what hunger would suggest: so meaning does not agree.
  const Reading readings[] = {
      {"小明|把|蛋糕|递给|小红|因为|她|不|饿|了|。", "小明", "小红", "小红", "饿", Clue::gender},
      {"Tom|passed|the|cake|to|Lily|because|she|was|no|longer|hungry|.", "Tom", "Lily", "Lily", "hungry", Clue::gender},
      {"小红|把|蛋糕|递给|小丽|，|因为|她|饿|了|。", "小红", "小丽", "小丽", "饿", Clue::meaning},
      {"小红|把|蛋糕|递给|小丽|因为|她|饿|了|。", "小红", "小丽", "小丽", "饿", Clue::meaning},
      {"小红|把|蛋糕|递给|小丽|，|因为|她|吃饱|了|。", "小红", "小丽", "小红", "吃饱", Clue::meaning},
      {"Lily|passed|Rose|the|cake|because|she|was|hungry|.", "Lily", "Rose", "Rose", "hungry", Clue::meaning},
      {"Lily|passed|Rose|the|cake|because|she|was|full|.", "Lily", "Rose", "Lily", "full", Clue::meaning},
  };
  for (const Reading& reading : readings) {
    CAPTURE(reading.text);
    const auto sentence = read_sentence(places_of_text(reading.text));
    REQUIRE(sentence);
    CHECK(fault(*sentence).empty());
    CHECK(sentence->word(Role::giver).text == reading.giver);
    CHECK(sentence->word(Role::receiver).text == reading.receiver);
    CHECK(sentence->word(sentence->antecedent).text == reading.meant);
    CHECK(sentence->word(Role::cause).text == reading.cause);
    CHECK(has_clue(*sentence, reading.clue));
    CHECK_FALSE(has_clue(*sentence, Clue::both));
    CHECK(split_of(*sentence) == Split::held_out);
  }
}

TEST_CASE("what the grammar has not is not read", "[grammar]") {
  for (const char* text : {
           "小明|把|蛋糕|递给|小红",                                  // no end
           "小明|把|蛋糕|递给|小明|因为|他|饿|了|。",                 // to himself
           "小明|把|蛋糕|递给|小伟|因为|她|饿|了|。",                 // no woman there
           "小红|把|蛋糕|递给|小丽|因为|她|累|了|。",                 // nobody can tell who
           "小明|把|蛋糕|递给|小红|喝|因为|她|饿|了|。",              // nobody drinks cake
           "小明|把|蛋糕|递给|小红|因为|她|渴|了|。",                 // nor is thirst a cause
           "小明|把|cake|递给|小红|因为|她|饿|了|。",                 // two languages
           "小明|把|蛋糕|递给|小红|因为|她|不|吃饱|了|。",            // not said
           "把|小明|蛋糕|递给|小红|因为|她|饿|了|。",                 // another order
           "小明|把|蛋糕|递给|小红|因为|她|不|饿|了|。|。",           // and more
           "小明|把|□|递给|小红|因为|她|饿|了|。",                    // the mask
           "because|she|was|hungry|,|Tom|passed|the|cake|to|Lily|.",  // no capital
       }) {
    CAPTURE(text);
    CHECK_FALSE(read_sentence(places_of_text(text)));
  }
  CHECK_FALSE(read_sentence({}));
  CHECK_FALSE(read_sentence(std::vector<std::int32_t>(1000, place_of("小明"))));
  CHECK_FALSE(read_sentence(std::vector<std::int32_t>{1 << 30, -5}));
}

TEST_CASE("any word put in, taken out or exchanged is refused or read right", "[grammar]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const Sentence sentence = drawn(seed, i, kClues[i % 3], Split::train);
      std::vector<std::int32_t> tokens(sentence.tokens().begin(), sentence.tokens().end());
      const auto at = tokens.begin() + random.integer(0, static_cast<int>(tokens.size()) - 1);
      const int word = random.integer(0, static_cast<int>(words().size()) - 1);
      const int change = random.integer(0, 2);
      if (change == 0) tokens.insert(at, word);
      if (change == 1) tokens.erase(at);
      if (change == 2) *at = word;
      const auto read = read_sentence(tokens);
      if (!read) continue;
      CAPTURE(text_of(tokens));
      CHECK(fault(*read).empty());
    }
  }
}

TEST_CASE("no held-out combination is ever trained on, whatever the seed, order and optional words", "[grammar]") {
  const auto combination = [](const Sentence& s) {
    std::string key;
    for (const Role role : {Role::giver, Role::receiver, Role::thing, Role::pronoun, Role::cause}) {
      key.append(s.word(role).text).append("|");
    }
    return key;
  };
  std::set<std::string> trained, held, trained_texts, held_texts;
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    for (const Clue clue : kClues) {
      for (std::uint64_t i = 0; i < 300; ++i) {
        const Sentence train = drawn(seed, i, clue, Split::train), other = drawn(seed, i, clue, Split::held_out);
        trained.insert(combination(train));
        held.insert(combination(other));
        trained_texts.insert(text_of(train.tokens()));
        held_texts.insert(text_of(other.tokens()));
      }
    }
  }
  const auto common = [](const std::set<std::string>& a, const std::set<std::string>& b) {
    return std::ranges::count_if(a, [&](const std::string& text) { return b.contains(text); });
  };
  CHECK(common(trained, held) == 0);
  CHECK(common(trained_texts, held_texts) == 0);
  CHECK(trained.size() > 2000);
  CHECK(held.size() > 500);
}

TEST_CASE("every word but the mask is used", "[grammar]") {
  std::set<std::int32_t> used;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const Sentence sentence = drawn(1, i, Clue::gender, Split::train);
    used.insert(sentence.tokens().begin(), sentence.tokens().end());
  }
  CHECK(used.size() == words().size() - 1);
}

TEST_CASE("the pronoun's gender is no clue to whether the giver or the receiver is meant", "[grammar]") {
  for (const Clue clue : kClues) {
    int giver = 0, she = 0, both = 0;
    constexpr int kCount = 8000;
    for (std::uint64_t i = 0; i < kCount; ++i) {
      const Sentence sentence = drawn(Catch::getSeed(), i, clue, Split::train);
      const bool is_giver = sentence.antecedent == Role::giver, is_she = sentence.word(Role::pronoun).kind == Kind::she;
      giver += is_giver;
      she += is_she;
      both += is_giver && is_she;
    }
    const double share = static_cast<double>(giver) / kCount;
    CHECK(share > 0.3);
    CHECK(share < 0.7);
    CHECK(std::abs(static_cast<double>(she) / kCount - 0.5) < 0.1);
    CHECK(std::abs(static_cast<double>(both) / she - share) < 0.1);
  }
}

TEST_CASE("the same stream gives the same sentence, pinned; another gives another", "[grammar]") {
  std::vector<float> tokens;
  int same = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    for (const Clue clue : kClues) {
      for (const Split split : {Split::train, Split::held_out}) {
        const Sentence sentence = drawn(20170612, i, clue, split), other = drawn(20170613, i, clue, split);
        for (const std::int32_t token : sentence.tokens()) tokens.push_back(static_cast<float>(token));
        same += std::ranges::equal(sentence.tokens(), other.tokens());
      }
    }
  }
  CHECK(hash_of(tokens) == 0x974b22532fa91a9aU);
  CHECK(same < 5);
}

}  // namespace
}  // namespace mha::test
