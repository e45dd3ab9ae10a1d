// Tokens → X: a vector for what a token is, plus one for where it stands.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "mha/shape.hpp"

namespace mha {

/// The seeded vector of a token: uniform within ±√3 (mean 0, variance 1). Depends on the text and the seed only, so the
/// same word has the same vector in every sentence, and a shorter vector is the beginning of a longer one.
void token_vector(std::string_view text, std::uint32_t seed, std::span<float> out);

/// Sinusoidal position (Vaswani et al. 2017, §3.5): PE[2i] = sin(p/10000^(2i/d)), PE[2i+1] = cos of the same. d =
/// out.size().
void sinusoidal_position(std::int32_t position, std::span<float> out);

/// x = token_vectors + positions, element by element; all three [n, d].
void add_positions(std::span<const float> token_vectors, std::span<const float> positions, std::span<float> x);

}  // namespace mha
