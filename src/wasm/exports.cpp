#include "wasm/exports.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string_view>

#include "io/golden.hpp"
#include "lab/cost.hpp"
#include "mha/attention.hpp"
#include "mha/embedding.hpp"
#include "mha/explanation.hpp"
#include "mha/layout.hpp"
#include "mha/peak.hpp"
#include "mha/random.hpp"
#include "mha/utf8.hpp"
#include "wasm/boundary.hpp"
#include "wasm/pass_request.hpp"
#include "wasm/records.hpp"
#include "wasm/request.hpp"

namespace mha::wasm {
namespace {

Parameters parameters_of(const Layout& layout, std::span<const float> slab) {
  return {.w_q = layout.span(Tensor::w_q, slab),
          .w_k = layout.span(Tensor::w_k, slab),
          .w_v = layout.span(Tensor::w_v, slab),
          .w_o = layout.span(Tensor::w_o, slab),
          .b_q = layout.span(Tensor::b_q, slab),
          .b_k = layout.span(Tensor::b_k, slab),
          .b_v = layout.span(Tensor::b_v, slab),
          .b_o = layout.span(Tensor::b_o, slab)};
}

}  // namespace
}  // namespace mha::wasm

using namespace mha;
using namespace mha::wasm;

std::int32_t mha_self_attention(std::int32_t tokens, std::int32_t model_dim, std::int32_t heads, std::int32_t* shape) {
  if (!usable(shape, kShape.size())) return answer(Status::wrong_size);
  const Shape designed = self_attention(tokens, model_dim, heads);
  // More heads than dimensions leave k = 0, which validate() calls a head_dim out of range as well.
  if (Outcome bad = validate(designed); !bad.ok()) return answer(bad);
  if (model_dim % heads != 0) return answer(Status::head_dim_out_of_range);
  shape[kShape["tokens"]] = designed.tokens;
  shape[kShape["context"]] = designed.context;
  shape[kShape["modelDim"]] = designed.model_dim;
  shape[kShape["heads"]] = designed.heads;
  shape[kShape["kvHeads"]] = designed.kv_heads;
  shape[kShape["headDim"]] = designed.head_dim;
  return answer(Status::ok);
}

std::int32_t mha_layout(std::int32_t slab, const std::int32_t* shape, const std::int32_t* parts, std::int32_t* views,
                        double* floats) {
  const Request request(shape, parts);
  if (!request.ok()) return answer(request.outcome);
  if (slab < 0 || static_cast<std::size_t>(slab) >= kSlabNames.size()) return answer(Status::no_such_cell);
  if (!usable(views, kTensorCount * kView.size()) || !usable(floats, 1)) return answer(Status::wrong_size);
  const Layout layout(static_cast<Slab>(slab), request.shape, request.parts);
  if (layout.slab() != Slab::contributions && layout.size() > kMaxSlabFloats) return answer(Status::too_large);
  for (std::size_t i = 0; i < kTensorCount; ++i) {
    const auto tensor = static_cast<Tensor>(i);
    write_view(tensor, layout.find(tensor), views + i * kView.size());
  }
  *floats = static_cast<double>(layout.size());
  return answer(Status::ok);
}

std::int32_t mha_seed_parameters(const std::int32_t* shape, const std::int32_t* parts, std::uint32_t seed,
                                 float* parameters) {
  Request request(shape, parts);
  const auto slab = request.slab(Slab::parameters, parameters);
  if (!request.ok()) return answer(request.outcome);
  fill_parameters(request.shape, request.parts.biases, seed, slab);
  return answer(Status::ok);
}

