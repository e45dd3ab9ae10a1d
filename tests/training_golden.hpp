// Files of tests/golden/training: tensors by name.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "io/file.hpp"
#include "io/safetensors.hpp"
#include "train/batch.hpp"
#include "train/model.hpp"

namespace mha::test {

class TrainingGolden {
 public:
  explicit TrainingGolden(const std::string& name) {
    INFO(name);
    Result<std::vector<std::byte>> bytes =
        read_file(std::string(MHA_GOLDEN_DIR) + "/training/" + name + ".safetensors");
    REQUIRE(bytes.ok());
    Result<SafetensorsHeader> header = parse_safetensors_header(bytes.value(), bytes.value().size());
    REQUIRE(header.ok());
    metadata_ = header.value().metadata;
    for (const TensorEntry& entry : header.value().tensors) {
      Result<std::vector<float>> values = read_floats(bytes.value(), entry);
      REQUIRE(values.ok());
      tensors_[entry.name] = std::move(values.value());
    }
  }

  [[nodiscard]] bool has(const std::string& name) const { return tensors_.count(name) > 0; }
  [[nodiscard]] const std::vector<float>& operator[](const std::string& name) const {
    INFO(name);
    REQUIRE(has(name));
    return tensors_.at(name);
  }
  [[nodiscard]] std::vector<std::int32_t> integers(const std::string& name) const {
    return {(*this)[name].begin(), (*this)[name].end()};
  }
  [[nodiscard]] double number(const std::string& name) const { return std::stod(metadata_.at(name)); }
  [[nodiscard]] int integer(const std::string& name) const { return std::stoi(metadata_.at(name)); }

 private:
  std::map<std::string, std::vector<float>> tensors_;
  Metadata metadata_;
};

/// A model of PyTorch's: its sizes, the parameters it starts with and its batches.
struct GoldenRun {
  ModelShape shape;
  std::vector<float> start;
  std::vector<Batch> batches;

  explicit GoldenRun(const TrainingGolden& golden)
      : shape{.vocabulary = golden.integer("vocabulary"),
              .max_positions = golden.integer("max_positions"),
              .model_dim = golden.integer("model_dim"),
              .heads = golden.integer("heads"),
              .head_dim = golden.integer("head_dim"),
              .layers = golden.integer("layers"),
              .slots = golden.integer("slots"),
              .residual = golden.integer("residual") != 0,
              .layer_norm = golden.integer("layer_norm") != 0,
              .biases = golden.integer("biases") != 0,
              .causal = golden.integer("causal") != 0},
        start(ModelLayout(shape).size()) {
    each_parameter([&](const std::string& name, Weight weight, std::int32_t layer) {
      std::ranges::copy(golden[name], ModelLayout(shape).span(weight, layer, std::span(start)).begin());
    });
    const std::vector<std::int32_t> lengths = golden.integers("lengths"), tokens = golden.integers("tokens"),
                                    targets = golden.integers("targets");
    const auto rows = std::accumulate(lengths.begin(), lengths.end(), std::ptrdiff_t{0});
    for (auto token = tokens.begin(); token != tokens.end(); token += rows) {
      Batch batch{.slots = shape.slots, .lengths = lengths, .tokens = {token, token + rows}};
      const auto first = targets.begin() + (token - tokens.begin()) * shape.slots;
      batch.targets.assign(first, first + rows * shape.slots);
      // PyTorch was given neither partners nor relations: only whether they are there matters.
      for (const std::int32_t target : batch.targets) {
        batch.partners.push_back(target == kIgnored ? kIgnored : 0);
        batch.relations.push_back(target == kIgnored ? kIgnored : 0);
      }
      batches.push_back(std::move(batch));
    }
  }

  /// Calls `visit` with the name, weight and layer of everything that the model has.
  template <class Visit>
  void each_parameter(const Visit& visit) const {
    for (std::size_t i = 0; i < kWeightCount; ++i) {
      const auto weight = static_cast<Weight>(i);
      for (std::int32_t layer = 0; layer < (info(weight).per_layer ? shape.layers : 1); ++layer) {
        if (ModelLayout(shape)(weight, layer).count() > 0) visit(name_of(weight, layer), weight, layer);
      }
    }
  }
};

}  // namespace mha::test
