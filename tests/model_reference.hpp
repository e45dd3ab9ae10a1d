// The model that learns, in plain double with Eigen, one line per equation: what the fast one is tested against, and
// what central differences are taken of.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "mha/attention_reference.hpp"
#include "support.hpp"
#include "train/batch.hpp"
#include "train/model.hpp"

namespace mha::test {

class ModelReference {
 public:
  ModelReference(const ModelShape& shape, std::span<const double> slab, std::span<const double> gates = {})
      : shape_(shape), layout_(shape), slab_(slab), gates_(gates) {}

  /// Of sentence number `sentence`: the mean loss of its questions, and how many they are.
  struct Loss {
    double mean = 0;
    int asked = 0;
  };
  [[nodiscard]] Loss of_sentence(const Batch& batch, std::size_t sentence) const {
    std::size_t first = 0;
    for (std::size_t s = 0; s < sentence; ++s) first += static_cast<std::size_t>(batch.lengths[s]);
    const Matrix y = logits(std::span(batch.tokens).subspan(first, static_cast<std::size_t>(batch.lengths[sentence])));
    Loss loss;
    for (Eigen::Index row = 0; row < y.rows(); ++row) {
      for (std::int32_t slot = 0; slot < shape_.slots; ++slot) {
        const auto question = (first + static_cast<std::size_t>(row)) * static_cast<std::size_t>(shape_.slots) +
                              static_cast<std::size_t>(slot);
        const std::int32_t target = batch.targets[question];
        if (target == kIgnored) continue;
        const Eigen::RowVectorXd l = y.row(row).segment(Eigen::Index{slot} * shape_.vocabulary, shape_.vocabulary);
        loss.mean += std::log((l.array() - l.maxCoeff()).exp().sum()) + l.maxCoeff() - l(target);
        ++loss.asked;
      }
    }
    if (loss.asked > 0) loss.mean /= loss.asked;
    return loss;
  }

  /// The mean over all questions of the batch.
  [[nodiscard]] double loss(const Batch& batch) const {
    double sum = 0.0;
    int asked = 0;
    for (std::size_t s = 0; s < batch.sentences(); ++s) {
      const Loss one = of_sentence(batch, s);
      sum += one.mean * one.asked;
      asked += one.asked;
    }
    return sum / asked;
  }

  /// Logits [n, s·v] of one sentence; `maps`, if given, gets the weights [n, n] of every layer and head.
  [[nodiscard]] Matrix logits(std::span<const std::int32_t> words, std::vector<Matrix>* maps = nullptr) const {
    const auto n = static_cast<Eigen::Index>(words.size());
    Matrix x(n, shape_.model_dim);
    for (Eigen::Index r = 0; r < n; ++r) {
      x.row(r) =
          of(Weight::token_embedding).row(words[static_cast<std::size_t>(r)]) + of(Weight::position_embedding).row(r);
    }
    for (std::int32_t layer = 0; layer < shape_.layers; ++layer) {
      Matrix y = attention(layer, x, maps);
      if (shape_.residual) y += x;
      x = shape_.layer_norm ? normalised(layer, y) : y;
    }
    return product(x, Weight::read_out, Weight::read_out_bias, 0);
  }

 private:
  [[nodiscard]] Matrix of(Weight weight, std::int32_t layer = 0) const {
    const ModelLayout::Place place = layout_(weight, layer);
    return Eigen::Map<const Matrix>(slab_.data() + place.offset, place.rows, place.columns);
  }

  [[nodiscard]] Matrix product(const Matrix& x, Weight matrix, Weight bias, std::int32_t layer) const {
    Matrix y = x * of(matrix, layer);
    if (shape_.biases) y.rowwise() += of(bias, layer).row(0);
    return y;
  }

