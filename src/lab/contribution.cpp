#include "lab/contribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "mha/evidence_reader.hpp"

namespace mha {

Outcome row_shares(const Evidence& evidence, std::int32_t row, RowShares& whole, std::span<double> shares) {
  if (Outcome bad = validate(evidence.shape); !bad.ok()) return bad;
  const EvidenceReader read(evidence);
  if (Outcome bad = read.complete(); !bad.ok()) return bad;
  if (std::cmp_not_equal(shares.size(), evidence.shape.heads)) return {.status = Status::wrong_size};
  if (!read.holds(Cell{Tensor::output, {row, 0, 0}})) {
    return {.status = Status::no_such_cell, .tensor = Tensor::output, .index = {row, -1, -1}};
  }
  const std::int32_t d = evidence.shape.model_dim;
  const auto bias = [&](std::int32_t c) { return read.holds(Tensor::b_o) ? read.at({Tensor::b_o, {c, 0, 0}}) : 0.0; };
  const auto w_o = [&](std::int32_t r, std::int32_t c) { return read.at({Tensor::w_o, {r, c, 0}}); };
  const auto z = [&](std::int32_t r) { return read.at({Tensor::concat, {row, r, 0}}); };

  std::array<double, static_cast<std::size_t>(kMaxModelDim)> room;
  const std::span<double> y = std::span(room).first(static_cast<std::size_t>(d));
  for (std::int32_t c = 0; c < d; ++c) y[static_cast<std::size_t>(c)] = bias(c);
  for (std::int32_t r = 0; r < evidence.shape.q_width(); ++r) {
    for (std::int32_t c = 0; c < d; ++c) y[static_cast<std::size_t>(c)] += z(r) * w_o(r, c);
  }

  whole = {};
  std::fill(shares.begin(), shares.end(), 0.0);
  for (const double part : y) whole.norm = std::hypot(whole.norm, part);
  if (whole.norm == 0) return {};
  for (double& part : y) part /= whole.norm;

  for (std::int32_t c = 0; c < d; ++c) whole.bias += bias(c) * y[static_cast<std::size_t>(c)];
  for (std::int32_t r = 0; r < evidence.shape.q_width(); ++r) {
    double along = 0;
    for (std::int32_t c = 0; c < d; ++c) along += w_o(r, c) * y[static_cast<std::size_t>(c)];
    shares[static_cast<std::size_t>(r / evidence.shape.head_dim)] += z(r) * along;
  }
  return {};
}

}  // namespace mha
