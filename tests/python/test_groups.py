"""Groups of lanes, sent and received in turn, play the games of a plain env."""

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from timesteps import ARRAYS

import darkqi


def rounds(env: darkqi.Env, count: int) -> Iterator[dict[str, NDArray[Any]]]:
    """Plays random games by `recv` and `send`; yields every round's arrays of all lanes."""
    for _ in range(count):
        steps = []
        for _ in range(env.groups):
            ts = env.recv()
            steps.append(ts.copy())
            env.send(env.sample_actions())
        assert [step.lanes.start for step in steps] == sorted(step.lanes.start for step in steps)
        shown = [name for name in ARRAYS if getattr(steps[0], name) is not None]
        yield {name: np.concatenate([getattr(step, name) for step in steps]) for name in shown}


@pytest.mark.parametrize(
    ("lanes", "groups", "threads"), [(5, 1, None), (6, 2, 1), (7, 2, 2), (8, 3, None), (3, 3, 1)]
)
def test_groups_play_the_games_of_all_lanes(
    game: str, lanes: int, groups: int, threads: int | None
) -> None:
    options: dict[str, Any] = {"seed": 3, "max_plies": 60, "final_observation": True}
    plain = darkqi.make(game, lanes, **options)
    env = darkqi.make(game, lanes, groups=groups, threads=threads, **options)
    expected = plain.reset()
    env.reset()
    endings = 0
    for found in rounds(env, 300):
        for name in ARRAYS:
            assert np.array_equal(found[name], getattr(expected, name)), name
        expected = plain.step(plain.sample_actions())
        endings += int(expected.truncated.sum() + expected.terminated.sum())
    env.wait()
    assert np.array_equal(env.seeds, plain.seeds)
    assert [env.state(i) for i in range(lanes)] == [plain.state(i) for i in range(lanes)]
    assert endings >= 4 * lanes


@pytest.mark.parametrize(
    ("lanes", "groups", "sizes"),
    [(6, 1, [6]), (6, 2, [3, 3]), (7, 2, [4, 3]), (8, 3, [3, 3, 2]), (3, 3, [1, 1, 1])],
)
def test_groups_split_the_lanes(lanes: int, groups: int, sizes: list[int]) -> None:
    env = darkqi.make("gaiqi", lanes, seed=0, groups=groups)
    assert env.groups == groups
    assert f"groups={groups}" in repr(env)
    assert env.reset().lanes == slice(0, lanes)
    for _ in range(3):
        start = 0
        for size in sizes:
            ts = env.recv()
            assert ts.lanes == slice(start, start + size)
            assert ts.copy().lanes == ts.lanes
            assert len(ts.reward) == size
            env.send(env.sample_actions())
            start += size


def test_what_a_group_shows_lies_within_what_all_lanes_show() -> None:
    env = darkqi.make("jieqi", 6, seed=0, groups=2, final_observation=True, copy=False)
    everything = env.reset()
    for _ in range(4):
        ts = env.recv()
        for name in ARRAYS:
            array, whole = getattr(ts, name), getattr(everything, name)
            assert array.ctypes.data == whole[ts.lanes].ctypes.data
        env.send(env.sample_actions())


def test_calls_without_actions_refer_to_the_current_group() -> None:
    env = darkqi.make("jieqi", 5, seed=0, groups=2)
    plain = darkqi.make("jieqi", 5, seed=0)
    env.reset()
    assert np.array_equal(env.sample_actions(), plain.sample_actions())
    assert np.array_equal(env.seeds, plain.seeds)
    ts = env.recv()
    env.send(env.sample_actions())
    ts = env.recv()
    assert ts.lanes == slice(3, 5)
    assert env.observe("public").shape == ts.observation.shape
    assert np.array_equal(env.observe("public"), plain.observe("public")[ts.lanes])
    assert np.array_equal(env.seeds, plain.seeds[ts.lanes])
    assert np.array_equal(env.sample_actions(), plain.sample_actions()[ts.lanes])
    assert [env.state(lane) for lane in (3, 4)] == [plain.state(lane) for lane in (3, 4)]


def test_rows_stay_while_other_groups_are_stepped() -> None:
    env = darkqi.make("gaiqi", 400, seed=0, groups=2)
    env.reset()
    env.recv()
    env.send(env.sample_actions())
    for _ in range(20):
        ts = env.recv()
        before = ts.observation.tobytes()
        # This also waits for the other group.
        env.wait()
        assert ts.observation.tobytes() == before
        env.send(env.sample_actions())


def test_sent_actions_are_copied() -> None:
    env, plain = (darkqi.make("jieqi", 2000, seed=0, groups=groups) for groups in (2, 1))
    env.reset()
    drawn = plain.sample_actions()
    for _ in range(2):
        actions = drawn[env.recv().lanes].copy()
        env.send(actions)
        actions[:] = -1
    expected = plain.step(drawn)
    for _ in range(2):
        ts = env.recv()
        assert np.array_equal(ts.observation, expected.observation[ts.lanes])
        env.send(env.sample_actions())


