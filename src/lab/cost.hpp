// What a pass takes, counted from its shape: the model that a measurement is held against.
#pragma once

#include "mha/shape.hpp"

namespace mha {

/// Of one pass of a (valid) shape. Doubles: the largest shapes are beyond 2³¹ of everything.
struct Cost {
  double flops = 0;         ///< multiplications and additions of the matrix products, 2 per multiply-add
  double exponentials = 0;  ///< one for each score
  double bytes = 0;         ///< of all numbers that are read or made, as floats, each counted once
};

/// Source: the equations of attention.hpp, product by product.
[[nodiscard]] Cost cost(const Shape& shape);

}  // namespace mha
