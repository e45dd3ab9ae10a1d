#include "train/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mha/finite.hpp"

namespace mha {
namespace {

constexpr std::size_t kSlabs = 3;  ///< parameters, first and second moment

bool positive(double value) { return std::isfinite(value) && value > 0.0; }

/// Whether numbers ran out of what a float can say.
bool ran_away(const Outcome& outcome) {
  return outcome.status == Status::overflow || outcome.status == Status::not_finite;
}

}  // namespace

Outcome Trainer::start(const ModelShape& shape, const TrainerOptions& options) {
  *this = {};
  // Positive as a float, too, which it becomes.
  if (!positive(static_cast<double>(static_cast<float>(options.adam.learning_rate))) ||
      !positive(static_cast<double>(options.start_scale))) {
    return {.status = Status::bad_learning_rate};
  }
  if (Outcome bad = network_.open(shape); !bad.ok()) return bad;
  options_ = options;
  numbers_.assign(kSlabs * layout().size(), 0.0F);
  next_.assign(numbers_.size(), 0.0F);
  gradients_.assign(layout().size(), 0.0F);
  fill_start(shape, options.seed, options.start_scale, slab(numbers_, 0));
  return {};
}

Outcome Trainer::stop() {
  diverged_ = true;
  return {.status = Status::diverged};
}

Outcome Trainer::step(const Batch& batch, double& loss) {
  if (numbers_.empty()) return {.status = Status::not_loaded};
  if (diverged_) return stop();
  if (Outcome bad = network_.forward(batch, parameters()); !bad.ok()) return ran_away(bad) ? stop() : bad;
  if (Outcome bad = network_.backward(Network::Loss::batch_mean, gradients_); !bad.ok()) {
    return ran_away(bad) ? stop() : bad;
  }
  const std::vector<float>& now = numbers_;
  adam_step(options_.adam, steps_ + 1, gradients_, {slab(now, 0), slab(now, 1), slab(now, 2)},
            {slab(next_, 0), slab(next_, 1), slab(next_, 2)});
  if (first_not_finite(next_) != next_.size()) return stop();
  std::swap(numbers_, next_);
  ++steps_;
  loss = network_.loss();
  return {};
}

Outcome Trainer::evaluate(const Batch& batch, std::span<const float> gates, Evaluation& evaluation) {
  return mha::evaluate(network_, batch, parameters(), gates, evaluation);
}

Outcome Trainer::gate_gradients(const Batch& batch, std::span<float> d_gates) {
  if (Outcome bad = network_.forward(batch, parameters()); !bad.ok()) return bad;
  return network_.backward(Network::Loss::sentence_means, {}, d_gates);
}

void Trainer::save(TrainerState& state) const {
  state.steps = steps_;
  state.numbers = numbers_;
}

Outcome Trainer::restore(const TrainerState& state) {
  if (numbers_.empty()) return {.status = Status::not_loaded};
  if (state.numbers.size() != numbers_.size()) return {.status = Status::wrong_size};
  if (first_not_finite(state.numbers) != state.numbers.size()) return {.status = Status::not_finite};
  numbers_ = state.numbers;
  steps_ = state.steps;
  diverged_ = false;
  return {};
}

}  // namespace mha
