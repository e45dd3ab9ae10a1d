// One run of the lesson's chapter on training, and what is measured of it on sentences that it never sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lab/head_role.hpp"
#include "lab/heads_off.hpp"
#include "lab/roles.hpp"
#include "mha/status.hpp"
#include "train/batch.hpp"
#include "train/run.hpp"

namespace mha {

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

/// The numbers of the first `count` held-out sentences of seed ObservedRun::kHeldOutSeed that are in the language
/// (without one: in any).
[[nodiscard]] std::vector<std::uint64_t> held_out_numbers(Task task, std::optional<Language> language,
                                                          std::int32_t count);

class ObservedRun {
 public:
  /// Held-out sentences that are measured: the same whatever the seed of a run, so that curves can be compared.
  static constexpr std::int32_t kHeldOut = 128;
  static constexpr std::uint32_t kHeldOutSeed = 0;

  /// Errors: as Run::start. No run is open then.
  [[nodiscard]] Outcome start(const ModelShape& shape, const RunOptions& options);

  /// A run that goes on from what Trainer::save gave; its loss() is not known before the next step.
  /// Errors: as start() and Trainer::restore. No run is open then.
  [[nodiscard]] Outcome resume(const ModelShape& shape, const RunOptions& options, const TrainerState& state);

  /// Measures by held-out sentences of one language from now on; without one, by those of both. Heads often see to a
  /// relation in one language only. Tasks without a language have one kind of sentence.
  void listen_to(std::optional<Language> language);

  /// `count` more steps. Errors: as Run::step, at the first that fails.
  [[nodiscard]] Outcome advance(std::int32_t count);

  /// The held-out loss alone, as in Measurement. Errors: as Trainer::evaluate.
  [[nodiscard]] Outcome evaluate(double& loss);

  /// `switching`: also switches every head off once, for is_idle, which otherwise stays as it is.
  /// Errors: as Trainer::evaluate.
  [[nodiscard]] Outcome measure(bool switching, Measurement& measurement);

  /// The held-out questions without any one head, and without one after another. Errors: as study_heads_off().
  [[nodiscard]] Outcome study_heads(HeadsOff& study);

  /// The held-out questions with heads switched by gates [l·h], and beside it with all on.
  /// Errors: bad_gate: not one finite gate per head; as Trainer::evaluate.
  [[nodiscard]] Outcome switch_heads(std::span<const float> gates, Evaluation& switched, Evaluation& all_on);

  /// One sentence through the model: maps [l·h, n, n]. `tokens` are places in the task's vocabulary.
  /// Errors: bad_batch: a token is none, or there are too many or none; wrong_size: maps; as Trainer::evaluate.
  [[nodiscard]] Outcome show(std::span<const std::int32_t> tokens, std::span<float> maps, Dilemma& dilemma);

  [[nodiscard]] const Run& run() const { return run_; }
  [[nodiscard]] std::int32_t all_heads() const { return run_.trainer().shape().layers * run_.trainer().shape().heads; }
  [[nodiscard]] std::size_t relations() const { return info(run_.options().task).relations.size(); }
  [[nodiscard]] std::uint64_t steps() const { return run_.trainer().steps(); }
  [[nodiscard]] bool diverged() const { return run_.trainer().diverged(); }
  /// Of the last step's sentences, before it. 0: there was none yet since start() or resume().
  [[nodiscard]] double loss() const { return loss_; }

 private:
  [[nodiscard]] Outcome find_idle(const Evaluation& whole, Measurement& measurement);

  Run run_;
  double loss_ = 0;
  Batch asked_;                 ///< held-out sentences with what the task teaches
  Batch partners_;              ///< the same sentences with who belongs to whom
  bool asks_partners_ = false;  ///< both are the same: one evaluation serves
  Batch shown_;
  Network probe_;  ///< has its heads switched off while the run's own goes on
  std::vector<std::vector<Tally>> heads_;
  std::vector<Evaluation> without_;
  Evaluation evaluation_;
};

}  // namespace mha
