#include "train/letters.hpp"

#include <algorithm>
#include <numeric>

#include "train/dice.hpp"

namespace mha {
namespace {

constexpr std::uint64_t kHeldOutOneIn = 5;

constexpr std::string_view kTexts = "ABCDEFGHIJKLMNOP";
static_assert(kTexts.size() == kLetters);

/// 0 … count − 1 in random order (Fisher and Yates).
template <std::size_t count>
std::array<std::int32_t, count> shuffled(Dice& dice) {
  std::array<std::int32_t, count> order;
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = count - 1; i > 0; --i) std::swap(order[i], order[dice.below(i + 1)]);
  return order;
}

bool all_letters(std::span<const std::int32_t> tokens) {
  return std::ranges::all_of(tokens, [](std::int32_t token) { return token >= 0 && token < kLetters; });
}

}  // namespace

std::string_view letter_text(std::int32_t letter) {
  return letter >= 0 && letter < kLetters ? kTexts.substr(static_cast<std::size_t>(letter), 1) : std::string_view();
}

Split split_of(std::span<const std::int32_t> row) {
  std::uint64_t key = stream(0, "held out").key;
  for (const std::int32_t token : row) key = bits({key}, static_cast<std::uint64_t>(token));
  return key % kHeldOutOneIn == 0 ? Split::held_out : Split::train;
}

JobRow draw_job_row(Stream stream, Split split) {
  constexpr std::int32_t kOfAColour = kLetters / kColours;
  Dice dice(stream);
  for (;;) {
    const auto seats = shuffled<kJobWords>(dice);
    JobRow row;
    for (std::int32_t seat = 0; seat < kJobWords; seat += 2) {
      const auto one = static_cast<std::int32_t>(dice.below(kOfAColour));
      const auto other = (one + 1 + static_cast<std::int32_t>(dice.below(kOfAColour - 1))) % kOfAColour;
      const auto place = [&](std::int32_t of) { return static_cast<std::size_t>(seats[static_cast<std::size_t>(of)]); };
      row[place(seat)] = one * kColours + seat / 2;
      row[place(seat + 1)] = other * kColours + seat / 2;
    }
    if (split_of(row) == split) return row;
  }
}

bool is_job_row(std::span<const std::int32_t> tokens) {
  if (tokens.size() != static_cast<std::size_t>(kJobWords) || !all_letters(tokens)) return false;
  std::array<int, kLetters> letters = {};
  std::array<int, kColours> colours = {};
  for (const std::int32_t token : tokens) {
    ++letters[static_cast<std::size_t>(token)];
    ++colours[static_cast<std::size_t>(colour_of(token))];
  }
  return std::ranges::all_of(letters, [](int count) { return count <= 1; }) &&
         std::ranges::all_of(colours, [](int count) { return count == 2; });
}

InductionRow draw_induction_row(Stream stream, Split split) {
  Dice dice(stream);
  for (;;) {
    const auto letters = shuffled<kLetters>(dice);
    const std::size_t length = kShortestPiece + dice.below(kLongestPiece - kShortestPiece + 1);
    InductionRow row;
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = letters[i % length];
    if (split_of(row) == split) return row;
  }
}

std::int32_t piece_of(std::span<const std::int32_t> tokens) {
  if (tokens.size() != static_cast<std::size_t>(kInductionWords) || !all_letters(tokens)) return 0;
  const std::size_t length =
      static_cast<std::size_t>(std::find(tokens.begin() + 1, tokens.end(), tokens[0]) - tokens.begin());
  if (length < kShortestPiece || length > kLongestPiece) return 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] != tokens[i % length]) return 0;
    if (i < length && std::find(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens[i]) !=
                          tokens.begin() + static_cast<std::ptrdiff_t>(i)) {
      return 0;
    }
  }
  return static_cast<std::int32_t>(length);
}

}  // namespace mha
