// Is one wide projection the same as a narrow one per head? Computed both ways and counted.
#pragma once

#include "lab/comparison.hpp"
#include "mha/explanation.hpp"
#include "mha/status.hpp"
#include "mha/tensor.hpp"

namespace mha {

/// Computes q, k or v once more as one product for each head, X · W[:, block] + b[block], with the block copied out of
/// W as a [d, k] matrix of its own, by the same gemm as the wide product, and compares all of it with that of the
/// trace. Errors: as explain(); no_such_cell: not q, k or v; out_of_memory.
[[nodiscard]] Outcome narrow_projection(const Evidence& evidence, Tensor role, Comparison& found);

}  // namespace mha
