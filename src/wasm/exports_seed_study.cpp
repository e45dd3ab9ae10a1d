#include "wasm/exports_seed_study.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "lab/seed_study.hpp"
#include "wasm/answer.hpp"
#include "wasm/boundary.hpp"
#include "wasm/request.hpp"
#include "wasm/run_settings.hpp"

using namespace mha;
using namespace mha::wasm;

namespace {

std::optional<SeedStudy>& open_study() {
  static std::optional<SeedStudy> study;
  return study;
}

void write_summary(const SeedSummary& summary, double* record) {
  record[kSeedSummary["runs"]] = summary.runs;
  record[kSeedSummary["reached"]] = summary.reached;
  record[kSeedSummary["diverged"]] = summary.diverged;
  record[kSeedSummary["median"]] = summary.median;
  record[kSeedSummary["fewest"]] = summary.fewest;
  record[kSeedSummary["most"]] = summary.most;
  record[kSeedSummary["loss"]] = summary.loss;
  record[kSeedSummary["assignments"]] = summary.assignments;
  record[kSeedSummary["groupings"]] = static_cast<double>(summary.groupings.size());
}

}  // namespace

std::int32_t mha_study_open(const double* settings, const std::int32_t* heads, std::int32_t count, const double* plan) {
  auto& study = open_study();
  study.reset();
  if (count < 1 || count > SeedStudy::kMaxHeadCounts || !usable(settings, kRunSettings.size()) ||
      !usable(heads, static_cast<std::size_t>(count)) || !usable(plan, kSeedPlan.size())) {
    return answer(Status::wrong_size);
  }
  if (!is_task(to_int(settings[kRunSettings["task"]]))) return answer(Status::no_such_cell);
  const double spoken = plan[kSeedPlan["language"]];
  const std::int32_t language = to_int(spoken);
  // What is no whole number has become −1.
  if (!is_language(language) || spoken != language || !is_seed(settings[kRunSettings["seed"]])) {
    return answer(Status::no_such_cell);
  }
  const Settings read = read_settings(settings);
  study.emplace();
  const Outcome outcome = study->start({.shape = read.shape,
                                        .options = read.options,
                                        .heads = {heads, heads + count},
                                        .seeds = to_int(plan[kSeedPlan["seeds"]]),
                                        .steps = to_int(plan[kSeedPlan["steps"]]),
                                        .bound = plan[kSeedPlan["bound"]],
                                        .language = to_language(language),
                                        .every = to_int(plan[kSeedPlan["every"]])});
  if (!outcome.ok()) study.reset();
  return answer(outcome);
}

std::int32_t mha_study_close() {
  open_study().reset();
  return answer(Status::ok);
}

std::int32_t mha_study_advance(std::int32_t count, double* progress) {
  auto& study = open_study();
  if (!study) return answer(Status::not_loaded);
  if (count < 0 || !usable(progress, kSeedProgress.size())) return answer(Status::wrong_size);
  const Outcome outcome = study->advance(count);
  progress[kSeedProgress["seed"]] = study->seed();
  progress[kSeedProgress["place"]] = static_cast<double>(study->place());
  progress[kSeedProgress["steps"]] = study->steps();
  progress[kSeedProgress["done"]] = study->done() ? 1 : 0;
  return answer(outcome);
}

std::int32_t mha_study_read(double* summaries, std::int32_t* owned, std::int32_t* alone, std::int32_t* answered,
                            std::int32_t* reached, std::int32_t* grouped, std::int32_t* groups) {
  const auto& study = open_study();
  if (!study) return answer(Status::not_loaded);
  const std::size_t counts = study->plan().heads.size();
  const auto seeds = static_cast<std::size_t>(study->plan().seeds);
  const std::size_t relations = study->relations();
  if (!usable(summaries, counts * kSeedSummary.size()) || !usable(owned, counts * relations) ||
      !usable(alone, counts * relations) || !usable(answered, counts * relations) || !usable(reached, counts * seeds) ||
      !usable(grouped, counts * seeds) || !usable(groups, counts * seeds * relations)) {
    return answer(Status::wrong_size);
  }
  std::fill_n(reached, counts * seeds, kNever);
  std::fill_n(grouped, counts * seeds, kNever);
  std::fill_n(groups, counts * seeds * relations, kNever);
  for (std::size_t place = 0; place < counts; ++place) {
    const std::span<const SeedResult> results = study->results(place);
    const SeedSummary summary = summarize(results, relations);
    write_summary(summary, summaries + place * kSeedSummary.size());
    std::ranges::copy(summary.owned, owned + place * relations);
    std::ranges::copy(summary.alone, alone + place * relations);
    std::ranges::copy(summary.answered, answered + place * relations);
    std::ranges::transform(results, reached + place * seeds, &SeedResult::reached);
    std::ranges::transform(summary.groupings, grouped + place * seeds, &Grouping::seeds);
    for (std::size_t i = 0; i < summary.groupings.size(); ++i) {
      std::ranges::copy(summary.groupings[i].groups, groups + (place * seeds + i) * relations);
    }
  }
  return answer(Status::ok);
}
