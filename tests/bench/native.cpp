// The benchmark without a browser: ours, Eigen and the peak, as this machine's compiler makes them.
//   mha_bench_native ROUNDS BATCH_MS WARM_MS n,d,h...
// Prints a report as the page of the benchmark gives it (web/bench/page/job.ts). Contenders take turns as in
// web/src/core/race.ts.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/eigen_layer.hpp"
#include "lab/cost.hpp"
#include "mha/attention.hpp"
#include "mha/layout.hpp"
#include "mha/peak.hpp"
#include "mha/simd.hpp"

using namespace mha;

namespace {

using Work = std::function<void()>;

struct Pace {
  int rounds;
  double batch_ms, warm_ms;
};

double batch(const Work& work, int passes) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < passes; ++i) work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

int warm(const Work& work, const Pace& pace) {
  int passes = 1;
  double took = 0;
  for (double sum = 0; sum < pace.warm_ms || took < pace.batch_ms / 2; sum += took) {
    took = batch(work, passes);
    if (took < pace.batch_ms / 2) passes *= 2;
  }
  return std::max(1, static_cast<int>(passes * pace.batch_ms / took));
}

/// ms per pass of every contender, one for each round.
std::vector<std::vector<double>> race(const std::vector<Work>& contenders, const Pace& pace) {
  std::vector<int> passes;
  for (const Work& work : contenders) passes.push_back(warm(work, pace));
  std::vector<std::vector<double>> times(contenders.size());
  for (std::size_t round = 0; round < static_cast<std::size_t>(pace.rounds); ++round) {
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      const std::size_t which = (round + turn) % contenders.size();
      times[which].push_back(batch(contenders[which], passes[which]) / passes[which]);
    }
  }
  return times;
}

/// The layer both compute: uniform numbers of the sizes that trained ones have.
void fill(bench::EigenLayer& layer) {
  std::uint32_t state = 42;
  const auto number = [&] {
    state = state * 1664525U + 1013904223U;
    return static_cast<float>(state >> 8U) * 0x1p-23F - 1.0F;
  };
  const float limit = std::sqrt(3.0F / static_cast<float>(layer.shape.model_dim));
  for (float& value : layer.x.reshaped()) value = number();
  for (bench::Floats* const matrix : {&layer.w_q, &layer.w_k, &layer.w_v, &layer.w_o}) {
    for (float& value : matrix->reshaped()) value = limit * number();
  }
}

std::string list(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

}  // namespace

int main(int count, char** words) {
  if (count < 5) return std::fprintf(stderr, "usage: %s ROUNDS BATCH_MS WARM_MS n,d,h...\n", words[0]), 2;
  const Pace pace = {std::atoi(words[1]), std::atof(words[2]), std::atof(words[3])};
  std::string rows;
  std::vector<double> peaks;
  for (const std::string_view size : std::span(words + 4, static_cast<std::size_t>(count - 4))) {
    int n = 0;
    int d = 0;
    int h = 0;
    if (std::sscanf(size.data(), "%d,%d,%d", &n, &d, &h) != 3) return 2;
    bench::EigenLayer eigen(self_attention(n, d, h));
    fill(eigen);
    Attention ours;
    const Layout layout(Slab::trace, eigen.shape, {.detail = Detail::core});
    std::vector<float> trace(static_cast<std::size_t>(layout.size()));
    const Input input = {.x = bench::span_of(eigen.x)};
    if (!ours.load(eigen.shape, eigen.parameters()).ok()) return 1;
    const Work our_pass = [&] {
      if (!ours.forward(eigen.shape, input, {}, Detail::core, trace).ok()) std::exit(1);
    };
    const Work peak = [] { static_cast<void>(multiply_add_peak(100'000)); };
    our_pass();
    eigen.forward();
    const double deviations[] = {eigen.deviation(layout.span(Tensor::output, std::span<const float>(trace))),
                                 eigen.deviation(bench::span_of(eigen.y))};
    const auto times = race({our_pass, [&] { eigen.forward(); }, peak}, pace);
    for (std::size_t i = 0; i < 2; ++i) {
      char head[200];
      std::snprintf(head, sizeof head, R"({"n": %d, "d": %d, "h": %d, "contender": "%s-native", "flops": %.0f, )", n, d,
                    h, i == 0 ? "ours" : "eigen", cost(eigen.shape).flops);
      rows += (rows.empty() ? "" : ",\n") + std::string(head) + "\"deviation\": " + std::to_string(deviations[i]) +
              ", \"times\": " + list(times[i]) + "}";
    }
    for (const double ms : times[2]) peaks.push_back(multiply_add_peak(100'000) / ms / 1e6);
  }
  std::printf("{\"version\": \"%s, %s\", \"report\": {\"peaks\": {\"simd\": %s},\n\"rows\": [%s]}}\n",
              std::string(simd_arch()).c_str(), MHA_COMPILER, list(peaks).c_str(), rows.c_str());
}
