#include "train/adam.hpp"

#include <cmath>
#include <cstddef>

#include "mha/simd.hpp"

namespace mha {
namespace {

/// base^exponent by squaring: std::pow has other bits in every library.
double power(double base, std::uint64_t exponent) {
  double result = 1.0;
  for (; exponent > 0; exponent /= 2, base *= base) {
    if (exponent % 2 == 1) result *= base;
  }
  return result;
}

/// The constants of one step.
template <class Number>
struct Step {
  Number beta1, beta2, rest1, rest2, step_size, root, epsilon;
};

Step<float> constants(const AdamOptions& options, std::uint64_t step) {
  return {.beta1 = static_cast<float>(options.beta1),
          .beta2 = static_cast<float>(options.beta2),
          .rest1 = static_cast<float>(1.0 - options.beta1),
          .rest2 = static_cast<float>(1.0 - options.beta2),
          .step_size = static_cast<float>(options.learning_rate / (1.0 - power(options.beta1, step))),
          .root = static_cast<float>(std::sqrt(1.0 - power(options.beta2, step))),
          .epsilon = static_cast<float>(options.epsilon)};
}

/// One parameter, or a vector of them.
template <class Number>
void update(const Step<Number>& s, Number gradient, Number& parameter, Number& first, Number& second) {
  using std::sqrt;
  using xsimd::sqrt;
  first = s.beta1 * first + s.rest1 * gradient;
  second = s.beta2 * second + s.rest2 * gradient * gradient;
  parameter = parameter - s.step_size * first / (sqrt(second) / s.root + s.epsilon);
}

}  // namespace

void adam_step(const AdamOptions& options, std::uint64_t step, std::span<const float> gradient,
               const AdamState<const float>& from, const AdamState<float>& to) {
  const Step<float> one = constants(options, step);
  const Step<Lanes> lanes = {Lanes(one.beta1),     Lanes(one.beta2), Lanes(one.rest1),  Lanes(one.rest2),
                             Lanes(one.step_size), Lanes(one.root),  Lanes(one.epsilon)};
  const std::size_t count = gradient.size();
  const std::size_t whole = count - count % static_cast<std::size_t>(kLanes);
  for (std::size_t i = 0; i < whole; i += static_cast<std::size_t>(kLanes)) {
    Lanes parameter = Lanes::load_unaligned(from.parameters.data() + i);
    Lanes first = Lanes::load_unaligned(from.first_moment.data() + i);
    Lanes second = Lanes::load_unaligned(from.second_moment.data() + i);
    update(lanes, Lanes::load_unaligned(gradient.data() + i), parameter, first, second);
    parameter.store_unaligned(to.parameters.data() + i);
    first.store_unaligned(to.first_moment.data() + i);
    second.store_unaligned(to.second_moment.data() + i);
  }
  for (std::size_t i = whole; i < count; ++i) {
    float parameter = from.parameters[i];
    float first = from.first_moment[i];
    float second = from.second_moment[i];
    update(one, gradient[i], parameter, first, second);
    to.parameters[i] = parameter;
    to.first_moment[i] = first;
    to.second_moment[i] = second;
  }
}

}  // namespace mha
