// Training: batch → forward → backward → Adam, and what can be asked of the model on the way.
//
// A run is its model, its options and its batches. The same build, seed and batches give the same run, bit for bit,
// whether it is cut and resumed or not, and whatever is asked in between.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mha/status.hpp"
#include "train/adam.hpp"
#include "train/batch.hpp"
#include "train/evaluation.hpp"
#include "train/model.hpp"
#include "train/network.hpp"

namespace mha {

struct TrainerOptions {
  AdamOptions adam = {.learning_rate = 3e-3};
  std::uint32_t seed = 1;    ///< of the starting parameters
  float start_scale = 1.0F;  ///< see fill_start()
};

/// Everything that a step changes.
struct TrainerState {
  std::uint64_t steps = 0;     ///< made so far
  std::vector<float> numbers;  ///< the parameters and both moments of Adam, one slab of ModelLayout after another
};

class Trainer {
 public:
  /// A new run. Errors: as validate(ModelShape); bad_learning_rate; out_of_memory. No run is open then.
  [[nodiscard]] Outcome start(const ModelShape& shape, const TrainerOptions& options);

  /// One step; `loss` is the mean over the batch's questions before it. Allocates only when a batch needs more room
  /// than every batch before.
  /// Errors: not_loaded: no run is open; bad_batch; out_of_memory: nothing has changed, and the run may go on;
  /// diverged: a number became infinite or NaN. Nothing has changed either: what is read is the last finite state. But
  /// the run is over, and every further step says the same.
  [[nodiscard]] Outcome step(const Batch& batch, double& loss);

  /// The model as it is now, see evaluate(). Changes nothing of the run. Afterwards network() has the attention weights
  /// and every answer, until the next step.
  [[nodiscard]] Outcome evaluate(const Batch& batch, std::span<const float> gates, Evaluation& evaluation);

  /// ∂L(x)/∂ξ for each sentence x by itself, L(x) being its own mean loss, at ξ = 1: [layers, sentences, h]. Changes
  /// nothing of the run. Source: Michel et al. 2019, eq. 2. Errors: as Network::forward and Network::backward.
  [[nodiscard]] Outcome gate_gradients(const Batch& batch, std::span<float> d_gates);

  [[nodiscard]] const ModelShape& shape() const { return network_.shape(); }
  [[nodiscard]] const ModelLayout& layout() const { return network_.layout(); }
  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] bool diverged() const { return diverged_; }
  /// A slab of ModelLayout, every number finite.
  [[nodiscard]] std::span<const float> parameters() const { return std::span(numbers_).first(layout().size()); }

  void save(TrainerState& state) const;
  /// Errors: not_loaded; wrong_size: not as many numbers as save() gives; not_finite. Nothing has changed then.
  [[nodiscard]] Outcome restore(const TrainerState& state);

 private:
  /// One of the three slabs.
  template <class Numbers>
  [[nodiscard]] auto slab(Numbers& numbers, std::size_t which) const {
    return std::span(numbers).subspan(which * layout().size(), layout().size());
  }
  [[nodiscard]] Outcome stop();

  TrainerOptions options_;
  Network network_;
  std::uint64_t steps_ = 0;
  bool diverged_ = false;
  std::vector<float> numbers_;  ///< as in TrainerState
  std::vector<float> next_;     ///< where the next step puts them: it counts only if all are finite
  std::vector<float> gradients_;
};

}  // namespace mha
