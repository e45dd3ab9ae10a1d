// Questions about a pass over the wasm boundary: the answers are the core's, and what can't be asked is refused.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "exports_call.hpp"
#include "lab/comparison.hpp"
#include "lab/contribution.hpp"
#include "lab/narrow_projection.hpp"
#include "mha/influence.hpp"
#include "wasm/exports.hpp"

namespace mha::test {
namespace {

using wasm::kComparison;
using wasm::kRegion;
using wasm::kRowShares;

/// What the functions write into.
struct Answers {
  static constexpr std::size_t kPlaces = static_cast<std::size_t>(kMaxRegions) * kRegion.size();
  std::vector<std::int32_t> direct = std::vector<std::int32_t>(kPlaces);
  std::vector<std::int32_t> reached = std::vector<std::int32_t>(kPlaces);
  std::vector<std::int32_t> sizes = std::vector<std::int32_t>(2);
  std::vector<double> shares, whole = std::vector<double>(kRowShares.size());
  std::vector<double> comparison = std::vector<double>(kComparison.size());

  explicit Answers(const Call& call) : shares(static_cast<std::size_t>(call.solved.problem.shape.heads)) {}
};

void check_regions(const std::vector<std::int32_t>& records, std::int32_t size, const Regions& expected) {
  REQUIRE(size == expected.size);
  for (std::size_t i = 0; i < expected.all().size(); ++i) {
    const std::int32_t* const at = records.data() + i * kRegion.size();
    const Region& region = expected.all()[i];
    CHECK(at[kRegion["tensor"]] == static_cast<std::int32_t>(region.tensor));
    CHECK(std::equal(region.first.begin(), region.first.end(), at + kRegion["first"]));
    CHECK(std::equal(region.count.begin(), region.count.end(), at + kRegion["count"]));
  }
}

TEST_CASE("where a number goes is the same over the boundary", "[exports]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    for (int round = 0; round < 10; ++round) {
      Call call(random);
      const Shape& s = call.solved.problem.shape;
      CAPTURE(seed, round, describe(call.solved.problem));
      REQUIRE(call.load() == 0);
      REQUIRE(call.forward() == 0);
      Answers out(call);
      for (std::int32_t i = 0; i < static_cast<std::int32_t>(kTensorCount); ++i) {
        Cell cell{.tensor = static_cast<Tensor>(i)};
        std::array<std::int32_t, kCell.size()> record = {i};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          cell.index[axis] = random.integer(0, static_cast<int>(extent(info(cell.tensor).axes[axis], s)) - 1);
          record[kCell["index"] + axis] = cell.index[axis];
        }
        Influence expected;
        const Outcome outcome = influence(call.solved.evidence(), cell, expected);
        CHECK(call.influence(record.data(), out.direct.data(), out.reached.data(), out.sizes.data()) ==
              number(outcome.status));
        CHECK(call.reported().status == outcome.status);
        if (!outcome.ok()) continue;
        check_regions(out.direct, out.sizes[0], expected.direct);
        check_regions(out.reached, out.sizes[1], expected.reached);
      }
    }
  }
}

TEST_CASE("the lab's answers are the same over the boundary", "[exports]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    Call call(random);
    CAPTURE(seed, describe(call.solved.problem));
    REQUIRE(call.load() == 0);
    REQUIRE(call.forward() == 0);
    Answers out(call);
    const std::int32_t row = call.solved.problem.shape.tokens - 1;
    RowShares whole;
    std::vector<double> shares(out.shares.size());
    REQUIRE(row_shares(call.solved.evidence(), row, whole, shares).ok());
    REQUIRE(call.row_shares(row, out.shares.data(), out.whole.data()) == 0);
    CHECK(out.shares == shares);
    CHECK(out.whole[kRowShares["bias"]] == whole.bias);
    CHECK(out.whole[kRowShares["norm"]] == whole.norm);

    // Numbers that differ, so that the two counts can't be mistaken for each other.
    call.trace[static_cast<std::size_t>(call.solved.trace_layout[Tensor::k].offset)] += 1.0F;
    Evidence evidence = call.solved.evidence();
    evidence.trace = call.trace;
    Comparison found;
    REQUIRE(narrow_projection(evidence, Tensor::k, found).ok());
    REQUIRE(call.narrow(static_cast<std::int32_t>(Tensor::k), out.comparison.data()) == 0);
    CHECK(out.comparison[kComparison["numbers"]] == static_cast<double>(found.numbers));
    CHECK(out.comparison[kComparison["differing"]] == 1.0);
    CHECK(out.comparison[kComparison["largest"]] == found.largest);
  }
}

