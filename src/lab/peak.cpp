#include "lab/peak.hpp"

#include <array>

#include "mha/simd.hpp"

namespace mha {
namespace {

/// Factors that change places in each step.
struct Factors {
  Lanes a, b, c;

  void rotate() {
    const Lanes first = a;
    a = b;
    b = c;
    c = first;
  }
};

/// Chains that do not wait for each other. A multiply-add takes four cycles and two may start in each, so eight would
/// do on most machines; more than these do not fit into sixteen registers beside the factors.
constexpr std::size_t kChains = kFusedMulAdd ? 12 : 9;

void step(std::array<Lanes, kChains>& chains, Factors& f) {
  if constexpr (kFusedMulAdd) {
    for (Lanes& x : chains) x = mul_add(f.a, f.b, x);
  } else {
    // A multiplication and an addition in one chain would wait for each other, so only the additions are a chain. And
    // the compiler must take the factors for ever new ones: it would multiply once and for all.
    const std::array<const Lanes*, 3> factors = {&f.a, &f.b, &f.c};
    for (std::size_t i = 0; i < kChains; ++i) chains[i] = mul_add(*factors[i % 3], *factors[i / 3], chains[i]);
    f.rotate();
  }
}

}  // namespace

double multiply_add_peak(std::int32_t rounds) {
  if (rounds < 1) return 0;
  // Volatile: the compiler must not know them.
  volatile float known[3] = {0.75F, 0.25F, -0.5F};
  Factors factors = {Lanes(known[0]), Lanes(known[1]), Lanes(known[2])};
  std::array<Lanes, kChains> chains;
  chains.fill(Lanes(1.0F));
  // Not unrolled: compilers would write each chain down in one piece, and the processor wait for its end.
  for (std::int32_t round = 0; round < rounds; ++round) step(chains, factors);

  Lanes sum(0.0F);
  for (const Lanes& x : chains) sum += x;
  volatile float kept = xsimd::reduce_add(sum);
  static_cast<void>(kept);
  return 2.0 * kLanes * static_cast<double>(kChains) * rounds;
}

}  // namespace mha
