#include "wasm/exports_broken.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "lab/broken_attention.hpp"
#include "lab/observed_run.hpp"
#include "train/model_file.hpp"
#include "wasm/answer.hpp"
#include "wasm/boundary.hpp"
#include "wasm/request.hpp"
#include "wasm/run_settings.hpp"
#include "wasm/write_evaluation.hpp"

using namespace mha;
using namespace mha::wasm;

namespace {

constexpr Task kTask = Task::relation_reading;

bool is_break(std::int32_t mistake) { return mistake > 0 && static_cast<std::size_t>(mistake) < kBreakNames.size(); }

/// Whether the model reads the task's words at the task's places, and answers its questions.
bool is_of_task(const ModelShape& shape) {
  const ModelShape wanted = model_for(kTask);
  return shape.vocabulary == wanted.vocabulary && shape.max_positions == wanted.max_positions &&
         shape.slots == wanted.slots;
}

/// Writes the maps of one sentence, right and broken, and what the mistake did to them and to the output.
Outcome show_both(BrokenAttention& model, Break mistake, std::span<const std::int32_t> words, float* maps,
                  double* broken) {
  if (Outcome bad = model.show(Break::none, words); !bad.ok()) return bad;
  const std::vector<float> output(model.output().begin(), model.output().end());
  std::ranges::copy(model.maps(), maps);
  if (Outcome bad = model.show(mistake, words); !bad.ok()) return bad;
  std::ranges::copy(model.maps(), maps + model.maps().size());
  double largest = 0;
  for (std::size_t i = 0; i < output.size(); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(model.output()[i]) - output[i]));
  }
  const RowSums sums = model.row_sums();
  broken[kBroken["largestChange"]] = largest;
  broken[kBroken["smallestRowSum"]] = sums.smallest;
  broken[kBroken["largestRowSum"]] = sums.largest;
  return {};
}

}  // namespace

std::int32_t mha_break(const std::uint8_t* file, std::uint32_t bytes, std::int32_t heads, std::int32_t mistake,
                       std::int32_t language, const std::int32_t* words, std::int32_t n, double* loss, double* accuracy,
                       float* maps, double* broken) {
  if (!is_break(mistake) || !is_language(language)) return answer(Status::no_such_cell);
  if (n < 0 || n > kMaxTokens) return answer(Status::too_many_words);
  const std::size_t relations = info(kTask).relations.size();
  const auto count = static_cast<std::size_t>(n);
  if (!usable(file, bytes) || !usable(loss, 2) || !usable(accuracy, 2 * (1 + relations))) {
    return answer(Status::wrong_size);
  }
  const Result<ModelFile> read = read_model_file(std::as_bytes(std::span(file, bytes)));
  if (!read.ok() || !is_of_task(read.value().shape) || read.value().shape.heads != heads) {
    return answer(Status::bad_model);
  }
  BrokenAttention model;
  if (Outcome bad = model.load(read.value().shape, read.value().parameters); !bad.ok()) return answer(bad);

  if (n > 0) {
    const std::size_t numbers = 2 * static_cast<std::size_t>(heads) * count * count;
    if (!usable(words, count) || !usable(maps, numbers) || !usable(broken, kBroken.size())) {
      return answer(Status::wrong_size);
    }
    if (Outcome bad = show_both(model, static_cast<Break>(mistake), {words, count}, maps, broken); !bad.ok()) {
      return answer(bad);
    }
  }

  Batch asked;
  make_batch(kTask, ObservedRun::kHeldOutSeed, Split::held_out, Questions::asked,
             held_out_numbers(kTask, to_language(language), ObservedRun::kHeldOut), asked);
  for (const Break way : {Break::none, static_cast<Break>(mistake)}) {
    Evaluation evaluation;
    if (Outcome bad = model.evaluate(way, asked, evaluation); !bad.ok()) return answer(bad);
    *loss++ = evaluation.loss;
    write_accuracy(evaluation, relations, accuracy);
    accuracy += 1 + relations;
  }
  return answer(Status::ok);
}
