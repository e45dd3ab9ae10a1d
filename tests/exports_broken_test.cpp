// Mistakes over the wasm boundary: the numbers are the core's, and what can't be asked is refused.
#include "wasm/exports_broken.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "exports_call.hpp"
#include "lab/broken_attention.hpp"
#include "lab/observed_run.hpp"
#include "train/model_file.hpp"

namespace mha::test {
namespace {

using wasm::kBroken;

ModelFile small_model() {
  ModelFile model{.shape = with_heads(model_for(Task::relation_reading), 2), .steps = 1};
  model.shape.model_dim = 8;
  model.shape = with_heads(model.shape, 2);
  std::string words;
  for (std::int32_t place = 1; place < model.shape.vocabulary; ++place) {
    words += "\n" + std::string(word_text(Task::relation_reading, place));
  }
  model.metadata = {{"vocabulary", words}};
  model.parameters.resize(ModelLayout(model.shape).size());
  fill_start(model.shape, 3, 1.0F, model.parameters);
  return model;
}

std::vector<std::uint8_t> bytes_of(const ModelFile& model) {
  const Result<std::vector<std::byte>> file = write_model_file(model, Precision::float32);
  REQUIRE(file.ok());
  std::vector<std::uint8_t> bytes;
  for (const std::byte byte : file.value()) bytes.push_back(static_cast<std::uint8_t>(byte));
  return bytes;
}

/// The arguments, each of which a test may spoil.
struct Asked {
  std::vector<std::uint8_t> file = bytes_of(small_model());
  std::int32_t heads = 2, mistake = 1, language = -1;
  std::vector<std::int32_t> words = {1, 2, 3, 4, 5};
  std::size_t relations = info(Task::relation_reading).relations.size();
  std::vector<double> loss = std::vector<double>(2), accuracy = std::vector<double>(2 * (1 + relations));
  std::vector<double> broken = std::vector<double>(kBroken.size(), 77);
  std::vector<float> maps = std::vector<float>(2 * 2 * 5 * 5, 77.0F);

