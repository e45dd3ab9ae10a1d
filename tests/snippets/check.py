#!/usr/bin/python3
"""The NumPy and PyTorch lines that the page shows, run on what the core computes.

  check.py numpy --oracle build/dev/mha_oracle
  check.py torch --oracle build/dev/mha_oracle

The oracle (tests/oracle) is asked about the lesson's own layer and about layers drawn anew in each run (--seed repeats
one); every tensor of every stop must be within the a priori bound of float arithmetic, and within 2e-6 of its largest
number. Needs numpy; torch for the second.
"""

import argparse
import importlib.util
import json
import secrets
import subprocess
import sys
from pathlib import Path

import numpy as np

CODE = Path(__file__).resolve().parents[2] / "web/src/chapters/steps/code"
LIBRARIES = ("numpy", "torch")

# The snippets' names, and the core's of the same tensors.
NAMES = {
    "E": "token_vectors", "P": "positions", "X": "x", "Q": "q", "K": "k", "V": "v",
    "S": "raw_scores", "S_scaled": "scaled_scores", "S_masked": "masked_scores", "A": "weights",
    "Z_heads": "heads", "Z": "concat", "C": "contributions", "Y": "output", "Y_sum": "output",
}  # fmt: skip
# The same output once more, the way each library has it ready.
AGAIN = {"numpy": {"Y_einsum": "output"}, "torch": {"Y_module": "output"}}

USUAL_LIMIT = 2e-6  # of a tensor's largest number
TELLING = 16  # with fewer numbers, one that cancels may be the largest
MADE_OF_WEIGHTS = ("weights", "heads", "concat", "contributions", "output")


def draw(random):
    """Words stand several times in a sentence; padding leaves at least one to look at: else NumPy and PyTorch have NaN."""
    n, h, d_k = (int(random.integers(1, most)) for most in (13, 9, 9))
    return {
        "tokens": [str(random.choice(["Tom", "Lily", "cake", "她", "。"])) for _ in range(n)],
        "d": h * d_k,
        "h": h,
        "seed": int(random.integers(2**32)),
        "causal": int(random.random() < 0.5),
        "positions": int(random.random() < 0.7),
        "padding": int(random.integers(n)) if random.random() < 0.4 else 0,
    }


LESSON = {"tokens": "小明|把|蛋糕|递给|小红|因为|她|不|饿|了|。".split("|"), "d": 8, "h": 2, "seed": 42,
          "causal": 0, "positions": 1, "padding": 0}  # fmt: skip


def ask(oracle, layer):
    """The core's numbers: name -> (value, bound), both float64."""
    options = [f"{key}={value}" for key, value in layer.items() if key != "tokens"]
    answer = subprocess.run([oracle, "tokens=" + "|".join(layer["tokens"]), *options], stdout=subprocess.PIPE, check=True)
    tensors = {}
    for name, tensor in json.loads(answer.stdout).items():
        shape = tensor["shape"]
        bound = tensor.get("bound", np.zeros(np.prod(shape)))
        tensors[name] = (np.array(tensor["value"]).reshape(shape), np.array(bound).reshape(shape))
    return tensors


def inputs(layer, core):
    """What walk() takes, by its parameters."""
    tokens = layer["tokens"]
    words = sorted(set(tokens))
    n = len(tokens)
    single = lambda name: core[name][0].astype(np.float32)
    return {
        "ids": np.array([words.index(token) for token in tokens]),
        "table": single("token_vectors")[[tokens.index(word) for word in words]],
        "P": single("positions"),
        "W_Q": single("w_q"), "W_K": single("w_k"), "W_V": single("w_v"), "W_O": single("w_o"),
        "h": layer["h"],
        "allowed": np.array([[c < n - layer["padding"] and not (layer["causal"] and c > r) for c in range(n)] for r in range(n)]),
    }  # fmt: skip


