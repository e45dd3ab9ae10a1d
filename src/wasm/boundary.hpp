// The records that cross the wasm boundary: plain arrays whose fields lie at the places given here and nowhere else.
//
// exports.cpp reads and writes them by name, a wrong name does not compile; describe_tables.cpp prints the places for
// the page. A record of `int` is an array of int32; one of `double` holds floats too, each of them exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mha/attention.hpp"
#include "mha/explanation.hpp"
#include "mha/layout.hpp"
#include "mha/shape.hpp"
#include "mha/status.hpp"
#include "mha/tensor.hpp"

namespace mha::wasm {

/// Layers that a module can hold at a time: ids 0 … kMaxLoadedLayers − 1.
inline constexpr std::int32_t kMaxLoadedLayers = 16;
/// Runs that a training module can hold at a time: ids 0 … kMaxRuns − 1.
inline constexpr std::int32_t kMaxRuns = 8;
/// Bytes that mha_allocate can give: below the 2 GiB that a module may grow to, and a multiple of its alignment.
inline constexpr std::uint32_t kMaxAllocation = (std::uint32_t{1} << 31) - 64;
/// A slab is allocated in one piece.
inline constexpr std::int64_t kMaxSlabFloats = kMaxAllocation / sizeof(float);

struct Field {
  std::string_view name;
  std::size_t count = 1;  ///< places it takes
};

/// Neither constexpr nor defined: reaching it stops the compiler.
std::size_t no_such_field();

/// N fields one after another. record["name"] is the place of a field, found while compiling.
template <std::size_t N>
struct Record {
  std::string_view name;
  std::string_view element;  ///< int or double
  std::array<Field, N> fields;

