// The fast backward pass against the reference, and what is true of gradients whatever the numbers.
#include "mha/attention_gradient.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "gradients.hpp"
#include "problem.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

std::vector<float> d_output_for(const Shape& shape, Random& random) {
  return random.numbers(floats(Tensor::output, shape));
}

/// A forward and a backward pass that succeed.
Solved solve(const Problem& p, std::span<const float> d_output) {
  Solved solved = solve_gradient(p, d_output);
  REQUIRE(message(solved.pass.outcome) == "no error");
  REQUIRE(message(solved.outcome) == "no error");
  return solved;
}

bool all_zero(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return value == 0.0F; });
}

/// Columns of a row-major matrix of rows of `width`.
std::vector<float> columns_of(std::span<const float> matrix, std::size_t width, std::size_t first, std::size_t count) {
  std::vector<float> made;
  for (std::size_t row = 0; row < matrix.size(); row += width) {
    made.insert(made.end(), matrix.begin() + static_cast<std::ptrdiff_t>(row + first),
                matrix.begin() + static_cast<std::ptrdiff_t>(row + first + count));
  }
  return made;
}

/// Puts `columns` where columns_of() would take them.
void put_columns(std::vector<float>& matrix, std::size_t width, std::size_t first, const std::vector<float>& columns) {
  const std::size_t count = columns.size() / (matrix.size() / width);
  for (std::size_t row = 0; row * width < matrix.size(); ++row) {
    std::copy_n(columns.begin() + static_cast<std::ptrdiff_t>(row * count), count,
                matrix.begin() + static_cast<std::ptrdiff_t>(row * width + first));
  }
}

/// What belongs to head i alone: its columns of W_Q, W_K, W_V and the biases, its rows of W_O (that is columns, too, if
/// all rows of one head are one row), its gate. Without grouped heads.
std::vector<std::vector<float>> of_head(const GradientBlocks& g, const Shape& s, std::int32_t head) {
  const auto k = static_cast<std::size_t>(s.head_dim), hk = static_cast<std::size_t>(s.q_width());
  const auto i = static_cast<std::size_t>(head), d = static_cast<std::size_t>(s.model_dim);
  std::vector<std::vector<float>> made;
  for (const Tensor tensor : {Tensor::w_q, Tensor::w_k, Tensor::w_v, Tensor::b_q, Tensor::b_k, Tensor::b_v}) {
    made.push_back(columns_of(g[tensor], hk, i * k, k));
  }
  made.push_back(columns_of(g[Tensor::w_o], hk * d, i * k * d, k * d));
  made.push_back(columns_of(g.gates(), static_cast<std::size_t>(s.heads), i, 1));
  return made;
}

/// Head `from`'s parameters become head `to`'s, too.
void clone_head(Problem& p, std::int32_t from, std::int32_t to) {
  const auto k = static_cast<std::size_t>(p.shape.head_dim), hk = static_cast<std::size_t>(p.shape.q_width());
  const auto d = static_cast<std::size_t>(p.shape.model_dim);
  const auto copy = [&](std::vector<float>& matrix, std::size_t width, std::size_t block) {
    if (matrix.empty()) return;
    put_columns(matrix, width, static_cast<std::size_t>(to) * block,
                columns_of(matrix, width, static_cast<std::size_t>(from) * block, block));
  };
  for (auto* matrix : {&p.w_q, &p.w_k, &p.w_v, &p.b_q, &p.b_k, &p.b_v}) copy(*matrix, hk, k);
  copy(p.w_o, hk * d, k * d);
  copy(p.gates, static_cast<std::size_t>(p.shape.heads), 1);
}

TEST_CASE("gradients are within their bounds, for every n and any head_dim, with every option", "[gradient]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    for (std::int32_t n = 1; n <= 33; ++n) {
      const std::int32_t g = random.integer(1, 3);
      const Shape shape = {n,
                           random.one_in(2) ? n : random.integer(1, 33),
                           random.integer(1, 40),
                           g * random.integer(1, 3),
                           g,
                           random.integer(1, 19)};
      const Problem p = random_problem(shape, random);
      INFO(describe(p));
      const std::vector<float> d_output = d_output_for(shape, random);
      const Detail detail = random.one_in(2) ? Detail::core : Detail::full;
      const Solved solved = solve_gradient(p, d_output, detail, static_cast<std::size_t>(n));
      REQUIRE(message(solved.outcome) == "no error");
      CHECK(solved.gradients.intact());
      // From the very floats of the trace: bounds of the backward pass alone.
      CHECK(beyond_bound(solved.gradients, gradient_reference_of(p, as_reference(solved.pass, shape), d_output)) == "");
      // From double: with all that the forward pass may have lost.
      CHECK(beyond_bound(solved.gradients, gradient_reference_of(p, reference_of(p), d_output)) == "");
    }
  }
}

