// Softmax over one row, numerically safe: exp(s − max) ÷ Σ exp(s − max). Shift invariance makes the two forms equal.
#pragma once

#include <cstdint>

namespace mha {

/// weights[j] = exp(scores[j] − max) / Σ; `weights` may be `scores`. −∞ gives exactly 0.
/// Returns false if every score is −∞: then all weights are 0 (never 0/0 = NaN).
/// Precondition: count ≥ 1, scores finite or −∞.
bool softmax_row(const float* scores, float* weights, std::int32_t count);

/// Backward through one row and the factor before it: d_scores[j] = factor·weights[j]·(d_weights[j] − r) with
/// r = Σ weights[j]·d_weights[j], which it returns. `d_scores` may be `d_weights`. Precondition: count ≥ 1.
float softmax_row_gradient(const float* weights, const float* d_weights, float factor, float* d_scores,
                           std::int32_t count);

}  // namespace mha
