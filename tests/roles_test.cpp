#include "lab/roles.hpp"

#include <catch2/catch_test_macros.hpp>
#include <vector>

using mha::RoleState;

namespace {

std::vector<RoleState> states(const std::vector<float>& heads, const std::vector<float>& model) {
  std::vector<RoleState> found(heads.size());
  mha::role_states(heads, model, found);
  return found;
}

}  // namespace

TEST_CASE("a relation belongs to the head that is right most often, from nine of ten cases on", "[roles]") {
  CHECK(states({0.89F, 0.97F, 0.9F}, {1.0F}) ==
        std::vector{RoleState::partial, RoleState::owner, RoleState::duplicate});
  SECTION("of equal heads the first owns it") {
    CHECK(states({0.3F, 1.0F, 1.0F}, {1.0F}) == std::vector{RoleState::low, RoleState::owner, RoleState::duplicate});
  }
}

TEST_CASE("heads share a relation if the model knows it and none of them does alone", "[roles]") {
  CHECK(states({0.5F, 0.6F, 0.49F}, {0.9F}) == std::vector{RoleState::shared, RoleState::shared, RoleState::low});
  CHECK(states({0.5F, 0.6F, 0.49F}, {0.89F}) == std::vector{RoleState::partial, RoleState::partial, RoleState::low});
}

TEST_CASE("a relation that nobody asked about has no state", "[roles]") {
  CHECK(states({1.0F, 0.2F, 0.0F, 1.0F}, {-1.0F, 1.0F}) ==
        std::vector{RoleState::unmeasured, RoleState::low, RoleState::unmeasured, RoleState::owner});
}

TEST_CASE("each relation is judged by its own column, each head by its own row", "[roles]") {
  // Two heads, three relations: the first owns one, the second another, the third nobody.
  CHECK(
      states({1.0F, 0.1F, 0.2F, 0.1F, 1.0F, 0.3F}, {1.0F, 1.0F, 0.4F}) ==
      std::vector{RoleState::owner, RoleState::low, RoleState::low, RoleState::low, RoleState::owner, RoleState::low});
}
