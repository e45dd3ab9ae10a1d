// Where a number goes: what it is an operand of, and everything that it reaches. The thread forward; explanation.hpp is
// the thread back, and a test holds the two against each other.
//
// What passes on, and what stops:
//   - Two names of the same bytes (q and q_heads, concat and heads) are one number: both names are reported, and what
//     one of them goes into, the other goes into too.
//   - A score that the mask forbids passes nothing on, and a row whose keys are all forbidden neither. A softmax
//     connects a row: each of its scores goes into each of its weights, those of forbidden keys left out.
//   - Zeros that are set, not computed, cut too: a head whose gate is 0 passes nothing on, neither into its part of
//     concat nor, with its rows of w_o, out of it. So does a scale of 0.
//   - Nothing else cuts. A number that happens to be 0, the one key that a row may look at, and b_k, which adds the
//   same
//     to all scores of a row, are operands all the same, though what they go into may not move.
//   - masked_rows says which keys are forbidden, which no number changes: nothing goes into it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mha/explanation.hpp"
#include "mha/status.hpp"
#include "mha/tensor.hpp"

namespace mha {

/// A box of cells: index[axis] in first[axis] … first[axis] + count[axis] − 1. Axes beyond the rank: 0 and 1. In
/// masked_scores and weights it may enclose cells that the mask forbids, which are not meant.
struct Region {
  Tensor tensor = Tensor::count;
  std::array<std::int32_t, 3> first = {0, 0, 0};
  std::array<std::int32_t, 3> count = {1, 1, 1};

  [[nodiscard]] constexpr bool contains(const Region& other) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (other.first[axis] < first[axis] || other.first[axis] + other.count[axis] > first[axis] + count[axis])
        return false;
    }
    return other.tensor == tensor;
  }
  [[nodiscard]] constexpr bool contains(const Cell& cell) const { return contains(Region{cell.tensor, cell.index}); }

  friend constexpr bool operator==(const Region&, const Region&) = default;
};

/// Without gates and an additive mask, 18 are enough. Each gap between heads that are on, or between rows that may look
/// at a key, may cost one more in each of four tensors.
inline constexpr std::int32_t kMaxRegions = 256;

/// Boxes in the order of enum Tensor, none inside another.
struct Regions {
  std::int32_t size = 0;
  std::array<Region, static_cast<std::size_t>(kMaxRegions)> boxes;

  [[nodiscard]] std::span<const Region> all() const { return std::span(boxes).first(static_cast<std::size_t>(size)); }
};

struct Influence {
  Regions direct;   ///< the cells whose explanation has this number among its operands
  Regions reached;  ///< those, the cells that they go into, and so on to the output
};

/// Follows one cell forward. Contributions count as an operand of the output, as in explain_by_head(). Tensors that
/// this evidence does not hold are passed through and left out. Errors: as explain() (weights and masked_rows may be
/// asked for in any detail); too_large, with the cell: gates or an additive mask so ragged that kMaxRegions boxes don't
/// hold the answer.
[[nodiscard]] Outcome influence(const Evidence& evidence, const Cell& cell, Influence& influence);

}  // namespace mha
