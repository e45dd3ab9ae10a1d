#include "train/evaluation.hpp"

#include <cstddef>

namespace mha {

Evaluation judge(std::span<const Question> questions, std::span<const Answer> answers) {
  Evaluation evaluation;
  for (std::size_t q = 0; q < questions.size(); ++q) {
    const auto relation = static_cast<std::size_t>(questions[q].relation);
    if (evaluation.relations.size() <= relation) evaluation.relations.resize(relation + 1);
    evaluation.loss += answers[q].loss;
    for (Tally* const tally : {&evaluation.all, &evaluation.relations[relation]}) {
      ++tally->asked;
      tally->right += answers[q].best == questions[q].target ? 1 : 0;
    }
  }
  evaluation.loss /= static_cast<double>(questions.size());
  return evaluation;
}

Outcome evaluate(Network& network, const Batch& batch, std::span<const float> parameters, std::span<const float> gates,
                 Evaluation& evaluation) {
  if (Outcome bad = network.forward(batch, parameters, gates); !bad.ok()) return bad;
  evaluation = judge(network.questions(), network.answers());
  return {};
}

}  // namespace mha
