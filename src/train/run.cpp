#include "train/run.hpp"

namespace mha {

ModelShape model_for(Task task) {
  const TaskInfo& about = info(task);
  const Recipe& recipe = about.recipe;
  return {.vocabulary = about.vocabulary,
          .max_positions = about.longest,
          .model_dim = recipe.d,
          .heads = recipe.heads,
          .head_dim = recipe.d / recipe.heads,
          .layers = recipe.layers,
          .slots = about.slots,
          .residual = recipe.residual,
          .causal = recipe.causal};
}

RunOptions options_for(Task task) {
  const Recipe& recipe = info(task).recipe;
  RunOptions options{.task = task, .batch = recipe.batch};
  options.trainer.adam.learning_rate = static_cast<double>(recipe.learning_rate);
  return options;
}

Outcome Run::start(const ModelShape& shape, const RunOptions& options) {
  *this = {};
  const TaskInfo& about = info(options.task);
  const bool fits = shape.vocabulary >= about.vocabulary && shape.max_positions >= about.longest &&
                    shape.slots == about.slots && options.batch >= 1 && options.batch <= kMaxBatch;
  if (Outcome bad = trainer_.start(shape, options.trainer); !bad.ok()) return bad;
  if (!fits) {
    trainer_ = {};
    return {.status = Status::bad_batch};
  }
  options_ = options;
  return {};
}

Outcome Run::step(double& loss) {
  const std::uint64_t first = trainer_.steps() * static_cast<std::uint64_t>(options_.batch);
  make_batch(options_.task, options_.trainer.seed, Split::train, options_.questions, first, options_.batch, batch_);
  return trainer_.step(batch_, loss);
}

Outcome Run::evaluate(std::int32_t count, std::span<const float> gates, Evaluation& evaluation) {
  if (count < 1) return {.status = Status::bad_batch};
  make_batch(options_.task, options_.trainer.seed, Split::held_out, options_.questions, 0, count, held_out_);
  return trainer_.evaluate(held_out_, gates, evaluation);
}

}  // namespace mha
