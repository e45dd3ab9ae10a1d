// The questions that a batch asks, as a list: what is not asked costs nothing and is nowhere in it.
#pragma once

#include <cstdint>
#include <vector>

#include "train/batch.hpp"

namespace mha {

struct Question {
  std::int32_t slot;
  std::int32_t row;  ///< counted over all sentences
  std::int32_t sentence;
  std::int32_t place;    ///< of the asking word within its sentence
  std::int32_t partner;  ///< and of the word that is the answer
  std::int32_t target;   ///< that word's place in the vocabulary
  std::int32_t relation;
};

/// All questions of a well-formed batch: slot by slot, and within a slot row by row. Allocates only for a longer list
/// than ever before.
void list_questions(const Batch& batch, std::vector<Question>& questions);

}  // namespace mha
