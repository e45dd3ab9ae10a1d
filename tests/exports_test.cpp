// The wasm boundary, called as the page calls it: what comes out is what the core's own functions say.
#include "wasm/exports.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "exports_call.hpp"
#include "mha/embedding.hpp"
#include "mha/random.hpp"
#include "mha/simd.hpp"

namespace mha::test {
namespace {

TEST_CASE("blocks lie on cache lines, and too much is refused", "[exports]") {
  for (const std::uint32_t bytes : {1U, 63U, 64U, 65U, 100000U}) {
    void* const block = mha_allocate(bytes);
    REQUIRE(block != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(block) % 64 == 0);
    std::fill_n(static_cast<char*>(block), bytes, 'x');
    mha_release(block);
  }
  CHECK(mha_allocate(0) == nullptr);
  CHECK(mha_allocate(wasm::kMaxAllocation + 1) == nullptr);
  CHECK(mha_allocate(0x80000000U) == nullptr);
  CHECK(mha_allocate(0xffffffffU) == nullptr);
  mha_release(nullptr);
}

TEST_CASE("the build names itself", "[exports]") {
  std::array<char, 64> name;
  const std::int32_t length = mha_arch(name.data(), 64);
  CHECK(std::string(name.data(), static_cast<std::size_t>(length)) == simd_arch());
  name.fill('?');
  CHECK(mha_arch(name.data(), 2) == length);
  CHECK(name[2] == '?');
  CHECK(mha_arch(nullptr, 10) == 0);
  CHECK((mha_relaxed() == 1) == simd_relaxed());
}

TEST_CASE("self-attention's shape", "[exports]") {
  std::vector<std::int32_t> record(6);
  REQUIRE(mha_self_attention(11, 512, 8, record.data()) == 0);
  CHECK(record == record_of(self_attention(11, 512, 8)));
  CHECK(mha_self_attention(0, 8, 2, record.data()) == number(Status::tokens_out_of_range));
  CHECK(mha_self_attention(5, 0, 2, record.data()) == number(Status::model_dim_out_of_range));
  CHECK(mha_self_attention(5, 8, 0, record.data()) == number(Status::heads_out_of_range));
  CHECK(mha_self_attention(5, 8, -2147483647 - 1, record.data()) == number(Status::heads_out_of_range));
  CHECK(mha_self_attention(5, 8, 3, record.data()) == number(Status::head_dim_out_of_range));
  CHECK(mha_self_attention(5, 8, 16, record.data()) == number(Status::head_dim_out_of_range));
  CHECK(mha_self_attention(5, 8, 2, nullptr) == number(Status::wrong_size));
}

TEST_CASE("layouts over the boundary are the core's", "[exports]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    const Shape shape = problem_in_slabs(random).shape;
    const Parts parts{random.one_in(2), random.one_in(2), random.one_in(2),
                      random.one_in(2) ? Detail::full : Detail::core};
    for (const Slab slab : {Slab::input, Slab::parameters, Slab::trace, Slab::contributions}) {
      std::vector<std::int32_t> views(kTensorCount * kView.size(), 77);
      double floats = 0;
      REQUIRE(mha_layout(static_cast<std::int32_t>(slab), record_of(shape).data(), record_of(parts).data(),
                         views.data(), &floats) == 0);
      const Layout layout(slab, shape, parts);
      CHECK(floats == static_cast<double>(layout.size()));
      for (std::size_t i = 0; i < kTensorCount; ++i) {
        const std::int32_t* const record = views.data() + i * kView.size();
        const auto& view = layout.find(static_cast<Tensor>(i));
        CAPTURE(seed, kTensors[i].name);
        REQUIRE((record[kView["present"]] == 1) == view.has_value());
        if (!view) {
          CHECK(std::all_of(record, record + kView.size(), [](std::int32_t value) { return value == 0; }));
          continue;
        }
        CHECK(record[kView["rank"]] == view->rank);
        CHECK(record[kView["offset"]] == view->offset);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          CHECK(record[kView["axes"] + axis] == static_cast<std::int32_t>(kTensors[i].axes[axis]));
          CHECK(record[kView["shape"] + axis] == view->shape[axis]);
          CHECK(record[kView["strides"] + axis] == view->strides[axis]);
        }
      }
    }
  }
}

