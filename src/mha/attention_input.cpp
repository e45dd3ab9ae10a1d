// What a pass may be given: the checks at the boundary, made once so that everything after them may assume.
#include <cmath>
#include <limits>
#include <utility>

#include "mha/attention.hpp"
#include "mha/finite.hpp"

namespace mha {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

Outcome require(Tensor tensor, const Shape& shape, std::span<const float> values) {
  if (std::cmp_not_equal(values.size(), element_count(tensor, shape))) {
    return {.status = Status::wrong_size, .tensor = tensor};
  }
  return require_finite(Status::not_finite, tensor, shape, values);
}

Outcome require_mask(const Shape& shape, std::span<const float> mask) {
  if (std::cmp_not_equal(mask.size(), element_count(Tensor::mask, shape))) {
    return {.status = Status::wrong_size, .tensor = Tensor::mask};
  }
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (!std::isfinite(mask[i]) && mask[i] != kMinusInfinity) {
      return at_element(Status::not_finite, Tensor::mask, shape, i);
    }
  }
  return {};
}

Outcome require_gates(const Shape& shape, std::span<const float> gates) {
  if (gates.size() != static_cast<std::size_t>(shape.heads)) return {.status = Status::bad_gate};
  const auto bad = first_not_finite(gates);
  if (bad == gates.size()) return {};
  return {.status = Status::bad_gate, .index = {static_cast<std::int32_t>(bad), -1, -1}};
}

}  // namespace

float Options::factor(std::int32_t head_dim) const {
  switch (scale) {
    case Scale::inverse_sqrt: return static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_dim)));
    case Scale::off: return 1.0F;
    case Scale::given: return scale_value;
  }
  return 1.0F;
}

Outcome validate(const Shape& shape, const Parameters& p) {
  if (Outcome bad = require(Tensor::w_q, shape, p.w_q); !bad.ok()) return bad;
  if (Outcome bad = require(Tensor::w_k, shape, p.w_k); !bad.ok()) return bad;
  if (Outcome bad = require(Tensor::w_v, shape, p.w_v); !bad.ok()) return bad;
  if (Outcome bad = require(Tensor::w_o, shape, p.w_o); !bad.ok()) return bad;
  if (Outcome bad = p.b_q.empty() ? Outcome{} : require(Tensor::b_q, shape, p.b_q); !bad.ok()) return bad;
  if (Outcome bad = p.b_k.empty() ? Outcome{} : require(Tensor::b_k, shape, p.b_k); !bad.ok()) return bad;
  if (Outcome bad = p.b_v.empty() ? Outcome{} : require(Tensor::b_v, shape, p.b_v); !bad.ok()) return bad;
  return p.b_o.empty() ? Outcome{} : require(Tensor::b_o, shape, p.b_o);
}

Outcome validate(const Shape& shape, const Input& input, const Options& options) {
  if (Outcome bad = require(Tensor::x, shape, input.x); !bad.ok()) return bad;
  if (input.context.empty()) {
    if (shape.context != shape.tokens) return {.status = Status::wrong_size, .tensor = Tensor::context};
  } else if (Outcome bad = require(Tensor::context, shape, input.context); !bad.ok()) {
    return bad;
  }
  if (Outcome bad = input.mask.empty() ? Outcome{} : require_mask(shape, input.mask); !bad.ok()) return bad;
  if (Outcome bad = options.head_gate.empty() ? Outcome{} : require_gates(shape, options.head_gate); !bad.ok()) {
    return bad;
  }
  if (!std::isfinite(options.factor(shape.head_dim))) return {.status = Status::bad_scale};
  if (options.padding < 0 || options.padding > shape.context) return {.status = Status::bad_padding};
  return {};
}

}  // namespace mha
