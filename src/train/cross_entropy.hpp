// The loss of one question: how surprised the model is by the right word.
//
//   p = softmax(l)        loss = −ln p_t = ln Σ exp(l_j − max) + max − l_t        ∂loss/∂l_j = p_j − [j = t]
//
// Source: torch.nn.functional.cross_entropy. Which questions are asked, and the mean over them, is the network's.
#pragma once

#include <cstdint>
#include <span>

namespace mha {

struct Answer {
  double loss = 0;        ///< in nats; NaN if a logit is NaN or +∞
  std::int32_t best = 0;  ///< the word of the largest logit, of equal ones the first
};

/// Turns the logits of one question into the probabilities of the words. Precondition: target is one of the words.
[[nodiscard]] Answer cross_entropy(std::span<float> logits, std::int32_t target);

/// Turns those probabilities into weight · ∂loss/∂logits.
void cross_entropy_gradient(std::span<float> probabilities, std::int32_t target, float weight);

}  // namespace mha
