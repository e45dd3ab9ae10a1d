#include "lab/importance.hpp"

#include <cmath>
#include <cstddef>

namespace mha {

Outcome importance(Network& network, const Batch& batch, std::span<const float> parameters,
                   std::vector<Importance>& heads) {
  const auto layers = static_cast<std::size_t>(network.shape().layers);
  const auto h = static_cast<std::size_t>(network.shape().heads);
  heads.assign(layers * h, {});
  std::vector<float> d_gates(layers * batch.sentences() * h);
  if (Outcome bad = network.forward(batch, parameters); !bad.ok()) return bad;
  if (Outcome bad = network.backward(Network::Loss::sentence_means, {}, d_gates); !bad.ok()) return bad;

  for (std::size_t layer = 0; layer < layers; ++layer) {
    const auto of_layer = std::span(heads).subspan(layer * h, h);
    double squares = 0;
    for (std::size_t head = 0; head < h; ++head) {
      double& raw = of_layer[head].raw;
      for (std::size_t s = 0; s < batch.sentences(); ++s) {
        raw += std::abs(static_cast<double>(d_gates[(layer * batch.sentences() + s) * h + head]));
      }
      raw /= static_cast<double>(batch.sentences());
      squares += raw * raw;
    }
    for (Importance& head : of_layer) head.normalised = squares > 0 ? head.raw / std::sqrt(squares) : 0.0;
  }
  return {};
}

}  // namespace mha
