#include "wasm/exports_model.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "mha/embedding.hpp"
#include "mha/layout.hpp"
#include "mha/utf8.hpp"
#include "train/model_file.hpp"
#include "train/vocabulary.hpp"
#include "wasm/answer.hpp"
#include "wasm/boundary.hpp"
#include "wasm/request.hpp"

using namespace mha;
using namespace mha::wasm;

namespace {

std::span<const std::byte> bytes_of(const std::uint8_t* file, std::uint32_t bytes) {
  return usable(file, bytes) ? std::as_bytes(std::span(file, bytes)) : std::span<const std::byte>();
}

/// The place of every token.
Outcome find_words(const ModelHeader& header, const char* text, const std::int32_t* offsets,
                   std::span<std::int32_t> places) {
  if (!usable(offsets, places.size() + 1) || offsets[0] != 0) return {.status = Status::bad_text};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string_view word = token_of(text, offsets, static_cast<std::int32_t>(i));
    if (word.empty() || !is_utf8(word)) return {.status = Status::bad_text};
    places[i] = word_place(header.file.metadata, word);
  }
  return {};
}

/// One embedding of the file, [rows, d].
Result<std::vector<float>> embedding(std::span<const std::byte> file, const ModelHeader& header, Weight weight) {
  std::vector<float> numbers(ModelLayout(header.shape)(weight).count());
  const Result<Nothing> read = read_weight(file, header, weight, 0, numbers);
  if (!read.ok()) return read.error();
  return numbers;
}

}  // namespace

std::int32_t mha_model_shape(const std::uint8_t* file, std::uint32_t bytes, std::int32_t* model) {
  if (!usable(model, kModel.size())) return answer(Status::wrong_size);
  const Result<ModelFile> read = read_model_file(bytes_of(file, bytes));
  if (!read.ok()) return answer(Status::bad_model);
  const ModelShape& shape = read.value().shape;
  model[kModel["vocabulary"]] = shape.vocabulary;
  model[kModel["positions"]] = shape.max_positions;
  model[kModel["modelDim"]] = shape.model_dim;
  model[kModel["heads"]] = shape.heads;
  model[kModel["headDim"]] = shape.head_dim;
  model[kModel["layers"]] = shape.layers;
  return answer(Status::ok);
}

std::int32_t mha_model_words(const std::uint8_t* file, std::uint32_t bytes, const char* text,
                             const std::int32_t* offsets, std::int32_t count, std::int32_t* places) {
  const Result<ModelHeader> header = read_model_header(bytes_of(file, bytes));
  if (!header.ok()) return answer(Status::bad_model);
  if (count < 0 || !usable(places, static_cast<std::size_t>(count))) return answer(Status::wrong_size);
  return answer(find_words(header.value(), text, offsets, {places, static_cast<std::size_t>(count)}));
}

std::int32_t mha_model_parameters(const std::uint8_t* file, std::uint32_t bytes, const std::int32_t* shape,
                                  const std::int32_t* parts, float* parameters) {
  Request request(shape, parts);
  const Layout layout(Slab::parameters, request.shape, request.parts);
  const std::span<float> slab = request.slab(layout, parameters);
  if (!request.ok()) return answer(request.outcome);
  const std::span<const std::byte> whole = bytes_of(file, bytes);
  const Result<ModelHeader> header = read_model_header(whole);
  if (!header.ok() || header.value().shape.biases || request.parts.biases) return answer(Status::bad_model);
  const Shape given = request.shape;
  if (header.value().shape.attention() != Shape{1, 1, given.model_dim, given.heads, given.kv_heads, given.head_dim})
    return answer(Status::bad_model);
  constexpr std::pair<Weight, Tensor> kMatrices[] = {
      {Weight::w_q, Tensor::w_q}, {Weight::w_k, Tensor::w_k}, {Weight::w_v, Tensor::w_v}, {Weight::w_o, Tensor::w_o}};
  for (const auto& [weight, tensor] : kMatrices) {
    if (!read_weight(whole, header.value(), weight, 0, layout.span(tensor, slab)).ok())
      return answer(Status::bad_model);
  }
  return answer(Status::ok);
}

std::int32_t mha_model_embed(const std::uint8_t* file, std::uint32_t bytes, const std::int32_t* shape,
                             const std::int32_t* parts, const char* text, const std::int32_t* offsets,
                             std::int32_t count, float* input, std::int32_t* outcome) {
  Request request(shape, parts);
  const Layout layout(Slab::input, request.shape, request.parts);
  const std::span<float> slab = request.slab(layout, input);
  if (!request.ok()) return answer(request.outcome, outcome);
  if (count != request.shape.tokens) return answer(Status::wrong_size, outcome);
  const std::span<const std::byte> whole = bytes_of(file, bytes);
  const Result<ModelHeader> header = read_model_header(whole);
  if (!header.ok() || header.value().shape.model_dim != request.shape.model_dim)
    return answer(Status::bad_model, outcome);

  std::vector<std::int32_t> places(static_cast<std::size_t>(count));
  if (Outcome bad = find_words(header.value(), text, offsets, places); !bad.ok()) return answer(bad, outcome);
  if (count > header.value().shape.max_positions) return answer(Status::too_many_words, outcome);
  if (const auto unknown = std::ranges::find(places, kOutOfVocabulary); unknown != places.end()) {
    const auto place = static_cast<std::int32_t>(unknown - places.begin());
    return answer({.status = Status::unknown_word, .index = {place, -1, -1}}, outcome);
  }
  const Result<std::vector<float>> words = embedding(whole, header.value(), Weight::token_embedding);
  const Result<std::vector<float>> positions = embedding(whole, header.value(), Weight::position_embedding);
  if (!words.ok() || !positions.ok()) return answer(Status::bad_model, outcome);

  const auto d = static_cast<std::size_t>(request.shape.model_dim);
  const std::span<float> token_vectors = layout.span(Tensor::token_vectors, slab);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto row = static_cast<std::size_t>(places[i]) * d;
    std::ranges::copy(std::span(words.value()).subspan(row, d), token_vectors.subspan(i * d, d).begin());
  }
  const std::span<float> where = layout.span(Tensor::positions, slab);
  std::ranges::copy(std::span(positions.value()).first(places.size() * d), where.begin());
  add_positions(token_vectors, where, layout.span(Tensor::x, slab));
  return answer(Status::ok, outcome);
}
