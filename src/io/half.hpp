// Half precision (IEEE 754 binary16, "float16"): 1 sign, 5 exponent and 10 fraction bits. A file of such numbers is
// half as long; nothing is computed in them.
#pragma once

#include <cstdint>

namespace mha {

/// The half nearest to `value`, of two as near the one whose last bit is 0. From 65520 on that is infinity; a NaN stays
/// one.
[[nodiscard]] std::uint16_t to_half(float value);

/// Exact: every half is a float.
[[nodiscard]] float from_half(std::uint16_t half);

}  // namespace mha
