// Adam against torch.optim.Adam, and against the same in double.
#include "train/adam.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "support.hpp"
#include "training_golden.hpp"

namespace mha::test {
namespace {

struct State {
  std::vector<float> parameters, first, second;

  explicit State(std::vector<float> start) : parameters(std::move(start)), first(parameters.size()), second(first) {}
  AdamState<const float> read() const { return {parameters, first, second}; }
  AdamState<float> write() { return {parameters, first, second}; }
};

TEST_CASE("Adam makes PyTorch's steps", "[adam][golden]") {
  const TrainingGolden golden("adam");
  State state(golden["start"]);
  const std::size_t count = state.parameters.size();
  const AdamOptions options = {.learning_rate = golden.number("learning_rate")};
  for (std::size_t step = 0; step * count < golden["gradients"].size(); ++step) {
    adam_step(options, step + 1, std::span(golden["gradients"]).subspan(step * count, count), state.read(),
              state.write());
    for (std::size_t i = 0; i < count; ++i) {
      CAPTURE(step, i);
      const double want = golden["parameters"][step * count + i];
      const double moved = 0.003 * static_cast<double>(step + 1);  // no step is much longer than the learning rate
      CHECK(std::abs(static_cast<double>(state.parameters[i]) - want) <=
            static_cast<double>(step + 2) * kUnit * std::abs(want) + 32 * kUnit * moved);
    }
  }
}

TEST_CASE("Adam follows its equations over a thousand steps", "[adam]") {
  Random random(Catch::getSeed());
  const AdamOptions options = {.learning_rate = 0.01, .beta1 = 0.8, .beta2 = 0.99, .epsilon = 1e-6};
  const std::size_t count = static_cast<std::size_t>(random.integer(1, 20));
  State state(random.numbers(count));
  std::vector<double> p(state.parameters.begin(), state.parameters.end()), m(count), v(count);
  for (int step = 1; step <= 1000; ++step) {
    const std::vector<float> gradient = random.numbers(count);
    adam_step(options, static_cast<std::uint64_t>(step), gradient, state.read(), state.write());
    for (std::size_t i = 0; i < count; ++i) {
      const double g = gradient[i];
      m[i] = 0.8 * m[i] + 0.2 * g;
      v[i] = 0.99 * v[i] + 0.01 * g * g;
      p[i] -= 0.01 / (1 - std::pow(0.8, step)) * m[i] / (std::sqrt(v[i] / (1 - std::pow(0.99, step))) + 1e-6);
    }
  }
  // Each step rounds the parameter once, and is itself a few roundings of at most 0.01 away from right.
  for (std::size_t i = 0; i < count; ++i) {
    CHECK(std::abs(static_cast<double>(state.parameters[i]) - p[i]) <= 1000 * kUnit * (std::abs(p[i]) + 1.0));
  }
}

TEST_CASE("what is lane by lane and what is left over are the same bits, in place or apart", "[adam]") {
  Random random(Catch::getSeed());
  const std::vector<float> start = random.numbers(19), gradient = random.numbers(19);
  State whole(start), apart(start);
  State from(start);
  adam_step({}, 1, gradient, whole.read(), whole.write());
  adam_step({}, 1, gradient, from.read(), apart.write());
  CHECK(same_bits(whole.parameters, apart.parameters));
  CHECK(same_bits(whole.second, apart.second));
  CHECK(same_bits(from.parameters, start));
  for (std::size_t i = 0; i < start.size(); ++i) {
    State one({start[i]});
    adam_step({}, 1, std::span(gradient).subspan(i, 1), one.read(), one.write());
    CHECK(same_bits(one.parameters[0], whole.parameters[i]));
    CHECK(same_bits(one.first[0], whole.first[i]));
    CHECK(same_bits(one.second[0], whole.second[i]));
  }
}

TEST_CASE("without a gradient nothing moves", "[adam]") {
  State state({1.0F, -2.5F, 0.0F, 1e-30F, 7.0F});
  const std::vector<float> start = state.parameters, none(5);
  for (std::uint64_t step = 1; step <= 100; ++step) adam_step({}, step, none, state.read(), state.write());
  CHECK(same_bits(state.parameters, start));
}

TEST_CASE("the bits of Adam are the same in every build", "[adam]") {
  State state(std::vector<float>(11, 0.5F));
  for (std::uint64_t step = 1; step <= 50; ++step) {
    std::vector<float> gradient(11);
    for (std::size_t i = 0; i < 11; ++i) gradient[i] = static_cast<float>((step * 7 + i * 3) % 13) - 6.0F;
    adam_step({}, step, gradient, state.read(), state.write());
  }
  CHECK(hash_of(state.parameters) == 0xbcc0fa10800f161bU);
}

}  // namespace
}  // namespace mha::test
