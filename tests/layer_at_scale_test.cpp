// A layer whose weights are never stored, against the ordinary pass with the same weights stored.
#include "lab/layer_at_scale.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "lab/models.hpp"
#include "problem.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

std::vector<float> stored(const SeededMatrix& matrix) {
  std::vector<float> all;
  for (std::int32_t row = 0; row < matrix.rows(); ++row) {
    for (std::int32_t column = 0; column < matrix.columns(); ++column) all.push_back(matrix.at(row, column));
  }
  return all;
}

/// A layer and its room, between guards.
struct Run {
  Guarded room;
  LayerAtScale layer;

  Run(const Shape& shape, std::uint32_t seed, std::int32_t number = 0)
      : room(LayerAtScale::room(shape)), layer(shape, seed, number, room.span()) {}

  void add(std::int32_t first, std::int32_t last) {
    for (std::int32_t head = first; head < last; ++head) layer.add_head(head);
  }
};

/// What the layer computes, as a problem for the ordinary pass.
Problem problem_of(const Shape& shape, const LayerAtScale& layer) {
  Problem p;
  p.shape = shape;
  p.x.assign(layer.x().begin(), layer.x().end());
  p.w_q = stored(layer.w_q());
  p.w_k = stored(layer.w_k());
  p.w_v = stored(layer.w_v());
  p.w_o = stored(layer.w_o());
  return p;
}

/// "" if every number of `got` is within the a priori bound of the reference, which holds for sums in any order.
std::string beyond(std::span<const float> got, const Bounded& want, double relative) {
  const double limit = relative * largest(want.value);
  std::size_t place = 0;
  for (Eigen::Index row = 0; row < want.value.rows(); ++row) {
    for (Eigen::Index column = 0; column < want.value.cols(); ++column, ++place) {
      const double error = std::abs(double{got[place]} - want.value(row, column));
      if (!(error <= std::min(want.bound(row, column), limit))) {
        return text("row %d column %d: got %.9g, want %.9g, bound %.3g", static_cast<int>(row),
                    static_cast<int>(column), double{got[place]}, want.value(row, column), want.bound(row, column));
      }
    }
  }
  return "";
}

Shape random_shape(Random& random) {
  const int g = random.integer(1, 3);
  const int n = random.pick({1, 2, 3, 5, 6, 7, 8, 11, 12, 13, 31, 32});
  return {.tokens = n,
          .context = n,
          .model_dim = random.pick({1, 2, 3, 7, 8, 15, 16, 17, 33, 64, 100}),
          .heads = g * random.integer(1, 4),
          .kv_heads = g,
          .head_dim = random.pick({1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 33})};
}

void check_against_reference(const Shape& shape, std::uint32_t seed) {
  Run run(shape, seed, 3);
  run.layer.begin();
  const Problem p = problem_of(shape, run.layer);
  CAPTURE(seed, describe(p));
  const Reference want = reference_of(p);
  for (std::int32_t head = 0; head < shape.heads; ++head) {
    run.layer.add_head(head);
    CHECK(beyond(run.layer.weights(), want.weights[static_cast<std::size_t>(head)], kBoundOnly) == "");
  }
  CHECK(run.room.intact());
  CHECK(beyond(run.layer.output(), want.output, kBoundOnly) == "");

  // And the ordinary pass, which is no further from the reference.
  const Pass pass = mha::test::run(p);
  REQUIRE(pass.outcome.ok());
  CHECK(beyond(pass[Tensor::output], want.output, kBoundOnly) == "");
}

TEST_CASE("a layer at scale is the ordinary one with its weights stored", "[at_scale]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    for (int round = 0; round < 40; ++round) check_against_reference(random_shape(random), seed);
  }
}

TEST_CASE("matrices of more rows than are made at a time", "[at_scale]") {
  // Around 256 and 512 rows, for W_Q by d and for W_O by k; grouped, and k ≠ d/h.
  for (const Shape& shape : {Shape{3, 3, 255, 2, 2, 4}, Shape{5, 5, 256, 4, 1, 3}, Shape{11, 11, 257, 4, 2, 5},
                             Shape{2, 2, 513, 3, 3, 2}, Shape{7, 7, 9, 2, 1, 300}, Shape{11, 11, 530, 2, 2, 257}}) {
    check_against_reference(shape, Catch::getSeed());
  }
}

