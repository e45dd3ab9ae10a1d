// The whole model against its double reference, and its gradient against central differences of that.
#include "train/network.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "model_reference.hpp"
#include "support.hpp"
#include "training_golden.hpp"

namespace mha::test {
namespace {

std::vector<double> doubles(std::span<const float> values) { return {values.begin(), values.end()}; }

/// ∂f/∂x_i at x, by central differences of two widths whose errors of second order cancel (Richardson).
double slope(std::vector<double>& x, std::size_t i, const std::function<double()>& f) {
  const double at = x[i];
  const auto difference = [&](double step) {
    x[i] = at + step;
    const double above = f();
    x[i] = at - step;
    const double below = f();
    x[i] = at;
    return (above - below) / (2 * step);
  };
  return (4 * difference(5e-4) - difference(1e-3)) / 3;
}

/// A model, a batch, and the network that has run over it.
struct Run {
  ModelShape shape;
  Batch batch;
  std::vector<float> parameters, gates;
  Network network;

  explicit Run(Random& random, int sentences = 4) : shape(random_model(random)) {
    // Rows that are nearly constant have no slope worth the name: layer norm makes them any size.
    if (shape.layer_norm) {
      shape.residual = true;
      shape.model_dim = std::max(shape.model_dim, 5);
    }
    batch = random_batch(shape, sentences, random);
    parameters = random_parameters(shape, random);
    if (random.one_in(2)) {
      gates = random.numbers(static_cast<std::size_t>(shape.layers * shape.heads));
      gates[0] = 0.0F;
    }
    REQUIRE(network.open(shape).ok());
    REQUIRE(network.forward(batch, parameters, gates).ok());
  }
};

TEST_CASE("loss, answers and weights are those of the reference", "[network]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 60; ++round) {
    const Run run(random);
    const std::vector<double> slab = doubles(run.parameters), gates = doubles(run.gates);
    const ModelReference reference(run.shape, slab, gates);
    CHECK(std::abs(run.network.loss() - reference.loss(run.batch)) <= 1e-4 * (1 + reference.loss(run.batch)));

    std::size_t first = 0;
    for (std::size_t s = 0; s < run.batch.sentences(); ++s) {
      const auto words = std::span(run.batch.tokens).subspan(first, static_cast<std::size_t>(run.batch.lengths[s]));
      std::vector<Matrix> maps;
      const Matrix logits = reference.logits(words, &maps);
      for (std::size_t map = 0; map < maps.size(); ++map) {
        const auto layer = static_cast<std::int32_t>(map) / run.shape.heads;
        const auto head = static_cast<std::int32_t>(map) % run.shape.heads;
        const auto got = run.network.attention(layer).weights(s, head);
        REQUIRE(got.size() == static_cast<std::size_t>(maps[map].size()));
        for (std::size_t i = 0; i < got.size(); ++i) {
          CHECK(std::abs(static_cast<double>(got[i]) - maps[map].data()[i]) <= 1e-3);
        }
      }
      for (std::size_t q = 0; q < run.network.questions().size(); ++q) {
        const Question& question = run.network.questions()[q];
        if (static_cast<std::size_t>(question.sentence) != s) continue;
        CHECK(static_cast<std::size_t>(question.row) == first + static_cast<std::size_t>(question.place));
        const auto row = logits.row(question.place)
                             .segment(Eigen::Index{question.slot} * run.shape.vocabulary, run.shape.vocabulary);
        CHECK(row.maxCoeff() - row(run.network.answers()[q].best) <= 1e-3);
      }
      first += words.size();
    }
  }
}

TEST_CASE("the gradient by every parameter is the slope of the loss", "[network][gradient]") {
  Random random(Catch::getSeed());
  double worst = 0.0;
  for (int round = 0; round < 12; ++round) {
    Run run(random, 3);
    std::vector<float> gradient(run.network.layout().size(), kNan);
    REQUIRE(run.network.backward(Network::Loss::batch_mean, gradient).ok());
    std::vector<double> slab = doubles(run.parameters);
    const std::vector<double> gates = doubles(run.gates);
    const ModelReference reference(run.shape, slab, gates);
    std::vector<double> want(slab.size());
    for (std::size_t i = 0; i < slab.size(); ++i) {
      want[i] = slope(slab, i, [&] { return reference.loss(run.batch); });
    }
    double largest = 1e-3;
    for (const double value : want) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < slab.size(); ++i) {
      worst = std::max(worst, std::abs(static_cast<double>(gradient[i]) - want[i]) / largest);
    }
  }
  CAPTURE(worst);
  CHECK(worst <= 1e-5);
}

TEST_CASE("the gradient by a gate is each sentence's own slope, at 0, too", "[network][gradient]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 40; ++round) {
    Run run(random);
    if (run.gates.empty()) run.gates.assign(static_cast<std::size_t>(run.shape.layers * run.shape.heads), 1.0F);
    const auto h = static_cast<std::size_t>(run.shape.heads);
    std::vector<float> d_gates(run.gates.size() * run.batch.sentences(), kNan);
    REQUIRE(run.network.backward(Network::Loss::sentence_means, {}, d_gates).ok());
    const std::vector<double> slab = doubles(run.parameters);
    std::vector<double> gates = doubles(run.gates);
    const ModelReference reference(run.shape, slab, gates);
    for (std::size_t s = 0; s < run.batch.sentences(); ++s) {
      for (std::size_t gate = 0; gate < gates.size(); ++gate) {
        const double want = slope(gates, gate, [&] { return reference.of_sentence(run.batch, s).mean; });
        const double got = d_gates[(gate / h * run.batch.sentences() + s) * h + gate % h];
        CHECK(std::abs(got - want) <= 1e-4 * (1 + std::abs(want)));
      }
    }
  }
}

