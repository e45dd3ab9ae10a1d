// What an explanation reads its numbers from, checked once and then read cell by cell.
#pragma once

#include <span>
#include <utility>

#include "mha/explanation.hpp"
#include "mha/layout.hpp"
#include "mha/status.hpp"

namespace mha {

/// The evidence with its layouts, read cell by cell.
class EvidenceReader {
 public:
  explicit EvidenceReader(const Evidence& evidence)
      : input_(Slab::input, evidence.shape, evidence.parts),
        parameters_(Slab::parameters, evidence.shape, evidence.parts),
        trace_(Slab::trace, evidence.shape, evidence.parts),
        evidence_(evidence) {}

  /// ok if everything that a cell may be read from is there.
  [[nodiscard]] Outcome complete() const {
    if (std::cmp_not_equal(evidence_.input.size(), input_.size()) ||
        std::cmp_not_equal(evidence_.parameters.size(), parameters_.size()) ||
        std::cmp_not_equal(evidence_.trace.size(), trace_.size())) {
      return {.status = Status::wrong_size};
    }
    const Shape& shape = evidence_.shape;
    // Without a context, keys and values come from x, which has a row for each token only.
    if (!evidence_.parts.context && shape.context != shape.tokens) {
      return {.status = Status::wrong_size, .tensor = Tensor::context};
    }
    const std::span<const float> gates = evidence_.options.head_gate;
    if (!gates.empty() && std::cmp_not_equal(gates.size(), shape.heads)) return {.status = Status::bad_gate};
    return {};
  }

  [[nodiscard]] bool holds(Tensor tensor) const { return layout(tensor).find(tensor).has_value(); }

  [[nodiscard]] bool holds(const Cell& cell) const {
    return holds(cell.tensor) && view(cell.tensor).contains(cell.index[0], cell.index[1], cell.index[2]);
  }

  /// Whether a cell that came from outside can be asked about: one that is held, or of the contributions, which are
  /// made of what is held.
  [[nodiscard]] bool knows(const Cell& cell) const {
    if (cell.tensor < Tensor{} || cell.tensor >= Tensor::count) return false;
    const auto [a, b, c] = cell.index;
    if (cell.tensor != Tensor::contributions) return holds(cell);
    return holds(Cell{Tensor::heads, {a, b, 0}}) && holds(Cell{Tensor::w_o, {0, c, 0}});
  }

  [[nodiscard]] double at(const Cell& cell) const {
    const auto place = view(cell.tensor).at(cell.index[0], cell.index[1], cell.index[2]);
    return static_cast<double>(slab(cell.tensor)[static_cast<std::size_t>(place)]);
  }

 private:
  [[nodiscard]] const Layout& layout(Tensor tensor) const {
    switch (info(tensor).slab) {
      case Slab::input: return input_;
      case Slab::parameters: return parameters_;
      default: return trace_;
    }
  }
  [[nodiscard]] const View& view(Tensor tensor) const { return layout(tensor)[tensor]; }
  [[nodiscard]] std::span<const float> slab(Tensor tensor) const {
    switch (info(tensor).slab) {
      case Slab::input: return evidence_.input;
      case Slab::parameters: return evidence_.parameters;
      default: return evidence_.trace;
    }
  }

  Layout input_;
  Layout parameters_;
  Layout trace_;
  const Evidence& evidence_;
};

}  // namespace mha
