// A problem that has every part, and the list of its parts, for tests that spoil each of them in turn.
#pragma once

#include <string_view>
#include <vector>

#include "problem.hpp"
#include "support.hpp"

namespace mha::test {

inline constexpr Shape kShape = {5, 4, 6, 4, 2, 3};

/// A problem that has every part.
inline Problem whole_problem(Random& random, const Shape& shape = kShape) {
  Problem p = plain_problem(shape, random);
  add_biases(p, random);
  p.context = numbers_for(Tensor::context, shape, random);
  p.mask = random_mask(shape, random);
  p.gates = random_gates(shape, random);
  return p;
}

struct Part {
  Tensor tensor;  ///< Tensor::count: the gates, which are no tensor of the table and have a status of their own
  std::vector<float> Problem::* values;
  bool may_be_empty;

  [[nodiscard]] bool is_gates() const { return tensor == Tensor::count; }
  [[nodiscard]] std::string_view name() const { return is_gates() ? "gates" : info(tensor).name; }
};

inline constexpr Part kParts[] = {
    {Tensor::x, &Problem::x, false},      {Tensor::context, &Problem::context, false},
    {Tensor::mask, &Problem::mask, true}, {Tensor::w_q, &Problem::w_q, false},
    {Tensor::w_k, &Problem::w_k, false},  {Tensor::w_v, &Problem::w_v, false},
    {Tensor::w_o, &Problem::w_o, false},  {Tensor::b_q, &Problem::b_q, true},
    {Tensor::b_k, &Problem::b_k, true},   {Tensor::b_v, &Problem::b_v, true},
    {Tensor::b_o, &Problem::b_o, true},   {Tensor::count, &Problem::gates, true},
};

}  // namespace mha::test
