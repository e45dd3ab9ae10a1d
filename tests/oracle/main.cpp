// What the page must show, computed outside the page: the double reference with its bounds, as JSON.
//
//   mha_oracle tokens='小明|把' d=8 h=2 seed=42 [causal=1] [scaled=0] [positions=0] [padding=1] [gates=1,0]
//   mha_oracle tokens='小明|把' d=8 h=2 model=FILE […]     first layer and embeddings of a trained model
//
// Prints {"x": {"shape": [n, d], "value": […]}, …, "q": {"shape": […], "value": […], "bound": […]}, …}. Tensors of
// heads are stacked along a first axis. −∞ is written −1e999, which JSON readers turn back into −∞.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mha/attention_reference.hpp"
#include "mha/embedding.hpp"
#include "mha/random.hpp"
#include "train/model_file.hpp"
#include "train/vocabulary.hpp"

namespace {

using mha::Bounded;
using mha::Layout;
using mha::Matrix;
using mha::Shape;
using mha::Slab;
using mha::Tensor;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// key=value arguments with defaults.
class Arguments {
 public:
  Arguments(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      const auto equals = argument.find('=');
      if (equals != std::string::npos) values_[argument.substr(0, equals)] = argument.substr(equals + 1);
    }
  }
  [[nodiscard]] std::string text(const std::string& key, const std::string& otherwise) const {
    const auto found = values_.find(key);
    return found == values_.end() ? otherwise : found->second;
  }
  [[nodiscard]] std::int32_t integer(const std::string& key, std::int32_t otherwise) const {
    return static_cast<std::int32_t>(std::strtol(text(key, std::to_string(otherwise)).c_str(), nullptr, 10));
  }

 private:
  std::map<std::string, std::string> values_;
};

void print_numbers(const char* key, const std::vector<double>& numbers) {
  std::printf(", \"%s\": [", key);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) std::printf(",");
    if (std::isinf(numbers[i])) {
      std::printf("-1e999");
    } else {
      std::printf("%.17g", numbers[i]);
    }
  }
  std::printf("]");
}

void append(const Matrix& matrix, std::vector<double>& to) {
  to.insert(to.end(), matrix.data(), matrix.data() + matrix.size());
}

/// One entry of the JSON object; every entry but the first is preceded by a comma.
class Printer {
 public:
  void tensor(const char* name, const std::vector<std::int64_t>& shape, const std::vector<double>& value,
              const std::vector<double>& bound = {}) {
    std::printf("%s\"%s\": {\"shape\": [", first_ ? "{" : ",\n", name);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::printf("%s%lld", i == 0 ? "" : ",", static_cast<long long>(shape[i]));
    }
    std::printf("]");
    print_numbers("value", value);
    if (!bound.empty()) print_numbers("bound", bound);
    std::printf("}");
    first_ = false;
  }
  void tensor(const char* name, const Bounded& matrix) {
    std::vector<double> value;
    std::vector<double> bound;
    append(matrix.value, value);
    append(matrix.bound, bound);
    tensor(name, {matrix.value.rows(), matrix.value.cols()}, value, bound);
  }
  void tensor(const char* name, const std::vector<Bounded>& heads) {
    std::vector<double> value;
    std::vector<double> bound;
    for (const Bounded& head : heads) {
      append(head.value, value);
      append(head.bound, bound);
    }
    const auto& one = heads.front().value;
    tensor(name, {static_cast<std::int64_t>(heads.size()), one.rows(), one.cols()}, value, bound);
  }
  void given(const char* name, std::int64_t rows, std::int64_t columns, std::span<const float> values) {
    tensor(name, {rows, columns}, {values.begin(), values.end()});
  }
  void end() { std::printf("}\n"); }

 private:
  bool first_ = true;
};

int fail(const std::string& why) {
  std::fprintf(stderr, "mha_oracle: %s\n", why.c_str());
  return 2;
}

/// What a pass starts from: the vectors of its tokens and places, and the slab of its parameters.
struct Given {
  std::vector<float> vectors, positions, parameters;
};

Given seeded(const Shape& shape, const std::vector<std::string>& tokens, std::uint32_t seed, bool positions_on) {
  const auto d = static_cast<std::size_t>(shape.model_dim);
  Given given;
  given.vectors.resize(tokens.size() * d);
  given.positions.resize(tokens.size() * d);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    mha::token_vector(tokens[i], seed, std::span(given.vectors).subspan(i * d, d));
    if (positions_on) {
      mha::sinusoidal_position(static_cast<std::int32_t>(i), std::span(given.positions).subspan(i * d, d));
    }
  }
  given.parameters.resize(static_cast<std::size_t>(Layout(Slab::parameters, shape, {}).size()));
  mha::fill_parameters(shape, false, seed, given.parameters);
  return given;
}

