#include "train/batch.hpp"

#include <algorithm>
#include <numeric>

namespace mha {
namespace {

bool within(std::int32_t value, std::int32_t count) { return value >= 0 && value < count; }

}  // namespace

bool well_formed(const Batch& batch, std::int32_t vocabulary, std::int32_t relations) {
  if (batch.slots < 1) return false;
  const std::size_t rows = batch.rows();
  const std::size_t questions = rows * static_cast<std::size_t>(batch.slots);
  if (batch.targets.size() != questions || batch.partners.size() != questions || batch.relations.size() != questions) {
    return false;
  }
  if (std::any_of(batch.lengths.begin(), batch.lengths.end(), [](std::int32_t length) { return length < 1; })) {
    return false;
  }
  const std::int64_t words = std::accumulate(batch.lengths.begin(), batch.lengths.end(), std::int64_t{0});
  if (words != static_cast<std::int64_t>(rows)) return false;

  std::size_t row = 0;
  for (const std::int32_t length : batch.lengths) {
    for (std::int32_t i = 0; i < length; ++i, ++row) {
      if (!within(batch.tokens[row], vocabulary)) return false;
      for (std::size_t q = row * static_cast<std::size_t>(batch.slots);
           q < (row + 1) * static_cast<std::size_t>(batch.slots); ++q) {
        const bool ignored =
            batch.targets[q] == kIgnored && batch.partners[q] == kIgnored && batch.relations[q] == kIgnored;
        const bool asked = within(batch.targets[q], vocabulary) && within(batch.partners[q], length) &&
                           within(batch.relations[q], relations);
        if (!ignored && !asked) return false;
      }
    }
  }
  return true;
}

}  // namespace mha
