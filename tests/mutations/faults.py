"""The faults: each is one way in which somebody's attention, or somebody's page about it, was wrong (learners.md).

A fault is a few exact replacements. `old` must stand in its file exactly once, or the run stops: the source has changed
and the fault has to be written anew.
"""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Fault:
    name: str
    edits: tuple[Edit, ...]
    # Where it must be seen. native: the C++ tests. page: the walk in a browser. A fault of the core that the page can't
    # reach (it has no biases, for example) is native only; a fault of the page's own code is page only.
    native: bool = True
    page: bool = True

    @property
    def in_core(self) -> bool:
        return any(edit.file.startswith("src/") for edit in self.edits)


ATTENTION = "src/mha/attention.cpp"
GRADIENT = "src/mha/attention_gradient.cpp"
PACKED = "src/mha/packed_parameters.cpp"
NETWORK = "src/train/network.cpp"
READ_OUT = "src/train/read_out.cpp"
ABLATION = "src/lab/ablation.cpp"
IMPORTANCE = "src/lab/importance.cpp"

FAULTS = (
    Fault("W_O transposed", (
        Edit(PACKED, "pack({parameters.w_o.data(), d}, hk, d,", "pack({parameters.w_o.data(), 1, hk}, hk, d,"),
    )),
    Fault("heads swapped", (
        Edit(ATTENTION, "std::ptrdiff_t{rows.first} * p.hk + rows.head * p.k;\n  gemm(rows.count, p.k,",
             "std::ptrdiff_t{rows.first} * p.hk + (p.shape.heads - 1 - rows.head) * p.k;\n  gemm(rows.count, p.k,"),
    )),
    Fault("scale lost", (
        Edit(ATTENTION, "return score * factor; });", "static_cast<void>(factor); return score; });"),
    )),
    Fault("V made with K's weights", (
        Edit(PACKED, "pack({parameters.w_v.data(), gk}, d, gk,", "pack({parameters.w_k.data(), gk}, d, gk,"),
    )),
    Fault("softmax down the columns", (
        Edit(ATTENTION, "#include <algorithm>\n", "#include <algorithm>\n#include <array>\n"),
        # Only where all rows go at once: a block of rows has no whole columns.
        Edit(ATTENTION, "/// A_i = softmax of each row.\nvoid normalise(const Pass& p, const Rows& rows) {\n", """\
void normalise(const Pass& p, const Rows& rows) {
  if (rows.count == p.m) {
    std::array<float, kMaxTokens> column;
    for (std::int32_t j = 0; j < p.m; ++j) {
      for (std::int32_t i = 0; i < p.m; ++i) column[static_cast<std::size_t>(i)] = rows.row(p.masked, i, p.m)[j];
      softmax_row(column.data(), column.data(), p.m);
      for (std::int32_t i = 0; i < p.m; ++i) rows.row(p.weights, i, p.m)[j] = column[static_cast<std::size_t>(i)];
    }
    std::fill(p.masked_rows.begin(), p.masked_rows.end(), 0.0F);
    return;
  }
"""),
    )),
    Fault("mask after softmax", (
        Edit(ATTENTION, "const bool visible = softmax_row(rows.row(p.masked, r, p.m), rows.row(p.weights, r, p.m), p.m);", """\
const float* const masked = rows.row(p.masked, r, p.m);
    float* const weights = rows.row(p.weights, r, p.m);
    const bool visible = *masked != -kInfinity;
    softmax_row(rows.row(p.scaled, r, p.m), weights, p.m);
    for (std::int32_t j = 0; j < p.m; ++j) {
      if (masked[j] == -kInfinity) weights[j] = 0.0F;
    }"""),
    )),
    Fault("causal mask off by one", (
        Edit(ATTENTION, "p.options.causal ? std::min(i + 1, p.m) : p.m", "p.options.causal ? std::min(i + 2, p.m) : p.m"),
    )),
    Fault("key/value head of the neighbour", (
        Edit(ATTENTION, "const std::int32_t kv_head = shape.kv_head_of(head);",
             "const std::int32_t kv_head = (shape.kv_head_of(head) + 1) % shape.kv_heads;"),
    )),
    # With as many key/value heads as heads, as on the page, this is right: only groups show it.
    Fault("key/value groups interleaved", (
        Edit(ATTENTION, "const std::int32_t kv_head = shape.kv_head_of(head);",
             "const std::int32_t kv_head = head % shape.kv_heads;"),
    ), page=False),
    # The page's weights have no biases.
    Fault("value bias of the wrong head", (
        Edit(ATTENTION, "#include <utility>\n", "#include <utility>\n#include <vector>\n"),
        Edit(ATTENTION, "  const float* const c = p.input.context.empty() ? x : p.input.context.data();\n", """\
  const float* const c = p.input.context.empty() ? x : p.input.context.data();
  std::vector<float> b_v(p.parameters.b_v.begin(), p.parameters.b_v.end());
  if (!b_v.empty()) std::rotate(b_v.begin(), b_v.begin() + p.k, b_v.end());
"""),
        Edit(ATTENTION, "bias_or_null(p.parameters.b_v)", "bias_or_null(b_v)"),
    ), page=False),
    Fault("head switched off after W_O", (
        Edit(ATTENTION, "const float gate = p.options.gate(rows.head);\n", "const float gate = 1.0F;\n"),
        Edit(ATTENTION, "  return require_finite(Status::overflow, Tensor::output, shape, p.output);\n", """\
  for (std::int32_t i = 0; i < p.n; ++i) {
    for (std::int32_t column = 0; column < std::min(p.d, p.hk); ++column) {
      p.output[static_cast<std::size_t>(i * p.d + column)] *= options.gate(column / p.k);
    }
  }
  return require_finite(Status::overflow, Tensor::output, shape, p.output);
"""),
    )),
    Fault("row with every key masked gives NaN", (
        Edit("src/mha/softmax.cpp", "  if (max == kMinusInfinity) {\n    std::fill_n(weights, count, 0.0F);\n", """\
  if (max == kMinusInfinity) {
    std::fill_n(weights, count, std::numeric_limits<float>::quiet_NaN());
"""),
    )),
    Fault("split by reshaping alone, without the transpose", (
        Edit("src/mha/layout.cpp", ".strides = {head_dim, whole.strides[0], 1},",
             ".strides = {head_dim * whole.shape[0], head_dim, 1},"),
    )),
    Fault("explanation reads the transposed cell", (
        Edit("src/mha/explanation.cpp", "case Tensor::raw_scores: return score(a, b, c);",
             "case Tensor::raw_scores: return score(a, std::min(c, shape_.tokens - 1), std::min(b, shape_.context - 1));"),
    )),
    Fault("contribution with another head's rows of W_O", (
        Edit(ATTENTION, "pack({parameters_.w_o.data() + std::ptrdiff_t{head} * k * d, d}, k, d, workspace_.data());",
             "pack({parameters_.w_o.data() + std::ptrdiff_t{head > 0 ? head - 1 : head} * k * d, d}, k, d, workspace_.data());"),
    )),
    Fault("memory view from before the module's memory grew", (
        Edit("web/src/core/wasm.ts", "  #scratch = new Block(0, 0)\n", "  #scratch = new Block(0, 0)\n  #old: ArrayBuffer | undefined\n"),
        Edit("web/src/core/wasm.ts", "return new Float32Array(this.#memory.buffer, block.address, block.floats)",
             "return new Float32Array((this.#old ??= this.#memory.buffer), block.address, block.floats)"),
    ), native=False),
    Fault("numbers of an older pass stay on show", (
        Edit("web/src/model/lesson.svelte.ts", "    this.pass = pass\n", "    this.pass ??= pass\n"),
    ), native=False),
    Fault("the page takes a row for a column", (
        Edit("web/src/model/matrix.ts", "index: indexOf(row, column) }),", "index: indexOf(column, row) }),"),
    ), native=False),
    Fault("every head is called head 1", (
        Edit("web/src/text/common.en.ts", "  head: (number: number) => `Head ${number}`,\n", "  head: (_: number) => 'Head 1',\n"),
        Edit("web/src/text/common.zh.ts", "  head: (number) => `头 ${number}`,\n  heads", "  head: () => '头 1',\n  heads"),
    ), native=False),
    Fault("equal words taken for one token", (
        Edit("web/src/core/source.ts",
             "positions, input) {\n    const { bytes, offsets } = encodeTokens(tokens)\n",
             "positions, input) {\n    const { bytes, offsets } = encodeTokens(tokens.map((token, i, all) => all[all.indexOf(token) + (all.indexOf(token) < i ? 1 : 0)]!))\n"),
    ), native=False),
    # The kernels: a rest that fits no vector, and a row alone.
    Fault("the last panel's columns shifted", (
        Edit("src/mha/gemm.cpp", "std::copy_n(whole.data() + r * kPanelWidth, columns, to + r * ldc);",
             "std::copy_n(whole.data() + r * kPanelWidth, columns - 1, to + r * ldc + 1);"),
    )),
    Fault("the rest of a row left out of its sum", (
        Edit("src/mha/softmax.cpp", "xsimd::reduce_add(sums + last);", "xsimd::reduce_add(sums);"),
    )),
    # One token at a size that has several panels: the walk has no such problem.
    Fault("a row alone goes on with the next panel", (
        Edit("src/mha/gemm.cpp", "panels += std::ptrdiff_t{k} * kRowWidth;", "panels += std::ptrdiff_t{k} * kPanelWidth;"),
    ), page=False),
    Fault("a term of the exponential wrong", (
        Edit("src/mha/softmax.cpp", "0x1.fffffcp-2F}", "0x1.cp-2F}"),
    )),
    # The way back. The walk does not go there.
    Fault("a gate's gradient times the gate", (
        Edit(GRADIENT, "d_gate += softmax_row_gradient(", "d_gate += gate * softmax_row_gradient("),
    ), page=False),
    Fault("the scale lost on the way back", (
        Edit(GRADIENT, "gate * p.traced.factor, d_scores + at,", "gate, d_scores + at,"),
    ), page=False),
    Fault("X's gradient by way of the queries alone", (
        Edit(GRADIENT, "p.is_self() ? projections.total : p.hk;", "p.hk;"),
    ), page=False),
    Fault("softmax backward as if every weight stood alone", (
        Edit("src/mha/softmax.cpp", "const Lanes difference = Lanes::load_unaligned(d_weights + j) - Lanes(sum);",
             "const Lanes difference = Lanes::load_unaligned(d_weights + j);"),
    ), page=False),
    Fault("a batch that looks ahead", (
        Edit("src/mha/attention_batch.cpp", "if (head.options.causal) std::fill(row + i + 1,",
             "if (head.options.causal) std::fill(row + std::min(i + 2, n),"),
    ), page=False),
    # Training, and what is measured of it. The walk does not go there either.
    Fault("Adam without bias correction", (
        Edit("src/train/adam.cpp", "options.learning_rate / (1.0 - power(options.beta1, step))", "options.learning_rate"),
        Edit("src/train/adam.cpp", "std::sqrt(1.0 - power(options.beta2, step))",
             "std::sqrt(step > 0 ? 1.0 : power(options.beta2, step))"),
    ), page=False),
    Fault("a word that stands twice learns from its last place alone", (
        Edit(NETWORK, "add(from, words.subspan(size(batch_->tokens[row]) * d, d));",
             "std::copy(from.begin(), from.end(), words.subspan(size(batch_->tokens[row]) * d, d).begin());"),
    ), page=False),
    Fault("no way back past a layer", (
        Edit(NETWORK, "if (shape_.residual) add(d_y, d_x);", ""),
    ), page=False),
    Fault("layer norm with Bessel's correction", (
        Edit("src/train/layer_norm.cpp", "std::sqrt(variance / count + kEpsilon)",
             "std::sqrt(variance / (count > 1.0 ? count - 1.0 : 1.0) + kEpsilon)"),
    ), page=False),
    # Both ways, so that it would learn as well.
    Fault("the read-out's slots in reverse order", (
        Edit(READ_OUT, "pack({map.matrix.data() + std::ptrdiff_t{slot.number} * v,",
             "pack({map.matrix.data() + std::ptrdiff_t{sizes_.slots - 1 - slot.number} * v,"),
        Edit(READ_OUT, "map.bias.data() + std::ptrdiff_t{slot.number} * v,",
             "map.bias.data() + std::ptrdiff_t{sizes_.slots - 1 - slot.number} * v,"),
        Edit(READ_OUT, "const std::ptrdiff_t column = std::ptrdiff_t{slot.number} * v;",
             "const std::ptrdiff_t column = std::ptrdiff_t{sizes_.slots - 1 - slot.number} * v;"),
    ), page=False),
    Fault("questions that are not asked count in the mean", (
        Edit(NETWORK, "loss_ = sum / static_cast<double>(questions_.size());",
             "loss_ = sum / static_cast<double>(batch.targets.size());"),
        Edit(NETWORK, "1.0 / static_cast<double>(questions_.size())", "1.0 / static_cast<double>(batch_->targets.size())"),
    ), page=False),
    Fault("what is not asked is asked for the first word", (
        Edit("src/train/questions.cpp", "if (batch.targets[at] == kIgnored) continue;", ""),
        Edit("src/train/questions.cpp", ".partner = batch.partners[at],", ".partner = std::max(batch.partners[at], 0),"),
        Edit("src/train/questions.cpp", ".target = batch.targets[at],", ".target = std::max(batch.targets[at], 0),"),
        Edit("src/train/questions.cpp", ".relation = batch.relations[at]}", ".relation = std::max(batch.relations[at], 0)}"),
        Edit("src/train/questions.cpp", "#include <cstddef>\n", "#include <algorithm>\n#include <cstddef>\n"),
    ), page=False),
    Fault("any sentence is both trained on and held out", (
        Edit("src/train/grammar.cpp", "if (split_of(sentence) == split) return sentence;",
             "static_cast<void>(split);\n    return sentence;"),
    ), page=False),
    Fault("a run is measured on what it trains on", (
        Edit("src/train/run.cpp", "options_.trainer.seed, Split::held_out,", "options_.trainer.seed, Split::train,"),
    ), page=False),
    Fault("an observed run is measured on sentences for training", (
        Edit("src/lab/observed_run.cpp", "make_batch(task, kHeldOutSeed, Split::held_out, Questions::asked,",
             "make_batch(task, kHeldOutSeed, Split::train, Questions::asked,"),
        Edit("src/lab/observed_run.cpp", "make_batch(task, kHeldOutSeed, Split::held_out, Questions::relations, numbers,",
             "make_batch(task, kHeldOutSeed, Split::train, Questions::relations, numbers,"),
    ), page=False),
    Fault("every step trains on the first sentences", (
        Edit("src/train/run.cpp", "trainer_.steps() * static_cast<std::uint64_t>(options_.batch);",
             "std::uint64_t{trainer_.steps() == kMaxBatch};"),
    ), page=False),
    Fault("a gate's gradient by the mean of the batch", (
        Edit(NETWORK, "if (loss == Loss::batch_mean) return;", "static_cast<void>(loss);\n  if (!questions_.empty()) return;"),
    ), page=False),
    Fault("I_h of slopes that cancel between sentences", (
        Edit(IMPORTANCE, "raw += std::abs(static_cast<double>(d_gates[(layer * batch.sentences() + s) * h + head]));",
             "raw += static_cast<double>(d_gates[(layer * batch.sentences() + s) * h + head]);"),
        Edit(IMPORTANCE, "raw /= static_cast<double>(batch.sentences());",
             "raw = std::abs(raw) / static_cast<double>(batch.sentences());"),
    ), page=False),
    Fault("I_h divided by a sum in place of the norm", (
        Edit(IMPORTANCE, "squares += raw * raw;", "squares += raw;"),
        Edit(IMPORTANCE, "head.raw / std::sqrt(squares)", "head.raw / squares"),
    ), page=False),
    Fault("a head ablated after W_O", (
        Edit(ABLATION, "  without.assign(gates.size(), {});\n", """\
  if (network.shape().model_dim % network.shape().heads == 0) {
    return zero_output_slice_each(network, batch, parameters, without);
  }
  without.assign(gates.size(), {});
"""),
    ), page=False),
    Fault("an output slice that keeps its bias", (
        Edit(ABLATION, "for (const Weight weight : {Weight::w_o, Weight::b_o}) {", "for (const Weight weight : {Weight::w_o}) {"),
    ), page=False),
    Fault("of equal heads the last goes first", (
        Edit(ABLATION, "without.loss < loss", "without.loss <= loss"),
    ), page=False),
    Fault("greedy by the heads' absence one by one", (
        Edit(ABLATION, "      gates[head] = 0.0F;\n      Evaluation without;\n", """\
      const std::vector<float> gone = std::exchange(gates, all_on(network));
      gates[head] = 0.0F;
      Evaluation without;
"""),
        Edit(ABLATION, "      gates[head] = 1.0F;\n      if (least", "      gates = gone;\n      if (least"),
        Edit(ABLATION, "#include <numeric>\n", "#include <numeric>\n#include <utility>\n"),
    ), page=False),
)
