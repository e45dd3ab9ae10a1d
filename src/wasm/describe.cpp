// Prints web/src/core/generated/tables.ts: the tables of the core as TypeScript, so that a wrong name does not compile
// on the page. Same output whatever the machine.
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "lab/layer_at_scale.hpp"
#include "lab/models.hpp"
#include "mha/explanation.hpp"
#include "mha/influence.hpp"
#include "mha/shape.hpp"
#include "mha/status.hpp"
#include "mha/tensor.hpp"
#include "wasm/boundary.hpp"

namespace mha::wasm {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

void print(const std::string& line) { std::printf("%s\n", line.c_str()); }

/// An array of names and the union type of its elements.
template <std::size_t N>
void print_names(std::string_view constant, std::string_view type, const std::array<std::string_view, N>& names) {
  print("\nexport const " + std::string(constant) + " = [");
  for (const std::string_view name : names) print("  " + quoted(name) + ",");
  print("] as const");
  print("export type " + std::string(type) + " = (typeof " + std::string(constant) + ")[number]");
}

/// The number of each name: its place in the enum.
template <std::size_t N>
void print_ids(std::string_view constant, const std::array<std::string_view, N>& names) {
  print("\nexport const " + std::string(constant) + " = {");
  for (std::size_t i = 0; i < N; ++i) print("  " + std::string(names[i]) + ": " + std::to_string(i) + ",");
  print("} as const");
}

void print_tensors() {
  std::array<std::string_view, kTensorCount> names;
  for (std::size_t i = 0; i < kTensorCount; ++i) names[i] = kTensors[i].name;
  print_names("tensorNames", "TensorName", names);
  print_ids("tensorIds", names);
  print("\nexport interface TensorInfo {");
  print("  readonly rank: number");
  print("  readonly axes: readonly AxisName[]");
  print("  readonly slab: SlabName");
  print("}");
  print("\nexport const tensorInfos: Readonly<Record<TensorName, TensorInfo>> = {");
  for (const TensorInfo& tensor : kTensors) {
    std::string axes;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(tensor.rank); ++axis) {
      axes += (axis > 0 ? ", " : "") + quoted(kAxisNames[static_cast<std::size_t>(tensor.axes[axis])]);
    }
    print("  " + std::string(tensor.name) + ": { rank: " + std::to_string(tensor.rank) + ", axes: [" + axes +
          "], slab: " + quoted(kSlabNames[static_cast<std::size_t>(tensor.slab)]) + " },");
  }
  print("}");
}

void print_models() {
  print_names("modelKindNames", "ModelKind", kModelKindNames);
  print("\n/** A size that is 0 does not exist or is not known. */");
  print("export interface Model {");
  print("  readonly name: string");
  print("  readonly kind: ModelKind");
  print("  readonly layers: number");
  print("  /** of a second stack: each layer of it has two attentions */");
  print("  readonly decoderLayers: number");
  print("  readonly heads: number");
  print("  readonly kvHeads: number");
  print("  readonly modelDim: number");
  print("  readonly headDim: number");
  print("  readonly latent: {");
  for (const char* size : {"kvRank", "queryRank", "headDim", "rotaryDim", "valueDim"}) {
    print("    readonly " + std::string(size) + ": number");
  }
  print("  }");
  print("}");
  print("\nexport const models: readonly Model[] = [");
  for (const Model& model : kModels) {
    const auto size = [](const char* name, std::int32_t value) {
      return std::string(name) + ": " + std::to_string(value);
    };
    print("  {");
    print("    name: " + quoted(model.name) +
          ", kind: " + quoted(kModelKindNames[static_cast<std::size_t>(model.kind)]) + ",");
    print("    " + size("layers", model.layers) + ", " + size("decoderLayers", model.decoder_layers) + ", " +
          size("heads", model.heads) + ", " + size("kvHeads", model.kv_heads) + ", " +
          size("modelDim", model.model_dim) + ", " + size("headDim", model.head_dim) + ",");
    print("    latent: { " + size("kvRank", model.latent.kv_rank) + ", " + size("queryRank", model.latent.query_rank) +
          ", " + size("headDim", model.latent.head_dim) + ", " + size("rotaryDim", model.latent.rotary_dim) + ", " +
          size("valueDim", model.latent.value_dim) + " },");
    print("  },");
  }
  print("]");
}

template <std::size_t N>
void print_record(const Record<N>& record) {
  print("\n/** Places in a record of " + std::string(record.element) + ". */");
  print("export const " + std::string(record.name) + "Record = {");
  print("  size: " + std::to_string(record.size()) + ",");
  std::size_t place = 0;
  for (const Field& field : record.fields) {
    const std::string many = field.count > 1 ? "  // and " + std::to_string(field.count - 1) + " more" : "";
    print("  " + std::string(field.name) + ": " + std::to_string(place) + "," + many);
    place += field.count;
  }
  print("} as const");
}

void print_limit(std::string_view name, std::integral auto value) {
  print("  " + std::string(name) + ": " + std::to_string(value) + ",");
}

void print_limits() {
  print("\nexport const limits = {");
  print_limit("maxTokens", kMaxTokens);
  print_limit("maxModelDim", kMaxModelDim);
  print_limit("maxHeads", kMaxHeads);
  print_limit("maxWidth", kMaxWidth);
  print_limit("maxFloats", kMaxFloats);
  print_limit("maxTokensAtScale", kMaxTokensAtScale);
  print_limit("maxSlabFloats", kMaxSlabFloats);
  print_limit("maxLayers", kMaxLayers);
  print_limit("maxLargest", kMaxLargest);
  print_limit("maxRegions", kMaxRegions);
  print("} as const");
}

}  // namespace
}  // namespace mha::wasm

int main() {
  using namespace mha;
  using namespace mha::wasm;
  print("// Generated by src/wasm/describe.cpp from the tables of the C++ core. Do not edit.");
  print_names("axisNames", "AxisName", kAxisNames);
  print_names("slabNames", "SlabName", kSlabNames);
  print_ids("slabIds", kSlabNames);
  print_tensors();
  print_names("statusNames", "StatusName", kStatusNames);
  print_names("ruleNames", "RuleName", kRuleNames);
  print_ids("scaleIds", kScaleNames);
  print_ids("detailIds", kDetailNames);
  print_record(kShape);
  print_record(kParts);
  print_record(kView);
  print_record(kOptions);
  print_record(kOutcome);
  print_record(kCell);
  print_record(kExplanation);
  print_record(kTerm);
  print_record(kRegion);
  print_record(kRowShares);
  print_record(kComparison);
  print_record(kCost);
  print_record(kCostAtScale);
  print_record(kDeviation);
  print_models();
  print_limits();
  return 0;
}
