// A run as a model file (train/model_file.hpp), and back. Beside what every model file says, its metadata says what
// the run was and what it knows of held-out sentences, with the parameters as they stand in the file:
//
//   task, relations (one to a line), seed, seed_chosen ("first", unless the caller says more), batch, learning_rate
//   rounding ("none", "float16", "2 decimals", …), largest_rounding, loss, loss_before_rounding
//   accuracy, accuracy.<relation>             share of right answers, all languages together
//   heads.<language>.<relation>               of each head, layer after layer: how often the gold word gets its largest
//                                             attention weight
//   held_out                                  sentences of each language that this was measured on
//
// Languages are chinese and english, or any for a task without one. A relation that was not asked has no share. Shares
// have 4 decimals, losses (nats, mean over all questions) and largest_rounding 6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/safetensors.hpp"
#include "lab/observed_run.hpp"
#include "mha/status.hpp"
#include "train/model_file.hpp"
#include "train/run.hpp"

namespace mha {

struct Saving {
  static constexpr std::int32_t kMaxDecimals = 6;

  Precision precision = Precision::float32;
  std::int32_t decimals = -1;  ///< every parameter is rounded to so many first, 0 … kMaxDecimals; −1: to none
  bool moments = false;        ///< so that the run can go on
  Metadata said = {};          ///< beside the above, which it does not replace
};

/// The same bytes natively and under wasm for the same parameters and measurements.
/// Errors: wrong_size: decimals; not_loaded: no run is open; overflow or not_finite: rounded or not, the model answers
/// with numbers that are not finite; out_of_memory.
[[nodiscard]] Outcome save_run(const Run& run, const Saving& saving, std::vector<std::byte>& file);

/// Opens the run of a file. One that was saved with its moments, nothing rounded, goes on bit for bit as if it had
/// never been cut; moments that the file does not have begin at 0.
/// Errors: bad_model: no model file, or not of this task and shape; as Run::start. No run is open then.
[[nodiscard]] Outcome restore_run(const ModelShape& shape, const RunOptions& options, std::span<const std::byte> file,
                                  ObservedRun& run);

}  // namespace mha
