// A whole pass as one .safetensors file.
#pragma once

#include <array>
#include <span>
#include <string>

#include "io/result.hpp"
#include "mha/attention.hpp"
#include "mha/shape.hpp"
#include "mha/tensor.hpp"

namespace mha::cli {

/// What the file holds, in this order. q_heads, k_heads and v_heads are left out: other views of q, k and v.
inline constexpr std::array<Tensor, 12> kTraceFileTensors = {
    Tensor::q,       Tensor::k,     Tensor::v,      Tensor::raw_scores,    Tensor::scaled_scores, Tensor::masked_scores,
    Tensor::weights, Tensor::heads, Tensor::concat, Tensor::contributions, Tensor::output,        Tensor::masked_rows};

/// float32, contiguous, shapes as in kTensors; the sizes and options of the pass stand in __metadata__.
/// Precondition: `trace` is a finished pass with full detail, `contributions` is [h, n, d].
[[nodiscard]] Result<Nothing> write_trace(const std::string& path, const Shape& shape, const Options& options,
                                          std::span<const float> trace, std::span<const float> contributions);

}  // namespace mha::cli
