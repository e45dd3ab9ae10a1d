// The layers that are loaded, and a request about a pass through one of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mha/attention.hpp"
#include "mha/explanation.hpp"
#include "mha/layout.hpp"
#include "wasm/answer.hpp"
#include "wasm/boundary.hpp"
#include "wasm/records.hpp"
#include "wasm/request.hpp"

namespace mha::wasm {

/// A loaded layer and the slab it points into.
struct Layer {
  Attention attention;
  bool biases = false;
  const float* parameters = nullptr;
};

inline std::array<Layer, static_cast<std::size_t>(kMaxLoadedLayers)> layers;

[[nodiscard]] inline Layer* find_layer(std::int32_t id) {
  return id >= 0 && id < kMaxLoadedLayers ? &layers[static_cast<std::size_t>(id)] : nullptr;
}

/// A request about a pass: its layer and its options too, and what an explanation reads.
struct PassRequest : Request {
  Layer* layer = nullptr;
  Evidence evidence;

  PassRequest(std::int32_t layer_id, const std::int32_t* shape_record, const std::int32_t* parts_record)
      : Request(shape_record, parts_record), layer(find_layer(layer_id)) {
    if (!ok()) return;
    if (layer == nullptr || !layer->attention.fits(shape)) {
      outcome = {.status = Status::not_loaded};
    } else {
      parts.biases = layer->biases;
    }
  }

  void add_evidence(const float* input, const double* options_record, const float* head_gate, const float* trace) {
    add_options(options_record, head_gate);
    if (!ok()) return;
    evidence = {.shape = shape,
                .parts = parts,
                .input = slab(Slab::input, input),
                .parameters = slab(Slab::parameters, layer->parameters),
                .trace = slab(Slab::trace, trace),
                .options = options};
  }
};

}  // namespace mha::wasm
