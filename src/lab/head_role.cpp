#include "lab/head_role.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <span>

#include "mha/portable_math.hpp"

namespace mha {
namespace {

/// A sum, and of how many it is.
struct Mean {
  double sum = 0;
  std::int64_t count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  [[nodiscard]] double value() const { return count == 0 ? 0.0 : sum / static_cast<double>(count); }
};

struct Means {
  Mean entropy, confidence, previous, next, first;
  double distance = 0, mass = 0;

  /// Row i of a map of n columns.
  void add(std::span<const float> row, std::int32_t i) {
    const auto n = static_cast<std::int32_t>(row.size());
    const auto at = [&](std::int32_t j) { return static_cast<double>(row[static_cast<std::size_t>(j)]); };
    double disorder = 0;
    for (std::int32_t j = 0; j < n; ++j) {
      if (at(j) > 0) disorder -= at(j) * portable_log(at(j));
      distance += at(j) * std::abs(i - j);
      mass += at(j);
    }
    entropy.add(disorder);
    confidence.add(static_cast<double>(*std::max_element(row.begin(), row.end())));
    if (i > 0) previous.add(at(i - 1));
    if (i + 1 < n) next.add(at(i + 1));
    if (i > 0) first.add(at(0));
  }
};

/// Row `place` of one head's map of a sentence.
std::span<const float> row_of(const AttentionBatch& attention, std::size_t sentence, std::int32_t head,
                              std::int32_t length, std::int32_t place) {
  const auto n = static_cast<std::size_t>(length);
  return attention.weights(sentence, head).subspan(static_cast<std::size_t>(place) * n, n);
}

void count_relations(const Network& network, const Batch& batch, const AttentionBatch& attention, std::int32_t head,
                     std::vector<Tally>& relations) {
  for (const Question& question : network.questions()) {
    const auto sentence = static_cast<std::size_t>(question.sentence);
    const auto row = row_of(attention, sentence, head, batch.lengths[sentence], question.place);
    const auto relation = static_cast<std::size_t>(question.relation);
    if (relations.size() <= relation) relations.resize(relation + 1);
    ++relations[relation].asked;
    relations[relation].right += std::max_element(row.begin(), row.end()) - row.begin() == question.partner ? 1 : 0;
  }
}

}  // namespace

void measure_relations(const Network& network, const Batch& batch, std::vector<std::vector<Tally>>& heads) {
  heads.assign(static_cast<std::size_t>(network.shape().layers) * static_cast<std::size_t>(network.shape().heads), {});
  std::size_t place = 0;
  for (std::int32_t layer = 0; layer < network.shape().layers; ++layer) {
    for (std::int32_t head = 0; head < network.shape().heads; ++head) {
      count_relations(network, batch, network.attention(layer), head, heads[place++]);
    }
  }
}

void measure_heads(const Network& network, const Batch& batch, std::vector<HeadRole>& roles) {
  roles.clear();
  for (std::int32_t layer = 0; layer < network.shape().layers; ++layer) {
    const AttentionBatch& attention = network.attention(layer);
    for (std::int32_t head = 0; head < network.shape().heads; ++head) {
      Means means;
      for (std::size_t s = 0; s < batch.sentences(); ++s) {
        const std::int32_t n = batch.lengths[s];
        for (std::int32_t i = 0; i < n; ++i) means.add(row_of(attention, s, head, n, i), i);
      }
      roles.push_back({.entropy = means.entropy.value(),
                       .confidence = means.confidence.value(),
                       .previous = means.previous.value(),
                       .next = means.next.value(),
                       .first = means.first.value(),
                       .distance = means.mass > 0 ? means.distance / means.mass : 0.0});
      count_relations(network, batch, attention, head, roles.back().relations);
    }
  }
}

}  // namespace mha