TEST_CASE("the first gradient is PyTorch's", "[network][golden]") {
  for (const char* const name : {"plain", "two_slots", "everything"}) {
    const TrainingGolden golden(name);
    const GoldenRun run(golden);
    Network network;
    REQUIRE(network.open(run.shape).ok());
    REQUIRE(network.forward(run.batches[0], run.start).ok());
    CHECK(std::abs(network.loss() / static_cast<double>(golden["losses"][0]) - 1) <= 1e-6);
    std::vector<float> gradient(run.start.size());
    REQUIRE(network.backward(Network::Loss::batch_mean, gradient).ok());
    run.each_parameter([&](const std::string& parameter, Weight weight, std::int32_t layer) {
      if (weight == Weight::b_k) return;  // 0, but for rounding
      CAPTURE(name, parameter);
      const auto got = network.layout().span(weight, layer, std::span<const float>(gradient));
      const std::vector<float>& want = golden["grad." + parameter];
      REQUIRE(got.size() == want.size());
      for (std::size_t i = 0; i < want.size(); ++i) {
        CHECK(std::abs(static_cast<double>(got[i]) - static_cast<double>(want[i])) <= 1e-6);
      }
    });
  }
}

TEST_CASE("what is not asked has no gradient", "[network]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 40; ++round) {
    Run run(random, 5);
    // The last sentence asks nothing any more: its words may be any, and no number changes.
    const auto questions = static_cast<std::size_t>(run.batch.lengths.back() * run.batch.slots);
    for (auto* const parts : {&run.batch.targets, &run.batch.partners, &run.batch.relations}) {
      std::fill(parts->end() - static_cast<std::ptrdiff_t>(questions), parts->end(), kIgnored);
    }
    std::vector<float> with(run.network.layout().size()), without(with);
    REQUIRE(run.network.forward(run.batch, run.parameters, run.gates).ok());
    const double loss = run.network.loss();
    REQUIRE(run.network.backward(Network::Loss::batch_mean, with).ok());

    Batch shorter = run.batch;
    shorter.lengths.pop_back();
    for (auto* const parts : {&shorter.targets, &shorter.partners, &shorter.relations}) {
      parts->resize(parts->size() - questions);
    }
    shorter.tokens.resize(shorter.tokens.size() - static_cast<std::size_t>(run.batch.lengths.back()));
    REQUIRE(run.network.forward(shorter, run.parameters, run.gates).ok());
    CHECK(run.network.loss() == loss);
    REQUIRE(run.network.backward(Network::Loss::batch_mean, without).ok());
    for (std::size_t i = 0; i < with.size(); ++i) CHECK(with[i] == without[i]);
  }
}

TEST_CASE("a batch that the model cannot read is refused, and so is what has another size", "[network][status]") {
  Random random(1);
  Run run(random);
  const std::pair<const char*, std::function<void(Batch&)>> faults[] = {
      {"another number of slots", [](Batch& b) { ++b.slots; }},
      {"no word at all", [&](Batch& b) { b = {.slots = b.slots}; }},
      {"a word outside the vocabulary", [&](Batch& b) { b.tokens[0] = run.shape.vocabulary; }},
      {"nothing is asked",
       [](Batch& b) {
         for (auto* const parts : {&b.targets, &b.partners, &b.relations}) std::fill(parts->begin(), parts->end(), -1);
       }},
      {"a sentence that is too long",
       [&](Batch& b) {
         const auto n = static_cast<std::size_t>(run.shape.max_positions) + 1;
         const std::size_t questions = n * static_cast<std::size_t>(b.slots);
         b.lengths = {static_cast<std::int32_t>(n)};
         b.tokens.assign(n, 0);
         b.targets = b.partners = b.relations = std::vector<std::int32_t>(questions, 0);
       }},
  };
  for (const auto& [name, put_in] : faults) {
    CAPTURE(name);
    Batch bad = run.batch;
    put_in(bad);
    CHECK(run.network.forward(bad, run.parameters).status == Status::bad_batch);
  }
  CHECK(run.network.forward(run.batch, std::span(run.parameters).subspan(1)).status == Status::wrong_size);
  CHECK(run.network.forward(run.batch, run.parameters, std::span(run.parameters).first(1 + run.gates.size())).status !=
        Status::ok);
  std::vector<float> gradient(run.parameters.size());
  CHECK(run.network.backward(Network::Loss::batch_mean, gradient).status == Status::not_loaded);
  REQUIRE(run.network.forward(run.batch, run.parameters).ok());
  REQUIRE(run.network.backward(Network::Loss::batch_mean, gradient).ok());
  CHECK(run.network.backward(Network::Loss::batch_mean, gradient).status == Status::not_loaded);
  Network closed;
  CHECK(closed.forward(run.batch, run.parameters).status == Status::not_loaded);
}

}  // namespace
}  // namespace mha::test
