// The forms that sentences have, written as text, and which words may play which role in them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "train/grammar.hpp"

namespace mha {

inline constexpr std::int32_t kOpen = -1;  ///< a symbol whose word is not fixed by the form

/// One place of a form. A role without a fixed word is filled with one that may play it.
struct Symbol {
  Role role = Role::none;
  std::int32_t word = kOpen;
};

using Symbols = std::vector<Symbol>;
/// A choice of the form; what is not optional has one alternative, what is has the empty one first.
using Item = std::vector<Symbols>;

struct Form {
  Language language;
  std::vector<Item> items;
};

struct Rules {
  std::vector<Form> forms;
  /// [language][role] the words that may play it
  std::array<std::array<std::vector<std::int32_t>, kRoles>, 2> players;
};

/// Made once, at the first call.
[[nodiscard]] const Rules& rules();

[[nodiscard]] Kind kind_of(std::int32_t word);

/// What a word of this kind can be in a sentence. People can be two things; a form says which.
[[nodiscard]] bool may_play(Kind kind, Role role);

}  // namespace mha