TEST_CASE("two passes are compared tensor by tensor over the boundary", "[exports]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    Call call(random);
    CAPTURE(seed, describe(call.solved.problem));
    REQUIRE(call.load() == 0);
    REQUIRE(call.forward() == 0);
    Answers out(call);
    const Layout& layout = call.solved.trace_layout;
    std::vector<float> other = call.trace;
    const auto spoilt = static_cast<Tensor>(random.integer(0, static_cast<int>(kTensorCount) - 1));
    const std::span<float> numbers = layout.span(spoilt, std::span(other));
    if (!numbers.empty()) numbers[numbers.size() / 2] += 1.0F;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(kTensorCount); ++i) {
      const auto tensor = static_cast<Tensor>(i);
      CAPTURE(info(tensor).name, info(spoilt).name);
      const std::int32_t status = call.compare(other.data(), i, out.comparison.data());
      CHECK(status == number(layout.find(tensor) ? Status::ok : Status::no_such_cell));
      if (status != 0) continue;
      const std::span<const float> one = layout.span(tensor, std::span<const float>(call.trace));
      Comparison expected;
      compare(one, layout.span(tensor, std::span<const float>(other)), expected);
      CHECK(out.comparison[kComparison["numbers"]] == static_cast<double>(one.size()));
      CHECK(out.comparison[kComparison["differing"]] == static_cast<double>(expected.differing));
      CHECK(out.comparison[kComparison["largest"]] == expected.largest);
      if (tensor == spoilt) CHECK(expected.differing == 1);
    }
  }
}

TEST_CASE("questions that can't be asked", "[exports]") {
  Random random(1);
  Call call(plain_problem({4, 4, 6, 2, 2, 3}, random), Detail::full, random);
  Answers out(call);
  std::vector<std::int32_t> cell = {static_cast<std::int32_t>(Tensor::x), 0, 0, 0};
  const auto q = static_cast<std::int32_t>(Tensor::q);
  const auto follow = [&] {
    return call.influence(cell.data(), out.direct.data(), out.reached.data(), out.sizes.data());
  };
  CHECK(follow() == number(Status::not_loaded));
  CHECK(call.row_shares(0, out.shares.data(), out.whole.data()) == number(Status::not_loaded));
  CHECK(call.narrow(q, out.comparison.data()) == number(Status::not_loaded));
  REQUIRE(call.load() == 0);
  REQUIRE(call.forward() == 0);

  CHECK(follow() == 0);
  for (const std::int32_t tensor : {-1, static_cast<std::int32_t>(kTensorCount)}) {
    cell[0] = tensor;
    CHECK(follow() == number(Status::no_such_cell));
  }
  cell = {static_cast<std::int32_t>(Tensor::x), 4, 0, 0};
  CHECK(follow() == number(Status::no_such_cell));
  CHECK(call.reported().tensor == Tensor::x);
  CHECK(call.row_shares(4, out.shares.data(), out.whole.data()) == number(Status::no_such_cell));
  for (const std::int32_t role : {-1, 0, static_cast<std::int32_t>(kTensorCount), 2147483647}) {
    CHECK(call.narrow(role, out.comparison.data()) == number(Status::no_such_cell));
  }

  cell[1] = 0;
  CHECK(call.influence(nullptr, out.direct.data(), out.reached.data(), out.sizes.data()) == number(Status::wrong_size));
  CHECK(call.influence(cell.data(), nullptr, out.reached.data(), out.sizes.data()) == number(Status::wrong_size));
  CHECK(call.influence(cell.data(), out.direct.data(), nullptr, out.sizes.data()) == number(Status::wrong_size));
  CHECK(call.influence(cell.data(), out.direct.data(), out.reached.data(), nullptr) == number(Status::wrong_size));
  CHECK(call.row_shares(0, nullptr, out.whole.data()) == number(Status::wrong_size));
  CHECK(call.row_shares(0, out.shares.data(), nullptr) == number(Status::wrong_size));
  CHECK(call.narrow(q, nullptr) == number(Status::wrong_size));

  CHECK(call.compare(call.trace.data(), q, out.comparison.data()) == 0);
  for (const std::int32_t tensor : {-1, 0, static_cast<std::int32_t>(kTensorCount), 2147483647}) {
    CHECK(call.compare(call.trace.data(), tensor, out.comparison.data()) == number(Status::no_such_cell));
  }
  CHECK(call.compare(nullptr, q, out.comparison.data()) == number(Status::wrong_size));
  CHECK(call.compare(call.trace.data(), q, nullptr) == number(Status::wrong_size));
  call.shape[0] = 0;
  CHECK(call.compare(call.trace.data(), q, out.comparison.data()) == number(Status::tokens_out_of_range));
}

}  // namespace
}  // namespace mha::test
