// Numbers that are too large: a pass is finite, or says where it overflowed.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "mha/attention.hpp"
#include "problem.hpp"
#include "problem_parts.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

TEST_CASE("huge numbers give a finite pass, or overflow with its place", "[input]") {
  int overflows = 0, finite = 0;
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    const Problem good = whole_problem(random);
    for (const Part& part : kParts) {
      CAPTURE(part.name());
      for (const float huge : {1e30F, -1e30F, 3e38F, -3e38F}) {
        for (const bool everywhere : {false, true}) {
          CAPTURE(huge, everywhere);
          Problem p = good;
          auto& values = p.*part.values;
          for (std::size_t i = 0; i < values.size(); ++i) {
            if (everywhere || i == values.size() / 2) values[i] = huge;
          }
          for (const Detail detail : {Detail::full, Detail::core}) {
            const Pass pass = run(p, detail);
            CHECK(pass.trace.intact());
            if (pass.outcome.ok()) {
              ++finite;
              CHECK(not_finite(pass) == "");
              continue;
            }
            ++overflows;
            CHECK(pass.outcome.status == Status::overflow);
            REQUIRE(pass.outcome.tensor != Tensor::count);
            const TensorInfo& tensor = info(pass.outcome.tensor);
            CHECK(tensor.slab == Slab::trace);
            for (std::size_t place = 0; place < 3; ++place) {
              const std::int64_t length =
                  place < static_cast<std::size_t>(tensor.rank) ? extent(tensor.axes[place], p.shape) : 0;
              CHECK(pass.outcome.index[place] >= (length > 0 ? 0 : -1));
              CHECK(pass.outcome.index[place] < length);
            }
          }
        }
      }
    }
  }
  CHECK(overflows > 100);  // both kinds are met
  CHECK(finite > 100);
}

TEST_CASE("an overflow is named where it happens", "[input]") {
  // One token, one head, all matrices of one number: what is too large is known.
  struct Case {
    Tensor tensor;
    float x, w_q, w_k, w_v, w_o, scale;
  };
  for (const Case& made :
       {Case{Tensor::q, 1e20F, 1e20F, 1, 1, 1, 1}, Case{Tensor::k, 1e20F, 1, 1e20F, 1, 1, 1},
        Case{Tensor::v, 1e20F, 1, 1, 1e20F, 1, 1}, Case{Tensor::raw_scores, 1, 1e20F, 1e20F, 1, 1, 1},
        Case{Tensor::scaled_scores, 1, 1e20F, 1e10F, 1, 1, 1e20F},
        Case{Tensor::scaled_scores, 1, 1e20F, -1e10F, 1, 1, 1e20F}, Case{Tensor::output, 1, 1, 1, 1e20F, 1e20F, 1}}) {
    CAPTURE(info(made.tensor).name);
    Problem p;
    p.shape = {1, 1, 1, 1, 1, 1};
    p.x = {made.x};
    p.w_q = {made.w_q};
    p.w_k = {made.w_k};
    p.w_v = {made.w_v};
    p.w_o = {made.w_o};
    p.switches.scale = Options::Scale::given;
    p.switches.scale_value = made.scale;
    for (const Detail detail : {Detail::full, Detail::core}) {
      const Outcome outcome = run(p, detail).outcome;
      CHECK(outcome.status == Status::overflow);
      CHECK(outcome.tensor == made.tensor);
    }
  }
  // A gate that makes a head too large shows in concat, a mask in masked_scores, in both directions:
  // only a mask of −∞ forbids, and that for every head alike.
  Problem p;
  p.shape = {1, 2, 1, 1, 1, 1};
  p.x = {1};
  p.context = {1e20F, 1};
  p.w_q = p.w_k = p.w_v = p.w_o = {1};
  p.gates = {3e38F};
  CHECK(run(p).outcome.tensor == Tensor::concat);
  p.gates.clear();
  p.x = {1e18F};
  p.mask = {0, 3.4e38F};
  CHECK(run(p).outcome.ok());
  p.mask = {3.4e38F, 0};
  CHECK(run(p).outcome.tensor == Tensor::masked_scores);
  CHECK(run(p).outcome.index == std::array<std::int32_t, 3>{0, 0, 0});
  p.x = {-1e18F};
  p.mask = {-3.4e38F, 0};
  CHECK(run(p).outcome.status == Status::overflow);
  CHECK(run(p).outcome.tensor == Tensor::masked_scores);
  p.mask = {-std::numeric_limits<float>::max(), 0};
  p.x = {-5e-20F};
  CHECK(run(p).outcome.ok());
}

