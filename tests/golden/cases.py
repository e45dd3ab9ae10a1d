"""The golden cases: name -> Layer. Their numbers are a function of the name alone (numpy's frozen MT19937 stream)."""

import zlib

import numpy as np

from layer64 import Layer

BIASES = ("b_q", "b_k", "b_v", "b_o")


def random_layer(name, n, d, h, m=None, g=None, k=None, biases=(), gain=1.0, **options):
    """Numbers in the range that seeded weights have; `gain` multiplies w_q and w_k. m: cross-attention."""
    random = np.random.RandomState(zlib.crc32(name.encode()))
    g, k = g or h, k or d // h

    def numbers(*shape, limit):
        return random.uniform(-limit, limit, shape).astype(np.float32)

    def weights(rows, columns, factor=1.0):
        return numbers(rows, columns, limit=factor * np.sqrt(6 / (rows + columns)))

    given = {"x": numbers(n, d, limit=np.sqrt(3))}
    if m is not None:
        given["context"] = numbers(m, d, limit=np.sqrt(3))
    given["w_q"] = weights(d, h * k, gain)
    given["w_k"] = weights(d, g * k, gain)
    given["w_v"] = weights(d, g * k)
    given["w_o"] = weights(h * k, d)
    widths = dict(zip(BIASES, (h * k, g * k, g * k, d)))
    for bias in biases:
        given[bias] = numbers(widths[bias], limit=0.5)
    return Layer(h, g, k, given=given, **options)


def additive_mask(name, layer, forbid=0.25):
    """Finite numbers, and -inf with this probability (never a whole row: column 0 stays open)."""
    random = np.random.RandomState(zlib.crc32(b"mask of " + name.encode()))
    mask = random.uniform(-2, 2, layer.hidden.shape).astype(np.float32)
    mask[:, 1:][random.uniform(size=mask[:, 1:].shape) < forbid] = -np.inf
    return mask


def padded_keys(layer, columns):
    mask = np.zeros(layer.hidden.shape, np.float32)
    mask[:, columns] = -np.inf
    return mask


# The cases whose gradients are stored, and whether their heads have gates other than 1.
GRADIENTS = {
    "self_d8_h2": False,
    "causal_biases": True,
    "padding": False,
    "cross_wide": False,
    "grouped": True,
    "additive_mask_causal": False,
    "masked_row": False,
    "large_scores": False,
    "one_token": True,
    "everything": True,
}


def backward_input(name, layer):
    """(gates [h], dL/dY [n, d]): of the gates that are not all 1 the first is 0."""
    random = np.random.RandomState(zlib.crc32(b"gradient of " + name.encode()))
    gates = np.ones(layer.heads, np.float32)
    if GRADIENTS[name]:
        gates = random.uniform(-1.5, 1.5, layer.heads).astype(np.float32)
        gates[0] = 0
    return gates, random.uniform(-1, 1, layer.given["x"].shape).astype(np.float32)


def cases():
    made = {}

    def add(name, **arguments):
        made[name] = random_layer(name, **arguments)
        return made[name]

    # Every divisor of d = 8 and d = 12.
    for h in (1, 2, 4, 8):
        add(f"self_d8_h{h}", n=5, d=8, h=h, biases=BIASES)
    for h in (1, 2, 3, 4, 6, 12):
        add(f"self_d12_h{h}", n=5, d=12, h=h)

    add("cross_wide", n=3, m=7, d=12, h=3, biases=BIASES)
    add("cross_tall", n=7, m=3, d=8, h=2)
    add("one_token", n=1, d=8, h=2, biases=BIASES)
    add("one_query", n=1, m=6, d=12, h=4)
    add("one_key", n=4, m=1, d=8, h=4, biases=("b_o",))
    add("bias_q_o", n=4, d=8, h=2, biases=("b_q", "b_o"))
    add("bias_k_v", n=4, d=8, h=2, biases=("b_k", "b_v"))

    add("causal", n=6, d=12, h=4, causal=True)
    add("causal_biases", n=5, d=8, h=8, biases=BIASES, causal=True)
    add("causal_cross", n=4, m=6, d=12, h=2, causal=True)
    add("padding", n=5, d=8, h=4, biases=BIASES, padding=2)

    layer = add("key_padding", n=6, d=12, h=6, biases=BIASES)
    layer.given["mask"] = padded_keys(layer, [4, 5])
    layer = add("key_padding_cross", n=4, m=7, d=8, h=2)
    layer.given["mask"] = padded_keys(layer, [0, 3, 6])
    layer = add("additive_mask", n=5, d=12, h=3, biases=BIASES)
    layer.given["mask"] = additive_mask("additive_mask", layer)
    layer = add("additive_mask_causal", n=6, d=8, h=2, causal=True)
    layer.given["mask"] = additive_mask("additive_mask_causal", layer)

    add("large_scores", n=5, d=12, h=3, gain=9.0)
    add("large_scores_causal", n=6, d=8, h=1, gain=9.0, biases=BIASES, causal=True)

    # PyTorch answers NaN in these rows; here their weights are 0 and their output is b_o.
    layer = add("masked_row", n=5, d=8, h=4, biases=BIASES)
    layer.given["mask"] = additive_mask("masked_row", layer)
    layer.given["mask"][[1, 4]] = -np.inf

    # What torch.nn.MultiheadAttention cannot express.
    add("grouped", n=5, d=12, h=6, g=2, biases=BIASES)
    add("multi_query_cross", n=4, m=6, d=8, h=4, g=1)
    add("wide_heads", n=4, d=8, h=2, k=6, biases=BIASES)
    add("narrow_heads", n=5, d=12, h=3, k=2)
    add("scale_none", n=5, d=8, h=2, scale="none")
    add("scale_given", n=5, d=8, h=2, biases=BIASES, scale="0.3")
    layer = add("everything", n=5, m=7, d=12, h=4, g=2, k=5, biases=BIASES, causal=True, padding=1, scale="-0.75")
    layer.given["mask"] = additive_mask("everything", layer)

    for name in ("large_scores", "large_scores_causal"):
        assert reaches_hundreds(made[name]), name
    return made


def reaches_hundreds(layer):
    q = layer.get("x") @ layer.get("w_q")
    k = layer.source @ layer.get("w_k")
    width = layer.head_dim
    return np.abs(q[:, :width] @ k[:, :width].T).max() * layer.factor > 100
