#include "wasm/exports_saved_run.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/saved_run.hpp"
#include "mha/utf8.hpp"
#include "wasm/answer.hpp"
#include "wasm/boundary.hpp"
#include "wasm/request.hpp"
#include "wasm/run_settings.hpp"
#include "wasm/run_slots.hpp"

using namespace mha;
using namespace mha::wasm;

namespace {

constexpr std::int32_t kMaxTexts = 64;

static_assert(kPrecisionNames[static_cast<std::size_t>(Precision::float16)] == "float16");

Outcome read_saving(const double* record, Saving& saving) {
  if (!usable(record, kSaving.size())) return {.status = Status::wrong_size};
  const std::int32_t precision = to_int(record[kSaving["precision"]]);
  const double decimals = record[kSaving["decimals"]];
  if (precision < 0 || static_cast<std::size_t>(precision) >= kPrecisionNames.size()) {
    return {.status = Status::no_such_cell};
  }
  // What is no whole number has become −1, which means something else here.
  if (to_int(decimals) != decimals) return {.status = Status::wrong_size};
  saving.precision = static_cast<Precision>(precision);
  saving.decimals = to_int(decimals);
  saving.moments = record[kSaving["moments"]] != 0;
  return {};
}

/// `count` texts: key, value, key, …
Outcome read_pairs(const char* text, const std::int32_t* offsets, std::int32_t count, Metadata& pairs) {
  if (count < 0 || count > kMaxTexts || count % 2 != 0) return {.status = Status::wrong_size};
  if (count == 0) return {};
  if (!usable(offsets, static_cast<std::size_t>(count) + 1)) return {.status = Status::wrong_size};
  if (offsets[0] != 0) return {.status = Status::bad_text};
  for (std::int32_t i = 0; i < count; i += 2) {
    const std::string_view key = token_of(text, offsets, i);
    const std::string_view value = token_of(text, offsets, i + 1);
    if (key.empty() || value.empty() || !is_utf8(key) || !is_utf8(value)) return {.status = Status::bad_text};
    pairs[std::string(key)] = value;
  }
  return {};
}

}  // namespace

std::int32_t mha_run_save(std::int32_t run, const double* saving, const char* text, const std::int32_t* offsets,
                          std::int32_t count, std::uint8_t* file, std::uint32_t room, double* size) {
  const RunSlot* const slot = find_run(run);
  if (slot == nullptr) return answer(Status::not_loaded);
  if (!usable(size, 1) || (room > 0 && !usable(file, room))) return answer(Status::wrong_size);
  Saving read;
  if (Outcome bad = read_saving(saving, read); !bad.ok()) return answer(bad);
  if (Outcome bad = read_pairs(text, offsets, count, read.said); !bad.ok()) return answer(bad);
  std::vector<std::byte> bytes;
  if (Outcome bad = save_run(slot->run.run(), read, bytes); !bad.ok()) return answer(bad);
  *size = static_cast<double>(bytes.size());
  if (bytes.size() > room) return answer(Status::too_large);
  std::ranges::transform(bytes, file, [](std::byte byte) { return static_cast<std::uint8_t>(byte); });
  return answer(Status::ok);
}

std::int32_t mha_run_restore(std::int32_t run, const double* settings, const std::uint8_t* file, std::uint32_t bytes) {
  if (!is_run_id(run)) return answer(Status::not_loaded);
  if (!usable(file, bytes)) return answer(Status::wrong_size);
  if (Outcome bad = check_settings(settings); !bad.ok()) return answer(bad);
  const Settings read = read_settings(settings);
  std::optional<RunSlot> next(std::in_place);
  const std::span<const std::byte> whole = std::as_bytes(std::span(file, bytes));
  if (Outcome bad = restore_run(read.shape, read.options, whole, next->run); !bad.ok()) return answer(bad);
  run_slots()[static_cast<std::size_t>(run)] = std::move(next);
  return answer(Status::ok);
}
