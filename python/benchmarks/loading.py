"""Measures the rate of reading a dataset as training positions.

``python python/benchmarks/loading.py jieqi`` plays random games into a temporary folder and reads
one shuffled epoch, with native threads and with PyTorch's data loader if installed. The batches are
discarded. Rows per core-second use processor time, which other load on the host distorts less; it
includes the start of PyTorch's workers.
"""

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import darkqi
from darkqi.datasets import Observation, load


def main() -> None:
    """Plays the games, reads them, and prints a table."""
    arguments = parse()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/data"
        darkqi.selfplay(arguments.game, path, arguments.games, agents="random", seed=1)
        rows = load(path).num_plies
        print(f"{arguments.game}, {arguments.observation}: {rows:,} rows an epoch\n")
        print(f"{'reader':20} {'rows/s':>10} {'rows/core-s':>12}")
        for name, read in readers(path, arguments.observation, arguments.batch_size):
            timings = [times(read) for _ in range(arguments.repeats)]
            elapsed, computed = map(statistics.median, zip(*timings, strict=True))
            print(f"{name:20} {rows / elapsed:10,.0f} {rows / computed:12,.0f}", flush=True)


def parse() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=darkqi.games())
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--observation", choices=["planes", "tokens"], default="planes")
    parser.add_argument("--batch-size", type=int, default=4096)
    parser.add_argument("--repeats", type=int, default=3)
    return parser.parse_args()


def readers(
    path: str, observation: Observation, batch_size: int
) -> Iterator[tuple[str, Callable[[], Iterable[Any]]]]:
    """Yields names and readers of an epoch."""
    dataset = load(path)
    for threads in 1, 2:
        read = partial(dataset.batches, batch_size, observation=observation, threads=threads)
        yield f"numpy, {threads} threads", read
    try:
        from torch.utils.data import DataLoader

        from darkqi.torch import PositionDataset
    except ImportError:
        print("PyTorch: not installed")
        return
    positions = PositionDataset(path, batch_size, observation=observation)
    for workers in 0, 1, 2:
        loader = DataLoader(positions, batch_size=None, num_workers=workers)
        yield f"PyTorch, {workers} workers", partial(iter, loader)


def times(read: Callable[[], Iterable[Any]]) -> tuple[float, float]:
    """Reads one epoch; returns wall time and processor time in seconds."""
    start, before = time.perf_counter(), processor_seconds()
    for _ in read():
        pass
    return time.perf_counter() - start, processor_seconds() - before


def processor_seconds() -> float:
    """Returns the processor time so far of this process and its ended children."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    main()
