// Where tensors lie: heads are views of the same bytes, nothing else overlaps.
#include "mha/layout.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <utility>
#include <vector>

#include "problem.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

constexpr Slab kSlabs[] = {Slab::input, Slab::parameters, Slab::trace, Slab::contributions};

/// A split tensor and the tensor whose bytes it shows.
constexpr std::pair<Tensor, Tensor> kSplit[] = {{Tensor::q_heads, Tensor::q},
                                                {Tensor::k_heads, Tensor::k},
                                                {Tensor::v_heads, Tensor::v},
                                                {Tensor::heads, Tensor::concat}};

Tensor owner(Tensor tensor) {
  for (const auto& [split, whole] : kSplit) {
    if (split == tensor) return whole;
  }
  return tensor;
}

std::vector<Shape> shapes() {
  Random random(Catch::getSeed());
  std::vector<Shape> all = {{1, 1, 1, 1, 1, 1}, {11, 11, 512, 8, 8, 64}, {3, 5, 7, 6, 2, 13}, {16, 16, 16, 4, 4, 4}};
  for (int i = 0; i < 6; ++i) {
    const int g = random.integer(1, 4);
    all.push_back({random.integer(1, 40), random.integer(1, 40), random.integer(1, 70), g * random.integer(1, 3), g,
                   random.integer(1, 20)});
  }
  return all;
}

std::vector<Parts> all_parts() {
  std::vector<Parts> all;
  for (int i = 0; i < 16; ++i) {
    all.push_back({(i & 1) != 0, (i & 2) != 0, (i & 4) != 0, (i & 8) != 0 ? Detail::full : Detail::core});
  }
  return all;
}

TEST_CASE("splitting into heads is a strided view of the same bytes", "[layout]") {
  for (const Shape& s : shapes()) {
    CAPTURE(s.tokens, s.context, s.model_dim, s.heads, s.kv_heads, s.head_dim);
    for (const Detail detail : {Detail::core, Detail::full}) {
      const Layout layout(Slab::trace, s, {.detail = detail});
      for (const auto& [split, whole] : kSplit) {
        REQUIRE(layout.find(split));
        const View& heads = layout[split];
        const View& wide = layout[whole];
        CHECK(heads.offset == wide.offset);
        CHECK(heads.rank == 3);
        CHECK(wide.rank == 2);
        CHECK(wide.strides == std::array<std::int64_t, 3>{wide.shape[1], 1, 0});
        CHECK(heads.strides == std::array<std::int64_t, 3>{s.head_dim, wide.shape[1], 1});
        CHECK(heads.count() == wide.count());
        // heads[i, t, c] is wide[t, i·k + c], the very same float.
        const std::int64_t i = heads.shape[0] - 1, t = heads.shape[1] - 1, c = heads.shape[2] - 1;
        CHECK(heads.at(i, t, c) == wide.at(t, i * s.head_dim + c));
        CHECK(heads.at(i, 0, c) == wide.at(0, i * s.head_dim + c));
        CHECK(heads.at(0, t, 0) == wide.at(t, 0));
      }
      CHECK(layout[Tensor::q].shape[1] == s.q_width());
      CHECK(layout[Tensor::k].shape[1] == s.kv_width());
      CHECK(layout[Tensor::concat].shape[1] == s.q_width());
    }
  }
}

TEST_CASE("every float of a view is inside its slab and belongs to one tensor only", "[layout]") {
  for (const Shape& s : shapes()) {
    if (s.model_dim > 100) continue;
    CAPTURE(s.tokens, s.context, s.model_dim, s.heads, s.kv_heads, s.head_dim);
    for (const Parts& parts : all_parts()) {
      for (const Slab slab : kSlabs) {
        const Layout layout(slab, s, parts);
        std::vector<Tensor> owners(static_cast<std::size_t>(layout.size()), Tensor::count);
        std::int64_t outside = 0, shared = 0, twice = 0;
        for (std::size_t index = 0; index < kTensorCount; ++index) {
          const auto tensor = static_cast<Tensor>(index);
          if (!layout.find(tensor)) continue;
          const View& view = layout[tensor];
          std::vector<bool> seen(owners.size());
          for (std::int64_t a = 0; a < view.shape[0]; ++a) {
            for (std::int64_t b = 0; b < view.shape[1]; ++b) {
              for (std::int64_t c = 0; c < view.shape[2]; ++c) {
                const std::int64_t at = view.at(a, b, c);
                if (at < 0 || at >= layout.size()) {
                  ++outside;
                  continue;
                }
                const auto place = static_cast<std::size_t>(at);
                if (seen[place]) ++twice;
                seen[place] = true;
                if (owners[place] != Tensor::count && owners[place] != owner(tensor)) ++shared;
                owners[place] = owner(tensor);
              }
            }
          }
        }
        CHECK(outside == 0);
        CHECK(shared == 0);
        CHECK(twice == 0);
      }
    }
  }
}

