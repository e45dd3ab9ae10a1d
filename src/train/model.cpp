#include "train/model.hpp"

#include <algorithm>

#include "mha/random.hpp"

namespace mha {
namespace {

using Axis = WeightInfo::Axis;
using Start = WeightInfo::Start;

std::int32_t extent(Axis axis, const ModelShape& shape) {
  switch (axis) {
    case Axis::one: return 1;
    case Axis::v: return shape.vocabulary;
    case Axis::p: return shape.max_positions;
    case Axis::d: return shape.model_dim;
    case Axis::hk: return shape.heads * shape.head_dim;
    case Axis::sv: return shape.slots * shape.vocabulary;
  }
  return 0;
}

bool present(Weight weight, const ModelShape& shape) {
  switch (weight) {
    case Weight::b_q:
    case Weight::b_k:
    case Weight::b_v:
    case Weight::b_o:
    case Weight::read_out_bias: return shape.biases;
    case Weight::norm_scale:
    case Weight::norm_shift: return shape.layer_norm;
    default: return true;
  }
}

}  // namespace

Outcome validate(const ModelShape& shape) {
  if (Outcome bad = validate(shape.attention(shape.max_positions)); !bad.ok()) return bad;
  if (shape.vocabulary < 1 || shape.vocabulary > kMaxVocabulary) return {.status = Status::vocabulary_out_of_range};
  if (shape.layers < 1 || shape.layers > kMaxLayers) return {.status = Status::layers_out_of_range};
  if (shape.slots < 1 || shape.slots > kMaxSlots) return {.status = Status::slots_out_of_range};
  // At most 8 layers of 4·4096·8192 floats: in 64 bits the sum can't overflow, in a size_t of 32 it can.
  const std::int64_t d = shape.model_dim;
  const std::int64_t width = std::int64_t{shape.heads} * shape.head_dim;
  const std::int64_t most = d * (shape.vocabulary + shape.max_positions) +
                            shape.layers * (4 * (d + 1) * width + 3 * d) + (d + 1) * shape.slots * shape.vocabulary;
  return most > kMaxFloats ? Outcome{.status = Status::too_large} : Outcome{};
}

ModelLayout::ModelLayout(const ModelShape& shape) {
  // First what exists once, then the layers, one behind another.
  for (const bool per_layer : {false, true}) {
    std::size_t& floats = per_layer ? layer_floats_ : size_;
    for (std::size_t i = 0; i < kWeightCount; ++i) {
      if (kWeights[i].per_layer != per_layer || !present(static_cast<Weight>(i), shape)) continue;
      places_[i] = {floats, extent(kWeights[i].rows, shape), extent(kWeights[i].columns, shape)};
      floats += places_[i].count();
    }
  }
  first_layer_ = size_;
  size_ += static_cast<std::size_t>(shape.layers) * layer_floats_;
}

ModelLayout::Place ModelLayout::operator()(Weight weight, std::int32_t layer) const {
  Place place = places_[static_cast<std::size_t>(weight)];
  if (info(weight).per_layer) place.offset += first_layer_ + static_cast<std::size_t>(layer) * layer_floats_;
  return place;
}

Parameters ModelLayout::parameters(std::int32_t layer, std::span<const float> slab) const {
  const auto of = [&](Weight weight) { return span(weight, layer, slab); };
  return {of(Weight::w_q), of(Weight::w_k), of(Weight::w_v), of(Weight::w_o),
          of(Weight::b_q), of(Weight::b_k), of(Weight::b_v), of(Weight::b_o)};
}

Gradients ModelLayout::gradients(std::int32_t layer, std::span<float> slab) const {
  const auto of = [&](Weight weight) { return span(weight, layer, slab); };
  return {.w_q = of(Weight::w_q),
          .w_k = of(Weight::w_k),
          .w_v = of(Weight::w_v),
          .w_o = of(Weight::w_o),
          .b_q = of(Weight::b_q),
          .b_k = of(Weight::b_k),
          .b_v = of(Weight::b_v),
          .b_o = of(Weight::b_o)};
}

std::string name_of(Weight weight, std::int32_t layer) {
  const std::string name(info(weight).name);
  return info(weight).per_layer ? "layers." + std::to_string(layer) + "." + name : name;
}

void fill_start(const ModelShape& shape, std::uint32_t seed, float scale, std::span<float> slab) {
  constexpr auto kSqrt3 = static_cast<float>(1.7320508075688772);
  const ModelLayout layout(shape);
  for (std::size_t i = 0; i < kWeightCount; ++i) {
    const auto weight = static_cast<Weight>(i);
    for (std::int32_t layer = 0; layer < (info(weight).per_layer ? shape.layers : 1); ++layer) {
      const std::span<float> numbers = layout.span(weight, layer, slab);
      const Stream random = stream(seed, name_of(weight, layer));
      const ModelLayout::Place place = layout(weight, layer);
      switch (info(weight).start) {
        case Start::zeros: std::fill(numbers.begin(), numbers.end(), 0.0F); continue;
        case Start::ones: std::fill(numbers.begin(), numbers.end(), 1.0F); continue;
        case Start::unit:
          for (std::size_t e = 0; e < numbers.size(); ++e) numbers[e] = kSqrt3 * uniform(random, e);
          break;
        case Start::glorot:
          fill_glorot(numbers, place.rows, weight == Weight::read_out ? shape.vocabulary : place.columns, random);
          break;
      }
      for (float& number : numbers) number *= scale;
    }
  }
}

}  // namespace mha
