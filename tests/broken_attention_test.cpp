// Each mistake against a model in double that makes it as its equation says, and where a mistake is none.
#include "lab/broken_attention.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "model_reference.hpp"
#include "support.hpp"
#include "train/vocabulary.hpp"

namespace mha::test {
namespace {

constexpr std::array kMistakes = {Break::wrong_reshape,        Break::no_scale,
                                  Break::mask_after_softmax,   Break::split_first,
                                  Break::no_output_projection, Break::shared_projection};

/// What a broken layer makes of one sentence.
struct Made {
  std::vector<Matrix> maps;  ///< of each head
  Matrix output, logits;
};

class BrokenReference {
 public:
  BrokenReference(const ModelShape& shape, std::span<const float> slab) : shape_(shape), layout_(shape), slab_(slab) {}

  [[nodiscard]] Made of(Break mistake, std::span<const std::int32_t> words) const {
    const auto n = static_cast<Eigen::Index>(words.size());
    const bool pads = mistake == Break::mask_after_softmax;
    const Eigen::Index rows = pads ? shape_.max_positions : n;
    Matrix x(rows, shape_.model_dim);
    for (Eigen::Index row = 0; row < rows; ++row) {
      const std::int32_t word = row < n ? words[static_cast<std::size_t>(row)] : kMask;
      x.row(row) = matrix(Weight::token_embedding).row(word) + matrix(Weight::position_embedding).row(row);
    }
    Matrix concat(n, shape_.heads * shape_.head_dim);
    Made made;
    for (Eigen::Index i = 0; i < shape_.heads; ++i) {
      const Matrix q = head(mistake, Weight::w_q, x, i);
      const Matrix keys = head(mistake, Weight::w_k, x, i);
      const Matrix v = head(mistake, Weight::w_v, x, i);
      const double scale = mistake == Break::no_scale ? 1.0 : 1.0 / std::sqrt(static_cast<double>(shape_.head_dim));
      Matrix a = (scale * (q * keys.transpose())).array().exp();
      for (Eigen::Index row = 0; row < rows; ++row) a.row(row) /= a.row(row).sum();
      a = a.topLeftCorner(n, n).eval();
      const Matrix z = a * v.topRows(n);
      for (Eigen::Index row = 0; row < n; ++row) {
        for (Eigen::Index c = 0; c < shape_.head_dim; ++c) place(mistake, concat, i, row, c) = z(row, c);
      }
      made.maps.push_back(a);
    }
    made.output = mistake == Break::no_output_projection ? concat : concat * matrix(Weight::w_o);
    made.logits = made.output * matrix(Weight::read_out);
    return made;
  }

 private:
  [[nodiscard]] Matrix matrix(Weight weight) const {
    const ModelLayout::Place place = layout_(weight);
    return Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
               slab_.data() + place.offset, place.rows, place.columns)
        .cast<double>();
  }

  /// Element (row, c) of head i among all heads' numbers [n, h·k].
  [[nodiscard]] double& place(Break mistake, Matrix& all, Eigen::Index i, Eigen::Index row, Eigen::Index c) const {
    const Eigen::Index k = shape_.head_dim;
    return mistake == Break::wrong_reshape ? all.data()[(i * all.rows() + row) * k + c] : all(row, i * k + c);
  }

  [[nodiscard]] Matrix head(Break mistake, Weight weight, const Matrix& x, Eigen::Index i) const {
    const Eigen::Index k = shape_.head_dim;
    const Matrix w = matrix(weight);
    if (mistake == Break::split_first) return x.middleCols(i * k, k) * w.block(i * k, i * k, k, k);
    if (mistake == Break::shared_projection) return x * w.leftCols(k);
    Matrix all = x * w;
    Matrix own(x.rows(), k);
    for (Eigen::Index row = 0; row < own.rows(); ++row) {
      for (Eigen::Index c = 0; c < k; ++c) own(row, c) = place(mistake, all, i, row, c);
    }
    return own;
  }

  ModelShape shape_;
  ModelLayout layout_;
  std::span<const float> slab_;
};

/// A model that can be broken in every way: h·k = d.
ModelShape breakable(Random& random) {
  ModelShape shape = random_model(random);
  shape.head_dim = random.integer(1, 5);
  shape.model_dim = shape.heads * shape.head_dim;
  shape.layers = 1;
  shape.residual = shape.layer_norm = shape.biases = shape.causal = false;
  return shape;
}

struct Broken {
  ModelShape shape;
  std::vector<float> parameters;
  Batch batch;
  BrokenAttention model;