TEST_CASE("a row that sees no key has no gradient but by the output's bias", "[gradient]") {
  Random random(Catch::getSeed());
  for (const std::int32_t padding : {0, 9}) {
    Problem p = plain_problem({6, 9, 10, 4, 2, 3}, random);
    add_biases(p, random);
    p.switches.padding = padding;
    p.mask.assign(54, 0.0F);
    std::fill_n(p.mask.begin() + 2 * 9, 9, -kInfinity);
    std::vector<float> d_output = d_output_for(p.shape, random);
    const Solved solved = solve(p, d_output);
    const auto row = solved.gradients[Tensor::x].subspan(20, 10);
    CHECK(all_zero(row));
    if (padding == 9) {
      for (const Tensor tensor : kGradients) CHECK(all_zero(solved.gradients[tensor]) == (tensor != Tensor::b_o));
      CHECK(all_zero(solved.gradients.gates()));
    }
    // What comes from that row alone.
    std::fill(d_output.begin(), d_output.begin() + 20, 0.0F);
    std::fill(d_output.begin() + 30, d_output.end(), 0.0F);
    const Solved alone = solve(p, d_output);
    for (const Tensor tensor : kGradients) CHECK(all_zero(alone.gradients[tensor]) == (tensor != Tensor::b_o));
  }
}

TEST_CASE("the gradient by a gate does not depend on that gate, and is right at 0", "[gradient]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    Problem p = random_problem({random.integer(1, 20), random.integer(1, 20), 12, 4, 2, 5}, random);
    INFO(describe(p));
    const std::vector<float> d_output = d_output_for(p.shape, random);
    p.gates = {1.0F, 1.0F, 1.0F, 1.0F};
    const Solved open = solve(p, d_output);
    const Matrix d_heads = as_matrix(d_output, p.shape.tokens, 12) * as_matrix(p.w_o, 20, 12).transpose();
    const Matrix magnitudes =
        as_matrix(d_output, p.shape.tokens, 12).cwiseAbs() * as_matrix(p.w_o, 20, 12).cwiseAbs().transpose();
    const Matrix outputs = as_matrix(open.pass[Tensor::concat], p.shape.tokens, 20);
    Matrix values = as_matrix(open.pass[Tensor::v], p.shape.context, 10);
    for (std::int32_t head = 0; head < 4; ++head) {
      // ∂L/∂ξ_i = Σ Z_i ⊙ dZ_i at ξ = 1. Both ways to it lose a few times γ of the sum of magnitudes, where each Z_i is
      // at most the largest |V| of its column.
      const double want = outputs.middleCols(head * 5, 5).cwiseProduct(d_heads.middleCols(head * 5, 5)).sum();
      const Matrix largest = values.middleCols(head / 2 * 5, 5).cwiseAbs().colwise().maxCoeff();
      const double sum = (magnitudes.middleCols(head * 5, 5) * largest.transpose()).sum();
      CHECK(std::abs(open.gradients.gates()[static_cast<std::size_t>(head)] - want) <= gamma(120) * sum);
    }
    for (const float gate : {0.0F, -2.5F}) {
      p.gates = {gate, 1.0F, 1.0F, gate};
      const Solved changed = solve(p, d_output);
      CHECK(same_bits(changed.gradients.gates(), open.gradients.gates()));
    }
  }
}

TEST_CASE("a number added to all scores of a row changes nothing: no gradient by the keys' bias", "[gradient]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 10; ++round) {
    Problem p = random_problem({random.integer(1, 20), random.integer(1, 20), 8, 4, 2, 3}, random);
    INFO(describe(p));
    const std::vector<float> d_output = d_output_for(p.shape, random);
    const GradientReference want = gradient_reference_of(p, reference_of(p), d_output);
    CHECK(largest(want.b_k.value) <= 1e-13 * std::max(1.0, largest(want.b_v.value)) * p.shape.tokens);
    const Solved solved = solve(p, d_output);
    const GradientReference near = gradient_reference_of(p, as_reference(solved.pass, p.shape), d_output);
    const auto b_k = solved.gradients[Tensor::b_k];
    for (std::size_t i = 0; i < b_k.size(); ++i) {
      const double slack = std::abs(near.b_k.value.data()[i]);  // float weights do not quite add up to 1
      CHECK(std::abs(b_k[i]) <= near.b_k.bound.data()[i] + slack);
    }
  }
}

TEST_CASE("cloned heads stay clones: their gradients are the same bit for bit", "[gradient]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    Problem p = random_problem({random.integer(1, 33), random.integer(1, 33), 24, 4, 4, 6}, random);
    p.mask.clear();  // or every head may be blind, and all alike
    p.switches.padding = 0;
    clone_head(p, 0, 2);
    clone_head(p, 0, 3);
    INFO(describe(p));
    const Solved solved = solve(p, d_output_for(p.shape, random));
    const auto first = of_head(solved.gradients, p.shape, 0);
    const auto is_first = [&](std::int32_t head) { return of_head(solved.gradients, p.shape, head) == first; };
    CHECK(is_first(2));
    CHECK(is_first(3));
    CHECK_FALSE(is_first(1));
  }
}

