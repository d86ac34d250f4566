"""Ctrl-C stops every call that may take long, and what it leaves can be used."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common import arrays, contents, interrupted

import darkqi
import darkqi.datasets

# Searches that no machine finishes.
ENDLESS = ["expectimax:depth=64", "ismcts:sims=1000000"]


def against(opponent: str, **settings: Any) -> darkqi.Env:
    """Returns an env whose caller moves first, so that nothing is searched before a step."""
    return darkqi.make("jieqi", 6, seed=1, opponent=opponent, seat=0, **settings)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("opponent", ENDLESS)
def test_a_step_against_a_search(opponent: str, threads: int) -> None:
    env = against(opponent, threads=threads, groups=threads)
    ts = env.reset()
    before = {name: array.copy() for name, array in arrays(ts).items()}
    actions = env.sample_actions()
    with interrupted(after=0.3):
        env.step(actions)
    # The rows are those of the last call; the games may be anywhere within the step.
    for name, array in arrays(ts).items():
        assert np.array_equal(array, before[name]), name
    calls: list[Callable[[], object]] = [
        lambda: env.step(actions),
        lambda: env.reset(lanes=np.ones(6, np.bool_)),
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match="gave up within the step before; reset all lanes"):
            call()
    again = env.reset(seed=1)
    for name, array in arrays(again).items():
        assert np.array_equal(array, before[name]), name
    # It is stopped again, not still.
    with interrupted(after=0.3):
        env.step(actions)


def test_a_search_that_is_not_stopped_plays_the_same_after_one_that_was() -> None:
    def play(env: darkqi.Env) -> list[str]:
        env.reset(seed=4)
        for _ in range(3):
            env.step(env.sample_actions())
        return [env.state(lane).fen() for lane in range(6)]

    env = against("expectimax:depth=1")
    expected = play(env)
    stopped = against("expectimax:depth=1")
    with interrupted(after=0.2):
        while True:
            stopped.reset()
            stopped.step(stopped.sample_actions())
    assert play(stopped) == expected


# What plays by an agent, in a folder.
PLAYING: dict[str, Callable[[str, Path], object]] = {
    "make": lambda agent, _out: darkqi.make("jieqi", 6, seed=1, opponent=agent, seat=1),
    "choose": lambda agent, _out: darkqi.State("jieqi", seed=1).choose(agent),
    "selfplay": lambda agent, out: darkqi.selfplay("jieqi", out, 4, agents=agent, seed=1),
    "arena": lambda agent, _out: darkqi.arena("jieqi", [agent, "random"], 4, seed=1),
    "balance_values": lambda _agent, out: darkqi.balance_values("jieqi", out, 4, agent=ENDLESS[0]),
}


@pytest.mark.parametrize("name", PLAYING)
@pytest.mark.parametrize("agent", ENDLESS)
def test_calls_of_agents_that_search(agent: str, name: str, tmp_path: Path) -> None:
    with interrupted(after=0.3):
        PLAYING[name](agent, tmp_path / "out")


def test_a_run_that_was_stopped_goes_on_with_the_same_games(tmp_path: Path) -> None:
    def play(out: str, **settings: Any) -> darkqi.Summary:
        agents = ["expectimax:depth=2", "random"]
        return darkqi.selfplay(
            "banqi", tmp_path / out, 30, agents=agents, seed=1, shard_games=5, **settings
        )

    play("whole")
    with interrupted(after=0.2):
        play("stopped")
    play("stopped", resume=True)
    assert contents(tmp_path / "stopped") == contents(tmp_path / "whole")


@pytest.mark.parametrize("threads", [1, 2])
def test_one_large_batch_of_rows(threads: int, tmp_path: Path) -> None:
    darkqi.selfplay("banqi", tmp_path, 4000, agents="random", seed=5)
    dataset = darkqi.datasets.load(tmp_path)
    settings: Any = {"observation": "tokens", "threads": threads, "buffer_size": 10**7}
    batches = dataset.batches(dataset.num_plies, **settings)
    with interrupted(after=0.1):
        next(batches)
    assert next(batches, None) is None
    assert len(next(dataset.batches(10, **settings)).action) == 10


def test_closing_a_log(tmp_path: Path) -> None:
    env = darkqi.make("jieqi", 256, seed=1, observation="tokens", log=tmp_path)
    ts = env.reset()
    ended = 0
    # Almost a shard of 5,000 long games: writing it takes much longer than Ctrl-C to come.
    while ended < 4_500:
        ts = env.step(env.sample_actions())
        ended += int((ts.terminated | ts.truncated).sum())
    with interrupted(after=0.05):
        env.close()
    assert not darkqi.datasets.load(tmp_path).is_complete
    # Nothing is lost: the next env that logs there begins with what was left.
    darkqi.make("jieqi", 1, log=tmp_path).close()
    dataset = darkqi.datasets.load(tmp_path)
    assert dataset.is_complete
    assert dataset.num_games == ended
    assert darkqi.verify(tmp_path).faults == []
