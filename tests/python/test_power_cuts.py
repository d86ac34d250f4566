"""Power cuts: whatever a disk loses that was not synced, datasets stay sound and runs resume.

Each scenario records the system calls of a program. After every call, and for every state of the
disk that a power cut may leave then (`disks`):

- every game that the program had listed and synced is still listed;
- the folder is no dataset yet and says so, or a sound one;
- the same work done again ends with the files of an undisturbed run.

`DARKQI_TESTS=long` checks all states, and the tests otherwise some. Skipped without ``strace``.
"""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from disks import Disk, Tree, read, record, write

import darkqi

LONG = os.environ.get("DARKQI_TESTS") == "long"
# More games than are played before an interruption.
SHARD_GAMES = 100_000
# States of a scenario that a quick test checks.
QUICK_STATES = 30


def can_trace() -> bool:
    """Tells whether programs can be traced here."""
    if shutil.which("strace") is None:
        return False
    traced = subprocess.run(["strace", "-f", "-e", "trace=close", "true"], capture_output=True)
    return traced.returncode == 0


pytestmark = pytest.mark.skipif(not can_trace(), reason="there is no strace, or it may not trace")


def listed(tree: Tree) -> int | None:
    """Returns the number of games that ``dataset.json`` lists; None without that file."""
    manifest = tree.get("data/dataset.json")
    return None if manifest is None else sum(it["games"] for it in json.loads(manifest)["shards"])


@dataclass
class Scenario:
    """What is recorded, and how it is repeated after a power cut."""

    # Python code that works in the folder `path`.
    code: str
    # Does what is left to do in a folder, by itself.
    finish: Callable[[Path], object]
    # Whether the files at the end are always the same.
    is_unique: bool = True


def faults(data: Path) -> list[str]:
    """Returns the faults of a dataset."""
    return [f"{fault.file}: {fault.fault}" for fault in darkqi.verify(data).faults]


def states(start: Tree, root: Path, scenario: Scenario, log: Path) -> dict[str, tuple[Tree, int]]:
    """Returns every state that a power cut may leave, with how much it must have at least."""
    header = f"import pathlib, darkqi; path = pathlib.Path({str(root / 'data')!r})\n"
    steps = record([sys.executable, "-c", header + scenario.code], root, log)
    disk = Disk(start)
    # By contents, so that equal states are checked once, with the most games.
    found: dict[str, tuple[Tree, int]] = {}
    promised = listed(start) or 0
    for step in [None, *steps]:
        if step is not None:
            disk.do(step)
            if (step.call, step.path) == ("sync", "data"):
                promised = listed(disk.tree()) or 0
        # A shard that is replaced is first removed from the list.
        least = min(promised, listed(disk.tree()) or 0)
        for tree in disk.cuts():
            key = str(hash(tuple(sorted(tree.items()))))
            found[key] = (tree, max(least, found.get(key, (tree, 0))[1]))
    assert disk.tree() == read(root), "the disk is simulated wrongly"
    return found


def sampled(cuts: list[tuple[Tree, int]]) -> list[tuple[Tree, int]]:
    """Returns the states that are checked."""
    return cuts if LONG else random.Random(1).sample(cuts, QUICK_STATES)


def check(start: Tree, scenario: Scenario, folder: Path) -> None:
    """Checks the states of a scenario that begins with these files."""
    root = folder / "disk"
    write(start, root)
    cuts = list(states(start, root, scenario, folder / "log").values())
    expected = read(root)
    assert len(cuts) > QUICK_STATES
    for tree, least in sampled(cuts):
        lists = listed(tree)
        names = ", ".join(sorted(tree))
        assert (lists or 0) >= least, f"{lists} games are listed, not {least}: {names}"
        state = folder / "state"
        write(tree, state)
        data = state / "data"
        if lists is None:
            with pytest.raises(OSError, match=r"is not a dataset|no dataset at"):
                darkqi.verify(data)
        else:
            assert not faults(data), names
        scenario.finish(data)
        if scenario.is_unique:
            after = read(state)
            differing = [it for it in after | expected if after.get(it, 0) != expected.get(it, 0)]
            assert not differing, f"{differing} differ after a cut that left {names}"
        assert not faults(data), names
        shutil.rmtree(state)


def play(
    path: Path,
    games: int,
    shard_games: int = 10,
    *,
    agents: str = "random",
    observations: bool = False,
) -> None:
    """Plays what is missing of a run."""
    darkqi.selfplay(
        "gaiqi",
        path,
        games,
        agents=agents,
        seed=2,
        threads=1,
        shard_games=shard_games,
        observations=observations,
        resume=True,
    )


PLAY = "darkqi.selfplay('gaiqi', path, {}, agents='{}', seed=2, threads=1, resume=True"


def test_a_run(tmp_path: Path) -> None:
    """The folder of the dataset is new."""
    code = PLAY.format(25, "random") + ", shard_games=10)"
    check({}, Scenario(code, lambda path: play(path, 25)), tmp_path)


def test_a_run_whose_last_shard_is_replaced(tmp_path: Path) -> None:
    play(tmp_path / "short/data", 15, observations=True)
    start = read(tmp_path / "short")
    code = PLAY.format(25, "random") + ", shard_games=10, observations=True)"
    check(start, Scenario(code, lambda path: play(path, 25, observations=True)), tmp_path)


# The games of an interrupted shard go to a part. An interruption may come before any has ended.
INTERRUPTED = f"""
import signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
seconds = 0.1
while not list(path.glob("parts/*.part")):
    threading.Timer(seconds, signal.raise_signal, [signal.SIGINT]).start()
    try:
        {PLAY.format(SHARD_GAMES, "greedy")}, shard_games={SHARD_GAMES})
    except KeyboardInterrupt:
        seconds *= 2
{PLAY.format(30, "greedy")}, shard_games={SHARD_GAMES})
"""


def test_a_part(tmp_path: Path) -> None:
    def finish(path: Path) -> None:
        play(path, 30, SHARD_GAMES, agents="greedy")

    check({}, Scenario(INTERRUPTED, finish), tmp_path)


LOGGED = """
env = darkqi.make("banqi", 8, 7, log=path, threads=1, max_plies=20)
env.reset()
for _ in range(100):
    env.step(env.sample_actions())
env.close()
"""


def test_a_log(tmp_path: Path) -> None:
    """No game that was listed is lost, and none is logged twice."""

    def log_again(path: Path) -> None:
        darkqi.make("banqi", 8, 7, log=path, threads=1, max_plies=20).close()
        if list(path.glob("games/*.parquet")):
            seeds = pl.read_parquet(path / "games/*.parquet")["seed"]
            assert seeds.is_unique().all(), f"{len(seeds)} games, {seeds.n_unique()} seeds"

    check({}, Scenario(LOGGED, log_again, is_unique=False), tmp_path)


# It stops once and goes on.
MATCH = """
for games in (12, 30):
    darkqi.arena("jieqi", "random,greedy", games, seed=1, out=path, shard_games=4)
"""


def test_a_match(tmp_path: Path) -> None:
    def match(path: Path) -> Any:
        return darkqi.arena("jieqi", "random,greedy", 30, seed=1, out=path, shard_games=4)

    check({}, Scenario(MATCH, match), tmp_path)