TEST_CASE("every tensor has the shape of the table and starts on 64 bytes", "[layout]") {
  for (const Shape& s : shapes()) {
    CAPTURE(s.tokens, s.context, s.model_dim, s.heads, s.kv_heads, s.head_dim);
    for (const Slab slab : kSlabs) {
      const Layout layout(slab, s, {.context = true, .mask = true, .biases = true, .detail = Detail::full});
      CHECK(layout.slab() == slab);
      CHECK(layout.size() % 16 == 0);
      std::int64_t needed = 0, tensors = 0;
      for (std::size_t index = 0; index < kTensorCount; ++index) {
        const auto tensor = static_cast<Tensor>(index);
        CAPTURE(info(tensor).name);
        REQUIRE(layout.find(tensor).has_value() == (info(tensor).slab == slab));
        if (!layout.find(tensor)) continue;
        const View& view = layout[tensor];
        CHECK(view.rank == info(tensor).rank);
        CHECK(view.offset % 16 == 0);
        for (std::size_t place = 0; place < 3; ++place) {
          CHECK(view.shape[place] == extent(info(tensor).axes[place], s));
          const bool used = place < static_cast<std::size_t>(view.rank);
          CHECK((view.strides[place] == 0) == !used);
        }
        CHECK(view.count() == static_cast<std::int64_t>(floats(tensor, s)));
        if (owner(tensor) == tensor) {
          needed += view.count();
          ++tensors;
        }
      }
      // No more is asked for than the numbers and less than one line of padding each.
      CHECK(layout.size() >= needed);
      CHECK(layout.size() < needed + 16 * tensors);
    }
  }
}

TEST_CASE("parts decide which tensors there are", "[layout]") {
  const Shape s = {3, 5, 8, 4, 2, 3};
  const std::map<Tensor, int> optional = {
      {Tensor::context, 0},    {Tensor::mask, 1},          {Tensor::b_q, 2},
      {Tensor::b_k, 2},        {Tensor::b_v, 2},           {Tensor::b_o, 2},
      {Tensor::raw_scores, 3}, {Tensor::scaled_scores, 3}, {Tensor::masked_scores, 3}};
  for (const Parts& parts : all_parts()) {
    const bool chosen[] = {parts.context, parts.mask, parts.biases, parts.detail == Detail::full};
    for (const Slab slab : kSlabs) {
      const Layout layout(slab, s, parts);
      for (std::size_t index = 0; index < kTensorCount; ++index) {
        const auto tensor = static_cast<Tensor>(index);
        CAPTURE(info(tensor).name);
        const auto found = optional.find(tensor);
        const bool there = found == optional.end() || chosen[found->second];
        CHECK(layout.find(tensor).has_value() == (there && info(tensor).slab == slab));
      }
    }
  }
}

TEST_CASE("a span is the tensor's part of the slab, and empty if there is none", "[layout]") {
  const Shape s = {3, 5, 8, 4, 2, 3};
  const Layout layout(Slab::trace, s, {.detail = Detail::core});
  std::vector<float> slab(static_cast<std::size_t>(layout.size()));
  for (std::size_t i = 0; i < slab.size(); ++i) slab[i] = static_cast<float>(i);
  for (const Tensor tensor : {Tensor::q, Tensor::weights, Tensor::concat, Tensor::output, Tensor::masked_rows}) {
    const std::span<float> part = layout.span(tensor, std::span(slab));
    CHECK(part.size() == floats(tensor, s));
    CHECK(part.front() == static_cast<float>(layout[tensor].offset));
    CHECK(layout.span(tensor, std::span<const float>(slab)).data() == part.data());
  }
  CHECK(layout.span(Tensor::raw_scores, std::span(slab)).empty());
  CHECK(layout.span(Tensor::x, std::span(slab)).empty());
}

TEST_CASE("a view knows its own indices", "[layout]") {
  const View view = Layout(Slab::trace, {3, 5, 8, 4, 2, 6}, {})[Tensor::q_heads];
  CHECK(view.contains(0, 0, 0));
  CHECK(view.contains(3, 2, 5));
  CHECK_FALSE(view.contains(4, 0, 0));
  CHECK_FALSE(view.contains(0, 3, 0));
  CHECK_FALSE(view.contains(0, 0, 6));
  CHECK_FALSE(view.contains(-1, 0, 0));
  CHECK_FALSE(view.contains(0, -1, 0));
  CHECK_FALSE(view.contains(0, 0, -1));
}

}  // namespace
}  // namespace mha::test
