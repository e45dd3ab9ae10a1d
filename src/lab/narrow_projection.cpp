#include "lab/narrow_projection.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "mha/buffer.hpp"
#include "mha/evidence_reader.hpp"
#include "mha/gemm.hpp"
#include "mha/layout.hpp"

namespace mha {
namespace {

struct Projection {
  Tensor from, weights, bias;
};

/// Precondition: role is q, k or v.
Projection projection_of(Tensor role, const Parts& parts) {
  const Tensor context = parts.context ? Tensor::context : Tensor::x;
  if (role == Tensor::q) return {Tensor::x, Tensor::w_q, Tensor::b_q};
  if (role == Tensor::k) return {context, Tensor::w_k, Tensor::b_k};
  return {context, Tensor::w_v, Tensor::b_v};
}

}  // namespace

Outcome narrow_projection(const Evidence& evidence, Tensor role, Comparison& found) {
  if (Outcome bad = validate(evidence.shape); !bad.ok()) return bad;
  if (Outcome bad = EvidenceReader(evidence).complete(); !bad.ok()) return bad;
  if (role != Tensor::q && role != Tensor::k && role != Tensor::v) {
    return {.status = Status::no_such_cell};
  }
  const Layout inputs(Slab::input, evidence.shape, evidence.parts);
  const Layout parameters(Slab::parameters, evidence.shape, evidence.parts);
  const Layout traces(Slab::trace, evidence.shape, evidence.parts);
  const Projection made_of = projection_of(role, evidence.parts);
  const std::span<const float> from = inputs.span(made_of.from, evidence.input);
  const std::span<const float> weights = parameters.span(made_of.weights, evidence.parameters);
  const std::span<const float> bias = parameters.span(made_of.bias, evidence.parameters);
  const std::span<const float> wide = traces.span(role, evidence.trace);

  const std::int32_t d = evidence.shape.model_dim;
  const std::int32_t k = evidence.shape.head_dim;
  const auto rows = static_cast<std::int32_t>(traces[role].shape[0]);
  const auto width = static_cast<std::int32_t>(traces[role].shape[1]);
  Buffer block, panels, narrow;
  if (!block.reserve(static_cast<std::size_t>(d) * static_cast<std::size_t>(k)) || !panels.reserve(packed_size(d, k)) ||
      !narrow.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(k))) {
    return {.status = Status::out_of_memory};
  }

  found = {};
  for (std::int32_t first = 0; first < width; first += k) {
    for (std::int32_t r = 0; r < d; ++r) {
      std::copy_n(weights.data() + std::ptrdiff_t{r} * width + first, k, block.data() + std::ptrdiff_t{r} * k);
    }
    pack({block.data(), k}, d, k, panels.data());
    gemm(rows, k, d, from.data(), d, panels.data(), bias.empty() ? nullptr : bias.data() + first, narrow.data(), k);
    for (std::int32_t i = 0; i < rows; ++i) {
      const auto begin =
          static_cast<std::size_t>(i) * static_cast<std::size_t>(width) + static_cast<std::size_t>(first);
      compare(wide.subspan(begin, static_cast<std::size_t>(k)),
              {narrow.data() + std::ptrdiff_t{i} * k, static_cast<std::size_t>(k)}, found);
    }
  }
  return {};
}

}  // namespace mha
