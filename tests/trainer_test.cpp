// Runs: PyTorch's steps, the same bits again, resumed or not, clones, and what must not happen when training fails.
#include "train/trainer.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <vector>

#include "model_reference.hpp"
#include "support.hpp"
#include "training_golden.hpp"

namespace mha::test {
namespace {

constexpr ModelShape kSmall = {.vocabulary = 12,
                               .max_positions = 6,
                               .model_dim = 8,
                               .heads = 4,
                               .head_dim = 2,
                               .layers = 2,
                               .slots = 2,
                               .residual = true,
                               .layer_norm = true,
                               .biases = true};

/// The batch of one step; the same for the same step.
Batch batch_of(const ModelShape& shape, std::uint64_t step) {
  Random random(static_cast<std::uint32_t>(step) + 7);
  return random_batch(shape, 6, random);
}

/// Steps from the one that is next to before `last`; their losses.
std::vector<double> train(Trainer& trainer, std::uint64_t last) {
  std::vector<double> losses;
  while (trainer.steps() < last) {
    double loss = 0;
    const Outcome outcome = trainer.step(batch_of(trainer.shape(), trainer.steps()), loss);
    INFO(message(outcome));
    REQUIRE(outcome.ok());
    losses.push_back(loss);
  }
  return losses;
}

bool finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

TEST_CASE("20 steps are PyTorch's", "[trainer][golden]") {
  for (const char* const name : {"plain", "two_slots", "everything"}) {
    CAPTURE(name);
    const TrainingGolden golden(name);
    const GoldenRun run(golden);
    Trainer trainer;
    REQUIRE(trainer.start(run.shape, {.adam = {.learning_rate = golden.number("learning_rate")}}).ok());
    TrainerState state;
    trainer.save(state);
    std::ranges::copy(run.start, state.numbers.begin());
    REQUIRE(trainer.restore(state).ok());

    double worst = 0.0;
    for (std::size_t step = 0; step < run.batches.size(); ++step) {
      double loss = 0;
      REQUIRE(trainer.step(run.batches[step], loss).ok());
      worst = std::max(worst, std::abs(loss / static_cast<double>(golden["losses"][step]) - 1));
    }
    CAPTURE(worst);
    CHECK(worst <= 5e-7);

    double far = 0.0;
    run.each_parameter([&](const std::string& parameter, Weight weight, std::int32_t layer) {
      if (weight == Weight::b_k) return;
      const auto got = trainer.layout().span(weight, layer, trainer.parameters());
      for (std::size_t i = 0; i < got.size(); ++i) {
        far = std::max(far, std::abs(static_cast<double>(got[i]) - static_cast<double>(golden["end." + parameter][i])));
      }
    });
    CAPTURE(far);
    CHECK(far <= 5e-6);
  }
}

TEST_CASE("the same seed and batches are the same run, bit for bit; another seed is another", "[trainer]") {
  Trainer first, second, other;
  REQUIRE(first.start(kSmall, {.seed = 5}).ok());
  REQUIRE(second.start(kSmall, {.seed = 5}).ok());
  REQUIRE(other.start(kSmall, {.seed = 6}).ok());
  CHECK(train(first, 30) == train(second, 30));
  train(other, 30);
  CHECK(same_bits(first.parameters(), second.parameters()));
  CHECK_FALSE(same_bits(first.parameters(), other.parameters()));
}

TEST_CASE("the first twenty losses are the same in every build", "[trainer]") {
  // The size of the lesson's first run. Builds differ in whether a multiply-add rounds once or twice.
  constexpr ModelShape kLesson = {
      .vocabulary = 93, .max_positions = 24, .model_dim = 32, .heads = 4, .head_dim = 8, .slots = 2};
  constexpr std::array<double, 20> kLosses = {4.578533884, 4.68281122,  4.723291455, 4.685380383, 4.745819949,
                                              4.640927029, 4.70026187,  4.757968115, 4.649207799, 4.61694724,
                                              4.692018408, 4.608274697, 4.537194711, 4.588512779, 4.67074777,
                                              4.636372456, 4.60571058,  4.893716493, 4.693696994, 4.626250397};
  Trainer trainer;
  REQUIRE(trainer.start(kLesson, {}).ok());
  const std::vector<double> losses = train(trainer, kLosses.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    CAPTURE(i, text("%.9f", losses[i]));
    CHECK(std::abs(losses[i] / kLosses[i] - 1) <= 1e-4);
  }
}

TEST_CASE("a run that is saved, and resumed elsewhere, is the uninterrupted one", "[trainer]") {
  Trainer whole, cut, resumed;
  REQUIRE(whole.start(kSmall, {}).ok());
  REQUIRE(cut.start(kSmall, {}).ok());
  REQUIRE(resumed.start(kSmall, {.seed = 99}).ok());
  const std::vector<double> losses = train(whole, 40);
  train(cut, 17);
  TrainerState state;
  cut.save(state);
  CHECK(state.steps == 17);
  train(resumed, 3);
  REQUIRE(resumed.restore(state).ok());
  const std::vector<double> rest = train(resumed, 40);
  CHECK(std::equal(rest.begin(), rest.end(), losses.begin() + 17));
  CHECK(same_bits(whole.parameters(), resumed.parameters()));

  TrainerState end, other;
  whole.save(end);
  resumed.save(other);
  CHECK(same_bits(end.numbers, other.numbers));

  state.numbers.pop_back();
  CHECK(resumed.restore(state).status == Status::wrong_size);
  state.numbers.push_back(kNan);
  CHECK(resumed.restore(state).status == Status::not_finite);
  CHECK(same_bits(whole.parameters(), resumed.parameters()));
}

TEST_CASE("asking changes nothing of the run", "[trainer]") {
  Trainer asked, silent;
  REQUIRE(asked.start(kSmall, {}).ok());
  REQUIRE(silent.start(kSmall, {}).ok());
  const std::vector<float> gates = {0, 1, 1, 0.5F, 1, 1, 0, 1};
  for (std::uint64_t step = 1; step <= 10; ++step) {
    CHECK(train(asked, step) == train(silent, step));
    Evaluation evaluation;
    const Batch batch = batch_of(kSmall, 1000 + step);
    REQUIRE(asked.evaluate(batch, gates, evaluation).ok());
    std::vector<float> d_gates(8 * batch.sentences());
    REQUIRE(asked.gate_gradients(batch, d_gates).ok());
  }
  CHECK(same_bits(asked.parameters(), silent.parameters()));
}

TEST_CASE("an evaluation counts by relation what the model answers", "[trainer]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 20; ++round) {
    const ModelShape shape = random_model(random);
    Trainer trainer;
    REQUIRE(trainer.start(shape, {.seed = static_cast<std::uint32_t>(round)}).ok());
    const Batch batch = random_batch(shape, 8, random);
    Evaluation evaluation;
    REQUIRE(trainer.evaluate(batch, {}, evaluation).ok());

    const std::vector<double> slab(trainer.parameters().begin(), trainer.parameters().end());
    const ModelReference reference(shape, slab);
    CHECK(std::abs(evaluation.loss - reference.loss(batch)) <= 1e-4 * (1 + evaluation.loss));
    std::vector<Tally> relations(evaluation.relations.size());
    Tally all;
    std::size_t first = 0;
    for (const std::int32_t length : batch.lengths) {
      const Matrix logits = reference.logits(std::span(batch.tokens).subspan(first, static_cast<std::size_t>(length)));
      for (std::size_t q = first * static_cast<std::size_t>(batch.slots);
           q < (first + static_cast<std::size_t>(length)) * static_cast<std::size_t>(batch.slots); ++q) {
        if (batch.targets[q] == kIgnored) continue;
        const auto slot = static_cast<Eigen::Index>(q) % batch.slots;
        const auto row = static_cast<Eigen::Index>(q) / batch.slots - static_cast<Eigen::Index>(first);
        Eigen::Index best = 0;
        logits.row(row).segment(slot * shape.vocabulary, shape.vocabulary).maxCoeff(&best);
        for (Tally* const tally : {&all, &relations.at(static_cast<std::size_t>(batch.relations[q]))}) {
          ++tally->asked;
          tally->right += best == batch.targets[q] ? 1 : 0;
        }
      }
      first += static_cast<std::size_t>(length);
    }
    CHECK(evaluation.all.asked == all.asked);
    CHECK(std::abs(evaluation.all.right - all.right) <= 1);  // two logits may be equal up to rounding
    for (std::size_t r = 0; r < relations.size(); ++r) CHECK(evaluation.relations[r].asked == relations[r].asked);
  }
  CHECK(Tally{}.accuracy() == 0.0);
  CHECK(Tally{4, 3}.accuracy() == 0.75);
}

TEST_CASE("a model learns what can be learned", "[trainer]") {
  // Every word names the first word of its sentence.
  constexpr ModelShape kFirst = {.vocabulary = 10, .max_positions = 6, .model_dim = 16, .heads = 2, .head_dim = 8};
  const auto batch_for = [](std::uint32_t seed) {
    Random random(seed);
    Batch batch;
    for (int s = 0; s < 32; ++s) {
      batch.lengths.push_back(6);
      for (int i = 0; i < 6; ++i) batch.tokens.push_back(random.integer(0, 9));
      batch.targets.insert(batch.targets.end(), 6, *(batch.tokens.end() - 6));
    }
    batch.partners.assign(batch.targets.size(), 0);
    batch.relations.assign(batch.targets.size(), 0);
    return batch;
  };
  Trainer trainer;
  REQUIRE(trainer.start(kFirst, {.adam = {.learning_rate = 0.01}}).ok());
  double loss = 0;
  for (std::uint32_t step = 0; step < 300; ++step) REQUIRE(trainer.step(batch_for(step), loss).ok());
  Evaluation evaluation;
  REQUIRE(trainer.evaluate(batch_for(100000), {}, evaluation).ok());
  CHECK(evaluation.loss <= 0.05);
  CHECK(evaluation.all.accuracy() == 1.0);
}

/// Head 1 becomes a copy of head 0: its columns of W_Q, W_K, W_V and their biases, its rows of W_O.
void clone_head(const Trainer& trainer, std::span<float> slab) {
  const ModelShape& shape = trainer.shape();
  const auto k = static_cast<std::size_t>(shape.head_dim);
  for (std::int32_t layer = 0; layer < shape.layers; ++layer) {
    for (const Weight weight : {Weight::w_q, Weight::w_k, Weight::w_v, Weight::b_q, Weight::b_k, Weight::b_v}) {
      const auto numbers = trainer.layout().span(weight, layer, slab);
      const auto columns = static_cast<std::size_t>(shape.heads) * k;
      for (std::size_t row = 0; row < numbers.size(); row += columns) {
        std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(row), k,
                    numbers.begin() + static_cast<std::ptrdiff_t>(row + k));
      }
    }
    const auto w_o = trainer.layout().span(Weight::w_o, layer, slab);
    const auto block = k * static_cast<std::size_t>(shape.model_dim);
    std::copy_n(w_o.begin(), block, w_o.begin() + static_cast<std::ptrdiff_t>(block));
  }
}

