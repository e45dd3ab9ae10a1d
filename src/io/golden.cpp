#include "io/golden.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "io/decimal.hpp"
#include "io/safetensors.hpp"
#include "mha/attention_reference.hpp"
#include "mha/layout.hpp"

namespace mha {
namespace {

constexpr double kUnit = 0x1p-24;

/// The rows of a tensor; 0, which validate() refuses, if the file has no such tensor.
std::int32_t extent_of(const SafetensorsHeader& header, std::string_view tensor) {
  const TensorEntry* const entry = header.find(tensor);
  if (entry == nullptr || entry->shape.empty()) return 0;
  return static_cast<std::int32_t>(std::min<std::uint64_t>(entry->shape[0], std::numeric_limits<std::int32_t>::max()));
}

Result<Options> options_of(const Metadata& metadata) {
  const auto text = [&](const char* key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : found->second;
  };
  Options options{.padding = whole_number(metadata, "padding")};
  if (text("causal") != "true" && text("causal") != "false") return Error{"causal must be true or false"};
  options.causal = text("causal") == "true";
  if (const std::string scale = text("scale"); scale == "none") {
    options.scale = Options::Scale::off;
  } else if (scale != "inverse_sqrt") {
    const std::optional<double> value = decimal_number(scale);
    if (!value) return Error{"scale must be inverse_sqrt, none or a number"};
    options.scale = Options::Scale::given;
    options.scale_value = static_cast<float>(*value);
  }
  return options;
}

/// One tensor of the fast pass, whose heads lie one after another.
struct Computed {
  const View& view;
  std::span<const float> slab;

