// How well a model answers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mha/status.hpp"
#include "train/batch.hpp"
#include "train/network.hpp"

namespace mha {

/// How many questions were asked, and how many answered with the right word.
struct Tally {
  std::int32_t asked = 0, right = 0;

  /// 0 if none was asked.
  [[nodiscard]] double accuracy() const { return asked == 0 ? 0.0 : static_cast<double>(right) / asked; }
};

struct Evaluation {
  double loss = 0;  ///< mean over all questions, in nats
  Tally all;
  std::vector<Tally> relations;  ///< by relation, as far as the batch asks
};

/// Counts answers, of which there is at least one, as many as questions.
[[nodiscard]] Evaluation judge(std::span<const Question> questions, std::span<const Answer> answers);

/// The model with these parameters on some batch, its heads switched by gates [layers, h] (empty: all 1). Right is an
/// answer whose logit is the largest. Afterwards the network has the attention weights and every answer.
/// Errors: as Network::forward.
[[nodiscard]] Outcome evaluate(Network& network, const Batch& batch, std::span<const float> parameters,
                               std::span<const float> gates, Evaluation& evaluation);

}  // namespace mha
