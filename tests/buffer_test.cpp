// A block that grows, and that is in one place only.
#include "mha/buffer.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <utility>

namespace mha::test {
namespace {

TEST_CASE("a buffer grows and lies on cache lines", "[buffer]") {
  Buffer buffer;
  CHECK(buffer.capacity() == 0);
  CHECK(buffer.data() == nullptr);
  for (const std::size_t floats : {1U, 16U, 17U, 5000U}) {
    REQUIRE(buffer.reserve(floats));
    CHECK(buffer.capacity() >= floats);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64 == 0);
    buffer.data()[floats - 1] = 1.0F;
  }
  const float* const block = buffer.data();
  REQUIRE(buffer.reserve(4999));  // enough is there: it stays
  CHECK(buffer.data() == block);
}

TEST_CASE("a buffer that was moved from is empty and can be used again", "[buffer]") {
  Buffer from;
  REQUIRE(from.reserve(100));
  const float* const block = from.data();
  Buffer to = std::move(from);
  CHECK(to.data() == block);
  CHECK(to.capacity() == 100);
  // NOLINTBEGIN(bugprone-use-after-move): that is what is tested
  CHECK(from.data() == nullptr);
  CHECK(from.capacity() == 0);
  REQUIRE(from.reserve(10));
  from.data()[9] = 1.0F;

  to = std::move(from);
  CHECK(to.capacity() == 10);
  CHECK(from.capacity() == 0);
  // NOLINTEND(bugprone-use-after-move)
  REQUIRE(to.reserve(100));
  to.data()[99] = 1.0F;
}

}  // namespace
}  // namespace mha::test
