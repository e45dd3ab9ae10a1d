// Which bytes are UTF-8, by the table of well-formed sequences in the Unicode Standard (§3.9, table 3-7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mha {

/// The bytes of the character that `text` begins with, 1 to 4; 0 if it does not begin with one. Refuses overlong forms,
/// surrogates and everything above U+10FFFF.
[[nodiscard]] constexpr std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t place) { return static_cast<std::uint8_t>(text[place]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  // Only the second byte's range depends on the lead byte; the others are always 80 … BF.
  const std::uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

/// True for the empty text too.
[[nodiscard]] constexpr bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// The beginning of a UTF-8 text, at most `bytes` long, that cuts no character.
[[nodiscard]] constexpr std::string_view utf8_beginning(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<std::uint8_t>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace mha
