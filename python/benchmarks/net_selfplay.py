"""Compares self-play of a net natively with the same net called from a Python loop.

    python python/benchmarks/net_selfplay.py --game flipping

Requirements: `pip install 'darkqi[onnx]' onnx`. The net has random weights: two layers of 256 on
tokens. Both sides play both seats by its most probable action, on all cores, in turns. Native
self-play also logs its games.
"""

import argparse
import itertools
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto as Type
from onnx import helper, numpy_helper

import darkqi

WIDTH = 256


def write_net(path: Path, game: str) -> None:
    """Writes the net as an ONNX file."""
    spec = darkqi.spec(game)
    sizes = [spec.token_shape[0], WIDTH, WIDTH, spec.num_actions]
    rng = np.random.default_rng(1)
    nodes = [helper.make_node("Cast", ["observation"], ["x0"], to=Type.FLOAT)]
    weights = []
    for layer, (before, after) in enumerate(itertools.pairwise(sizes)):
        matrix = (rng.normal(size=(before, after)) / before**0.5).astype(np.float32)
        weights.append(numpy_helper.from_array(matrix, f"w{layer}"))
        is_last = layer == len(sizes) - 2
        out = "policy" if is_last else f"h{layer}"
        nodes.append(helper.make_node("MatMul", [f"x{layer}", f"w{layer}"], [out]))
        if not is_last:
            nodes.append(helper.make_node("Relu", [out], [f"x{layer + 1}"]))
    inputs = [helper.make_tensor_value_info("observation", Type.UINT8, ["N", sizes[0]])]
    outputs = [helper.make_tensor_value_info("policy", Type.FLOAT, ["N", sizes[-1]])]
    graph = helper.make_graph(nodes, "mlp", inputs, outputs, weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


class Speed(NamedTuple):
    """Plies per second, and the share of the time in the net."""

    plies: float
    in_net: float


def native(net: Path, game: str, games: int, threads: int, batch: int, row_seconds: float) -> Speed:
    """Plays by `onnx:`. The share in the net is computed from its time alone."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        summary = darkqi.selfplay(
            game, Path(folder) / "games", games, agents=f"onnx:{net},batch={batch}", threads=threads
        )
        seconds = time.perf_counter() - start
    return Speed(summary.plies / seconds, summary.plies * row_seconds / threads / seconds)


def python_loop(net: Path, game: str, plies: int, threads: int, lanes: int) -> Speed:
    """Plays in a loop over an env."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    session = ort.InferenceSession(str(net), options)
    env = darkqi.make(game, lanes, observation="tokens", threads=threads)
    ts = env.reset()
    start, in_net, played = time.perf_counter(), 0.0, 0
    while played < plies:
        asked = time.perf_counter()
        (logits,) = session.run(None, {"observation": ts.observation})
        in_net += time.perf_counter() - asked
        ts = env.step(np.where(ts.action_mask, logits, -np.inf).argmax(axis=1))
        played += lanes
    seconds = time.perf_counter() - start
    return Speed(played / seconds, in_net / seconds)


def seconds_per_row(net: Path, game: str, batch: int) -> float:
    """Returns the time of the net alone, on one thread and in blocks."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(str(net), options)
    rows = darkqi.make(game, batch, observation="tokens").reset().observation
    times = []
    for _ in range(300):
        start = time.perf_counter()
        session.run(None, {"observation": rows})
        times.append((time.perf_counter() - start) / batch)
    return statistics.median(times)


def main() -> None:
    """Prints a line per round and the medians."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add: Any = parser.add_argument
    add("--game", default="flipping", choices=darkqi.games())
    add("--games", type=int, default=4000, help="games per round")
    add("--rounds", type=int, default=5)
    add("--threads", type=int, default=2)
    add("--batch", type=int, default=64, help="rows of a native block")
    add("--lanes", type=int, nargs="+", default=[64, 1024], help="lanes of the Python loops")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        net = Path(folder) / "mlp.onnx"
        write_net(net, args.game)
        row = seconds_per_row(net, args.game, args.batch)
        speeds: dict[str, list[Speed]] = {}
        for _ in range(args.rounds):
            ours = native(net, args.game, args.games, args.threads, args.batch, row)
            speeds.setdefault("native", []).append(ours)
            for lanes in args.lanes:
                theirs = python_loop(net, args.game, 200_000, args.threads, lanes)
                speeds.setdefault(f"Python, {lanes} lanes", []).append(theirs)
    fastest = statistics.median(speed.plies for speed in speeds["native"])
    for name, of in speeds.items():
        plies = statistics.median(speed.plies for speed in of)
        share = statistics.median(speed.in_net for speed in of)
        ratio = fastest / plies
        print(f"{name}: {plies:,.0f} plies/s, {share:.0%} in the net; native is {ratio:.2f}x")


if __name__ == "__main__":
    main()