TEST_CASE("a small model of the table within the house limit", "[at_scale]") {
  const Shape shape = kModels[0].layer(11);
  REQUIRE(shape == self_attention(11, 512, 8));
  Run run(shape, Catch::getSeed());
  run.layer.begin();
  run.add(0, shape.heads);
  const Problem p = problem_of(shape, run.layer);
  CHECK(beyond(run.layer.output(), reference_of(p).output, kHouseLimit) == "");
}

TEST_CASE("X has variance 1, and rows of attention weights sum to 1", "[at_scale]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    const Shape shape = {32, 32, 2048, 3, 1, 64};
    Run run(shape, seed);
    run.layer.begin();
    double sum = 0.0, squares = 0.0;
    for (const float value : run.layer.x()) {
      sum += double{value};
      squares += double{value} * double{value};
    }
    const double count = 32 * 2048;
    CHECK(std::abs(sum / count) < 6 / std::sqrt(count));
    CHECK(std::abs(squares / count - 1.0) < 6 * std::sqrt(0.8 / count));
    for (std::int32_t head = 0; head < shape.heads; ++head) {
      run.layer.add_head(head);
      for (std::size_t row = 0; row < 32; ++row) {
        double weights = 0.0;
        for (const float weight : run.layer.weights().subspan(row * 32, 32)) weights += double{weight};
        CHECK(std::abs(weights - 1.0) < 1e-5);
      }
    }
  }
}

TEST_CASE("matrices of a layer have the shapes and limits of the table of tensors", "[at_scale]") {
  const Shape shape = {4, 4, 30, 6, 2, 7};
  Run run(shape, 1);
  const auto check = [&](const SeededMatrix& matrix, Tensor tensor) {
    const auto& axes = info(tensor).axes;
    CHECK(matrix.rows() == extent(axes[0], shape));
    CHECK(matrix.columns() == extent(axes[1], shape));
    const double limit = std::sqrt(6.0 / (matrix.rows() + matrix.columns()));
    double most = 0.0;
    for (const float value : stored(matrix)) most = std::max(most, std::abs(double{value}));
    CHECK(most <= limit * (1 + kUnit));
    CHECK(most > 0.9 * limit);
  };
  check(run.layer.w_q(), Tensor::w_q);
  check(run.layer.w_k(), Tensor::w_k);
  check(run.layer.w_v(), Tensor::w_v);
  check(run.layer.w_o(), Tensor::w_o);
}

TEST_CASE("seeds and layers have numbers of their own, the same in every run", "[at_scale]") {
  const Shape shape = {3, 3, 20, 4, 2, 5};
  const auto output = [&](std::uint32_t seed, std::int32_t number) {
    Run run(shape, seed, number);
    run.layer.begin();
    run.add(0, shape.heads);
    return std::vector<float>(run.layer.output().begin(), run.layer.output().end());
  };
  CHECK(same_bits(output(1, 0), output(1, 0)));
  CHECK_FALSE(same_bits(output(1, 0), output(2, 0)));
  CHECK_FALSE(same_bits(output(1, 0), output(1, 1)));
}

TEST_CASE("a layer goes on where another object over the same room left off", "[at_scale]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    for (int round = 0; round < 20; ++round) {
      const Shape shape = random_shape(random);
      CAPTURE(seed, round, shape.tokens, shape.model_dim, shape.heads, shape.kv_heads, shape.head_dim);
      Run whole(shape, seed);
      whole.layer.begin();
      whole.add(0, shape.heads);

      Guarded room(LayerAtScale::room(shape));
      for (std::int32_t head = 0; head < shape.heads; ++head) {
        LayerAtScale slice(shape, seed, 0, room.span());
        if (head == 0) slice.begin();
        slice.add_head(head);
      }
      CHECK(room.intact());
      CHECK(same_bits(LayerAtScale(shape, seed, 0, room.span()).output(), whole.layer.output()));
    }
  }
}

TEST_CASE("a layer that was given up leaves nothing to the next one in its room", "[at_scale]") {
  const Shape shape = {11, 11, 40, 6, 2, 8};
  Run fresh(shape, 2);
  fresh.layer.begin();
  fresh.add(0, shape.heads);
  for (std::int32_t done = 0; done < shape.heads; ++done) {
    Run run(shape, 1);
    run.layer.begin();
    run.add(0, done);
    LayerAtScale next(shape, 2, 0, run.room.span());
    next.begin();
    for (std::int32_t head = 0; head < shape.heads; ++head) next.add_head(head);
    CHECK(same_bits(next.output(), fresh.layer.output()));
  }
}

