// Which head has which job, as far as heads have jobs: a table of how often each is right, read by fixed thresholds.
// Roles are partial, shared, duplicate or absent (lesson, claim 5), so every pair of head and relation is judged.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace mha {

/// What one head is to one relation. "Right": the gold word gets its largest attention weight.
enum class RoleState : std::int32_t {
  unmeasured,  ///< nothing was asked
  low,         ///< right in less than half of the cases
  partial,     ///< in at least half of them, and not shared
  shared,      ///< at least partial; no head is right in 90 %, but the whole model answers right in 90 %
  owner,       ///< right in at least 90 %, and no head more often (of equal ones the first)
  duplicate,   ///< right in at least 90 %, but another head owns it: the same job twice
};

inline constexpr std::array<std::string_view, 6> kRoleStateNames = {"unmeasured", "low",   "partial",
                                                                    "shared",     "owner", "duplicate"};

inline constexpr float kPartial = 0.5F;
inline constexpr float kOwned = 0.9F;

/// heads [h, r]: how often each head is right, as a share; model [r]: how often the whole model answers right, or a
/// negative number where nothing was asked. states [h, r]. Precondition: the sizes fit.
void role_states(std::span<const float> heads, std::span<const float> model, std::span<RoleState> states);

}  // namespace mha
