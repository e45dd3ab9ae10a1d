// The one table of real models: the sizes of their attention layers. The page's table is generated from it
// (src/wasm/describe_tables.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mha/shape.hpp"

namespace mha {

/// What kind of attention a model has: heads as in the rest of this code, which can be run; multi-head latent
/// attention, whose keys and values are made from a narrow vector (DeepSeek-AI 2024, arXiv 2412.19437, §2.1.1); or
/// nobody knows.
enum class ModelKind : std::int32_t { heads, latent, undisclosed };

inline constexpr std::array<std::string_view, 3> kModelKindNames = {"heads", "latent", "undisclosed"};

/// Sizes of latent attention, in numbers per token, those of a head for each head.
struct LatentSizes {
  std::int32_t kv_rank = 0;     ///< the vector that all keys and values are made from
  std::int32_t query_rank = 0;  ///< the vector that all queries are made from
  std::int32_t head_dim = 0;    ///< of a query or key, without position
  std::int32_t rotary_dim = 0;  ///< of a query or key, with position, beside those
  std::int32_t value_dim = 0;   ///< of a value
};

/// A size that is 0 does not exist or is not known.
struct Model {
  std::string_view name;
  ModelKind kind = ModelKind::heads;
  std::int32_t layers = 0;          ///< of the encoder, where there are two stacks
  std::int32_t decoder_layers = 0;  ///< of the second stack; each has two attentions, to itself and to the encoder
  std::int32_t heads = 0;
  std::int32_t kv_heads = 0;
  std::int32_t model_dim = 0;
  std::int32_t head_dim = 0;
  LatentSizes latent = {};

  /// One of its layers reading `tokens` tokens. Precondition: kind is heads.
  [[nodiscard]] constexpr Shape layer(std::int32_t tokens) const {
    return {.tokens = tokens,
            .context = tokens,
            .model_dim = model_dim,
            .heads = heads,
            .kv_heads = kv_heads,
            .head_dim = head_dim};
  }
};

namespace detail {

constexpr Model with_heads(std::string_view name, std::int32_t layers, std::int32_t heads, std::int32_t kv_heads,
                           std::int32_t model_dim, std::int32_t head_dim) {
  return {.name = name,
          .layers = layers,
          .heads = heads,
          .kv_heads = kv_heads,
          .model_dim = model_dim,
          .head_dim = head_dim};
}

}  // namespace detail

inline constexpr auto kModels = std::to_array<Model>({
    // Vaswani et al. 2017, Table 3 (base)
    {.name = "Transformer base",
     .layers = 6,
     .decoder_layers = 6,
     .heads = 8,
     .kv_heads = 8,
     .model_dim = 512,
     .head_dim = 64},
    // Devlin et al. 2018, §3
    detail::with_heads("BERT-base", 12, 12, 12, 768, 64),
    detail::with_heads("BERT-large", 24, 16, 16, 1024, 64),
    // Radford et al. 2019, Table 2; heads: the published configurations
    detail::with_heads("GPT-2", 12, 12, 12, 768, 64),
    detail::with_heads("GPT-2 medium", 24, 16, 16, 1024, 64),
    detail::with_heads("GPT-2 large", 36, 20, 20, 1280, 64),
    detail::with_heads("GPT-2 XL", 48, 25, 25, 1600, 64),
    // Brown et al. 2020, Table 2.1
    detail::with_heads("GPT-3", 96, 96, 96, 12288, 128),
    // OpenAI 2023: "no further details about the architecture"
    {.name = "GPT-4", .kind = ModelKind::undisclosed},
    // Touvron et al. 2023 (arXiv 2307.09288), and its configuration
    detail::with_heads("Llama-2-7B", 32, 32, 32, 4096, 128),
    // Grattafiori et al. 2024 (arXiv 2407.21783), Table 3
    detail::with_heads("Llama-3-8B", 32, 32, 8, 4096, 128),
    detail::with_heads("Llama-3-70B", 80, 64, 8, 8192, 128),
    detail::with_heads("Llama-3.1-405B", 126, 128, 8, 16384, 128),
    // Jiang et al. 2023 (arXiv 2310.06825), Table 1
    detail::with_heads("Mistral-7B", 32, 32, 8, 4096, 128),
    // Qwen Team 2024 (arXiv 2412.15115) and 2025 (arXiv 2505.09388), and the configurations
    detail::with_heads("Qwen2.5-7B", 28, 28, 4, 3584, 128),
    detail::with_heads("Qwen3-8B", 36, 32, 8, 4096, 128),
    detail::with_heads("Qwen3-32B", 64, 64, 8, 5120, 128),
    // Gemma Team 2024 (arXiv 2403.08295), Table 1; 2024 (arXiv 2408.00118), Table 1; 2025 (arXiv 2503.19786), and the
    // configuration
    detail::with_heads("Gemma-7B", 28, 16, 16, 3072, 256),
    detail::with_heads("Gemma-2-9B", 42, 16, 8, 3584, 256),
    detail::with_heads("Gemma-3-27B", 62, 32, 16, 5376, 128),
    // Almazrouei et al. 2023 (arXiv 2311.16867), and its configuration
    detail::with_heads("Falcon-7B", 32, 71, 1, 4544, 64),
    // DeepSeek-AI 2024 (arXiv 2412.19437), §4.2
    {.name = "DeepSeek-V3",
     .kind = ModelKind::latent,
     .layers = 61,
     .heads = 128,
     .model_dim = 7168,
     .latent = {.kv_rank = 512, .query_rank = 1536, .head_dim = 128, .rotary_dim = 64, .value_dim = 128}},
});

}  // namespace mha
