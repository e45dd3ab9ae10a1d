// What is true of attention whatever the numbers: the identities of the lesson (lesson.md, claims 1 and 9) and others.
// Two passes that are equal on paper may differ by the sum of both bounds; where the arithmetic is the same, by no bit.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "comparison.hpp"
#include "mha/attention.hpp"
#include "mha/gemm.hpp"
#include "problem.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

/// Runs `body` on random problems, several for each seed.
template <typename Body>
void for_random_problems(Body body) {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    for (int i = 0; i < 6; ++i) {
      const std::int32_t g = random.integer(1, 3);
      const Shape shape = {
          random.integer(1, 20), random.integer(1, 20), random.integer(1, 24), g * random.integer(1, 3), g,
          random.integer(1, 13)};
      const Problem p = random_problem(shape, random);
      INFO(describe(p));
      body(p, random);
    }
  }
}

Pass solve(const Problem& p) {
  Pass pass = run(p);
  REQUIRE(message(pass.outcome) == "no error");
  return pass;
}

/// Rows `order[0], order[1], …` of a row-major matrix.
std::vector<float> rows_of(std::span<const float> matrix, std::span<const int> order) {
  const std::size_t width = matrix.size() / order.size();
  std::vector<float> made;
  for (const int row : order) {
    const auto part = matrix.subspan(static_cast<std::size_t>(row) * width, width);
    made.insert(made.end(), part.begin(), part.end());
  }
  return made;
}

/// Column blocks of `width` in another order, in each of `rows` rows.
std::vector<float> blocks_of(std::span<const float> matrix, std::size_t rows, std::size_t width,
                             std::span<const int> order) {
  std::vector<float> made;
  for (std::size_t row = 0; row < rows && !matrix.empty(); ++row) {
    for (const int block : order) {
      const auto part = matrix.subspan((row * order.size() + static_cast<std::size_t>(block)) * width, width);
      made.insert(made.end(), part.begin(), part.end());
    }
  }
  return made;
}

TEST_CASE("each row of weights sums to 1, and what is masked is exactly 0", "[properties]") {
  for_random_problems([](const Problem& p, Random&) {
    const Pass pass = solve(p);
    int not_zero = 0, not_one = 0, wrong_flag = 0;
    for (std::int32_t head = 0; head < p.shape.heads; ++head) {
      for (std::int32_t i = 0; i < p.shape.tokens; ++i) {
        double sum = 0.0;
        int visible = 0;
        for (std::int32_t j = 0; j < p.shape.context; ++j) {
          const float weight = pass.at(Tensor::weights, head, i, j);
          const bool hidden =
              p.switches.hides(p.shape, i, j) ||
              (!p.mask.empty() && p.mask[static_cast<std::size_t>(i * p.shape.context + j)] == -kInfinity);
          if (hidden && !same_bits(weight, 0.0F)) ++not_zero;
          if (!hidden) ++visible;
          sum += double{weight};
        }
        if (visible > 0 ? std::abs(sum - 1.0) > gamma(p.shape.context + 2) : sum != 0.0) ++not_one;
        if (pass.at(Tensor::masked_rows, i) != (visible > 0 ? 0.0F : 1.0F)) ++wrong_flag;
      }
    }
    CHECK(not_zero == 0);
    CHECK(not_one == 0);
    CHECK(wrong_flag == 0);
  });
}

TEST_CASE("attention without positions is permutation-equivariant", "[properties]") {
  for_random_problems([](const Problem& given, Random& random) {
    Problem p = given;  // self-attention without anything that depends on a place
    p.shape.context = p.shape.tokens;
    p.context.clear();
    p.mask.clear();
    p.switches.causal = false;
    p.switches.padding = 0;
    const std::vector<int> order = random.permutation(p.shape.tokens);
    Problem moved = p;
    moved.x = rows_of(p.x, order);

    const Pass before = solve(p), after = solve(moved);
    const Reference bounds = reference_of(p);
    int beyond = 0;
    for (std::int32_t i = 0; i < p.shape.tokens; ++i) {
      const std::int32_t from = order[static_cast<std::size_t>(i)];
      for (std::int32_t column = 0; column < p.shape.model_dim; ++column) {
        const double moved_by =
            std::abs(double{after.at(Tensor::output, i, column)} - double{before.at(Tensor::output, from, column)});
        if (!(moved_by <= 2 * bounds.output.bound(from, column))) ++beyond;
      }
    }
    CHECK(beyond == 0);
    // The projections see one token at a time: not a bit may change.
    CHECK(same_bits(after[Tensor::q], rows_of(before[Tensor::q], order)));
    CHECK(same_bits(after[Tensor::v], rows_of(before[Tensor::v], order)));
  });
}

