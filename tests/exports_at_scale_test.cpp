// A real model's layer over the wasm boundary: the numbers are the core's, and what can't be asked is refused.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "exports_call.hpp"
#include "lab/layer_at_scale.hpp"
#include "lab/models.hpp"
#include "support.hpp"
#include "wasm/exports.hpp"

namespace mha::test {
namespace {

using wasm::kCostAtScale;

constexpr std::int32_t kModelCount = static_cast<std::int32_t>(kModels.size());

bool runs(std::int32_t model) { return kModels[static_cast<std::size_t>(model)].kind == ModelKind::heads; }

TEST_CASE("what a model's layer takes is the same over the boundary", "[exports][at_scale]") {
  for (std::int32_t model = 0; model < kModelCount; ++model) {
    CAPTURE(std::string(kModels[static_cast<std::size_t>(model)].name));
    for (const std::int32_t tokens : {1, 11, kMaxTokensAtScale}) {
      std::vector<double> record(kCostAtScale.size(), -1.0);
      const std::int32_t status = mha_at_scale_cost(model, tokens, record.data());
      if (!runs(model)) {
        CHECK(status == number(Status::no_such_cell));
        continue;
      }
      REQUIRE(status == 0);
      const CostAtScale cost = cost_at_scale(kModels[static_cast<std::size_t>(model)].layer(tokens));
      CHECK(record[kCostAtScale["weights"]] == cost.weights);
      CHECK(record[kCostAtScale["weightBytes"]] == cost.weight_bytes);
      CHECK(record[kCostAtScale["roomBytes"]] == cost.room_bytes);
      CHECK(record[kCostAtScale["flops"]] == cost.flops);
    }
  }
}

TEST_CASE("a model's layer over the boundary is the core's, bit by bit", "[exports][at_scale]") {
  const std::uint32_t seed = Catch::getSeed();
  const Shape shape = kModels[0].layer(5);
  Guarded wanted(LayerAtScale::room(shape));
  LayerAtScale layer(shape, seed, 0, wanted.span());
  layer.begin();
  for (std::int32_t head = 0; head < shape.heads; ++head) layer.add_head(head);

  Guarded room(LayerAtScale::room(shape));
  for (std::int32_t head = 0; head < shape.heads; ++head)
    REQUIRE(mha_at_scale_head(0, 5, seed, head, room.data()) == 0);
  CHECK(room.intact());
  CHECK(same_bits(LayerAtScale(shape, seed, 0, room.span()).output(), layer.output()));
  double rms = -1.0;
  REQUIRE(mha_at_scale_rms(0, 5, room.data(), &rms) == 0);
  CHECK(rms == layer.root_mean_square());
  double squares = 0.0;
  for (const float value : layer.output()) squares += double{value} * double{value};
  CHECK(rms == std::sqrt(squares / (5 * 512)));
}

TEST_CASE("models, heads and rooms that are not there", "[exports][at_scale]") {
  Guarded room(LayerAtScale::room(kModels[0].layer(5)));
  double cost[kCostAtScale.size()], rms = 0.0;
  for (const std::int32_t model : {-1, kModelCount, INT32_MAX, INT32_MIN}) {
    CAPTURE(model);
    CHECK(mha_at_scale_cost(model, 5, cost) == number(Status::no_such_cell));
    CHECK(mha_at_scale_head(model, 5, 1, 0, room.data()) == number(Status::no_such_cell));
    CHECK(mha_at_scale_rms(model, 5, room.data(), &rms) == number(Status::no_such_cell));
  }
  for (std::int32_t model = 0; model < kModelCount; ++model) {
    if (!runs(model)) CHECK(mha_at_scale_head(model, 5, 1, 0, room.data()) == number(Status::no_such_cell));
  }
  for (const std::int32_t tokens : {0, -1, INT32_MIN}) {
    CHECK(mha_at_scale_cost(0, tokens, cost) == number(Status::tokens_out_of_range));
    CHECK(mha_at_scale_head(0, tokens, 1, 0, room.data()) == number(Status::tokens_out_of_range));
  }
  CHECK(mha_at_scale_cost(0, kMaxTokensAtScale + 1, cost) == number(Status::too_large));
  for (const std::int32_t head : {-1, 8, INT32_MAX}) {
    CHECK(mha_at_scale_head(0, 5, 1, head, room.data()) == number(Status::no_such_cell));
  }
  CHECK(mha_at_scale_cost(0, 5, nullptr) == number(Status::wrong_size));
  CHECK(mha_at_scale_head(0, 5, 1, 0, nullptr) == number(Status::wrong_size));
  CHECK(mha_at_scale_head(0, 5, 1, 0, room.data() + 1) == number(Status::wrong_size));
  CHECK(mha_at_scale_rms(0, 5, room.data(), nullptr) == number(Status::wrong_size));
  CHECK(room.intact());
}

}  // namespace
}  // namespace mha::test
