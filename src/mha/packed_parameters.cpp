#include "mha/packed_parameters.hpp"

#include "mha/gemm.hpp"

namespace mha {
namespace {

std::size_t queries(const Shape& s) { return packed_size(s.model_dim, s.q_width()); }
std::size_t keys(const Shape& s) { return packed_size(s.model_dim, s.kv_width()); }  // and values
std::size_t outputs(const Shape& s) { return packed_size(s.q_width(), s.model_dim); }

}  // namespace

const float* PackedParameters::w_k() const { return w_q() + queries(shape_); }
const float* PackedParameters::w_v() const { return w_k() + keys(shape_); }
const float* PackedParameters::w_o() const { return w_v() + keys(shape_); }

Outcome PackedParameters::load(const Shape& shape, const Parameters& parameters) {
  shape_ = {};
  Shape checked = shape;
  checked.tokens = checked.context = 1;
  if (Outcome bad = validate(checked); !bad.ok()) return bad;
  if (Outcome bad = validate(checked, parameters); !bad.ok()) return bad;
  if (!panels_.reserve(queries(checked) + 2 * keys(checked) + outputs(checked))) {
    return {.status = Status::out_of_memory};
  }

  const std::int32_t d = checked.model_dim;
  const std::int32_t hk = checked.q_width();
  const std::int32_t gk = checked.kv_width();
  float* panels = panels_.data();
  pack({parameters.w_q.data(), hk}, d, hk, panels);
  pack({parameters.w_k.data(), gk}, d, gk, panels += queries(checked));
  pack({parameters.w_v.data(), gk}, d, gk, panels += keys(checked));
  pack({parameters.w_o.data(), d}, hk, d, panels += keys(checked));
  shape_ = checked;
  return {};
}

}  // namespace mha
