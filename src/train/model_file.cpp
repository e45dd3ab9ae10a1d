#include "train/model_file.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "mha/finite.hpp"
#include "train/vocabulary.hpp"

namespace mha {
namespace {

constexpr std::string_view kFormat = "eight meetings model 1";
constexpr std::array<const char*, 2> kMoments = {"adam.first_moment", "adam.second_moment"};

struct Size {
  const char* key;
  std::int32_t ModelShape::* value;
};
constexpr std::array<Size, 7> kSizes = {{{"vocabulary_size", &ModelShape::vocabulary},
                                         {"max_positions", &ModelShape::max_positions},
                                         {"d_model", &ModelShape::model_dim},
                                         {"heads", &ModelShape::heads},
                                         {"head_dim", &ModelShape::head_dim},
                                         {"layers", &ModelShape::layers},
                                         {"slots", &ModelShape::slots}}};

struct Flag {
  const char* key;
  bool ModelShape::* value;
};
constexpr std::array<Flag, 4> kFlags = {{{"residual", &ModelShape::residual},
                                         {"layer_norm", &ModelShape::layer_norm},
                                         {"biases", &ModelShape::biases},
                                         {"causal", &ModelShape::causal}}};

std::string text_of(const Metadata& metadata, const char* key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::string() : found->second;
}

Result<ModelShape> shape_of(const Metadata& metadata) {
  ModelShape shape;
  for (const Size& size : kSizes) shape.*size.value = whole_number(metadata, size.key);
  for (const Flag& flag : kFlags) {
    const std::int32_t value = whole_number(metadata, flag.key);
    if (value != 0 && value != 1) return Error{std::string(flag.key) + " must be 0 or 1"};
    shape.*flag.value = value == 1;
  }
  if (const Outcome bad = validate(shape); !bad.ok()) return Error{message(bad)};
  return shape;
}

/// Of each parameter its name, its shape and its numbers in a slab: f(name, shape, span).
template <class Number, class Function>
void for_each_weight(const ModelShape& shape, std::span<Number> slab, Function function) {
  const ModelLayout layout(shape);
  for (std::size_t i = 0; i < kWeightCount; ++i) {
    const auto weight = static_cast<Weight>(i);
    for (std::int32_t layer = 0; layer < (info(weight).per_layer ? shape.layers : 1); ++layer) {
      const ModelLayout::Place place = layout(weight, layer);
      if (place.count() == 0) continue;
      std::vector<std::uint64_t> extents = {static_cast<std::uint64_t>(place.columns)};
      if (info(weight).rows != WeightInfo::Axis::one)
        extents.insert(extents.begin(), static_cast<std::uint64_t>(place.rows));
      function(name_of(weight, layer), std::move(extents), layout.span(weight, layer, slab));
    }
  }
}

/// One tensor of the file into `numbers`.
Result<Nothing> read_tensor(std::span<const std::byte> file, const SafetensorsHeader& header, const std::string& name,
                            const std::vector<std::uint64_t>& shape, std::span<float> numbers) {
  const TensorEntry* const entry = header.find(name);
  if (entry == nullptr) return Error{"there is no tensor " + name};
  if (entry->shape != shape) return Error{name + " is " + shape_text(entry->shape) + ", must be " + shape_text(shape)};
  const Result<std::vector<float>> read = read_floats(file, *entry);
  if (!read.ok()) return read.error();
  if (first_not_finite(read.value()) != read.value().size()) return Error{name + " has a number that is not finite"};
  std::ranges::copy(read.value(), numbers.begin());
  return Nothing{};
}

Result<Nothing> read_moments(std::span<const std::byte> file, const SafetensorsHeader& header, ModelFile& model) {
  const std::size_t count = model.parameters.size();
  if (header.find(kMoments[0]) == nullptr && header.find(kMoments[1]) == nullptr) return Nothing{};
  model.moments.resize(2 * count);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::span<float> moment = std::span(model.moments).subspan(i * count, count);
    if (Result<Nothing> step = read_tensor(file, header, kMoments[i], {count}, moment); !step.ok()) return step;
  }
  return Nothing{};
}

}  // namespace

Result<ModelFile> read_model_file(std::span<const std::byte> file) {
  Result<SafetensorsHeader> header = parse_safetensors_header(file, file.size());
  if (!header.ok()) return header.error();
  ModelFile model;
  model.metadata = std::move(header.value().metadata);
  if (text_of(model.metadata, "format") != kFormat)
    return Error{"its metadata must say format: " + std::string(kFormat)};
  Result<ModelShape> shape = shape_of(model.metadata);
  if (!shape.ok()) return shape.error();
  model.shape = shape.value();
  model.steps = whole_number(model.metadata, "steps");
  if (model.steps < 0) return Error{"steps must be a whole number"};
  const std::string words = text_of(model.metadata, "vocabulary");
  if (std::ranges::count(words, '\n') + 1 != model.shape.vocabulary)
    return Error{"the vocabulary must have vocabulary_size lines"};

  // Before room is made for what a file only claims to have.
  const std::size_t count = ModelLayout(model.shape).size();
  if (file.size() / sizeof(std::uint16_t) < count) return Error{"the file is too short for its sizes"};
  model.parameters.resize(count);
  Result<Nothing> step = Nothing{};
  for_each_weight(model.shape, std::span(model.parameters),
                  [&](const std::string& name, const std::vector<std::uint64_t>& extents, std::span<float> numbers) {
                    if (step.ok()) step = read_tensor(file, header.value(), name, extents, numbers);
                  });
  if (step.ok()) step = read_moments(file, header.value(), model);
  if (!step.ok()) return step.error();
  return model;
}

Result<std::vector<std::byte>> write_model_file(const ModelFile& model, Precision precision) {
  Metadata metadata = model.metadata;
  metadata["format"] = kFormat;
  for (const Size& size : kSizes) metadata[size.key] = std::to_string(model.shape.*size.value);
  for (const Flag& flag : kFlags) metadata[flag.key] = model.shape.*flag.value ? "1" : "0";
  metadata["steps"] = std::to_string(model.steps);

  std::vector<TensorToWrite> tensors;
  for_each_weight(model.shape, std::span(model.parameters),
                  [&](std::string name, std::vector<std::uint64_t> extents, std::span<const float> numbers) {
                    tensors.push_back({std::move(name), std::move(extents), numbers, precision == Precision::float16});
                  });
  const std::size_t count = model.parameters.size();
  for (std::size_t i = 0; i < 2 && !model.moments.empty(); ++i) {
    tensors.push_back({kMoments[i], {count}, std::span(model.moments).subspan(i * count, count)});
  }
  return safetensors_bytes(tensors, metadata);
}

std::int32_t word_place(const Metadata& metadata, std::string_view text) {
  const auto found = metadata.find("vocabulary");
  if (found == metadata.end() || text.empty()) return kOutOfVocabulary;
  std::string_view rest = found->second;
  for (std::int32_t place = 0;; ++place) {
    const std::size_t end = rest.find('\n');
    if (rest.substr(0, end) == text) return place;
    if (end == std::string_view::npos) return kOutOfVocabulary;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace mha
