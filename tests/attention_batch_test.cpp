// Many sequences at once against each of them alone, and against one problem whose mask keeps them apart.
#include "mha/attention_batch.hpp"

#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "gradients.hpp"
#include "problem.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

/// A batch as one problem of all rows, whose mask hides every other sequence.
struct BatchProblem {
  std::vector<std::int32_t> lengths;
  Problem all;
  std::vector<float> d_output;
};

BatchProblem random_batch(Random& random, std::size_t sequences, std::int32_t longest = 14) {
  BatchProblem made;
  for (std::size_t s = 0; s < sequences; ++s) made.lengths.push_back(random.integer(1, longest));
  const std::int32_t rows = std::accumulate(made.lengths.begin(), made.lengths.end(), 0);
  const std::int32_t g = random.integer(1, 3);
  Problem& p = made.all;
  p = plain_problem({rows, rows, random.integer(1, 24), g * random.integer(1, 3), g, random.integer(1, 9)}, random);
  if (random.one_in(2)) add_biases(p, random);
  if (random.one_in(2)) p.gates = random_gates(p.shape, random);
  p.switches.causal = random.one_in(2);
  if (random.one_in(3)) {
    p.switches.scale = Options::Scale::given;
    p.switches.scale_value = random.number();
  }
  const auto all = static_cast<std::size_t>(rows);
  p.mask.assign(all * all, -kInfinity);
  std::size_t first = 0;
  for (const std::int32_t length : made.lengths) {
    const auto n = static_cast<std::size_t>(length);
    for (std::size_t i = first; i < first + n; ++i) {
      std::fill_n(p.mask.begin() + static_cast<std::ptrdiff_t>(i * all + first), n, 0.0F);
    }
    first += n;
  }
  made.d_output = random.numbers(floats(Tensor::output, p.shape));
  return made;
}

/// Rows first … first + count − 1 of a matrix with `rows` rows.
std::vector<float> rows_of(std::span<const float> matrix, std::int32_t rows, std::int32_t first, std::int32_t count) {
  const std::size_t width = matrix.size() / static_cast<std::size_t>(rows);
  const auto part = matrix.subspan(static_cast<std::size_t>(first) * width, static_cast<std::size_t>(count) * width);
  return {part.begin(), part.end()};
}

/// One sequence of a batch on its own.
Problem alone(const BatchProblem& batch, std::int32_t first, std::int32_t n) {
  Problem p = batch.all;
  p.shape.tokens = p.shape.context = n;
  p.x = rows_of(batch.all.x, batch.all.shape.tokens, first, n);
  p.mask.clear();
  return p;
}

/// What a batch computed, as the trace that the whole problem would have.
Reference as_reference(const AttentionBatch& batch, const BatchProblem& given) {
  const auto [r, c, d, h, g, k] = given.all.shape;
  const auto exact = [](Matrix value) {
    Matrix bound = Matrix::Zero(value.rows(), value.cols());
    return Bounded{std::move(value), std::move(bound)};
  };
  Reference made;
  made.q = exact(as_matrix(batch.q(), r, h * k));
  made.k = exact(as_matrix(batch.k(), r, g * k));
  made.v = exact(as_matrix(batch.v(), r, g * k));
  made.concat = exact(as_matrix(batch.concat(), r, h * k));
  for (std::int32_t head = 0; head < h; ++head) {
    Matrix weights = Matrix::Zero(r, r);
    std::int32_t first = 0;
    for (std::size_t s = 0; s < given.lengths.size(); first += given.lengths[s], ++s) {
      const std::int32_t n = given.lengths[s];
      weights.block(first, first, n, n) = as_matrix(batch.weights(s, head), n, n);
    }
    made.weights.push_back(exact(weights));
  }
  return made;
}

TEST_CASE("a batch computes what each sequence gets alone, bit for bit", "[gradient][train]") {
  AttentionBatch batch;  // one for all, so that it is used again with other sizes
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    for (int round = 0; round < 6; ++round) {
      const BatchProblem given = random_batch(random, static_cast<std::size_t>(random.integer(1, 8)), 33);
      INFO(describe(given.all) << ", sequences " << given.lengths.size());
      const Shape& shape = given.all.shape;
      const std::int32_t rows = shape.tokens;
      const Options options = given.all.options();
      REQUIRE(batch.load(shape, given.all.parameters()).ok());
      REQUIRE(message(batch.forward(given.lengths, given.all.x, options)) == "no error");
      GradientBlocks gradients(shape, false, given.lengths.size());
      REQUIRE(message(batch.backward(given.d_output, gradients.spans())) == "no error");
      CHECK(gradients.intact());
      CHECK(batch.sequences() == given.lengths.size());

      std::int32_t first = 0;
      for (std::size_t s = 0; s < given.lengths.size(); first += given.lengths[s], ++s) {
        const std::int32_t n = given.lengths[s];
        const Problem p = alone(given, first, n);
        const Solved single = solve_gradient(p, rows_of(given.d_output, rows, first, n));
        REQUIRE(single.outcome.ok());
        CHECK(same_bits(rows_of(batch.q(), rows, first, n), single.pass[Tensor::q]));
        CHECK(same_bits(rows_of(batch.k(), rows, first, n), single.pass[Tensor::k]));
        CHECK(same_bits(rows_of(batch.v(), rows, first, n), single.pass[Tensor::v]));
        CHECK(same_bits(rows_of(batch.concat(), rows, first, n), single.pass[Tensor::concat]));
        CHECK(same_bits(rows_of(batch.output(), rows, first, n), single.pass[Tensor::output]));
        CHECK(same_bits(rows_of(gradients[Tensor::x], rows, first, n), single.gradients[Tensor::x]));
        const auto h = static_cast<std::size_t>(shape.heads), map = static_cast<std::size_t>(n * n);
        CHECK(same_bits(gradients.gates().subspan(s * h, h), single.gradients.gates()));
        for (std::size_t head = 0; head < h; ++head) {
          CHECK(same_bits(batch.weights(s, static_cast<std::int32_t>(head)),
                          single.pass[Tensor::weights].subspan(head * map, map)));
        }
        if (given.lengths.size() == 1) {
          for (const Tensor tensor : kGradients) CHECK(same_bits(gradients[tensor], single.gradients[tensor]));
        }
      }
    }
  }
}

