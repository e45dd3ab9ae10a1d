#include "cli/forward.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "cli/trace_file.hpp"
#include "io/file.hpp"
#include "io/json.hpp"
#include "io/safetensors.hpp"
#include "mha/attention.hpp"
#include "mha/buffer.hpp"
#include "mha/layout.hpp"

namespace mha::cli {
namespace {

constexpr std::array<Tensor, 8> kParameters = {Tensor::w_q, Tensor::w_k, Tensor::w_v, Tensor::w_o,
                                               Tensor::b_q, Tensor::b_k, Tensor::b_v, Tensor::b_o};
constexpr std::size_t kRequiredParameters = 4;
constexpr std::array<Tensor, 11> kGiven = {Tensor::w_q, Tensor::w_k,     Tensor::w_v, Tensor::w_o,
                                           Tensor::b_q, Tensor::b_k,     Tensor::b_v, Tensor::b_o,
                                           Tensor::x,   Tensor::context, Tensor::mask};

const std::string& file_of(Tensor tensor, const ForwardArguments& arguments) {
  switch (tensor) {
    case Tensor::x: return arguments.input;
    case Tensor::context: return arguments.context;
    case Tensor::mask: return arguments.mask;
    default: return arguments.weights;
  }
}

Error in_file(const std::string& path, const Error& error) { return {path + ": " + error.message}; }

Result<Nothing> load_array(const std::string& path, std::optional<Array>& array) {
  if (path.empty()) return Nothing{};
  const Result<std::vector<std::byte>> bytes = read_file(path);
  if (!bytes.ok()) return in_file(path, bytes.error());
  Result<Array> parsed = parse_npy(bytes.value());
  if (!parsed.ok()) return in_file(path, parsed.error());
  array = std::move(parsed.value());
  return Nothing{};
}

/// A misspelt "b_Q" would otherwise be left out in silence.
std::string not_read(const SafetensorsHeader& header) {
  std::string names;
  for (const TensorEntry& entry : header.tensors) {
    const bool known = std::ranges::any_of(kParameters, [&](Tensor tensor) { return info(tensor).name == entry.name; });
    if (!known) names.append(" ").append(json_quote(entry.name));
  }
  return names.empty() ? "" : "; not read:" + names;
}

/// Returns what shall be said about tensors in the file that are none of ours.
Result<std::string> load_parameters(const std::string& path, TensorSet& given) {
  const Result<std::vector<std::byte>> bytes = read_file(path);
  if (!bytes.ok()) return in_file(path, bytes.error());
  const Result<SafetensorsHeader> header = parse_safetensors_header(bytes.value(), bytes.value().size());
  if (!header.ok()) return in_file(path, header.error());
  for (std::size_t i = 0; i < kParameters.size(); ++i) {
    const std::string_view name = info(kParameters[i]).name;
    const TensorEntry* entry = header.value().find(name);
    if (entry == nullptr && i >= kRequiredParameters) continue;
    if (entry == nullptr) {
      return Error{path + ": tensor \"" + std::string(name) + "\" is missing; required are w_q, w_k, w_v and w_o"};
    }
    Result<std::vector<float>> values = read_floats(bytes.value(), *entry);
    if (!values.ok()) return in_file(path, values.error());
    given[kParameters[i]] = Array{entry->shape, std::move(values.value())};
  }
  return not_read(header.value());
}

/// A size as the core counts. What does not fit is above every limit anyway, and validate(shape) says which.
std::int32_t size(std::uint64_t extent) {
  return static_cast<std::int32_t>(std::min<std::uint64_t>(extent, std::numeric_limits<std::int32_t>::max()));
}

std::string sizes_text(const Shape& s) {
  return "n = " + std::to_string(s.tokens) + ", m = " + std::to_string(s.context) +
         ", d = " + std::to_string(s.model_dim) + ", h = " + std::to_string(s.heads) +
         ", g = " + std::to_string(s.kv_heads) + ", k = " + std::to_string(s.head_dim);
}

std::string is_shape(Tensor tensor, const Array& array) {
  return std::string(info(tensor).name) + " is " + shape_text(array.shape);
}

Result<Nothing> require_matrix(Tensor tensor, const TensorSet& given) {
  if (given[tensor]->shape.size() == 2) return Nothing{};
  const auto& axes = info(tensor).axes;
  return Error{is_shape(tensor, *given[tensor]) + ", must have two axes: [" +
               std::string(kAxisNames[static_cast<std::size_t>(axes[0])]) + ", " +
               std::string(kAxisNames[static_cast<std::size_t>(axes[1])]) + "]"};
}

/// The shape of one tensor against the sizes of the pass.
Result<Nothing> check_shape(Tensor tensor, const Array& array, const Shape& shape) {
  std::vector<std::uint64_t> expected;
  std::string letters;
  for (std::int32_t axis = 0; axis < info(tensor).rank; ++axis) {
    const Axis letter = info(tensor).axes[static_cast<std::size_t>(axis)];
    expected.push_back(static_cast<std::uint64_t>(extent(letter, shape)));
    letters += (axis == 0 ? "" : ", ") + std::string(kAxisNames[static_cast<std::size_t>(letter)]);
  }
  if (array.shape == expected) return Nothing{};
  return Error{is_shape(tensor, array) + ", must be [" + letters + "] = " + shape_text(expected) + " (" +
               sizes_text(shape) + ": d and h·k are the shape of w_q, n is x's, m the context's or else n)"};
}

Error failed(const Outcome& outcome, const ForwardArguments& arguments) {
  const bool concerns_file = std::ranges::find(kGiven, outcome.tensor) != kGiven.end();
  const std::string place = concerns_file ? file_of(outcome.tensor, arguments) + ": " : "";
  return {place + message(outcome)};
}

/// The result must not replace what it was made from.
Result<Nothing> check_out(const ForwardArguments& arguments) {
  for (const std::string* source : {&arguments.weights, &arguments.input, &arguments.context, &arguments.mask}) {
    if (!source->empty() && same_file(*source, arguments.out)) {
      return Error{arguments.out + ": --out would replace a file that is read"};
    }
  }
  return Nothing{};
}

Result<std::string> load(const ForwardArguments& arguments, TensorSet& given) {
  Result<std::string> remark = load_parameters(arguments.weights, given);
  if (!remark.ok()) return remark;
  for (const Tensor tensor : {Tensor::x, Tensor::context, Tensor::mask}) {
    if (Result<Nothing> step = load_array(file_of(tensor, arguments), given[tensor]); !step.ok()) return step.error();
  }
  return remark;
}

/// [h, n, d] floats, or 0 if they are too many. Precondition: `shape` is valid.
std::size_t contributions_size(const Shape& shape) {
  const std::int64_t floats = std::int64_t{shape.heads} * shape.tokens * shape.model_dim;
  return floats <= kMaxFloats ? static_cast<std::size_t>(floats) : 0;
}

/// The pass itself, and its result into the file.
Result<Nothing> compute(const TensorSet& given, const Shape& shape, const ForwardArguments& arguments) {
  const Options options = arguments.options();
  const Parameters parameters = {given.span(Tensor::w_q), given.span(Tensor::w_k), given.span(Tensor::w_v),
                                 given.span(Tensor::w_o), given.span(Tensor::b_q), given.span(Tensor::b_k),
                                 given.span(Tensor::b_v), given.span(Tensor::b_o)};
  const Input input = {given.span(Tensor::x), given.span(Tensor::context), given.span(Tensor::mask)};
  Attention attention;
  if (const Outcome bad = attention.load(shape, parameters); !bad.ok()) return failed(bad, arguments);

  const Layout layout(Slab::trace, shape, {.detail = Detail::full});
  const auto in_trace = static_cast<std::size_t>(layout.size());
  const std::size_t in_contributions = contributions_size(shape);
  if (in_contributions == 0) return failed({.status = Status::too_large, .tensor = Tensor::contributions}, arguments);
  Buffer block;
  if (!block.reserve(in_trace + in_contributions)) return failed({.status = Status::out_of_memory}, arguments);
  const std::span<float> trace(block.data(), in_trace);
  const std::span<float> contributions(block.data() + in_trace, in_contributions);

  if (const Outcome bad = attention.forward(shape, input, options, Detail::full, trace); !bad.ok()) {
    return failed(bad, arguments);
  }
  const std::span<const float> concat = layout.span(Tensor::concat, trace);
  if (const Outcome bad = attention.contributions(shape, concat, 0, shape.heads, contributions); !bad.ok()) {
    return failed(bad, arguments);
  }
  const Result<Nothing> written = write_trace(arguments.out, shape, options, trace, contributions);
  return written.ok() ? written : Result<Nothing>(in_file(arguments.out, written.error()));
}

}  // namespace

Result<Shape> derive_shape(const TensorSet& given, const ForwardArguments& arguments) {
  const bool cross = given[Tensor::context].has_value();
  for (const Tensor tensor : {Tensor::w_q, Tensor::x, cross ? Tensor::context : Tensor::x}) {
    if (Result<Nothing> step = require_matrix(tensor, given); !step.ok()) {
      return in_file(file_of(tensor, arguments), step.error());
    }
  }
  const Array& w_q = *given[Tensor::w_q];
  const auto heads = static_cast<std::uint64_t>(arguments.heads);
  if (w_q.shape[1] == 0 || w_q.shape[1] % heads != 0) {
    return Error{arguments.weights + ": " + is_shape(Tensor::w_q, w_q) +
                 ": its columns must be a multiple of --heads " + std::to_string(heads)};
  }
  const Shape shape = {.tokens = size(given[Tensor::x]->shape[0]),
                       .context = size(given[cross ? Tensor::context : Tensor::x]->shape[0]),
                       .model_dim = size(w_q.shape[0]),
                       .heads = arguments.heads,
                       .kv_heads = arguments.kv_heads,
                       .head_dim = size(w_q.shape[1] / heads)};
  if (const Outcome bad = validate(shape); !bad.ok()) return Error{message(bad) + " (" + sizes_text(shape) + ")"};
  if (arguments.padding > shape.context) {
    return Error{"--padding " + std::to_string(arguments.padding) + " is more than there are keys: 0 to " +
                 std::to_string(shape.context) + " are allowed (" + sizes_text(shape) + ")"};
  }
  for (const Tensor tensor : kGiven) {
    if (!given[tensor]) continue;
    if (Result<Nothing> step = check_shape(tensor, *given[tensor], shape); !step.ok()) {
      return in_file(file_of(tensor, arguments), step.error());
    }
  }
  return shape;
}

Result<std::string> forward(const ForwardArguments& arguments) {
  if (const Result<Nothing> step = check_out(arguments); !step.ok()) return step.error();
  TensorSet given;
  const Result<std::string> remark = load(arguments, given);
  if (!remark.ok()) return remark;
  const Result<Shape> shape = derive_shape(given, arguments);
  if (!shape.ok()) return shape.error();
  if (const Result<Nothing> step = compute(given, shape.value(), arguments); !step.ok()) return step.error();
  return arguments.out + ": " + std::to_string(kTraceFileTensors.size()) + " tensors, " + sizes_text(shape.value()) +
         remark.value();
}

}  // namespace mha::cli
