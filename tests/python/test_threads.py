"""Threads: the GIL is released, and one env serves one thread at a time."""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

import numpy as np
import pytest
from interrupts import interrupted
from numpy.typing import NDArray

import darkqi

LANES = 20_000


@pytest.fixture
def ticks() -> Iterator[list[int]]:
    """Yields a counter that another thread increments whenever it gets the GIL.

    The switch interval is long, so the counter moves during a call only if the call releases the
    GIL.
    """
    interval = sys.getswitchinterval()
    counter, done = [0], threading.Event()

    def count() -> None:
        while not done.is_set():
            counter[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    sys.setswitchinterval(1000)
    thread.start()
    try:
        yield counter
    finally:
        done.set()
        sys.setswitchinterval(interval)
        thread.join()


def big() -> darkqi.Env:
    """Returns an env with calls of milliseconds."""
    return darkqi.make("jieqi", LANES, seed=0, observation="tokens", mask="bits", threads=1)


CALLS: dict[str, Callable[[darkqi.Env, NDArray[np.int64]], object]] = {
    "make": lambda _env, _actions: big(),
    "reset": lambda env, _actions: env.reset(),
    "step": lambda env, actions: env.step(actions),
    "observe": lambda env, _actions: env.observe("public"),
    "sample_actions": lambda env, _actions: env.sample_actions(),
    "perft": lambda env, _actions: env.state(0).perft(3),
}


def lets_others_run(
    call: Callable[[darkqi.Env, NDArray[np.int64]], object], ticks: list[int]
) -> bool:
    """Returns whether the counter moves during any of many calls.

    A single call may end before the other thread wakes.
    """
    env = big()
    for _ in range(100):
        actions = env.sample_actions()
        before = ticks[0]
        call(env, actions)
        if ticks[0] > before:
            return True
    return False


@pytest.mark.parametrize("name", CALLS)
def test_long_calls_release_the_gil(name: str, ticks: list[int]) -> None:
    assert lets_others_run(CALLS[name], ticks)


def test_waiting_for_a_group_releases_the_gil(ticks: list[int]) -> None:
    env = big()
    env.reset()
    for _ in range(100):
        env.recv()
        env.send(env.sample_actions())
        before = ticks[0]
        env.wait()
        if ticks[0] > before:
            return
    pytest.fail("the GIL was kept")


def test_calls_that_keep_the_gil_are_noticed(ticks: list[int]) -> None:
    assert not lets_others_run(lambda _env, _actions: sum(range(10_000)), ticks)


def test_a_second_thread_is_refused() -> None:
    env = big()
    expected = env.reset(seed=5).copy()
    complaints: list[str] = []

    def work() -> None:
        for _ in range(40):
            try:
                env.reset(seed=5)
            except RuntimeError as error:
                complaints.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(complaints) == {"env is in use by another thread"}
    # The env still works, and its games are consistent.
    ts = env.reset(seed=5)
    assert np.array_equal(ts.observation, expected.observation)
    assert np.array_equal(ts.action_mask, expected.action_mask)
    env.step(env.sample_actions())


def test_a_state_in_use_can_be_read_but_not_changed() -> None:
    state = darkqi.State("jieqi", seed=1)
    fen, started = state.fen(), threading.Event()
    counts: list[int] = []

    def count() -> None:
        started.set()
        counts.append(state.perft(4))

    thread = threading.Thread(target=count)
    thread.start()
    started.wait()
    complaints: set[str] = set()
    while thread.is_alive() and not complaints:
        assert state.fen() == fen
        try:
            state.clone().apply("a4a5")
            state.apply("a1a1")
        except darkqi.IllegalActionError:
            pass
        except RuntimeError as error:
            complaints.add(str(error))
    thread.join()
    assert complaints == {"state is in use by another thread"}
    assert counts[0] > 0
    assert state.fen() == fen


def test_envs_work_side_by_side() -> None:
    finals: list[bytes] = []

    def work() -> None:
        env = darkqi.make("gaiqi", 200, seed=3)
        for _ in range(50):
            ts = env.step(env.sample_actions())
        finals.append(ts.observation.tobytes())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(finals) == 4
    assert len(set(finals)) == 1


def test_perft_is_not_recursive() -> None:
    """The only paths are long: what goes by recursion would overflow the stack."""
    # One general in a corner of its palace; the other side has only its own general.
    state = darkqi.State.from_fen(
        "jieqi", "3k5/9/9/9/9/9/9/9/9/5K3 w - 0 0", repetition="off", quiet_limit=0, max_plies=65535
    )
    with interrupted(0.3):
        state.perft(1000)
    assert state.perft(2) > 0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs an interval timer")
def test_perft_stops_on_a_signal() -> None:
    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    state = darkqi.State("jieqi", seed=1)
    previous = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            state.perft(12)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert state.perft(1) == 44
