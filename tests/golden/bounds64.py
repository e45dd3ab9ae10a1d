"""How far a correct float32 pass may be away from the float64 one: the a priori analysis of
src/mha/attention_reference.cpp, written a second time. |error| <= gamma_K sum |a||b| (Higham, section 3.1)."""

import numpy as np

from layer64 import RESULTS, bias

UNIT = 2.0**-24
TINY = 2.0**-149
EXP_FLOOR = 2.0**-125  # a vector exp may flush smaller results to 0
EXP_UNITS = 4 * UNIT


def gamma(k):
    return k * UNIT / (1 - k * UNIT)


def product(a, a_error, b, b_error, offset=0.0):
    """Bound on the float32 product of two matrices that carry errors, plus a row."""
    largest = (np.abs(a) + a_error) @ (np.abs(b) + b_error)
    inherited = np.maximum(largest - np.abs(a) @ np.abs(b), 0.0)
    return inherited + gamma(a.shape[1] + 1) * (largest + np.abs(offset)) + a.shape[1] * TINY


def softmax(masked, error, weights):
    """Errors of the scores multiply a weight by at most exp(2 max error)."""
    top = masked.max(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        distance = np.where(np.isneginf(masked), 0.0, top - masked)
    mean = (weights * distance).sum(axis=-1, keepdims=True)
    worst = error.max(axis=-1, keepdims=True)
    relative = 2 * worst + UNIT * (distance + mean + worst) + 2 * EXP_UNITS + gamma(masked.shape[-1] + 2)
    with np.errstate(over="ignore", invalid="ignore"):
        bound = np.minimum(1.0, weights * np.expm1(relative)) + EXP_FLOOR
    return np.where(np.isneginf(masked), 0.0, bound)


def bounds(layer, results):
    """One bound for every number in `results` (of layer64.by_definition)."""
    h, k = layer.heads, layer.head_dim
    x, c, w_o = layer.get("x"), layer.source, layer.get("w_o")
    n, d = x.shape
    kv = [slice(j * k, (j + 1) * k) for j in (i // (h // layer.kv_heads) for i in range(h))]
    own = [slice(i * k, (i + 1) * k) for i in range(h)]

    q, keys, values = results["q"], results["k"], results["v"]
    q_error = product(x, 0.0, layer.get("w_q"), 0.0, bias(layer, "b_q", q.shape[1]))
    k_error = product(c, 0.0, layer.get("w_k"), 0.0, bias(layer, "b_k", keys.shape[1]))
    v_error = product(c, 0.0, layer.get("w_v"), 0.0, bias(layer, "b_v", keys.shape[1]))

    raw = np.stack([product(q[:, own[i]], q_error[:, own[i]], keys[:, kv[i]].T, k_error[:, kv[i]].T) for i in range(h)])
    scaled = np.abs(layer.factor) * (raw + gamma(3) * (np.abs(results["raw_scores"]) + raw)) + TINY
    hidden = np.isneginf(results["masked_scores"])
    masked = np.where(hidden, 0.0, scaled)
    if "mask" in layer.given:
        masked = masked + UNIT * (np.where(hidden, 0.0, np.abs(results["masked_scores"])) + masked)
    weights = softmax(results["masked_scores"], masked, results["weights"])
    heads = np.stack([product(results["weights"][i], weights[i], values[:, kv[i]], v_error[:, kv[i]]) for i in range(h)])
    contributions = np.stack([product(results["heads"][i], heads[i], w_o[own[i]], 0.0) for i in range(h)])
    concat = heads.transpose(1, 0, 2).reshape(n, h * k)
    output = product(results["concat"], concat, w_o, 0.0, bias(layer, "b_o", d))
    return dict(zip(RESULTS, (q_error, k_error, v_error, raw, scaled, masked, weights, heads, concat, contributions,
                              output, np.zeros(n))))