std::int32_t mha_embed(const std::int32_t* shape, const std::int32_t* parts, const char* text,
                       const std::int32_t* offsets, std::int32_t count, std::uint32_t seed, std::int32_t positions_on,
                       float* input) {
  Request request(shape, parts);
  const Layout layout(Slab::input, request.shape, request.parts);
  const auto slab = request.slab(layout, input);
  if (!request.ok()) return answer(request.outcome);
  if (count != request.shape.tokens) return answer(Status::wrong_size);
  if (!usable(offsets, static_cast<std::size_t>(count) + 1) || offsets[0] != 0) return answer(Status::bad_text);

  const auto d = static_cast<std::size_t>(request.shape.model_dim);
  const auto token_vectors = layout.span(Tensor::token_vectors, slab);
  const auto positions = layout.span(Tensor::positions, slab);
  for (std::int32_t i = 0; i < count; ++i) {
    const std::string_view word = token_of(text, offsets, i);
    if (word.empty() || !is_utf8(word)) return answer(Status::bad_text);
    const std::size_t row = static_cast<std::size_t>(i) * d;
    token_vector(word, seed, token_vectors.subspan(row, d));
    if (positions_on != 0) sinusoidal_position(i, positions.subspan(row, d));
  }
  if (positions_on == 0) std::fill(positions.begin(), positions.end(), 0.0F);
  add_positions(token_vectors, positions, layout.span(Tensor::x, slab));
  return answer(Status::ok);
}

std::int32_t mha_load(std::int32_t layer, const std::int32_t* shape, const std::int32_t* parts, const float* parameters,
                      std::int32_t* outcome) {
  Layer* const target = find_layer(layer);
  if (target == nullptr) return answer(Status::not_loaded, outcome);
  *target = {};
  Request request(shape, parts);
  const Layout layout(Slab::parameters, request.shape, request.parts);
  const auto slab = request.slab(layout, parameters);
  if (!request.ok()) return answer(request.outcome, outcome);
  if (Outcome bad = target->attention.load(request.shape, parameters_of(layout, slab)); !bad.ok()) {
    *target = {};
    return answer(bad, outcome);
  }
  target->biases = request.parts.biases;
  target->parameters = parameters;
  return answer(Status::ok, outcome);
}

std::int32_t mha_unload(std::int32_t layer) {
  Layer* const target = find_layer(layer);
  if (target == nullptr) return answer(Status::not_loaded);
  *target = {};
  return answer(Status::ok);
}

std::int32_t mha_scale(const std::int32_t* shape, const double* options, double* factor) {
  Request request(shape);
  request.add_options(options, nullptr);
  if (!request.ok()) return answer(request.outcome);
  if (!usable(factor, 1)) return answer(Status::wrong_size);
  *factor = static_cast<double>(request.options.factor(request.shape.head_dim));
  return answer(Status::ok);
}

std::int32_t mha_forward(std::int32_t layer, const std::int32_t* shape, const std::int32_t* parts, const float* input,
                         const double* options, const float* head_gate, float* trace, std::int32_t* outcome) {
  PassRequest request(layer, shape, parts);
  request.add_options(options, head_gate);
  const Layout layout(Slab::input, request.shape, request.parts);
  const auto input_slab = request.slab(layout, input);
  const auto trace_slab = request.slab(Slab::trace, trace);
  if (!request.ok()) return answer(request.outcome, outcome);
  return answer(request.layer->attention.forward(request.shape,
                                                 {.x = layout.span(Tensor::x, input_slab),
                                                  .context = layout.span(Tensor::context, input_slab),
                                                  .mask = layout.span(Tensor::mask, input_slab)},
                                                 request.options, request.parts.detail, trace_slab),
                outcome);
}

std::int32_t mha_contributions(std::int32_t layer, const std::int32_t* shape, const std::int32_t* parts,
                               const float* trace, std::int32_t first, std::int32_t count, float* out,
                               std::int32_t* outcome) {
  PassRequest request(layer, shape, parts);
  if (!request.ok()) return answer(request.outcome, outcome);
  if (count < 1 || count > request.shape.heads) {
    return answer({.status = Status::no_such_cell, .tensor = Tensor::contributions}, outcome);
  }
  const Layout layout(Slab::trace, request.shape, request.parts);
  const auto trace_slab = request.slab(layout, trace);
  const auto out_slab = request.floats(std::int64_t{count} * request.shape.tokens * request.shape.model_dim, out);
  if (!request.ok()) return answer(request.outcome, outcome);
  return answer(request.layer->attention.contributions(request.shape, layout.span(Tensor::concat, trace_slab), first,
                                                       count, out_slab),
                outcome);
}

