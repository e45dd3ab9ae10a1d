#include "lab/broken_attention.hpp"

#include <algorithm>
#include <cmath>

#include "mha/finite.hpp"
#include "mha/gemm.hpp"
#include "mha/softmax.hpp"
#include "train/vocabulary.hpp"

namespace mha {
namespace {

std::size_t size(std::int32_t count) { return static_cast<std::size_t>(count); }

constexpr std::array kProjections = {Weight::w_q, Weight::w_k, Weight::w_v};

/// Z [rows, k] = A [rows, keys] V [keys, k]; rows of A, V and Z are so many floats apart.
void mix_head(std::size_t rows, std::size_t keys, std::size_t k, const float* a, std::size_t a_apart, const float* v,
              float* z, std::size_t apart) {
  for (std::size_t i = 0; i < rows; ++i) {
    float* const row = z + i * apart;
    std::fill_n(row, k, 0.0F);
    for (std::size_t j = 0; j < keys; ++j) {
      for (std::size_t c = 0; c < k; ++c) row[c] += a[i * a_apart + j] * v[j * apart + c];
    }
  }
}

}  // namespace

Outcome BrokenAttention::load(const ModelShape& shape, std::span<const float> parameters) {
  if (Outcome bad = network_.open(shape); !bad.ok()) return bad;
  if (parameters.size() != network_.layout().size()) return {.status = Status::wrong_size};
  if (shape.layers != 1 || shape.biases || shape.residual || shape.layer_norm || shape.causal) {
    return {.status = Status::bad_model};
  }
  parameters_ = parameters;
  return {};
}

/// Four mistakes are a right model with wrong parameters.
void BrokenAttention::change_parameters(Break mistake) {
  const ModelLayout& layout = network_.layout();
  const auto d = size(shape().model_dim);
  const auto k = size(shape().head_dim);
  const auto hk = size(shape().heads) * k;
  changed_.assign(parameters_.begin(), parameters_.end());
  const auto matrix = [&](Weight weight) { return layout.span(weight, 0, std::span(changed_)); };

  if (mistake == Break::no_scale) {
    // √k·Q makes up for the scores that are divided by √k.
    const float root = std::sqrt(static_cast<float>(shape().head_dim));
    for (float& number : matrix(Weight::w_q)) number *= root;
  } else if (mistake == Break::no_output_projection) {
    const std::span<float> w_o = matrix(Weight::w_o);
    for (std::size_t i = 0; i < w_o.size(); ++i) w_o[i] = i / d == i % d ? 1.0F : 0.0F;
  } else {
    for (const Weight weight : kProjections) {
      const std::span<float> w = matrix(weight);
      for (std::size_t i = 0; i < w.size(); ++i) {
        const std::size_t row = i / hk;
        const std::size_t column = i % hk;
        if (mistake == Break::shared_projection) w[i] = w[row * hk + column % k];
        if (mistake == Break::split_first && row / k != column / k) w[i] = 0.0F;
      }
    }
  }
}

/// Every sentence as long as the model reads, with kMask behind it, of which nothing is asked.
void BrokenAttention::pad(const Batch& batch) {
  const auto slots = size(batch.slots);
  const auto longest = size(shape().max_positions);
  padded_ = {.slots = batch.slots};
  padded_.lengths.assign(batch.sentences(), shape().max_positions);
  padded_.tokens.assign(batch.sentences() * longest, kMask);
  for (auto* const asked : {&padded_.targets, &padded_.partners, &padded_.relations}) {
    asked->assign(padded_.tokens.size() * slots, kIgnored);
  }
  std::size_t from = 0;
  for (std::size_t s = 0; s < batch.sentences(); ++s) {
    const auto n = size(batch.lengths[s]);
    const auto copy = [&](const std::vector<std::int32_t>& of, std::vector<std::int32_t>& to, std::size_t width) {
      std::copy_n(of.data() + from * width, n * width, to.data() + s * longest * width);
    };
    copy(batch.tokens, padded_.tokens, 1);
    copy(batch.targets, padded_.targets, slots);
    copy(batch.partners, padded_.partners, slots);
    copy(batch.relations, padded_.relations, slots);
    from += n;
  }
}

/// Of each map the part that words give to words; where nothing was padded that is all of it.
void BrokenAttention::keep_maps(const Batch& batch) {
  float* to = maps_.data();
  for (std::size_t s = 0; s < batch.sentences(); ++s) {
    const auto n = size(batch.lengths[s]);
    for (std::int32_t head = 0; head < shape().heads; ++head) {
      const std::span<const float> map = network_.attention(0).weights(s, head);
      const std::size_t width = map.size() == n * n ? n : size(shape().max_positions);
      for (std::size_t row = 0; row < n; ++row, to += n) std::copy_n(map.data() + row * width, n, to);
    }
  }
}

/// Z = A V by the kept maps, of the padded batch's values: what the padding got is gone.
void BrokenAttention::mix(const Batch& batch) {
  const auto h = size(shape().heads);
  const auto k = size(shape().head_dim);
  const float* map = maps_.data();
  float* z = concat_.data();
  for (std::size_t s = 0; s < batch.sentences(); ++s) {
    const auto n = size(batch.lengths[s]);
    const float* const v = network_.attention(0).v().data() + s * size(shape().max_positions) * h * k;
    for (std::size_t head = 0; head < h; ++head, map += n * n) {
      mix_head(n, n, k, map, n, v + head * k, z + head * k, h * k);
    }
    z += n * h * k;
  }
}

/// Q, K and V of each sentence read as [h, n, k] where they lie, and Z written as such: in a head, one row ends where
/// the next begins.
void BrokenAttention::attend_unsorted(const Batch& batch) {
  const AttentionBatch& right = network_.attention(0);
  const auto h = size(shape().heads);
  const auto k = size(shape().head_dim);
  const float factor = Options{}.factor(shape().head_dim);
  float* map = maps_.data();
  std::size_t first = 0;
  for (const std::int32_t length : batch.lengths) {
    const auto n = size(length);
    for (std::size_t head = 0; head < h; ++head, map += n * n, first += n * k) {
      const float* const q = right.q().data() + first;
      const float* const keys = right.k().data() + first;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          float score = 0.0F;
          for (std::size_t c = 0; c < k; ++c) score += q[i * k + c] * keys[j * k + c];
          map[i * n + j] = factor * score;
        }
        softmax_row(map + i * n, map + i * n, length);
      }
      mix_head(n, n, k, map, n, right.v().data() + first, concat_.data() + first, k);
    }
  }
}

