// The oracle: the same layer in double with Eigen, one line per equation, no trick. Each tensor comes with an a priori
// bound on how far any correct float computation of it may be away.
#pragma once

#include <vector>

#include "mha/attention.hpp"
#include "mha/bounded.hpp"

namespace mha {

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
