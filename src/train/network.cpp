#include "train/network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mha/finite.hpp"

namespace mha {
namespace {

std::size_t size(std::int32_t count) { return static_cast<std::size_t>(count); }

void add(std::span<const float> from, std::span<float> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

}  // namespace

Outcome Network::open(const ModelShape& shape) {
  *this = {};
  if (Outcome bad = validate(shape); !bad.ok()) return bad;
  shape_ = shape;
  layout_ = ModelLayout(shape);
  attention_.resize(size(shape.layers));
  return {};
}

bool Network::readable(const Batch& batch) const {
  if (batch.slots != shape_.slots || batch.rows() == 0) return false;
  // A row's place times d must stay an int32, as everything that gemm() is given.
  if (batch.rows() * size(std::max(shape_.model_dim, shape_.vocabulary)) > size(kMaxFloats)) return false;
  const auto too_long = [&](std::int32_t length) { return length > shape_.max_positions; };
  if (std::any_of(batch.lengths.begin(), batch.lengths.end(), too_long)) return false;
  // Relations are only counted with.
  if (!well_formed(batch, shape_.vocabulary, std::numeric_limits<std::int32_t>::max())) return false;
  return std::any_of(batch.targets.begin(), batch.targets.end(), [](std::int32_t t) { return t != kIgnored; });
}

bool Network::reserve(const Batch& batch) {
  const std::size_t rows = batch.rows();
  const std::size_t x = rows * size(shape_.model_dim);
  question_weights_.reserve(batch.targets.size());
  asked_.reserve(batch.sentences());
  return memory_.reserve((2 * size(shape_.layers) + 1) * x + size(shape_.layers) * rows) && gradient_.reserve(2 * x);
}

/// X and x̂ of each layer, then 1/σ of each layer; X has one more.
std::span<float> Network::made(std::int32_t layer) {
  const std::size_t x = batch_->rows() * size(shape_.model_dim);
  return {memory_.data() + 2 * size(layer) * x, x};
}

Normalised Network::kept(std::int32_t layer) {
  const std::size_t rows = batch_->rows();
  const std::size_t x = rows * size(shape_.model_dim);
  float* const inverse = memory_.data() + (2 * size(shape_.layers) + 1) * x + size(layer) * rows;
  return {.rows = {memory_.data() + (2 * size(layer) + 1) * x, x}, .inverse = {inverse, rows}};
}

ReadOut::Map<const float> Network::map() const {
  return {part(Weight::read_out, 0, parameters_), part(Weight::read_out_bias, 0, parameters_)};
}

/// X_0[r] = E[word of r] + P[place of r]
void Network::embed() {
  const std::size_t d = size(shape_.model_dim);
  const auto words = part(Weight::token_embedding, 0, parameters_);
  const auto places = part(Weight::position_embedding, 0, parameters_);
  float* to = made(0).data();
  std::size_t row = 0;
  for (const std::int32_t length : batch_->lengths) {
    for (std::int32_t place = 0; place < length; ++place, ++row) {
      const float* const word = words.data() + size(batch_->tokens[row]) * d;
      const float* const where = places.data() + size(place) * d;
      for (std::size_t c = 0; c < d; ++c) *to++ = word[c] + where[c];
    }
  }
  x_[0] = made(0);
}

void Network::embed_gradient(std::span<const float> d_x, std::span<float> gradients) const {
  const std::size_t d = size(shape_.model_dim);
  const auto words = part(Weight::token_embedding, 0, gradients);
  const auto places = part(Weight::position_embedding, 0, gradients);
  std::fill(words.begin(), words.end(), 0.0F);
  std::fill(places.begin(), places.end(), 0.0F);
  std::size_t row = 0;
  for (const std::int32_t length : batch_->lengths) {
    for (std::int32_t place = 0; place < length; ++place, ++row) {
      const auto from = d_x.subspan(row * d, d);
      add(from, words.subspan(size(batch_->tokens[row]) * d, d));
      add(from, places.subspan(size(place) * d, d));
    }
  }
}

/// X_l+1 from X_l.
Outcome Network::run_layer(std::int32_t layer) {
  AttentionBatch& attention = attention_[size(layer)];
  if (Outcome bad = attention.load(shape_.attention(), layout_.parameters(layer, parameters_)); !bad.ok()) return bad;
  const auto h = size(shape_.heads);
  const Options options = {.causal = shape_.causal,
                           .head_gate = gates_.empty() ? gates_ : gates_.subspan(size(layer) * h, h)};
  if (Outcome bad = attention.forward(batch_->lengths, x_[size(layer)], options); !bad.ok()) return bad;

  std::span<const float> y = attention.output();
  const std::span<float> next = made(layer + 1);
  if (shape_.residual) {
    std::copy(y.begin(), y.end(), next.begin());
    add(x_[size(layer)], next);
    y = next;
  }
  if (shape_.layer_norm) {
    layer_norm(y, part(Weight::norm_scale, layer, parameters_), part(Weight::norm_shift, layer, parameters_),
               kept(layer), next);
    y = next;
  }
  x_[size(layer) + 1] = y;
  return {};
}

Outcome Network::forward(const Batch& batch, std::span<const float> parameters, std::span<const float> gates) {
  finished_ = false;
  if (attention_.empty()) return {.status = Status::not_loaded};
  if (!readable(batch)) return {.status = Status::bad_batch};
  if (parameters.size() != layout_.size()) return {.status = Status::wrong_size};
  if (!gates.empty() && gates.size() != size(shape_.layers) * size(shape_.heads)) return {.status = Status::bad_gate};
  batch_ = &batch;
  parameters_ = parameters;
  gates_ = gates;
  if (!reserve(batch)) return {.status = Status::out_of_memory};

  list_questions(batch, questions_);
  embed();
  for (std::int32_t layer = 0; layer < shape_.layers; ++layer) {
    if (Outcome bad = run_layer(layer); !bad.ok()) return bad;
  }
  if (Outcome bad = read_out_.forward({shape_.model_dim, shape_.vocabulary, shape_.slots}, questions_,
                                      x_[size(shape_.layers)], map());
      !bad.ok()) {
    return bad;
  }
  double sum = 0.0;
  for (const Answer& answer : answers()) sum += answer.loss;
  loss_ = sum / static_cast<double>(questions_.size());
  if (!std::isfinite(loss_)) return {.status = Status::overflow};
  finished_ = true;
  return {};
}

/// How much each question counts in the loss.
void Network::weigh_questions(Loss loss) {
  question_weights_.assign(questions_.size(), static_cast<float>(1.0 / static_cast<double>(questions_.size())));
  if (loss == Loss::batch_mean) return;
  asked_.assign(batch_->sentences(), 0);
  for (const Question& question : questions_) ++asked_[size(question.sentence)];
  for (std::size_t q = 0; q < questions_.size(); ++q) {
    question_weights_[q] = static_cast<float>(1.0 / asked_[size(questions_[q].sentence)]);
  }
}

Outcome Network::backward(Loss loss, std::span<float> gradients, std::span<float> d_gates) {
  if (!std::exchange(finished_, false)) return {.status = Status::not_loaded};
  const std::size_t per_layer = batch_->sentences() * size(shape_.heads);
  if (!gradients.empty() && gradients.size() != layout_.size()) return {.status = Status::wrong_size};
  if (!d_gates.empty() && d_gates.size() != size(shape_.layers) * per_layer) return {.status = Status::bad_gate};

  const std::size_t x = batch_->rows() * size(shape_.model_dim);
  std::span<float> d_y(gradient_.data(), x);
  std::span<float> d_x(gradient_.data() + x, x);
  const auto wanted = [&](Weight weight, std::int32_t layer) {
    return gradients.empty() ? gradients : part(weight, layer, gradients);
  };
  weigh_questions(loss);
  read_out_.backward(questions_, question_weights_, map(), d_y,
                     {wanted(Weight::read_out, 0), wanted(Weight::read_out_bias, 0)});
  for (std::int32_t layer = shape_.layers - 1; layer >= 0; --layer) {
    if (shape_.layer_norm) {
      layer_norm_gradient(kept(layer), part(Weight::norm_scale, layer, parameters_), d_y,
                          wanted(Weight::norm_scale, layer), wanted(Weight::norm_shift, layer));
    }
    Gradients of_layer = gradients.empty() ? Gradients{} : layout_.gradients(layer, gradients);
    of_layer.x = d_x;
    if (!d_gates.empty()) of_layer.head_gate = d_gates.subspan(size(layer) * per_layer, per_layer);
    if (Outcome bad = attention_[size(layer)].backward(d_y, of_layer); !bad.ok()) return bad;
    if (shape_.residual) add(d_y, d_x);
    std::swap(d_x, d_y);
  }
  if (!gradients.empty()) embed_gradient(d_y, gradients);
  return first_not_finite(gradients) == gradients.size() ? Outcome{} : Outcome{.status = Status::overflow};
}

}  // namespace mha
