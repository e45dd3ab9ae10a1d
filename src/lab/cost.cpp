#include "lab/cost.hpp"

namespace mha {

Cost cost(const Shape& shape) {
  const double n = shape.tokens;
  const double m = shape.context;
  const double d = shape.model_dim;
  const double h = shape.heads;
  const double hk = shape.q_width();
  const double gk = shape.kv_width();
  const double projections = n * d * hk + 2 * m * d * gk + n * hk * d;  // Q, K and V, and W_O
  const double attention = 2 * n * m * hk;                              // QKᵀ and AV, of all heads
  const double parameters = 2 * d * hk + 2 * d * gk;
  const double given = n * d + (m == n ? 0 : m * d);
  const double made = n * hk + 2 * m * gk + h * n * m + n * hk + n * d;  // Q, K and V, A, Z, Y
  return {.flops = 2 * (projections + attention),
          .exponentials = h * n * m,
          .bytes = static_cast<double>(sizeof(float)) * (parameters + given + made)};
}

}  // namespace mha
