// Whether bytes are UTF-8, by the table of well-formed sequences in the Unicode Standard (§3.9, table 3-7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mha::wasm {

/// True for the empty text too. Refuses overlong forms, surrogates and everything above U+10FFFF.
[[nodiscard]] constexpr bool is_utf8(std::string_view text) {
  std::size_t i = 0;
  const auto byte = [&](std::size_t place) { return static_cast<std::uint8_t>(text[place]); };
  while (i < text.size()) {
    const std::uint8_t lead = byte(i++);
    if (lead < 0x80) continue;
    // Only the second byte's range depends on the lead byte; the others are always 80 … BF.
    std::uint8_t low = 0x80;
    std::uint8_t high = 0xBF;
    std::size_t more = 0;
    if (lead >= 0xC2 && lead <= 0xDF) {
      more = 1;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
      more = 2;
      if (lead == 0xE0) low = 0xA0;
      if (lead == 0xED) high = 0x9F;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
      more = 3;
      if (lead == 0xF0) low = 0x90;
      if (lead == 0xF4) high = 0x8F;
    } else {
      return false;
    }
    for (; more > 0; --more, low = 0x80, high = 0xBF) {
      if (i == text.size() || byte(i) < low || byte(i) > high) return false;
      ++i;
    }
  }
  return true;
}

}  // namespace mha::wasm
