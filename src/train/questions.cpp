#include "train/questions.hpp"

#include <cstddef>

namespace mha {

void list_questions(const Batch& batch, std::vector<Question>& questions) {
  questions.clear();
  questions.reserve(batch.targets.size());
  for (std::int32_t slot = 0; slot < batch.slots; ++slot) {
    std::int32_t row = 0;
    for (std::size_t sentence = 0; sentence < batch.lengths.size(); ++sentence) {
      for (std::int32_t place = 0; place < batch.lengths[sentence]; ++place, ++row) {
        const auto at =
            static_cast<std::size_t>(row) * static_cast<std::size_t>(batch.slots) + static_cast<std::size_t>(slot);
        if (batch.targets[at] == kIgnored) continue;
        questions.push_back({.slot = slot,
                             .row = row,
                             .sentence = static_cast<std::int32_t>(sentence),
                             .place = place,
                             .partner = batch.partners[at],
                             .target = batch.targets[at],
                             .relation = batch.relations[at]});
      }
    }
  }
}

}  // namespace mha
