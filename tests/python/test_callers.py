"""Policies run in the thread of the call that they were given to, with what is set there."""

import contextvars
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interrupts import interrupted
from numpy.typing import NDArray

import darkqi

SETTING = contextvars.ContextVar("SETTING", default="unset")

# What plays with a policy beside others.
CALLS: dict[str, Callable[[Any, Path], object]] = {
    "selfplay": lambda policy, folder: darkqi.selfplay("flipping", folder / "x", 6, agents=policy),
    "arena": lambda policy, _: darkqi.arena("flipping", [policy, "random"], 6),
    "step": lambda policy, _: step(policy),
    "choose": lambda policy, _: darkqi.State("flipping", 1).choose(policy),
}


def step(opponent: Any) -> None:
    env = darkqi.make("flipping", 2, seed=1, opponent=opponent, seat=1)
    env.reset()
    env.step(env.sample_actions())


@pytest.fixture(params=CALLS)
def call(request: pytest.FixtureRequest) -> Callable[[Any, Path], object]:
    """Returns each call that asks policies in turn."""
    return CALLS[request.param]


def test_a_policy_sees_what_is_set_in_the_thread_of_the_call(
    call: Callable[[Any, Path], object], tmp_path: Path
) -> None:
    seen = set()
    own = threading.local()

    def policy(*rows: Any) -> NDArray[np.int64]:
        name = getattr(own, "name", None)
        seen.add((threading.get_ident(), SETTING.get(), name, np.geterr()["divide"]))
        actions: NDArray[np.int64] = rows[1].argmax(axis=1)
        return actions

    def caller(name: str) -> int:
        SETTING.set(name)
        own.name = name
        with np.errstate(divide="raise"):
            call(policy, tmp_path)
        return threading.get_ident()

    with ThreadPoolExecutor(1) as other:
        thread = other.submit(caller, "other").result()
    assert seen == {(thread, "other", "other", "raise")}


RECURSION = """
import sys, tempfile
import darkqi

# As some libraries set it.
sys.setrecursionlimit(10_000)


def deep(x):
    # Through native code, which takes the stack of the thread.
    return list(map(deep, [x]))


def policy(observation, action_mask, player):
    return deep(0)


try:
    if sys.argv[1] == "arena":
        darkqi.arena("flipping", [policy, "random"], 2)
    elif sys.argv[1] == "groups":
        env = darkqi.make("flipping", 2, seed=1, opponent=policy, seat=1, groups=2)
        env.reset()
        env.step(env.sample_actions())
    else:
        darkqi.selfplay("flipping", tempfile.mkdtemp() + "/data", 2, agents=policy)
except RecursionError:
    print("refused")
"""


@pytest.mark.parametrize("what", ["arena", "selfplay", "groups"])
def test_endless_recursion_in_a_policy_is_an_exception(what: str) -> None:
    command = [sys.executable, "-c", RECURSION, what]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "refused\n"), done.stderr


def test_a_policy_may_play_games_of_its_own(tmp_path: Path) -> None:
    def inner(*rows: Any) -> NDArray[np.int64]:
        actions: NDArray[np.int64] = rows[1].argmax(axis=1)
        return actions

    def outer(*rows: Any) -> NDArray[np.int64]:
        assert darkqi.arena("flipping", [inner, "random"], 2, threads=2).complete
        return inner(*rows)

    settings: dict[str, Any] = {"threads": 2, "max_plies": 3, "batch_size": 2}
    summary = darkqi.selfplay("flipping", tmp_path / "data", 4, agents=outer, **settings)
    assert summary.games == 4


@pytest.mark.parametrize("threads", [1, 3])
def test_ctrl_c_ends_the_call_of_a_policy(threads: int, tmp_path: Path) -> None:
    def policy(*_rows: Any) -> NDArray[np.int64]:
        for _ in range(1000):
            time.sleep(0.01)
        raise AssertionError

    with interrupted(after=0.3):
        darkqi.selfplay("flipping", tmp_path / "data", 50, agents=policy, threads=threads)
    with interrupted(after=0.3):
        darkqi.arena("flipping", [policy, "random"], 50, threads=threads)


@pytest.mark.parametrize("kind", [set, frozenset])
def test_agents_without_an_order_are_refused(kind: Any, tmp_path: Path) -> None:
    agents = kind(["greedy", "random"])
    with pytest.raises(TypeError, match="agents: expected a sequence of names and callables, got"):
        darkqi.arena("flipping", agents, 2)
    with pytest.raises(TypeError, match="agents: expected a sequence"):
        darkqi.selfplay("flipping", tmp_path / "data", 2, agents=agents)
    assert list(tmp_path.iterdir()) == []