  [[nodiscard]] Matrix attention(std::int32_t layer, const Matrix& x, std::vector<Matrix>* maps) const {
    const Matrix q = product(x, Weight::w_q, Weight::b_q, layer);
    const Matrix keys = product(x, Weight::w_k, Weight::b_k, layer);
    const Matrix v = product(x, Weight::w_v, Weight::b_v, layer);
    const Eigen::Index k = shape_.head_dim;
    Matrix z(x.rows(), shape_.heads * k);
    for (Eigen::Index i = 0; i < shape_.heads; ++i) {
      Matrix a = q.middleCols(i * k, k) * keys.middleCols(i * k, k).transpose() / std::sqrt(static_cast<double>(k));
      for (Eigen::Index row = 0; row < a.rows(); ++row) {
        const Eigen::Index seen = shape_.causal ? row + 1 : a.cols();
        const double max = a.row(row).head(seen).maxCoeff();
        for (Eigen::Index j = 0; j < a.cols(); ++j) a(row, j) = j < seen ? std::exp(a(row, j) - max) : 0.0;
        a.row(row) /= a.row(row).sum();
      }
      const auto gate = static_cast<std::size_t>(layer * shape_.heads + i);
      z.middleCols(i * k, k) = (gates_.empty() ? 1.0 : gates_[gate]) * (a * v.middleCols(i * k, k));
      if (maps != nullptr) maps->push_back(a);
    }
    return product(z, Weight::w_o, Weight::b_o, layer);
  }

  [[nodiscard]] Matrix normalised(std::int32_t layer, const Matrix& y) const {
    Matrix x = y;
    for (Eigen::Index r = 0; r < y.rows(); ++r) {
      const Eigen::RowVectorXd centred = y.row(r).array() - y.row(r).mean();
      const double variance = centred.squaredNorm() / static_cast<double>(y.cols());
      const Eigen::RowVectorXd normal = centred / std::sqrt(variance + 1e-5);
      x.row(r) = normal.cwiseProduct(of(Weight::norm_scale, layer).row(0)) + of(Weight::norm_shift, layer).row(0);
    }
    return x;
  }

  ModelShape shape_;
  ModelLayout layout_;
  std::span<const double> slab_, gates_;
};

/// Sentences of random words, of 1 … max_positions words, that ask about half of what they may, at least once.
inline Batch random_batch(const ModelShape& shape, int sentences, Random& random) {
  Batch batch{.slots = shape.slots};
  for (int s = 0; s < sentences; ++s) {
    const int length = random.integer(1, shape.max_positions);
    batch.lengths.push_back(length);
    for (int i = 0; i < length; ++i) {
      batch.tokens.push_back(random.integer(0, shape.vocabulary - 1));
      for (int slot = 0; slot < shape.slots; ++slot) {
        const bool asked = (s == 0 && i == 0 && slot == 0) || random.one_in(2);
        batch.targets.push_back(asked ? random.integer(0, shape.vocabulary - 1) : kIgnored);
        batch.partners.push_back(asked ? random.integer(0, length - 1) : kIgnored);
        batch.relations.push_back(asked ? random.integer(0, 2) : kIgnored);
      }
    }
  }
  return batch;
}

inline ModelShape random_model(Random& random) {
  return {.vocabulary = random.integer(1, 20),
          .max_positions = random.integer(1, 9),
          .model_dim = random.integer(1, 12),
          .heads = random.integer(1, 4),
          .head_dim = random.integer(1, 6),
          .layers = random.integer(1, 3),
          .slots = random.integer(1, 3),
          .residual = random.one_in(2),
          .layer_norm = random.one_in(2),
          .biases = random.one_in(2),
          .causal = random.one_in(2)};
}

/// As a run begins, but with no parameter at a special place: biases are not 0, and scales not 1.
inline std::vector<float> random_parameters(const ModelShape& shape, Random& random) {
  std::vector<float> slab(ModelLayout(shape).size());
  fill_start(shape, static_cast<std::uint32_t>(random.integer(0, 1 << 20)), 1.0F, slab);
  for (float& number : slab) number += random.number(0.2F);
  return slab;
}

}  // namespace mha::test
