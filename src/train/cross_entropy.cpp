#include "train/cross_entropy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mha/portable_math.hpp"
#include "mha/softmax.hpp"

namespace mha {

Answer cross_entropy(std::span<float> logits, std::int32_t target) {
  const auto largest = std::max_element(logits.begin(), logits.end()) - logits.begin();
  const auto best = static_cast<std::size_t>(largest);
  const double below =
      static_cast<double>(logits[best]) - static_cast<double>(logits[static_cast<std::size_t>(target)]);
  const bool any = softmax_row(logits.data(), logits.data(), static_cast<std::int32_t>(logits.size()));
  // The largest logit's exponential is exactly 1, so its probability is 1/Σ.
  const auto top = static_cast<double>(logits[best]);
  const double loss = any && top > 0.0 ? below - portable_log(top) : std::numeric_limits<double>::quiet_NaN();
  return {.loss = loss, .best = static_cast<std::int32_t>(best)};
}

void cross_entropy_gradient(std::span<float> probabilities, std::int32_t target, float weight) {
  probabilities[static_cast<std::size_t>(target)] -= 1.0F;
  for (float& value : probabilities) value *= weight;
}

}  // namespace mha