TEST_CASE("every model with heads can be run, and its room is a small part of its weights", "[at_scale]") {
  for (const Model& model : kModels) {
    if (model.kind != ModelKind::heads) continue;
    CAPTURE(std::string(model.name));
    for (const std::int32_t tokens : {1, 11, kMaxTokensAtScale}) {
      const Shape shape = model.layer(tokens);
      CHECK(validate_at_scale(shape).ok());
      const CostAtScale cost = cost_at_scale(shape);
      CHECK(cost.room_bytes == static_cast<double>(LayerAtScale::room(shape)) * 4);
      CHECK(cost.room_bytes <= static_cast<double>(kMaxRoomAtScale));
      if (tokens == 11) CHECK(cost.room_bytes <= 0x1.8p20);  // 1.5 MiB
    }
  }
}

TEST_CASE("no shape that is allowed takes more than the room allowed", "[at_scale]") {
  for (const std::int32_t k : {1, 2, 16, 128, kMaxHeadDimAtScale}) {
    const std::int32_t h = kMaxDimAtScale / k;
    const Shape shape = {kMaxTokensAtScale, kMaxTokensAtScale, kMaxDimAtScale, h, h, k};
    CHECK(validate_at_scale(shape).ok());
    CHECK(LayerAtScale::room(shape) * sizeof(float) <= kMaxRoomAtScale);
  }
}

TEST_CASE("costs are those of the formulas", "[at_scale]") {
  const CostAtScale gpt3 = cost_at_scale({11, 11, 12288, 96, 96, 128});
  CHECK(gpt3.weights == 4.0 * 12288 * 12288);
  CHECK(gpt3.weight_bytes == 16.0 * 12288 * 12288);
  CHECK(gpt3.flops == 8.0 * 11 * 12288 * 12288 + 4.0 * 11 * 11 * 12288);  // lesson, claim 2
  const CostAtScale grouped = cost_at_scale({2, 2, 10, 6, 2, 3});
  CHECK(grouped.weights == 10 * 18 + 2 * 10 * 6 + 18 * 10);
  CHECK(grouped.flops == 2.0 * 2 * grouped.weights + 2 * 2.0 * 2 * 2 * 18);
}

TEST_CASE("sizes that can't be are refused by name", "[at_scale]") {
  const Shape good = {11, 11, 64, 4, 2, 16};
  REQUIRE(validate_at_scale(good).ok());
  const auto with = [&](auto change) {
    Shape shape = good;
    change(shape);
    return validate_at_scale(shape);
  };
  for (const std::int32_t bad : {0, -1, INT32_MIN}) {
    CAPTURE(bad);
    CHECK(with([&](Shape& s) { s.tokens = s.context = bad; }).status == Status::tokens_out_of_range);
    CHECK(with([&](Shape& s) { s.model_dim = bad; }).status == Status::model_dim_out_of_range);
    CHECK(with([&](Shape& s) { s.heads = bad; }).status == Status::heads_out_of_range);
    CHECK(with([&](Shape& s) { s.kv_heads = bad; }).status == Status::kv_heads_not_a_divisor);
    CHECK(with([&](Shape& s) { s.head_dim = bad; }).status == Status::head_dim_out_of_range);
  }
  const Outcome context = with([](Shape& s) { s.context = 12; });
  CHECK(context.status == Status::tokens_out_of_range);
  CHECK(context.tensor == Tensor::context);
  CHECK(with([](Shape& s) { s.kv_heads = 3; }).status == Status::kv_heads_not_a_divisor);
  CHECK(with([](Shape& s) { s.kv_heads = 8; }).status == Status::kv_heads_not_a_divisor);
  CHECK(with([](Shape& s) { s.tokens = s.context = kMaxTokensAtScale + 1; }).status == Status::too_large);
  CHECK(with([](Shape& s) { s.model_dim = kMaxDimAtScale + 1; }).status == Status::too_large);
  CHECK(with([](Shape& s) { s.head_dim = kMaxHeadDimAtScale + 1; }).status == Status::too_large);
  CHECK(with([](Shape& s) { s.heads = s.kv_heads = INT32_MAX; }).status == Status::too_large);
  CHECK(with([](Shape& s) { s.heads = s.kv_heads = kMaxDimAtScale / 16 + 1; }).status == Status::too_large);
}

}  // namespace
}  // namespace mha::test
