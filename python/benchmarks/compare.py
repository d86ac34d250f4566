"""Compare darkqi with other simulators on the same task: `python python/benchmarks/compare.py`.

Random play with auto-reset; every step writes observation and mask of legal actions. All contenders
are prepared first and then timed in turn, round by round, so that other load on the host slows all
of them. `pip install --group benchmarks` installs the other simulators.
"""

import argparse
import json
import os
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import metadata
from statistics import median
from time import perf_counter, process_time
from typing import Any

import darkqi_batches
import open_spiel_states
import pettingzoo_games
import pgx_batches
from contender import Contender, Missing

PACKAGES = ["darkqi", "numpy", "open-spiel", "pgx", "jax", "pettingzoo", "chess"]


@dataclass
class Result:
    """The measurements of a contender, by round."""

    contender: Contender
    steps: list[int] = field(default_factory=list)
    games: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    # Summed over all cores.
    core_seconds: list[float] = field(default_factory=list)

    def time(self, seconds: float) -> None:
        """Plays and times one round."""
        clock, cores = perf_counter(), process_time()
        tally = self.contender.play(seconds)
        self.seconds.append(perf_counter() - clock)
        self.core_seconds.append(process_time() - cores)
        self.steps.append(tally.steps)
        self.games.append(tally.games)

    def rates(self) -> list[float]:
        """Returns the steps per second of each round."""
        return [n / t for n, t in zip(self.steps, self.seconds, strict=True)]

    def core_rate(self) -> float:
        """Returns the median steps per core-second."""
        return median(n / t for n, t in zip(self.steps, self.core_seconds, strict=True))

    def spread(self) -> float:
        """Returns the range of the rates divided by their median."""
        return (max(self.rates()) - min(self.rates())) / median(self.rates())

    def cores(self) -> float:
        """Returns the mean number of busy cores."""
        return sum(self.core_seconds) / sum(self.seconds)

    def plies(self) -> float | None:
        """Returns the steps per finished game; None with fewer finished games than lanes."""
        games = sum(self.games)
        return sum(self.steps) / games if games >= self.contender.lanes else None


def main() -> None:
    """Runs the comparison and prints it."""
    args = arguments()
    found = [
        contender
        for name, contenders in libraries(args)
        if args.only is None or name in args.only
        for contender in contenders()
    ]
    missing = [one for one in found if isinstance(one, Missing)]
    results = [Result(one) for one in found if isinstance(one, Contender)]
    for result in results:
        # Warm-up: the first round pays for page faults and caches.
        result.contender.play(args.seconds / 4)
    for _ in range(args.rounds):
        for result in results:
            result.time(args.seconds)
    if args.json:
        print(json.dumps(report(args, results, missing), indent=2))
    else:
        print_table(args, results, missing)


def arguments() -> argparse.Namespace:
    """Reads the command line."""
    names = ["darkqi", "open_spiel", "pgx", "pettingzoo"]
    cores = os.cpu_count() or 1
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=positive(float), default=1.0, help="of each round")
    parser.add_argument("--rounds", type=positive(int), default=5)
    parser.add_argument("--lanes", type=positive(int), nargs="+", default=[1, 1024], help="darkqi")
    parser.add_argument(
        "--threads",
        type=positive(int),
        nargs="+",
        default=sorted({1, cores}),
        help="darkqi [default: 1 and one per core]",
    )
    parser.add_argument("--pgx-lanes", type=positive(int), nargs="+", default=[8, 64, 1024])
    parser.add_argument("--only", choices=names, nargs="+", help="these libraries")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser.parse_args()


def positive(number: type[int] | type[float]) -> Callable[[str], float]:
    """Returns a parser of numbers above 0."""

    def read(text: str) -> float:
        value = number(text)
        if not 0 < value < float("inf"):
            raise argparse.ArgumentTypeError(f"expected a number above 0, got {text}")
        return value

    read.__name__ = number.__name__
    return read


