// The oracle: the same layer in double with Eigen, one line per equation, no trick. Each tensor comes with an a priori
// bound on how far any correct float computation of it may be away.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "mha/attention.hpp"

namespace mha {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A matrix and, for each element, the largest error that float arithmetic in any order may cause.
/// Source of the rules: Higham, Accuracy and Stability of Numerical Algorithms, §3.1: |error| ≤ γ_K Σ|a||b|.
struct Bounded {
  Matrix value;
  Matrix bound;
};

/// Every tensor of a pass. A vector has one matrix per head (k_heads and v_heads: read off k and v by
/// Shape::kv_head_of).
struct Reference {
  Bounded q, k, v;
  std::vector<Bounded> raw_scores, scaled_scores, masked_scores, weights, heads;
  Bounded concat;
  std::vector<Bounded> contributions;
  Bounded output;
  std::vector<bool> masked_rows;
};

/// Precondition: validate() of shape, parameters and (input, options) is ok.
[[nodiscard]] Reference attention_reference(const Shape& shape, const Parameters& parameters, const Input& input,
                                            const Options& options);

}  // namespace mha
