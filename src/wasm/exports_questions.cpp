// What can be asked about a finished pass beside where a number comes from: where it goes, and what the lab measures.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "lab/comparison.hpp"
#include "lab/contribution.hpp"
#include "lab/narrow_projection.hpp"
#include "mha/influence.hpp"
#include "mha/layout.hpp"
#include "wasm/boundary.hpp"
#include "wasm/exports.hpp"
#include "wasm/pass_request.hpp"
#include "wasm/records.hpp"

using namespace mha;
using namespace mha::wasm;

std::int32_t mha_influence(std::int32_t layer, const std::int32_t* shape, const std::int32_t* parts, const float* input,
                           const double* options, const float* head_gate, const float* trace, const std::int32_t* cell,
                           std::int32_t* direct, std::int32_t* reached, std::int32_t* sizes, std::int32_t* outcome) {
  PassRequest request(layer, shape, parts);
  request.add_evidence(input, options, head_gate, trace);
  if (!request.ok()) return answer(request.outcome, outcome);
  constexpr std::size_t kPlaces = static_cast<std::size_t>(kMaxRegions) * kRegion.size();
  if (!usable(cell, kCell.size()) || !usable(direct, kPlaces) || !usable(reached, kPlaces) || !usable(sizes, 2)) {
    return answer(Status::wrong_size, outcome);
  }
  Cell asked;
  if (!read_cell(cell, asked)) return answer(Status::no_such_cell, outcome);
  Influence found;
  if (Outcome bad = influence(request.evidence, asked, found); !bad.ok()) return answer(bad, outcome);
  write_regions(found.direct, direct);
  write_regions(found.reached, reached);
  sizes[0] = found.direct.size;
  sizes[1] = found.reached.size;
  return answer(Status::ok, outcome);
}

std::int32_t mha_row_shares(std::int32_t layer, const std::int32_t* shape, const std::int32_t* parts,
                            const float* input, const double* options, const float* head_gate, const float* trace,
                            std::int32_t row, double* shares, double* whole, std::int32_t* outcome) {
  PassRequest request(layer, shape, parts);
  request.add_evidence(input, options, head_gate, trace);
  if (!request.ok()) return answer(request.outcome, outcome);
  const auto heads = static_cast<std::size_t>(request.shape.heads);
  if (!usable(shares, heads) || !usable(whole, kRowShares.size())) return answer(Status::wrong_size, outcome);
  RowShares found;
  if (Outcome bad = row_shares(request.evidence, row, found, {shares, heads}); !bad.ok()) return answer(bad, outcome);
  whole[kRowShares["bias"]] = found.bias;
  whole[kRowShares["norm"]] = found.norm;
  return answer(Status::ok, outcome);
}

std::int32_t mha_narrow(std::int32_t layer, const std::int32_t* shape, const std::int32_t* parts, const float* input,
                        const double* options, const float* head_gate, const float* trace, std::int32_t role,
                        double* comparison, std::int32_t* outcome) {
  PassRequest request(layer, shape, parts);
  request.add_evidence(input, options, head_gate, trace);
  if (!request.ok()) return answer(request.outcome, outcome);
  if (!usable(comparison, kComparison.size())) return answer(Status::wrong_size, outcome);
  Comparison found;
  if (Outcome bad = narrow_projection(request.evidence, static_cast<Tensor>(role), found); !bad.ok()) {
    return answer(bad, outcome);
  }
  write_comparison(found, comparison);
  return answer(Status::ok, outcome);
}

std::int32_t mha_compare(const std::int32_t* shape, const std::int32_t* parts, const float* trace, const float* other,
                         std::int32_t tensor, double* comparison, std::int32_t* outcome) {
  Request request(shape, parts);
  const Layout layout(Slab::trace, request.shape, request.parts);
  const std::span<const float> one = request.slab(layout, trace);
  const std::span<const float> two = request.slab(layout, other);
  if (!request.ok()) return answer(request.outcome, outcome);
  if (!usable(comparison, kComparison.size())) return answer(Status::wrong_size, outcome);
  if (tensor < 0 || static_cast<std::size_t>(tensor) >= kTensorCount || !layout.find(static_cast<Tensor>(tensor))) {
    return answer(Status::no_such_cell, outcome);
  }
  Comparison found;
  compare(layout.span(static_cast<Tensor>(tensor), one), layout.span(static_cast<Tensor>(tensor), two), found);
  write_comparison(found, comparison);
  return answer(Status::ok, outcome);
}
