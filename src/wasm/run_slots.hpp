// The runs that a training module holds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "lab/observed_run.hpp"
#include "wasm/boundary.hpp"

namespace mha::wasm {

/// A run, and what was last measured of it: heads are switched off less often than the rest is asked.
struct RunSlot {
  ObservedRun run;
  Measurement measurement;
};

inline std::array<std::optional<RunSlot>, static_cast<std::size_t>(kMaxRuns)>& run_slots() {
  static std::array<std::optional<RunSlot>, static_cast<std::size_t>(kMaxRuns)> all;
  return all;
}

[[nodiscard]] inline bool is_run_id(std::int32_t run) { return run >= 0 && run < kMaxRuns; }

/// Null: no run is open under this id.
[[nodiscard]] inline RunSlot* find_run(std::int32_t run) {
  if (!is_run_id(run)) return nullptr;
  auto& slot = run_slots()[static_cast<std::size_t>(run)];
  return slot ? &*slot : nullptr;
}

}  // namespace mha::wasm
