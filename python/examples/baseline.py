"""Makes the net of the agent `baseline` from a checkpoint of gumbel.py or ppo.py.

    python python/examples/baseline.py runs/baseline/flipping/policy.pt --out runs/baseline

The net reads planes. It is stored in 16 bits, and its largest tensors in 8 if the file would be
too large. docs/nets.md has the runs behind the nets that come with darkqi.

Requirements: `pip install 'darkqi[torch]'`.
"""

import argparse
import hashlib
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

import darkqi
import darkqi.onnx
from darkqi.learning import load
from darkqi.nets import OnPlanes

# Smaller tensors stay in float32.
LEAST_HALVED = 256
# If the file is larger than this, its largest tensors are stored in 8 bits: as many as needed, up
# to a limit.
MAX_BYTES = 1_000_000
MAX_QUARTERED = 16


def stored(tensor: TensorProto, bits: int) -> tuple[list[TensorProto], list[NodeProto]]:
    """Returns smaller tensors in place of one of float32, and the nodes that compute it."""
    name, numbers = tensor.name, numpy_helper.to_array(tensor)
    if bits == 16:
        halved = numpy_helper.from_array(numbers.astype(np.float16), f"{name}.float16")
        return [halved], [helper.make_node("Cast", [halved.name], [name], to=TensorProto.FLOAT)]
    # Each row has a step of its own.
    step = np.maximum(np.abs(numbers).max(-1, keepdims=True) / 127, np.finfo(np.float32).tiny)
    steps = numpy_helper.from_array(step, f"{name}.step")
    whole = numpy_helper.from_array(np.rint(numbers / step).astype(np.int8), f"{name}.int8")
    cast = helper.make_node("Cast", [whole.name], [f"{name}.whole"], to=TensorProto.FLOAT)
    return [whole, steps], [cast, helper.make_node("Mul", [f"{name}.whole", steps.name], [name])]


def shrunk(path: Path, quartered: int) -> bytes:
    """Returns an ONNX file with tensors in 16 bits, and its `quartered` largest ones in 8.

    It computes in float32 as before.
    """
    model = onnx.load(path)
    graph = model.graph
    floats = [tensor for tensor in graph.initializer if tensor.data_type == TensorProto.FLOAT]
    size = {tensor.name: math.prod(tensor.dims) for tensor in floats}
    halved = [name for name in size if size[name] >= LEAST_HALVED]
    halved.sort(key=size.__getitem__, reverse=True)
    bits = {name: 8 if place < quartered else 16 for place, name in enumerate(halved)}
    kept, made = [], []
    for tensor in graph.initializer:
        if tensor.name in bits:
            tensors, nodes = stored(tensor, bits[tensor.name])
            kept += tensors
            made += nodes
        else:
            kept.append(tensor)
    del graph.initializer[:]
    graph.initializer.extend(kept)
    for at, node in enumerate(made):
        graph.node.insert(at, node)
    # What the exporter notes about the sources is longer than the net.
    del graph.value_info[:]
    for node in graph.node:
        node.ClearField("metadata_props")
        node.ClearField("doc_string")
    onnx.checker.check_model(model)
    whole: bytes = model.SerializeToString()
    return whole


def main(arguments: Sequence[str] | None = None) -> None:
    """Makes the nets."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkpoints", type=Path, nargs="+", help="checkpoints, one of each game")
    parser.add_argument("--out", type=Path, required=True, help="folder of the nets")
    args = parser.parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    for checkpoint in args.checkpoints:
        policy, game, options = load(checkpoint)
        path = args.out / f"{game}.onnx"
        module = OnPlanes(policy, darkqi.spec(game, **options))
        # A file that is there stays until its successor is whole.
        partial = path.with_suffix(".partial")
        darkqi.onnx.export(module, game, partial, **options)
        for quartered in range(MAX_QUARTERED + 1):
            whole = shrunk(partial, quartered)
            if len(whole) <= MAX_BYTES:
                break
        else:
            partial.unlink()
            message = f"expected a net of at most {MAX_BYTES:,} bytes, found {len(whole):,}"
            raise SystemExit(f"{checkpoint}: {message}")
        partial.write_bytes(whole)
        partial.replace(path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        print(f"{path}: {path.stat().st_size:,} bytes, SHA-256 {digest}", flush=True)


if __name__ == "__main__":
    main()