  explicit Broken(const ModelShape& of, Random& random)
      : shape(of), parameters(random_parameters(of, random)), batch(random_batch(of, 4, random)) {
    REQUIRE(model.load(shape, parameters).ok());
  }

  /// Whether a mistake changes none of the outputs by more than roundings.
  bool harmless(Break mistake) {
    Evaluation right, wrong;
    REQUIRE(model.evaluate(Break::none, batch, right).ok());
    const std::vector<float> output(model.output().begin(), model.output().end());
    REQUIRE(model.evaluate(mistake, batch, wrong).ok());
    return std::fabs(right.loss - wrong.loss) < 1e-5 &&
           std::ranges::equal(output, model.output(), [](float a, float b) { return std::fabs(a - b) < 1e-5F; });
  }
};

void check_against_reference(Break mistake, Broken& broken) {
  const BrokenReference reference(broken.shape, broken.parameters);
  Evaluation evaluation;
  REQUIRE(broken.model.evaluate(mistake, broken.batch, evaluation).ok());
  double loss = 0;
  int asked = 0;
  double worst = 0;
  RowSums sums = {.smallest = HUGE_VAL, .largest = -HUGE_VAL};
  std::size_t first = 0, map = 0, row = 0;
  for (const std::int32_t length : broken.batch.lengths) {
    const Made made = reference.of(mistake, std::span(broken.batch.tokens).subspan(row, std::size_t(length)));
    for (const Matrix& a : made.maps) {
      for (Eigen::Index i = 0; i < a.size(); ++i) {
        worst = std::max(worst, std::fabs(a.data()[i] - broken.model.maps()[map++]));
      }
      sums.smallest = std::min(sums.smallest, a.rowwise().sum().minCoeff());
      sums.largest = std::max(sums.largest, a.rowwise().sum().maxCoeff());
    }
    for (Eigen::Index i = 0; i < made.output.size(); ++i) {
      worst = std::max(worst, std::fabs(made.output.data()[i] - broken.model.output()[first++]));
    }
    for (Eigen::Index i = 0; i < length; ++i, ++row) {
      for (std::int32_t slot = 0; slot < broken.shape.slots; ++slot) {
        const std::int32_t target = broken.batch.targets[row * std::size_t(broken.shape.slots) + std::size_t(slot)];
        if (target == kIgnored) continue;
        const Eigen::RowVectorXd l =
            made.logits.row(i).segment(Eigen::Index{slot} * broken.shape.vocabulary, broken.shape.vocabulary);
        loss += std::log(l.array().exp().sum()) - l(target);
        ++asked;
      }
    }
  }
  CHECK(map == broken.model.maps().size());
  CHECK(first == broken.model.output().size());
  CHECK(worst < 2e-4);
  CHECK(std::fabs(evaluation.loss - loss / asked) < 2e-4);
  CHECK(evaluation.all.asked == asked);
  CHECK(std::fabs(broken.model.row_sums().smallest - sums.smallest) < 1e-5);
  CHECK(std::fabs(broken.model.row_sums().largest - sums.largest) < 1e-5);
}

TEST_CASE("a model without a mistake answers as it always did", "[broken]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    Broken broken(breakable(random), random);
    Network network;
    REQUIRE(network.open(broken.shape).ok());
    Evaluation same, found;
    REQUIRE(evaluate(network, broken.batch, broken.parameters, {}, same).ok());
    REQUIRE(broken.model.evaluate(Break::none, broken.batch, found).ok());
    CHECK(found.loss == same.loss);
    CHECK(found.all.right == same.all.right);
    REQUIRE(found.relations.size() == same.relations.size());
    CHECK(std::ranges::equal(broken.model.output(), network.attention(0).output()));
  }
}

TEST_CASE("every mistake is the one that its equation says", "[broken]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    for (int round = 0; round < 20; ++round) {
      Broken broken(breakable(random), random);
      CAPTURE(seed, round, broken.shape.heads, broken.shape.head_dim, broken.shape.max_positions);
      for (const Break mistake : kMistakes) {
        CAPTURE(kBreakNames[static_cast<std::size_t>(mistake)]);
        check_against_reference(mistake, broken);
      }
    }
  }
}

