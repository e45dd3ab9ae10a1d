// What a small run is started with over the boundary.
#pragma once

#include <cstdint>
#include <vector>

#include "wasm/boundary.hpp"

namespace mha::test {

inline std::vector<double> settings(std::int32_t heads = 2) {
  using wasm::kRunSettings;
  std::vector<double> record(kRunSettings.size(), 0.0);
  record[kRunSettings["heads"]] = heads;
  record[kRunSettings["modelDim"]] = 16;
  record[kRunSettings["layers"]] = 1;
  record[kRunSettings["batch"]] = 8;
  record[kRunSettings["learningRate"]] = 0.01;
  record[kRunSettings["seed"]] = 7;
  return record;
}

}  // namespace mha::test