TEST_CASE("permuting heads together with the row blocks of W_O changes nothing", "[properties]") {
  for_random_problems([](const Problem& p, Random& random) {
    const Shape& s = p.shape;
    const int shared = s.heads / s.kv_heads;
    const std::vector<int> groups = random.permutation(s.kv_heads);
    std::vector<int> heads;  // a query head stays with its key/value head
    for (const int group : groups) {
      for (const int member : random.permutation(shared)) heads.push_back(group * shared + member);
    }
    const auto k = static_cast<std::size_t>(s.head_dim), d = static_cast<std::size_t>(s.model_dim);
    Problem moved = p;
    moved.w_q = blocks_of(p.w_q, d, k, heads);
    moved.b_q = blocks_of(p.b_q, 1, k, heads);
    moved.w_k = blocks_of(p.w_k, d, k, groups);
    moved.b_k = blocks_of(p.b_k, 1, k, groups);
    moved.w_v = blocks_of(p.w_v, d, k, groups);
    moved.b_v = blocks_of(p.b_v, 1, k, groups);
    moved.w_o = blocks_of(p.w_o, 1, k * d, heads);
    moved.gates = blocks_of(p.gates, 1, 1, heads);

    const Pass before = solve(p), after = solve(moved);
    const auto map = static_cast<std::size_t>(s.tokens * s.context);
    CHECK(same_bits(after[Tensor::weights], blocks_of(before[Tensor::weights], 1, map, heads)));
    CHECK(same_bits(after[Tensor::concat],
                    blocks_of(before[Tensor::concat], static_cast<std::size_t>(s.tokens), k, heads)));
    // The output adds the same products in another order.
    CHECK(beyond_bound(after, Tensor::output, reference_of(p).output, kBoundOnly) == "");
  });
}

TEST_CASE("one wide projection is h narrow ones side by side, bit for bit", "[properties]") {
  for_random_problems([](const Problem& p, Random&) {
    const Shape& s = p.shape;
    const Pass pass = solve(p);
    for (std::int32_t head = 0; head < s.heads; ++head) {
      Guarded panels(packed_size(s.model_dim, s.head_dim));
      pack({p.w_q.data() + head * s.head_dim, s.q_width()}, s.model_dim, s.head_dim, panels.data());
      Guarded narrow(static_cast<std::size_t>(s.tokens * s.head_dim));
      gemm(s.tokens, s.head_dim, s.model_dim, p.x.data(), s.model_dim, panels.data(),
           p.b_q.empty() ? nullptr : p.b_q.data() + head * s.head_dim, narrow.data(), s.head_dim);
      int different = 0;
      for (std::int32_t i = 0; i < s.tokens; ++i) {
        for (std::int32_t c = 0; c < s.head_dim; ++c) {
          const float alone = narrow.span()[static_cast<std::size_t>(i * s.head_dim + c)];
          if (!same_bits(alone, pass.at(Tensor::q_heads, head, i, c))) ++different;
        }
      }
      CHECK(different == 0);
    }
  });
}

TEST_CASE("concat · W_O is the sum of the heads' contributions and b_o", "[properties]") {
  for_random_problems([](const Problem& p, Random&) {
    const Shape& s = p.shape;
    Attention attention;
    REQUIRE(attention.load(s, p.parameters()).ok());
    const Pass pass = run(attention, p);
    REQUIRE(pass.outcome.ok());
    const std::size_t size = floats(Tensor::output, s);
    Guarded parts(static_cast<std::size_t>(s.heads) * size);
    REQUIRE(attention.contributions(s, pass[Tensor::concat], 0, s.heads, parts.span()).ok());
    const Reference want = reference_of(p);
    int beyond = 0;
    for (std::int32_t i = 0; i < s.tokens; ++i) {
      for (std::int32_t column = 0; column < s.model_dim; ++column) {
        double sum = p.b_o.empty() ? 0.0 : double{p.b_o[static_cast<std::size_t>(column)]};
        double bound = want.output.bound(i, column);
        for (std::int32_t head = 0; head < s.heads; ++head) {
          const std::size_t place =
              static_cast<std::size_t>(head) * size + static_cast<std::size_t>(i * s.model_dim + column);
          sum += double{parts.span()[place]};
          bound += want.contributions[static_cast<std::size_t>(head)].bound(i, column);
        }
        if (!(std::abs(double{pass.at(Tensor::output, i, column)} - sum) <= bound)) ++beyond;
      }
    }
    CHECK(beyond == 0);
  });
}

