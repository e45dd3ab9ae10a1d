// How much of a row of the output each head made.
#pragma once

#include <cstdint>
#include <span>

#include "mha/explanation.hpp"
#include "mha/status.hpp"

namespace mha {

/// What is left of a row's shares beside those of the heads.
struct RowShares {
  double bias = 0;  ///< the share of b_o; 0 if there is none
  double norm = 0;  ///< ‖Y[row]‖. 0: the row is zeros, it has no direction, and all shares are 0
};

/// shares[i] = C_i[row] · Y[row] / ‖Y[row]‖: how far the contribution of head i goes in the direction of the row, [h].
/// Signed: a head may pull against the sum. They and the bias add up to the norm, since the C_i and b_o add up to Y.
/// All in double, over the heads and w_o of the evidence; Y too, so that the sum holds to double precision.
/// Errors: as explain(); wrong_size also for shares; no_such_cell: the row is outside.
[[nodiscard]] Outcome row_shares(const Evidence& evidence, std::int32_t row, RowShares& whole,
                                 std::span<double> shares);

}  // namespace mha
