"""The model that learns (src/train/model.hpp) in PyTorch: m has its sizes, parameters are tensors by name."""

import torch
import torch.nn.functional as F

IGNORED = -1


def shapes(m):
    """Every parameter by its name, in the order of src/train/model.hpp."""
    d, width, out = m["model_dim"], m["heads"] * m["head_dim"], m["slots"] * m["vocabulary"]
    made = {"token_embedding": (m["vocabulary"], d), "position_embedding": (m["max_positions"], d), "read_out": (d, out)}
    if m["biases"]:
        made["read_out_bias"] = (1, out)
    for layer in range(m["layers"]):
        own = {"w_q": (d, width), "w_k": (d, width), "w_v": (d, width), "w_o": (width, d)}
        if m["biases"]:
            own |= {"b_q": (1, width), "b_k": (1, width), "b_v": (1, width), "b_o": (1, d)}
        if m["layer_norm"]:
            own |= {"norm_scale": (1, d), "norm_shift": (1, d)}
        made |= {f"layers.{layer}.{name}": shape for name, shape in own.items()}
    return made


def attention(m, p, x, gates, columns):
    """One sentence through one layer. p(name) is a parameter of the layer; gates [h] stand before W_O, columns [d] after
    it: both are factors."""
    n, h, k = len(x), m["heads"], m["head_dim"]
    bias = (lambda name: p(name)) if m["biases"] else (lambda name: 0.0)
    heads = lambda y: y.reshape(n, h, k).transpose(0, 1)  # noqa: E731
    q, keys, v = (heads(x @ p(f"w_{name}") + bias(f"b_{name}")) for name in "qkv")
    scores = q @ keys.transpose(1, 2) / k**0.5
    if m["causal"]:
        scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), -torch.inf)
    z = gates[:, None, None] * (scores.softmax(-1) @ v)
    return (z.transpose(0, 1).reshape(n, h * k) @ p("w_o") + bias("b_o")) * columns


def all_on(m):
    """Gates [layers, h] and columns [layers, d] that change nothing."""
    return tuple(torch.ones(m["layers"], m[size], dtype=torch.float64) for size in ("heads", "model_dim"))


def logits_of(m, parameters, lengths, tokens, off=None):
    """[words, slots, vocabulary] of sentences one behind another."""
    gates, columns = off or all_on(m)
    logits, first = [], 0
    for length in lengths:
        x = parameters["token_embedding"][tokens[first : first + length]] + parameters["position_embedding"][:length]
        for layer in range(m["layers"]):
            p = lambda name, layer=layer: parameters[f"layers.{layer}.{name}"]  # noqa: E731
            y = attention(m, p, x, gates[layer], columns[layer])
            y = y + x if m["residual"] else y
            x = F.layer_norm(y, (y.shape[1],), p("norm_scale")[0], p("norm_shift")[0]) if m["layer_norm"] else y
        y = x @ parameters["read_out"]
        logits.append(y + parameters["read_out_bias"] if m["biases"] else y)
        first += length
    return torch.cat(logits).reshape(-1, m["slots"], m["vocabulary"])


def loss_of(logits, targets):
    """The mean over all questions that are asked."""
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
