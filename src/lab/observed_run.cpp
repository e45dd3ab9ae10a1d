#include "lab/observed_run.hpp"

#include <algorithm>

#include "lab/ablation.hpp"

namespace mha {
namespace {

/// So small a share of the answers may go wrong without a head that is called idle, and so much must be right with it.
constexpr double kIdle = 0.01;
constexpr double kUseful = 0.5;

std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

}  // namespace

std::vector<std::uint64_t> held_out_numbers(Task task, std::optional<Language> language, std::int32_t count) {
  std::vector<std::uint64_t> numbers;
  Batch one;
  for (std::uint64_t number = 0; numbers.size() < index(count); ++number) {
    make_batch(task, ObservedRun::kHeldOutSeed, Split::held_out, Questions::relations, number, 1, one);
    const std::optional<Language> spoken = language_of(task, one.tokens);
    if (!language || !spoken || *spoken == *language) numbers.push_back(number);
  }
  return numbers;
}

Outcome ObservedRun::start(const ModelShape& shape, const RunOptions& options) {
  *this = {};
  if (Outcome bad = run_.start(shape, options); !bad.ok()) return bad;
  listen_to({});
  return probe_.open(shape);
}

Outcome ObservedRun::resume(const ModelShape& shape, const RunOptions& options, const TrainerState& state) {
  if (Outcome bad = start(shape, options); !bad.ok()) return bad;
  const Outcome restored = run_.trainer().restore(state);
  if (!restored.ok()) *this = {};
  return restored;
}

void ObservedRun::listen_to(std::optional<Language> language) {
  const Task task = run_.options().task;
  const std::vector<std::uint64_t> numbers = held_out_numbers(task, language, kHeldOut);
  make_batch(task, kHeldOutSeed, Split::held_out, Questions::asked, numbers, asked_);
  make_batch(task, kHeldOutSeed, Split::held_out, Questions::relations, numbers, partners_);
  asks_partners_ = asked_.tokens == partners_.tokens && asked_.relations == partners_.relations;
}

Outcome ObservedRun::advance(std::int32_t count) {
  for (std::int32_t i = 0; i < count; ++i) {
    if (Outcome bad = run_.step(loss_); !bad.ok()) return bad;
  }
  return {};
}

Outcome ObservedRun::evaluate(double& loss) {
  if (Outcome bad = run_.trainer().evaluate(asked_, {}, evaluation_); !bad.ok()) return bad;
  loss = evaluation_.loss;
  return {};
}

Outcome ObservedRun::measure(bool switching, Measurement& measurement) {
  Trainer& trainer = run_.trainer();
  if (Outcome bad = trainer.evaluate(partners_, {}, evaluation_); !bad.ok()) return bad;
  measure_relations(trainer.network(), partners_, heads_);
  measurement.head_accuracy.assign(index(all_heads()) * relations(), 0.0F);
  for (std::size_t head = 0; head < heads_.size(); ++head) {
    const std::vector<Tally>& tallies = heads_[head];
    for (std::size_t relation = 0; relation < tallies.size(); ++relation) {
      measurement.head_accuracy[head * relations() + relation] = static_cast<float>(tallies[relation].accuracy());
    }
  }

  if (!asks_partners_) {
    if (Outcome bad = trainer.evaluate(asked_, {}, evaluation_); !bad.ok()) return bad;
  }
  measurement.loss = evaluation_.loss;
  measurement.accuracy.assign(relations(), -1.0F);
  for (std::size_t i = 0; i < evaluation_.relations.size(); ++i) {
    const Tally& tally = evaluation_.relations[i];
    if (tally.asked > 0) measurement.accuracy[i] = static_cast<float>(tally.accuracy());
  }
  measurement.states.resize(measurement.head_accuracy.size());
  role_states(measurement.head_accuracy, measurement.accuracy, measurement.states);
  measurement.is_idle.resize(index(all_heads()));
  return switching ? find_idle(evaluation_, measurement) : Outcome{};
}

Outcome ObservedRun::find_idle(const Evaluation& whole, Measurement& measurement) {
  if (Outcome bad = ablate_each(probe_, asked_, run_.trainer().parameters(), without_); !bad.ok()) return bad;
  for (std::size_t head = 0; head < without_.size(); ++head) {
    const double lost = whole.all.accuracy() - without_[head].all.accuracy();
    measurement.is_idle[head] = whole.all.accuracy() >= kUseful && lost < kIdle ? 1 : 0;
  }
  return {};
}

Outcome ObservedRun::study_heads(HeadsOff& study) {
  return study_heads_off(probe_, asked_, run_.trainer().parameters(), study);
}

Outcome ObservedRun::switch_heads(std::span<const float> gates, Evaluation& switched, Evaluation& all_on) {
  if (gates.size() != index(all_heads())) return {.status = Status::bad_gate};
  const auto parameters = run_.trainer().parameters();
  if (Outcome bad = mha::evaluate(probe_, asked_, parameters, {}, all_on); !bad.ok()) return bad;
  return mha::evaluate(probe_, asked_, parameters, gates, switched);
}

Outcome ObservedRun::show(std::span<const std::int32_t> tokens, std::span<float> maps, Dilemma& dilemma) {
  const std::size_t n = tokens.size();
  if (n == 0 || n > index(info(run_.options().task).longest)) return {.status = Status::bad_batch};
  if (maps.size() != index(all_heads()) * n * n) return {.status = Status::wrong_size};
  const bool has_gold = read_gold(run_.options().task, tokens, shown_);
  if (!has_gold) {
    if (shown_.tokens.size() != n) return {.status = Status::bad_batch};
    // The network answers questions, and this sentence asks none: one is made up, and its answer not read.
    shown_.targets[0] = shown_.tokens[0];
    shown_.partners[0] = 0;
    shown_.relations[0] = 0;
  }
  if (Outcome bad = run_.trainer().evaluate(shown_, {}, evaluation_); !bad.ok()) return bad;
  const Network& network = run_.trainer().network();
  const std::int32_t heads = network.shape().heads;
  for (std::int32_t head = 0; head < all_heads(); ++head) {
    const auto weights = network.attention(head / heads).weights(0, head % heads);
    std::copy(weights.begin(), weights.end(), maps.begin() + static_cast<std::ptrdiff_t>(index(head) * n * n));
  }

  dilemma = {};
  if (!has_gold || shown_.slots < 2) return {};
  const auto slots = index(shown_.slots);
  for (std::size_t row = 0; row < n; ++row) {
    const std::int32_t first = shown_.partners[row * slots];
    const std::int32_t second = shown_.partners[row * slots + 1];
    if (first == kIgnored || second == kIgnored) continue;
    float most = -1.0F;
    for (std::int32_t head = 0; head < all_heads(); ++head) {
      const auto weights = maps.subspan((index(head) * n + row) * n, n);
      const float both = weights[index(first)] + weights[index(second)];
      if (both > most) dilemma.head = head;
      most = std::max(most, both);
    }
    dilemma.query = static_cast<std::int32_t>(row);
    dilemma.first = first;
    dilemma.second = second;
    for (std::size_t q = 0; q < network.questions().size(); ++q) {
      const Question& question = network.questions()[q];
      if (question.place == dilemma.query && question.slot < 2) dilemma.loss += network.answers()[q].loss;
    }
    return {};
  }
  return {};
}

}  // namespace mha
