#include "lab/roles.hpp"

#include <cassert>
#include <cstddef>

namespace mha {
namespace {

RoleState state_of(float share, float model, bool is_best, bool is_owned) {
  if (model < 0.0F) return RoleState::unmeasured;
  if (share >= kOwned) return is_best ? RoleState::owner : RoleState::duplicate;
  if (share < kPartial) return RoleState::low;
  return !is_owned && model >= kOwned ? RoleState::shared : RoleState::partial;
}

}  // namespace

void role_states(std::span<const float> heads, std::span<const float> model, std::span<RoleState> states) {
  const std::size_t relations = model.size();
  assert(states.size() == heads.size() && (relations == 0 || heads.size() % relations == 0));
  for (std::size_t relation = 0; relation < relations; ++relation) {
    std::size_t best = relation;
    for (std::size_t i = relation; i < heads.size(); i += relations) {
      if (heads[i] > heads[best]) best = i;
    }
    for (std::size_t i = relation; i < heads.size(); i += relations) {
      states[i] = state_of(heads[i], model[relation], i == best, heads[best] >= kOwned);
    }
  }
}

}  // namespace mha
