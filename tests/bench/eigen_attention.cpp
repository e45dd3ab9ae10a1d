// The peers that are C++ themselves, compiled to WebAssembly: Eigen's layer, the judge of all outputs, and the rates of
// the model.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/eigen_layer.hpp"
#include "bench/rates.hpp"

using namespace mha;

namespace {

std::unique_ptr<bench::EigenLayer> layer;  // NOLINT: the module is one benchmark
std::unique_ptr<bench::Bytes> block;       // NOLINT
std::vector<float> judged;                 // NOLINT

}  // namespace

#define BENCH_EXPORT(name) __attribute__((export_name(#name), used))

extern "C" {

/// Makes room for n tokens, d and h. The caller fills the five matrices, row-major.
BENCH_EXPORT(begin) void begin(std::int32_t n, std::int32_t d, std::int32_t h) {
  layer = std::make_unique<bench::EigenLayer>(self_attention(n, d, h));
  judged.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(d));
}

/// Where matrix number `which` lies: x, w_q, w_k, w_v, w_o, and the output y.
BENCH_EXPORT(matrix) float* matrix(std::int32_t which) {
  bench::EigenLayer& l = *layer;
  bench::Floats* const matrices[] = {&l.x, &l.w_q, &l.w_k, &l.w_v, &l.w_o, &l.y};
  return matrices[which]->data();
}

/// One pass.
BENCH_EXPORT(forward) void forward() { layer->forward(); }

/// Where an output that is to be judged goes, n·d floats.
BENCH_EXPORT(other) float* other() { return judged.data(); }

/// As EigenLayer::deviation of that output.
BENCH_EXPORT(deviation) double deviation() { return layer->deviation(judged); }

/// As in rates.hpp.
BENCH_EXPORT(exponentials) double exponentials(std::int32_t rows) { return bench::exponentials(rows); }
BENCH_EXPORT(begin_bytes) void begin_bytes(double bytes) {
  block.reset();
  block = std::make_unique<bench::Bytes>(static_cast<std::size_t>(bytes));
}
BENCH_EXPORT(read_bytes) void read_bytes() { block->read(); }

}  // extern "C"
