// What a training step reads: sentences of different lengths, one behind another without padding, and what the model
// shall answer at each of their words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mha {

/// A question that is not asked: no loss, no accuracy.
inline constexpr std::int32_t kIgnored = -1;

/// r rows in all, the words of all sentences; s slots (questions) per word. Word and place count from 0.
struct Batch {
  std::int32_t slots = 1;
  std::vector<std::int32_t> lengths;    ///< words of each sentence, each ≥ 1; they add up to r
  std::vector<std::int32_t> tokens;     ///< [r] places in the vocabulary
  std::vector<std::int32_t> targets;    ///< [r, s] the word to be named, a place in the vocabulary, or kIgnored
  std::vector<std::int32_t> partners;   ///< [r, s] where in its own sentence that word stands, or kIgnored
  std::vector<std::int32_t> relations;  ///< [r, s] which relation of the task this is, or kIgnored

  [[nodiscard]] std::size_t rows() const { return tokens.size(); }
  [[nodiscard]] std::size_t sentences() const { return lengths.size(); }
};

/// Whether the sizes agree, every word is one of `vocabulary` words, and of each question all three parts are given or
/// none of them.
[[nodiscard]] bool well_formed(const Batch& batch, std::int32_t vocabulary, std::int32_t relations);

}  // namespace mha
