#include "mha/peak.hpp"

#include <array>

#include "mha/simd.hpp"

namespace mha {
namespace {

/// Chains that do not wait for each other. A multiply-add takes four cycles and two may start in each, so eight would
/// do on most machines; more than these do not fit into sixteen registers beside the factors.
constexpr std::size_t kChains = kFusedMulAdd ? 12 : 8;
constexpr std::size_t kKept = 4;
constexpr std::size_t kFetched = 2;

/// Factors: some stay in registers; others are fetched for every step, from a place that depends on it.
struct Factors {
  std::array<Lanes, kKept> kept;
  std::array<Lanes, kFetched * 16> stored;

  const Lanes* at(std::int32_t round) const { return stored.data() + static_cast<std::size_t>(round % 16) * kFetched; }
};

void step(std::array<Lanes, kChains>& chains, const Factors& f, std::int32_t round) {
  if constexpr (kFusedMulAdd) {
    for (Lanes& x : chains) x = mul_add(f.kept[0], f.kept[1], x);
  } else {
    // Only the additions are a chain: a multiplication in it would be waited for, too. No two products of a step are
    // the same, and none is that of the step before: the compiler would multiply once and for all.
    const Lanes* const fetched = f.at(round);
    for (std::size_t i = 0; i < kChains; ++i) chains[i] = mul_add(fetched[i / kKept], f.kept[i % kKept], chains[i]);
  }
}

}  // namespace

MHA_KERNELS_BEGIN

double multiply_add_peak(std::int32_t rounds) {
  if (rounds < 1) return 0;
  // Volatile: the compiler must not know them.
  volatile float known = 0.75F;
  Factors factors;
  for (Lanes& factor : factors.kept) factor = Lanes(known);
  for (Lanes& factor : factors.stored) factor = Lanes(-known);
  std::array<Lanes, kChains> chains;
  chains.fill(Lanes(1.0F));
  // Not unrolled: compilers would write each chain down in one piece, and the processor wait for its end.
  for (std::int32_t round = 0; round < rounds; ++round) step(chains, factors, round);

  Lanes sum(0.0F);
  for (const Lanes& x : chains) sum += x;
  volatile float kept = xsimd::reduce_add(sum);
  static_cast<void>(kept);
  return 2.0 * kLanes * static_cast<double>(kChains) * rounds;
}

MHA_KERNELS_END

}  // namespace mha
