// Self-attention over many sequences of different lengths at once, forward and backward: what training needs.
//
// The rows of all sequences lie one behind another, without padding, so each projection and each gradient by a matrix
// is one product over all rows; only the maps are each sequence's own. Every number of the forward pass is bit for bit
// that of Attention on the sequence alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mha/attention.hpp"
#include "mha/attention_gradient.hpp"
#include "mha/buffer.hpp"
#include "mha/packed_parameters.hpp"
#include "mha/shape.hpp"
#include "mha/status.hpp"

namespace mha {

/// A training step is load(), forward(), backward(). Allocates only when a step needs more room than every step before.
class AttentionBatch {
 public:
  /// Packs the parameters, which must outlive the next forward(). Of `shape` tokens and context do not matter.
  /// Errors: as PackedParameters::load.
  [[nodiscard]] Outcome load(const Shape& shape, const Parameters& parameters);

  /// x is [r, d], the rows of all sequences; `lengths` are the rows of each, 1…kMaxTokens, and add up to r. Of the
  /// options causal, scale and gates hold for each sequence. x and the gates must outlive backward().
  /// Errors: not_loaded; tokens_out_of_range: a length, or there is none; wrong_size or not_finite of x; bad_gate;
  /// bad_scale; bad_padding: padding is not 0; too_large; out_of_memory; overflow: of scaled_scores, with the place
  /// within the sequence, or of the output, with the row among all rows.
  [[nodiscard]] Outcome forward(std::span<const std::int32_t> lengths, std::span<const float> x,
                                const Options& options);

  /// Of the last forward(), by the parameters it had; d_output is ∂L/∂Y [r, d]. Gradients by parameters are sums over
  /// the batch. Errors: not_loaded: no forward() that succeeded since load(); and as AttentionGradient::backward.
  [[nodiscard]] Outcome backward(std::span<const float> d_output, const Gradients& gradients);

  // What forward() left, if it succeeded: valid until the next load() or forward().
  [[nodiscard]] std::size_t sequences() const { return sequences_.size(); }
  [[nodiscard]] std::span<const float> q() const { return traced_.q; }            ///< [r, h·k]
  [[nodiscard]] std::span<const float> k() const { return traced_.k; }            ///< [r, g·k]
  [[nodiscard]] std::span<const float> v() const { return traced_.v; }            ///< [r, g·k]
  [[nodiscard]] std::span<const float> concat() const { return traced_.concat; }  ///< [r, h·k]
  [[nodiscard]] std::span<const float> output() const { return output_; }         ///< [r, d]
  /// A of one head in one sequence, [n, n] of that sequence's n. Precondition: both exist.
  [[nodiscard]] std::span<const float> weights(std::size_t sequence, std::int32_t head) const;

 private:
  /// Takes down where each sequence and its maps begin.
  [[nodiscard]] Outcome line_up(std::span<const std::int32_t> lengths);

  Shape shape_;  ///< tokens and context: the rows of all sequences
  Parameters parameters_;
  PackedParameters packed_;
  AttentionGradient gradient_;
  std::vector<Sequence> sequences_;
  std::vector<std::size_t> maps_;  ///< where each sequence's weights begin, and where the last ones end
  Buffer trace_;                   ///< q, k, v, weights, concat, output
  Buffer workspace_;               ///< one head's Kᵀ and V packed
  Traced traced_;
  std::span<const float> output_;
  bool finished_ = false;  ///< traced_ and output_ are those of a forward() since the last load()
};

}  // namespace mha
