// Answers of the core, written into the records of boundary.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "io/golden.hpp"
#include "lab/comparison.hpp"
#include "lab/cost.hpp"
#include "lab/layer_at_scale.hpp"
#include "mha/explanation.hpp"
#include "mha/influence.hpp"
#include "mha/layout.hpp"
#include "mha/status.hpp"
#include "mha/tensor.hpp"
#include "wasm/boundary.hpp"

namespace mha::wasm {

inline void write_outcome(const Outcome& outcome, std::int32_t* record) {
  record[kOutcome["status"]] = static_cast<std::int32_t>(outcome.status);
  record[kOutcome["tensor"]] = static_cast<std::int32_t>(outcome.tensor);
  std::copy(outcome.index.begin(), outcome.index.end(), record + kOutcome["index"]);
}

inline void write_deviation(const Deviation& deviation, double* record) {
  record[kDeviation["answered"]] = deviation.answered ? 1 : 0;
  record[kDeviation["error"]] = deviation.error;
  record[kDeviation["bound"]] = deviation.bound;
}

inline void write_view(Tensor tensor, const std::optional<View>& view, std::int32_t* record) {
  std::fill_n(record, kView.size(), 0);
  if (!view) return;
  record[kView["present"]] = 1;
  record[kView["rank"]] = view->rank;
  record[kView["offset"]] = static_cast<std::int32_t>(view->offset);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    record[kView["axes"] + axis] = static_cast<std::int32_t>(info(tensor).axes[axis]);
    record[kView["shape"] + axis] = static_cast<std::int32_t>(view->shape[axis]);
    record[kView["strides"] + axis] = static_cast<std::int32_t>(view->strides[axis]);
  }
}

inline void write_cell(const Cell& cell, double* tensor, double* index) {
  *tensor = static_cast<double>(cell.tensor);
  std::copy(cell.index.begin(), cell.index.end(), index);
}

inline void write_term(const Term& term, double* record) {
  write_cell(term.a, record + kTerm["aTensor"], record + kTerm["aIndex"]);
  write_cell(term.b, record + kTerm["bTensor"], record + kTerm["bIndex"]);
  record[kTerm["aValue"]] = term.a_value;
  record[kTerm["bValue"]] = term.b_value;
  record[kTerm["value"]] = term.value;
  record[kTerm["running"]] = term.running;
}

inline void write_explanation(const Explanation& explanation, double* record) {
  record[kExplanation["rule"]] = static_cast<double>(explanation.rule);
  write_cell(explanation.cell, record + kExplanation["tensor"], record + kExplanation["index"]);
  record[kExplanation["value"]] = explanation.value;
  record[kExplanation["sum"]] = explanation.sum;
  record[kExplanation["bound"]] = explanation.bound;
  record[kExplanation["bias"]] = explanation.bias;
  record[kExplanation["gate"]] = explanation.gate;
  record[kExplanation["factor"]] = explanation.factor;
  record[kExplanation["masked"]] = explanation.masked;
  record[kExplanation["rowMax"]] = explanation.row_max;
  record[kExplanation["difference"]] = explanation.difference;
  record[kExplanation["exponential"]] = explanation.exponential;
  record[kExplanation["rowMasked"]] = explanation.row_masked;
  record[kExplanation["termCount"]] = explanation.term_count;
  record[kExplanation["largestCount"]] = explanation.largest_count;
  std::copy(explanation.largest.begin(), explanation.largest.end(), record + kExplanation["largest"]);
  record[kExplanation["rest"]] = explanation.rest;
}

inline void write_comparison(const Comparison& comparison, double* record) {
  record[kComparison["numbers"]] = static_cast<double>(comparison.numbers);
  record[kComparison["differing"]] = static_cast<double>(comparison.differing);
  record[kComparison["largest"]] = comparison.largest;
}

inline void write_cost(const Cost& cost, double* record) {
  record[kCost["flops"]] = cost.flops;
  record[kCost["exponentials"]] = cost.exponentials;
  record[kCost["bytes"]] = cost.bytes;
}

inline void write_cost(const CostAtScale& cost, double* record) {
  record[kCostAtScale["weights"]] = cost.weights;
  record[kCostAtScale["weightBytes"]] = cost.weight_bytes;
  record[kCostAtScale["roomBytes"]] = cost.room_bytes;
  record[kCostAtScale["flops"]] = cost.flops;
}

inline void write_regions(const Regions& regions, std::int32_t* records) {
  for (const Region& region : regions.all()) {
    records[kRegion["tensor"]] = static_cast<std::int32_t>(region.tensor);
    std::copy(region.first.begin(), region.first.end(), records + kRegion["first"]);
    std::copy(region.count.begin(), region.count.end(), records + kRegion["count"]);
    records += kRegion.size();
  }
}

}  // namespace mha::wasm
