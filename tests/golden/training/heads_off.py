"""Golden heads: what a model loses without some of its heads, and what each head's gradient promised of that."""

import numpy as np
import torch
from model64 import IGNORED, all_on, logits_of, loss_of, shapes

# Sizes that relation reading has on a small scale (two questions per word, most of them not asked); and all there is.
HEADS_OFF = {
    "heads_off_plain": {"vocabulary": 24, "max_positions": 9, "model_dim": 12, "heads": 4, "head_dim": 3, "layers": 1,
                        "slots": 2, "residual": 0, "layer_norm": 0, "biases": 0, "causal": 0},
    "heads_off_everything": {"vocabulary": 13, "max_positions": 8, "model_dim": 9, "heads": 3, "head_dim": 4, "layers": 2,
                             "slots": 2, "residual": 1, "layer_norm": 1, "biases": 1, "causal": 1},
}
SEED = 30  # the models that it draws are as CLEAR wants them
CLEAR = 1e-3  # What is ordered, words by logits and heads by losses, lies apart so far: float32 must see the same order.


class Model:
    """One model and its questions."""

    def __init__(self, m, parameters, lengths, tokens):
        self.m, self.lengths, self.tokens = m, lengths, tokens
        self.parameters = {key: torch.tensor(value.astype(np.float64)) for key, value in parameters.items()}
        self.heads = [(layer, head) for layer in range(m["layers"]) for head in range(m["heads"])]

    def logits(self, off=None):
        return logits_of(self.m, self.parameters, self.lengths, self.tokens, off)

    def ask(self, rng):
        """About 40 % of all questions, and none in the third sentence; every other right answer is the model's own: some
        must be lost without a head."""
        logits = self.logits()
        targets = torch.tensor(rng.integers(0, self.m["vocabulary"], logits.shape[:2]))
        targets = torch.where(torch.tensor(rng.random(targets.shape) < 0.5), logits.argmax(-1), targets)
        targets[torch.tensor(rng.random(targets.shape) < 0.6)] = IGNORED
        first = sum(self.lengths[:2])
        targets[first : first + self.lengths[2]] = IGNORED
        self.targets = targets

    def quality(self, off):
        """(loss, accuracy)"""
        logits = self.logits(off)
        asked = self.targets != IGNORED
        first, second = logits[asked].topk(2).values.T
        nothing = (logits[asked] == 0).all(-1)  # all heads are gone, and nothing else is there: the first word it is
        assert ((first - second > CLEAR) | nothing).all(), "two words are nearly alike: take another seed"
        right = logits[asked].numpy().argmax(-1) == self.targets[asked].numpy()
        return loss_of(logits, self.targets).item(), right.mean()

    def without(self, heads):
        """ξ = 0 before W_O; every bias stays."""
        gates, columns = all_on(self.m)
        for head in heads:
            gates[head] = 0.0
        return self.quality((gates, columns))

    def sliced(self, layer, head):
        """Not an ablation: a slice of the layer's output is zeros, after W_O."""
        gates, columns = all_on(self.m)
        columns[layer].reshape(self.m["heads"], -1)[head] = 0.0
        return self.quality((gates, columns))

    def importance(self):
        """Raw and normalised I_h, [layers, h] each (Michel, Levy & Neubig 2019, eq. 2 and §4.1)."""
        gates, columns = all_on(self.m)
        gates.requires_grad_()
        words = torch.split(self.logits((gates, columns)), self.lengths)
        sizes = []
        for logits, targets in zip(words, torch.split(self.targets, self.lengths)):
            if (targets != IGNORED).any():
                (slope,) = torch.autograd.grad(loss_of(logits, targets), gates, retain_graph=True)
                sizes.append(slope.abs())
        raw = sum(sizes) / len(self.lengths)
        return raw, raw / raw.norm(dim=1, keepdim=True)

    def by_importance(self):
        scores = self.importance()[1].flatten()
        assert scores.sort().values.diff().min() > CLEAR, "two heads are nearly alike: take another seed"
        return scores.argsort().tolist()

    def greedy(self):
        order = []
        while len(order) < len(self.heads):
            gone = [self.heads[head] for head in order]
            losses = {i: self.without(gone + [head])[0] for i, head in enumerate(self.heads) if i not in order}
            least, *others = sorted(losses, key=losses.get)
            assert not others or losses[others[0]] - losses[least] > CLEAR, "two heads are nearly alike: take another seed"
            order.append(least)
        return order


def heads_off(name):
    m = HEADS_OFF[name]
    rng = np.random.default_rng(SEED)
    lengths = [m["max_positions"], 1, 3, 5, 4, 7, 2, 6]
    parameters = {}
    for key, shape in shapes(m).items():
        parameters[key] = (0.6 * rng.standard_normal(shape)).astype(np.float32)
        if key.endswith("norm_scale"):
            parameters[key] += np.float32(1)
    model = Model(m, parameters, lengths, torch.tensor(rng.integers(0, m["vocabulary"], sum(lengths))))
    model.ask(rng)

    raw, normalised = model.importance()
    answers = {"importance.raw": raw.numpy(), "importance.normalised": normalised.numpy()}
    qualities = {"whole": [model.without([])], "without": [model.without([head]) for head in model.heads],
                 "sliced": [model.sliced(*head) for head in model.heads]}
    for way, order in {"by_importance": model.by_importance(), "greedy": model.greedy()}.items():
        answers[f"{way}.order"] = np.array(order)
        gone = [model.heads[head] for head in order]
        qualities[way] = [model.without(gone[:count]) for count in range(len(gone) + 1)]
    for way, measured in qualities.items():
        answers[f"{way}.loss"], answers[f"{way}.accuracy"] = np.array(measured).T
    given = {"lengths": np.array(lengths), "tokens": model.tokens.numpy(), "targets": model.targets.numpy(), **parameters}
    return given, answers, {key: str(value) for key, value in m.items()}
