// Golden cases: one pass with everything that must come out of it, computed elsewhere, in one .safetensors file.
// tests/golden has them and says how they were made (PyTorch, float64, rounded once).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "io/result.hpp"
#include "mha/attention.hpp"
#include "mha/tensor.hpp"

namespace mha {

struct Golden {
  Shape shape;
  Options options;
  /// By Tensor, row-major; empty: the file does not have it.
  std::array<std::vector<float>, kTensorCount> tensors;

  [[nodiscard]] const std::vector<float>& operator[](Tensor tensor) const {
    return tensors[static_cast<std::size_t>(tensor)];
  }
  [[nodiscard]] Parameters parameters() const;
  [[nodiscard]] Input input() const;
};

/// The whole file. What it gives is checked for size and finiteness (see validate), what it answers for size; an error
/// names the tensor or the option.
[[nodiscard]] Result<Golden> parse_golden(std::span<const std::byte> file);

/// How far a tensor is from its answers: at the element where the error takes the largest share of its bound.
struct Deviation {
  bool answered = false;  ///< false: the file has no answer for this tensor
  double error = 0;       ///< |computed − answer|; infinite for NaN or another infinity
  double bound = 0;       ///< what float arithmetic may be off there

  [[nodiscard]] bool within() const { return error <= bound; }
};

/// By Tensor.
using Deviations = std::array<Deviation, kTensorCount>;

/// Part of the largest number of its tensor; from the weights on, times the largest score.
inline constexpr double kGoldenLimit = 2e-6;

/// The fast pass on what the file gives, compared with what it answers. The bound is that of attention_reference(), and
/// the rounding of the stored answer, but at most kGoldenLimit. Errors: as Attention::forward.
[[nodiscard]] Outcome check(const Golden& golden, Deviations& deviations);

}  // namespace mha