def libraries(
    args: argparse.Namespace,
) -> Iterator[tuple[str, Callable[[], Iterator[Contender | Missing]]]]:
    """Yields each library's name and the generator of its contenders."""
    yield "darkqi", lambda: darkqi_batches.contenders(args.lanes, args.threads)
    yield "open_spiel", open_spiel_states.contenders
    yield "pgx", lambda: pgx_batches.contenders(args.pgx_lanes)
    yield "pettingzoo", pettingzoo_games.contenders


def ratios(result: Result, results: list[Result]) -> tuple[float, float] | None:
    """Returns darkqi's rate over this one: in wall time, and per core-second.

    Each ratio uses darkqi's fastest batch by that measure.
    """
    candidates = [
        other
        for other in results
        if other.contender.library == "darkqi" and other.contender.game == result.contender.beside
    ]
    if not candidates or result.contender.library == "darkqi":
        return None
    clock = max(median(other.rates()) for other in candidates) / median(result.rates())
    core = max(other.core_rate() for other in candidates) / result.core_rate()
    return clock, core


def versions() -> dict[str, str]:
    """Returns the versions of the installed packages."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def processor() -> str:
    """Returns the processor's name, or its architecture."""
    try:
        with open("/proc/cpuinfo") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return names[0] if names else platform.machine()


def print_table(args: argparse.Namespace, results: list[Result], missing: list[Missing]) -> None:
    """Prints the machine, a row per contender and a legend."""
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{processor()}, {os.cpu_count()} threads, Python {platform.python_version()}")
    print(", ".join(f"{name} {version}" for name, version in versions().items()))
    print(f"{args.rounds} rounds of {args.seconds:g} s; load at the end {load}\n")
    header = ["library", "game", "how", "lanes", "steps/s", "spread", "cores"]
    header += ["steps/core-s", "plies", "darkqi x", "x per core", "beside"]
    rows = [header, *(cells(result, results) for result in results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
    text = {0, 1, 2, len(header) - 1}
    for row in rows:
        aligned = [
            cell.ljust(width) if column in text else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(aligned).rstrip())
    for one in missing:
        print(f"{one.library}: not installed: pip install {one.install}")
    print("\nsteps/s: median of the rounds; spread: (maximum - minimum) / median")
    print("cores: mean number of busy cores; plies: steps per finished game, with enough of them")
    print("darkqi x: rate of darkqi's fastest batch of the game under `beside`, over this one's;")
    print("x per core: the same per core-second. The games differ, except banqi.")


def cells(result: Result, results: list[Result]) -> list[str]:
    """Returns the cells of a contender's row."""
    contender, plies = result.contender, result.plies()
    against = ratios(result, results)
    return [
        contender.library,
        contender.game,
        contender.how,
        str(contender.lanes),
        f"{median(result.rates()):,.0f}",
        f"{result.spread():.0%}",
        f"{result.cores():.2f}",
        f"{result.core_rate():,.0f}",
        f"{plies:.1f}" if plies else "-",
        f"{against[0]:,.1f}" if against else "",
        f"{against[1]:,.1f}" if against else "",
        contender.beside if against else "",
    ]


def report(
    args: argparse.Namespace, results: list[Result], missing: list[Missing]
) -> dict[str, Any]:
    """Returns all measurements."""
    rows = []
    for result in results:
        against = ratios(result, results)
        rows.append(
            {
                "library": result.contender.library,
                "game": result.contender.game,
                "how": result.contender.how,
                "lanes": result.contender.lanes,
                "steps_per_second": median(result.rates()),
                "spread": result.spread(),
                "cores": result.cores(),
                "steps_per_core_second": result.core_rate(),
                "steps_per_game": result.plies(),
                "beside": result.contender.beside,
                "darkqi_ratio": against[0] if against else None,
                "darkqi_ratio_per_core": against[1] if against else None,
                "rounds": result.rates(),
            }
        )
    return {
        "machine": {"cpu": processor(), "threads": os.cpu_count(), "load": os.getloadavg()},
        "python": platform.python_version(),
        "versions": versions(),
        "command": vars(args),
        "rows": rows,
        "not_installed": {one.library: f"pip install {one.install}" for one in missing},
    }


if __name__ == "__main__":
    main()
