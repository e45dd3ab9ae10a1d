#include "train/run.hpp"

#include <algorithm>
#include <utility>

namespace mha {
namespace {

/// So small a share of the answers may go wrong without a head that is called idle, and so much must be right with it.
constexpr double kIdle = 0.01;
constexpr double kUseful = 0.5;

ModelShape model_of(const RunSettings& settings) {
  const TaskInfo& task = info(settings.task);
  return {.vocabulary = task.vocabulary,
          .max_positions = task.longest,
          .model_dim = settings.model_dim,
          .heads = settings.heads,
          .head_dim = settings.heads > 0 ? settings.model_dim / settings.heads : 0,
          .layers = settings.layers,
          .slots = task.slots,
          .residual = settings.residual,
          .layer_norm = settings.layer_norm,
          .biases = settings.biases,
          .causal = settings.causal};
}

std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

}  // namespace

Outcome Run::open(const RunSettings& settings) {
  *this = {};
  if (settings.batch < 1 || settings.batch > kMaxBatch) return {.status = Status::bad_batch};
  if (settings.heads > 0 && settings.model_dim % settings.heads != 0) return {.status = Status::head_dim_out_of_range};
  const TrainerOptions options = {.adam = {.learning_rate = settings.learning_rate}, .seed = settings.seed};
  if (Outcome bad = trainer_.start(model_of(settings), options); !bad.ok()) return bad;
  settings_ = settings;
  make_batch(settings.task, kHeldOutSeed, Split::held_out, Questions::asked, 0, kHeldOut, asked_);
  make_batch(settings.task, kHeldOutSeed, Split::held_out, Questions::relations, 0, kHeldOut, partners_);
  asks_partners_ = asked_.tokens == partners_.tokens && asked_.relations == partners_.relations;
  return {};
}

Outcome Run::advance(std::int32_t count) {
  const Questions questions = settings_.shuffled ? Questions::shuffled : Questions::asked;
  for (std::int32_t i = 0; i < count; ++i) {
    const auto sentences = static_cast<std::uint64_t>(settings_.batch);
    make_batch(settings_.task, settings_.seed, Split::train, questions, trainer_.steps() * sentences, settings_.batch,
               batch_);
    if (Outcome bad = trainer_.step(batch_, loss_); !bad.ok()) return bad;
  }
  return {};
}

Outcome Run::measure(bool switching, Measurement& measurement) {
  if (Outcome bad = trainer_.evaluate(partners_, {}, evaluation_); !bad.ok()) return bad;
  count_heads(measurement);
  if (!asks_partners_) {
    if (Outcome bad = trainer_.evaluate(asked_, {}, evaluation_); !bad.ok()) return bad;
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
  return switching ? find_idle(Evaluation(evaluation_), measurement) : Outcome{};
}

void Run::count_heads(Measurement& measurement) const {
  const Network& network = trainer_.network();
  std::vector<float> asked(relations(), 0.0F);
  measurement.head_accuracy.assign(index(all_heads()) * relations(), 0.0F);
  for (const Question& question : network.questions()) {
    const std::size_t relation = index(question.relation);
    ++asked[relation];
    for (std::int32_t head = 0; head < all_heads(); ++head) {
      const std::size_t n = index(partners_.lengths[index(question.sentence)]);
      const auto row = network.attention(head / settings_.heads)
                           .weights(index(question.sentence), head % settings_.heads)
                           .subspan(index(question.place) * n, n);
      const auto largest = std::max_element(row.begin(), row.end()) - row.begin();
      if (largest == question.partner) ++measurement.head_accuracy[index(head) * relations() + relation];
    }
  }
  for (std::size_t i = 0; i < measurement.head_accuracy.size(); ++i) {
    measurement.head_accuracy[i] /= std::max(1.0F, asked[i % relations()]);
  }
}

Outcome Run::find_idle(const Evaluation& whole, Measurement& measurement) {
  gates_.assign(index(all_heads()), 1.0F);
  for (std::size_t head = 0; head < gates_.size(); ++head) {
    gates_[head] = 0.0F;
    Outcome bad = trainer_.evaluate(asked_, gates_, evaluation_);
    gates_[head] = 1.0F;
    if (!bad.ok()) return bad;
    const double lost = whole.all.accuracy() - evaluation_.all.accuracy();
    measurement.is_idle[head] = whole.all.accuracy() >= kUseful && lost < kIdle ? 1 : 0;
  }
  return {};
}

Outcome Run::show(std::span<const std::int32_t> tokens, std::span<float> maps, Dilemma& dilemma) {
  const std::size_t n = tokens.size();
  if (n == 0 || n > index(info(settings_.task).longest)) return {.status = Status::bad_batch};
  if (maps.size() != index(all_heads()) * n * n) return {.status = Status::wrong_size};
  const bool has_gold = read_gold(settings_.task, tokens, shown_);
  if (!has_gold) {
    if (shown_.tokens.size() != n) return {.status = Status::bad_batch};
    // The network answers questions, and this sentence asks none: one is made up, and its answer not read.
    shown_.targets[0] = shown_.tokens[0];
    shown_.partners[0] = 0;
    shown_.relations[0] = 0;
  }
  if (Outcome bad = trainer_.evaluate(shown_, {}, evaluation_); !bad.ok()) return bad;
  const Network& network = trainer_.network();
  for (std::int32_t head = 0; head < all_heads(); ++head) {
    const auto map = network.attention(head / settings_.heads).weights(0, head % settings_.heads);
    std::copy(map.begin(), map.end(), maps.begin() + static_cast<std::ptrdiff_t>(index(head) * n * n));
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