TEST_CASE("heads in another order have their gradients in another order", "[gradient]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    const Problem p = random_problem({random.integer(2, 20), random.integer(2, 20), 13, 4, 4, 5}, random);
    const std::vector<float> d_output = d_output_for(p.shape, random);
    const std::vector<int> order = random.permutation(4);
    Problem mixed = p;
    // Blocks are taken from p and put where the order says, one head after another, through a problem of both.
    for (std::int32_t head = 0; head < 4; ++head) {
      const auto from = static_cast<std::size_t>(order[static_cast<std::size_t>(head)]);
      const auto to = static_cast<std::size_t>(head);
      const auto move = [&](std::vector<float> Problem::* matrix, std::size_t width, std::size_t block) {
        if ((p.*matrix).empty()) return;
        put_columns(mixed.*matrix, width, to * block, columns_of(p.*matrix, width, from * block, block));
      };
      for (auto matrix : {&Problem::w_q, &Problem::w_k, &Problem::w_v, &Problem::b_q, &Problem::b_k, &Problem::b_v}) {
        move(matrix, 20, 5);
      }
      move(&Problem::w_o, 20 * 13, 5 * 13);
      move(&Problem::gates, 4, 1);
    }
    INFO(describe(p));
    const Solved a = solve(p, d_output), b = solve(mixed, d_output);
    for (std::int32_t head = 0; head < 4; ++head) {
      const std::int32_t was = order[static_cast<std::size_t>(head)];
      const bool same = of_head(b.gradients, p.shape, head) == of_head(a.gradients, p.shape, was);
      CHECK(same);
    }
  }
}

TEST_CASE("a gradient is the same whichever others are wanted", "[gradient]") {
  Random random(Catch::getSeed());
  for (const bool cross : {false, true}) {
    const Problem p = plain_problem({7, cross ? 5 : 7, 10, 4, 2, 3}, random);
    const std::vector<float> d_output = d_output_for(p.shape, random);
    Solved all = solve(p, d_output);
    AttentionGradient gradient;
    REQUIRE(gradient.load(p.shape, p.parameters()).ok());
    const auto backward = [&](const Gradients& wanted) {
      const Outcome outcome =
          gradient.backward(p.shape, p.input(), {}, Detail::core, all.pass.trace.span(), d_output, wanted);
      return message(outcome);
    };
    CHECK(backward({}) == "no error");
    using Member = std::span<float> Gradients::*;
    for (const Member member :
         {&Gradients::x, &Gradients::context, &Gradients::w_q, &Gradients::w_k, &Gradients::w_v, &Gradients::w_o,
          &Gradients::b_q, &Gradients::b_k, &Gradients::b_v, &Gradients::b_o, &Gradients::head_gate}) {
      GradientBlocks blocks(p.shape, cross);
      Gradients one;
      one.*member = blocks.spans().*member;
      CHECK(backward(one) == "no error");
      CHECK(same_bits(one.*member, all.gradients.spans().*member));
      CHECK(blocks.intact());
    }
  }
}

TEST_CASE("what a backward pass may not be given", "[gradient]") {
  Random random(Catch::getSeed());
  const Problem p = plain_problem({4, 4, 6, 2, 2, 3}, random);
  std::vector<float> d_output = d_output_for(p.shape, random);
  const Pass pass = run(p, Detail::core);
  GradientBlocks blocks(p.shape, false);
  AttentionGradient gradient;
  std::vector<float> room(100);
  const auto backward = [&](const Gradients& wanted, std::span<const float> d_y) {
    return gradient.backward(p.shape, p.input(), {}, Detail::core, pass.trace.span(), d_y, wanted);
  };
  CHECK(backward(blocks.spans(), d_output).status == Status::not_loaded);
  REQUIRE(gradient.load(p.shape, p.parameters()).ok());
  CHECK(backward(blocks.spans(), d_output).ok());

  const Outcome d_y_size = backward(blocks.spans(), std::span(d_output).first(20));
  CHECK(d_y_size.status == Status::wrong_size);
  CHECK(d_y_size.tensor == Tensor::output);
  Gradients wrong = blocks.spans();
  wrong.w_k = std::span(room).first(35);
  CHECK(backward(wrong, d_output).tensor == Tensor::w_k);
  wrong = blocks.spans();
  wrong.context = std::span(room).first(24);
  CHECK(backward(wrong, d_output).tensor == Tensor::context);
  wrong = blocks.spans();
  wrong.head_gate = std::span(room).first(3);
  CHECK(backward(wrong, d_output).status == Status::bad_gate);
  CHECK(gradient.backward(p.shape, p.input(), {}, Detail::full, pass.trace.span(), d_output, {}).status ==
        Status::wrong_size);

  std::vector<float> bad = d_output;
  bad[7] = kNan;
  const Outcome nan = backward(blocks.spans(), bad);
  CHECK(nan.status == Status::not_finite);
  CHECK(nan.index == std::array<std::int32_t, 3>{1, 1, -1});
  for (float& value : bad) value = 3e38F;
  CHECK(backward(blocks.spans(), bad).status == Status::overflow);

  std::vector<float> w_q = p.w_q;
  w_q[3] = kInfinity;
  Parameters parameters = p.parameters();
  parameters.w_q = w_q;
  CHECK(gradient.load(p.shape, parameters).status == Status::not_finite);
  CHECK_FALSE(gradient.fits(p.shape));
}

}  // namespace
}  // namespace mha::test
