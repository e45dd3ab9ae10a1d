// The core against PyTorch: every file of tests/golden through the reference and through the fast pass.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "io/file.hpp"
#include "io/safetensors.hpp"
#include "problem.hpp"

namespace mha::test {
namespace {

struct Golden {
  std::string name;
  std::vector<std::byte> bytes;
  SafetensorsHeader header;
  Problem problem;

  [[nodiscard]] std::vector<float> read(Tensor tensor) const {
    const TensorEntry* entry = header.find(info(tensor).name);
    if (entry == nullptr) return {};
    const Result<std::vector<float>> values = read_f32(bytes, *entry);
    REQUIRE(values.ok());
    return values.value();
  }
  [[nodiscard]] const std::string& option(const char* key) const { return header.metadata.at(key); }
  [[nodiscard]] std::int32_t number(const char* key) const { return std::atoi(option(key).c_str()); }
  [[nodiscard]] std::int32_t rows(const char* tensor) const {
    return static_cast<std::int32_t>(header.find(tensor)->shape[0]);
  }
};

void read_problem(Golden& golden) {
  Problem& p = golden.problem;
  p.shape = {.tokens = golden.rows("x"),
             .context = golden.rows("k"),
             .model_dim = golden.rows("w_q"),
             .heads = golden.number("heads"),
             .kv_heads = golden.number("kv_heads"),
             .head_dim = golden.number("head_dim")};
  p.x = golden.read(Tensor::x);
  p.context = golden.read(Tensor::context);
  p.mask = golden.read(Tensor::mask);
  p.w_q = golden.read(Tensor::w_q);
  p.w_k = golden.read(Tensor::w_k);
  p.w_v = golden.read(Tensor::w_v);
  p.w_o = golden.read(Tensor::w_o);
  p.b_q = golden.read(Tensor::b_q);
  p.b_k = golden.read(Tensor::b_k);
  p.b_v = golden.read(Tensor::b_v);
  p.b_o = golden.read(Tensor::b_o);
  p.switches.causal = golden.option("causal") == "true";
  p.switches.padding = golden.number("padding");
  if (const std::string& scale = golden.option("scale"); scale == "none") {
    p.switches.scale = Options::Scale::off;
  } else if (scale != "inverse_sqrt") {
    p.switches.scale = Options::Scale::given;
    p.switches.scale_value = std::strtof(scale.c_str(), nullptr);
  }
}

std::vector<Golden> golden_files() {
  std::vector<Golden> files;
  for (const auto& entry : std::filesystem::directory_iterator(MHA_GOLDEN_DIR)) {
    if (entry.path().extension() != ".safetensors") continue;
    Golden& golden = files.emplace_back();
    golden.name = entry.path().filename().string();
    INFO(golden.name);
    Result<std::vector<std::byte>> bytes = read_file(entry.path().string());
    REQUIRE(bytes.ok());
    golden.bytes = std::move(bytes.value());
    Result<SafetensorsHeader> header = parse_safetensors_header(golden.bytes, golden.bytes.size());
    REQUIRE(header.ok());
    golden.header = std::move(header.value());
    read_problem(golden);
  }
  return files;
}

/// "" if every number of `want` is the stored one up to float rounding of the latter: 2⁻²⁴ of the number. What float64
/// itself loses is far below the last term.
std::string differs(const std::vector<float>& stored, const Matrix& want, std::size_t first) {
  const double slack = 1e-10 * largest(want);
  for (Eigen::Index i = 0; i < want.size(); ++i) {
    const double value = want.data()[i];
    const double golden = stored[first + static_cast<std::size_t>(i)];
    const bool fine = std::isinf(value) ? golden == value : std::abs(golden - value) <= kUnit * std::abs(value) + slack;
    if (!fine) return text("element %d: golden %.9g, reference %.17g", static_cast<int>(i), golden, value);
  }
  return "";
}

std::string differs(const Golden& golden, Tensor tensor, const std::vector<Bounded>& want) {
  const std::vector<float> stored = golden.read(tensor);
  std::string bad;
  std::size_t first = 0;
  for (const Bounded& head : want) {
    const auto size = static_cast<std::size_t>(head.value.size());
    if (first + size > stored.size()) return "too few numbers";
    if (bad.empty()) bad = differs(stored, head.value, first);
    first += size;
  }
  return first == stored.size() ? bad : "too many numbers";
}

std::string differs(const Golden& golden, Tensor tensor, const Bounded& want) {
  return differs(golden, tensor, std::vector<Bounded>{want});
}

}  // namespace

TEST_CASE("the golden files cover what the lesson shows", "[golden]") {
  // exp of it is infinite in float: only a softmax that takes the maximum off first survives.
  const auto is_large = [](float score) { return score > 90.0F; };
  int cross = 0, causal = 0, masked = 0, padded = 0, with_biases = 0, plain = 0, grouped = 0, one_token = 0,
      dead_rows = 0, wide = 0, one_number_heads = 0, large_scores = 0;
  for (const Golden& golden : golden_files()) {
    const Problem& p = golden.problem;
    const std::vector<float> rows = golden.read(Tensor::masked_rows);
    cross += p.context.empty() ? 0 : 1;
    causal += p.switches.causal ? 1 : 0;
    masked += p.mask.empty() ? 0 : 1;
    padded += p.switches.padding > 0 ? 1 : 0;
    with_biases += p.b_q.empty() ? 0 : 1;
    plain += p.b_q.empty() && p.b_o.empty() ? 1 : 0;
    grouped += p.shape.kv_heads < p.shape.heads ? 1 : 0;
    one_token += p.shape.tokens == 1 ? 1 : 0;
    wide += p.shape.q_width() != p.shape.model_dim ? 1 : 0;
    one_number_heads += p.shape.heads == p.shape.model_dim && p.shape.head_dim == 1 && p.shape.heads > 1 ? 1 : 0;
    large_scores += std::ranges::any_of(golden.read(Tensor::scaled_scores), is_large) ? 1 : 0;
    dead_rows += std::find(rows.begin(), rows.end(), 1.0F) != rows.end() ? 1 : 0;
  }
  CHECK(std::min({cross, causal, masked, padded, with_biases, plain, grouped, one_token, dead_rows, wide,
                  one_number_heads, large_scores}) > 0);
}

TEST_CASE("the reference agrees with PyTorch", "[golden]") {
  for (const Golden& golden : golden_files()) {
    INFO(golden.name << ": " << describe(golden.problem));
    const Reference reference = reference_of(golden.problem);
    CHECK(differs(golden, Tensor::q, reference.q) == "");
    CHECK(differs(golden, Tensor::k, reference.k) == "");
    CHECK(differs(golden, Tensor::v, reference.v) == "");
    CHECK(differs(golden, Tensor::raw_scores, reference.raw_scores) == "");
    CHECK(differs(golden, Tensor::scaled_scores, reference.scaled_scores) == "");
    CHECK(differs(golden, Tensor::masked_scores, reference.masked_scores) == "");
    CHECK(differs(golden, Tensor::weights, reference.weights) == "");
    CHECK(differs(golden, Tensor::heads, reference.heads) == "");
    CHECK(differs(golden, Tensor::concat, reference.concat) == "");
    CHECK(differs(golden, Tensor::contributions, reference.contributions) == "");
    CHECK(differs(golden, Tensor::output, reference.output) == "");
    const std::vector<float> masked_rows = golden.read(Tensor::masked_rows);
    REQUIRE(masked_rows.size() == reference.masked_rows.size());
    for (std::size_t row = 0; row < masked_rows.size(); ++row) {
      CHECK((masked_rows[row] == 1.0F) == reference.masked_rows[row]);
    }
  }
}

TEST_CASE("the fast pass agrees with the reference on the golden files", "[golden]") {
  for (const Golden& golden : golden_files()) {
    const Problem& p = golden.problem;
    INFO(golden.name << ": " << describe(p));
    const Reference reference = reference_of(p);
    // Scores of hundreds carry an error of hundreds of units into the exponential: only the bound knows how much.
    const bool usual = largest(reference.raw_scores.front().value) < 100.0;
    const Pass pass = run(p);
    REQUIRE(pass.outcome.ok());
    CHECK(beyond_bound(pass, p.shape, reference, usual ? kHouseLimit : kBoundOnly) == "");
    CHECK(pass.trace.intact());

    Attention attention;
    REQUIRE(attention.load(p.shape, p.parameters()).ok());
    Guarded contributions(floats(Tensor::contributions, p.shape));
    REQUIRE(attention.contributions(p.shape, pass[Tensor::concat], 0, p.shape.heads, contributions.span()).ok());
    CHECK(beyond_bound(contributions.span(), p.shape, 0, reference) == "");
  }
}

}  // namespace mha::test
