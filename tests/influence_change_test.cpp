// The thread forward against what really changes when a number does.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "explanation_problem.hpp"
#include "influence_problem.hpp"
#include "mha/attention_reference.hpp"
#include "mha/influence.hpp"
#include "problem.hpp"
#include "support.hpp"

namespace mha::test {
namespace {

/// What the double reference makes of a problem, by tensor.
struct Answer {
  Reference reference;
  std::int32_t k, per_kv_head;

  explicit Answer(const Problem& p)
      : reference(reference_of(p)), k(p.shape.head_dim), per_kv_head(p.shape.heads / p.shape.kv_heads) {}

  /// Precondition: a tensor of the trace but masked_rows, or contributions.
  [[nodiscard]] double at(const Cell& cell) const {
    const auto [a, b, c] = cell.index;
    const auto of_head = [&](const std::vector<Bounded>& heads) {
      return heads[static_cast<std::size_t>(a)].value(b, c);
    };
    switch (cell.tensor) {
      case Tensor::q: return reference.q.value(a, b);
      case Tensor::k: return reference.k.value(a, b);
      case Tensor::v: return reference.v.value(a, b);
      case Tensor::q_heads: return reference.q.value(b, a * k + c);
      case Tensor::k_heads: return reference.k.value(b, a * k + c);
      case Tensor::v_heads: return reference.v.value(b, a * k + c);
      case Tensor::raw_scores: return of_head(reference.raw_scores);
      case Tensor::scaled_scores: return of_head(reference.scaled_scores);
      case Tensor::masked_scores: return of_head(reference.masked_scores);
      case Tensor::weights: return of_head(reference.weights);
      case Tensor::heads: return of_head(reference.heads);
      case Tensor::concat: return reference.concat.value(a, b);
      case Tensor::contributions: return of_head(reference.contributions);
      default: return reference.output.value(a, b);
    }
  }
};

constexpr Tensor kComputed[] = {Tensor::q,
                                Tensor::k,
                                Tensor::v,
                                Tensor::q_heads,
                                Tensor::k_heads,
                                Tensor::v_heads,
                                Tensor::raw_scores,
                                Tensor::scaled_scores,
                                Tensor::masked_scores,
                                Tensor::weights,
                                Tensor::heads,
                                Tensor::concat,
                                Tensor::contributions,
                                Tensor::output};

struct Given {
  Tensor tensor;
  std::vector<float> Problem::* values;
};

constexpr Given kGiven[] = {
    {Tensor::x, &Problem::x},     {Tensor::context, &Problem::context}, {Tensor::mask, &Problem::mask},
    {Tensor::w_q, &Problem::w_q}, {Tensor::w_k, &Problem::w_k},         {Tensor::w_v, &Problem::w_v},
    {Tensor::w_o, &Problem::w_o}, {Tensor::b_q, &Problem::b_q},         {Tensor::b_k, &Problem::b_k},
    {Tensor::b_v, &Problem::b_v}, {Tensor::b_o, &Problem::b_o}};

int visible_keys(const Solved& solved, std::int32_t row) {
  int count = 0;
  for (std::int32_t j = 0; j < solved.problem.shape.context; ++j) {
    if (!forbidden(solved, {Tensor::weights, {0, row, j}})) ++count;
  }
  return count;
}

/// Whether one of a box's rows has a choice of keys: a key alone has weight 1 whatever its score.
bool has_choice(const Solved& solved, const Region& region) {
  const std::size_t axis = info(region.tensor).axes[0] == Axis::n ? 0 : 1;
  for (std::int32_t i = region.first[axis]; i < region.first[axis] + region.count[axis]; ++i) {
    if (visible_keys(solved, i) > 1) return true;
  }
  return false;
}

/// Changes a given number and holds what changes in the reference against the boxes.
std::string wrong_change(const Solved& solved, const Answer& before, const Given& given, const Cell& cell) {
  Problem other = solved.problem;
  const auto lengths = extents(given.tensor, other.shape);
  float& value = (other.*given.values)[static_cast<std::size_t>(cell.index[0] * lengths[1] + cell.index[1])];
  value += 0.75F;
  const Answer after(other);
  const auto found = influence_of(solved, cell);

  std::vector<bool> changed(found->reached.all().size(), false);
  for (const Tensor tensor : kComputed) {
    std::string bad;
    for_every_cell_of(tensor, other.shape, [&](const Cell& at) {
      if (before.at(at) == after.at(at)) return;
      bool inside = false;
      for (std::size_t i = 0; i < changed.size(); ++i) {
        if (!found->reached.all()[i].contains(at)) continue;
        changed[i] = inside = true;
      }
      if (!inside) bad = std::string(info(tensor).name) + " changes outside";
    });
    if (!bad.empty()) return bad;
  }
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const Region& region = found->reached.all()[i];
    // The same added to all keys adds the same to all scores of a row, which a softmax does not see.
    if (given.tensor == Tensor::b_k && region.tensor > Tensor::masked_scores) continue;
    if (!changed[i] && has_choice(solved, region)) {
      return std::string(info(region.tensor).name) + " does not change";
    }
  }
  return "";
}

TEST_CASE("what a number reaches changes with it, and nothing else", "[influence]") {
  for (const std::uint32_t seed : seeds()) {
    CAPTURE(seed);
    Random random(seed);
    for (const Solved& solved : followed(random)) {
      INFO(describe(solved.problem));
      const Answer before(solved.problem);
      for (const Given& given : kGiven) {
        if (!solved.holds(given.tensor)) continue;
        for_every_cell_of(given.tensor, solved.problem.shape, [&](const Cell& cell) {
          if (const std::string bad = wrong_change(solved, before, given, cell); !bad.empty()) {
            FAIL_CHECK(info(cell.tensor).name << " " << cell.index[0] << ", " << cell.index[1] << ": " << bad);
          }
        });
      }
    }
  }
}

}  // namespace
}  // namespace mha::test
