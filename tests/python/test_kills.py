"""Programs that are killed at random moments leave sound files, and the same call goes on.

`selfplay/cli/tests/selfplay/crash.rs` kills self-play; here are the others that write files over a
longer time. A program that is killed (SIGKILL) leaves what it had written, without an end of its
own. After each kill the files are looked at. The same call then goes on until it ends, and what it
gives is compared with what an undisturbed run gives. ``DARKQI_TESTS=long`` kills each program many
times.
"""

import json
import random
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from common import LONG, contents, start

import darkqi

KILLS = 125 if LONG else 2


# A lock has the process that held it, and a kill may leave a file that was to be renamed.
UNFINISHED = (".lock", ".tmp")


@dataclass
class Program:
    """A program that is killed. It works in a folder `work` of the current one."""

    # Arguments of Python: a module with its own, or code.
    arguments: str
    # Looks at the folder after a kill, with what it returned before.
    look: Callable[[Path, Any], Any] = lambda path, _: datasets_are_sound(path)
    # What it has done at its end, from its output and its folder.
    result: Callable[[str, Path], object] = lambda output, _: timeless(json.loads(output))
    # How it may end. It always ends in the same way.
    statuses: tuple[int, ...] = (0,)
    # A module that it needs besides.
    needs: str | None = None

    def start(self, folder: Path) -> subprocess.Popen[str]:
        """Starts it, or lets it go on, in a folder."""
        is_module = self.arguments.startswith("-m ")
        arguments = self.arguments.split() if is_module else ["-c", self.arguments]
        return start(*arguments, cwd=folder)

    def finish(self, folder: Path) -> object:
        """Lets it go on to its end; returns its result."""
        process = self.start(folder)
        output, errors = process.communicate(timeout=600)
        assert process.returncode in self.statuses, errors
        return process.returncode, self.result(output, folder / "work")


def datasets_are_sound(path: Path) -> None:
    """Checks every dataset below: what it lists is there and was played by the rules."""
    for manifest in path.rglob("dataset.json"):
        assert darkqi.verify(manifest.parent).faults == [], manifest


def timeless(value: Any) -> Any:
    differing = {"seconds", "decisions", "decisions_per_second", "resumed_games"}
    differing |= {"plies_per_second"}
    if isinstance(value, dict):
        return {key: timeless(item) for key, item in value.items() if key not in differing}
    if isinstance(value, list):
        return [timeless(item) for item in value]
    return value


def logged(path: Path, before: int | None) -> int:
    """Checks that an env's log has no game lost or twice; returns how many are listed."""
    if not (path / "log/dataset.json").exists():
        assert not before
        return 0
    assert darkqi.verify(path / "log").faults == []
    if not list(path.glob("log/games/*.parquet")):
        assert not before
        return 0
    seeds = pl.read_parquet(path / "log/games/*.parquet", columns=["seed"])["seed"]
    assert seeds.is_unique().all()
    assert len(seeds) >= (before or 0)
    return len(seeds)


# It logs games; each time that it is started, those of other seeds.
LOG = """
import pathlib, darkqi
start = 1_000_000 * len(list(pathlib.Path("work").glob("start-*")))
pathlib.Path(f"work/start-{start}").touch()
env = darkqi.make("banqi", 64, seed=start, log="work/log", threads=1, max_plies=30)
env.reset()
for _ in range(600):
    env.step(env.sample_actions())
env.close()
"""

PROGRAMS = {
    "arena": Program(
        "-m darkqi arena gaiqi --agents random,greedy --games 3000 --json --quiet --out work/match"
    ),
    "strength": Program(
        "-m darkqi strength gaiqi --agents random,greedy --games 600 --match-games 100 --json "
        "--quiet --out work/study"
    ),
    "sweep": Program(
        "-m darkqi sweep gaiqi --vary quiet_limit=20,40 --agents random --games 600 --json --quiet "
        "--out work/study"
    ),
    "tables": Program(
        "-m darkqi tables banqi --pieces 2 --json --out work",
        result=lambda _, path: contents(path, *UNFINISHED),
    ),
    "env": Program(LOG, look=logged, result=lambda _, path: min(logged(path, None), 1000)),
    "train": Program(
        "-m darkqi.train gaiqi --out work/nets --games 60 --nodes 20 --units 16 --epochs 1 "
        "--match-games 20 --threads 1",
        result=lambda _, path: {it.name: it.read_bytes() for it in path.rglob("*.safetensors")},
        # 1: no net was better than what played before.
        statuses=(0, 1),
        needs="torch",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_killed_program_goes_on(tmp_path: Path, name: str) -> None:
    program = PROGRAMS[name]
    if program.needs is not None:
        pytest.importorskip(program.needs)
    whole = tmp_path / "whole"
    whole.mkdir()
    (whole / "work").mkdir()
    begun = time.monotonic()
    expected = program.finish(whole)
    seconds = time.monotonic() - begun
    moments = random.Random(1)
    kills, runs = 0, 0
    while kills < KILLS:
        runs += 1
        assert runs < 20 * KILLS, f"{name} ends before it can be killed"
        folder = tmp_path / f"run-{runs}"
        folder.mkdir()
        (folder / "work").mkdir()
        seen = None
        # At most a few kills in a run, so that many runs reach their last steps.
        for _ in range(moments.randint(1, 4)):
            process = program.start(folder)
            begun = time.monotonic()
            try:
                process.communicate(timeout=moments.uniform(0.2, 1.1) * seconds)
            except subprocess.TimeoutExpired:
                kills += 1
                process.kill()
                process.communicate()
            else:
                assert process.returncode in program.statuses
                # The first run of all may have waited for the disk or another program.
                seconds = min(seconds, time.monotonic() - begun)
            seen = program.look(folder / "work", seen)
        assert program.finish(folder) == expected
        program.look(folder / "work", seen)
        shutil.rmtree(folder)
