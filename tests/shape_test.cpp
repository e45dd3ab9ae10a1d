// Shapes: which are allowed, what is said about the others, and the arithmetic of heads. Status messages too.
#include "mha/shape.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <set>
#include <string>

#include "mha/status.hpp"
#include "mha/tensor.hpp"

namespace mha::test {
namespace {

constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr Shape kGood = {.tokens = 11, .context = 7, .model_dim = 24, .heads = 6, .kv_heads = 2, .head_dim = 5};

Status status_of(const Shape& shape) { return validate(shape).status; }

TEST_CASE("each size has its own range and its own status", "[shape]") {
  CHECK(status_of(kGood) == Status::ok);
  struct Range {
    std::int32_t Shape::* size;
    std::int32_t first, last;
    Status status;
  };
  const Range ranges[] = {
      {&Shape::tokens, 1, kMaxTokens, Status::tokens_out_of_range},
      {&Shape::context, 1, kMaxTokens, Status::tokens_out_of_range},
      {&Shape::model_dim, 1, kMaxModelDim, Status::model_dim_out_of_range},
      {&Shape::head_dim, 1, kMaxWidth / kGood.heads, Status::head_dim_out_of_range},
  };
  for (const auto& [size, first, last, status] : ranges) {
    for (const std::int32_t value : {first, first + 1, last - 1, last}) {
      CAPTURE(value);
      Shape shape = kGood;
      shape.*size = value;
      CHECK(status_of(shape) == Status::ok);
    }
    for (const std::int32_t value : {kLeast, -1, 0, last + 1, kMost}) {
      CAPTURE(value);
      Shape shape = kGood;
      shape.*size = value;
      CHECK(status_of(shape) == status);
    }
  }
}

TEST_CASE("the outcome tells a bad context from bad tokens", "[shape]") {
  Shape shape = kGood;
  shape.context = 0;
  CHECK(validate(shape).tensor == Tensor::context);
  shape = kGood;
  shape.tokens = 0;
  CHECK(validate(shape).tensor == Tensor::count);
}

TEST_CASE("heads are 1 to kMaxHeads, and kv_heads divides them", "[shape]") {
  Shape shape = {.tokens = 1, .context = 1, .model_dim = 4096, .heads = kMaxHeads, .kv_heads = 1, .head_dim = 1};
  CHECK(status_of(shape) == Status::ok);
  for (const std::int32_t heads : {kLeast, -1, 0, kMaxHeads + 1, kMost}) {
    CAPTURE(heads);
    shape.heads = heads;
    CHECK(status_of(shape) == Status::heads_out_of_range);
  }
  for (std::int32_t kv_heads = -2; kv_heads <= 14; ++kv_heads) {
    CAPTURE(kv_heads);
    shape.heads = 12;
    shape.kv_heads = kv_heads;
    const bool divides = kv_heads >= 1 && 12 % kv_heads == 0;
    CHECK(status_of(shape) == (divides ? Status::ok : Status::kv_heads_not_a_divisor));
  }
  for (const std::int32_t kv_heads : {kLeast, kMost}) {
    shape.kv_heads = kv_heads;
    CHECK(status_of(shape) == Status::kv_heads_not_a_divisor);
  }
}

TEST_CASE("heads times head_dim has a limit of its own, without overflow on the way", "[shape]") {
  Shape shape = {.tokens = 1, .context = 1, .model_dim = 64, .heads = 4096, .kv_heads = 4096, .head_dim = 2};
  CHECK(status_of(shape) == Status::ok);
  shape.head_dim = 3;
  CHECK(status_of(shape) == Status::head_dim_out_of_range);
  shape.head_dim = 1 << 20;  // 4096 · 2²⁰ = 2³² is 0 in 32 bits
  CHECK(status_of(shape) == Status::head_dim_out_of_range);
  shape = {.tokens = 1, .context = 1, .model_dim = 64, .heads = 1, .kv_heads = 1, .head_dim = kMaxModelDim};
  CHECK(status_of(shape) == Status::ok);
  shape.head_dim = kMaxModelDim + 1;
  CHECK(status_of(shape) == Status::head_dim_out_of_range);
}

TEST_CASE("a tensor larger than kMaxFloats is too large", "[shape]") {
  Shape shape = {.tokens = 512, .context = 512, .model_dim = 8, .heads = 1024, .kv_heads = 1, .head_dim = 1};
  CHECK(status_of(shape) == Status::ok);  // 1024 maps of 512 × 512 are exactly 2²⁸ numbers
  shape.heads = 1025;
  CHECK(status_of(shape) == Status::too_large);
  shape.heads = 4096;
  CHECK(status_of(shape) == Status::too_large);
}

TEST_CASE("the shapes of real models are allowed", "[shape]") {
  // lesson.md, claim 4: heads / kv_heads / d_model / d_head
  constexpr std::int32_t kModels[][4] = {
      {8, 8, 512, 64},     {12, 12, 768, 64},   {16, 16, 1024, 64},  {20, 20, 1280, 64},
      {25, 25, 1600, 64},  {32, 32, 4096, 128}, {32, 8, 4096, 128},  {28, 4, 3584, 128},
      {16, 16, 3072, 256}, {16, 8, 3584, 256},  {24, 24, 2048, 128},
  };
  for (const auto& [heads, kv_heads, model_dim, head_dim] : kModels) {
    CAPTURE(heads, kv_heads, model_dim, head_dim);
    CHECK(status_of({32, 32, model_dim, heads, kv_heads, head_dim}) == Status::ok);
  }
}

TEST_CASE("self_attention is the 2017 design", "[shape]") {
  CHECK(self_attention(11, 512, 8) == Shape{11, 11, 512, 8, 8, 64});
  CHECK(self_attention(3, 4, 1) == Shape{3, 3, 4, 1, 1, 4});
  CHECK(status_of(self_attention(3, 4, 0)) == Status::heads_out_of_range);  // and no division by 0
  CHECK(status_of(self_attention(3, 4, 8)) == Status::head_dim_out_of_range);
}

TEST_CASE("query heads share key/value heads in runs", "[shape]") {
  for (std::int32_t heads = 1; heads <= 12; ++heads) {
    for (std::int32_t kv_heads = 1; kv_heads <= heads; ++kv_heads) {
      if (heads % kv_heads != 0) continue;
      CAPTURE(heads, kv_heads);
      const Shape shape = {1, 1, 8, heads, kv_heads, 3};
      CHECK(shape.q_width() == 3 * heads);
      CHECK(shape.kv_width() == 3 * kv_heads);
      CHECK(shape.kv_head_of(0) == 0);
      CHECK(shape.kv_head_of(heads - 1) == kv_heads - 1);
      for (std::int32_t i = 0; i < heads; ++i) CHECK(shape.kv_head_of(i) == i * kv_heads / heads);
    }
  }
}

TEST_CASE("every status has a name and a sentence of its own", "[shape][status]") {
  std::set<std::string> names, sentences;
  for (std::size_t i = 0; i < kStatusNames.size(); ++i) {
    names.emplace(kStatusNames[i]);
    sentences.insert(message({.status = static_cast<Status>(i)}));
  }
  CHECK(names.size() == kStatusNames.size());
  CHECK(sentences.size() == kStatusNames.size());
  CHECK(names.count("") == 0);
  CHECK(static_cast<std::size_t>(Status::too_many_words) + 1 == kStatusNames.size());
  CHECK(message({.status = static_cast<Status>(kStatusNames.size())}) == "unknown status");
  // The names stand in the order of the enum.
  CHECK(kStatusNames[static_cast<std::size_t>(Status::ok)] == "ok");
  CHECK(kStatusNames[static_cast<std::size_t>(Status::too_large)] == "too_large");
  CHECK(kStatusNames[static_cast<std::size_t>(Status::overflow)] == "overflow");
  CHECK(kStatusNames[static_cast<std::size_t>(Status::not_loaded)] == "not_loaded");
  CHECK(kStatusNames[static_cast<std::size_t>(Status::bad_text)] == "bad_text");
  CHECK(kStatusNames[static_cast<std::size_t>(Status::bad_padding)] == "bad_padding");
  CHECK(kStatusNames[static_cast<std::size_t>(Status::diverged)] == "diverged");
}

TEST_CASE("a message names the tensor and the place", "[shape][status]") {
  CHECK(message({Status::not_finite, Tensor::x, {4, 7, -1}}).starts_with("x[4, 7]: "));
  CHECK(message({Status::overflow, Tensor::raw_scores, {0, 2, 1}}).starts_with("raw_scores[0, 2, 1]: "));
  CHECK(message({Status::wrong_size, Tensor::w_q, {-1, -1, -1}}).starts_with("w_q: "));
  CHECK(message({Status::bad_gate, Tensor::count, {1, -1, -1}}).starts_with("head_gate[1]: "));
  CHECK(message({Status::bad_gate}).starts_with("head_gate: "));
  CHECK(message({Status::bad_padding}) == "the padding must be 0 to the number of keys");
  CHECK(message({Status::too_large}).find("268435456") != std::string::npos);
}

TEST_CASE("the table of tensors is consistent", "[shape][tensor]") {
  std::set<std::string_view> names;
  for (const TensorInfo& tensor : kTensors) {
    CAPTURE(tensor.name);
    names.insert(tensor.name);
    CHECK(tensor.rank >= 1);
    for (std::size_t place = 0; place < 3; ++place) {
      CHECK((tensor.axes[place] == Axis::one) == (place >= static_cast<std::size_t>(tensor.rank)));
    }
  }
  CHECK(names.size() == kTensorCount);
  CHECK(info(Tensor::token_vectors).name == "token_vectors");
  CHECK(info(Tensor::w_q).name == "w_q");
  CHECK(info(Tensor::b_o).name == "b_o");
  CHECK(info(Tensor::weights).name == "weights");
  CHECK(info(Tensor::contributions).name == "contributions");
}

}  // namespace
}  // namespace mha::test
