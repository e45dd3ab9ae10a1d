#include "train/read_out.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "mha/finite.hpp"
#include "mha/gemm.hpp"

namespace mha {
namespace {

std::size_t product(std::int32_t a, std::size_t b) { return static_cast<std::size_t>(a) * b; }

/// The questions of one slot lie together.
struct Slot {
  std::int32_t number, first, count;
};

/// Calls `visit` with every slot, those that nobody asks in included.
template <class Visit>
void each_slot(std::int32_t slots, std::span<const Question> questions, const Visit& visit) {
  std::int32_t first = 0;
  for (std::int32_t slot = 0; slot < slots; ++slot) {
    std::int32_t last = first;
    while (static_cast<std::size_t>(last) < questions.size() &&
           questions[static_cast<std::size_t>(last)].slot == slot) {
      ++last;
    }
    visit(Slot{slot, first, last - first});
    first = last;
  }
}

/// to [columns, rows] = from [rows, columns] transposed.
void transpose(const float* from, std::int32_t rows, std::int32_t columns, float* to) {
  for (std::int32_t column = 0; column < columns; ++column) {
    for (std::int32_t row = 0; row < rows; ++row) *to++ = from[std::ptrdiff_t{row} * columns + column];
  }
}

void add_columns(const float* from, std::int32_t rows, std::span<float> sums) {
  std::fill(sums.begin(), sums.end(), 0.0F);
  for (std::int32_t row = 0; row < rows; ++row) {
    for (float& sum : sums) sum += *from++;
  }
}

}  // namespace

bool ReadOut::reserve(std::size_t questions) {
  const auto q = static_cast<std::int32_t>(questions);
  const std::size_t panels =
      std::max({packed_size(sizes_.d, sizes_.v), packed_size(sizes_.v, sizes_.d), packed_size(q, sizes_.v)});
  answers_.resize(questions);
  return rows_.reserve(product(sizes_.d, questions)) && transposed_.reserve(product(sizes_.d, questions)) &&
         probabilities_.reserve(product(sizes_.v, questions)) && panels_.reserve(panels);
}

Outcome ReadOut::forward(const Sizes& sizes, std::span<const Question> questions, std::span<const float> hidden,
                         const Map<const float>& map) {
  sizes_ = sizes;
  if (!reserve(questions.size())) return {.status = Status::out_of_memory};
  const std::int32_t d = sizes.d;
  const std::int32_t v = sizes.v;
  for (std::size_t q = 0; q < questions.size(); ++q) {
    std::copy_n(hidden.data() + std::ptrdiff_t{questions[q].row} * d, d, rows_.data() + product(d, q));
  }
  each_slot(sizes.slots, questions, [&](const Slot& slot) {
    if (slot.count == 0) return;
    pack({map.matrix.data() + std::ptrdiff_t{slot.number} * v, std::ptrdiff_t{sizes_.slots} * v}, d, v, panels_.data());
    gemm(slot.count, v, d, rows_.data() + std::ptrdiff_t{slot.first} * d, d, panels_.data(),
         map.bias.empty() ? nullptr : map.bias.data() + std::ptrdiff_t{slot.number} * v,
         probabilities_.data() + std::ptrdiff_t{slot.first} * v, v);
  });
  const std::span<float> logits(probabilities_.data(), product(v, questions.size()));
  if (first_not_finite(logits) != logits.size()) return {.status = Status::overflow};
  for (std::size_t q = 0; q < questions.size(); ++q) {
    answers_[q] = cross_entropy(logits.subspan(product(v, q), static_cast<std::size_t>(v)), questions[q].target);
  }
  return {};
}

void ReadOut::backward(std::span<const Question> questions, std::span<const float> question_weights,
                       const Map<const float>& map, std::span<float> d_hidden, const Map<float>& d_map) {
  const std::int32_t d = sizes_.d;
  const std::int32_t v = sizes_.v;
  const std::ptrdiff_t width = std::ptrdiff_t{sizes_.slots} * v;
  for (std::size_t q = 0; q < questions.size(); ++q) {
    cross_entropy_gradient({probabilities_.data() + product(v, q), static_cast<std::size_t>(v)}, questions[q].target,
                           question_weights[q]);
  }
  std::fill(d_hidden.begin(), d_hidden.end(), 0.0F);
  std::fill(d_map.matrix.begin(), d_map.matrix.end(), 0.0F);  // of a slot that nobody asks in

  each_slot(sizes_.slots, questions, [&](const Slot& slot) {
    float* const rows = rows_.data() + std::ptrdiff_t{slot.first} * d;
    const float* const d_logits = probabilities_.data() + std::ptrdiff_t{slot.first} * v;
    const std::ptrdiff_t column = std::ptrdiff_t{slot.number} * v;
    if (!d_map.bias.empty()) {
      add_columns(d_logits, slot.count,
                  d_map.bias.subspan(static_cast<std::size_t>(column), static_cast<std::size_t>(v)));
    }
    if (slot.count == 0) return;
    if (!d_map.matrix.empty()) {
      transpose(rows, slot.count, d, transposed_.data());
      pack({d_logits, v}, slot.count, v, panels_.data());
      gemm(d, v, slot.count, transposed_.data(), slot.count, panels_.data(), nullptr, d_map.matrix.data() + column,
           width);
    }
    pack({map.matrix.data() + column, 1, width}, v, d, panels_.data());
    gemm(slot.count, d, v, d_logits, v, panels_.data(), nullptr, rows, d);
  });
  // A word may ask in several slots.
  for (std::size_t q = 0; q < questions.size(); ++q) {
    const float* const row = rows_.data() + product(d, q);
    float* const to = d_hidden.data() + std::ptrdiff_t{questions[q].row} * d;
    for (std::int32_t c = 0; c < d; ++c) to[c] += row[c];
  }
}

std::span<const float> ReadOut::probabilities() const {
  return {probabilities_.data(), product(sizes_.v, answers_.size())};
}

}  // namespace mha
