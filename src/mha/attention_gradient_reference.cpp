#include "mha/attention_gradient_reference.hpp"

#include <cmath>

#include "mha/bounded.hpp"

namespace mha {

using namespace bounded;

namespace {

/// What one head adds: dQ_i; its rows of dK_j and dV_j, before they are summed over the heads that share j; dξ_i.
struct HeadGradient {
  Bounded scores;    ///< dS_i, by the raw scores
  Bounded gated_dz;  ///< ξ_i·dZ_i
  Bounded queries;   ///< dQ_i
  Bounded gate;      ///< dξ_i
};

double scale_of(const Shape& shape, const Options& options) {
  return options.scale == Options::Scale::inverse_sqrt ? 1.0 / std::sqrt(static_cast<double>(shape.head_dim))
                                                       : static_cast<double>(options.factor(shape.head_dim));
}

// --- excerpt: gradient
/// From dZ_i (without ξ_i): dA_i = dZ_i V_jᵀ, r_i = row sums of A_i ⊙ dA_i, dS_i = ξ_i·s·A_i ⊙ (dA_i − r_i).
HeadGradient head_gradient(const Bounded& dz, const Bounded& weights, const Bounded& k, const Bounded& v, double scale,
                           double gate) {
  const Bounded d_weights = product(dz, transposed(v));
  const Bounded sums = product(each_times(weights, d_weights), ones(weights.value.cols(), 1));
  const Bounded scores = times(each_times(weights, minus_column(d_weights, sums)), gate * scale);
  return {scores, times(dz, gate), product(scores, k), sum_of_rows(sums)};
}
// --- end excerpt

}  // namespace

GradientReference attention_gradient_reference(const Shape& shape, const Parameters& p, const Input& input,
                                               const Options& options, const Reference& pass,
                                               std::span<const float> d_output) {
  const Eigen::Index d = shape.model_dim;
  const Eigen::Index k = shape.head_dim;
  const Eigen::Index hk = shape.q_width();
  const Eigen::Index gk = shape.kv_width();
  const Bounded x = exact(matrix(input.x, shape.tokens, d));
  const Bounded c = input.context.empty() ? x : exact(matrix(input.context, shape.context, d));
  const Bounded w_q = exact(matrix(p.w_q, d, hk));
  const Bounded w_k = exact(matrix(p.w_k, d, gk));
  const Bounded w_v = exact(matrix(p.w_v, d, gk));
  const Bounded dy = exact(matrix(d_output, shape.tokens, d));

  // dZ = dY W_Oᵀ, and each head has its columns of it.
  const Bounded dz = product(dy, transposed(exact(matrix(p.w_o, hk, d))));
  Bounded dq, dk, dv, gates;
  for (std::int32_t j = 0; j < shape.kv_heads; ++j) {
    // Of the heads that share K_j and V_j, below each other: dS_i, Q_i, A_i, ξ_i·dZ_i.
    Bounded scores, queries, weights, gated;
    for (std::int32_t i = 0; i < shape.heads; ++i) {
      if (shape.kv_head_of(i) != j) continue;
      const Bounded& a = pass.weights[static_cast<std::size_t>(i)];
      const HeadGradient head =
          head_gradient(columns(dz, i * k, k), a, columns(pass.k, j * k, k), columns(pass.v, j * k, k),
                        scale_of(shape, options), static_cast<double>(options.gate(i)));
      dq = beside(dq, head.queries);
      gates = beside(gates, head.gate);
      scores = below(scores, head.scores);
      queries = below(queries, columns(pass.q, i * k, k));
      weights = below(weights, a);
      gated = below(gated, head.gated_dz);
    }
    dk = beside(dk, product(transposed(scores), queries));  // dK_j = Σ dS_iᵀ Q_i
    dv = beside(dv, product(transposed(weights), gated));   // dV_j = Σ ξ_i·A_iᵀ dZ_i
  }

  GradientReference r;
  r.w_q = product(transposed(x), dq);
  r.w_k = product(transposed(c), dk);
  r.w_v = product(transposed(c), dv);
  r.w_o = product(transposed(pass.concat), dy);
  r.b_q = sum_of_rows(dq);
  r.b_k = sum_of_rows(dk);
  r.b_v = sum_of_rows(dv);
  r.b_o = sum_of_rows(dy);
  r.head_gate = gates;
  if (input.context.empty()) {  // X asks and is asked: dX = dQ W_Qᵀ + dK W_Kᵀ + dV W_Vᵀ
    r.x = product(beside(beside(dq, dk), dv), transposed(beside(beside(w_q, w_k), w_v)));
  } else {
    r.x = product(dq, transposed(w_q));
    r.context = product(beside(dk, dv), transposed(beside(w_k, w_v)));
  }
  return r;
}

}  // namespace mha
