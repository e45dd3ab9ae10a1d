// Multi-head attention built with one famous mistake, on weights that were trained without it: what still works, and
// how well. d model_dim, h heads, k head_dim, n words of one sentence; X [n, d], Q = X W_Q and so on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mha/buffer.hpp"
#include "mha/status.hpp"
#include "train/batch.hpp"
#include "train/evaluation.hpp"
#include "train/model.hpp"
#include "train/network.hpp"
#include "train/read_out.hpp"

namespace mha {

enum class Break : std::int32_t {
  none,
  wrong_reshape,         ///< the n·h·k numbers of Q, K and V are read as [h, n, k] where they lie, and Z is read back
                         ///< the same way: no transpose, so a head's row t is a piece of the row (i·n + t)/h
  no_scale,              ///< A = softmax(QKᵀ), without 1/√k
  mask_after_softmax,    ///< every sentence is padded with kMask to max_positions; softmax runs over all keys, and the
                         ///< weights of the padding become 0 only then: rows no longer add up to 1
  split_first,           ///< X is cut into h pieces of d/h before it is projected: of W_Q, W_K and W_V only the
                         ///< diagonal blocks are left
  no_output_projection,  ///< Y = concat(Z_1 … Z_h), without W_O
  shared_projection,     ///< every head has the columns of the first one in W_Q, W_K and W_V
};

inline constexpr std::array<std::string_view, 7> kBreakNames = {
    "none",        "wrong_reshape",        "no_scale",          "mask_after_softmax",
    "split_first", "no_output_projection", "shared_projection",
};

/// The least and the largest sum of a row of attention weights.
struct RowSums {
  double smallest = 0, largest = 0;
};

class BrokenAttention {
 public:
  /// `parameters` is a slab of ModelLayout, which must outlive every evaluation.
  /// Errors: as validate(ModelShape); wrong_size; bad_model: not one layer, or one with biases, residual, norm or
  /// causal mask.
  [[nodiscard]] Outcome load(const ModelShape& shape, std::span<const float> parameters);

  /// The model with one mistake on a batch. Padding is as long for every batch, so a sentence gets the same numbers in
  /// all of them.
  /// Errors: as Network::forward; head_dim_out_of_range: h·k is not d, which split_first and no_output_projection need.
  [[nodiscard]] Outcome evaluate(Break mistake, const Batch& batch, Evaluation& evaluation);

  /// The same for the words of one sentence, whatever they ask. Errors: also too_many_words, and unknown_word with
  /// the place of the first.
  [[nodiscard]] Outcome show(Break mistake, std::span<const std::int32_t> words);

  // Of the last evaluation that succeeded.
  [[nodiscard]] std::span<const float> maps() const { return maps_; }      ///< [h, n, n] of each sentence, in a row
  [[nodiscard]] std::span<const float> output() const { return output_; }  ///< [r, d] before the read-out
  [[nodiscard]] RowSums row_sums() const;

  [[nodiscard]] const ModelShape& shape() const { return network_.shape(); }

 private:
  void change_parameters(Break mistake);
  void pad(const Batch& batch);
  void keep_maps(const Batch& batch);
  void mix(const Batch& batch);
  void attend_unsorted(const Batch& batch);
  [[nodiscard]] Outcome finish(const Batch& batch, Evaluation& evaluation);

  Network network_;
  std::span<const float> parameters_;
  std::vector<float> changed_;  ///< the slab with the mistake in it, where the mistake is one of parameters
  Batch padded_, shown_;
  std::vector<float> maps_, concat_, output_;
  std::vector<std::int32_t> row_lengths_;  ///< of each row of the maps
  std::vector<Question> questions_;
  ReadOut read_out_;
  Buffer panels_;
};

}  // namespace mha