def limit(name, core):
    """Largest error of each number of a tensor."""
    value, bound = core[name]
    if not bound.any() or value.size < TELLING:
        return bound
    finite = lambda array: np.abs(array[np.isfinite(array)]).max(initial=0.0)
    # An error in a score is a relative one in its weight, and in everything that is made of weights.
    carried = max(1.0, finite(core["masked_scores"][0])) if name in MADE_OF_WEIGHTS else 1.0
    return np.minimum(bound, USUAL_LIMIT * finite(value) * carried)


def compare(what, found, value, most):
    """A list of faults."""
    if found.shape != value.shape:
        return [f"{what} is {list(found.shape)}, not {list(value.shape)}"]
    hidden = np.isneginf(value)
    if not np.array_equal(np.isneginf(found), hidden):
        return [f"{what} has −∞ in other places"]
    error = np.abs(np.where(hidden, 0.0, found) - np.where(hidden, 0.0, value))
    if np.all(error <= most):  # NaN is not
        return []
    place = np.unravel_index(np.argmax(np.where(error <= most, -1.0, np.nan_to_num(error, nan=np.inf))), error.shape)
    return [f"{what}[{', '.join(map(str, place))}] is {found[place]:.9g}, not {value[place]:.9g}: off by {error[place]:.2g}, at most {most[place]:.2g}"]


class Numpy:
    name = "numpy"
    given = staticmethod(lambda value: value)
    read = staticmethod(np.asarray)
    address = staticmethod(lambda tensor: tensor.__array_interface__["data"][0])


class Torch:
    name = "torch"

    def __init__(self):
        import torch

        self.given = lambda value: torch.from_numpy(value) if isinstance(value, np.ndarray) else value
        self.read = lambda tensor: np.stack([each.numpy() for each in tensor]) if isinstance(tensor, list) else tensor.numpy()
        self.address = lambda tensor: tensor.data_ptr()


def faults(library, walk, layer, core):
    given = inputs(layer, core)
    found = walk(**{name: library.given(value) for name, value in given.items()})
    bad = []
    for ours, name in {**NAMES, **AGAIN[library.name]}.items():
        if ours not in found:
            bad.append(f"there is no {ours}")
            continue
        bad += compare(ours, library.read(found[ours]).astype(np.float64), core[name][0], limit(name, core))
    if bad:
        return bad

    # Head i is columns i·d_k … of the projection: the same numbers, and the same memory.
    n, d = core["x"][0].shape
    d_k = d // layer["h"]
    for letter in "QKV":
        whole, heads = found[letter], found[f"{letter}_heads"]
        blocks = np.stack([library.read(whole)[:, i * d_k : (i + 1) * d_k] for i in range(layer["h"])])
        bad += compare(f"{letter}_heads", library.read(heads), blocks, np.zeros(blocks.shape))
        if library.address(whole) != library.address(heads):
            bad.append(f"{letter}_heads is a copy, and the comment says that it is a view")
    if min(layer["h"], n, d_k) > 1 and library.address(found["Z"]) == library.address(found["Z_heads"]):
        bad.append("Z is a view, and the comment says that it is a copy")
    return bad


def walk_of(library):
    file = CODE / f"steps_{library}.py"
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.walk


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("--oracle", metavar="PATH", type=Path, required=True)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int, default=40, help="random layers")
    arguments = parser.parse_args()
    seed = secrets.randbelow(2**32) if arguments.seed is None else arguments.seed
    random = np.random.default_rng(seed)
    library = Numpy() if arguments.library == "numpy" else Torch()
    walk = walk_of(library.name)

    bad = 0
    for layer in [LESSON] + [draw(random) for _ in range(arguments.count)]:
        found = faults(library, walk, layer, ask(arguments.oracle.resolve(), layer))
        bad += bool(found)
        for fault in found:
            print(f"{fault}\n  in {layer}")
    print(f"{library.name}: {arguments.count + 1 - bad} of {arguments.count + 1} layers right, --seed {seed}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
