// How fast this machine multiplies and adds at best: what every rate is measured against.
#pragma once

#include <cstdint>

namespace mha {

/// Does `rounds` rounds of multiply-adds on registers alone, in independent chains: nothing is loaded or stored, so
/// that nothing but the arithmetic units can be the limit. Returns the floating-point operations done, 2 per lane and
/// multiply-add, or 0 if rounds < 1.
[[nodiscard]] double multiply_add_peak(std::int32_t rounds);

}  // namespace mha
