// A trained model at the wasm boundary: what is read from its file, and what is refused.
#include "wasm/exports_model.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "exports_call.hpp"
#include "support.hpp"
#include "train/model_file.hpp"
#include "train/vocabulary.hpp"

namespace mha::test {
namespace {

using wasm::kModel;

ModelFile small_model(bool biases = false) {
  ModelFile model{.shape = {.vocabulary = 4,
                            .max_positions = 3,
                            .model_dim = 6,
                            .heads = 3,
                            .head_dim = 2,
                            .layers = 2,
                            .slots = 1,
                            .biases = biases},
                  .metadata = {{"vocabulary", "\n小明\nTom\n饿"}}};
  Random random(5);
  model.parameters = random.numbers(ModelLayout(model.shape).size());
  return model;
}

std::vector<std::uint8_t> bytes_of(const ModelFile& model, Precision precision = Precision::float32) {
  const Result<std::vector<std::byte>> file = write_model_file(model, precision);
  REQUIRE(file.ok());
  const auto* const first = reinterpret_cast<const std::uint8_t*>(file.value().data());
  return {first, first + file.value().size()};
}

/// The functions on one file; tokens as the page gives them.
struct Reader {
  std::vector<std::uint8_t> file;
  std::vector<std::int32_t> parts = record_of(Parts{});
  std::vector<std::int32_t> outcome = std::vector<std::int32_t>(kOutcome.size(), 77);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(file.size()); }

  std::int32_t shape(std::int32_t* record) const { return mha_model_shape(file.data(), size(), record); }
  std::int32_t parameters(const Shape& asked, float* slab) const {
    return mha_model_parameters(file.data(), size(), record_of(asked).data(), parts.data(), slab);
  }
  std::int32_t words(const std::string& text, const std::vector<std::int32_t>& offsets, std::int32_t* places) const {
    return mha_model_words(file.data(), size(), text.data(), offsets.data(),
                           static_cast<std::int32_t>(offsets.size()) - 1, places);
  }
  std::int32_t embed(const Shape& asked, const std::string& text, const std::vector<std::int32_t>& offsets,
                     float* input) {
    return mha_model_embed(file.data(), size(), record_of(asked).data(), parts.data(), text.data(), offsets.data(),
                           static_cast<std::int32_t>(offsets.size()) - 1, input, outcome.data());
  }
};

std::vector<float> slab_of(Slab slab, const Shape& shape) {
  return std::vector<float>(static_cast<std::size_t>(Layout(slab, shape, {}).size()), kNan);
}

}  // namespace

TEST_CASE("a model's sizes and first layer, as its file has them", "[exports][model_file]") {
  const ModelFile model = small_model();
  const Reader reader{bytes_of(model)};
  std::vector<std::int32_t> record(kModel.size());
  REQUIRE(reader.shape(record.data()) == 0);
  CHECK(record == std::vector<std::int32_t>{4, 3, 6, 3, 2, 2});

  const Shape shape = self_attention(2, 6, 3);
  std::vector<float> slab = slab_of(Slab::parameters, shape);
  REQUIRE(reader.parameters(shape, slab.data()) == 0);
  const Layout layout(Slab::parameters, shape, {});
  const Parameters expected = ModelLayout(model.shape).parameters(0, model.parameters);
  const auto same = [&](Tensor tensor, std::span<const float> numbers) {
    CHECK(std::ranges::equal(layout.span(tensor, std::span<const float>(slab)), numbers));
  };
  same(Tensor::w_q, expected.w_q);
  same(Tensor::w_k, expected.w_k);
  same(Tensor::w_v, expected.w_v);
  same(Tensor::w_o, expected.w_o);
}

TEST_CASE("the model's vectors of words and places, and their sum", "[exports][model_file]") {
  for (const Precision precision : {Precision::float32, Precision::float16}) {
    const std::vector<std::uint8_t> file = bytes_of(small_model(), precision);
    const ModelFile model = read_model_file(std::as_bytes(std::span(file))).value();
    Reader reader{file};
    const Shape shape = self_attention(3, 6, 3);
    std::vector<float> input = slab_of(Slab::input, shape);
    REQUIRE(reader.embed(shape, "Tom饿Tom", {0, 3, 6, 9}, input.data()) == 0);
    const ModelLayout places(model.shape);
    const auto words = places.span(Weight::token_embedding, 0, std::span(model.parameters));
    const auto positions = places.span(Weight::position_embedding, 0, std::span(model.parameters));
    const Layout layout(Slab::input, shape, {});
    const auto tensor = [&](Tensor which) { return layout.span(which, std::span<const float>(input)); };
    const std::size_t row_of[] = {2, 3, 2};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t c = 0; c < 6; ++c) {
        CHECK(tensor(Tensor::token_vectors)[i * 6 + c] == words[row_of[i] * 6 + c]);
        CHECK(tensor(Tensor::positions)[i * 6 + c] == positions[i * 6 + c]);
        CHECK(tensor(Tensor::x)[i * 6 + c] == words[row_of[i] * 6 + c] + positions[i * 6 + c]);
      }
    }
  }
}

