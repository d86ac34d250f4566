"""What tests of many modules share: rows, folders, processes, waiting and Ctrl-C."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from numpy.typing import NDArray

import darkqi

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "darkqi"]

# docs/DESIGN.md section 3: one random stream per game, from a Weyl sequence of seeds.
GOLDEN = 0x9E3779B97F4A7C15

# The arrays of time steps.
ARRAYS = (
    "observation",
    "action_mask",
    "current_player",
    "reward",
    "terminated",
    "truncated",
    "forfeited",
    "final_observation",
    "final_player",
)


def arrays(ts: darkqi.TimeStep) -> dict[str, NDArray[Any]]:
    return {name: getattr(ts, name) for name in ARRAYS if getattr(ts, name) is not None}


def game_seed(seed: int, number: int) -> int:
    return (seed + number * GOLDEN) % 2**64


def first_legal(*rows: Any) -> Any:
    """The policy of the first legal action."""
    return rows[1].argmax(axis=1)


def contents(folder: Path, *ignored: str) -> dict[str, bytes]:
    """Returns the files of a folder by their paths, without those of some suffixes."""
    files = (it for it in folder.rglob("*") if it.is_file() and it.suffix not in ignored)
    return {str(it.relative_to(folder)): it.read_bytes() for it in files}


def dataset_of(game: str, games: int, **settings: Any) -> Any:
    """Returns a fixture for a module: the folder of a run with these settings."""

    @pytest.fixture(scope="module")
    def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
        path = tmp_path_factory.mktemp("data") / game
        darkqi.selfplay(game, path, games, **settings)
        return path

    return dataset


def stepped(env: darkqi.Env, steps: int) -> darkqi.TimeStep:
    """Resets an env and plays some steps at random; returns the last rows."""
    ts = env.reset()
    for _ in range(steps):
        ts = env.step(env.sample_actions())
    return ts


def environment(**variables: str) -> dict[str, str]:
    """Returns the environment of a process that imports the package under test."""
    # Its path may be relative to this folder.
    return {**os.environ, "PYTHONPATH": str(Path(darkqi.__file__).parents[1]), **variables}


def run(*args: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *args], capture_output=True, text=True, **options)


LONG = os.environ.get("DARKQI_TESTS") == "long"
"""Whether tests try all that they can."""


def python(code: str, *args: str, status: int = 0, **options: Any) -> str:
    """Runs code in a process of its own, which ends as it should and warns of nothing.

    Returns what it prints.
    """
    done = subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, text=True, timeout=300, **options
    )
    assert (done.returncode, done.stderr) == (status, ""), done
    return str(done.stdout)


def start(*words: str | Path, **options: Any) -> subprocess.Popen[str]:
    """Starts Python with pipes for what it prints, by default where it finds this package."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    given: dict[str, Any] = {"env": environment(), **pipes, **options}
    return subprocess.Popen([sys.executable, *words], text=True, **given)


def until(condition: Callable[[], bool], or_done: Future[Any] | None = None) -> None:
    """Waits until a condition holds, or something has ended, at most ten minutes."""
    end = time.monotonic() + 600
    while not condition() and not (or_done and or_done.done()):
        assert time.monotonic() < end, "it did not happen in ten minutes"
        time.sleep(0.05)


def heed_ctrl_c() -> Any:
    """Lets this process heed Ctrl-C, which background jobs of a shell ignore by default."""
    return signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def interrupted(after: float) -> Iterator[pytest.ExceptionInfo[KeyboardInterrupt]]:
    """Presses Ctrl-C after some seconds and expects `KeyboardInterrupt` from the block."""
    handler = heed_ctrl_c()
    timer = threading.Timer(after, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt) as raised:
            yield raised
    finally:
        timer.join()
        signal.signal(signal.SIGINT, handler)