TEST_CASE("where there is nothing to get wrong, nothing changes", "[broken]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    for (int round = 0; round < 10; ++round) {
      CAPTURE(seed, round);
      ModelShape one_head = breakable(random);
      one_head.heads = 1;
      one_head.head_dim = one_head.model_dim;
      Broken alone(one_head, random);
      for (const Break mistake : {Break::wrong_reshape, Break::split_first, Break::shared_projection}) {
        CAPTURE(kBreakNames[static_cast<std::size_t>(mistake)]);
        CHECK(alone.harmless(mistake));
      }

      ModelShape of_ones = breakable(random);
      of_ones.heads = of_ones.model_dim;
      of_ones.head_dim = 1;
      Broken thin(of_ones, random);
      CHECK(thin.harmless(Break::no_scale));

      Broken any(breakable(random), random);
      any.batch = {.slots = any.shape.slots, .lengths = {any.shape.max_positions}};
      any.batch.tokens.assign(std::size_t(any.shape.max_positions), 0);
      for (auto* const asked : {&any.batch.targets, &any.batch.partners, &any.batch.relations}) {
        asked->assign(any.batch.tokens.size() * std::size_t(any.shape.slots), 0);
      }
      CHECK(any.harmless(Break::mask_after_softmax));
      const std::span<float> w_o = ModelLayout(any.shape).span(Weight::w_o, 0, std::span(any.parameters));
      for (std::size_t i = 0; i < w_o.size(); ++i) {
        w_o[i] = i % std::size_t(any.shape.model_dim + 1) == 0 ? 1.0F : 0.0F;
      }
      CHECK(any.harmless(Break::no_output_projection));
    }
  }
}

TEST_CASE("one sentence alone has the numbers that it has among others", "[broken]") {
  Random random(5);
  Broken broken(breakable(random), random);
  const auto n = static_cast<std::size_t>(broken.batch.lengths[0]);
  for (const Break mistake : kMistakes) {
    Evaluation ignored;
    REQUIRE(broken.model.evaluate(mistake, broken.batch, ignored).ok());
    const std::vector<float> output(broken.model.output().begin(), broken.model.output().end());
    const std::vector<float> maps(broken.model.maps().begin(), broken.model.maps().end());
    REQUIRE(broken.model.show(mistake, std::span(broken.batch.tokens).first(n)).ok());
    CHECK(std::ranges::equal(broken.model.output(), std::span(output).first(broken.model.output().size())));
    CHECK(std::ranges::equal(broken.model.maps(), std::span(maps).first(broken.model.maps().size())));
  }
}

TEST_CASE("what cannot be broken is refused", "[broken]") {
  Random random(6);
  const ModelShape shape = breakable(random);
  BrokenAttention model;
  const auto refused = [&](const ModelShape& other) {
    const std::vector<float> parameters = random_parameters(other, random);
    return model.load(other, parameters).status;
  };
  ModelShape other = shape;
  other.layers = 2;
  CHECK(refused(other) == Status::bad_model);
  for (bool ModelShape::* const flag :
       {&ModelShape::biases, &ModelShape::residual, &ModelShape::layer_norm, &ModelShape::causal}) {
    other = shape;
    other.*flag = true;
    CHECK(refused(other) == Status::bad_model);
  }
  other = shape;
  other.heads = 0;
  CHECK(model.load(other, {}).status == Status::heads_out_of_range);
  CHECK(model.load(shape, {}).status == Status::wrong_size);

  other = shape;
  other.head_dim += 1;
  Broken wide(other, random);
  Evaluation evaluation;
  for (const Break mistake : kMistakes) {
    const bool needs_d = mistake == Break::split_first || mistake == Break::no_output_projection;
    CHECK(wide.model.evaluate(mistake, wide.batch, evaluation).status ==
          (needs_d ? Status::head_dim_out_of_range : Status::ok));
  }
  CHECK(wide.model.evaluate(Break::none, Batch{}, evaluation).status == Status::bad_batch);
  CHECK(wide.model.show(Break::none, {}).status == Status::bad_batch);
  const std::vector<std::int32_t> many(std::size_t(other.max_positions) + 1, 0);
  CHECK(wide.model.show(Break::none, many).status == Status::too_many_words);
  for (const std::int32_t word : {-1, other.vocabulary}) {
    const Outcome outcome = wide.model.show(Break::none, std::vector<std::int32_t>{word});
    CHECK(outcome.status == Status::unknown_word);
    CHECK(outcome.index[0] == 0);
  }

  std::ranges::fill(wide.parameters, 1e30F);
  for (const Break mistake : kMistakes) {
    CHECK(!wide.model.evaluate(mistake, wide.batch, evaluation).ok());
  }
}

}  // namespace
}  // namespace mha::test
