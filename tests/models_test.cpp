// The table of real models against what the lesson says of them.
#include "lab/models.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>

#include "lab/layer_at_scale.hpp"

namespace mha::test {
namespace {

TEST_CASE("models are those of the lesson", "[models]") {
  const auto find = [](std::string_view name) {
    return *std::find_if(kModels.begin(), kModels.end(), [&](const Model& model) { return model.name == name; });
  };
  // Attention parameters without biases, as the lesson has them: claim 4.
  const auto parameters = [&](std::string_view name) {
    const Model model = find(name);
    return cost_at_scale(model.layer(1)).weights * (model.layers + 2 * model.decoder_layers);
  };
  CHECK(std::round(parameters("Transformer base") / 1e5) == 189);
  CHECK(std::round(parameters("BERT-base") / 1e5) == 283);
  CHECK(std::round(parameters("BERT-large") / 1e5) == 1007);
  CHECK(std::round(parameters("GPT-3") / 1e7) == 5798);
  CHECK(find("GPT-4").kind == ModelKind::undisclosed);
  CHECK(find("GPT-4").layers == 0);
  CHECK(find("DeepSeek-V3").kind == ModelKind::latent);
  CHECK(find("DeepSeek-V3").latent.kv_rank == 512);

  for (std::size_t i = 0; i < kModels.size(); ++i) {
    CAPTURE(std::string(kModels[i].name));
    CHECK(std::count_if(kModels.begin(), kModels.end(), [&](const Model& m) { return m.name == kModels[i].name; }) ==
          1);
    if (kModels[i].kind != ModelKind::heads) continue;
    CHECK(kModels[i].layers >= 1);
    CHECK(kModels[i].latent.kv_rank == 0);
  }
  CHECK(kModelKindNames[static_cast<std::size_t>(ModelKind::undisclosed)] == "undisclosed");
}

}  // namespace
}  // namespace mha::test
