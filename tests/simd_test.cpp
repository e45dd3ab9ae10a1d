// The architecture that runs is the one this build was made for.
#include "mha/simd.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <string>

#include "support.hpp"

#if !defined(MHA_EXPECTED_ARCH) || !defined(MHA_EXPECTED_RELAXED)
#error "CMake must say which architecture it builds for: without that this test could not fail"
#endif

namespace mha::test {
namespace {

/// What CMake builds for, and the wider one where there are both builds of the kernels and the machine has it.
std::string expected_arch() {
#if defined(MHA_EXPECTED_WIDER_ARCH)
  const bool wider = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (wider && std::getenv("MHA_BASELINE") == nullptr) return MHA_EXPECTED_WIDER_ARCH;
#endif
  return MHA_EXPECTED_ARCH;
}

TEST_CASE("the core computes on the architecture that was built for", "[simd]") {
  CHECK(std::string(simd_arch()) == expected_arch());
  CHECK(simd_relaxed() == (MHA_EXPECTED_RELAXED != 0));
#if defined(__wasm_simd128__) && !defined(MHA_SCALAR)
  CHECK(std::string(simd_arch()) == "wasm");
  CHECK(kLanes == 4);
#endif
#if defined(MHA_SCALAR)
  CHECK(std::string(simd_arch()).starts_with("emulated"));
#endif
}

std::array<float, kLanes> lanes(Lanes values) {
  std::array<float, kLanes> stored;
  values.store_unaligned(stored.data());
  return stored;
}

TEST_CASE("mul_add works lane by lane", "[simd]") {
  std::array<float, kLanes> a, b, c;
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i) + 1.0F;
    b[i] = static_cast<float>(i) * 0.5F - 3.0F;
    c[i] = 100.0F * static_cast<float>(i);
  }
  const auto sums =
      lanes(mul_add(Lanes::load_unaligned(a.data()), Lanes::load_unaligned(b.data()), Lanes::load_unaligned(c.data())));
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(sums[i] == a[i] * b[i] + c[i]);  // all exact
}

TEST_CASE("mul_add rounds the product unless the build is relaxed, where it may or may not", "[simd]") {
  // a² = 1 + 2⁻¹¹ + 2⁻²⁴, a tie that rounds to 1 + 2⁻¹¹: a fused operation keeps the 2⁻²⁴.
  const float a = 1.0F + 0x1p-12F;
  for (const float rest : lanes(mul_add(Lanes(a), Lanes(a), Lanes(-1.0F - 0x1p-11F)))) {
    CAPTURE(rest);
    CHECK((rest == 0.0F || (simd_relaxed() && rest == 0x1p-24F)));
  }
}

}  // namespace
}  // namespace mha::test
