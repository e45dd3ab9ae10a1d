// What comes over the boundary, read and checked once, so that everything behind may assume it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "mha/attention.hpp"
#include "mha/explanation.hpp"
#include "mha/layout.hpp"
#include "mha/shape.hpp"
#include "mha/status.hpp"
#include "wasm/boundary.hpp"

namespace mha::wasm {

/// Whether `count` elements may lie at this address.
template <class Element>
[[nodiscard]] bool usable(const Element* data, std::size_t count) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  if (address == 0 || address % alignof(Element) != 0) return false;
#if defined(__wasm__)
  const std::uint64_t end = std::uint64_t{address} + std::uint64_t{count} * sizeof(Element);
  return end <= std::uint64_t{__builtin_wasm_memory_size(0)} * 65536;
#else
  static_cast<void>(count);
  return true;
#endif
}

/// A number that is no int32 becomes −1, which the checks further in refuse.
[[nodiscard]] inline std::int32_t to_int(double value) {
  return value >= -2147483648.0 && value <= 2147483647.0 && value == std::floor(value)
             ? static_cast<std::int32_t>(value)
             : -1;
}

/// One token of a text, empty if its offsets do not ascend within the text.
[[nodiscard]] inline std::string_view token_of(const char* text, const std::int32_t* offsets, std::int32_t place) {
  const std::int32_t begin = offsets[place];
  const std::int32_t end = offsets[place + 1];
  if (begin < 0 || end <= begin || !usable(text, static_cast<std::size_t>(end))) return {};
  return {text + begin, static_cast<std::size_t>(end - begin)};
}

/// False: it names no tensor.
[[nodiscard]] inline bool read_cell(const std::int32_t* record, Cell& cell) {
  const std::int32_t tensor = record[kCell["tensor"]];
  if (tensor < 0 || static_cast<std::size_t>(tensor) >= kTensorCount) return false;
  cell.tensor = static_cast<Tensor>(tensor);
  std::copy_n(record + kCell["index"], cell.index.size(), cell.index.begin());
  return true;
}

/// What most calls begin with. Reading stops at the first fault, which `outcome` then holds.
struct Request {
  Outcome outcome;
  Shape shape;  ///< all zeros unless it is valid, so that layouts may be made of it without looking
  Parts parts;
  Options options;

  explicit Request(const std::int32_t* shape_record) { outcome = read_shape(shape_record); }
  Request(const std::int32_t* shape_record, const std::int32_t* parts_record) : Request(shape_record) {
    if (ok()) outcome = read_parts(parts_record);
  }
  void add_options(const double* record, const float* head_gate) {
    if (ok()) outcome = read_options(record, head_gate);
  }

  [[nodiscard]] bool ok() const { return outcome.ok(); }

  /// The whole of a slab. Empty if it can't be there; `outcome` then says why.
  template <class Element>
  [[nodiscard]] std::span<Element> slab(const Layout& layout, Element* data) {
    return floats(layout.size(), data);
  }
  template <class Element>
  [[nodiscard]] std::span<Element> slab(Slab name, Element* data) {
    return slab(Layout(name, shape, parts), data);
  }
  /// The same for `count` floats.
  template <class Element>
  [[nodiscard]] std::span<Element> floats(std::int64_t count, Element* data) {
    if (!ok()) return {};
    if (count > kMaxSlabFloats) {
      outcome = {.status = Status::too_large};
    } else if (!usable(data, static_cast<std::size_t>(count))) {
      outcome = {.status = Status::wrong_size};
    }
    return ok() ? std::span<Element>{data, static_cast<std::size_t>(count)} : std::span<Element>();
  }

 private:
  Outcome read_shape(const std::int32_t* record) {
    if (!usable(record, kShape.size())) return {.status = Status::wrong_size};
    const Shape given = {.tokens = record[kShape["tokens"]],
                         .context = record[kShape["context"]],
                         .model_dim = record[kShape["modelDim"]],
                         .heads = record[kShape["heads"]],
                         .kv_heads = record[kShape["kvHeads"]],
                         .head_dim = record[kShape["headDim"]]};
    Outcome checked = validate(given);
    if (checked.ok()) shape = given;
    return checked;
  }

  Outcome read_parts(const std::int32_t* record) {
    if (!usable(record, kParts.size())) return {.status = Status::wrong_size};
    const std::int32_t detail = record[kParts["detail"]];
    if (detail < 0 || static_cast<std::size_t>(detail) >= kDetailNames.size()) return {.status = Status::no_such_cell};
    parts = {.context = record[kParts["context"]] != 0,
             .mask = record[kParts["mask"]] != 0,
             .biases = record[kParts["biases"]] != 0,
             .detail = static_cast<Detail>(detail)};
    return {};
  }

  Outcome read_options(const double* record, const float* head_gate) {
    if (!usable(record, kOptions.size())) return {.status = Status::wrong_size};
    const std::int32_t scale = to_int(record[kOptions["scale"]]);
    if (scale < 0 || static_cast<std::size_t>(scale) >= kScaleNames.size()) return {.status = Status::bad_scale};
    options = {.scale = static_cast<Options::Scale>(scale),
               .scale_value = static_cast<float>(record[kOptions["scaleValue"]]),
               .causal = record[kOptions["causal"]] != 0,
               .padding = to_int(record[kOptions["padding"]]),
               .head_gate = {}};
    if (!std::isfinite(options.factor(shape.head_dim))) return {.status = Status::bad_scale};
    if (head_gate == nullptr) return {};
    const auto heads = static_cast<std::size_t>(shape.heads);
    if (!usable(head_gate, heads)) return {.status = Status::wrong_size};
    options.head_gate = {head_gate, heads};
    return {};
  }
};

}  // namespace mha::wasm
