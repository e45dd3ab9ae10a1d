"""Multi-head attention in float64, three times over: in numpy as this project defines it, by
torch.nn.MultiheadAttention, and with torch operations for what that module cannot express.

Axes as in src/mha/shape.hpp: n tokens, m context, d model_dim, h heads, g kv_heads, k head_dim.
"""

from dataclasses import dataclass, field

import numpy as np
import torch

RESULTS = (
    "q k v raw_scores scaled_scores masked_scores weights heads concat contributions output masked_rows"
).split()


@dataclass
class Layer:
    """One pass: sizes, options, and float32 tensors (x, w_q, w_k, w_v, w_o; optional context, mask, b_q, b_k, b_v, b_o)."""

    heads: int
    kv_heads: int
    head_dim: int
    causal: bool = False
    padding: int = 0
    scale: str = "inverse_sqrt"  # or "none", or a decimal number
    given: dict = field(default_factory=dict)

    def get(self, name):
        """In float64; None if it is not given."""
        return self.given[name].astype(np.float64) if name in self.given else None

    @property
    def source(self):
        return self.get("context") if "context" in self.given else self.get("x")

    @property
    def factor(self):
        if self.scale == "inverse_sqrt":
            return 1 / np.sqrt(self.head_dim)
        # What is given is float32 in the core.
        return 1.0 if self.scale == "none" else float(np.float32(self.scale))

    @property
    def hidden(self):
        """bool [n, m]: what the options forbid, apart from the mask."""
        n, m = len(self.given["x"]), len(self.source)
        rows, columns = np.mgrid[:n, :m]
        return (columns >= m - self.padding) | (self.causal & (columns > rows))

    @property
    def is_module(self):
        """Whether torch.nn.MultiheadAttention can be asked."""
        d = self.given["x"].shape[1]
        return self.scale == "inverse_sqrt" and self.kv_heads == self.heads and self.heads * self.head_dim == d


def bias(layer, name, width):
    return layer.get(name) if name in layer.given else np.zeros(width)


