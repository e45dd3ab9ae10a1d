#include "train/batch.hpp"

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <utility>

namespace {

using mha::Batch;
using mha::kIgnored;

/// Two sentences of two and one words, two slots; two relations of a vocabulary of five words.
Batch batch() {
  return {.slots = 2,
          .lengths = {2, 1},
          .tokens = {3, 4, 0},
          .targets = {4, kIgnored, 3, 4, kIgnored, 0},
          .partners = {1, kIgnored, 0, 1, kIgnored, 0},
          .relations = {0, kIgnored, 1, 0, kIgnored, 1}};
}

}  // namespace

TEST_CASE("a batch whose parts agree is well formed", "[batch]") { CHECK(mha::well_formed(batch(), 5, 2)); }

TEST_CASE("a batch whose parts do not agree is not well formed", "[batch]") {
  const std::pair<const char*, std::function<void(Batch&)>> faults[] = {
      {"no slot", [](Batch& b) { b.slots = 0; }},
      {"a word too few", [](Batch& b) { b.tokens.pop_back(); }},
      {"a sentence of no words", [](Batch& b) { b.lengths = {3, 0}; }},
      {"lengths that do not add up", [](Batch& b) { b.lengths = {2, 2}; }},
      {"a word outside the vocabulary", [](Batch& b) { b.tokens[1] = 5; }},
      {"a negative word", [](Batch& b) { b.tokens[0] = -2; }},
      {"a target outside the vocabulary", [](Batch& b) { b.targets[0] = 5; }},
      {"a partner outside its sentence", [](Batch& b) { b.partners[5] = 1; }},
      {"a relation that does not exist", [](Batch& b) { b.relations[2] = 2; }},
      {"half a question", [](Batch& b) { b.partners[0] = kIgnored; }},
      {"a question of one part", [](Batch& b) { b.relations[1] = 0; }},
      {"targets of fewer slots", [](Batch& b) { b.targets.resize(3); }},
  };
  for (const auto& [name, put_in] : faults) {
    CAPTURE(name);
    Batch bad = batch();
    put_in(bad);
    CHECK_FALSE(mha::well_formed(bad, 5, 2));
  }
}
