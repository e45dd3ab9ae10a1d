// Is one wide projection the same as a narrow one per head? Computed both ways and counted.
#pragma once

#include <cstdint>

#include "mha/explanation.hpp"
#include "mha/status.hpp"
#include "mha/tensor.hpp"

namespace mha {

/// The wide projection against the narrow ones.
struct NarrowProjection {
  std::int64_t numbers = 0;    ///< how many were compared: all of the tensor
  std::int64_t differing = 0;  ///< how many of them differ in any bit
  double largest = 0;          ///< the largest |difference|
};

/// Computes q, k or v once more as one product for each head, X · W[:, block] + b[block], with the block copied out of
/// W as a [d, k] matrix of its own, by the same gemm as the wide product, and compares it with that of the trace.
/// Errors: as explain(); no_such_cell: not q, k or v; out_of_memory.
[[nodiscard]] Outcome narrow_projection(const Evidence& evidence, Tensor role, NarrowProjection& found);

}  // namespace mha
