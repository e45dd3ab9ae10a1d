// What a pass refuses, and that it says which number of which tensor. (Numbers that overflow: attention_overflow_test.)
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <utility>
#include <vector>

#include "mha/attention.hpp"
#include "problem.hpp"
#include "problem_parts.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

/// The index, along the part's own axes, of element `element`.
std::array<std::int32_t, 3> index_of(const Part& part, std::size_t element) {
  const auto place = static_cast<std::int32_t>(element);
  if (part.is_gates() || info(part.tensor).rank == 1) return {place, -1, -1};
  const auto width = static_cast<std::int32_t>(extent(info(part.tensor).axes[1], kShape));
  return {place / width, place % width, -1};
}

TEST_CASE("NaN and infinity are refused wherever they stand, by name and index", "[input]") {
  Random random(Catch::getSeed());
  const Problem good = whole_problem(random);
  REQUIRE(run(good).outcome.ok());
  for (const Part& part : kParts) {
    CAPTURE(part.name());
    for (std::size_t element = 0; element < (good.*part.values).size(); ++element) {
      for (const float bad : {kNan, kInfinity, -kInfinity}) {
        if (part.tensor == Tensor::mask && bad == -kInfinity) continue;
        CAPTURE(element, bad);
        Problem p = good;
        (p.*part.values)[element] = bad;
        const Outcome outcome = run(p).outcome;
        CHECK(outcome.status == (part.is_gates() ? Status::bad_gate : Status::not_finite));
        CHECK(outcome.tensor == part.tensor);
        CHECK(outcome.index == index_of(part, element));
      }
    }
  }
}

TEST_CASE("of several bad numbers the first is named", "[input]") {
  Random random(Catch::getSeed());
  Problem p = whole_problem(random);
  p.x[7] = p.x[20] = kNan;
  p.mask[2] = kInfinity;
  const Outcome outcome = run(p).outcome;
  CHECK(outcome.tensor == Tensor::x);
  CHECK(outcome.index == std::array<std::int32_t, 3>{1, 1, -1});
}

TEST_CASE("wrong sizes are refused, by name", "[input]") {
  Random random(Catch::getSeed());
  const Problem good = whole_problem(random);
  for (const Part& part : kParts) {
    CAPTURE(part.name());
    const std::size_t size = (good.*part.values).size();
    for (const std::size_t wrong : {std::size_t{0}, size - 1, size + 1, 2 * size}) {
      CAPTURE(wrong);
      Problem p = good;
      (p.*part.values).resize(wrong, 0.5F);
      const Outcome outcome = run(p).outcome;
      if (wrong == 0 && part.may_be_empty) {
        CHECK(outcome.ok());
      } else {
        CHECK(outcome.status == (part.is_gates() ? Status::bad_gate : Status::wrong_size));
        CHECK(outcome.tensor == part.tensor);
        CHECK(outcome.index[0] == -1);
      }
    }
  }
}

TEST_CASE("a trace of the wrong size is refused and not touched", "[input]") {
  Random random(Catch::getSeed());
  const Problem p = whole_problem(random);
  Attention attention;
  REQUIRE(attention.load(p.shape, p.parameters()).ok());
  for (const Detail detail : {Detail::core, Detail::full}) {
    const auto size = static_cast<std::size_t>(Layout(Slab::trace, p.shape, {.detail = detail}).size());
    for (const std::size_t wrong : {std::size_t{0}, size - 1, size + 1}) {
      CAPTURE(wrong);
      Guarded trace(wrong);
      CHECK(attention.forward(p.shape, p.input(), p.options(), detail, trace.span()).status == Status::wrong_size);
      CHECK(trace.intact());
      for (const float value : trace.span()) CHECK(same_bits(value, kNan));
    }
  }
}

TEST_CASE("shapes out of range are refused before anything is read", "[input]") {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  Random random(Catch::getSeed());
  const Problem good = whole_problem(random);
  Attention attention;
  REQUIRE(attention.load(good.shape, good.parameters()).ok());
  struct Range {
    std::int32_t Shape::* size;
    Status status;
    bool by_load;
  };
  const Range ranges[] = {{&Shape::tokens, Status::tokens_out_of_range, false},
                          {&Shape::context, Status::tokens_out_of_range, false},
                          {&Shape::model_dim, Status::model_dim_out_of_range, true},
                          {&Shape::heads, Status::heads_out_of_range, true},
                          {&Shape::kv_heads, Status::kv_heads_not_a_divisor, true},
                          {&Shape::head_dim, Status::head_dim_out_of_range, true}};
  for (const Range& range : ranges) {
    for (const std::int32_t value : {kLeast, -1, 0, kMost}) {
      Shape shape = good.shape;
      shape.*range.size = value;
      CAPTURE(value, shape.tokens, shape.context, shape.model_dim, shape.heads, shape.kv_heads, shape.head_dim);
      Guarded nothing(0);
      CHECK(attention.forward(shape, {}, {}, Detail::full, nothing.span()).status == range.status);
      CHECK_FALSE(attention.contributions(shape, {}, 0, 1, nothing.span()).ok());
      Attention other;
      CHECK(other.load(shape, good.parameters()).status == (range.by_load ? range.status : Status::ok));
      CHECK(other.loaded() == !range.by_load);
    }
  }
}