  [[nodiscard]] consteval std::size_t operator[](std::string_view field) const {
    std::size_t place = 0;
    for (const Field& candidate : fields) {
      if (candidate.name == field) return place;
      place += candidate.count;
    }
    return no_such_field();
  }
  [[nodiscard]] constexpr std::size_t size() const {
    std::size_t places = 0;
    for (const Field& field : fields) places += field.count;
    return places;
  }
};

template <std::size_t N>
[[nodiscard]] consteval Record<N> record(std::string_view name, std::string_view element, const Field (&fields)[N]) {
  return {name, element, std::to_array(fields)};
}

inline constexpr auto kShape =
    record("shape", "int", {{"tokens"}, {"context"}, {"modelDim"}, {"heads"}, {"kvHeads"}, {"headDim"}});

/// context, mask and biases: 0 or 1. detail: a Detail.
inline constexpr auto kParts = record("parts", "int", {{"context"}, {"mask"}, {"biases"}, {"detail"}});

/// One tensor of a slab, as in View. axes: an Axis each.
inline constexpr auto kView =
    record("view", "int", {{"present"}, {"rank"}, {"axes", 3}, {"shape", 3}, {"strides", 3}, {"offset"}});

/// scale: an Options::Scale. causal: 0 or 1. The head gates travel beside it, as floats.
inline constexpr auto kOptions = record("options", "double", {{"scale"}, {"scaleValue"}, {"causal"}, {"padding"}});

/// tensor: kTensorCount for none. Unused places of index are −1.
inline constexpr auto kOutcome = record("outcome", "int", {{"status"}, {"tensor"}, {"index", 3}});

inline constexpr auto kCell = record("cell", "int", {{"tensor"}, {"index", 3}});

/// An Explanation without its terms. rule: a Rule. masked and rowMasked: 0 or 1.
inline constexpr auto kExplanation = record("explanation", "double",
                                            {{"rule"},
                                             {"tensor"},
                                             {"index", 3},
                                             {"value"},
                                             {"sum"},
                                             {"bound"},
                                             {"bias"},
                                             {"gate"},
                                             {"factor"},
                                             {"masked"},
                                             {"rowMax"},
                                             {"difference"},
                                             {"exponential"},
                                             {"rowMasked"},
                                             {"termCount"},
                                             {"largestCount"},
                                             {"largest", kMaxLargest},
                                             {"rest"}});

/// bTensor: kTensorCount if the term has no second factor.
inline constexpr auto kTerm =
    record("term", "double",
           {{"aTensor"}, {"aIndex", 3}, {"bTensor"}, {"bIndex", 3}, {"aValue"}, {"bValue"}, {"value"}, {"running"}});

/// A Region: a box of cells.
inline constexpr auto kRegion = record("region", "int", {{"tensor"}, {"first", 3}, {"count", 3}});

/// As in RowShares; the shares of the heads travel beside it.
inline constexpr auto kRowShares = record("rowShares", "double", {{"bias"}, {"norm"}});

/// As in Comparison.
inline constexpr auto kComparison = record("comparison", "double", {{"numbers"}, {"differing"}, {"largest"}});

/// As in Cost.
inline constexpr auto kCost = record("cost", "double", {{"flops"}, {"exponentials"}, {"bytes"}});

/// As in CostAtScale.
inline constexpr auto kCostAtScale =
    record("costAtScale", "double", {{"weights"}, {"weightBytes"}, {"roomBytes"}, {"flops"}});

/// How far a tensor is from the answer of a golden case, as in Deviation. answered: 0 or 1.
inline constexpr auto kDeviation = record("deviation", "double", {{"answered"}, {"error"}, {"bound"}});

/// As in ModelShape and RunOptions. task: a Task. residual, layerNorm, biases, causal and shuffled: 0 or 1.
inline constexpr auto kRunSettings = record("runSettings", "double",
                                            {{"task"},
                                             {"heads"},
                                             {"modelDim"},
                                             {"layers"},
                                             {"residual"},
                                             {"layerNorm"},
                                             {"biases"},
                                             {"causal"},
                                             {"batch"},
                                             {"learningRate"},
                                             {"seed"},
                                             {"shuffled"}});

/// steps: made so far. loss: of the last one, before it. diverged: 0 or 1.
inline constexpr auto kRunProgress = record("runProgress", "double", {{"steps"}, {"loss"}, {"diverged"}});

/// As in Dilemma.
inline constexpr auto kDilemma = record("dilemma", "double", {{"head"}, {"query"}, {"first"}, {"second"}, {"loss"}});

/// As in Quality.
inline constexpr auto kQuality = record("quality", "double", {{"loss"}, {"accuracy"}});

/// As in HeadOff. importance: raw, in nats.
inline constexpr auto kHeadOff = record("headOff", "double",
                                        {{"loss"},
                                         {"accuracy"},
                                         {"accuracyLost"},
                                         {"slicedLoss"},
                                         {"slicedAccuracy"},
                                         {"importance"},
                                         {"normalised"},
                                         {"rank"},
                                         {"importanceRank"}});

/// As in Saving. precision: a Precision. moments: 0 or 1.
inline constexpr auto kSaving = record("saving", "double", {{"precision"}, {"decimals"}, {"moments"}});

/// As in SeedPlan. language: a Language, or −1 for both.
inline constexpr auto kSeedPlan =
    record("seedPlan", "double", {{"seeds"}, {"steps"}, {"bound"}, {"every"}, {"language"}});

/// The run that goes on, as in SeedStudy: its seed and its h as places from 0. done: 0 or 1.
inline constexpr auto kSeedProgress = record("seedProgress", "double", {{"seed"}, {"place"}, {"steps"}, {"done"}});

/// As in SeedSummary; groupings: how many. Its lists travel beside it.
inline constexpr auto kSeedSummary = record(
    "seedSummary", "double",
    {{"runs"}, {"reached"}, {"diverged"}, {"median"}, {"fewest"}, {"most"}, {"loss"}, {"assignments"}, {"groupings"}});

/// In the order of enum Options::Scale.
inline constexpr std::array<std::string_view, 3> kScaleNames = {"inverse_sqrt", "off", "given"};
/// In the order of enum Detail.
inline constexpr std::array<std::string_view, 2> kDetailNames = {"core", "full"};
/// In the order of enum Precision.
inline constexpr std::array<std::string_view, 2> kPrecisionNames = {"float32", "float16"};
/// In the order of enum Slab.
inline constexpr std::array<std::string_view, 4> kSlabNames = {"input", "parameters", "trace", "contributions"};

static_assert(kScaleNames[static_cast<std::size_t>(Options::Scale::given)] == "given");
static_assert(kDetailNames[static_cast<std::size_t>(Detail::full)] == "full");
static_assert(kSlabNames[static_cast<std::size_t>(Slab::contributions)] == "contributions");
static_assert(kStatusNames[static_cast<std::size_t>(Status::too_many_words)] == "too_many_words");
static_assert(kRuleNames[static_cast<std::size_t>(Rule::same)] == "same");
static_assert(kAxisNames[static_cast<std::size_t>(Axis::gk)] == "g·k");

}  // namespace mha::wasm
