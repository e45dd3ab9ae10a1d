// Sentences as text for tests: words with '|' between them, as in the URL.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "train/vocabulary.hpp"

namespace mha::test {

inline std::string text_of(std::span<const std::int32_t> tokens) {
  std::string text;
  for (const std::int32_t token : tokens) {
    text.append(text.empty() ? "" : "|").append(words()[static_cast<std::size_t>(token)].text);
  }
  return text;
}

inline std::vector<std::int32_t> places_of_text(std::string_view text) {
  std::vector<std::int32_t> places;
  while (true) {
    const std::size_t end = text.find('|');
    places.push_back(place_of(text.substr(0, end)));
    if (end == std::string_view::npos) return places;
    text.remove_prefix(end + 1);
  }
}

}  // namespace mha::test