std::int32_t mha_max_terms(const std::int32_t* shape) {
  const Request request(shape);
  return request.ok() ? max_terms(request.shape) : 0;
}

std::int32_t mha_explain(std::int32_t layer, const std::int32_t* shape, const std::int32_t* parts, const float* input,
                         const double* options, const float* head_gate, const float* trace, const std::int32_t* cell,
                         std::int32_t largest, double* explanation, double* terms, std::int32_t* outcome) {
  PassRequest request(layer, shape, parts);
  request.add_evidence(input, options, head_gate, trace);
  if (!request.ok()) return answer(request.outcome, outcome);
  const auto capacity = static_cast<std::size_t>(max_terms(request.shape));
  if (!usable(cell, kCell.size()) || !usable(explanation, kExplanation.size()) ||
      !usable(terms, capacity * kTerm.size()) || largest < 0 || largest > kMaxLargest) {
    return answer(Status::wrong_size, outcome);
  }
  Cell asked;
  if (!read_cell(cell, asked)) return answer(Status::no_such_cell, outcome);

  const std::unique_ptr<Term[]> found(new (std::nothrow) Term[capacity]);
  if (found == nullptr) return answer(Status::out_of_memory, outcome);
  Explanation result;
  if (Outcome bad = explain(request.evidence, asked, largest, result, {found.get(), capacity}); !bad.ok()) {
    return answer(bad, outcome);
  }
  write_explanation(result, explanation);
  for (std::size_t i = 0; i < static_cast<std::size_t>(result.term_count); ++i) {
    write_term(found[i], terms + i * kTerm.size());
  }
  return answer(Status::ok, outcome);
}

std::int32_t mha_explain_by_head(std::int32_t layer, const std::int32_t* shape, const std::int32_t* parts,
                                 const float* input, const double* options, const float* head_gate, const float* trace,
                                 std::int32_t row, std::int32_t column, double* by_head, std::int32_t* outcome) {
  PassRequest request(layer, shape, parts);
  request.add_evidence(input, options, head_gate, trace);
  if (!request.ok()) return answer(request.outcome, outcome);
  const auto heads = static_cast<std::size_t>(request.shape.heads);
  if (!usable(by_head, heads)) return answer(Status::wrong_size, outcome);
  return answer(explain_by_head(request.evidence, row, column, {by_head, heads}), outcome);
}

std::int32_t mha_check(const std::uint8_t* file, std::uint32_t bytes, double* deviations) {
  if (!usable(file, bytes) || !usable(deviations, kTensorCount * kDeviation.size())) return answer(Status::wrong_size);
  const Result<Golden> golden = parse_golden(std::as_bytes(std::span(file, bytes)));
  if (!golden.ok()) return answer(Status::bad_text);
  Deviations found;
  if (Outcome bad = check(golden.value(), found); !bad.ok()) return answer(bad);
  for (std::size_t i = 0; i < kTensorCount; ++i) write_deviation(found[i], deviations + i * kDeviation.size());
  return answer(Status::ok);
}

std::int32_t mha_cost(const std::int32_t* shape, double* cost) {
  const Request request(shape);
  if (!request.ok()) return answer(request.outcome);
  if (!usable(cost, kCost.size())) return answer(Status::wrong_size);
  write_cost(mha::cost(request.shape), cost);
  return answer(Status::ok);
}

double mha_peak(std::int32_t rounds) { return multiply_add_peak(rounds); }
