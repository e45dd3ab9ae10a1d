#include "train/evaluation.hpp"

#include <cstddef>

namespace mha {

Outcome evaluate(Network& network, const Batch& batch, std::span<const float> parameters, std::span<const float> gates,
                 Evaluation& evaluation) {
  if (Outcome bad = network.forward(batch, parameters, gates); !bad.ok()) return bad;
  evaluation = {.loss = network.loss()};
  for (std::size_t q = 0; q < network.questions().size(); ++q) {
    const Question& question = network.questions()[q];
    const auto relation = static_cast<std::size_t>(question.relation);
    if (evaluation.relations.size() <= relation) evaluation.relations.resize(relation + 1);
    for (Tally* const tally : {&evaluation.all, &evaluation.relations[relation]}) {
      ++tally->asked;
      tally->right += network.answers()[q].best == question.target ? 1 : 0;
    }
  }
  return {};
}

}  // namespace mha
