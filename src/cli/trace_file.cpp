#include "cli/trace_file.hpp"

#include <cstdio>
#include <vector>

#include "io/safetensors.hpp"
#include "mha/layout.hpp"

namespace mha::cli {
namespace {

/// The numbers of a strided view one after another.
std::vector<float> contiguous(const View& view, std::span<const float> slab) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(view.count()));
  for (std::int64_t a = 0; a < view.shape[0]; ++a) {
    for (std::int64_t b = 0; b < view.shape[1]; ++b) {
      for (std::int64_t c = 0; c < view.shape[2]; ++c) {
        values.push_back(slab[static_cast<std::size_t>(view.at(a, b, c))]);
      }
    }
  }
  return values;
}

std::string decimal(float value) {
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "%.9g", static_cast<double>(value));
  return text.data();
}

Metadata describe(const Shape& shape, const Options& options) {
  return {{"format", "mha trace"},
          {"tokens", std::to_string(shape.tokens)},
          {"context", std::to_string(shape.context)},
          {"model_dim", std::to_string(shape.model_dim)},
          {"heads", std::to_string(shape.heads)},
          {"kv_heads", std::to_string(shape.kv_heads)},
          {"head_dim", std::to_string(shape.head_dim)},
          {"scale", decimal(options.factor(shape.head_dim))},
          {"causal", options.causal ? "true" : "false"},
          {"padding", std::to_string(options.padding)}};
}

std::vector<std::uint64_t> extents(Tensor tensor, const Shape& shape) {
  std::vector<std::uint64_t> result;
  for (std::int32_t axis = 0; axis < info(tensor).rank; ++axis) {
    result.push_back(static_cast<std::uint64_t>(extent(info(tensor).axes[static_cast<std::size_t>(axis)], shape)));
  }
  return result;
}

}  // namespace

Result<Nothing> write_trace(const std::string& path, const Shape& shape, const Options& options,
                            std::span<const float> trace, std::span<const float> contributions) {
  const Layout layout(Slab::trace, shape, {.detail = Detail::full});
  const std::vector<float> heads = contiguous(layout[Tensor::heads], trace);
  std::vector<TensorToWrite> tensors;
  for (const Tensor tensor : kTraceFileTensors) {
    std::span<const float> values = layout.span(tensor, trace);
    if (tensor == Tensor::heads) values = heads;
    if (tensor == Tensor::contributions) values = contributions;
    tensors.push_back({std::string(info(tensor).name), extents(tensor, shape), values});
  }
  return write_safetensors(path, tensors, describe(shape, options));
}

}  // namespace mha::cli