TEST_CASE("the gradients by parameters are sums over the batch", "[gradient][train]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    for (int round = 0; round < 3; ++round) {
      const BatchProblem given = random_batch(random, static_cast<std::size_t>(random.integer(1, 8)));
      INFO(describe(given.all) << ", sequences " << given.lengths.size());
      const Shape& shape = given.all.shape;
      const Options options = given.all.options();
      AttentionBatch batch;
      REQUIRE(batch.load(shape, given.all.parameters()).ok());
      REQUIRE(batch.forward(given.lengths, given.all.x, options).ok());
      GradientBlocks gradients(shape, false, given.lengths.size());
      REQUIRE(batch.backward(given.d_output, gradients.spans()).ok());
      for (const bool own_trace : {true, false}) {
        const Reference pass = own_trace ? as_reference(batch, given) : reference_of(given.all);
        const GradientReference want = gradient_reference_of(given.all, pass, given.d_output);
        for (const Tensor tensor : kGradients) {
          CHECK(beyond_bound(gradients[tensor], of(want, tensor), info(tensor).name) == "");
        }
        const auto h = static_cast<std::size_t>(shape.heads);
        for (std::size_t head = 0; head < h; ++head) {
          double sum = 0.0;
          for (std::size_t s = 0; s < given.lengths.size(); ++s) sum += double{gradients.gates()[s * h + head]};
          const auto column = static_cast<Eigen::Index>(head);
          CHECK(std::abs(sum - want.head_gate.value(0, column)) <= want.head_gate.bound(0, column));
        }
      }
    }
  }
}

TEST_CASE("what a batch may not be given", "[gradient][train]") {
  Random random(Catch::getSeed());
  BatchProblem given = random_batch(random, 3);
  given.all.gates.clear();
  const Shape& shape = given.all.shape;
  AttentionBatch batch;
  CHECK(batch.forward(given.lengths, given.all.x, {}).status == Status::not_loaded);
  REQUIRE(batch.load(shape, given.all.parameters()).ok());
  CHECK(batch.backward(given.d_output, {}).status == Status::not_loaded);  // of no pass
  REQUIRE(batch.forward(given.lengths, given.all.x, {}).ok());
  CHECK(batch.backward(given.d_output, {}).ok());

  const auto refused = [&](std::vector<std::int32_t> lengths, const Options& options) {
    const Outcome outcome = batch.forward(lengths, given.all.x, options);
    CHECK(batch.backward(given.d_output, {}).status == Status::not_loaded);
    return outcome.status;
  };
  CHECK(refused({}, {}) == Status::tokens_out_of_range);
  CHECK(refused({shape.tokens, 0}, {}) == Status::tokens_out_of_range);
  CHECK(refused({kMaxTokens + 1}, {}) == Status::tokens_out_of_range);
  CHECK(refused({shape.tokens, 1}, {}) == Status::wrong_size);
  CHECK(refused(given.lengths, {.padding = 1}) == Status::bad_padding);
  CHECK(refused(given.lengths, {.scale = Options::Scale::given, .scale_value = kNan}) == Status::bad_scale);
  const std::vector<float> gates(static_cast<std::size_t>(shape.heads) + 1, 1.0F);
  CHECK(refused(given.lengths, {.head_gate = gates}) == Status::bad_gate);
  CHECK(refused(std::vector<std::int32_t>(2'000'000, kMaxTokens), {}) == Status::too_large);

  REQUIRE(batch.forward(given.lengths, given.all.x, {}).ok());
  REQUIRE(batch.load(shape, given.all.parameters()).ok());
  CHECK(batch.backward(given.d_output, {}).status == Status::not_loaded);  // by other parameters

  // A training step that runs away is seen at once.
  given.all.x.back() = kNan;
  CHECK(batch.forward(given.lengths, given.all.x, {}).status == Status::not_finite);
  for (float& value : given.all.x) value = 3e38F;
  CHECK(batch.forward(given.lengths, given.all.x, {}).status == Status::overflow);
  std::vector<float> w_o = given.all.w_o;
  w_o[0] = kInfinity;
  Parameters parameters = given.all.parameters();
  parameters.w_o = w_o;
  CHECK(batch.load(shape, parameters).status == Status::not_finite);
}

}  // namespace
}  // namespace mha::test
