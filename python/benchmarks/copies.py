"""Measures what rows that callers may keep cost, and Gymnasium's `VectorEnv` beside the raw env.

python python/benchmarks/copies.py jieqi gaiqi --lanes 64 4096

Uniformly random games without an opponent, in steps per second of processor time. The ways to step
take turns in each round, so that load on the machine meets all of them; ratios are taken within a
round. Actions are sampled natively, which is part of the time. With `kept` a caller holds the rows
of the last `--kept` steps, as learners do.
"""

import argparse
import statistics
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import darkqi
from darkqi.gymnasium import VectorEnv

Step = Callable[[], Any]


def raw(game: str, lanes: int, threads: int, *, copy: bool, kept: int = 0) -> Step:
    """Returns a step of `darkqi.make`; with `kept` and without `copy` it copies what it keeps."""
    env = darkqi.make(game, lanes, 1, copy=copy, threads=threads)
    env.reset()
    held: deque[Any] = deque(maxlen=kept)

    def step() -> None:
        ts = env.step(env.sample_actions())
        if kept:
            held.append(ts if copy else ts.copy())

    return step


def vector(
    game: str, lanes: int, threads: int, *, copy: bool = True, mode: str = "SameStep"
) -> Step:
    """Returns a step of Gymnasium's interface; "SameStep" deals as `darkqi.make` does."""
    envs = VectorEnv(game, lanes, copy=copy, threads=threads, autoreset_mode=mode)
    envs.reset(seed=1)
    return lambda: envs.step(envs.sample_actions())


def steps_per_second(step: Step, lanes: int, seconds: float) -> float:
    """Returns the games stepped in a second of processor time."""
    for _ in range(10):
        step()
    start, steps = time.process_time(), 0
    while (elapsed := time.process_time() - start) < seconds:
        step()
        steps += lanes
    return steps / elapsed


def measure(game: str, lanes: int, args: argparse.Namespace) -> None:
    """Prints the medians of a game, and their ratios to the first way."""
    where = (game, lanes, args.threads)
    ways: dict[str, Step] = {
        "make, copy=False": raw(*where, copy=False),
        "make, copy=True": raw(*where, copy=True),
        "make, copy=True, kept": raw(*where, copy=True, kept=args.kept),
        "make, copy=False, ts.copy() kept": raw(*where, copy=False, kept=args.kept),
        "VectorEnv, SameStep, copy=False": vector(*where, copy=False),
        "VectorEnv, SameStep": vector(*where),
        "VectorEnv, NextStep": vector(*where, mode="NextStep"),
    }
    rounds = [
        [steps_per_second(step, lanes, args.seconds) for step in ways.values()]
        for _ in range(args.rounds)
    ]
    for way, rates in zip(ways, zip(*rounds, strict=True), strict=True):
        ratio = statistics.median(
            rate / first for rate, (first, *_) in zip(rates, rounds, strict=True)
        )
        rate = statistics.median(rates)
        print(f"{game:<15} {lanes:>6}  {way:<33} {rate:>12,.0f} {ratio:>8.3f}", flush=True)


def main() -> None:
    """Prints a line per game, number of lanes and way to step."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", nargs="*", default=["jieqi"], metavar="GAME")
    parser.add_argument("--lanes", type=int, nargs="+", default=[64, 4096])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5, help="of a way in a round")
    parser.add_argument("--kept", type=int, default=16, help="steps whose rows are kept")
    args = parser.parse_args()
    print(f"{'game':<15} {'lanes':>6}  {'way':<33} {'steps/s':>12} {'ratio':>8}")
    for game in args.games:
        for lanes in args.lanes:
            measure(game, lanes, args)


if __name__ == "__main__":
    main()
