#!/usr/bin/python3
"""Golden training: 20 steps of whole models, models without some of their heads, and Adam, layer norm and cross-entropy
alone, by PyTorch in float64.

  generate.py            writes *.safetensors beside this file
  generate.py --check    computes everything again and compares; exit code 1 on a difference

Needs numpy and torch: Debian's python3-numpy and python3-torch, /usr/bin/python3.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
import safetensors_file  # noqa: E402
from heads_off import HEADS_OFF, heads_off  # noqa: E402
from model64 import IGNORED, logits_of, loss_of, shapes  # noqa: E402

LIMIT = 1e-7  # of a tensor's largest number; rounding to float32 takes 6e-8 of it
STEPS = 20

MODELS = {
    "plain": {"vocabulary": 11, "max_positions": 6, "model_dim": 8, "heads": 2, "head_dim": 4, "layers": 1, "slots": 1,
              "residual": 0, "layer_norm": 0, "biases": 0, "causal": 0, "learning_rate": 0.003},
    "two_slots": {"vocabulary": 9, "max_positions": 7, "model_dim": 10, "heads": 5, "head_dim": 3, "layers": 1,
                  "slots": 2, "residual": 0, "layer_norm": 0, "biases": 1, "causal": 0, "learning_rate": 0.01},
    "everything": {"vocabulary": 12, "max_positions": 7, "model_dim": 6, "heads": 3, "head_dim": 2, "layers": 2,
                   "slots": 2, "residual": 1, "layer_norm": 1, "biases": 1, "causal": 1, "learning_rate": 0.003},
}


def training(name):
    m = MODELS[name]
    rng = np.random.default_rng([2017, list(MODELS).index(name)])
    lengths = [m["max_positions"], 1, 4, 3]
    rows = sum(lengths)
    start = {}
    for key, shape in shapes(m).items():
        start[key] = (0.4 * rng.standard_normal(shape)).astype(np.float32)
        if key.endswith("norm_scale"):
            start[key] += np.float32(1)
    tokens = rng.integers(0, m["vocabulary"], (STEPS, rows))
    targets = rng.integers(0, m["vocabulary"], (STEPS, rows, m["slots"]))
    targets[rng.random(targets.shape) < 0.4] = IGNORED

    parameters = {key: torch.tensor(value.astype(np.float64), requires_grad=True) for key, value in start.items()}
    adam = torch.optim.Adam(parameters.values(), lr=m["learning_rate"])
    losses, gradients = [], {}
    for step in range(STEPS):
        adam.zero_grad()
        loss = loss_of(logits_of(m, parameters, lengths, torch.tensor(tokens[step])), torch.tensor(targets[step]))
        loss.backward()
        if step == 0:
            gradients = {f"grad.{key}": value.grad.numpy().copy() for key, value in parameters.items()}
        adam.step()
        losses.append(loss.item())
    given = {"lengths": np.array(lengths), "tokens": tokens, "targets": targets, **start}
    end = {f"end.{key}": value.detach().numpy() for key, value in parameters.items()}
    answers = {"losses": np.array(losses), **gradients, **end}
    # b_k adds the same to all scores of a row: its gradient is 0, and where Adam carries it is rounding alone.
    answers = {key: value for key, value in answers.items() if not key.endswith("b_k")}
    return given, answers, {key: str(value) for key, value in m.items()}


def adam_alone():
    rng = np.random.default_rng(2015)
    gradients = rng.standard_normal((6, 13)) * 10.0 ** rng.integers(-6, 4, (6, 13))
    gradients[:, 3] = 0.0
    gradients[2:, 4] = 0.0
    given = {"start": rng.standard_normal(13).astype(np.float32), "gradients": gradients.astype(np.float32)}
    parameter = torch.tensor(given["start"].astype(np.float64), requires_grad=True)
    adam = torch.optim.Adam([parameter], lr=0.003)
    made = []
    for gradient in given["gradients"]:
        parameter.grad = torch.tensor(gradient.astype(np.float64))
        adam.step()
        made.append(parameter.detach().numpy().copy())
    return given, {"parameters": np.array(made)}, {"learning_rate": "0.003"}


def layer_norm_alone():
    rng = np.random.default_rng(2016)
    given = {"x": 3 * rng.standard_normal((5, 7)) + 2, "scale": rng.standard_normal(7), "shift": rng.standard_normal(7),
             "d_y": rng.standard_normal((5, 7))}
    given["x"][4] = 1.5  # no variance at all
    given = {key: value.astype(np.float32) for key, value in given.items()}
    x, scale, shift = (torch.tensor(given[key].astype(np.float64), requires_grad=True) for key in ("x", "scale", "shift"))
    y = F.layer_norm(x, (7,), scale, shift)
    y.backward(torch.tensor(given["d_y"].astype(np.float64)))
    made = {"y": y.detach(), "d_x": x.grad, "d_scale": scale.grad, "d_shift": shift.grad}
    return given, {key: value.numpy() for key, value in made.items()}, {}


def cross_entropy_alone():
    rng = np.random.default_rng(2019)
    logits = (rng.standard_normal((6, 9)) * np.array([[1], [5], [50], [300], [3000], [0]])).astype(np.float32)
    given = {"logits": logits, "targets": np.array([3, 0, 8, 2, 5, 1])}
    x = torch.tensor(logits.astype(np.float64), requires_grad=True)
    losses = F.cross_entropy(x, torch.tensor(given["targets"]), reduction="none")
    losses.sum().backward()
    return given, {"losses": losses.detach().numpy(), "gradient": x.grad.numpy()}, {}


CASES = {name: (lambda name=name: training(name)) for name in MODELS} | {
    name: (lambda name=name: heads_off(name)) for name in HEADS_OFF} | {
    "adam": adam_alone, "layer_norm": layer_norm_alone, "cross_entropy": cross_entropy_alone}


def encoded(case):
    given, answers, metadata = case()
    tensors = {key: np.asarray(value).astype(np.float32) for key, value in {**given, **answers}.items()}
    return tensors, {key: np.asarray(value) for key, value in {**given, **answers}.items()}, metadata


def check(name):
    """The stored file against float64 numbers that were not rounded. Returns a list of faults."""
    path = FOLDER / f"{name}.safetensors"
    if not path.exists():
        return ["the file is missing"]
    stored, metadata = safetensors_file.decode(path.read_bytes())
    _, wanted, described = encoded(CASES[name])
    faults = [] if metadata == described else ["other metadata"]
    if list(stored) != list(wanted):
        return faults + ["other tensors"]
    for key, value in wanted.items():
        largest = np.abs(value).max(initial=0.0) or 1.0
        if stored[key].shape != value.shape or np.abs(stored[key] - value).max(initial=0.0) > LIMIT * largest:
            faults.append(f"{key} differs")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    torch.set_num_threads(1)
    bad = 0
    if parser.parse_args().check:
        for name in CASES:
            faults = check(name)
            print(f"training/{name}: {'; '.join(faults) or 'ok'}")
            bad += bool(faults)
        for path in FOLDER.glob("*.safetensors"):
            if path.stem not in CASES:
                print(f"training/{path.name}: no case makes this file")
                bad += 1
    else:
        for name, case in CASES.items():
            tensors, _, metadata = encoded(case)
            (FOLDER / f"{name}.safetensors").write_bytes(safetensors_file.encode(tensors, metadata))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
