#include "mha/influence.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "mha/evidence_reader.hpp"
#include "mha/small_sort.hpp"

namespace mha {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Range {
  std::int32_t first = 0;
  std::int32_t count = 1;

  [[nodiscard]] std::int32_t end() const { return first + count; }
};

/// Calls visit(Range) for each longest run of places in `range` that pass.
template <class Passes, class Visit>
void for_each_run(Range range, Passes passes, Visit visit) {
  Range run{range.first, 0};
  for (std::int32_t i = range.first; i < range.end(); ++i) {
    if (passes(i)) {
      ++run.count;
    } else {
      if (run.count > 0) visit(run);
      run = {i + 1, 0};
    }
  }
  if (run.count > 0) visit(run);
}

/// Finds what boxes of cells go into, one step at a time.
class Spreader {
 public:
  Spreader(const Evidence& evidence, const EvidenceReader& read)
      : shape_(evidence.shape), options_(evidence.options), read_(read) {}

  /// False once something did not fit.
  [[nodiscard]] bool complete() const { return complete_; }

  /// Adds to `into` what the cells of `from` are operands of.
  void spread(const Region& from, Regions& into) {
    into_ = &into;
    const Range a{from.first[0], from.count[0]};
    const Range b{from.first[1], from.count[1]};
    const Range c{from.first[2], from.count[2]};
    switch (from.tensor) {
      case Tensor::token_vectors:
      case Tensor::positions: return add(Tensor::x, a, b);
      case Tensor::x:
        add(Tensor::q, a, q_columns());
        if (!read_.holds(Tensor::context)) asked(a);
        return;
      case Tensor::context: return asked(a);
      case Tensor::mask: return masked(heads(), a, b);
      case Tensor::w_q: return add(Tensor::q, rows(), b);
      case Tensor::w_k: return add(Tensor::k, keys(), b);
      case Tensor::w_v: return add(Tensor::v, keys(), b);
      case Tensor::w_o: return weighed_out(a.first, b);
      case Tensor::b_q: return add(Tensor::q, rows(), a);
      case Tensor::b_k: return add(Tensor::k, keys(), a);
      case Tensor::b_v: return add(Tensor::v, keys(), a);
      case Tensor::b_o: return add(Tensor::output, rows(), a);
      case Tensor::q:
        add(Tensor::q_heads, heads_of(b), a, columns_of(b));
        return add(Tensor::raw_scores, heads_of(b), a, keys());
      case Tensor::k:
        add(Tensor::k_heads, heads_of(b), a, columns_of(b));
        return add(Tensor::raw_scores, readers(heads_of(b)), rows(), a);
      case Tensor::v:
        add(Tensor::v_heads, heads_of(b), a, columns_of(b));
        return mixed(readers(heads_of(b)), rows(), a, columns_of(b));
      case Tensor::q_heads: return add(Tensor::raw_scores, a, b, keys());
      case Tensor::k_heads: return add(Tensor::raw_scores, readers(a), rows(), b);
      case Tensor::v_heads: return mixed(readers(a), rows(), b, c);
      case Tensor::raw_scores:
        if (options_.factor(shape_.head_dim) != 0.0F) add(Tensor::scaled_scores, a, b, c);
        return;
      case Tensor::scaled_scores: return masked(a, b, c);
      case Tensor::masked_scores: return normalised(a, b, c);
      case Tensor::weights: return mixed(a, b, c, {0, shape_.head_dim});
      case Tensor::heads: return multiplied(a, b);
      case Tensor::concat: return multiplied(heads_of(b), a);
      case Tensor::contributions: return added(a, b, c);
      case Tensor::output:
      case Tensor::masked_rows:
      case Tensor::count: return;
    }
  }

 private:
  [[nodiscard]] Range rows() const { return {0, shape_.tokens}; }
  [[nodiscard]] Range keys() const { return {0, shape_.context}; }
  [[nodiscard]] Range heads() const { return {0, shape_.heads}; }
  [[nodiscard]] Range q_columns() const { return {0, shape_.q_width()}; }
  [[nodiscard]] Range model_columns() const { return {0, shape_.model_dim}; }

  /// Columns of q, k, v or concat are either one or those of whole heads. Which heads, and which columns of each.
  [[nodiscard]] Range heads_of(Range columns) const {
    const std::int32_t first = columns.first / shape_.head_dim;
    return {first, (columns.end() - 1) / shape_.head_dim - first + 1};
  }
  [[nodiscard]] Range columns_of(Range columns) const {
    assert(columns.count == 1 || (columns.first % shape_.head_dim == 0 && columns.count % shape_.head_dim == 0));
    return {columns.first % shape_.head_dim, std::min(columns.count, shape_.head_dim)};
  }
  /// The query heads that read these key/value heads.
  [[nodiscard]] Range readers(Range kv_heads) const {
    const std::int32_t each = shape_.heads / shape_.kv_heads;
    return {kv_heads.first * each, kv_heads.count * each};
  }

  [[nodiscard]] bool is_on(std::int32_t head) const { return options_.gate(head) != 0.0F; }
  [[nodiscard]] bool may_see(std::int32_t i, std::int32_t j) const {
    if (options_.hides(shape_, i, j)) return false;
    return !read_.holds(Tensor::mask) || read_.at({Tensor::mask, {i, j, 0}}) != -kInfinity;
  }
  [[nodiscard]] bool may_see_any(std::int32_t i, Range some) const {
    for (std::int32_t j = some.first; j < some.end(); ++j) {
      if (may_see(i, j)) return true;
    }
    return false;
  }

