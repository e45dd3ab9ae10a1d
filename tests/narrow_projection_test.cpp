// One wide product against a narrow one per head: the count must be true, whatever it is.
#include "lab/narrow_projection.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "explanation_problem.hpp"
#include "problem.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

constexpr Tensor kRoles[] = {Tensor::q, Tensor::k, Tensor::v};

Comparison narrow(const Evidence& evidence, Tensor role) {
  Comparison found;
  REQUIRE(narrow_projection(evidence, role, found).ok());
  return found;
}

TEST_CASE("narrow projections are the wide one, whatever the width of a head", "[narrow]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    for (const int k : {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 33, 64}) {
      const int g = random.integer(1, 3);
      const int n = random.pick({1, 2, 3, 5, 8, 11, 33});
      Problem p = plain_problem(
          {n, random.one_in(2) ? n : random.integer(1, 9), random.integer(1, 40), g * random.integer(1, 3), g, k},
          random);
      if (random.one_in(2)) add_biases(p, random);
      const Solved solved(p, Detail::core, random);
      CAPTURE(seed, describe(p));
      for (const Tensor role : kRoles) {
        const Comparison found = narrow(solved.evidence(), role);
        CHECK(found.numbers == element_count(role, p.shape));
        CHECK(found.differing == 0);
        CHECK(found.largest == 0.0);
      }
    }
  }
}

TEST_CASE("what differs is counted, and how much", "[narrow]") {
  Random random(Catch::getSeed());
  for (const Solved& solved : problems(random)) {
    for (const Tensor role : kRoles) {
      std::vector<float> trace = solved.trace;
      Evidence spoilt = solved.evidence();
      spoilt.trace = trace;
      const std::span<float> wide = solved.trace_layout.span(role, std::span(trace));
      wide.front() = std::nextafter(wide.front(), 9.0F);
      const double step = std::abs(double{wide.front()} - solved.at({role, {0, 0, 0}}));
      CHECK(narrow(spoilt, role).differing == 1);
      CHECK(narrow(spoilt, role).largest == step);
      wide.back() += 0.5F;
      CHECK(narrow(spoilt, role).differing == (wide.size() > 1 ? 2 : 1));
      CHECK(std::abs(narrow(spoilt, role).largest - 0.5) <= 1e-6);
      for (const Tensor other : kRoles) {
        if (other != role) CHECK(narrow(spoilt, other).differing == 0);
      }
    }
  }
}

TEST_CASE("only projections are compared", "[narrow]") {
  Random random(1);
  const Solved solved = std::move(problems(random)[0]);
  Comparison found;
  for (const Tensor other : {Tensor::x, Tensor::q_heads, Tensor::output, Tensor::count, static_cast<Tensor>(-1)}) {
    CHECK(narrow_projection(solved.evidence(), other, found).status == Status::no_such_cell);
  }
  Evidence bad = solved.evidence();
  bad.parameters = {};
  CHECK(narrow_projection(bad, Tensor::q, found).status == Status::wrong_size);
  bad = solved.evidence();
  bad.shape.head_dim = 0;
  CHECK(narrow_projection(bad, Tensor::q, found).status == Status::head_dim_out_of_range);
}

}  // namespace
}  // namespace mha::test
