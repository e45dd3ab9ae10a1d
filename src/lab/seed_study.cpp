#include "lab/seed_study.hpp"

#include <algorithm>
#include <utility>

#include "lab/roles.hpp"

namespace mha {
namespace {

bool within(std::int64_t count, std::int32_t most) { return count >= 1 && count <= most; }

/// Whether numbers ran out of what a float can say, in a step or where its outcome was measured.
bool ran_away(const Outcome& outcome) {
  return outcome.status == Status::diverged || outcome.status == Status::overflow;
}

void read_roles(const Measurement& measured, SeedResult& result) {
  const std::vector<RoleState>& states = measured.states;
  const std::size_t relations = measured.accuracy.size();
  result.owners.assign(relations, kNever);
  result.answered.resize(relations);
  std::ranges::transform(measured.accuracy, result.answered.begin(),
                         [](float share) { return share >= kOwned ? 1 : 0; });
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i] == RoleState::owner) result.owners[i % relations] = static_cast<std::int32_t>(i / relations);
  }
}

}  // namespace

Outcome SeedStudy::start(const SeedPlan& plan) {
  *this = {};
  if (!within(static_cast<std::int64_t>(plan.heads.size()), kMaxHeadCounts) || !within(plan.seeds, kMaxSeeds) ||
      !within(plan.steps, kMaxSteps) || !within(plan.every, kMaxSteps) || !(plan.bound > 0.0)) {
    return {.status = Status::wrong_size};
  }
  for (const std::int32_t heads : plan.heads) {
    if (Outcome bad = run_.start(with_heads(plan.shape, heads), plan.options); !bad.ok()) return bad;
  }
  plan_ = plan;
  results_.resize(plan.heads.size());
  return begin();
}

Outcome SeedStudy::begin() {
  steps_ = 0;
  result_ = {};
  RunOptions options = plan_.options;
  options.trainer.seed += static_cast<std::uint32_t>(seed_);
  if (Outcome bad = run_.start(with_heads(plan_.shape, plan_.heads[place_]), options); !bad.ok()) return bad;
  if (plan_.language) run_.listen_to(plan_.language);
  return {};
}

Outcome SeedStudy::advance(std::int32_t count) {
  if (results_.empty()) return {.status = Status::not_loaded};
  for (std::int32_t i = 0; i < count && !done(); ++i) {
    if (Outcome bad = step(); !bad.ok()) {
      if (!ran_away(bad)) return bad;
      result_ = {.diverged = true};
      if (Outcome worse = finish(); !worse.ok()) return worse;
    }
  }
  return {};
}

Outcome SeedStudy::step() {
  if (Outcome bad = run_.advance(1); !bad.ok()) return bad;
  ++steps_;
  const bool is_last = steps_ == plan_.steps;
  if (!is_last && steps_ % plan_.every != 0) return {};
  if (Outcome bad = run_.evaluate(result_.loss); !bad.ok()) return bad;
  if (result_.reached == kNever && result_.loss < plan_.bound) result_.reached = steps_;
  if (!is_last) return {};
  if (Outcome bad = run_.measure(false, measurement_); !bad.ok()) return bad;
  read_roles(measurement_, result_);
  return finish();
}

Outcome SeedStudy::finish() {
  results_[place_].push_back(std::move(result_));
  if (++place_ == plan_.heads.size()) {
    place_ = 0;
    ++seed_;
  }
  steps_ = 0;
  return done() ? Outcome{} : begin();
}

}  // namespace mha
