// What the page's "check the numbers" runs: golden files read, passed through this build and compared; and that the
// comparison is no rubber stamp.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/file.hpp"
#include "io/golden.hpp"
#include "support.hpp"
#include "wasm/boundary.hpp"
#include "wasm/exports.hpp"

namespace mha::test {
namespace {

constexpr Tensor kAnswers[] = {
    Tensor::q,       Tensor::k,     Tensor::v,      Tensor::raw_scores,    Tensor::scaled_scores, Tensor::masked_scores,
    Tensor::weights, Tensor::heads, Tensor::concat, Tensor::contributions, Tensor::output,        Tensor::masked_rows};

std::vector<std::byte> bytes_of(const std::filesystem::path& path) {
  Result<std::vector<std::byte>> bytes = read_file(path.string());
  REQUIRE(bytes.ok());
  return std::move(bytes.value());
}

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(MHA_GOLDEN_DIR)) {
    if (entry.path().extension() == ".safetensors") found.push_back(entry.path());
  }
  REQUIRE(found.size() >= 35);
  return found;
}

Golden golden_of(const std::filesystem::path& path) {
  Result<Golden> golden = parse_golden(bytes_of(path));
  REQUIRE(golden.ok());
  return std::move(golden.value());
}

std::size_t place(Tensor tensor) { return static_cast<std::size_t>(tensor); }

TEST_CASE("every golden case: every answer within its bound", "[golden]") {
  for (const auto& path : files()) {
    INFO(path.filename());
    Deviations deviations;
    REQUIRE(check(golden_of(path), deviations).ok());
    for (std::size_t i = 0; i < kTensorCount; ++i) {
      const auto tensor = static_cast<Tensor>(i);
      CAPTURE(info(tensor).name, deviations[i].error, deviations[i].bound);
      CHECK(deviations[i].answered == (std::ranges::find(kAnswers, tensor) != std::end(kAnswers)));
      CHECK(deviations[i].within());
    }
  }
}

TEST_CASE("an answer that is a little off is seen, in every tensor", "[golden]") {
  for (const char* name : {"self_d8_h2.safetensors", "everything.safetensors", "masked_row.safetensors"}) {
    const Golden golden = golden_of(std::filesystem::path(MHA_GOLDEN_DIR) / name);
    for (const Tensor tensor : kAnswers) {
      CAPTURE(name, info(tensor).name);
      const std::vector<float>& answers = golden[tensor];
      float most = 0;
      for (const float value : answers) most = std::isfinite(value) ? std::max(most, std::abs(value)) : most;
      for (const float wrong : {answers.back() + 1e-4F * most + 1e-9F, std::numeric_limits<float>::quiet_NaN(),
                                std::numeric_limits<float>::infinity()}) {
        Golden spoilt = golden;
        spoilt.tensors[place(tensor)].back() = wrong;
        if (wrong == answers.back()) continue;  // −∞ and a little
        Deviations deviations;
        REQUIRE(check(spoilt, deviations).ok());
        CHECK(!deviations[place(tensor)].within());
      }
    }
  }
}

TEST_CASE("a file that is no golden case is refused", "[golden]") {
  const std::vector<std::byte> whole = bytes_of(std::filesystem::path(MHA_GOLDEN_DIR) / "everything.safetensors");
  std::array<double, kTensorCount * wasm::kDeviation.size()> deviations = {};
  const auto status = [&](std::span<const std::byte> file) {
    return static_cast<Status>(mha_check(reinterpret_cast<const std::uint8_t*>(file.data()),
                                         static_cast<std::uint32_t>(file.size()), deviations.data()));
  };
  CHECK(status(whole) == Status::ok);
  CHECK(mha_check(nullptr, 8, deviations.data()) == static_cast<std::int32_t>(Status::wrong_size));
  for (const std::size_t size : {std::size_t{1}, std::size_t{8}, std::size_t{100}, whole.size() - 1}) {
    CHECK(status(std::span(whole).first(size)) == Status::bad_text);
  }
  std::string text(reinterpret_cast<const char*>(whole.data()), whole.size());
  const auto with = [&](std::string_view old, std::string_view now) {
    REQUIRE(old.size() == now.size());
    std::string changed = text;
    changed.replace(changed.find(old), old.size(), now);
    return changed;
  };
  for (const auto& [old, now] : {std::pair{R"("heads":"4")", R"("heads":"3")"},
                                 {R"("heads":"4")", R"("heads":"x")"},
                                 {R"("causal":"true")", R"("causal":"yes!")"},
                                 {R"("scale":"-0.75")", R"("scale":"-0.7x")"},
                                 {R"("padding":"1")", R"("padding":"9")"},
                                 {R"("w_q":)", R"("w_p":)"}}) {
    CAPTURE(now);
    const std::string changed = with(old, now);
    CHECK(status(std::as_bytes(std::span(changed))) == Status::bad_text);
  }
}

}  // namespace
}  // namespace mha::test
