// Heads taken out, against the reference with gates; and the common bug, which takes out something else.
#include "lab/ablation.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "lab/importance.hpp"
#include "model_reference.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

struct Subject {
  ModelShape shape;
  Batch batch;
  std::vector<float> parameters;
  std::vector<double> slab;
  Network network;

  Subject(const ModelShape& of, Random& random)
      : shape(of),
        batch(random_batch(shape, 6, random)),
        parameters(random_parameters(shape, random)),
        slab(parameters.begin(), parameters.end()) {
    REQUIRE(network.open(shape).ok());
  }
  [[nodiscard]] std::size_t heads() const { return static_cast<std::size_t>(shape.layers * shape.heads); }
  [[nodiscard]] double loss(std::span<const double> gates) const {
    return ModelReference(shape, slab, gates).loss(batch);
  }
};

/// Rows without variance are left out: layer norm makes them any size.
Subject subject(Random& random) {
  ModelShape shape = random_model(random);
  shape.residual = shape.residual || shape.layer_norm;
  if (shape.layer_norm) shape.model_dim = std::max(shape.model_dim, 5);
  return {shape, random};
}

bool near(double got, double want) { return std::abs(got - want) <= 1e-4 * (1 + std::abs(want)); }

TEST_CASE("a head is ablated by a gate of 0 before W_O; biases stay", "[ablation]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 40; ++round) {
    Subject s = subject(random);
    std::vector<Evaluation> without;
    REQUIRE(ablate_each(s.network, s.batch, s.parameters, without).ok());
    REQUIRE(without.size() == s.heads());
    for (std::size_t head = 0; head < s.heads(); ++head) {
      std::vector<double> gates(s.heads(), 1.0);
      gates[head] = 0.0;
      CHECK(near(without[head].loss, s.loss(gates)));
    }
  }
}

TEST_CASE("zeroing a slice of the output is not an ablation", "[ablation]") {
  Random random(Catch::getSeed());
  int different = 0;
  for (int round = 0; round < 20; ++round) {
    ModelShape shape = random_model(random);
    shape.layers = 1;
    shape.residual = shape.layer_norm = false;
    shape.heads = random.integer(2, 4);
    shape.model_dim = shape.heads * random.integer(1, 4);
    shape.vocabulary = random.integer(5, 20);
    Subject s(shape, random);
    std::vector<Evaluation> sliced, without;
    REQUIRE(zero_output_slice_each(s.network, s.batch, s.parameters, sliced).ok());
    REQUIRE(ablate_each(s.network, s.batch, s.parameters, without).ok());
    for (std::size_t head = 0; head < s.heads(); ++head) {
      // With nothing between them, zeros in the output meet rows of the read-out: those may as well be zeros.
      std::vector<double> slab = s.slab;
      const auto place = s.network.layout()(Weight::read_out);
      const auto width = static_cast<std::size_t>(shape.model_dim / shape.heads * place.columns);
      std::fill_n(slab.begin() + static_cast<std::ptrdiff_t>(place.offset + head * width), width, 0.0);
      CHECK(near(sliced[head].loss, ModelReference(shape, slab).loss(s.batch)));
      different += near(sliced[head].loss, without[head].loss) ? 0 : 1;
    }
  }
  CHECK(different > 20);
}

TEST_CASE("a pruning curve takes the heads of its order out, one after another", "[ablation]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 20; ++round) {
    Subject s = subject(random);
    std::vector<std::int32_t> order;
    for (const int head : random.permutation(static_cast<int>(s.heads()))) order.push_back(head);
    std::vector<Evaluation> curve;
    REQUIRE(prune(s.network, s.batch, s.parameters, order, curve).ok());
    REQUIRE(curve.size() == s.heads() + 1);
    std::vector<double> gates(s.heads(), 1.0);
    for (std::size_t gone = 0; gone < curve.size(); ++gone) {
      CHECK(near(curve[gone].loss, s.loss(gates)));
      if (gone < order.size()) gates[static_cast<std::size_t>(order[gone])] = 0.0;
    }
    order.push_back(order[0]);
    CHECK(prune(s.network, s.batch, s.parameters, order, curve).status == Status::bad_gate);
    order.back() = static_cast<std::int32_t>(s.heads());
    CHECK(prune(s.network, s.batch, s.parameters, order, curve).status == Status::bad_gate);
  }
}

