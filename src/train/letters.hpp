// Two tasks without a language: rows of letters, of which every partner follows from a rule.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "mha/random.hpp"
#include "train/grammar.hpp"

namespace mha {

// --- four jobs: each letter names the one before, the one after, the first, and the other one of its colour
// -----------

inline constexpr std::int32_t kLetters = 16;
inline constexpr std::int32_t kColours = 4;
inline constexpr std::int32_t kJobWords = 8;  ///< a row has two different letters of each colour
using JobRow = std::array<std::int32_t, kJobWords>;

/// Every letter has its colour for ever: A red, B another, … E red again.
[[nodiscard]] constexpr std::int32_t colour_of(std::int32_t letter) { return letter % kColours; }

/// "A" … "P". Empty outside 0 … kLetters − 1.
[[nodiscard]] std::string_view letter_text(std::int32_t letter);

[[nodiscard]] JobRow draw_job_row(Stream stream, Split split);
/// Whether this is a row that can be drawn.
[[nodiscard]] bool is_job_row(std::span<const std::int32_t> tokens);

// --- induction: a piece that repeats; each letter of a repetition names what followed it the last time
// ----------------

inline constexpr std::int32_t kInductionWords = 20;
inline constexpr std::int32_t kShortestPiece = 5;
inline constexpr std::int32_t kLongestPiece = 10;
using InductionRow = std::array<std::int32_t, kInductionWords>;

/// A piece of different letters, again and again: its length is drawn too, so that counting places is no help.
[[nodiscard]] InductionRow draw_induction_row(Stream stream, Split split);
/// The length of the repeating piece, or 0 if this is no row that can be drawn.
[[nodiscard]] std::int32_t piece_of(std::span<const std::int32_t> tokens);

/// Which rows of letters are held out: a fifth, by a hash of the row.
[[nodiscard]] Split split_of(std::span<const std::int32_t> row);

}  // namespace mha
