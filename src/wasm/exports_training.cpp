#include "wasm/exports_training.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "lab/observed_run.hpp"
#include "mha/utf8.hpp"
#include "train/task.hpp"
#include "wasm/answer.hpp"
#include "wasm/boundary.hpp"
#include "wasm/request.hpp"
#include "wasm/run_settings.hpp"
#include "wasm/run_slots.hpp"

using namespace mha;
using namespace mha::wasm;

namespace {

template <class From, class To>
void write(const std::vector<From>& from, To* to) {
  std::transform(from.begin(), from.end(), to, [](From value) { return static_cast<To>(value); });
}

void write(const HeadOff& head, double* record) {
  record[kHeadOff["loss"]] = head.without.loss;
  record[kHeadOff["accuracy"]] = head.without.accuracy;
  record[kHeadOff["accuracyLost"]] = head.accuracy_lost;
  record[kHeadOff["slicedLoss"]] = head.sliced.loss;
  record[kHeadOff["slicedAccuracy"]] = head.sliced.accuracy;
  record[kHeadOff["importance"]] = head.importance.raw;
  record[kHeadOff["normalised"]] = head.importance.normalised;
  record[kHeadOff["rank"]] = head.rank;
  record[kHeadOff["importanceRank"]] = head.importance_rank;
}

void write(const std::vector<Quality>& curve, double* records) {
  for (std::size_t i = 0; i < curve.size(); ++i) {
    records[i * kQuality.size() + kQuality["loss"]] = curve[i].loss;
    records[i * kQuality.size() + kQuality["accuracy"]] = curve[i].accuracy;
  }
}

/// accuracy [1 + relations]
void write(const Evaluation& evaluation, std::size_t relations, double* accuracy) {
  accuracy[0] = evaluation.all.accuracy();
  std::fill_n(accuracy + 1, relations, -1.0);
  for (std::size_t i = 0; i < evaluation.relations.size(); ++i) {
    if (evaluation.relations[i].asked > 0) accuracy[1 + i] = evaluation.relations[i].accuracy();
  }
}

}  // namespace

std::int32_t mha_run_open(std::int32_t run, const double* settings) {
  if (!is_run_id(run)) return answer(Status::not_loaded);
  auto& slot = run_slots()[static_cast<std::size_t>(run)];
  slot.reset();
  if (Outcome bad = check_settings(settings); !bad.ok()) return answer(bad);
  slot.emplace();
  const Settings read = read_settings(settings);
  const Outcome outcome = slot->run.start(read.shape, read.options);
  if (!outcome.ok()) slot.reset();
  return answer(outcome);
}

std::int32_t mha_run_close(std::int32_t run) {
  if (find_run(run) == nullptr) return answer(Status::not_loaded);
  run_slots()[static_cast<std::size_t>(run)].reset();
  return answer(Status::ok);
}

std::int32_t mha_run_advance(std::int32_t run, std::int32_t count, double* progress) {
  RunSlot* const slot = find_run(run);
  if (slot == nullptr) return answer(Status::not_loaded);
  if (count < 0 || !usable(progress, kRunProgress.size())) return answer(Status::wrong_size);
  const Outcome outcome = slot->run.advance(count);
  progress[kRunProgress["steps"]] = static_cast<double>(slot->run.steps());
  progress[kRunProgress["loss"]] = slot->run.loss();
  progress[kRunProgress["diverged"]] = slot->run.diverged() ? 1 : 0;
  return answer(outcome);
}

std::int32_t mha_run_listen(std::int32_t run, std::int32_t language) {
  RunSlot* const slot = find_run(run);
  if (slot == nullptr) return answer(Status::not_loaded);
  if (!is_language(language)) return answer(Status::no_such_cell);
  slot->run.listen_to(to_language(language));
  return answer(Status::ok);
}

std::int32_t mha_run_measure(std::int32_t run, std::int32_t switching, double* loss, float* accuracy,
                             float* head_accuracy, std::int32_t* states, std::int32_t* idle) {
  RunSlot* const slot = find_run(run);
  if (slot == nullptr) return answer(Status::not_loaded);
  const std::size_t relations = slot->run.relations();
  const auto heads = static_cast<std::size_t>(slot->run.all_heads());
  if (!usable(loss, 1) || !usable(accuracy, relations) || !usable(head_accuracy, heads * relations) ||
      !usable(states, heads * relations) || !usable(idle, heads)) {
    return answer(Status::wrong_size);
  }
  Measurement& measured = slot->measurement;
  if (Outcome bad = slot->run.measure(switching != 0, measured); !bad.ok()) return answer(bad);
  *loss = measured.loss;
  write(measured.accuracy, accuracy);
  write(measured.head_accuracy, head_accuracy);
  write(measured.states, states);
  write(measured.is_idle, idle);
  return answer(Status::ok);
}

