// `mha forward`: the file it writes against the reference.
#include "cli/forward.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "cli/trace_file.hpp"
#include "comparison.hpp"
#include "fixture.hpp"

namespace mha::cli::test {
namespace {

/// Every number of the file within its bound of the reference.
std::string trace_differs(const Files& files, const Problem& p) {
  const std::string bytes = read_text(files.out());
  const Result<SafetensorsHeader> header = parse_safetensors_header(bytes_of(bytes), bytes.size());
  REQUIRE(header.ok());
  CHECK(header.value().tensors.size() == kTraceFileTensors.size());
  const Layout layout(Slab::trace, p.shape, {.detail = Detail::full});
  Pass pass{{}, layout, Guarded(static_cast<std::size_t>(layout.size()))};
  std::string bad;
  const Reference reference = reference_of(p);
  for (const Tensor tensor : kTraceFileTensors) {
    const TensorEntry* entry = header.value().find(info(tensor).name);
    REQUIRE(entry != nullptr);
    CHECK(entry->shape == extents(tensor, p.shape));
    const Result<std::vector<float>> values = read_floats(bytes_of(bytes), *entry);
    REQUIRE(values.ok());
    if (tensor == Tensor::contributions) {
      bad = beyond_bound(values.value(), p.shape, 0, reference);
      continue;
    }
    const View& view = layout[tensor];
    for (std::int64_t i = 0; i < view.count(); ++i) {
      const std::int64_t c = i % view.shape[2];
      const std::int64_t b = i / view.shape[2] % view.shape[1];
      const std::int64_t a = i / view.shape[2] / view.shape[1];
      float& place = pass.trace.span()[static_cast<std::size_t>(view.at(a, b, c))];
      const float value = values.value()[static_cast<std::size_t>(i)];
      // heads and concat are the same numbers: what the file holds of both must agree.
      if (tensor == Tensor::concat) CHECK(same_bits(place, value));
      place = value;
    }
  }
  return bad.empty() ? beyond_bound(pass, p.shape, reference, kBoundOnly) : bad;
}

}  // namespace

TEST_CASE("forward writes what the reference computes", "[cli]") {
  for (const std::uint32_t seed : seeds()) {
    Random random(seed);
    for (int round = 0; round < 12; ++round) {
      Shape shape = {.tokens = random.integer(1, 9),
                     .context = random.integer(1, 9),
                     .model_dim = random.integer(1, 20),
                     .heads = random.pick({1, 2, 4, 6}),
                     .kv_heads = 1,
                     .head_dim = random.integer(1, 9)};
      if (random.one_in(2)) shape.context = shape.tokens;
      shape.kv_heads = random.one_in(2) ? shape.heads : random.pick({1, shape.heads / 2 + (shape.heads == 1 ? 1 : 0)});
      Problem p = random_problem(shape, random);
      p.gates.clear();
      INFO("seed " << seed << ": " << describe(p));
      const Files files(p);
      const std::size_t before = files.count();
      const Answer answer = mha(files.command());
      INFO(answer.err);
      REQUIRE(answer.code == kSuccess);
      CHECK(answer.err.empty());
      CHECK(answer.out.starts_with(files.out() + ": 12 tensors, n = "));
      CHECK(files.count() == before + 1);
      CHECK(trace_differs(files, p) == "");
    }
  }
}

TEST_CASE("the trace says how it was made", "[cli]") {
  Problem p = small_problem();
  p.switches.causal = true;
  const Files files(p);
  REQUIRE(mha(files.command()).code == kSuccess);
  const std::string bytes = read_text(files.out());
  const Result<SafetensorsHeader> header = parse_safetensors_header(bytes_of(bytes), bytes.size());
  REQUIRE(header.ok());
  CHECK(header.value().metadata == Metadata{{"format", "mha trace"},
                                            {"tokens", "5"},
                                            {"context", "5"},
                                            {"model_dim", "8"},
                                            {"heads", "2"},
                                            {"kv_heads", "2"},
                                            {"head_dim", "4"},
                                            {"scale", "0.5"},
                                            {"causal", "true"},
                                            {"padding", "0"}});
}

TEST_CASE("tensors of other names are not passed over in silence", "[cli]") {
  const Problem p = small_problem();
  const Files files(p);
  std::vector<TensorToWrite> tensors = files.parameters();
  tensors.push_back({"b_Q", {1}, std::span(p.x).first(1)});
  files.write_weights(tensors);
  const Answer answer = mha(files.command());
  CHECK(answer.code == kSuccess);
  CHECK(answer.out.ends_with("; not read: \"b_Q\"\n"));
}

}  // namespace mha::cli::test
