// What a run over the boundary is started with.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "train/run.hpp"
#include "train/task.hpp"
#include "wasm/boundary.hpp"
#include "wasm/request.hpp"

namespace mha::wasm {

[[nodiscard]] inline bool is_task(std::int32_t task) {
  return task >= 0 && task < static_cast<std::int32_t>(Task::count);
}

/// −1 stands for none.
[[nodiscard]] inline bool is_language(std::int32_t language) {
  return language >= -1 && language <= static_cast<std::int32_t>(Language::english);
}

[[nodiscard]] inline std::optional<Language> to_language(std::int32_t language) {
  return language < 0 ? std::nullopt : std::optional(static_cast<Language>(language));
}

[[nodiscard]] inline bool is_seed(double value) {
  return value >= 0.0 && value <= 4294967295.0 && value == std::floor(value);
}

struct Settings {
  ModelShape shape;
  RunOptions options;
};

/// Errors: wrong_size: there is no such record; no_such_cell: no such task or seed. The rest is checked by Run::start.
[[nodiscard]] inline Outcome check_settings(const double* record) {
  if (!usable(record, kRunSettings.size())) return {.status = Status::wrong_size};
  const bool known = is_task(to_int(record[kRunSettings["task"]])) && is_seed(record[kRunSettings["seed"]]);
  return {.status = known ? Status::ok : Status::no_such_cell};
}

/// Precondition: check_settings(record) is ok.
[[nodiscard]] inline Settings read_settings(const double* record) {
  const auto number = [&](std::size_t field) { return to_int(record[field]); };
  const auto is_on = [&](std::size_t field) { return record[field] != 0.0; };
  const auto task = static_cast<Task>(number(kRunSettings["task"]));
  Settings read{.shape = model_for(task), .options = options_for(task)};
  read.shape.model_dim = number(kRunSettings["modelDim"]);
  read.shape = with_heads(read.shape, number(kRunSettings["heads"]));
  read.shape.layers = number(kRunSettings["layers"]);
  read.shape.residual = is_on(kRunSettings["residual"]);
  read.shape.layer_norm = is_on(kRunSettings["layerNorm"]);
  read.shape.biases = is_on(kRunSettings["biases"]);
  read.shape.causal = is_on(kRunSettings["causal"]);
  read.options.questions = is_on(kRunSettings["shuffled"]) ? Questions::shuffled : Questions::asked;
  read.options.batch = number(kRunSettings["batch"]);
  read.options.trainer.adam.learning_rate = record[kRunSettings["learningRate"]];
  read.options.trainer.seed = static_cast<std::uint32_t>(record[kRunSettings["seed"]]);
  return read;
}

}  // namespace mha::wasm