TEST_CASE("sizes whose product overflows are refused", "[input]") {
  Attention attention;
  Guarded nothing(0);
  CHECK(attention.load({1, 1, 4096, 4096, 1, 1 << 20}, {}).status == Status::head_dim_out_of_range);
  CHECK(attention.forward({512, 512, 4096, 4096, 1, 2}, {}, {}, Detail::full, nothing.span()).status ==
        Status::too_large);
}

TEST_CASE("a pass needs loaded parameters of its sizes", "[input]") {
  Random random(Catch::getSeed());
  const Problem p = whole_problem(random);
  Attention attention;
  CHECK(run(attention, p).outcome.status == Status::not_loaded);
  Guarded out(floats(Tensor::output, p.shape));
  const std::vector<float> concat(floats(Tensor::concat, p.shape));
  CHECK(attention.contributions(p.shape, concat, 0, 1, out.span()).status == Status::not_loaded);
  REQUIRE(attention.load(p.shape, p.parameters()).ok());
  const Problem other = whole_problem(random, {5, 4, 6, 2, 2, 3});
  CHECK(run(attention, other).outcome.status == Status::not_loaded);

  // Refused parameters leave nothing loaded.
  Problem bad = p;
  bad.w_o.back() = kNan;
  CHECK(attention.load(bad.shape, bad.parameters()).status == Status::not_finite);
  CHECK_FALSE(attention.loaded());
  CHECK(run(attention, p).outcome.status == Status::not_loaded);
}

TEST_CASE("options out of range are refused", "[input]") {
  Random random(Catch::getSeed());
  const Problem good = whole_problem(random);
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    Problem p = good;
    p.switches.scale = Options::Scale::given;
    p.switches.scale_value = bad;
    CHECK(run(p).outcome.status == Status::bad_scale);
    p.switches.scale = Options::Scale::inverse_sqrt;  // then the value is not used
    CHECK(run(p).outcome.ok());
  }
  for (const std::int32_t padding :
       {std::numeric_limits<std::int32_t>::min(), -1, kShape.context + 1, std::numeric_limits<std::int32_t>::max()}) {
    CAPTURE(padding);
    Problem p = good;
    p.switches.padding = padding;
    CHECK(run(p).outcome.status == Status::bad_padding);
    CHECK(run(p).outcome.tensor == Tensor::count);
  }
}

TEST_CASE("without a context there are as many keys as tokens", "[input]") {
  Random random(Catch::getSeed());
  Problem p = whole_problem(random);
  p.context.clear();
  CHECK(run(p).outcome.status == Status::wrong_size);
  CHECK(run(p).outcome.tensor == Tensor::context);
}

TEST_CASE("contributions outside the heads are refused", "[input]") {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  Random random(Catch::getSeed());
  const Problem p = whole_problem(random);
  Attention attention;
  REQUIRE(attention.load(p.shape, p.parameters()).ok());
  const Pass pass = run(attention, p);
  const auto concat = pass[Tensor::concat];
  const std::size_t size = floats(Tensor::output, p.shape);
  Guarded out(size);
  for (const auto& [first, count] : std::initializer_list<std::pair<std::int32_t, std::int32_t>>{
           {-1, 1}, {0, 0}, {0, -1}, {4, 1}, {3, 2}, {0, 5}, {kMost, 1}, {1, kMost}, {kMost, kMost}, {-kMost, 1}}) {
    CAPTURE(first, count);
    CHECK(attention.contributions(p.shape, concat, first, count, out.span()).status == Status::no_such_cell);
  }
  CHECK(attention.contributions(p.shape, concat, 0, 2, out.span()).status == Status::wrong_size);
  CHECK(attention.contributions(p.shape, concat.subspan(1), 0, 1, out.span()).tensor == Tensor::concat);
  for (const float value : out.span()) CHECK(same_bits(value, kNan));
  CHECK(out.intact());
}

}  // namespace
}  // namespace mha::test
