// The shares of a row against plain Eigen.
#include "lab/contribution.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "explanation_problem.hpp"
#include "mha/attention_reference.hpp"
#include "problem.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

Matrix matrix(const Solved& solved, Tensor tensor) {
  const auto [rows, columns, one] = extents(tensor, solved.problem.shape);
  Matrix values(rows, columns);
  for (std::int32_t i = 0; i < rows; ++i) {
    for (std::int32_t c = 0; c < columns; ++c) values(i, c) = solved.at({tensor, {i, c, 0}});
  }
  return values;
}

std::vector<double> shares_of(const Solved& solved, std::int32_t row, RowShares& whole) {
  std::vector<double> shares(static_cast<std::size_t>(solved.problem.shape.heads), 77);
  REQUIRE(row_shares(solved.evidence(), row, whole, shares).ok());
  return shares;
}

TEST_CASE("the shares of a row are projections, and add up to its length", "[contribution]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    for (const Solved& solved : problems(random)) {
      INFO(describe(solved.problem));
      const Eigen::Index k = solved.problem.shape.head_dim;
      const Matrix concat = matrix(solved, Tensor::concat), w_o = matrix(solved, Tensor::w_o);
      Eigen::RowVectorXd bias = Eigen::RowVectorXd::Zero(w_o.cols());
      for (Eigen::Index c = 0; c < w_o.cols() && solved.parts.biases; ++c) {
        bias(c) = solved.at({Tensor::b_o, {static_cast<std::int32_t>(c), 0, 0}});
      }
      for (std::int32_t row = 0; row < solved.problem.shape.tokens; ++row) {
        RowShares whole;
        const std::vector<double> shares = shares_of(solved, row, whole);
        const Eigen::RowVectorXd y = concat.row(row) * w_o + bias;
        const double scale = concat.row(row).cwiseAbs() * w_o.cwiseAbs() * Eigen::VectorXd::Ones(w_o.cols()) + 1.0;
        CHECK(std::abs(whole.norm - y.norm()) <= 1e-14 * scale);
        CHECK(std::abs(whole.bias - (y.norm() > 0 ? bias.dot(y) / y.norm() : 0.0)) <= 1e-14 * scale);
        CHECK(std::abs(std::reduce(shares.begin(), shares.end(), whole.bias) - whole.norm) <= 1e-14 * scale);
        for (std::size_t head = 0; head < shares.size(); ++head) {
          const auto first = static_cast<Eigen::Index>(head) * k;
          const Eigen::RowVectorXd part = concat.row(row).segment(first, k) * w_o.middleRows(first, k);
          CHECK(std::abs(shares[head] - (y.norm() > 0 ? part.dot(y) / y.norm() : 0.0)) <= 1e-14 * scale);
          if (solved.problem.options().gate(static_cast<std::int32_t>(head)) == 0.0F) CHECK(shares[head] == 0.0);
        }
      }
    }
  }
}

TEST_CASE("a row of zeros has no direction", "[contribution]") {
  Random random(1);
  Problem p = plain_problem({3, 3, 4, 2, 2, 2}, random);
  p.gates = {0.0F, 0.0F};
  const Solved off(p, Detail::full, random);
  RowShares whole{.bias = 1, .norm = 1};
  CHECK(shares_of(off, 1, whole) == std::vector<double>{0, 0});
  CHECK(whole.norm == 0.0);
  CHECK(whole.bias == 0.0);

  // With a bias the whole row is the bias's.
  add_biases(p, random);
  const Solved biased(p, Detail::full, random);
  CHECK(shares_of(biased, 1, whole) == std::vector<double>{0, 0});
  CHECK(whole.norm > 0.0);
  CHECK(std::abs(whole.bias - whole.norm) <= 1e-15 * whole.norm);
}

TEST_CASE("rows that are not there have no shares", "[contribution]") {
  Random random(1);
  const Solved solved = std::move(problems(random)[0]);
  std::vector<double> shares(2);
  RowShares whole;
  for (const std::int32_t row : {-1, 3}) {
    const Outcome outcome = row_shares(solved.evidence(), row, whole, shares);
    CHECK(outcome.status == Status::no_such_cell);
    CHECK(outcome.tensor == Tensor::output);
  }
  CHECK(row_shares(solved.evidence(), 0, whole, std::span(shares).first(1)).status == Status::wrong_size);
  Evidence bad = solved.evidence();
  bad.trace = {};
  CHECK(row_shares(bad, 0, whole, shares).status == Status::wrong_size);
  bad = solved.evidence();
  bad.shape.heads = 0;
  CHECK(row_shares(bad, 0, whole, shares).status == Status::heads_out_of_range);
}

}  // namespace
}  // namespace mha::test
