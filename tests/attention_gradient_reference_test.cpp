// The reference of the backward pass against the reference of the forward pass: central differences in double.
#include "mha/attention_gradient_reference.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "gradients.hpp"
#include "problem.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

double loss(const Problem& p, std::span<const float> d_output) {
  const Matrix dy = as_matrix(d_output, p.shape.tokens, p.shape.model_dim);
  return reference_of(p).output.value.cwiseProduct(dy).sum();
}

/// Every number a multiple of 2⁻¹⁰, so that steps of 2⁻¹⁰ and 2⁻¹¹ to either side are exact in float.
void make_coarse(std::vector<float>& values) {
  for (float& value : values) value = std::isfinite(value) ? std::round(value * 0x1p10F) * 0x1p-10F : value;
}

/// ∂L by `number` of `p`: Richardson's (4·D(h/2) − D(h))/3 of central differences D, with an error of h⁴.
double derivative(const Problem& p, float& number, std::span<const float> d_output) {
  const float at = number;
  const auto difference = [&](float step) {
    number = at + step;
    const double above = loss(p, d_output);
    number = at - step;
    const double below = loss(p, d_output);
    number = at;
    return (above - below) / (2.0 * double{step});
  };
  return (4.0 * difference(0x1p-11F) - difference(0x1p-10F)) / 3.0;
}

/// "" if `want` is the derivative by each of `numbers`, within 10⁻⁶ of it. `scale` is the largest gradient of all:
/// where one is 0 on paper, 10⁻¹⁰ of that is what differences lose.
std::string differs(const Problem& p, std::vector<float>& numbers, const Bounded& want, double scale,
                    std::span<const float> d_output) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double value = want.value.data()[i];
    const double got = derivative(p, numbers[i], d_output);
    if (!(std::abs(got - value) <= 1e-6 * std::abs(value) + 1e-10 * scale)) {
      return text("element %d: differences %.12g, gradient %.12g", static_cast<int>(i), got, value);
    }
  }
  return "";
}

/// Every gradient that the problem has.
void check_differences(Problem p, Random& random) {
  for (auto* numbers : {&p.x, &p.context, &p.w_q, &p.w_k, &p.w_v, &p.w_o, &p.b_q, &p.b_k, &p.b_v, &p.b_o, &p.gates}) {
    make_coarse(*numbers);
  }
  INFO(describe(p));
  const std::vector<float> d_output = random.numbers(floats(Tensor::output, p.shape));
  const GradientReference r = gradient_reference_of(p, reference_of(p), d_output);
  double scale = largest(r.head_gate.value);
  for (const Tensor tensor : kGradients) scale = std::max(scale, largest(of(r, tensor).value));

  CHECK(differs(p, p.x, r.x, scale, d_output) == "");
  CHECK(differs(p, p.context, r.context, scale, d_output) == "");
  CHECK(differs(p, p.w_q, r.w_q, scale, d_output) == "");
  CHECK(differs(p, p.w_k, r.w_k, scale, d_output) == "");
  CHECK(differs(p, p.w_v, r.w_v, scale, d_output) == "");
  CHECK(differs(p, p.w_o, r.w_o, scale, d_output) == "");
  CHECK(differs(p, p.b_q, r.b_q, scale, d_output) == "");
  CHECK(differs(p, p.b_k, r.b_k, scale, d_output) == "");
  CHECK(differs(p, p.b_v, r.b_v, scale, d_output) == "");
  CHECK(differs(p, p.b_o, r.b_o, scale, d_output) == "");
  CHECK(differs(p, p.gates, r.head_gate, scale, d_output) == "");
}

TEST_CASE("the reference's gradients are what central differences say, under every option", "[gradient]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    Problem p = plain_problem({4, 4, 5, 2, 2, 3}, random);
    add_biases(p, random);
    p.gates = {1.0F, 0.0F};
    check_differences(p, random);

    p.switches.causal = true;
    p.switches.padding = 1;
    check_differences(p, random);

    p = plain_problem({3, 4, 5, 4, 2, 2}, random);  // cross-attention, grouped, with a row that sees nothing
    add_biases(p, random);
    p.gates = random_gates(p.shape, random);
    p.mask = random_mask(p.shape, random);
    std::fill_n(p.mask.begin() + 4, 4, -kInfinity);
    p.switches.scale = Options::Scale::given;
    p.switches.scale_value = -0.75F;
    check_differences(p, random);
  }
}

TEST_CASE("the reference's gradients are what central differences say, of random problems", "[gradient]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 4; ++round) {
    const std::int32_t g = random.integer(1, 2);
    const Shape shape = {random.integer(1, 5), random.integer(1, 5), random.integer(1, 5), g * random.integer(1, 2), g,
                         random.integer(1, 3)};
    check_differences(random_problem(shape, random), random);
  }
}

}  // namespace
}  // namespace mha::test
