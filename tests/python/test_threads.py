"""Threads: calls release the GIL and stop at Ctrl-C, groups take turns, an env has one caller."""

import contextlib
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from common import arrays, contents, interrupted
from numpy.typing import NDArray

import darkqi
import darkqi.datasets

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


Call = Callable[[darkqi.Env, NDArray[np.int64]], object]


def send(env: darkqi.Env, actions: NDArray[np.int64]) -> None:
    env.recv()
    env.send(actions)


# What is called, and what before it without a look at the counter.
CALLS: dict[str, tuple[Call, Call | None]] = {
    "make": (lambda _env, _actions: big(), None),
    "reset": (lambda env, _actions: env.reset(), None),
    "step": (lambda env, actions: env.step(actions), None),
    "observe": (lambda env, _actions: env.observe("public"), None),
    "sample_actions": (lambda env, _actions: env.sample_actions(), None),
    "perft": (lambda env, _actions: env.state(0).perft(3), None),
    "wait": (lambda env, _actions: env.wait(), send),
}


def lets_others_run(call: Call, before: Call | None, ticks: list[int]) -> bool:
    """Returns whether the counter moves during any of many calls.

    A single call may end before the other thread wakes.
    """
    env = big()
    env.reset()
    for _ in range(100):
        actions = env.sample_actions()
        if before is not None:
            before(env, actions)
        start = ticks[0]
        call(env, actions)
        if ticks[0] > start:
            return True
    return False


@pytest.mark.parametrize("name", CALLS)
def test_long_calls_release_the_gil(name: str, ticks: list[int]) -> None:
    assert lets_others_run(*CALLS[name], ticks)


def test_calls_that_keep_the_gil_are_noticed(ticks: list[int]) -> None:
    assert not lets_others_run(lambda _env, _actions: sum(range(10_000)), None, ticks)


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
    def work(_: int) -> bytes:
        env = darkqi.make("gaiqi", 200, seed=3)
        for _ in range(50):
            ts = env.step(env.sample_actions())
        return ts.observation.tobytes()

    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(work, range(4)))) == 1


def test_perft_is_not_recursive() -> None:
    """The only paths are long: what goes by recursion would overflow the stack."""
    # One general in a corner of its palace; the other side has only its own general.
    state = darkqi.State.from_fen(
        "jieqi", "3k5/9/9/9/9/9/9/9/9/5K3 w - 0 0", repetition="off", quiet_limit=0, max_plies=65535
    )
    with interrupted(0.3):
        state.perft(1000)
    assert state.perft(2) > 0


def refuses(call: Callable[[], object], message: str) -> None:
    """Checks that a call raises RuntimeError with exactly this message."""
    with pytest.raises(RuntimeError) as caught:
        call()
    assert str(caught.value) == message


def test_calls_out_of_turn_are_refused() -> None:
    env = darkqi.make("jieqi", 5, seed=0, groups=2)
    refuses(env.recv, "recv: there are no rows; call reset first")
    refuses(lambda: env.send([0, 0, 0]), "send: no group has been received; call recv first")
    env.wait()
    env.reset()
    refuses(lambda: env.send([0, 0, 0]), "send: no group has been received; call recv first")
    env.recv()
    refuses(env.recv, "recv: lanes 0 to 2 wait for their actions; send them first")
    env.send(env.sample_actions())
    # The step may have finished, but the group counts as in flight until recv or wait.
    being_stepped = "lanes 0 to 2 are being stepped; receive them with recv, or call wait"
    refuses(lambda: env.send([0, 0, 0]), "send: no group has been received; call recv first")
    refuses(env.reset, f"reset: {being_stepped}")
    refuses(lambda: env.step([0] * 5), f"step: {being_stepped}")
    refuses(env.sample_actions, f"sample_actions: {being_stepped}")
    refuses(lambda: env.observe(0), f"observe: {being_stepped}")
    refuses(env.covered_pieces, f"covered_pieces: {being_stepped}")
    refuses(lambda: env.seeds, f"seeds: {being_stepped}")
    refuses(lambda: env.state(2), f"state: {being_stepped}")
    assert env.state(3) == darkqi.make("jieqi", 5, seed=0).state(3)
    with pytest.raises(IndexError, match="lane 5"):
        env.state(5)
    env.wait()
    # Refused calls have no effect: both envs have played the same single ply.
    other = darkqi.make("jieqi", 5, seed=0)
    other.step(other.sample_actions())
    assert env.state(2) == other.state(2)
    assert env.recv().lanes == slice(3, 5)


def test_dropping_an_env_ends_its_steps() -> None:
    for _ in range(20):
        env = darkqi.make("jieqi", 3000, seed=0, groups=3)
        env.reset()
        for _ in range(3):
            ts = env.recv()
            env.send(env.sample_actions())
        del env
        # No thread writes any more, and the array outlives the env.
        before = ts.observation.tobytes()
        time.sleep(0.005)
        assert ts.observation.tobytes() == before


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs an interval timer")
def test_waiting_stops_on_a_signal() -> None:
    class AlarmError(Exception):
        """Not Ctrl-C, which would end all tests where it comes too early."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise AlarmError

    env = darkqi.make("jieqi", 20_000, seed=0, groups=8, threads=1)
    env.reset()

    def interrupted() -> bool:
        """Returns whether a signal interrupts the wait and not the steps."""
        for _ in range(env.groups):
            env.recv()
            env.send(env.sample_actions())
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.001)
            env.wait()
        except AlarmError:
            with contextlib.suppress(RuntimeError):
                env.state(len(env) - 1)
                return False
            return True
        else:
            return False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            env.wait()

    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        assert any(interrupted() for _ in range(50))
    finally:
        signal.signal(signal.SIGALRM, previous)
    # The steps continued and can be received.
    assert env.recv().lanes.start == 0


THREADS = 6


CALLS_OF_A_THREAD = 400

# Allowed errors: another thread is in a call, another group must come next, or the action is no
# longer legal.
REFUSALS = (RuntimeError, darkqi.IllegalActionError)


def hammer(work: Callable[[random.Random], object]) -> tuple[int, list[BaseException]]:
    """Calls `work` from many threads; returns the number of refusals and all other errors."""
    faults = list[BaseException]()
    gate = threading.Barrier(THREADS)

    def run(number: int) -> int:
        rng, refused = random.Random(number), 0
        gate.wait()
        for _ in range(CALLS_OF_A_THREAD):
            try:
                work(rng)
            except REFUSALS as error:
                if isinstance(error, darkqi.InternalError):
                    faults.append(error)
                refused += 1
            except BaseException as error:
                faults.append(error)
        return refused

    with ThreadPoolExecutor(THREADS) as threads:
        return sum(threads.map(run, range(THREADS))), faults


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
        lambda: env.reset(lanes=np.arange(6) > 0),
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
