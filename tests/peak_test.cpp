// The loop that the peak is measured with: what it says it did.
#include "mha/peak.hpp"

#include <catch2/catch_test_macros.hpp>

#include "mha/simd.hpp"
#include "wasm/exports.hpp"

namespace mha::test {
namespace {

TEST_CASE("the peak loop does as many operations as it was asked for", "[peak]") {
  const double one = multiply_add_peak(1);
  CHECK(one >= 2.0 * kLanes);
  for (const std::int32_t rounds : {2, 7, 1000}) CHECK(multiply_add_peak(rounds) == rounds * one);
  CHECK(mha_peak(7) == 7 * one);
}

TEST_CASE("no rounds are no operations", "[peak]") {
  for (const std::int32_t rounds : {0, -1, -2147483647 - 1}) CHECK(multiply_add_peak(rounds) == 0);
}

}  // namespace
}  // namespace mha::test
