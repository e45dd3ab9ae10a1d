// A pass allocates nothing, once one that needs as much room has been. Counted where the C library lets itself be
// replaced; a sanitizer wants to be the only one who does that.
#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <span>
#include <vector>

#include "mha/attention.hpp"
#include "mha/attention_batch.hpp"
#include "mha/layout.hpp"
#include "model_reference.hpp"
#include "problem.hpp"
#include "support.hpp"
#include "train/trainer.hpp"

namespace {

thread_local long allocations = 0;  // NOLINT: what is counted is global

}  // namespace

// All ways to memory lead through these, operator new and Eigen's allocator among them.
extern "C" {
void* __libc_malloc(std::size_t bytes);                           // NOLINT
void* __libc_calloc(std::size_t count, std::size_t bytes);        // NOLINT
void* __libc_realloc(void* block, std::size_t bytes);             // NOLINT
void* __libc_memalign(std::size_t alignment, std::size_t bytes);  // NOLINT

void* malloc(std::size_t bytes) noexcept {
  ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) noexcept {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* block, std::size_t bytes) noexcept {
  ++allocations;
  return __libc_realloc(block, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}
}

namespace mha::test {
namespace {

/// Allocations of one pass.
long counted(Attention& layer, const Problem& problem, Detail detail) {
  const Parts parts = {!problem.context.empty(), !problem.mask.empty(), !problem.b_q.empty(), detail};
  std::vector<float> trace(static_cast<std::size_t>(Layout(Slab::trace, problem.shape, parts).size()));
  const Options options = problem.options();
  const long before = allocations;
  const Outcome outcome = layer.forward(problem.shape, problem.input(), options, detail, trace);
  const long made = allocations - before;
  REQUIRE(outcome.ok());
  return made;
}

TEST_CASE("only the first pass of a shape allocates", "[attention][allocation]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 40; ++round) {
    const int g = random.integer(1, 3);
    const Shape shape = {
        random.integer(1, 40), random.integer(1, 40), random.integer(1, 70), g * random.integer(1, 3), g,
        random.integer(1, 40)};
    const Problem problem = random_problem(shape, random);
    for (const Detail detail : {Detail::core, Detail::full}) {
      Attention layer;
      REQUIRE(layer.load(shape, problem.parameters()).ok());
      CHECK(counted(layer, problem, detail) >= 1);  // or nothing would be counted
      CHECK(counted(layer, problem, detail) == 0);
      CHECK(counted(layer, problem, detail) == 0);
    }
  }
}

TEST_CASE("only the first step of a shape allocates", "[trainer][allocation]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 40; ++round) {
    const ModelShape shape = random_model(random);
    Trainer trainer;
    REQUIRE(trainer.start(shape, {}).ok());
    const Batch batch = random_batch(shape, 6, random);
    for (const bool first : {true, false, false}) {
      double loss = 0;
      const long before = allocations;
      const Outcome outcome = trainer.step(batch, loss);
      const long made = allocations - before;
      REQUIRE(outcome.ok());
      CHECK((first ? made >= 1 : made == 0));
    }
  }
}

TEST_CASE("only the first training step of a batch allocates", "[gradient][train][allocation]") {
  Random random(Catch::getSeed());
  for (int round = 0; round < 10; ++round) {
    const std::vector<std::int32_t> lengths = {random.integer(1, 9), random.integer(1, 20), random.integer(1, 9)};
    const std::int32_t rows = lengths[0] + lengths[1] + lengths[2];
    const Problem problem = plain_problem({rows, rows, random.integer(1, 40), 4, 2, random.integer(1, 9)}, random);
    const std::vector<float> d_output = random.numbers(floats(Tensor::output, problem.shape));
    std::vector<float> d_x(problem.x.size()), d_w_q(problem.w_q.size()), d_w_o(problem.w_o.size());
    AttentionBatch batch;
    const auto step = [&] {
      const long before = allocations;
      const bool ok = batch.load(problem.shape, problem.parameters()).ok() &&
                      batch.forward(lengths, problem.x, {}).ok() &&
                      batch.backward(d_output, {.x = d_x, .w_q = d_w_q, .w_o = d_w_o}).ok();
      const long made = allocations - before;
      REQUIRE(ok);
      return made;
    };
    CHECK(step() >= 1);
    CHECK(step() == 0);
    CHECK(step() == 0);
  }
}

}  // namespace
}  // namespace mha::test

#endif