TEST_CASE("the greedy order drops each time the head that is missed least", "[ablation]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 10; ++round) {
    Subject s = subject(random);
    std::vector<std::int32_t> order;
    REQUIRE(greedy_order(s.network, s.batch, s.parameters, order).ok());
    REQUIRE(order.size() == s.heads());
    std::vector<double> gates(s.heads(), 1.0);
    for (const std::int32_t chosen : order) {
      REQUIRE(gates[static_cast<std::size_t>(chosen)] == 1.0);
      double least = kInfinity;
      for (double& gate : gates) {
        if (gate == 0.0) continue;
        gate = 0.0;
        least = std::min(least, s.loss(gates));
        gate = 1.0;
      }
      gates[static_cast<std::size_t>(chosen)] = 0.0;
      CHECK(s.loss(gates) <= least + 1e-4 * (1 + least));
    }
  }
  const double scores[] = {0.5, 0.1, 0.5, 0.0};
  CHECK(order_by(scores) == std::vector<std::int32_t>{3, 1, 0, 2});
}

TEST_CASE("of heads that are missed equally the first goes first", "[ablation]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 20; ++round) {
    Subject s = subject(random);
    // A head whose rows of W_O are zeros says nothing: with it and without it, the losses have the same bits.
    std::vector<bool> is_mute(s.heads());
    const auto rows = static_cast<std::size_t>(s.shape.head_dim * s.shape.model_dim);
    for (std::size_t head = 0; head < s.heads(); ++head) {
      is_mute[head] = round == 0 || random.one_in(2);
      if (!is_mute[head]) continue;
      const auto layer = static_cast<std::int32_t>(head) / s.shape.heads;
      const auto w_o = s.network.layout().span(Weight::w_o, layer, std::span(s.parameters));
      std::ranges::fill(w_o.subspan(head % static_cast<std::size_t>(s.shape.heads) * rows, rows), 0.0F);
    }
    std::vector<std::int32_t> order;
    REQUIRE(greedy_order(s.network, s.batch, s.parameters, order).ok());
    std::erase_if(order, [&](std::int32_t head) { return !is_mute[static_cast<std::size_t>(head)]; });
    CHECK(std::ranges::is_sorted(order));
  }
}

TEST_CASE("importance is the mean size of each sentence's own slope, by layer of norm 1", "[importance]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 20; ++round) {
    Subject s = subject(random);
    std::vector<Importance> heads;
    REQUIRE(importance(s.network, s.batch, s.parameters, heads).ok());
    REQUIRE(heads.size() == s.heads());
    std::vector<double> gates(s.heads(), 1.0);
    const ModelReference reference(s.shape, s.slab, gates);
    for (std::size_t head = 0; head < s.heads(); ++head) {
      double want = 0.0;
      for (std::size_t sentence = 0; sentence < s.batch.sentences(); ++sentence) {
        gates[head] = 1.0 + 1e-4;
        const double above = reference.of_sentence(s.batch, sentence).mean;
        gates[head] = 1.0 - 1e-4;
        const double below = reference.of_sentence(s.batch, sentence).mean;
        gates[head] = 1.0;
        want += std::abs(above - below) / 2e-4 / static_cast<double>(s.batch.sentences());
      }
      CHECK(near(heads[head].raw, want));
    }
    for (std::size_t layer = 0; layer < static_cast<std::size_t>(s.shape.layers); ++layer) {
      double squares = 0.0, raw = 0.0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(s.shape.heads); ++i) {
        const Importance& head = heads[layer * static_cast<std::size_t>(s.shape.heads) + i];
        squares += head.normalised * head.normalised;
        raw += head.raw;
      }
      CHECK((raw == 0.0 || std::abs(squares - 1.0) <= 1e-12));
    }
  }
}

}  // namespace
}  // namespace mha::test