TEST_CASE("cloned heads with cloned blocks of W_O stay clones, bit for bit", "[trainer]") {
  Trainer trainer;
  REQUIRE(trainer.start(kSmall, {}).ok());
  TrainerState state;
  trainer.save(state);
  clone_head(trainer, state.numbers);
  REQUIRE(trainer.restore(state).ok());
  train(trainer, 50);
  std::vector<float> again(trainer.parameters().begin(), trainer.parameters().end());
  clone_head(trainer, again);
  CHECK(same_bits(again, trainer.parameters()));

  // Not so if only W_O's blocks differ: different gradients make different heads.
  trainer.save(state);
  const auto place = trainer.layout()(Weight::w_o, 0);
  state.numbers[place.offset] += 0.1F;
  REQUIRE(trainer.restore(state).ok());
  train(trainer, 55);
  again.assign(trainer.parameters().begin(), trainer.parameters().end());
  clone_head(trainer, again);
  const auto w_q = [&](std::span<const float> slab) { return trainer.layout().span(Weight::w_q, 0, slab); };
  CHECK_FALSE(same_bits(w_q(again), w_q(trainer.parameters())));
}

TEST_CASE("a diverged run stops, says so, and still shows its last finite state", "[trainer][status]") {
  for (const double learning_rate : {1e30, 1e19, 1e38}) {
    for (const bool layer_norm : {false, true}) {
      ModelShape shape = kSmall;
      shape.layer_norm = layer_norm;
      Trainer trainer;
      REQUIRE(trainer.start(shape, {.adam = {.learning_rate = learning_rate}}).ok());
      Outcome outcome;
      std::vector<float> last(trainer.parameters().begin(), trainer.parameters().end());
      for (int step = 0; step < 50 && outcome.ok(); ++step) {
        last.assign(trainer.parameters().begin(), trainer.parameters().end());
        double loss = 0;
        outcome = trainer.step(batch_of(shape, trainer.steps()), loss);
        CHECK(std::isfinite(loss));
      }
      CAPTURE(learning_rate, layer_norm, trainer.steps());
      CHECK(outcome.status == Status::diverged);
      CHECK(trainer.diverged());
      CHECK(same_bits(trainer.parameters(), last));
      CHECK(finite(trainer.parameters()));
      TrainerState state;
      trainer.save(state);
      CHECK(finite(state.numbers));
      const std::uint64_t steps = trainer.steps();
      double loss = -1;
      CHECK(trainer.step(batch_of(shape, 0), loss).status == Status::diverged);
      CHECK(trainer.steps() == steps);
      CHECK(loss == -1);
    }
  }
}

