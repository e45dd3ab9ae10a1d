// Softmax over one row, numerically safe: exp(s − max) ÷ Σ exp(s − max). Shift invariance makes the two forms equal.
#pragma once

#include <cstdint>

namespace mha {

/// weights[j] = exp(scores[j] − max) / Σ; `weights` may be `scores`. −∞ gives exactly 0.
/// Returns false if every score is −∞: then all weights are 0 (never 0/0 = NaN).
/// Precondition: count ≥ 1, scores finite or −∞.
bool softmax_row(const float* scores, float* weights, std::int32_t count);

}  // namespace mha