  void add(Tensor tensor, Range a, Range b = {}, Range c = {}) {
    const Region region{tensor, {a.first, b.first, c.first}, {a.count, b.count, c.count}};
    for (const Region& other : into_->all()) {
      if (other.contains(region)) return;
    }
    if (into_->size == kMaxRegions) {
      complete_ = false;
      return;
    }
    into_->boxes[static_cast<std::size_t>(into_->size++)] = region;
  }

  /// The smallest box around the cells of these rows and keys that the mask lets through.
  void add_visible(Tensor tensor, Range in_heads, Range of_rows, Range of_keys) {
    std::int32_t top = of_rows.end(), bottom = of_rows.first, left = of_keys.end(), right = of_keys.first;
    for (std::int32_t i = of_rows.first; i < of_rows.end(); ++i) {
      for (std::int32_t j = of_keys.first; j < of_keys.end(); ++j) {
        if (!may_see(i, j)) continue;
        top = std::min(top, i);
        bottom = std::max(bottom, i + 1);
        left = std::min(left, j);
        right = std::max(right, j + 1);
      }
    }
    if (top < bottom) add(tensor, in_heads, {top, bottom - top}, {left, right - left});
  }

  /// Rows that are asked: of x or of the context.
  void asked(Range some) {
    add(Tensor::k, some, {0, shape_.kv_width()});
    add(Tensor::v, some, {0, shape_.kv_width()});
  }

  void masked(Range in_heads, Range of_rows, Range of_keys) {
    add_visible(Tensor::masked_scores, in_heads, of_rows, of_keys);
  }

  void normalised(Range in_heads, Range of_rows, Range of_keys) {
    for_each_run(
        of_rows, [&](std::int32_t i) { return may_see_any(i, of_keys); },
        [&](Range run) { add_visible(Tensor::weights, in_heads, run, keys()); });
  }

  /// What rows of A V get from some keys, in some columns of the values.
  void mixed(Range in_heads, Range of_rows, Range of_keys, Range columns) {
    const std::int32_t k = shape_.head_dim;
    for_each_run(
        of_rows, [&](std::int32_t i) { return may_see_any(i, of_keys); },
        [&](Range run) {
          for_each_run(
              in_heads, [&](std::int32_t head) { return is_on(head); },
              [&](Range on) {
                add(Tensor::heads, on, run, columns);
                if (columns.count == k) return add(Tensor::concat, run, {on.first * k, on.count * k});
                for (std::int32_t head = on.first; head < on.end(); ++head) {
                  add(Tensor::concat, run, {head * k + columns.first, columns.count});
                }
              });
        });
  }

  /// What rows of heads go into when w_o multiplies them.
  void multiplied(Range some, Range of_rows) { multiplied(some, of_rows, model_columns()); }

  void multiplied(Range some, Range of_rows, Range columns) {
    for_each_run(
        of_rows, [&](std::int32_t i) { return may_see_any(i, keys()); },
        [&](Range run) {
          for_each_run(
              some, [&](std::int32_t head) { return is_on(head); },
              [&](Range on) {
                add(Tensor::contributions, on, run, columns);
                add(Tensor::output, run, columns);
              });
        });
  }

  void weighed_out(std::int32_t row_of_w_o, Range columns) {
    multiplied({row_of_w_o / shape_.head_dim, 1}, rows(), columns);
  }

  void added(Range some, Range of_rows, Range columns) {
    for_each_run(
        of_rows, [&](std::int32_t i) { return may_see_any(i, keys()); },
        [&](Range run) {
          for (std::int32_t head = some.first; head < some.end(); ++head) {
            if (is_on(head)) return add(Tensor::output, run, columns);
          }
        });
  }

  const Shape& shape_;
  const Options& options_;
  const EvidenceReader& read_;
  Regions* into_ = nullptr;
  bool complete_ = true;
};

/// Leaves out what is inside another box or in no slab, and puts the rest in the order of the tensors.
void tidy(const EvidenceReader& read, Regions& regions) {
  const std::span<Region> all = std::span(regions.boxes).first(static_cast<std::size_t>(regions.size));
  const auto superfluous = [&](const Region& region) {
    if (region.tensor != Tensor::contributions && !read.holds(region.tensor)) return true;
    return std::any_of(all.begin(), all.end(),
                       [&](const Region& other) { return !(other == region) && other.contains(region); });
  };
  // Marked first, moved afterwards: the boxes that contain others must stay where they are looked for.
  std::array<bool, static_cast<std::size_t>(kMaxRegions)> out = {};
  for (std::size_t i = 0; i < all.size(); ++i) out[i] = superfluous(all[i]);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!out[i]) all[kept++] = all[i];
  }
  regions.size = static_cast<std::int32_t>(kept);
  small_sort(all.first(kept), [](const Region& a, const Region& b) {
    return a.tensor != b.tensor ? a.tensor < b.tensor : a.first < b.first;
  });
}

}  // namespace

Outcome influence(const Evidence& evidence, const Cell& cell, Influence& influence) {
  if (Outcome bad = validate(evidence.shape); !bad.ok()) return bad;
  const EvidenceReader read(evidence);
  if (Outcome bad = read.complete(); !bad.ok()) return bad;
  if (!read.knows(cell)) return {.status = Status::no_such_cell, .tensor = cell.tensor, .index = cell.index};

  Spreader spreader(evidence, read);
  influence.direct.size = 0;
  spreader.spread({cell.tensor, cell.index}, influence.direct);
  influence.reached = influence.direct;
  for (std::int32_t i = 0; i < influence.reached.size; ++i) {
    const Region from = influence.reached.boxes[static_cast<std::size_t>(i)];
    spreader.spread(from, influence.reached);
  }
  if (!spreader.complete()) return {.status = Status::too_large, .tensor = cell.tensor, .index = cell.index};
  tidy(read, influence.direct);
  tidy(read, influence.reached);
  return {};
}

}  // namespace mha