TEST_CASE("words that the model does not know, and more than it can place", "[exports][model_file]") {
  Reader reader{bytes_of(small_model())};
  std::vector<std::int32_t> found(3);
  REQUIRE(reader.words("tom小明x", {0, 3, 9, 10}, found.data()) == 0);
  CHECK(found == std::vector<std::int32_t>{kOutOfVocabulary, 1, kOutOfVocabulary});

  const Shape shape = self_attention(3, 6, 3);
  std::vector<float> input = slab_of(Slab::input, shape);
  CHECK(reader.embed(shape, "Tom明x", {0, 3, 6, 7}, input.data()) == number(Status::unknown_word));
  CHECK(reader.outcome[kOutcome["status"]] == number(Status::unknown_word));
  CHECK(reader.outcome[kOutcome["index"]] == 1);
  const Shape longer = self_attention(4, 6, 3);
  std::vector<float> more = slab_of(Slab::input, longer);
  CHECK(reader.embed(longer, "TomTomTomTom", {0, 3, 6, 9, 12}, more.data()) == number(Status::too_many_words));
}

TEST_CASE("what is no model of these sizes is refused, and no words but text", "[exports][model_file]") {
  Reader reader{bytes_of(small_model())};
  std::vector<std::int32_t> record(kModel.size());
  std::vector<std::int32_t> places(3);
  const Shape shape = self_attention(3, 6, 3);
  std::vector<float> parameters = slab_of(Slab::parameters, self_attention(3, 12, 3));
  std::vector<float> input = slab_of(Slab::input, self_attention(3, 12, 3));
  const std::int32_t bad_model = number(Status::bad_model);
  for (const Shape& other : {self_attention(3, 12, 3), self_attention(3, 6, 2), Shape{3, 3, 6, 3, 1, 2}}) {
    CHECK(reader.parameters(other, parameters.data()) == bad_model);
  }
  CHECK(reader.embed(self_attention(3, 12, 3), "TomTomTom", {0, 3, 6, 9}, input.data()) == bad_model);
  CHECK(reader.embed(shape, "TomTom", {0, 3, 6}, input.data()) == number(Status::wrong_size));
  CHECK(reader.embed(shape, "TomTomTom", {0, 3, 3, 9}, input.data()) == number(Status::bad_text));
  CHECK(reader.embed(shape, "TomTom\xff", {0, 3, 6, 7}, input.data()) == number(Status::bad_text));
  CHECK(reader.words("TomTomTom", {1, 3, 6, 9}, places.data()) == number(Status::bad_text));
  CHECK(reader.words("TomTomTom", {0, 3, 6, 9}, nullptr) == number(Status::wrong_size));
  CHECK(reader.shape(nullptr) == number(Status::wrong_size));
  CHECK(reader.parameters(Shape{}, parameters.data()) == number(Status::tokens_out_of_range));
  CHECK(reader.parameters(shape, nullptr) == number(Status::wrong_size));
  reader.parts = record_of(Parts{.biases = true});
  CHECK(reader.parameters(shape, parameters.data()) == bad_model);
  reader.parts = record_of(Parts{});

  const auto refused_everywhere = [&] {
    CHECK(reader.shape(record.data()) == bad_model);
    CHECK(reader.words("TomTomTom", {0, 3, 6, 9}, places.data()) == bad_model);
    CHECK(reader.parameters(shape, parameters.data()) == bad_model);
    CHECK(reader.embed(shape, "TomTomTom", {0, 3, 6, 9}, input.data()) == bad_model);
  };
  reader.file.pop_back();
  refused_everywhere();
  reader.file.clear();
  refused_everywhere();
  reader.file = bytes_of(small_model(true));
  CHECK(reader.shape(record.data()) == 0);
  CHECK(reader.parameters(shape, parameters.data()) == bad_model);
  ModelFile broken = small_model();
  broken.parameters.back() = kNan;
  reader.file = bytes_of(broken);
  CHECK(reader.shape(record.data()) == bad_model);
}

}  // namespace mha::test