TEST_CASE("an overflow in a later head is named with head, row and column", "[input]") {
  // Head 1 has 1, 10¹⁵ or 10²⁰ where head 0 has 10⁻²⁰ or 1: only its last row and column become too large.
  Problem p;
  p.shape = {2, 3, 1, 2, 2, 1};
  p.x = {1e-20F, 1};
  p.context = {1e-20F, 1e-20F, 1};
  p.w_q = p.w_k = {1, 1e20F};
  p.w_v = {1, 1};
  p.w_o = {1, 1e20F};
  constexpr std::array<std::int32_t, 3> kPlace = {1, 1, 2};
  const Outcome raw = run(p).outcome;
  CHECK(raw.tensor == Tensor::raw_scores);
  CHECK(raw.index == kPlace);
  p.w_q = p.w_k = {1, 1e15F};
  p.switches.scale = Options::Scale::given;
  p.switches.scale_value = 1e10F;
  const Outcome scaled = run(p).outcome;
  CHECK(scaled.tensor == Tensor::scaled_scores);
  CHECK(scaled.index == kPlace);
  p.switches.scale_value = 1;
  p.mask = {0, 0, 0, 0, 0, 3.4028235e38F};
  p.w_q = p.w_k = {1, 1e19F};
  const Outcome masked = run(p).outcome;
  CHECK(masked.tensor == Tensor::masked_scores);
  CHECK(masked.index == kPlace);

  Attention attention;
  REQUIRE(attention.load(p.shape, p.parameters()).ok());
  const std::vector<float> concat = {1, 1, 1, 1e20F};
  for (const std::int32_t first : {0, 1}) {
    Guarded out(static_cast<std::size_t>(2 - first) * 2);
    const Outcome part = attention.contributions(p.shape, concat, first, 2 - first, out.span());
    CHECK(part.status == Status::overflow);
    CHECK(part.tensor == Tensor::contributions);
    CHECK(part.index == std::array<std::int32_t, 3>{1, 1, 0});
  }
}

TEST_CASE("an overflow beyond the 2³²nd contribution is named, where a size_t has 32 bits too", "[input]") {
  // n·d = 2²¹: the contributions of head 2048 begin at number 2³².
  const Shape shape = {512, 1, 4096, 2049, 1, 1};
  Problem p;
  p.shape = shape;
  for (const Part& part : kParts) {
    if (part.name().starts_with("w_")) (p.*part.values).resize(floats(part.tensor, shape));
  }
  p.w_o.back() = 1e30F;
  Attention attention;
  REQUIRE(attention.load(shape, p.parameters()).ok());
  std::vector<float> concat(floats(Tensor::concat, shape));
  concat[3 * 2049 - 1] = 1e30F;
  Guarded out(floats(Tensor::output, shape));
  const Outcome outcome = attention.contributions(shape, concat, 2048, 1, out.span());
  CHECK(outcome.status == Status::overflow);
  CHECK(outcome.tensor == Tensor::contributions);
  CHECK(outcome.index == std::array<std::int32_t, 3>{2048, 2, 4095});
}

TEST_CASE("a masked key may be as large as it likes, as long as it is finite", "[input]") {
  Random random(Catch::getSeed());
  Problem p = plain_problem(self_attention(4, 6, 2), random);
  p.switches.causal = true;
  for (std::size_t i = 18; i < 24; ++i) p.x[i] = 1e15F;  // the last token, which only itself may see
  const Pass pass = run(p);
  REQUIRE(pass.outcome.ok());
  Problem small = p;
  for (std::size_t i = 18; i < 24; ++i) small.x[i] = 1.0F;
  CHECK(same_bits(pass[Tensor::output].first(18), run(small)[Tensor::output].first(18)));
}

}  // namespace
}  // namespace mha::test