TEST_CASE("learning badly shows no NaN", "[trainer]") {
  struct Bad {
    const char* name;
    ModelShape shape;
    double learning_rate;
    int sentences;
  };
  const ModelShape heads = {
      .vocabulary = 12, .max_positions = 6, .model_dim = 8, .heads = 8, .head_dim = 1, .slots = 2};
  for (const Bad& bad : {Bad{"learning rate 10", kSmall, 10.0, 6}, Bad{"d = 8, h = 8", heads, 10.0, 6},
                         Bad{"one sentence", heads, 3e-3, 1}, Bad{"learning rate 1000", heads, 1000.0, 6}}) {
    CAPTURE(bad.name);
    Trainer trainer;
    REQUIRE(trainer.start(bad.shape, {.adam = {.learning_rate = bad.learning_rate}}).ok());
    Outcome outcome;
    for (std::uint32_t step = 0; step < 200 && outcome.ok(); ++step) {
      Random random(bad.sentences == 1 ? 1 : step);
      const Batch batch = random_batch(bad.shape, bad.sentences, random);
      double loss = 0;
      outcome = trainer.step(batch, loss);
      CHECK(std::isfinite(loss));
      Evaluation evaluation;
      if (!trainer.evaluate(batch, {}, evaluation).ok()) continue;
      CHECK(std::isfinite(evaluation.loss));
      CHECK(finite(trainer.network().probabilities()));
      for (std::int32_t layer = 0; layer < bad.shape.layers; ++layer) {
        for (std::int32_t head = 0; head < bad.shape.heads; ++head) {
          CHECK(finite(trainer.network().attention(layer).weights(0, head)));
        }
      }
    }
    CHECK((outcome.ok() || outcome.status == Status::diverged));
    CHECK(finite(trainer.parameters()));
  }
}

