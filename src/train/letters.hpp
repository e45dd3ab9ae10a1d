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

inline constexpr std::int32_t kJobLetters = 8;  ///< a row has each of them once
inline constexpr std::int32_t kJobColours = 4;  ///< a row has each of them twice
inline constexpr std::int32_t kJobTokens = kJobLetters * kJobColours;
using JobRow = std::array<std::int32_t, kJobLetters>;

[[nodiscard]] constexpr std::int32_t letter_of(std::int32_t token) { return token / kJobColours; }
[[nodiscard]] constexpr std::int32_t colour_of(std::int32_t token) { return token % kJobColours; }
/// "A1" … "H4": letter and number of the colour. Empty outside 0 … kJobTokens − 1.
[[nodiscard]] std::string_view job_text(std::int32_t token);

[[nodiscard]] JobRow draw_job_row(Stream stream, Split split);
/// Whether this is a row that can be drawn.
[[nodiscard]] bool is_job_row(std::span<const std::int32_t> tokens);

// --- induction: a piece that repeats; each symbol of a repetition names what followed it the last time
// ----------------

inline constexpr std::int32_t kSymbols = 16;
inline constexpr std::int32_t kInductionWords = 20;
inline constexpr std::int32_t kShortestPiece = 5;
inline constexpr std::int32_t kLongestPiece = 10;
using InductionRow = std::array<std::int32_t, kInductionWords>;

/// "A" … "P". Empty outside 0 … kSymbols − 1.
[[nodiscard]] std::string_view symbol_text(std::int32_t token);

/// A piece of different symbols, again and again: its length is drawn too, so that counting places is no help.
[[nodiscard]] InductionRow draw_induction_row(Stream stream, Split split);
/// The length of the repeating piece, or 0 if this is no row that can be drawn.
[[nodiscard]] std::int32_t piece_of(std::span<const std::int32_t> tokens);

/// Which rows of letters are held out: a fifth, by a hash of the row.
[[nodiscard]] Split split_of(std::span<const std::int32_t> row);

}  // namespace mha
