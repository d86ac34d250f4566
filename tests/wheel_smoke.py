"""Tries an installed wheel with numpy as the only other package; `scripts/wheel.sh` runs this.

Run it in a folder without a `darkqi` folder, so that it does not import the sources.
"""

import importlib.metadata
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import numpy as np

import darkqi


def main() -> None:
    """Uses each part of the package once."""
    home = Path(darkqi.__file__).parent
    assert home.is_relative_to(sys.prefix), f"darkqi comes from {home}, not from the wheel"
    assert (home / "py.typed").is_file()
    assert darkqi.__version__ == importlib.metadata.version("darkqi")
    for game in darkqi.games():
        batch(game)
        single(game)
    questions()
    adapters()
    command()
    version = ".".join(map(str, sys.version_info[:3]))
    print(f"darkqi {darkqi.__version__} works with Python {version}, numpy {np.__version__}")


def batch(game: str) -> None:
    """Steps a batch, without an opponent and against an agent."""
    for opponent in (None, "greedy"):
        env = darkqi.make(game, num_envs=16, seed=1, opponent=opponent)
        ts = env.reset()
        for _ in range(50):
            ts = env.step(env.sample_actions())
        assert ts.observation.shape == (16, *env.spec.observation_shape)
        assert ts.action_mask.any(axis=1).all()


def single(game: str) -> None:
    """Reads a deal back, and plays it to its end."""
    state = darkqi.State(game, seed=1, max_plies=100)
    assert darkqi.State.from_fen(game, state.fen(), max_plies=100) == state
    assert state.resample(viewer=0, seed=1).fen(viewer=0) == state.fen(viewer=0)
    while not state.is_terminal:
        state.apply(state.choose("random", seed=1))
    assert state.outcome is not None
    assert state.render("svg").startswith("<svg")


def command() -> None:
    """Runs the command that the wheel brings, by its name and as a module."""
    script = Path(sysconfig.get_path("scripts")) / "darkqi"
    for line in ([str(script)], [sys.executable, "-m", "darkqi"]):
        shown = subprocess.run([*line, "games"], check=True, capture_output=True, text=True).stdout
        assert all(game in shown for game in darkqi.games())


def questions() -> None:
    """Runs both analyses on a small dataset."""
    with tempfile.TemporaryDirectory() as folder:
        summary = darkqi.selfplay("gaiqi", f"{folder}/gaiqi", 300, agents="greedy", seed=1)
        assert summary.games == 300
        revealer = darkqi.first_reveal(f"{folder}/gaiqi").revealer
        assert revealer is not None
        score = revealer.outcomes.score
        assert score.low < score.value < score.high
        assert darkqi.piece_values(f"{folder}/gaiqi").terms


def adapters() -> None:
    """Checks that a missing library is named."""
    try:
        import darkqi.gymnasium  # noqa: F401
    except ImportError as error:
        message = str(error)
    else:
        message = "Gymnasium was found where only numpy should be"
    assert "pip install 'darkqi[gymnasium]'" in message, message


main()
