// Where parameters lie, what they are called, and what they begin as.
#include "train/model.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "model_reference.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

constexpr ModelShape kModel = {.vocabulary = 110,
                               .max_positions = 14,
                               .model_dim = 32,
                               .heads = 4,
                               .head_dim = 8,
                               .layers = 2,
                               .slots = 2,
                               .residual = true,
                               .layer_norm = true,
                               .biases = true};

template <class Visit>
void each_weight(const ModelShape& shape, const Visit& visit) {
  for (std::size_t i = 0; i < kWeightCount; ++i) {
    const auto weight = static_cast<Weight>(i);
    for (std::int32_t layer = 0; layer < (info(weight).per_layer ? shape.layers : 1); ++layer) visit(weight, layer);
  }
}

TEST_CASE("every parameter of the slab belongs to one weight", "[model]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 50; ++round) {
    const ModelShape shape = random_model(random);
    const ModelLayout layout(shape);
    std::vector<int> owners(layout.size(), 0);
    std::set<std::string> names;
    each_weight(shape, [&](Weight weight, std::int32_t layer) {
      for (int& owner : layout.span(weight, layer, std::span(owners))) ++owner;
      CHECK(names.insert(name_of(weight, layer)).second);
    });
    CHECK(owners == std::vector<int>(layout.size(), 1));
  }
}

TEST_CASE("models that differ in their heads alone begin with the same numbers", "[model]") {
  std::vector<std::vector<float>> slabs;
  for (const std::int32_t heads : {1, 2, 4, 8}) {
    ModelShape shape = kModel;
    shape.heads = heads;
    shape.head_dim = shape.model_dim / heads;
    slabs.emplace_back(ModelLayout(shape).size());
    fill_start(shape, 5, 1.0F, slabs.back());
  }
  for (const std::vector<float>& slab : slabs) CHECK(slab == slabs[0]);
}

TEST_CASE("the table is in the order of its enum", "[model]") {
  CHECK(name_of(Weight::token_embedding, 0) == "token_embedding");
  CHECK(name_of(Weight::w_o, 1) == "layers.1.w_o");
  CHECK(name_of(Weight::norm_shift, 0) == "layers.0.norm_shift");
  CHECK(name_of(Weight::read_out_bias, 0) == "read_out_bias");
  CHECK(ModelLayout(kModel)(Weight::read_out).rows == 32);
  CHECK(ModelLayout(kModel)(Weight::read_out).columns == 220);
  // 110·32 + 14·32 + 33·220 + 2·(4·32·33 + 64)
  CHECK(ModelLayout(kModel).size() == 3520 + 448 + 7260 + 2 * (4224 + 64));
}

TEST_CASE("a model that cannot be is refused by name", "[model][status]") {
  CHECK(validate(kModel).ok());
  const std::pair<Status, std::function<void(ModelShape&)>> faults[] = {
      {Status::vocabulary_out_of_range, [](ModelShape& m) { m.vocabulary = 0; }},
      {Status::vocabulary_out_of_range, [](ModelShape& m) { m.vocabulary = kMaxVocabulary + 1; }},
      {Status::tokens_out_of_range, [](ModelShape& m) { m.max_positions = 0; }},
      {Status::tokens_out_of_range, [](ModelShape& m) { m.max_positions = kMaxTokens + 1; }},
      {Status::model_dim_out_of_range, [](ModelShape& m) { m.model_dim = -1; }},
      {Status::heads_out_of_range, [](ModelShape& m) { m.heads = 0; }},
      {Status::head_dim_out_of_range, [](ModelShape& m) { m.head_dim = 0; }},
      {Status::layers_out_of_range, [](ModelShape& m) { m.layers = 0; }},
      {Status::layers_out_of_range, [](ModelShape& m) { m.layers = kMaxLayers + 1; }},
      {Status::slots_out_of_range, [](ModelShape& m) { m.slots = 0; }},
      {Status::slots_out_of_range, [](ModelShape& m) { m.slots = kMaxSlots + 1; }},
      {Status::too_large,
       [](ModelShape& m) {
         m.model_dim = kMaxModelDim;
         m.heads = 8;
         m.head_dim = 1024;
         m.layers = kMaxLayers;
       }},
  };
  for (const auto& [status, put_in] : faults) {
    ModelShape bad = kModel;
    put_in(bad);
    CHECK(validate(bad).status == status);
  }
}

TEST_CASE("a start is random where it should be, and nowhere else", "[model]") {
  const ModelLayout layout(kModel);
  std::vector<float> slab(layout.size()), smaller(layout.size()), other(layout.size());
  fill_start(kModel, 1, 1.0F, slab);
  fill_start(kModel, 1, 0.25F, smaller);
  fill_start(kModel, 2, 1.0F, other);
  each_weight(kModel, [&](Weight weight, std::int32_t layer) {
    CAPTURE(name_of(weight, layer));
    const auto numbers = layout.span(weight, layer, std::span(std::as_const(slab)));
    const auto scaled = layout.span(weight, layer, std::span(std::as_const(smaller)));
    const auto others = layout.span(weight, layer, std::span(std::as_const(other)));
    const auto start = info(weight).start;
    if (start == WeightInfo::Start::zeros || start == WeightInfo::Start::ones) {
      const float all = start == WeightInfo::Start::ones ? 1.0F : 0.0F;
      CHECK(std::all_of(numbers.begin(), numbers.end(), [all](float number) { return number == all; }));
      CHECK(same_bits(numbers, scaled));
      return;
    }
    const bool embedding = start == WeightInfo::Start::unit;
    const auto place = layout(weight, layer);
    const double out = weight == Weight::read_out ? kModel.vocabulary : place.columns;
    const double limit = embedding ? std::sqrt(3.0) : std::sqrt(6.0 / (place.rows + out));
    double largest = 0.0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(numbers[i])));
      CHECK(same_bits(scaled[i], 0.25F * numbers[i]));
    }
    CHECK(largest <= limit * (1 + 1e-6));
    CHECK(largest >= 0.95 * limit);
    CHECK_FALSE(same_bits(numbers, others));
  });
  // Layers begin differently, or they would stay alike.
  CHECK_FALSE(same_bits(layout.span(Weight::w_q, 0, std::span(std::as_const(slab))),
                        layout.span(Weight::w_q, 1, std::span(std::as_const(slab)))));
}

TEST_CASE("the bits of a start are the same in every build", "[model]") {
  std::vector<float> slab(ModelLayout(kModel).size());
  fill_start(kModel, 20170612, 0.5F, slab);
  CHECK(hash_of(slab) == 0xedb260a34193da96U);
}

}  // namespace
}  // namespace mha::test