  [[nodiscard]] double at(std::int64_t a, std::int64_t b, std::int64_t c) const {
    return static_cast<double>(slab[static_cast<std::size_t>(view.at(a, b, c))]);
  }
};

double largest(std::span<const float> values) {
  double most = 0;
  for (const float value : values) {
    if (std::isfinite(value)) most = std::max(most, std::abs(static_cast<double>(value)));
  }
  return most;
}

/// `bounds`: the a priori one of every element, row-major; empty: all 0. `limit`: the same for all elements.
Deviation deviation(const Computed& computed, std::span<const float> answers, std::span<const double> bounds,
                    double limit) {
  const View& view = computed.view;
  Deviation worst{.answered = true};
  double share = -1;
  std::size_t i = 0;
  for (std::int64_t a = 0; a < view.shape[0]; ++a) {
    for (std::int64_t b = 0; b < view.shape[1]; ++b) {
      for (std::int64_t c = 0; c < view.shape[2]; ++c, ++i) {
        const double got = computed.at(a, b, c);
        const double want = static_cast<double>(answers[i]);
        if (got == want && std::isinf(want)) continue;
        const double off = std::abs(got - want);
        // NaN and another infinity are infinitely wrong; a bound of 0 asks for the very number.
        const double error = std::isfinite(off) ? off : std::numeric_limits<double>::infinity();
        const double rounding = std::isfinite(want) ? kUnit * std::abs(want) : 0;
        const double allowed = std::isfinite(off) ? std::min((bounds.empty() ? 0 : bounds[i]) + rounding, limit) : 0;
        const double taken = error == 0 ? 0 : error / allowed;
        if (taken > share) {
          share = taken;
          worst.error = error;
          worst.bound = allowed;
        }
      }
    }
  }
  return worst;
}

bool made_of_weights(Tensor tensor) {
  return tensor == Tensor::weights || tensor == Tensor::heads || tensor == Tensor::concat ||
         tensor == Tensor::contributions || tensor == Tensor::output;
}

/// The bounds of one matrix per head as one row-major list.
std::vector<double> bounds_of(std::span<const Bounded> heads) {
  std::vector<double> bounds;
  for (const Bounded& head : heads)
    bounds.insert(bounds.end(), head.bound.data(), head.bound.data() + head.bound.size());
  return bounds;
}

}  // namespace

Parameters Golden::parameters() const {
  const Golden& g = *this;
  return {.w_q = g[Tensor::w_q],
          .w_k = g[Tensor::w_k],
          .w_v = g[Tensor::w_v],
          .w_o = g[Tensor::w_o],
          .b_q = g[Tensor::b_q],
          .b_k = g[Tensor::b_k],
          .b_v = g[Tensor::b_v],
          .b_o = g[Tensor::b_o]};
}

Input Golden::input() const {
  const Golden& g = *this;
  return {.x = g[Tensor::x], .context = g[Tensor::context], .mask = g[Tensor::mask]};
}

Result<Golden> parse_golden(std::span<const std::byte> file) {
  Result<SafetensorsHeader> parsed = parse_safetensors_header(file, file.size());
  if (!parsed.ok()) return parsed.error();
  const SafetensorsHeader& header = parsed.value();
  Result<Options> options = options_of(header.metadata);
  if (!options.ok()) return options.error();

  Golden golden{.shape = {.tokens = extent_of(header, "x"),
                          .context = extent_of(header, "k"),
                          .model_dim = extent_of(header, "w_q"),
                          .heads = whole_number(header.metadata, "heads"),
                          .kv_heads = whole_number(header.metadata, "kv_heads"),
                          .head_dim = whole_number(header.metadata, "head_dim")},
                .options = options.value(),
                .tensors = {}};
  if (Outcome bad = validate(golden.shape); !bad.ok()) return Error{message(bad)};
  for (const TensorEntry& entry : header.tensors) {
    const auto known = std::ranges::find(kTensors, std::string_view(entry.name), &TensorInfo::name);
    if (known == kTensors.end()) return Error{"an unknown tensor"};
    const auto tensor = static_cast<Tensor>(known - kTensors.begin());
    Result<std::vector<float>> values = read_floats(file, entry);
    if (!values.ok()) return values.error();
    if (std::cmp_not_equal(values.value().size(), element_count(tensor, golden.shape))) {
      return Error{message({.status = Status::wrong_size, .tensor = tensor})};
    }
    golden.tensors[static_cast<std::size_t>(tensor)] = std::move(values.value());
  }
  if (Outcome bad = validate(golden.shape, golden.parameters()); !bad.ok()) return Error{message(bad)};
  if (Outcome bad = validate(golden.shape, golden.input(), golden.options); !bad.ok()) return Error{message(bad)};
  return golden;
}

Outcome check(const Golden& golden, Deviations& deviations) {
  deviations = {};
  const Shape& shape = golden.shape;
  Attention attention;
  if (Outcome bad = attention.load(shape, golden.parameters()); !bad.ok()) return bad;
  const Layout layout(Slab::trace, shape, {});
  std::vector<float> trace(static_cast<std::size_t>(layout.size()));
  if (Outcome bad = attention.forward(shape, golden.input(), golden.options, Detail::full, trace); !bad.ok())
    return bad;
  const Layout parts_layout(Slab::contributions, shape, {});
  std::vector<float> parts(static_cast<std::size_t>(parts_layout.size()));
  const std::span<const float> concat = layout.span(Tensor::concat, std::span<const float>(trace));
  const std::span<float> all_heads = parts_layout.span(Tensor::contributions, std::span<float>(parts));
  if (Outcome bad = attention.contributions(shape, concat, 0, shape.heads, all_heads); !bad.ok()) return bad;

  const Reference reference = attention_reference(shape, golden.parameters(), golden.input(), golden.options);
  // An error in a score is a relative one in its weight, and in everything that is made of weights.
  const double carried = std::max(1.0, largest(golden[Tensor::masked_scores]));
  const auto compare = [&](Tensor tensor, std::span<const Bounded> heads) {
    const std::vector<float>& answers = golden[tensor];
    if (answers.empty()) return;
    const bool is_part = tensor == Tensor::contributions;
    const Computed computed{(is_part ? parts_layout : layout)[tensor], is_part ? parts : trace};
    const double limit = kGoldenLimit * largest(answers) * (made_of_weights(tensor) ? carried : 1.0);
    deviations[static_cast<std::size_t>(tensor)] = deviation(computed, answers, bounds_of(heads), limit);
  };
  const auto one = [](const Bounded& matrix) { return std::span<const Bounded>(&matrix, 1); };
  compare(Tensor::q, one(reference.q));
  compare(Tensor::k, one(reference.k));
  compare(Tensor::v, one(reference.v));
  compare(Tensor::raw_scores, reference.raw_scores);
  compare(Tensor::scaled_scores, reference.scaled_scores);
  compare(Tensor::masked_scores, reference.masked_scores);
  compare(Tensor::weights, reference.weights);
  compare(Tensor::heads, reference.heads);
  compare(Tensor::concat, one(reference.concat));
  compare(Tensor::contributions, reference.contributions);
  compare(Tensor::output, one(reference.output));
  compare(Tensor::masked_rows, {});
  return {};
}

}  // namespace mha