TEST_CASE("seeded parameters and words over the boundary are the core's", "[exports]") {
  const Shape shape = self_attention(3, 12, 3);
  const Parts parts{.biases = true};
  const Layout layout(Slab::parameters, shape, parts);
  std::vector<float> slab(static_cast<std::size_t>(layout.size()), kNan);
  std::vector<float> expected(slab.size(), kNan);
  REQUIRE(mha_seed_parameters(record_of(shape).data(), record_of(parts).data(), 4000000000U, slab.data()) == 0);
  fill_parameters(shape, true, 4000000000U, expected);
  CHECK(same_bits(slab, expected));

  const std::array<std::string, 3> words = {"小明", "cake", "🍰"};
  const std::string text = words[0] + words[1] + words[2];
  const std::vector<std::int32_t> offsets = {0, 6, 10, 14};
  const Layout places(Slab::input, shape, parts);
  for (const bool positions_on : {true, false}) {
    std::vector<float> input(static_cast<std::size_t>(places.size()), kNan);
    REQUIRE(mha_embed(record_of(shape).data(), record_of(parts).data(), text.data(), offsets.data(), 3, 5,
                      positions_on ? 1 : 0, input.data()) == 0);
    const std::span<const float> all(input);
    for (std::size_t i = 0; i < 3; ++i) {
      std::vector<float> word(12), position(12), x(12);
      token_vector(words[i], 5, word);
      if (positions_on) sinusoidal_position(static_cast<std::int32_t>(i), position);
      add_positions(word, position, x);
      CHECK(same_bits(places.span(Tensor::token_vectors, all).subspan(i * 12, 12), word));
      CHECK(same_bits(places.span(Tensor::positions, all).subspan(i * 12, 12), position));
      CHECK(same_bits(places.span(Tensor::x, all).subspan(i * 12, 12), x));
    }
  }
}

/// The numbers of a view in row-major order.
std::vector<float> values(const View& view, const std::vector<float>& slab) {
  std::vector<float> found;
  for (std::int64_t a = 0; a < view.shape[0]; ++a) {
    for (std::int64_t b = 0; b < view.shape[1]; ++b) {
      for (std::int64_t c = 0; c < view.shape[2]; ++c)
        found.push_back(slab[static_cast<std::size_t>(view.at(a, b, c))]);
    }
  }
  return found;
}

TEST_CASE("a pass over the boundary is the core's, bit by bit", "[exports]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    for (int round = 0; round < 25; ++round) {
      Call call(problem_in_slabs(random), random.one_in(2) ? Detail::full : Detail::core, random);
      CAPTURE(seed, round, describe(call.solved.problem));
      REQUIRE(call.load() == 0);
      REQUIRE(call.forward() == 0);
      CHECK(call.reported().ok());
      for (std::size_t i = 0; i < kTensorCount; ++i) {
        // Tensor by tensor: what lies between them in a slab is nobody's.
        const auto& view = call.solved.trace_layout.find(static_cast<Tensor>(i));
        if (!view) continue;
        CAPTURE(kTensors[i].name);
        CHECK(same_bits(values(*view, call.trace), values(*view, call.solved.trace)));
      }
      double factor = 0;
      REQUIRE(mha_scale(call.shape.data(), call.options.data(), &factor) == 0);
      CHECK(factor == static_cast<double>(call.solved.problem.switches.factor(call.solved.problem.shape.head_dim)));
    }
  }
}

TEST_CASE("contributions over the boundary are the core's", "[exports]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    Call call(random);
    const Shape& s = call.solved.problem.shape;
    CAPTURE(seed, describe(call.solved.problem));
    REQUIRE(call.load() == 0);
    REQUIRE(call.forward() == 0);

    const std::int32_t first = random.integer(0, s.heads - 1);
    const std::int32_t count = random.integer(1, s.heads - first);
    std::vector<float> parts(static_cast<std::size_t>(count * s.tokens * s.model_dim)), expected(parts.size());
    REQUIRE(call.contributions(first, count, parts.data()) == 0);
    Attention attention;
    REQUIRE(attention.load(s, call.solved.problem.parameters()).ok());
    const auto concat = call.solved.trace_layout.span(Tensor::concat, std::span<const float>(call.solved.trace));
    REQUIRE(attention.contributions(s, concat, first, count, expected).ok());
    CHECK(same_bits(parts, expected));

    std::vector<double> by_head(static_cast<std::size_t>(s.heads)), expected_by_head(by_head.size());
    REQUIRE(call.explain_by_head(s.tokens - 1, s.model_dim - 1, by_head.data()) == 0);
    REQUIRE(explain_by_head(call.solved.evidence(), s.tokens - 1, s.model_dim - 1, expected_by_head).ok());
    CHECK(by_head == expected_by_head);
  }
}