TEST_CASE("a step that cannot be made changes nothing, and the run goes on", "[trainer][status]") {
  Trainer trainer;
  double loss = -1;
  CHECK(trainer.step(batch_of(kSmall, 0), loss).status == Status::not_loaded);
  CHECK(trainer.start(kSmall, {.adam = {.learning_rate = 0}}).status == Status::bad_learning_rate);
  CHECK(trainer.start(kSmall, {.adam = {.learning_rate = 1e-60}}).status == Status::bad_learning_rate);
  CHECK(trainer.start(kSmall, {.adam = {.learning_rate = 1e60}}).status == Status::bad_learning_rate);
  CHECK(trainer.start(kSmall, {.start_scale = kInfinity}).status == Status::bad_learning_rate);
  CHECK(trainer.start({}, {}).status == Status::tokens_out_of_range);
  CHECK(trainer.step(batch_of(kSmall, 0), loss).status == Status::not_loaded);
  REQUIRE(trainer.start(kSmall, {}).ok());
  Batch bad = batch_of(kSmall, 0);
  bad.tokens[0] = 12;
  const std::vector<float> before(trainer.parameters().begin(), trainer.parameters().end());
  CHECK(trainer.step(bad, loss).status == Status::bad_batch);
  CHECK(loss == -1);
  CHECK(same_bits(trainer.parameters(), before));
  CHECK_FALSE(trainer.diverged());
  CHECK(trainer.step(batch_of(kSmall, 0), loss).ok());
}

}  // namespace
}  // namespace mha::test
