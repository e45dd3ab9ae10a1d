// Whether what one run shows is luck: the same settings from many seeds, for several numbers of heads, in slices.
//
// A run is a pair of seed and h. All h of one seed come before the next seed, so that what is known so far compares
// them over the same seeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lab/observed_run.hpp"
#include "lab/seed_summary.hpp"
#include "mha/status.hpp"

namespace mha {

struct SeedPlan {
  ModelShape shape;                 ///< of every run, but for its heads, who divide model_dim among them
  RunOptions options;               ///< the trainer's seed is the first; the others count up from it, modulo 2^32
  std::vector<std::int32_t> heads;  ///< every h
  std::int32_t seeds = 20;
  std::int32_t steps = 600;               ///< of every run
  double bound = 0.02;                    ///< a held-out loss below it counts as reached
  std::optional<Language> language = {};  ///< of the held-out sentences; without one: both
  std::int32_t every = 10;                ///< the held-out loss is measured after so many steps, and after the last
};

class SeedStudy {
 public:
  static constexpr std::int32_t kMaxHeadCounts = 8;
  static constexpr std::int32_t kMaxSeeds = 100;
  static constexpr std::int32_t kMaxSteps = 100000;

  /// Errors: wrong_size: a count is not in 1 … its most, or the bound not positive; as ObservedRun::start, for every h;
  /// head_dim_out_of_range: one does not divide model_dim. No study is open then.
  [[nodiscard]] Outcome start(const SeedPlan& plan);

  /// So many steps more, of one run after another. A run that diverges is over; that is a result, no error. Once done
  /// nothing happens.
  /// Errors: not_loaded: no study is open; as ObservedRun::advance.
  [[nodiscard]] Outcome advance(std::int32_t count);

  [[nodiscard]] const SeedPlan& plan() const { return plan_; }
  [[nodiscard]] std::size_t relations() const { return info(plan_.options.task).relations.size(); }
  [[nodiscard]] bool done() const { return seed_ == plan_.seeds; }
  /// The run that goes on: its seed and its h, both as places from 0, and its steps so far. Once done: seeds, 0, 0.
  [[nodiscard]] std::int32_t seed() const { return seed_; }
  [[nodiscard]] std::size_t place() const { return place_; }
  [[nodiscard]] std::int32_t steps() const { return steps_; }
  /// Of the h at this place, by seeds, as far as they are through.
  [[nodiscard]] std::span<const SeedResult> results(std::size_t place) const { return results_[place]; }

 private:
  [[nodiscard]] Outcome begin();
  [[nodiscard]] Outcome step();
  [[nodiscard]] Outcome finish();

  SeedPlan plan_{.seeds = 0};  ///< without seeds: no study is open
  ObservedRun run_;
  SeedResult result_;  ///< of the run that goes on
  Measurement measurement_;
  std::size_t place_ = 0;
  std::int32_t seed_ = 0, steps_ = 0;
  std::vector<std::vector<SeedResult>> results_;  ///< by places of h
};

}  // namespace mha
