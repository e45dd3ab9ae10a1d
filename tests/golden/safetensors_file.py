"""Reads and writes .safetensors of float32 tensors, so that the generator needs numpy and torch only."""

import json
import struct

import numpy as np


def encode(tensors, metadata):
    """dict of float32 arrays, dict of texts -> the bytes of a file."""
    header = {"__metadata__": dict(sorted(metadata.items()))}
    data = b""
    for name, array in tensors.items():
        assert array.dtype == np.float32, name
        begin = len(data)
        data += np.ascontiguousarray(array).astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [begin, len(data)]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def decode(file):
    """The inverse: (tensors, metadata)."""
    (length,) = struct.unpack("<Q", file[:8])
    header = json.loads(file[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    data = file[8 + length :]
    tensors = {}
    for name, entry in header.items():
        assert entry["dtype"] == "F32", name
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])
    return tensors, metadata
