"""Measures what ``make(log=...)`` costs an env that steps as fast as it can, in turns.

python python/benchmarks/log.py --game jieqi
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import darkqi

SECONDS = 4.0


def steps_per_second(game: str, lanes: int, log: Path | None) -> tuple[float, float]:
    """Steps with random actions; returns the rate until the last step, and until `close`."""
    env = darkqi.make(game, lanes, 1, log=log)
    env.reset()
    for _ in range(30):
        env.step(env.sample_actions())
    start, steps = time.perf_counter(), 0
    while time.perf_counter() - start < SECONDS:
        env.step(env.sample_actions())
        steps += lanes
    stepped = time.perf_counter() - start
    env.close()
    return steps / stepped, steps / (time.perf_counter() - start)


def main() -> None:
    """Prints a line per round and the medians."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--game", default="jieqi", choices=darkqi.games())
    parser.add_argument("--lanes", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    shares = []
    for _ in range(args.rounds):
        plain, _ = steps_per_second(args.game, args.lanes, None)
        with tempfile.TemporaryDirectory() as folder:
            logged, closed = steps_per_second(args.game, args.lanes, Path(folder) / "log")
        shares.append((logged / plain, closed / plain))
        print(f"{plain:,.0f} steps/s, {logged / plain:.1%} of it with a log", flush=True)
    stepping, closing = (statistics.median(column) for column in zip(*shares, strict=True))
    print(f"median: {stepping:.1%} of the steps per second, {closing:.1%} until the log is closed")


if __name__ == "__main__":
    main()
