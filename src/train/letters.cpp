#include "train/letters.hpp"

#include <algorithm>
#include <numeric>

#include "train/dice.hpp"

namespace mha {
namespace {

constexpr std::uint64_t kHeldOutOneIn = 5;

constexpr std::string_view kJobTexts = "A1A2A3A4B1B2B3B4C1C2C3C4D1D2D3D4E1E2E3E4F1F2F3F4G1G2G3G4H1H2H3H4";
constexpr std::string_view kSymbolTexts = "ABCDEFGHIJKLMNOP";
static_assert(kJobTexts.size() == 2 * kJobTokens && kSymbolTexts.size() == kSymbols);

/// 0 … count − 1 in random order (Fisher and Yates).
template <std::size_t count>
std::array<std::int32_t, count> shuffled(Dice& dice) {
  std::array<std::int32_t, count> order;
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = count - 1; i > 0; --i) std::swap(order[i], order[dice.below(i + 1)]);
  return order;
}

std::string_view part(std::string_view texts, std::int32_t token, std::size_t size) {
  const std::size_t begin = static_cast<std::size_t>(token) * size;  // a negative token lies far behind the end
  return begin < texts.size() ? texts.substr(begin, size) : std::string_view();
}

bool all_within(std::span<const std::int32_t> tokens, std::int32_t count) {
  return std::ranges::all_of(tokens, [&](std::int32_t token) { return token >= 0 && token < count; });
}

}  // namespace

std::string_view job_text(std::int32_t token) { return part(kJobTexts, token, 2); }
std::string_view symbol_text(std::int32_t token) { return part(kSymbolTexts, token, 1); }

Split split_of(std::span<const std::int32_t> row) {
  std::uint64_t key = stream(0, "held out").key;
  for (const std::int32_t token : row) key = bits({key}, static_cast<std::uint64_t>(token));
  return key % kHeldOutOneIn == 0 ? Split::held_out : Split::train;
}

JobRow draw_job_row(Stream stream, Split split) {
  Dice dice(stream);
  for (;;) {
    const auto letters = shuffled<kJobLetters>(dice);
    const auto seats = shuffled<kJobLetters>(dice);  // two seats for each colour
    JobRow row;
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = letters[i] * kJobColours + seats[i] % kJobColours;
    if (split_of(row) == split) return row;
  }
}

bool is_job_row(std::span<const std::int32_t> tokens) {
  if (tokens.size() != static_cast<std::size_t>(kJobLetters) || !all_within(tokens, kJobTokens)) return false;
  std::array<int, kJobLetters> letters = {};
  std::array<int, kJobColours> colours = {};
  for (const std::int32_t token : tokens) {
    ++letters[static_cast<std::size_t>(letter_of(token))];
    ++colours[static_cast<std::size_t>(colour_of(token))];
  }
  return std::ranges::all_of(letters, [](int count) { return count == 1; }) &&
         std::ranges::all_of(colours, [](int count) { return count == 2; });
}

InductionRow draw_induction_row(Stream stream, Split split) {
  Dice dice(stream);
  for (;;) {
    const auto symbols = shuffled<kSymbols>(dice);
    const std::size_t length = kShortestPiece + dice.below(kLongestPiece - kShortestPiece + 1);
    InductionRow row;
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = symbols[i % length];
    if (split_of(row) == split) return row;
  }
}

std::int32_t piece_of(std::span<const std::int32_t> tokens) {
  if (tokens.size() != static_cast<std::size_t>(kInductionWords) || !all_within(tokens, kSymbols)) return 0;
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
