// The small model that learns in front of the reader, and where its parameters lie:
//
//   X_0[r] = E[word of r] + P[place of r]          r over the words of all sentences
//   Y_l = Attention_l(X_l), + X_l if residual      each sentence on its own
//   X_l+1 = LayerNorm(Y_l) if layer_norm, else Y_l
//   logits of slot s at r = X_L[r] W[columns of s] + b
//
// Source: Vaswani et al. 2017, §3.1 (the order residual, then norm), without feed-forward layers: the lesson's default
// is one layer, no residual, no norm.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "mha/attention.hpp"
#include "mha/attention_gradient.hpp"
#include "mha/shape.hpp"
#include "mha/status.hpp"

namespace mha {

/// v vocabulary · p max_positions · d model_dim · h heads · k head_dim · s slots
struct ModelShape {
  std::int32_t vocabulary = 0;
  std::int32_t max_positions = 0;  ///< words of the longest sentence
  std::int32_t model_dim = 0;
  std::int32_t heads = 0;
  std::int32_t head_dim = 0;
  std::int32_t layers = 1;
  std::int32_t slots = 1;  ///< questions per word
  bool residual = false;
  bool layer_norm = false;
  bool biases = false;  ///< of the four projections and of the read-out
  bool causal = false;

  /// One attention layer over `tokens` words.
  [[nodiscard]] constexpr Shape attention(std::int32_t tokens = 1) const {
    return {tokens, tokens, model_dim, heads, heads, head_dim};
  }

  friend constexpr bool operator==(const ModelShape&, const ModelShape&) = default;
};

/// The same model with so many heads that share d: heads that do not divide it leave a head_dim out of range.
[[nodiscard]] constexpr ModelShape with_heads(ModelShape shape, std::int32_t heads) {
  shape.heads = heads;
  shape.head_dim = heads > 0 && shape.model_dim % heads == 0 ? shape.model_dim / heads : 0;
  return shape;
}

/// Errors: as validate(Shape), tokens being max_positions; vocabulary_out_of_range, layers_out_of_range,
/// slots_out_of_range; too_large: more than kMaxFloats parameters.
[[nodiscard]] Outcome validate(const ModelShape& shape);

enum class Weight : std::int32_t {
  token_embedding,
  position_embedding,
  w_q,
  w_k,
  w_v,
  w_o,
  b_q,
  b_k,
  b_v,
  b_o,
  norm_scale,
  norm_shift,
  read_out,
  read_out_bias,
  count
};

inline constexpr std::size_t kWeightCount = static_cast<std::size_t>(Weight::count);

struct WeightInfo {
  enum class Axis : std::int32_t { one, v, p, d, hk, sv };
  enum class Start : std::int32_t { unit, glorot, ones, zeros };

  std::string_view name;
  Axis rows, columns;  ///< [rows, columns] row-major; a vector has one row
  bool per_layer;
  Start start;  ///< what a run begins with: see fill_start()
};

/// In the order of enum Weight. Matrices multiply from the right; slot i owns columns i·v … (i+1)·v of read_out.
inline constexpr std::array<WeightInfo, kWeightCount> kWeights = {{
    {"token_embedding", WeightInfo::Axis::v, WeightInfo::Axis::d, false, WeightInfo::Start::unit},
    {"position_embedding", WeightInfo::Axis::p, WeightInfo::Axis::d, false, WeightInfo::Start::unit},
    {"w_q", WeightInfo::Axis::d, WeightInfo::Axis::hk, true, WeightInfo::Start::glorot},
    {"w_k", WeightInfo::Axis::d, WeightInfo::Axis::hk, true, WeightInfo::Start::glorot},
    {"w_v", WeightInfo::Axis::d, WeightInfo::Axis::hk, true, WeightInfo::Start::glorot},
    {"w_o", WeightInfo::Axis::hk, WeightInfo::Axis::d, true, WeightInfo::Start::glorot},
    {"b_q", WeightInfo::Axis::one, WeightInfo::Axis::hk, true, WeightInfo::Start::zeros},
    {"b_k", WeightInfo::Axis::one, WeightInfo::Axis::hk, true, WeightInfo::Start::zeros},
    {"b_v", WeightInfo::Axis::one, WeightInfo::Axis::hk, true, WeightInfo::Start::zeros},
    {"b_o", WeightInfo::Axis::one, WeightInfo::Axis::d, true, WeightInfo::Start::zeros},
    {"norm_scale", WeightInfo::Axis::one, WeightInfo::Axis::d, true, WeightInfo::Start::ones},
    {"norm_shift", WeightInfo::Axis::one, WeightInfo::Axis::d, true, WeightInfo::Start::zeros},
    {"read_out", WeightInfo::Axis::d, WeightInfo::Axis::sv, false, WeightInfo::Start::glorot},
    {"read_out_bias", WeightInfo::Axis::one, WeightInfo::Axis::sv, false, WeightInfo::Start::zeros},
}};

[[nodiscard]] constexpr const WeightInfo& info(Weight weight) { return kWeights[static_cast<std::size_t>(weight)]; }

/// Where each parameter lies in one flat slab: all of them without a gap, so that whatever treats them alike (Adam, a
/// saved run) is one loop over the slab. Gradients lie in a slab of the same layout.
class ModelLayout {
 public:
  struct Place {
    std::size_t offset = 0;
    std::int32_t rows = 0, columns = 0;  ///< 0: the model has no such parameter

    [[nodiscard]] std::size_t count() const {
      return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    }
  };

  ModelLayout() = default;
  /// Precondition: a valid shape.
  explicit ModelLayout(const ModelShape& shape);

  /// Floats of the slab: the number of parameters.
  [[nodiscard]] std::size_t size() const { return size_; }

  /// `layer` is 0 for what exists once.
  [[nodiscard]] Place operator()(Weight weight, std::int32_t layer = 0) const;

  /// The numbers of one parameter (or the gradient by it), empty if the model has none.
  template <class Number>
  [[nodiscard]] std::span<Number> span(Weight weight, std::int32_t layer, std::span<Number> slab) const {
    const Place place = (*this)(weight, layer);
    return slab.subspan(place.offset, place.count());
  }

  /// One attention layer's part of a slab of parameters, or of gradients.
  [[nodiscard]] Parameters parameters(std::int32_t layer, std::span<const float> slab) const;
  [[nodiscard]] Gradients gradients(std::int32_t layer, std::span<float> slab) const;

 private:
  std::array<Place, kWeightCount> places_;  ///< of what exists once; within its layer for the rest
  std::size_t first_layer_ = 0;
  std::size_t layer_floats_ = 0;
  std::size_t size_ = 0;
};

/// "read_out", "layers.0.w_q"
[[nodiscard]] std::string name_of(Weight weight, std::int32_t layer);

/// The parameters a run begins with, the same bits in every build: matrices as fill_glorot() (read_out as one matrix
/// per slot), embeddings uniform with variance 1, norm_scale ones, the rest zeros. What is random is multiplied by
/// `scale`. Each parameter has the stream of its name.
void fill_start(const ModelShape& shape, std::uint32_t seed, float scale, std::span<float> slab);

}  // namespace mha
