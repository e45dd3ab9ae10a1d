// What runs from many seeds say together: how many came to a given loss and when, and which head took which relation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mha {

/// A step that did not come, or a head that there is none of.
inline constexpr std::int32_t kNever = -1;

/// What came of one run. r relations of its task.
struct SeedResult {
  std::int32_t reached = kNever;  ///< steps after which the held-out loss was first seen below the bound
  bool diverged = false;          ///< then it has reached nothing, whatever it was before
  double loss = 0;                ///< held out, after the last step; says nothing if diverged
  /// [r] the head that is RoleState::owner of the relation after the last step, or kNever.
  std::vector<std::int32_t> owners;
  std::vector<std::uint8_t> answered;  ///< [r] 1: the model answers right in kOwned of the cases
};

/// Which relations have a head in common, whatever its number.
struct Grouping {
  /// [r] 0, 1, … by first appearance: relations with the same number have the same head. kNever: no head.
  std::vector<std::int32_t> groups;
  std::int32_t seeds = 0;  ///< in how many runs it appeared
};

/// Of the runs of one number of heads. What a diverged run did to its relations is not counted.
struct SeedSummary {
  std::int32_t runs = 0, reached = 0, diverged = 0;
  /// Steps of those that reached the bound. The median of an even count is the mean of the middle two. kNever: none.
  double median = kNever;
  std::int32_t fewest = kNever, most = kNever;
  double loss = kNever;                ///< median after the last step; kNever: all diverged
  std::vector<std::int32_t> owned;     ///< [r] in how many runs a head owned the relation
  std::vector<std::int32_t> alone;     ///< [r] in how many of these it owned nothing else
  std::vector<std::int32_t> answered;  ///< [r] in how many runs the model answered it right
  std::int32_t assignments = 0;        ///< different `owners`: two that differ in the heads' numbers alone count twice
  std::vector<Grouping> groupings;     ///< where those count once; the most frequent first, of equal ones the earlier
};

/// `relations`: r. Precondition: so many owners, and as many answered, in every result that did not diverge.
[[nodiscard]] SeedSummary summarize(std::span<const SeedResult> results, std::size_t relations);

}  // namespace mha
