// How every exported function ends.
#pragma once

#include <cstdint>

#include "mha/status.hpp"
#include "wasm/boundary.hpp"
#include "wasm/records.hpp"
#include "wasm/request.hpp"

namespace mha::wasm {

/// Reports to both places where a caller may look.
inline std::int32_t answer(const Outcome& outcome, std::int32_t* record = nullptr) {
  if (usable(record, kOutcome.size())) write_outcome(outcome, record);
  return static_cast<std::int32_t>(outcome.status);
}

inline std::int32_t answer(Status status, std::int32_t* record = nullptr) {
  return answer(Outcome{.status = status}, record);
}

}  // namespace mha::wasm