  std::int32_t ask() {
    return mha_break(file.data(), static_cast<std::uint32_t>(file.size()), heads, mistake, language, words.data(),
                     static_cast<std::int32_t>(words.size()), loss.data(), accuracy.data(), maps.data(), broken.data());
  }
};

TEST_CASE("mistakes over the boundary are the core's, number by number", "[exports][broken]") {
  const ModelFile file = small_model();
  BrokenAttention model;
  REQUIRE(model.load(file.shape, file.parameters).ok());
  for (const std::int32_t language : {-1, 0, 1}) {
    Batch batch;
    const std::optional<Language> spoken = language < 0 ? std::nullopt : std::optional(static_cast<Language>(language));
    make_batch(Task::relation_reading, ObservedRun::kHeldOutSeed, Split::held_out, Questions::asked,
               held_out_numbers(Task::relation_reading, spoken, ObservedRun::kHeldOut), batch);
    for (std::int32_t mistake = 1; mistake < static_cast<std::int32_t>(kBreakNames.size()); ++mistake) {
      CAPTURE(language, mistake);
      Asked asked;
      asked.mistake = mistake;
      asked.language = language;
      REQUIRE(asked.ask() == 0);
      std::vector<float> maps, right;
      double largest = 0;
      for (const Break way : {Break::none, static_cast<Break>(mistake)}) {
        const std::size_t place = way == Break::none ? 0 : 1;
        Evaluation evaluation;
        REQUIRE(model.evaluate(way, batch, evaluation).ok());
        CHECK(asked.loss[place] == evaluation.loss);
        CHECK(asked.accuracy[place * (1 + asked.relations)] == evaluation.all.accuracy());
        for (std::size_t r = 0; r < evaluation.relations.size(); ++r) {
          const Tally& tally = evaluation.relations[r];
          CHECK(asked.accuracy[place * (1 + asked.relations) + 1 + r] == (tally.asked > 0 ? tally.accuracy() : -1.0));
        }
        REQUIRE(model.show(way, asked.words).ok());
        maps.insert(maps.end(), model.maps().begin(), model.maps().end());
        if (way == Break::none) right.assign(model.output().begin(), model.output().end());
      }
      for (std::size_t i = 0; i < right.size(); ++i) {
        largest = std::max(largest, std::fabs(double(model.output()[i]) - right[i]));
      }
      CHECK(asked.maps == maps);
      CHECK(asked.broken == std::vector<double>{largest, model.row_sums().smallest, model.row_sums().largest});
    }
  }
}

TEST_CASE("without a sentence only held-out sentences are asked", "[exports][broken]") {
  Asked asked;
  asked.words.clear();
  REQUIRE(asked.ask() == 0);
  CHECK(asked.loss[0] > 0);
  CHECK(asked.maps == Asked().maps);
  CHECK(asked.broken == Asked().broken);
  CHECK(mha_break(asked.file.data(), static_cast<std::uint32_t>(asked.file.size()), 2, 1, -1, nullptr, 0,
                  asked.loss.data(), asked.accuracy.data(), nullptr, nullptr) == 0);
}

TEST_CASE("what cannot be broken is refused over the boundary", "[exports][broken]") {
  const auto refused = [](Status status, auto spoil) {
    Asked asked;
    spoil(asked);
    CHECK(asked.ask() == number(status));
  };
  const auto other = [](auto change) {
    return [change](Asked& asked) {
      ModelFile model = small_model();
      change(model);
      model.parameters.resize(ModelLayout(model.shape).size(), 1.0F);
      asked.file = bytes_of(model);
    };
  };
  refused(Status::ok, [](Asked&) {});
  for (const std::int32_t mistake : {-1, 0, 7}) {
    refused(Status::no_such_cell, [=](Asked& asked) { asked.mistake = mistake; });
  }
  for (const std::int32_t language : {-2, 2}) {
    refused(Status::no_such_cell, [=](Asked& asked) { asked.language = language; });
  }
  refused(Status::bad_model, [](Asked& asked) { asked.file.pop_back(); });
  refused(Status::bad_model, [](Asked& asked) { asked.file.assign(3, 0); });
  refused(Status::bad_model, [](Asked& asked) { asked.heads = 1; });
  refused(Status::bad_model, other([](ModelFile& model) { model.parameters[0] = kNan; }));
  refused(Status::bad_model, other([](ModelFile& model) { model.shape.layers = 2; }));
  refused(Status::bad_model, other([](ModelFile& model) { model.shape.slots += 1; }));
  refused(Status::bad_model, other([](ModelFile& model) { model.shape.max_positions += 1; }));
  refused(Status::bad_model, other([](ModelFile& model) { model.shape.biases = true; }));
  refused(Status::overflow, other([](ModelFile& model) { std::ranges::fill(model.parameters, 1e25F); }));
  refused(Status::unknown_word, [](Asked& asked) { asked.words[2] = -1; });
  refused(Status::too_many_words, [](Asked& asked) { asked.words.resize(100, 1); });
  refused(Status::too_many_words, [](Asked& asked) { asked.words.resize(kMaxTokens + 1, 1); });

  Asked asked;
  const auto size = static_cast<std::uint32_t>(asked.file.size());
  const auto with_null = [&](int which) {
    return mha_break(which == 0 ? nullptr : asked.file.data(), size, 2, 1, -1,
                     which == 1 ? nullptr : asked.words.data(), 5, which == 2 ? nullptr : asked.loss.data(),
                     which == 3 ? nullptr : asked.accuracy.data(), which == 4 ? nullptr : asked.maps.data(),
                     which == 5 ? nullptr : asked.broken.data());
  };
  for (int which = 0; which < 6; ++which) CHECK(with_null(which) == number(Status::wrong_size));
  CHECK(with_null(6) == 0);
}

}  // namespace
}  // namespace mha::test
