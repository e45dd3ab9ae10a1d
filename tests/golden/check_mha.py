"""The built `mha` command against PyTorch, from outside: files in, files out, layers that nobody has seen before."""

import secrets
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import safetensors_file
from bounds64 import bounds
from cases import BIASES, additive_mask, random_layer
from layer64 import RESULTS, expected

# Of a tensor's largest number. Where scores are large or a tensor has a handful of numbers that nearly cancel, a
# correct float32 pass can miss it; seeded layers of a usual shape do not.
USUAL_LIMIT = 2e-6
USUAL_SCORES = 16  # n·m·h: with fewer, one score that cancels is a tensor's largest number


def draw(random, name):
    """Half of them as torch.nn.MultiheadAttention has them, half with everything else that the command can do."""
    h = int(random.choice([1, 2, 3, 4, 5, 7, 8, 16]))
    k = int(random.randint(1, 33))
    plain = random.uniform() < 0.5
    m = int(random.randint(1, 34)) if random.uniform() < 0.5 else None
    layer = random_layer(
        name,
        n=int(random.randint(1, 34)),
        m=m,
        d=h * k if plain else int(random.randint(1, 130)),
        h=h,
        g=h if plain else int(random.choice([g for g in range(1, h + 1) if h % g == 0])),
        k=k,
        biases=[bias for bias in BIASES if random.uniform() < 0.5],
        causal=bool(random.uniform() < 0.4),
        scale="inverse_sqrt" if plain else str(random.choice(["inverse_sqrt", "none", "0.25", "-0.125"])),
    )
    if random.uniform() < 0.3:
        layer.padding = int(random.randint(0, len(layer.source) + 1))
    if random.uniform() < 0.4:
        layer.given["mask"] = additive_mask(name, layer)
        if random.uniform() < 0.3:
            layer.given["mask"][random.randint(len(layer.given["x"]))] = -np.inf
    return layer


def run(mha, layer, folder):
    """The command's answer: dict of tensors."""
    weights = {name: array for name, array in layer.given.items() if name[:2] in ("w_", "b_")}
    (folder / "weights.safetensors").write_bytes(safetensors_file.encode(weights, {}))
    command = [mha, "forward", "--weights", folder / "weights.safetensors", f"--heads={layer.heads}"]
    for name, option in (("x", "--input"), ("context", "--context"), ("mask", "--mask")):
        if name in layer.given:
            np.save(folder / f"{name}.npy", layer.given[name])
            command += [option, folder / f"{name}.npy"]
    if layer.kv_heads != layer.heads:
        command += ["--kv-heads", str(layer.kv_heads)]
    if layer.causal:
        command += ["--causal"]
    if layer.padding:
        command += ["--padding", str(layer.padding)]
    if layer.scale != "inverse_sqrt":
        command += [f"--scale={layer.scale}"]
    out = folder / "trace.safetensors"
    done = subprocess.run([*command, "--out", out], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr.strip()}"
    tensors, _ = safetensors_file.decode(out.read_bytes())
    out.unlink()
    return tensors


def compare(got, layer):
    """(difference relative to the tensor's largest number, its name) of the worst tensor. Every number must be within
    its a priori bound."""
    wanted = expected(layer)
    allowed = bounds(layer, wanted)
    (n, d), m = layer.given["x"].shape, len(layer.source)
    usual = layer.is_module and d >= 16 and n * m * layer.heads >= USUAL_SCORES
    assert set(got) == set(RESULTS), f"the keys are {sorted(got)}"
    worst = (0.0, "")
    for name in RESULTS:
        finite = np.isfinite(wanted[name])
        assert got[name].shape == wanted[name].shape, f"{name} is {got[name].shape}, not {wanted[name].shape}"
        assert np.array_equal(got[name][~finite], wanted[name][~finite]), f"{name}: other infinities"
        error = np.abs(got[name][finite] - wanted[name][finite])
        relative = error.max(initial=0.0) / (np.abs(wanted[name][finite]).max(initial=0.0) or 1.0)
        assert (error <= allowed[name][finite]).all(), f"{name}: beyond its bound, {relative:.1e} of the largest"
        assert not usual or relative <= USUAL_LIMIT, f"{name}: {relative:.1e} of the largest"
        worst = max(worst, (relative, name))
    return worst


def check_mha(mha, seed, count):
    """Prints one line per layer; returns how many differ."""
    seed = secrets.randbelow(2**31) if seed is None else seed
    print(f"{count} random layers against {mha}, --seed {seed}")
    random = np.random.RandomState(seed)
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            layer = draw(random, f"{seed}/{number}")
            (n, d), m = layer.given["x"].shape, len(layer.source)
            line = (f"n {n} m {m} d {d} h {layer.heads} g {layer.kv_heads} k {layer.head_dim} scale {layer.scale}"
                    f"{' causal' if layer.causal else ''}{f' padding {layer.padding}' if layer.padding else ''}"
                    f"{''.join(f' {name}' for name in ('context', 'mask', *BIASES) if name in layer.given)}"
                    f" ({'nn.MultiheadAttention' if layer.is_module else 'torch operations'})")
            try:
                worst, name = compare(run(mha, layer, Path(folder)), layer)
                print(f"ok  {worst:.1e} {name}: {line}")
            except AssertionError as fault:
                print(f"BAD {fault}: {line}")
                bad += 1
    return bad
