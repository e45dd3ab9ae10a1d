#include "train/model_file.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <string>

#include "io/half.hpp"
#include "support.hpp"
#include "train/vocabulary.hpp"

namespace mha::test {
namespace {

ModelFile small_model(bool everything) {
  ModelFile model{.shape = {.vocabulary = 4,
                            .max_positions = 5,
                            .model_dim = 6,
                            .heads = 3,
                            .head_dim = 2,
                            .layers = everything ? 2 : 1,
                            .slots = 2,
                            .residual = everything,
                            .layer_norm = everything,
                            .biases = everything,
                            .causal = everything},
                  .steps = 17,
                  .metadata = {{"vocabulary", "\n小明\nTom\n饿"}, {"own", "说明 \"x\""}}};
  Random random(everything ? 3 : 4);
  model.parameters = random.numbers(ModelLayout(model.shape).size());
  if (everything) model.moments = random.numbers(2 * model.parameters.size());
  return model;
}

std::vector<std::byte> written(const ModelFile& model, Precision precision = Precision::float32) {
  Result<std::vector<std::byte>> file = write_model_file(model, precision);
  REQUIRE(file.ok());
  return file.value();
}

std::string fault(const std::vector<std::byte>& file) {
  const Result<ModelFile> read = read_model_file(file);
  return read.ok() ? "" : read.error().message;
}

}  // namespace

TEST_CASE("a model comes back from its file bit for bit", "[model_file]") {
  for (const bool everything : {false, true}) {
    const ModelFile model = small_model(everything);
    const Result<ModelFile> read = read_model_file(written(model));
    REQUIRE(read.ok());
    CHECK(read.value().shape == model.shape);
    CHECK(read.value().steps == 17);
    CHECK(read.value().parameters == model.parameters);
    CHECK(read.value().moments == model.moments);
    CHECK(read.value().metadata.at("own") == model.metadata.at("own"));
  }
}

TEST_CASE("in half precision every parameter is the nearest half, and moments stay floats", "[model_file]") {
  const ModelFile model = small_model(true);
  const std::vector<std::byte> file = written(model, Precision::float16);
  const Result<ModelFile> read = read_model_file(file);
  REQUIRE(read.ok());
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    if (read.value().parameters[i] != from_half(to_half(model.parameters[i]))) FAIL(i);
  }
  CHECK(read.value().moments == model.moments);
  CHECK(file.size() + 2 * model.parameters.size() <= written(model).size());
}

TEST_CASE("a word stands where the file's vocabulary has it, and no other text does", "[model_file]") {
  const Metadata metadata = small_model(false).metadata;
  CHECK(word_place(metadata, "小明") == 1);
  CHECK(word_place(metadata, "Tom") == 2);
  CHECK(word_place(metadata, "饿") == 3);
  for (const char* text : {"", "小", "明", "To", "Tom\n饿", "tom", " 饿"}) {
    CHECK(word_place(metadata, text) == kOutOfVocabulary);
  }
  CHECK(word_place({}, "Tom") == kOutOfVocabulary);
}

TEST_CASE("a file that is no such model says why", "[model_file]") {
  const auto changed = [](const std::function<void(Metadata&)>& change) {
    const std::vector<std::byte> file = written(small_model(false));
    Result<SafetensorsHeader> header = parse_safetensors_header(file, file.size());
    REQUIRE(header.ok());
    std::vector<std::vector<float>> numbers;
    for (const TensorEntry& entry : header.value().tensors) numbers.push_back(read_floats(file, entry).value());
    std::vector<TensorToWrite> tensors;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      tensors.push_back({header.value().tensors[i].name, header.value().tensors[i].shape, numbers[i]});
    }
    change(header.value().metadata);
    return fault(safetensors_bytes(tensors, header.value().metadata).value());
  };
  CHECK(changed([](Metadata&) {}).empty());
  CHECK(changed([](Metadata& metadata) { metadata.erase("format"); }) ==
        "its metadata must say format: eight meetings model 1");
  CHECK(changed([](Metadata& metadata) { metadata["heads"] = "0"; }) ==
        message({.status = Status::heads_out_of_range}));
  CHECK(changed([](Metadata& metadata) { metadata.erase("slots"); }) ==
        message({.status = Status::slots_out_of_range}));
  CHECK(changed([](Metadata& metadata) { metadata["causal"] = "yes"; }) == "causal must be 0 or 1");
  CHECK(changed([](Metadata& metadata) { metadata.erase("steps"); }) == "steps must be a whole number");
  CHECK(changed([](Metadata& metadata) { metadata["vocabulary"] = "one"; }) ==
        "the vocabulary must have vocabulary_size lines");
  CHECK(changed([](Metadata& metadata) { metadata["d_model"] = "8"; }) == "token_embedding is [4, 6], must be [4, 8]");
  CHECK(changed([](Metadata& metadata) { metadata["biases"] = "1"; }) == "there is no tensor layers.0.b_q");
  CHECK(changed([](Metadata& metadata) {
          for (const char* key : {"d_model", "head_dim"}) metadata[key] = "4096";
          metadata["heads"] = "1";
        }) == "the file is too short for its sizes");
  // The greatest sizes of all, of which nothing is allocated before they are known to be too large.
  CHECK(changed([](Metadata& metadata) {
          for (const char* key : {"d_model", "heads", "head_dim", "layers", "vocabulary_size"})
            metadata[key] = "2147483647";
        }) != "");

  ModelFile model = small_model(false);
  model.parameters[7] = kNan;
  CHECK(fault(written(model)) == "token_embedding has a number that is not finite");
  model = small_model(true);
  model.moments.back() = kInfinity;
  CHECK(fault(written(model)) == "adam.second_moment has a number that is not finite");
  std::vector<std::byte> cut = written(small_model(false));
  cut.pop_back();
  CHECK(fault(cut).find("cut off") != std::string::npos);
  CHECK(!fault({}).empty());
}

}  // namespace mha::test