def by_definition(layer):
    """Every tensor of the pass, as src/mha/attention.hpp defines it. A row that may see no key has weights of 0."""
    h, g, k = layer.heads, layer.kv_heads, layer.head_dim
    x, c, w_o = layer.get("x"), layer.source, layer.get("w_o")
    n, d = x.shape
    q = x @ layer.get("w_q") + bias(layer, "b_q", h * k)
    keys = c @ layer.get("w_k") + bias(layer, "b_k", g * k)
    values = c @ layer.get("w_v") + bias(layer, "b_v", g * k)
    kv_of = [i // (h // g) for i in range(h)]

    raw = np.stack([q[:, i * k : (i + 1) * k] @ keys[:, j * k : (j + 1) * k].T for i, j in enumerate(kv_of)])
    scaled = raw * layer.factor
    masked = scaled + (layer.get("mask") if "mask" in layer.given else 0.0)
    masked[:, layer.hidden] = -np.inf

    top = masked.max(axis=-1, keepdims=True)
    dead = np.isneginf(top)
    powers = np.exp(masked - np.where(dead, 0.0, top))
    weights = powers / np.where(dead, 1.0, powers.sum(axis=-1, keepdims=True))

    heads = np.stack([weights[i] @ values[:, j * k : (j + 1) * k] for i, j in enumerate(kv_of)])
    concat = heads.transpose(1, 0, 2).reshape(n, h * k)
    contributions = np.stack([heads[i] @ w_o[i * k : (i + 1) * k] for i in range(h)])
    output = concat @ w_o + bias(layer, "b_o", d)
    masked_rows = dead[0, :, 0].astype(np.float64)
    return dict(zip(RESULTS, (q, keys, values, raw, scaled, masked, weights, heads, concat, contributions, output,
                              masked_rows)))


def by_module(layer):
    """(weights [h, n, m], output [n, d]) of torch.nn.MultiheadAttention; NaN where a row may see no key."""
    d, h = layer.given["x"].shape[1], layer.heads
    module = torch.nn.MultiheadAttention(d, h, bias=True).double()
    with torch.no_grad():
        # PyTorch keeps [out, in] and multiplies by the transpose. A missing bias is one of zeros.
        module.in_proj_weight.copy_(torch.tensor(np.concatenate([layer.get(w).T for w in ("w_q", "w_k", "w_v")])))
        module.in_proj_bias.copy_(torch.tensor(np.concatenate([bias(layer, b, d) for b in ("b_q", "b_k", "b_v")])))
        module.out_proj.weight.copy_(torch.tensor(layer.get("w_o").T.copy()))
        module.out_proj.bias.copy_(torch.tensor(bias(layer, "b_o", d)))
        mask = layer.get("mask") if "mask" in layer.given else np.zeros(layer.hidden.shape)
        mask = torch.tensor(np.where(layer.hidden, -np.inf, mask))
        x, c = torch.tensor(layer.get("x")), torch.tensor(layer.source)
        output, weights = module(x, c, c, attn_mask=mask, need_weights=True, average_attn_weights=False)
    return weights.numpy(), output.numpy()


def by_operations(layer):
    """The same two, with torch operations: grouped key/value heads, any head_dim and scale."""
    h, g, k = layer.heads, layer.kv_heads, layer.head_dim
    d = layer.given["x"].shape[1]

    def projected(rows, w, b, count):
        linear = torch.nn.functional.linear(
            torch.tensor(rows), torch.tensor(layer.get(w).T.copy()), torch.tensor(bias(layer, b, count * k))
        )
        split = linear.unflatten(1, (count, k)).transpose(0, 1)
        return split.repeat_interleave(h // count, dim=0)

    q = projected(layer.get("x"), "w_q", "b_q", h)
    keys = projected(layer.source, "w_k", "b_k", g)
    values = projected(layer.source, "w_v", "b_v", g)
    scores = torch.einsum("hnk,hmk->hnm", q, keys) * layer.factor
    if "mask" in layer.given:
        scores = scores + torch.tensor(layer.get("mask"))
    scores = scores.masked_fill(torch.tensor(layer.hidden), -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    output = torch.einsum("hnm,hmk,hkd->nd", weights, values, torch.tensor(layer.get("w_o")).unflatten(0, (h, k)))
    return weights.numpy(), (output + torch.tensor(bias(layer, "b_o", d))).numpy()


def gradients(layer, gates, d_output):
    """By torch.autograd: the gradient of sum(d_output * Y) by each given tensor but the mask, and by the heads' gates.
    A row that may see no key has weights of 0, whatever the scores are."""
    h, g, k = layer.heads, layer.kv_heads, layer.head_dim
    leaves = {name: torch.tensor(layer.get(name), requires_grad=True) for name in layer.given if name != "mask"}
    leaves["head_gate"] = torch.tensor(gates.astype(np.float64), requires_grad=True)
    x, c = leaves["x"], leaves.get("context", leaves["x"])

    def projected(rows, w, b, count):
        linear = rows @ leaves[w] + leaves.get(b, 0.0)
        return linear.unflatten(1, (count, k)).transpose(0, 1).repeat_interleave(h // count, dim=0)

    q = projected(x, "w_q", "b_q", h)
    keys, values = projected(c, "w_k", "b_k", g), projected(c, "w_v", "b_v", g)
    mask = layer.get("mask") if "mask" in layer.given else np.zeros(layer.hidden.shape)
    mask = torch.tensor(np.where(layer.hidden, -np.inf, mask))
    seen = ~torch.isneginf(mask).all(dim=-1, keepdim=True)
    scores = torch.einsum("hnk,hmk->hnm", q, keys) * layer.factor + torch.where(seen, mask, torch.zeros_like(mask))
    weights = torch.softmax(scores, dim=-1) * seen
    mixed = torch.einsum("hnm,hmk->hnk", weights, values)

    def output(heads):
        return torch.einsum("hnk,hkd->nd", heads, leaves["w_o"].unflatten(0, (h, k))) + leaves.get("b_o", 0.0)

    difference = np.abs(output(mixed).detach().numpy() - by_definition(layer)["output"]).max()
    assert difference <= 1e-11, f"the forward pass differs by {difference:.3g}"
    gated = output(mixed * leaves["head_gate"][:, None, None])
    (gated * torch.tensor(d_output.astype(np.float64))).sum().backward()
    grads = {f"grad_{name}": leaf.grad.numpy() for name, leaf in leaves.items()}
    # What is 0 on paper, such as all of grad_b_k, is other noise on every machine.
    noise = 1e-13 * max(np.abs(grad).max() for grad in grads.values())
    return {name: np.where(np.abs(grad) < noise, 0.0, grad) for name, grad in grads.items()}


def expected(layer):
    """by_definition(), after PyTorch has agreed with it to 1e-12. Rows that may see no key are ours alone: there
    PyTorch divides 0 by 0."""
    results = by_definition(layer)
    weights, output = by_module(layer) if layer.is_module else by_operations(layer)
    seen = results["masked_rows"] == 0
    for name, ours, torchs in (("weights", results["weights"][:, seen], weights[:, seen]),
                               ("output", results["output"][seen], output[seen])):
        difference = np.abs(ours - torchs).max(initial=0.0)
        limit = 1e-12 * max(1.0, np.abs(torchs).max(initial=0.0))
        assert difference <= limit, f"{name}: PyTorch differs by {difference:.3g}"
    return results