/// Empty if the file, or a word, is not what is asked for.
Given trained(const Shape& shape, const std::vector<std::string>& tokens, const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  const auto read = mha::read_model_file(std::as_bytes(std::span(bytes)));
  if (!read.ok()) return {};
  const mha::ModelFile& model = read.value();
  if (model.shape.model_dim != shape.model_dim || model.shape.heads != shape.heads) return {};
  const mha::ModelLayout places(model.shape);
  const auto numbers = [&](mha::Weight weight) {
    return places.span(weight, 0, std::span<const float>(model.parameters));
  };
  const auto d = static_cast<std::size_t>(shape.model_dim);
  Given given;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::int32_t word = mha::word_place(model.metadata, tokens[i]);
    if (word < 0 || static_cast<std::int32_t>(i) >= model.shape.max_positions) return {};
    const auto vector = numbers(mha::Weight::token_embedding).subspan(static_cast<std::size_t>(word) * d, d);
    const auto position = numbers(mha::Weight::position_embedding).subspan(i * d, d);
    given.vectors.insert(given.vectors.end(), vector.begin(), vector.end());
    given.positions.insert(given.positions.end(), position.begin(), position.end());
  }
  const Layout layout(Slab::parameters, shape, {});
  given.parameters.resize(static_cast<std::size_t>(layout.size()));
  const auto copy = [&](mha::Weight from, Tensor to) {
    const auto matrix = numbers(from);
    std::copy(matrix.begin(), matrix.end(), layout.span(to, std::span(given.parameters)).begin());
  };
  copy(mha::Weight::w_q, Tensor::w_q);
  copy(mha::Weight::w_k, Tensor::w_k);
  copy(mha::Weight::w_v, Tensor::w_v);
  copy(mha::Weight::w_o, Tensor::w_o);
  return given;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv);
  const auto tokens = split(arguments.text("tokens", ""), '|');
  const auto seed = static_cast<std::uint32_t>(std::strtoul(arguments.text("seed", "42").c_str(), nullptr, 10));
  const bool positions_on = arguments.integer("positions", 1) != 0;
  const Shape shape = mha::self_attention(static_cast<std::int32_t>(tokens.size()), arguments.integer("d", 8),
                                          arguments.integer("h", 2));
  if (const auto bad = mha::validate(shape); !bad.ok()) return fail(mha::message(bad));

  const std::string file = arguments.text("model", "");
  const Given given = file.empty() ? seeded(shape, tokens, seed, positions_on) : trained(shape, tokens, file);
  if (given.parameters.empty()) return fail(file + " has no model of this size that knows these words");
  std::vector<float> x(given.vectors.size());
  mha::add_positions(given.vectors, given.positions, x);

  const Layout layout(Slab::parameters, shape, {});
  const auto parameter = [&](Tensor tensor) { return layout.span(tensor, std::span<const float>(given.parameters)); };
  const mha::Parameters parameters{.w_q = parameter(Tensor::w_q),
                                   .w_k = parameter(Tensor::w_k),
                                   .w_v = parameter(Tensor::w_v),
                                   .w_o = parameter(Tensor::w_o)};

  std::vector<float> gates;
  if (const auto text = arguments.text("gates", ""); !text.empty()) {
    for (const auto& gate : split(text, ',')) gates.push_back(std::strtof(gate.c_str(), nullptr));
  }
  const mha::Input input{.x = x};
  const mha::Options options{
      .scale = arguments.integer("scaled", 1) != 0 ? mha::Options::Scale::inverse_sqrt : mha::Options::Scale::off,
      .causal = arguments.integer("causal", 0) != 0,
      .padding = arguments.integer("padding", 0),
      .head_gate = gates};
  if (const auto bad = mha::validate(shape, parameters); !bad.ok()) return fail(mha::message(bad));
  if (const auto bad = mha::validate(shape, input, options); !bad.ok()) return fail(mha::message(bad));
  const mha::Reference r = mha::attention_reference(shape, parameters, input, options);

  Printer print;
  const std::int64_t n = shape.tokens;
  print.given("token_vectors", n, shape.model_dim, given.vectors);
  print.given("positions", n, shape.model_dim, given.positions);
  print.given("x", n, shape.model_dim, x);
  for (const Tensor tensor : {Tensor::w_q, Tensor::w_k, Tensor::w_v, Tensor::w_o}) {
    print.given(std::string(info(tensor).name).c_str(), layout[tensor].shape[0], layout[tensor].shape[1],
                parameter(tensor));
  }
  print.tensor("q", r.q);
  print.tensor("k", r.k);
  print.tensor("v", r.v);
  print.tensor("raw_scores", r.raw_scores);
  print.tensor("scaled_scores", r.scaled_scores);
  print.tensor("masked_scores", r.masked_scores);
  print.tensor("weights", r.weights);
  print.tensor("heads", r.heads);
  print.tensor("concat", r.concat);
  print.tensor("contributions", r.contributions);
  print.tensor("output", r.output);
  print.end();
  return 0;
}
