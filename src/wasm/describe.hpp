// What the programs that write the page's tables print alike.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "wasm/boundary.hpp"

namespace mha::wasm {

[[nodiscard]] inline std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

inline void print(const std::string& line) { std::printf("%s\n", line.c_str()); }

/// An array of names and the union type of its elements.
template <std::size_t N>
void print_names(std::string_view constant, std::string_view type, const std::array<std::string_view, N>& names) {
  print("\nexport const " + std::string(constant) + " = [");
  for (const std::string_view name : names) print("  " + quoted(name) + ",");
  print("] as const");
  print("export type " + std::string(type) + " = (typeof " + std::string(constant) + ")[number]");
}

/// The number of each name: its place in the enum.
template <std::size_t N>
void print_ids(std::string_view constant, const std::array<std::string_view, N>& names) {
  print("\nexport const " + std::string(constant) + " = {");
  for (std::size_t i = 0; i < N; ++i) print("  " + std::string(names[i]) + ": " + std::to_string(i) + ",");
  print("} as const");
}

template <std::size_t N>
void print_record(const Record<N>& record) {
  print("\n/** Places in a record of " + std::string(record.element) + ". */");
  print("export const " + std::string(record.name) + "Record = {");
  print("  size: " + std::to_string(record.size()) + ",");
  std::size_t place = 0;
  for (const Field& field : record.fields) {
    const std::string many = field.count > 1 ? "  // and " + std::to_string(field.count - 1) + " more" : "";
    print("  " + std::string(field.name) + ": " + std::to_string(place) + "," + many);
    place += field.count;
  }
  print("} as const");
}

inline void print_limit(std::string_view name, std::integral auto value) {
  print("  " + std::string(name) + ": " + std::to_string(value) + ",");
}

}  // namespace mha::wasm