std::int32_t mha_run_show(std::int32_t run, const std::int32_t* words, std::int32_t n, float* maps, double* dilemma) {
  RunSlot* const slot = find_run(run);
  if (slot == nullptr) return answer(Status::not_loaded);
  if (n < 1 || n > kMaxTokens) return answer(Status::bad_batch);
  const auto count = static_cast<std::size_t>(n);
  const std::size_t numbers = static_cast<std::size_t>(slot->run.all_heads()) * count * count;
  if (!usable(words, count) || !usable(maps, numbers) || !usable(dilemma, kDilemma.size())) {
    return answer(Status::wrong_size);
  }
  Dilemma found;
  if (Outcome bad = slot->run.show({words, count}, {maps, numbers}, found); !bad.ok()) return answer(bad);
  dilemma[kDilemma["head"]] = found.head;
  dilemma[kDilemma["query"]] = found.query;
  dilemma[kDilemma["first"]] = found.first;
  dilemma[kDilemma["second"]] = found.second;
  dilemma[kDilemma["loss"]] = found.loss;
  return answer(Status::ok);
}

std::int32_t mha_run_study_heads(std::int32_t run, double* heads, std::int32_t* orders, double* curves) {
  RunSlot* const slot = find_run(run);
  if (slot == nullptr) return answer(Status::not_loaded);
  const auto count = static_cast<std::size_t>(slot->run.all_heads());
  const std::size_t curve = (count + 1) * kQuality.size();
  if (!usable(heads, count * kHeadOff.size()) || !usable(orders, 2 * count) || !usable(curves, 2 * curve)) {
    return answer(Status::wrong_size);
  }
  HeadsOff study;
  if (Outcome bad = slot->run.study_heads(study); !bad.ok()) return answer(bad);
  for (std::size_t head = 0; head < count; ++head) write(study.heads[head], heads + head * kHeadOff.size());
  write(study.by_importance.order, orders);
  write(study.greedy.order, orders + count);
  write(study.by_importance.curve, curves);
  write(study.greedy.curve, curves + curve);
  return answer(Status::ok);
}

std::int32_t mha_run_switch_heads(std::int32_t run, const float* gates, double* loss, double* accuracy) {
  RunSlot* const slot = find_run(run);
  if (slot == nullptr) return answer(Status::not_loaded);
  const auto heads = static_cast<std::size_t>(slot->run.all_heads());
  const std::size_t relations = slot->run.relations();
  if (!usable(gates, heads) || !usable(loss, 2) || !usable(accuracy, 2 * (1 + relations))) {
    return answer(Status::wrong_size);
  }
  Evaluation switched, all_on;
  if (Outcome bad = slot->run.switch_heads({gates, heads}, switched, all_on); !bad.ok()) return answer(bad);
  loss[0] = switched.loss;
  loss[1] = all_on.loss;
  write(switched, relations, accuracy);
  write(all_on, relations, accuracy + 1 + relations);
  return answer(Status::ok);
}

std::int32_t mha_task_words(std::int32_t task, const char* text, const std::int32_t* offsets, std::int32_t count,
                            std::int32_t* words) {
  if (!is_task(task)) return answer(Status::no_such_cell);
  if (count < 1 || count > kMaxTokens) return answer(Status::tokens_out_of_range);
  const auto tokens = static_cast<std::size_t>(count);
  if (!usable(offsets, tokens + 1) || !usable(words, tokens)) return answer(Status::wrong_size);
  if (offsets[0] != 0) return answer(Status::bad_text);
  for (std::int32_t i = 0; i < count; ++i) {
    const std::string_view token = token_of(text, offsets, i);
    if (token.empty() || !is_utf8(token)) return answer(Status::bad_text);
    words[i] = word_place(static_cast<Task>(task), token);
  }
  return answer(Status::ok);
}

std::int32_t mha_task_sentence(std::int32_t task, std::int32_t language, std::int32_t* words, std::int32_t room,
                               std::int32_t* length) {
  if (!is_task(task) || !is_language(language)) return answer(Status::no_such_cell);
  if (room < 0 || !usable(words, static_cast<std::size_t>(room)) || !usable(length, 1)) {
    return answer(Status::wrong_size);
  }
  const std::vector<std::uint64_t> numbers = held_out_numbers(static_cast<Task>(task), to_language(language), 1);
  Batch batch;
  make_batch(static_cast<Task>(task), ObservedRun::kHeldOutSeed, Split::held_out, Questions::relations, numbers, batch);
  if (batch.rows() > static_cast<std::size_t>(room)) return answer(Status::too_large);
  std::copy(batch.tokens.begin(), batch.tokens.end(), words);
  *length = static_cast<std::int32_t>(batch.rows());
  return answer(Status::ok);
}
