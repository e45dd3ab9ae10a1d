#!/usr/bin/python3
"""Golden tensors: multi-head attention in float64, computed by PyTorch and by definition, stored as float32.

  generate.py                writes *.safetensors beside this file, and gradients into gradient/
  generate.py --check        computes everything again and compares; exit code 1 on a difference
  generate.py --mha PATH     asks the built `mha` command about random layers, new ones in each run (--seed repeats one)

Needs numpy and torch: Debian's python3-numpy and python3-torch, /usr/bin/python3.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import safetensors_file
from cases import GRADIENTS, backward_input, cases
from check_mha import check_mha
from layer64 import expected, gradients

FOLDER = Path(__file__).resolve().parent
LIMIT = 1e-7  # of a tensor's largest number; rounding to float32 takes 6e-8 of it


def describe(layer):
    if layer.is_module:
        source = "torch.nn.MultiheadAttention in float64"
    else:
        source = "torch operations in float64: torch.nn.MultiheadAttention cannot express this layer"
    if "mask" in layer.given and np.isneginf(layer.given["mask"]).all(axis=1).any():
        source += "; rows that may see no key are zeros by definition, PyTorch has NaN there"
    return {
        "source": source,
        "heads": str(layer.heads),
        "kv_heads": str(layer.kv_heads),
        "head_dim": str(layer.head_dim),
        "causal": "true" if layer.causal else "false",
        "padding": str(layer.padding),
        "scale": layer.scale,
    }


def passes():
    """path -> (what is given, what is computed from it, metadata) of every file, which computes when it is asked."""
    made = {}
    for name, layer in cases().items():
        made[FOLDER / f"{name}.safetensors"] = (layer.given, lambda layer=layer: expected(layer), describe(layer))
        if name in GRADIENTS:
            gates, d_output = backward_input(name, layer)
            made[FOLDER / "gradient" / f"{name}.safetensors"] = (
                {"head_gate": gates, "d_output": d_output},
                lambda layer=layer, gates=gates, d_output=d_output: gradients(layer, gates, d_output),
                {"source": "torch.autograd in float64", "pass": f"../{name}.safetensors"},
            )
    return made


def write(path, given, compute, metadata):
    results = {key: value.astype(np.float32) for key, value in compute().items()}
    file = safetensors_file.encode({**given, **results}, metadata)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(file)
    return len(file)


def difference(stored, wanted):
    """Largest difference, relative to the largest number; infinities must be in the same places."""
    finite = np.isfinite(wanted)
    if stored.shape != wanted.shape or not np.array_equal(stored[~finite], wanted[~finite]):
        return np.inf
    largest = np.abs(wanted[finite]).max(initial=0.0)
    return np.abs(stored[finite] - wanted[finite]).max(initial=0.0) / (largest or 1.0)


def check(path, given, compute, metadata):
    """The stored file against float64 numbers that were not rounded. Returns a list of faults."""
    if not path.exists():
        return ["the file is missing"]
    stored, stored_metadata = safetensors_file.decode(path.read_bytes())
    wanted = {**given, **compute()}
    faults = [] if stored_metadata == metadata else ["other metadata"]
    if list(stored) != list(wanted):
        return faults + ["other tensors"]
    for key, value in wanted.items():
        worst = difference(stored[key].astype(np.float64), value.astype(np.float64))
        if worst > (0.0 if key in given else LIMIT):
            faults.append(f"{key} differs by {worst:.3g}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--mha", metavar="PATH", type=Path)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int, default=40, help="random layers for --mha")
    arguments = parser.parse_args()
    files = passes()

    bad = 0
    if arguments.check:
        for path, file in files.items():
            faults = check(path, *file)
            print(f"{path.relative_to(FOLDER).with_suffix('')}: {'; '.join(faults) or 'ok'}")
            bad += bool(faults)
        # Only where this script writes: training/ has a generator of its own.
        for path in [*FOLDER.glob("*.safetensors"), *FOLDER.glob("gradient/*.safetensors")]:
            if path not in files:
                print(f"{path.name}: no case makes this file")
                bad += 1
    if arguments.mha:
        bad += check_mha(arguments.mha.resolve(), arguments.seed, arguments.count)
    if not arguments.check and not arguments.mha:
        total = sum(write(path, *file) for path, file in files.items())
        print(f"{len(files)} files, {total / 1000:.0f} kB")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
