// A task and the model that learns it: step t trains on the task's sentences number t·batch and following.
#pragma once

#include <cstdint>
#include <span>

#include "mha/status.hpp"
#include "train/batch.hpp"
#include "train/evaluation.hpp"
#include "train/task.hpp"
#include "train/trainer.hpp"

namespace mha {

struct RunOptions {
  Task task = Task::relation_reading;
  Questions questions = Questions::asked;
  std::int32_t batch = 64;  ///< sentences per step
  TrainerOptions trainer;   ///< its seed is that of the sentences, too
};

/// The model of a task's recipe. Another d, h or number of layers may be put into it.
[[nodiscard]] ModelShape model_for(Task task);
/// The options of a task's recipe.
[[nodiscard]] RunOptions options_for(Task task);

class Run {
 public:
  static constexpr std::int32_t kMaxBatch = 1024;

  /// Errors: as Trainer::start; bad_batch: not 1 … kMaxBatch sentences, or the model does not have the task's words,
  /// places and slots. No run is open then.
  [[nodiscard]] Outcome start(const ModelShape& shape, const RunOptions& options);

  /// As Trainer::step. Which sentences it trains on depends on the number of steps made alone, so a restored run
  /// goes on where it was.
  [[nodiscard]] Outcome step(double& loss);

  /// On `count` held-out sentences, always the same ones, none of which is trained on.
  [[nodiscard]] Outcome evaluate(std::int32_t count, std::span<const float> gates, Evaluation& evaluation);

  [[nodiscard]] const RunOptions& options() const { return options_; }
  [[nodiscard]] Trainer& trainer() { return trainer_; }
  [[nodiscard]] const Trainer& trainer() const { return trainer_; }
  /// The sentences of the last evaluate().
  [[nodiscard]] const Batch& held_out() const { return held_out_; }

 private:
  RunOptions options_;
  Trainer trainer_;
  Batch batch_, held_out_;
};

}  // namespace mha
