// One run of the lesson's chapter on training: a task, a model, its batches, and what is measured of it on sentences
// that it never sees while it learns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lab/roles.hpp"
#include "mha/status.hpp"
#include "train/batch.hpp"
#include "train/task.hpp"
#include "train/trainer.hpp"

namespace mha {

struct RunSettings {
  Task task = Task::relation_reading;
  std::int32_t heads = 1;
  std::int32_t model_dim = 0;  ///< a multiple of heads
  std::int32_t layers = 1;
  bool residual = false;
  bool layer_norm = false;
  bool biases = false;
  bool causal = false;
  std::int32_t batch = 64;  ///< sentences per step
  double learning_rate = 3e-3;
  std::uint32_t seed = 1;  ///< of the starting parameters; runs of one task and seed read the same sentences
  bool shuffled = false;   ///< the control: answers at random, so that nothing can be learned
};

/// All shares are of questions about held-out sentences. r relations of the task; l·h heads, layer after layer.
struct Measurement {
  double loss = 0;                    ///< mean over all questions, in nats
  std::vector<float> accuracy;        ///< [r] the model's answers; −1: nothing was asked
  std::vector<float> head_accuracy;   ///< [l·h, r] how often the gold word gets the head's largest weight
  std::vector<RoleState> states;      ///< [l·h, r]
  std::vector<std::uint8_t> is_idle;  ///< [l·h] 1: without it (gate 0 before W_O) the model answers as well
};

/// One head's row of attention weights where one word asks two questions at once.
struct Dilemma {
  std::int32_t head = -1;  ///< the one that gives both words most together; −1: no word asks two questions
  std::int32_t query = 0, first = 0, second = 0;  ///< places of the asking word and of the answers in slots 0 and 1
  double loss = 0;                                ///< of both answers, in nats
};

class Run {
 public:
  /// Held-out sentences that are measured: the same whatever the seed of a run, so that curves can be compared.
  static constexpr std::int32_t kHeldOut = 128;
  static constexpr std::uint32_t kHeldOutSeed = 0;

  /// Errors: as Trainer::start; head_dim_out_of_range: heads do not divide model_dim; bad_batch: not 1 to kMaxBatch
  /// sentences. No run is open then.
  [[nodiscard]] Outcome open(const RunSettings& settings);
  static constexpr std::int32_t kMaxBatch = 1024;

  /// `count` more steps. Errors: as Trainer::step, at the first that fails.
  [[nodiscard]] Outcome advance(std::int32_t count);

  /// Errors: as Trainer::evaluate. `switching`: also switches every head off once, for is_idle, which otherwise stays
  /// as it is.
  [[nodiscard]] Outcome measure(bool switching, Measurement& measurement);

  /// One sentence through the model: maps [l·h, n, n]. `tokens` are places in the task's vocabulary.
  /// Errors: bad_batch: a token is none, or there are too many or none; wrong_size: maps; as Trainer::evaluate.
  [[nodiscard]] Outcome show(std::span<const std::int32_t> tokens, std::span<float> maps, Dilemma& dilemma);

  [[nodiscard]] const RunSettings& settings() const { return settings_; }
  [[nodiscard]] std::int32_t all_heads() const { return settings_.layers * settings_.heads; }
  [[nodiscard]] std::size_t relations() const { return info(settings_.task).relations.size(); }
  [[nodiscard]] std::uint64_t steps() const { return trainer_.steps(); }
  [[nodiscard]] bool diverged() const { return trainer_.diverged(); }
  /// Of the last step's sentences, before it. 0: there was none yet.
  [[nodiscard]] double loss() const { return loss_; }

 private:
  void count_heads(Measurement& measurement) const;
  [[nodiscard]] Outcome find_idle(const Evaluation& whole, Measurement& measurement);

  RunSettings settings_;
  Trainer trainer_;
  double loss_ = 0;
  Batch batch_;
  Batch asked_;                 ///< held-out sentences with what the task teaches
  Batch partners_;              ///< the same sentences with who belongs to whom
  bool asks_partners_ = false;  ///< both are the same: one evaluation serves
  Batch shown_;
  std::vector<float> gates_;
  Evaluation evaluation_;
};

}  // namespace mha
