// What a pass takes: the formulas, and that every tensor of the core trace is counted.
#include "lab/cost.hpp"

#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "exports_call.hpp"
#include "lab/layer_at_scale.hpp"
#include "mha/gemm.hpp"
#include "mha/layout.hpp"
#include "mha/tensor.hpp"
#include "problem.hpp"

namespace mha::test {
namespace {

using wasm::kCost;

Shape drawn(Random& random) {
  const int g = random.integer(1, 3);
  const int n = random.integer(1, 40);
  return {n,
          random.one_in(2) ? n : random.integer(1, 40),
          random.integer(1, 70),
          g * random.integer(1, 3),
          g,
          random.integer(1, 20)};
}

TEST_CASE("the article's pass", "[cost]") {
  const Cost cost = mha::cost(self_attention(11, 512, 8));
  CHECK(cost.flops == 8.0 * 11 * 512 * 512 + 4.0 * 11 * 11 * 512);
  CHECK(cost.exponentials == 8.0 * 11 * 11);
}

TEST_CASE("flops are those of the products of a pass, one after another", "[cost]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 100; ++round) {
    const Shape s = drawn(random);
    double flops = gemm_flops(s.tokens, s.q_width(), s.model_dim) + gemm_flops(s.tokens, s.model_dim, s.q_width()) +
                   2 * gemm_flops(s.context, s.kv_width(), s.model_dim);
    for (int head = 0; head < s.heads; ++head) {
      flops += gemm_flops(s.tokens, s.context, s.head_dim) + gemm_flops(s.tokens, s.head_dim, s.context);
    }
    CHECK(cost(s).flops == flops);
  }
}

TEST_CASE("bytes are those of every tensor that a pass reads or keeps", "[cost]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 100; ++round) {
    const Shape shape = drawn(random);
    const Parts parts = {.context = shape.context != shape.tokens, .detail = Detail::core};
    double floats = 0;
    for (const Tensor tensor : {Tensor::x, Tensor::context, Tensor::w_q, Tensor::w_k, Tensor::w_v, Tensor::w_o,
                                Tensor::q, Tensor::k, Tensor::v, Tensor::weights, Tensor::concat, Tensor::output}) {
      const auto view = Layout(info(tensor).slab, shape, parts).find(tensor);
      if (view) floats += static_cast<double>(view->count());
    }
    CHECK(cost(shape).bytes == 4 * floats);
  }
}

TEST_CASE("a real model's layer takes the same products", "[cost][at_scale]") {
  const Shape gpt3 = {11, 11, 12288, 96, 96, 128};
  CHECK(cost_at_scale(gpt3).flops == cost(gpt3).flops);
}

TEST_CASE("the cost is the same over the boundary, and what can't be is refused", "[cost][exports]") {
  Random random(Catch::getSeed());
  const Shape shape = drawn(random);
  std::vector<double> record(kCost.size(), -1.0);
  REQUIRE(mha_cost(record_of(shape).data(), record.data()) == 0);
  CHECK(record[kCost["flops"]] == cost(shape).flops);
  CHECK(record[kCost["exponentials"]] == cost(shape).exponentials);
  CHECK(record[kCost["bytes"]] == cost(shape).bytes);
  CHECK(mha_cost(record_of(Shape{}).data(), record.data()) == number(Status::tokens_out_of_range));
  CHECK(mha_cost(record_of(shape).data(), nullptr) == number(Status::wrong_size));
  CHECK(mha_cost(nullptr, record.data()) == number(Status::wrong_size));
}

}  // namespace
}  // namespace mha::test