@pytest.mark.parametrize("policy", ["sleep", "matmul"])
def test_the_benchmark_runs(policy: str) -> None:
    script = Path(__file__).parents[2] / "python" / "benchmarks" / "overlap.py"
    arguments = ["gaiqi", "--envs", "200", "--rounds", "3", "--policy", policy]
    done = subprocess.run([sys.executable, script, *arguments], check=True, capture_output=True)
    assert "of what stepping adds" in done.stdout.decode()


def refuses(call: Callable[[], object], message: str) -> None:
    """Checks that a call raises RuntimeError with exactly this message."""
    with pytest.raises(RuntimeError) as caught:
        call()
    assert str(caught.value) == message


def test_calls_out_of_turn_are_refused() -> None:
    env = darkqi.make("jieqi", 5, seed=0, groups=2)
    refuses(env.recv, "recv: there are no rows yet; call reset first")
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


@pytest.mark.parametrize("group", [0, 1])
def test_illegal_actions_start_nothing(game: str, group: int) -> None:
    env = darkqi.make(game, 5, seed=0, groups=2, final_observation=True)
    env.reset()
    for _ in range(group + 2):
        ts = env.recv()
        env.send(env.sample_actions())
    env.wait()
    ts = env.recv()
    first = ts.lanes.start
    rows = {name: getattr(ts, name).tobytes() for name in ARRAYS}
    games = [env.state(lane).fen() for lane in range(5)]
    legal = [env.state(lane).legal_actions()[0] for lane in range(5)][ts.lanes]
    bad: Any
    for bad, error, message in (
        ([*legal[:-1], -1], darkqi.IllegalActionError, f"lane {first + len(legal) - 1}: action -1"),
        ([int(np.flatnonzero(~ts.action_mask[0])[0]), *legal[1:]], ValueError, f"lane {first}: "),
        ([*legal, 0], ValueError, rf"expected shape \({len(legal)},\)"),
        ([0.5] * len(legal), TypeError, "float64"),
    ):
        with pytest.raises(error, match=message):
            env.send(bad)
        env.wait()
        assert {name: getattr(ts, name).tobytes() for name in ARRAYS} == rows
        assert [env.state(lane).fen() for lane in range(5)] == games
    env.send(legal)
    env.wait()
    assert [env.state(lane).fen() for lane in range(5)] != games


@pytest.mark.parametrize("lane", range(5))
def test_one_illegal_action_steps_no_group(lane: int) -> None:
    env = darkqi.make("jieqi", 5, seed=0, groups=3)
    before = env.reset().observation.tobytes()
    actions = env.sample_actions()
    actions[lane] = -1
    with pytest.raises(darkqi.IllegalActionError, match=f"^lane {lane}: action -1 "):
        env.step(actions)
    assert [env.state(i) for i in range(5)] == [
        darkqi.make("jieqi", 5, seed=0).state(i) for i in range(5)
    ]
    assert env.reset(0).observation.tobytes() == before


def test_read_only_arrays_are_refused() -> None:
    env = darkqi.make("jieqi", 4, seed=0, groups=2, copy=False)
    env.reset()
    ts = env.recv()
    ts.reward.flags.writeable = False
    with pytest.raises(Exception, match="not writeable"):
        env.send(env.sample_actions())
    ts.reward.flags.writeable = True
    env.send(env.sample_actions())


@pytest.mark.parametrize("groups", [0, -1, 6, 2**70])
def test_numbers_of_groups_are_checked(groups: int) -> None:
    with pytest.raises(ValueError, match=f"^groups: expected .*, got {groups}"):
        darkqi.make("jieqi", 5, seed=0, groups=groups)


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


def test_threads_take_turns() -> None:
    env = darkqi.make("jieqi", 20_000, seed=0, groups=2, mask="bits", observation="tokens")
    env.reset()
    complaints: list[str] = []

    def work() -> None:
        for _ in range(60):
            try:
                env.recv()
                env.send(env.sample_actions())
            except RuntimeError as error:
                complaints.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    allowed = ("env is in use by another thread", "recv: lanes ", "send: ", "sample_actions: ")
    assert all(complaint.startswith(allowed) for complaint in complaints)
    env.wait()
    env.reset()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs an interval timer")
def test_waiting_stops_on_a_signal() -> None:
    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    env = darkqi.make("jieqi", 20_000, seed=0, groups=8, threads=1)
    env.reset()

    def interrupted() -> bool:
        """Returns whether a signal interrupts the wait and not the steps."""
        for _ in range(env.groups):
            env.recv()
            env.send(env.sample_actions())
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        try:
            env.wait()
        except KeyboardInterrupt:
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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_is_told_that_it_has_no_stepping_thread() -> None:
    env = darkqi.make("jieqi", 4, seed=0, groups=2, threads=1)
    env.reset()
    env.recv()
    env.send(env.sample_actions())
    env.recv()
    actions = env.sample_actions()
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()

    def child(env: darkqi.Env) -> None:
        for call in (env.wait, lambda: env.send(actions)):
            try:
                call()
            except RuntimeError as error:
                answers.put(str(error))

    process = context.Process(target=child, args=(env,))
    process.start()
    process.join(60)
    assert process.exitcode == 0
    for _ in range(2):
        assert answers.get().startswith("the env's stepping thread is not in this process")
    # The parent's env still steps.
    env.send(actions)
    assert env.recv().lanes == slice(0, 2)
