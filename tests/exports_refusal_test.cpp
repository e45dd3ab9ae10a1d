// What the wasm boundary refuses. Whatever arrives there, it answers with a status and writes nothing it should not.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "exports_call.hpp"
#include "wasm/exports.hpp"

namespace mha::test {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// A loaded and finished pass of fixed shape, with context, mask, biases and gates.
Call finished_call(Random& random) {
  Problem p = plain_problem({4, 5, 6, 4, 2, 3}, random);
  add_biases(p, random);
  p.mask = random_mask(p.shape, random);
  p.gates = random_gates(p.shape, random);
  return Call(std::move(p), Detail::full, random);
}

struct Buffers {
  std::vector<double> header = std::vector<double>(kExplanation.size());
  std::vector<double> terms;
  std::vector<float> contributions;
  std::vector<double> by_head;

  explicit Buffers(const Call& call)
      : terms(static_cast<std::size_t>(mha_max_terms(call.shape.data())) * kTerm.size()),
        contributions(4 * 4 * 6),
        by_head(4) {}
};

TEST_CASE("no words but text", "[exports]") {
  const std::vector<std::int32_t> shape = record_of(self_attention(2, 4, 2));
  const std::vector<std::int32_t> parts = record_of(Parts{});
  const Layout layout(Slab::input, self_attention(2, 4, 2), {});
  std::vector<float> input(static_cast<std::size_t>(layout.size()));
  const auto embed = [&](const std::string& text, std::vector<std::int32_t> offsets, std::int32_t count = 2) {
    return mha_embed(shape.data(), parts.data(), text.data(), offsets.data(), count, 1, 1, input.data());
  };
  CHECK(embed("ab", {0, 1, 2}) == 0);
  CHECK(embed("小明", {0, 3, 6}) == 0);
  CHECK(embed("小明", {0, 2, 6}) == number(Status::bad_text));
  CHECK(embed("ab", {0, 0, 2}) == number(Status::bad_text));
  CHECK(embed("ab", {0, 2, 1}) == number(Status::bad_text));
  CHECK(embed("ab", {0, -1, 2}) == number(Status::bad_text));
  CHECK(embed("ab", {1, 2, 3}) == number(Status::bad_text));
  CHECK(embed("a\xff", {0, 1, 2}) == number(Status::bad_text));
  CHECK(embed("ab", {0, 1, 2}, 1) == number(Status::wrong_size));
  CHECK(embed("ab", {0, 1, 2}, -1) == number(Status::wrong_size));
  CHECK(mha_embed(shape.data(), parts.data(), nullptr, std::vector<std::int32_t>{0, 1, 2}.data(), 2, 1, 1,
                  input.data()) == number(Status::bad_text));
  CHECK(mha_embed(shape.data(), parts.data(), "ab", nullptr, 2, 1, 1, input.data()) == number(Status::bad_text));
}

TEST_CASE("layers that are not there", "[exports]") {
  Random random(1);
  Call call = finished_call(random);
  Buffers out(call);
  const std::int32_t cell[] = {static_cast<std::int32_t>(Tensor::output), 0, 0, 0};
  const auto all_not_loaded = [&] {
    CHECK(call.forward() == number(Status::not_loaded));
    CHECK(call.reported().status == Status::not_loaded);
    CHECK(call.contributions(0, 1, out.contributions.data()) == number(Status::not_loaded));
    CHECK(call.explain(cell, 1, out.header.data(), out.terms.data()) == number(Status::not_loaded));
    CHECK(call.explain_by_head(0, 0, out.by_head.data()) == number(Status::not_loaded));
  };
  all_not_loaded();
  for (const std::int32_t layer : {-1, wasm::kMaxLoadedLayers, 2147483647, -2147483647 - 1}) {
    call.layer = layer;
    CHECK(call.load() == number(Status::not_loaded));
    CHECK(mha_unload(layer) == number(Status::not_loaded));
    all_not_loaded();
  }
  call.layer = 3;
  REQUIRE(call.load() == 0);
  REQUIRE(call.forward() == 0);
  REQUIRE(mha_unload(3) == 0);
  all_not_loaded();

  // Parameters that are refused leave no older ones behind.
  REQUIRE(call.load() == 0);
  call.solved.parameters[7] = kInfinity;
  CHECK(call.load() == number(Status::not_finite));
  CHECK(call.reported().tensor == Tensor::w_q);
  CHECK(call.reported().index == std::array<std::int32_t, 3>{0, 7, -1});
  all_not_loaded();
}

TEST_CASE("a pass of another shape than its weights", "[exports]") {
  Random random(1);
  Call call = finished_call(random);
  REQUIRE(call.load() == 0);
  for (const std::size_t field : {wasm::kShape["modelDim"], wasm::kShape["heads"], wasm::kShape["headDim"]}) {
    const std::int32_t before = call.shape[field];
    call.shape[field] = before * 2;
    CHECK(call.forward() == number(Status::not_loaded));
    call.shape[field] = before;
  }
  CHECK(call.forward() == 0);
  call.shape[wasm::kShape["tokens"]] = 0;
  CHECK(call.forward() == number(Status::tokens_out_of_range));
  call.shape[wasm::kShape["tokens"]] = 4;
  call.parts[wasm::kParts["detail"]] = 2;
  CHECK(call.forward() == number(Status::no_such_cell));
}

TEST_CASE("options that are none", "[exports]") {
  Random random(1);
  Call call = finished_call(random);
  REQUIRE(call.load() == 0);
  const std::vector<double> good = call.options;
  const auto with = [&](std::size_t field, double value) {
    call.options = good;
    call.options[field] = value;
    double factor = 0;
    const std::int32_t scaled = mha_scale(call.shape.data(), call.options.data(), &factor);
    const std::int32_t status = call.forward();
    if (field != wasm::kOptions["padding"]) CHECK(scaled == status);
    return status;
  };
  constexpr double kScaleGiven = 2;
  for (const double scale : {-1.0, 3.0, 0.5, 1e300, -1e300, kNotANumber}) {
    CHECK(with(wasm::kOptions["scale"], scale) == number(Status::bad_scale));
  }
  for (const double padding : {-1.0, 6.0, 0.5, 1e300, kNotANumber}) {
    CHECK(with(wasm::kOptions["padding"], padding) == number(Status::bad_padding));
  }
  const std::vector<double> factors = {kNotANumber, 1e300, static_cast<double>(kInfinity)};
  for (const double factor : factors) {
    call.options = good;
    call.options[wasm::kOptions["scale"]] = kScaleGiven;
    call.options[wasm::kOptions["scaleValue"]] = factor;
    CHECK(call.forward() == number(Status::bad_scale));
  }
  call.options = good;
  call.solved.problem.gates[1] = kNan;
  CHECK(call.forward() == number(Status::bad_gate));
  CHECK(call.reported().tensor == Tensor::count);
  CHECK(call.reported().index == std::array<std::int32_t, 3>{1, -1, -1});
}

TEST_CASE("a pass whose tensors fit one by one but not together", "[exports]") {
  // Four maps of 2²⁸ numbers each are twice what can be allocated.
  const Shape large = {512, 512, 8, 1024, 1, 1};
  Random random(1);
  Call call(plain_problem({1, 1, 8, 1024, 1, 1}, random), Detail::full, random);
  REQUIRE(call.load() == 0);
  call.shape = record_of(large);
  std::vector<std::int32_t> views(kTensorCount * kView.size());
  double floats = 0;
  const auto layout = [&](Slab slab, Detail detail) {
    call.parts = record_of(Parts{.detail = detail});
    return mha_layout(static_cast<std::int32_t>(slab), call.shape.data(), call.parts.data(), views.data(), &floats);
  };
  CHECK(layout(Slab::input, Detail::full) == 0);
  CHECK(layout(Slab::trace, Detail::core) == 0);
  CHECK(floats > double{1 << 28});
  CHECK(layout(Slab::trace, Detail::full) == number(Status::too_large));
  std::vector<double> header(kExplanation.size()), terms(static_cast<std::size_t>(max_terms(large)) * kTerm.size());
  std::vector<double> by_head(1024);
  std::vector<float> out(8);
  const std::int32_t cell[] = {static_cast<std::int32_t>(Tensor::output), 0, 0, 0};
  CHECK(call.forward() == number(Status::too_large));
  CHECK(call.reported().status == Status::too_large);
  CHECK(call.contributions(0, 1, out.data()) == number(Status::too_large));
  CHECK(call.explain(cell, 1, header.data(), terms.data()) == number(Status::too_large));
  CHECK(call.explain_by_head(0, 0, by_head.data()) == number(Status::too_large));
  CHECK(message(call.reported()).find("all tensors of a pass together") != std::string::npos);
}

TEST_CASE("cells and heads that are not there", "[exports]") {
  Random random(1);
  Call call = finished_call(random);
  REQUIRE(call.load() == 0);
  REQUIRE(call.forward() == 0);
  Buffers out(call);
  const auto explain = [&](std::array<std::int32_t, 4> cell, std::int32_t largest = 3) {
    return call.explain(cell.data(), largest, out.header.data(), out.terms.data());
  };
  const auto output = static_cast<std::int32_t>(Tensor::output);
  CHECK(explain({output, 3, 5, 0}) == 0);
  CHECK(explain({output, 4, 0, 0}) == number(Status::no_such_cell));
  CHECK(explain({output, 0, 6, 0}) == number(Status::no_such_cell));
  CHECK(explain({output, 0, 0, 1}) == number(Status::no_such_cell));
  CHECK(explain({output, -1, 0, 0}) == number(Status::no_such_cell));
  CHECK(explain({-1, 0, 0, 0}) == number(Status::no_such_cell));
  CHECK(explain({static_cast<std::int32_t>(kTensorCount), 0, 0, 0}) == number(Status::no_such_cell));
  CHECK(explain({output, 0, 0, 0}, -1) == number(Status::wrong_size));
  CHECK(explain({output, 0, 0, 0}, kMaxLargest + 1) == number(Status::wrong_size));
  CHECK(call.explain_by_head(4, 0, out.by_head.data()) == number(Status::no_such_cell));
  CHECK(call.explain_by_head(0, -1, out.by_head.data()) == number(Status::no_such_cell));

  const auto contributions = [&](std::int32_t first, std::int32_t count) {
    return call.contributions(first, count, out.contributions.data());
  };
  CHECK(contributions(0, 4) == 0);
  CHECK(contributions(0, 0) == number(Status::no_such_cell));
  CHECK(contributions(0, 5) == number(Status::no_such_cell));
  CHECK(contributions(3, 2) == number(Status::no_such_cell));
  CHECK(contributions(-1, 1) == number(Status::no_such_cell));
  CHECK(contributions(2147483647, 4) == number(Status::no_such_cell));
  std::vector<std::int32_t> views(kTensorCount * kView.size());
  double floats = 0;
  for (const std::int32_t slab : {-1, 4}) {
    CHECK(mha_layout(slab, call.shape.data(), call.parts.data(), views.data(), &floats) ==
          number(Status::no_such_cell));
  }
}

/// Pointers that can't be: nowhere, between two elements, behind the end of the memory and of all addresses.
template <class Element>
std::vector<Element*> impossible(std::vector<Element>& real) {
  const auto address = reinterpret_cast<std::uintptr_t>(real.data());
  std::vector<Element*> all = {nullptr, reinterpret_cast<Element*>(address + 1)};
#if defined(__wasm__)
  all.push_back(reinterpret_cast<Element*>(__builtin_wasm_memory_size(0) * 65536));
  all.push_back(reinterpret_cast<Element*>(std::uintptr_t{0} - 64));
#endif
  return all;
}

TEST_CASE("pointers that can't be", "[exports]") {
  Random random(1);
  Call call = finished_call(random);
  REQUIRE(call.load() == 0);
  REQUIRE(call.forward() == 0);
  Buffers out(call);
  std::vector<std::int32_t> cell = {static_cast<std::int32_t>(Tensor::output), 0, 0, 0};
  std::vector<std::int32_t> views(kTensorCount * kView.size());
  std::vector<double> number_out(1);
  const std::int32_t* const s = call.shape.data();
  const std::int32_t* const p = call.parts.data();
  const float* const x = call.solved.input.data();
  const double* const o = call.options.data();
  const float* const g = call.gates();
  float* const t = call.trace.data();
  const std::int32_t l = call.layer;
  constexpr auto kRefused = number(Status::wrong_size);

  for (const std::int32_t* bad : impossible(call.shape)) {
    CHECK(mha_forward(l, bad, p, x, o, g, t, nullptr) == kRefused);
    CHECK(mha_layout(0, bad, p, views.data(), number_out.data()) == kRefused);
    CHECK(mha_max_terms(bad) == 0);
    CHECK(mha_forward(l, s, bad, x, o, g, t, nullptr) == kRefused);
  }
  for (std::int32_t* bad : impossible(views)) {
    CHECK(mha_layout(0, s, p, bad, number_out.data()) == kRefused);
    CHECK(mha_self_attention(4, 8, 2, bad) == kRefused);
    CHECK(mha_explain(l, s, p, x, o, g, t, bad, 1, out.header.data(), out.terms.data(), nullptr) == kRefused);
    CHECK(mha_forward(l, s, p, x, o, g, t, bad) == 0);  // only nobody is told where
  }
  for (double* bad : impossible(out.terms)) {
    CHECK(mha_layout(0, s, p, views.data(), bad) == kRefused);
    CHECK(mha_scale(s, bad, number_out.data()) == kRefused);
    CHECK(mha_scale(s, o, bad) == kRefused);
    CHECK(mha_forward(l, s, p, x, bad, g, t, nullptr) == kRefused);
    CHECK(mha_explain(l, s, p, x, o, g, t, cell.data(), 1, bad, out.terms.data(), nullptr) == kRefused);
    CHECK(mha_explain(l, s, p, x, o, g, t, cell.data(), 1, out.header.data(), bad, nullptr) == kRefused);
    CHECK(mha_explain_by_head(l, s, p, x, o, g, t, 0, 0, bad, nullptr) == kRefused);
  }
  for (float* bad : impossible(call.trace)) {
    CHECK(mha_forward(l, s, p, bad, o, g, t, nullptr) == kRefused);
    CHECK(mha_forward(l, s, p, x, o, g, bad, nullptr) == kRefused);
    if (bad != nullptr) CHECK(mha_forward(l, s, p, x, o, bad, t, nullptr) == kRefused);
    CHECK(mha_contributions(l, s, p, bad, 0, 1, out.contributions.data(), nullptr) == kRefused);
    CHECK(mha_contributions(l, s, p, t, 0, 1, bad, nullptr) == kRefused);
    CHECK(mha_explain(l, s, p, bad, o, g, t, cell.data(), 1, out.header.data(), out.terms.data(), nullptr) == kRefused);
    CHECK(mha_explain(l, s, p, x, o, g, bad, cell.data(), 1, out.header.data(), out.terms.data(), nullptr) == kRefused);
    CHECK(mha_seed_parameters(s, p, 1, bad) == kRefused);
    CHECK(mha_load(0, s, p, bad, nullptr) == kRefused);
  }
}

}  // namespace
}  // namespace mha::test
