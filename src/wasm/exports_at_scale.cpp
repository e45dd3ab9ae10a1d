// A layer of a real model, head by head.
#include <cstddef>
#include <cstdint>
#include <span>

#include "lab/layer_at_scale.hpp"
#include "lab/models.hpp"
#include "mha/shape.hpp"
#include "mha/status.hpp"
#include "wasm/boundary.hpp"
#include "wasm/exports.hpp"
#include "wasm/pass_request.hpp"
#include "wasm/records.hpp"
#include "wasm/request.hpp"

using namespace mha;
using namespace mha::wasm;

namespace {

/// The shape of a model's layer. Reading stops at the first fault, which `outcome` then holds.
struct ScaleRequest {
  Outcome outcome;
  Shape shape;

  ScaleRequest(std::int32_t model, std::int32_t tokens) {
    if (model < 0 || static_cast<std::size_t>(model) >= kModels.size() ||
        kModels[static_cast<std::size_t>(model)].kind != ModelKind::heads) {
      outcome = {.status = Status::no_such_cell};
      return;
    }
    const Shape asked = kModels[static_cast<std::size_t>(model)].layer(tokens);
    outcome = validate_at_scale(asked);
    if (ok()) shape = asked;
  }

  /// Empty if the room can't be there; `outcome` then says why.
  [[nodiscard]] std::span<float> room(float* data) {
    if (!ok()) return {};
    const std::size_t floats = LayerAtScale::room(shape);
    if (!usable(data, floats) || reinterpret_cast<std::uintptr_t>(data) % 64 != 0) {
      outcome = {.status = Status::wrong_size};
      return {};
    }
    return {data, floats};
  }

  [[nodiscard]] bool ok() const { return outcome.ok(); }
};

}  // namespace

std::int32_t mha_at_scale_cost(std::int32_t model, std::int32_t tokens, double* cost) {
  const ScaleRequest request(model, tokens);
  if (!request.ok()) return answer(request.outcome);
  if (!usable(cost, kCostAtScale.size())) return answer(Status::wrong_size);
  write_cost(cost_at_scale(request.shape), cost);
  return answer(Status::ok);
}

std::int32_t mha_at_scale_head(std::int32_t model, std::int32_t tokens, std::uint32_t seed, std::int32_t head,
                               float* room) {
  ScaleRequest request(model, tokens);
  const std::span<float> given = request.room(room);
  if (!request.ok()) return answer(request.outcome);
  if (head < 0 || head >= request.shape.heads) return answer(Status::no_such_cell);
  LayerAtScale layer(request.shape, seed, 0, given);
  if (head == 0) layer.begin();
  layer.add_head(head);
  return answer(Status::ok);
}

std::int32_t mha_at_scale_rms(std::int32_t model, std::int32_t tokens, float* room, double* rms) {
  ScaleRequest request(model, tokens);
  const std::span<float> given = request.room(room);
  if (!request.ok()) return answer(request.outcome);
  if (!usable(rms, 1)) return answer(Status::wrong_size);
  *rms = LayerAtScale(request.shape, 0, 0, given).root_mean_square();
  return answer(Status::ok);
}
