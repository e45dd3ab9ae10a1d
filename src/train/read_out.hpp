// From what the model made of each word to its answers: one linear map per slot, softmax, and the loss.
//
//   L_s = H_s W_s + b_s          H_s: the rows that ask in slot s
//   dW_s = H_sᵀ dL_s,  db_s = Σ rows of dL_s,  dH_s = dL_s W_sᵀ
//
// Only rows that ask are read out: of a sentence of 14 words and two slots these are five of 28.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mha/buffer.hpp"
#include "mha/status.hpp"
#include "train/cross_entropy.hpp"
#include "train/questions.hpp"

namespace mha {

class ReadOut {
 public:
  struct Sizes {
    std::int32_t d, v, slots;
  };
  /// [d, s·v], and [s·v] or empty.
  template <class Number>
  struct Map {
    std::span<Number> matrix, bias;
  };

  /// Answers of all questions, in the order of list_questions(), from hidden [r, d].
  /// Errors: out_of_memory; overflow: a logit is not finite.
  [[nodiscard]] Outcome forward(const Sizes& sizes, std::span<const Question> questions, std::span<const float> hidden,
                                const Map<const float>& map);

  /// Once after forward(), with the same arguments: from the weight of each question in the loss to the gradients by
  /// hidden [r, d] and, unless its matrix is empty, by the map. They are overwritten. The probabilities are gone then.
  void backward(std::span<const Question> questions, std::span<const float> question_weights,
                const Map<const float>& map, std::span<float> d_hidden, const Map<float>& d_map);

  [[nodiscard]] std::span<const Answer> answers() const { return answers_; }
  /// [q, v], of each question what the model believes each word to be the answer with.
  [[nodiscard]] std::span<const float> probabilities() const;

 private:
  [[nodiscard]] bool reserve(std::size_t questions);

  Sizes sizes_ = {};
  std::vector<Answer> answers_;
  Buffer rows_;           ///< [q, d]: H, then dH
  Buffer transposed_;     ///< [d, q]: Hᵀ
  Buffer probabilities_;  ///< [q, v]: logits, probabilities, dL
  Buffer panels_;
};

}  // namespace mha
