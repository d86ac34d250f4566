"""What a call on many nodes costs its caller, by the number of shards and of tasks.

Shards are as small as they can be: what is measured here depends on their number, not on their
games. `caller` is what the calling process does for each shard or task, `task` what each task does
besides playing, where that grows with the dataset.

    python python/benchmarks/ray_growth.py --shards 1000,4000
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

import ray

import darkqi
from darkqi import _darkqi
from darkqi._cluster import Cluster

GAME = "jieqi"
RUN: dict[str, Any] = {"agents": "random", "shard_games": 1, "max_plies": 30, "seed": 1}


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shards", default="1000,4000", help="numbers of shards")
    parser.add_argument("--tasks", type=int, default=2000, help="tasks that do nothing")
    args = parser.parse_args()
    print(f"{'shards':>8} {'what':38} {'seconds':>9} {'ms a shard':>11}")
    for shards in map(int, args.shards.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            measure(shards, Path(folder, "games"))
    ray.init(address="local", num_cpus=1, log_to_driver=False)
    cluster = Cluster(1, None, False, "tasks")
    cluster_of = list(cluster.run(nothing, {}, [(0, 1)] * 20, ordered=False))
    assert len(cluster_of) == 20
    report(args.tasks, "caller: a task that does nothing", lambda: run(cluster, args.tasks))


def nothing(_job: dict[str, Any], _range: tuple[int, int]) -> bytes:
    """Does the work of an empty task."""
    return b""


def run(cluster: Cluster, tasks: int) -> None:
    """Runs empty tasks."""
    for _ in cluster.run(nothing, {}, [(0, 1)] * tasks, ordered=False):
        pass


def measure(shards: int, out: Path) -> None:
    """Prints what a dataset of this many shards of one game costs."""
    darkqi.selfplay(GAME, out, shards, shards=(0, shards), **RUN)
    found: list[bytes] = []

    def survey() -> None:
        found.extend(
            _darkqi.survey_shards(out, (shard, shard + 1), 1)[0] for shard in range(shards)
        )

    report(shards, "task: check what was written", survey)
    report(shards, "caller: list", lambda: _darkqi.list_shards(out, found))
    report(
        shards, "caller: summary", lambda: darkqi.selfplay(GAME, out, shards, resume=True, **RUN)
    )
    report(shards, "task: open the dataset, once a task", lambda: _darkqi.listed_shards(out))
    parts = [
        _darkqi.first_reveal_part(out, (at, at + 1), False, 1) for at in range(min(shards, 500))
    ]
    size = sum(map(len, parts)) / len(parts)
    whole = _darkqi.first_reveal_part(out, (0, shards), False, 1)
    report(shards, "caller: add up a part", lambda: _darkqi.add_first_reveal(out, [whole], None))
    manifest = (out / "dataset.json").stat().st_size / shards
    print(f"{shards:8} bytes of a shard: {size:.0f} as a part, {manifest:.0f} in dataset.json")


def report(shards: int, what: str, work: Callable[[], object]) -> None:
    """Prints how long something takes."""
    begun = time.monotonic()
    work()
    seconds = time.monotonic() - begun
    print(f"{shards:8} {what:38} {seconds:9.3f} {1000 * seconds / shards:11.3f}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
