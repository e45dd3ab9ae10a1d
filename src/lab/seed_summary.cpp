#include "lab/seed_summary.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

namespace mha {
namespace {

using Owners = std::vector<std::int32_t>;

/// kNever of none.
double median_of(std::vector<double> values) {
  if (values.empty()) return kNever;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Owners groups_of(const Owners& owners) {
  Owners groups(owners.size(), kNever), seen;
  for (std::size_t relation = 0; relation < owners.size(); ++relation) {
    if (owners[relation] == kNever) continue;
    const auto found = std::ranges::find(seen, owners[relation]);
    groups[relation] = static_cast<std::int32_t>(found - seen.begin());
    if (found == seen.end()) seen.push_back(owners[relation]);
  }
  return groups;
}

void count_owners(const Owners& owners, SeedSummary& summary) {
  for (std::size_t relation = 0; relation < owners.size(); ++relation) {
    if (owners[relation] == kNever) continue;
    ++summary.owned[relation];
    if (std::ranges::count(owners, owners[relation]) == 1) ++summary.alone[relation];
  }
}

void count_grouping(Owners groups, std::vector<Grouping>& groupings) {
  const auto found = std::ranges::find(groupings, groups, &Grouping::groups);
  if (found != groupings.end()) {
    ++found->seeds;
  } else {
    groupings.push_back({.groups = std::move(groups), .seeds = 1});
  }
}

}  // namespace

SeedSummary summarize(std::span<const SeedResult> results, std::size_t relations) {
  SeedSummary summary;
  summary.owned.assign(relations, 0);
  summary.alone.assign(relations, 0);
  summary.answered.assign(relations, 0);
  std::vector<double> steps, losses;
  std::vector<Owners> assignments;
  for (const SeedResult& result : results) {
    ++summary.runs;
    if (result.diverged) {
      ++summary.diverged;
      continue;
    }
    assert(result.owners.size() == relations && result.answered.size() == relations);
    losses.push_back(result.loss);
    if (result.reached != kNever) steps.push_back(result.reached);
    if (std::ranges::find(assignments, result.owners) == assignments.end()) assignments.push_back(result.owners);
    count_owners(result.owners, summary);
    for (std::size_t relation = 0; relation < relations; ++relation)
      summary.answered[relation] += result.answered[relation];
    count_grouping(groups_of(result.owners), summary.groupings);
  }
  summary.reached = static_cast<std::int32_t>(steps.size());
  if (!steps.empty()) {
    summary.fewest = static_cast<std::int32_t>(std::ranges::min(steps));
    summary.most = static_cast<std::int32_t>(std::ranges::max(steps));
  }
  summary.median = median_of(std::move(steps));
  summary.loss = median_of(std::move(losses));
  summary.assignments = static_cast<std::int32_t>(assignments.size());
  std::ranges::stable_sort(summary.groupings, std::ranges::greater(), &Grouping::seeds);
  return summary;
}

}  // namespace mha
