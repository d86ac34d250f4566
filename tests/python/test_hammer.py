"""Many threads on one env or one state: each call is refused or takes full effect."""

import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import darkqi

THREADS = 6
CALLS = 400

# Allowed errors: another thread is in a call, another group must come next, or the action is no
# longer legal.
REFUSALS = (RuntimeError, darkqi.IllegalActionError)


def hammer(work: Callable[[random.Random], object]) -> tuple[int, list[BaseException]]:
    """Calls `work` from many threads; returns the number of refusals and all other errors."""
    refused, faults = [0] * THREADS, list[BaseException]()
    gate = threading.Barrier(THREADS)

    def run(number: int) -> None:
        rng = random.Random(number)
        gate.wait()
        for _ in range(CALLS):
            try:
                work(rng)
            except REFUSALS as error:
                if isinstance(error, darkqi.InternalError):
                    faults.append(error)
                refused[number] += 1
            except BaseException as error:
                faults.append(error)

    threads = [threading.Thread(target=run, args=[number]) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(refused), faults


@pytest.mark.parametrize(
    "setup",
    [
        {},
        {"groups": 3, "threads": 2},
        {"copy": True, "groups": 2},
        {"opponent": "random", "autoreset": "next_step"},
    ],
)
def test_one_env(setup: dict[str, Any]) -> None:
    lanes = 40
    env = darkqi.make("gaiqi", lanes, final_observation=True, **setup)
    env.reset()
    calls: list[Callable[[random.Random], object]] = [
        lambda _rng: env.step(env.sample_actions()),
        lambda _rng: env.step(np.zeros(lanes, np.int64)),
        lambda _rng: env.reset(lanes=np.arange(lanes) % 2 == 0),
        lambda rng: env.reset(rng.randrange(5)),
        lambda _rng: env.observe("public"),
        lambda rng: env.state(rng.randrange(lanes)).fen(),
        lambda _rng: env.recv(),
        lambda _rng: env.send([0]),
        lambda _rng: env.wait(),
        lambda _rng: env.seeds,
    ]
    refused, faults = hammer(lambda rng: rng.choice(calls)(rng))
    # Allowed: the number of actions is that of a group, and another thread has switched to all
    # lanes, or the reverse.
    faults = [fault for fault in faults if not str(fault).startswith("actions: expected shape")]
    assert not faults
    assert refused > 0
    # The env still works.
    env.wait()
    fresh = darkqi.make("gaiqi", lanes, 9, final_observation=True, **setup)
    ts, expected = env.reset(9), fresh.reset()
    for _ in range(30):
        assert np.array_equal(ts.observation, expected.observation)
        assert np.array_equal(ts.action_mask, expected.action_mask)
        assert np.array_equal(ts.reward, expected.reward)
        ts, expected = env.step(env.sample_actions()), fresh.step(fresh.sample_actions())


def test_one_state() -> None:
    state = darkqi.State("jieqi", seed=1)
    played = list[int]()

    def play(rng: random.Random) -> None:
        legal = state.legal_actions()
        if legal:
            state.apply(rng.choice(legal))
            played.append(1)

    def read(rng: random.Random) -> None:
        copy = state.clone()
        assert darkqi.State.from_fen("jieqi", copy.fen()) == copy
        assert copy.resample(0, rng.randrange(9)).fen(0) == copy.fen(0)
        assert copy.observation("public").any()

    calls: list[Callable[[random.Random], object]] = [
        play,
        read,
        lambda _rng: state.perft(2),
        lambda _rng: state.render("svg"),
    ]
    _, faults = hammer(lambda rng: rng.choice(calls)(rng))
    assert not faults
    # Exactly the accepted actions were played. The state still works.
    play(random.Random(0))
    assert state.ply == len(played)