TEST_CASE("a causal row does not depend on later tokens, not in one bit", "[properties]") {
  for_random_problems([](const Problem& given, Random& random) {
    Problem p = given;
    p.shape.context = p.shape.tokens;
    p.context.clear();
    p.mask.clear();
    p.switches.causal = true;
    p.switches.padding = 0;
    const Pass whole = solve(p);
    const std::int32_t kept = random.integer(1, p.shape.tokens);
    const auto rows = static_cast<std::size_t>(kept);
    const auto d = static_cast<std::size_t>(p.shape.model_dim), hk = static_cast<std::size_t>(p.shape.q_width());
    CAPTURE(kept);

    Problem other = p;  // other words after the first `kept`
    for (std::size_t i = rows * d; i < other.x.size(); ++i) other.x[i] = random.number(3.0F);
    Problem cut = p;  // no words after the first `kept`
    cut.shape.tokens = cut.shape.context = kept;
    cut.x.resize(rows * d);
    for (const Problem* variant : {&other, &cut}) {
      const Pass pass = solve(*variant);
      CHECK(same_bits(pass[Tensor::output].first(rows * d), whole[Tensor::output].first(rows * d)));
      CHECK(same_bits(pass[Tensor::concat].first(rows * hk), whole[Tensor::concat].first(rows * hk)));
    }
  });
}

TEST_CASE("padding hides exactly the last keys: the same as a shorter context", "[properties]") {
  for_random_problems([](const Problem& given, Random& random) {
    Problem p = given;
    if (p.context.empty()) p.context = p.x;
    p.mask.clear();
    p.switches.padding = random.integer(0, p.shape.context - 1);
    Problem cut = p;
    cut.switches.padding = 0;
    cut.shape.context -= p.switches.padding;
    cut.context.resize(floats(Tensor::context, cut.shape));
    CHECK(same_bits(solve(p)[Tensor::output], solve(cut)[Tensor::output]));
  });
}

TEST_CASE("a gate of 0 removes exactly that head's contribution and keeps the biases", "[properties]") {
  for_random_problems([](const Problem& given, Random& random) {
    Problem p = given;
    const Shape& s = p.shape;
    p.b_o = numbers_for(Tensor::b_o, s, random);
    p.b_v = numbers_for(Tensor::b_v, s, random);
    p.gates.clear();
    const Pass all = solve(p);
    const Reference want = reference_of(p);
    const std::int32_t off = random.integer(0, s.heads - 1);
    CAPTURE(off);
    Problem gated = p;
    gated.gates.assign(static_cast<std::size_t>(s.heads), 1.0F);
    CHECK(different_bits(solve(gated), all) == "");  // gates of 1 are no gates
    gated.gates[static_cast<std::size_t>(off)] = 0.0F;
    const Pass without = solve(gated);
    CHECK(same_bits(without[Tensor::weights], all[Tensor::weights]));

    int changed = 0, left = 0, beyond = 0;
    for (std::int32_t i = 0; i < s.tokens; ++i) {
      for (std::int32_t c = 0; c < s.q_width(); ++c) {
        const float now = without.at(Tensor::concat, i, c);
        if (c / s.head_dim == off ? now != 0.0F : !same_bits(now, all.at(Tensor::concat, i, c))) ++changed;
      }
      for (std::int32_t column = 0; column < s.model_dim; ++column) {
        const auto& part = want.contributions[static_cast<std::size_t>(off)];
        const double expected = want.output.value(i, column) - part.value(i, column);
        const double bound = want.output.bound(i, column) + part.bound(i, column);
        if (!(std::abs(double{without.at(Tensor::output, i, column)} - expected) <= bound)) ++beyond;
      }
    }
    CHECK(changed == 0);
    CHECK(beyond == 0);

    gated.gates.assign(static_cast<std::size_t>(s.heads), 0.0F);
    const Pass none = solve(gated);
    for (std::int32_t i = 0; i < s.tokens; ++i) {
      for (std::int32_t column = 0; column < s.model_dim; ++column) {
        if (none.at(Tensor::output, i, column) != p.b_o[static_cast<std::size_t>(column)]) ++left;
      }
    }
    CHECK(left == 0);
  });
}

}  // namespace
}  // namespace mha::test