void check_cell(const double* tensor, const double* index, const Cell& expected) {
  CHECK(*tensor == static_cast<double>(expected.tensor));
  CHECK(std::equal(expected.index.begin(), expected.index.end(), index));
}

void check_explanation(const double* found, const Explanation& expected) {
  CHECK(found[kExplanation["rule"]] == static_cast<double>(expected.rule));
  check_cell(found + kExplanation["tensor"], found + kExplanation["index"], expected.cell);
  CHECK(found[kExplanation["value"]] == expected.value);
  CHECK(found[kExplanation["sum"]] == expected.sum);
  CHECK(found[kExplanation["bound"]] == expected.bound);
  CHECK(found[kExplanation["bias"]] == expected.bias);
  CHECK(found[kExplanation["gate"]] == expected.gate);
  CHECK(found[kExplanation["factor"]] == expected.factor);
  CHECK(found[kExplanation["masked"]] == expected.masked);
  CHECK(found[kExplanation["rowMax"]] == expected.row_max);
  CHECK(found[kExplanation["difference"]] == expected.difference);
  CHECK(found[kExplanation["exponential"]] == expected.exponential);
  CHECK(found[kExplanation["rowMasked"]] == expected.row_masked);
  CHECK(found[kExplanation["termCount"]] == expected.term_count);
  CHECK(found[kExplanation["largestCount"]] == expected.largest_count);
  CHECK(found[kExplanation["rest"]] == expected.rest);
  CHECK(std::equal(expected.largest.begin(), expected.largest.end(), found + kExplanation["largest"]));
}

void check_term(const double* found, const Term& expected) {
  check_cell(found + kTerm["aTensor"], found + kTerm["aIndex"], expected.a);
  check_cell(found + kTerm["bTensor"], found + kTerm["bIndex"], expected.b);
  CHECK(found[kTerm["aValue"]] == expected.a_value);
  CHECK(found[kTerm["bValue"]] == expected.b_value);
  CHECK(found[kTerm["value"]] == expected.value);
  CHECK(found[kTerm["running"]] == expected.running);
}

TEST_CASE("explanations over the boundary are the core's", "[exports]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    for (int round = 0; round < 10; ++round) {
      Call call(random);
      const Shape& s = call.solved.problem.shape;
      CAPTURE(seed, round, describe(call.solved.problem));
      REQUIRE(call.load() == 0);
      REQUIRE(call.forward() == 0);
      for (std::int32_t i = 0; i < static_cast<std::int32_t>(kTensorCount); ++i) {
        Cell cell{.tensor = static_cast<Tensor>(i)};
        std::array<std::int32_t, kCell.size()> record = {i};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          cell.index[axis] = random.integer(0, static_cast<int>(extent(info(cell.tensor).axes[axis], s)) - 1);
          record[kCell["index"] + axis] = cell.index[axis];
        }
        CAPTURE(info(cell.tensor).name, cell.index);
        Explanation expected;
        std::vector<Term> terms(static_cast<std::size_t>(max_terms(s)));
        const Outcome outcome = explain(call.solved.evidence(), cell, 3, expected, terms);
        std::vector<double> header(kExplanation.size(), 77);
        REQUIRE(mha_max_terms(call.shape.data()) == max_terms(s));
        std::vector<double> term_records(terms.size() * kTerm.size());
        CHECK(call.explain(record.data(), 3, header.data(), term_records.data()) == number(outcome.status));
        CHECK(call.reported().status == outcome.status);
        if (!outcome.ok()) continue;
        check_explanation(header.data(), expected);
        for (std::size_t term = 0; term < static_cast<std::size_t>(expected.term_count); ++term) {
          check_term(term_records.data() + term * kTerm.size(), terms[term]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace mha::test
