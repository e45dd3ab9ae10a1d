// Runs as files over the wasm boundary: the core's bytes, and what can't be saved or opened is refused.
#include "wasm/exports_saved_run.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "exports_call.hpp"
#include "lab/saved_run.hpp"
#include "run_record.hpp"
#include "support.hpp"
#include "wasm/exports_training.hpp"
#include "wasm/run_settings.hpp"

namespace mha::test {
namespace {

using wasm::kMaxRuns;
using wasm::kRunProgress;
using wasm::kRunSettings;
using wasm::kSaving;

std::vector<double> saving(double precision = 0, double decimals = -1, double moments = 1) {
  std::vector<double> record(kSaving.size());
  record[kSaving["precision"]] = precision;
  record[kSaving["decimals"]] = decimals;
  record[kSaving["moments"]] = moments;
  return record;
}

/// A run saved over the boundary, and the answer to that.
struct Saved {
  std::vector<std::uint8_t> file = std::vector<std::uint8_t>(1 << 20);
  double size = -1;
  std::int32_t status = -1;

  Saved(std::int32_t run, const std::vector<double>& how, const std::vector<std::string>& texts = {}) {
    std::string text;
    std::vector<std::int32_t> offsets = {0};
    for (const std::string& part : texts) offsets.push_back(static_cast<std::int32_t>((text += part).size()));
    status = mha_run_save(run, how.data(), text.data(), offsets.data(), static_cast<std::int32_t>(texts.size()),
                          file.data(), static_cast<std::uint32_t>(file.size()), &size);
    if (status == 0) file.resize(static_cast<std::size_t>(size));
  }
};

std::int32_t restore(std::int32_t run, const std::vector<double>& record, const std::vector<std::uint8_t>& file) {
  return mha_run_restore(run, record.data(), file.data(), static_cast<std::uint32_t>(file.size()));
}

std::vector<double> advance(std::int32_t run, std::int32_t steps) {
  std::vector<double> progress(kRunProgress.size());
  REQUIRE(mha_run_advance(run, steps, progress.data()) == 0);
  return progress;
}

}  // namespace

TEST_CASE("a run saved over the boundary is the core's file, and goes on bit for bit in another place",
          "[exports][saved_run]") {
  REQUIRE(mha_run_open(1, settings().data()) == 0);
  advance(1, 9);
  const std::vector<double> record = settings();
  const wasm::Settings read = wasm::read_settings(record.data());
  ObservedRun run;
  REQUIRE(run.start(read.shape, read.options).ok());
  REQUIRE(run.advance(9).ok());
  std::vector<std::byte> expected;
  REQUIRE(save_run(run.run(), {.moments = true, .said = {{"own", "说明"}}}, expected).ok());
  const Saved saved(1, saving(), {"own", "说明"});
  REQUIRE(saved.status == 0);
  REQUIRE(saved.file.size() == expected.size());
  CHECK(std::memcmp(saved.file.data(), expected.data(), expected.size()) == 0);

  REQUIRE(restore(2, settings(), saved.file) == 0);
  CHECK(advance(2, 0)[kRunProgress["steps"]] == 9);
  CHECK(advance(2, 4) == advance(1, 4));
  CHECK(Saved(2, saving()).file == Saved(1, saving()).file);
  CHECK(mha_run_close(1) == 0);
  CHECK(mha_run_close(2) == 0);
}

TEST_CASE("precision, decimals and moments are what they are asked to be", "[exports][saved_run]") {
  REQUIRE(mha_run_open(0, settings().data()) == 0);
  const auto said = [](const std::vector<double>& how) {
    const Saved saved(0, how);
    REQUIRE(saved.status == 0);
    const Result<ModelFile> model = read_model_file(std::as_bytes(std::span(saved.file)));
    REQUIRE(model.ok());
    return std::pair(model.value().metadata.at("rounding"), !model.value().moments.empty());
  };
  CHECK(said(saving(0, -1, 0)) == std::pair(std::string("none"), false));
  CHECK(said(saving(1, -1, 0)) == std::pair(std::string("float16"), false));
  CHECK(said(saving(0, 2, 1)) == std::pair(std::string("2 decimals"), true));
  CHECK(mha_run_close(0) == 0);
}

TEST_CASE("too little room: nothing is written but how much is wanted", "[exports][saved_run]") {
  REQUIRE(mha_run_open(0, settings().data()) == 0);
  const std::vector<double> how = saving();
  double size = 0;
  REQUIRE(mha_run_save(0, how.data(), nullptr, nullptr, 0, nullptr, 0, &size) == number(Status::too_large));
  std::vector<std::uint8_t> file(static_cast<std::size_t>(size), 0xAB);
  const auto room = static_cast<std::uint32_t>(file.size());
  REQUIRE(mha_run_save(0, how.data(), nullptr, nullptr, 0, file.data(), room - 1, &size) == number(Status::too_large));
  CHECK(std::ranges::count(file, 0xAB) == static_cast<std::ptrdiff_t>(file.size()));
  CHECK(size == room);
  REQUIRE(mha_run_save(0, how.data(), nullptr, nullptr, 0, file.data(), room, &size) == 0);
  CHECK(restore(0, settings(), file) == 0);
  CHECK(mha_run_close(0) == 0);
}

TEST_CASE("what cannot be saved is refused over the boundary", "[exports][saved_run]") {
  REQUIRE(mha_run_open(0, settings().data()) == 0);
  for (const std::int32_t id : {-1, 3, kMaxRuns}) CHECK(Saved(id, saving()).status == number(Status::not_loaded));
  for (const double precision : {-1.0, 2.0, 0.5, double(kNan)}) {
    CHECK(Saved(0, saving(precision)).status == number(Status::no_such_cell));
  }
  for (const double decimals : {-2.0, 0.5, 7.0, 1e300, double(kNan), double(kInfinity)}) {
    CHECK(Saved(0, saving(0, decimals)).status == number(Status::wrong_size));
  }
  CHECK(Saved(0, saving(), {"odd"}).status == number(Status::wrong_size));
  CHECK(Saved(0, saving(), std::vector<std::string>(66, "x")).status == number(Status::wrong_size));
  CHECK(Saved(0, saving(), {"key", ""}).status == number(Status::bad_text));
  CHECK(Saved(0, saving(), {"key", "\xFF"}).status == number(Status::bad_text));

  const std::vector<double> how = saving();
  const std::string text = "keyvalue";
  std::vector<std::uint8_t> file(1 << 20);
  const auto room = static_cast<std::uint32_t>(file.size());
  double size = 0;
  const auto status = [&](std::vector<std::int32_t> offsets) {
    return mha_run_save(0, how.data(), text.data(), offsets.data(), 2, file.data(), room, &size);
  };
  CHECK(status({0, 3, 8}) == 0);
  CHECK(status({1, 3, 8}) == number(Status::bad_text));
  CHECK(status({0, 5, 3}) == number(Status::bad_text));
  CHECK(status({0, -1, 3}) == number(Status::bad_text));
  const std::int32_t wrong = number(Status::wrong_size);
  CHECK(mha_run_save(0, nullptr, nullptr, nullptr, 0, file.data(), room, &size) == wrong);
  CHECK(mha_run_save(0, how.data(), nullptr, nullptr, 0, nullptr, room, &size) == wrong);
  CHECK(mha_run_save(0, how.data(), nullptr, nullptr, 0, file.data(), room, nullptr) == wrong);
  CHECK(mha_run_save(0, how.data(), text.data(), nullptr, 2, file.data(), room, &size) == wrong);
  CHECK(mha_run_save(0, how.data(), text.data(), nullptr, -2, file.data(), room, &size) == wrong);
  CHECK(mha_run_close(0) == 0);
}

TEST_CASE("what is no file of these settings is refused, and the run stays as it was", "[exports][saved_run]") {
  REQUIRE(mha_run_open(0, settings().data()) == 0);
  advance(0, 3);
  const Saved saved(0, saving());
  REQUIRE(saved.status == 0);
  const std::int32_t bad = number(Status::bad_model);

  for (const auto& [field, other] : std::vector<std::pair<std::size_t, double>>{
           {kRunSettings["heads"], 4},
           {kRunSettings["modelDim"], 32},
           {kRunSettings["layers"], 2},
           {kRunSettings["residual"], 1},
           {kRunSettings["layerNorm"], 1},
           {kRunSettings["biases"], 1},
           {kRunSettings["causal"], 1},
           {kRunSettings["task"], static_cast<double>(Task::two_women)},
           {kRunSettings["task"], static_cast<double>(Task::four_jobs)},
       }) {
    CAPTURE(field, other);
    std::vector<double> record = settings();
    record[field] = other;
    CHECK(restore(0, record, saved.file) == bad);
  }
  std::vector<double> no_task = settings();
  no_task[kRunSettings["task"]] = 99;
  CHECK(restore(0, no_task, saved.file) == number(Status::no_such_cell));
  std::vector<double> no_rate = settings();
  no_rate[kRunSettings["learningRate"]] = 0;
  CHECK(restore(0, no_rate, saved.file) == number(Status::bad_learning_rate));
  CHECK(restore(-1, settings(), saved.file) == number(Status::not_loaded));
  CHECK(restore(kMaxRuns, settings(), saved.file) == number(Status::not_loaded));
  CHECK(mha_run_restore(0, nullptr, saved.file.data(), 8) == number(Status::wrong_size));
  CHECK(mha_run_restore(0, settings().data(), nullptr, 8) == number(Status::wrong_size));

  // Cut anywhere, also within its header.
  for (std::size_t bytes = 0; bytes < saved.file.size(); bytes += 1 + bytes / 2) {
    std::vector<std::uint8_t> cut(saved.file.begin(), saved.file.begin() + static_cast<std::ptrdiff_t>(bytes));
    cut.reserve(1);  // no null pointer
    CAPTURE(bytes);
    CHECK(restore(0, settings(), cut) == bad);
  }
  // A NaN as the last number of all, which is a moment; and as the first of the data.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::uint64_t header = 0;
  std::memcpy(&header, saved.file.data(), sizeof header);
  for (const std::size_t place : {saved.file.size() - sizeof nan, static_cast<std::size_t>(header) + 8}) {
    std::vector<std::uint8_t> broken = saved.file;
    std::memcpy(broken.data() + place, &nan, sizeof nan);
    CHECK(restore(0, settings(), broken) == bad);
  }
  CHECK(advance(0, 0)[kRunProgress["steps"]] == 3);
  CHECK(Saved(0, saving()).file == saved.file);
  CHECK(mha_run_close(0) == 0);
}

}  // namespace mha::test
