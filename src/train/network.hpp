// The whole model on one batch: forward to its answers and their loss, backward to the gradient by every parameter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mha/attention_batch.hpp"
#include "mha/buffer.hpp"
#include "train/batch.hpp"
#include "train/layer_norm.hpp"
#include "train/model.hpp"
#include "train/questions.hpp"
#include "train/read_out.hpp"

namespace mha {

class Network {
 public:
  /// Errors: as validate(ModelShape). Nothing that was open is then.
  [[nodiscard]] Outcome open(const ModelShape& shape);

  /// `parameters` is a slab of ModelLayout; gates are ξ [layers, h], or empty: all 1. All three must outlive
  /// backward(). Allocates only when a batch needs more room than every batch before.
  /// Errors: not_loaded: nothing is open; bad_batch; wrong_size; bad_gate; out_of_memory; overflow or not_finite: some
  /// number on the way is infinite or NaN.
  [[nodiscard]] Outcome forward(const Batch& batch, std::span<const float> parameters,
                                std::span<const float> gates = {});

  /// What is differentiated: the mean over all questions, or of each sentence its own mean (their sum, that is, which
  /// keeps the sentences apart in the gradient by the gates).
  enum class Loss : std::int32_t { batch_mean, sentence_means };

  /// Once after forward(). `gradients` is a slab of ModelLayout, `d_gates` [layers, sentences, h]; an empty one is not
  /// wanted. They are overwritten, and hold nothing to be read after an error.
  /// Errors: not_loaded: no forward() before; wrong_size; out_of_memory; overflow: a gradient is not finite.
  [[nodiscard]] Outcome backward(Loss loss, std::span<float> gradients, std::span<float> d_gates = {});

  // What the last forward() that succeeded left.
  [[nodiscard]] double loss() const { return loss_; }  ///< mean over all questions, in nats
  [[nodiscard]] std::span<const Question> questions() const { return questions_; }
  [[nodiscard]] std::span<const Answer> answers() const { return read_out_.answers(); }  ///< of each question
  /// [q, v], until backward().
  [[nodiscard]] std::span<const float> probabilities() const { return read_out_.probabilities(); }
  [[nodiscard]] const AttentionBatch& attention(std::int32_t layer) const {
    return attention_[static_cast<std::size_t>(layer)];
  }

  [[nodiscard]] const ModelShape& shape() const { return shape_; }
  [[nodiscard]] const ModelLayout& layout() const { return layout_; }

 private:
  [[nodiscard]] bool readable(const Batch& batch) const;
  [[nodiscard]] bool reserve(const Batch& batch);
  void embed();
  [[nodiscard]] Outcome run_layer(std::int32_t layer);
  void weigh_questions(Loss loss);
  void embed_gradient(std::span<const float> d_x, std::span<float> gradients) const;

  [[nodiscard]] std::span<float> made(std::int32_t layer);  ///< [r, d] of memory_: X of a layer, if it is not Y itself
  [[nodiscard]] Normalised kept(std::int32_t layer);
  [[nodiscard]] ReadOut::Map<const float> map() const;
  template <class Number>
  [[nodiscard]] std::span<Number> part(Weight weight, std::int32_t layer, std::span<Number> slab) const {
    return layout_.span(weight, layer, slab);
  }

  ModelShape shape_;
  ModelLayout layout_;
  std::vector<AttentionBatch> attention_;  ///< per layer
  ReadOut read_out_;

  // The pass that is under way.
  const Batch* batch_ = nullptr;
  std::span<const float> parameters_, gates_;
  bool finished_ = false;
  double loss_ = 0;
  std::vector<Question> questions_;
  std::vector<float> question_weights_;
  std::vector<std::int32_t> asked_;                       ///< questions per sentence
  std::array<std::span<const float>, kMaxLayers + 1> x_;  ///< [r, d] of each layer, and of the read-out
  Buffer memory_;                                         ///< X and what layer norm keeps, per layer
  Buffer gradient_;                                       ///< ∂L/∂X, twice
};

}  // namespace mha