/// From the concatenated heads to the answers.
Outcome BrokenAttention::finish(const Batch& batch, Evaluation& evaluation) {
  const ModelLayout& layout = network_.layout();
  const std::int32_t d = shape().model_dim;
  const std::int32_t hk = shape().heads * shape().head_dim;
  if (!panels_.reserve(packed_size(hk, d))) return {.status = Status::out_of_memory};
  pack({layout.span(Weight::w_o, 0, parameters_).data(), d}, hk, d, panels_.data());
  gemm(static_cast<std::int32_t>(batch.rows()), d, hk, concat_.data(), hk, panels_.data(), nullptr, output_.data(), d);
  if (first_not_finite(output_) != output_.size()) return {.status = Status::overflow};

  list_questions(batch, questions_);
  const ReadOut::Map<const float> map = {layout.span(Weight::read_out, 0, parameters_), {}};
  if (Outcome bad = read_out_.forward({d, shape().vocabulary, shape().slots}, questions_, output_, map); !bad.ok()) {
    return bad;
  }
  evaluation = judge(questions_, read_out_.answers());
  return std::isfinite(evaluation.loss) ? Outcome{} : Outcome{.status = Status::overflow};
}

Outcome BrokenAttention::evaluate(Break mistake, const Batch& batch, Evaluation& evaluation) {
  const std::int32_t hk = shape().heads * shape().head_dim;
  if ((mistake == Break::split_first || mistake == Break::no_output_projection) && hk != shape().model_dim) {
    return {.status = Status::head_dim_out_of_range};
  }
  // Refuses what it cannot read, so that all below may rely on it.
  if (Outcome bad = mha::evaluate(network_, batch, parameters_, {}, evaluation); !bad.ok()) return bad;
  std::size_t floats = 0;
  row_lengths_.clear();
  for (const std::int32_t n : batch.lengths) {
    floats += size(shape().heads) * size(n) * size(n);
    row_lengths_.insert(row_lengths_.end(), size(shape().heads) * size(n), n);
  }
  maps_.resize(floats);
  concat_.resize(batch.rows() * size(hk));
  output_.resize(batch.rows() * size(shape().model_dim));

  if (mistake == Break::wrong_reshape) {
    attend_unsorted(batch);
    return finish(batch, evaluation);
  }
  if (mistake == Break::mask_after_softmax) {
    pad(batch);
    if (Outcome bad = network_.forward(padded_, parameters_); !bad.ok()) return bad;
    keep_maps(batch);
    mix(batch);
    return finish(batch, evaluation);
  }
  if (mistake != Break::none) {
    change_parameters(mistake);
    if (Outcome bad = mha::evaluate(network_, batch, changed_, {}, evaluation); !bad.ok()) return bad;
  }
  keep_maps(batch);
  std::ranges::copy(network_.attention(0).output(), output_.begin());
  return {};
}

Outcome BrokenAttention::show(Break mistake, std::span<const std::int32_t> words) {
  if (words.size() > size(shape().max_positions)) return {.status = Status::too_many_words};
  const auto strange =
      std::ranges::find_if(words, [&](std::int32_t word) { return word < 0 || word >= shape().vocabulary; });
  if (strange != words.end()) {
    return {.status = Status::unknown_word, .index = {static_cast<std::int32_t>(strange - words.begin()), -1, -1}};
  }
  if (words.empty()) return {.status = Status::bad_batch};
  shown_ = {.slots = shape().slots, .lengths = {static_cast<std::int32_t>(words.size())}};
  shown_.tokens.assign(words.begin(), words.end());
  for (auto* const asked : {&shown_.targets, &shown_.partners, &shown_.relations}) {
    asked->assign(words.size() * size(shape().slots), kIgnored);
  }
  // A model answers questions, and a sentence may ask none: one is made up, and its answer not read.
  shown_.targets[0] = words[0];
  shown_.partners[0] = shown_.relations[0] = 0;
  Evaluation ignored;
  return evaluate(mistake, shown_, ignored);
}

RowSums BrokenAttention::row_sums() const {
  if (row_lengths_.empty()) return {};
  RowSums sums = {.smallest = HUGE_VAL, .largest = -HUGE_VAL};
  const float* from = maps_.data();
  for (const std::int32_t n : row_lengths_) {
    double sum = 0.0;
    for (std::int32_t j = 0; j < n; ++j) sum += *from++;
    sums.smallest = std::min(sums.smallest, sum);
    sums.largest = std::max(sums.largest, sum);
  }
  return sums;
}

}  // namespace mha
