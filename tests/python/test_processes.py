"""Processes that are forked, spawned or started by a fork server: native threads work in each."""

import inspect
import multiprocessing
import os
import signal
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import native_calls
import numpy as np
import pytest
from common import start
from native_calls import CALLS, GAME, METHODS, PATIENCE, in_process

import darkqi
import darkqi.datasets

pytestmark = pytest.mark.filterwarnings(
    "ignore:This process .* is multi-threaded:DeprecationWarning"
)
# How often datasets are read to see whether threads are left.
ROUNDS = 12
needs_fork = pytest.mark.skipif("fork" not in METHODS, reason="needs fork")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return native_calls.played(tmp_path_factory.mktemp("data") / GAME)


@pytest.fixture(scope="module")
def expected(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Returns the results in this process, in which all threads have been used after that."""
    folder = tmp_path_factory.mktemp("expected")
    return {name: native_calls.call(name, dataset, folder / name) for name in CALLS}


def test_every_function_with_threads_is_called() -> None:
    """A new function with the argument `threads` belongs into the table."""
    public = {name: getattr(darkqi, name) for name in darkqi.__all__}
    public["Dataset.batches"] = darkqi.datasets.Dataset.batches
    threaded = {
        name
        for name, function in public.items()
        if inspect.isroutine(function) and "threads" in inspect.signature(function).parameters
    }
    called = {name.split(" with ")[0] for name in CALLS}
    assert threaded >= {"make", "first_reveal", "piece_values", "report", "Dataset.batches"}
    assert threaded <= called


# A process that was forked has the threads of before. Others make all calls.
@pytest.mark.parametrize(
    ("method", "names"),
    [
        (method, names)
        for method in METHODS
        for names in ([[name] for name in CALLS] if method == "fork" else [list(CALLS)])
    ],
)
def test_native_threads_work_in_other_processes(
    method: str, names: list[str], dataset: Path, expected: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    found = in_process(method, native_calls.put, names, dataset, tmp_path / "out")
    assert found == {name: expected[name] for name in names}


@pytest.mark.parametrize("method", METHODS)
def test_pools_of_processes(method: str, dataset: Path) -> None:
    pid, expected = native_calls.pid_and_rows(dataset)
    context: Any = multiprocessing.get_context(method)
    with context.Pool(2) as pool:
        found = pool.map_async(native_calls.pid_and_rows, [dataset] * 4).get(PATIENCE)
    assert pid not in {process for process, _ in found}
    assert {rows for _, rows in found} == {expected}
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        futures = [executor.submit(native_calls.pid_and_rows, dataset) for _ in range(4)]
        assert {future.result(PATIENCE)[1] for future in futures} == {expected}


@needs_fork
@pytest.mark.parametrize("threads", [None, 2])
def test_an_epoch_goes_on_after_a_fork(dataset: Path, threads: int | None) -> None:
    """The child has the iterator, but not the threads that it used."""
    settings: Any = {"observation": "tokens", "buffer_size": 300, "threads": threads}
    batches = darkqi.datasets.load(dataset).batches(100, **settings)
    first = next(batches)

    def read(answers: Connection) -> None:
        answers.send([batch.observation for batch in batches])

    found = in_process("fork", read)
    rest = [batch.observation for batch in batches]
    assert len(found) == len(rest) > 3
    assert not np.array_equal(first.observation, rest[0])
    for one, other in zip(found, rest, strict=True):
        assert np.array_equal(one, other)


@needs_fork
@pytest.mark.parametrize("threads", [2, None])
def test_an_env_goes_on_after_a_fork(threads: int | None) -> None:
    """The child gives the same rows, on one thread."""
    env = darkqi.make("gaiqi", 300, seed=4, threads=threads)
    native_calls.steps(env)

    def step(answers: Connection) -> None:
        answers.send(env.step(env.sample_actions()))

    assert in_process("fork", step) == env.step(env.sample_actions())


@needs_fork
def test_a_forked_process_is_told_that_it_has_no_stepping_thread() -> None:
    env = darkqi.make("jieqi", 4, seed=0, groups=2, threads=1)
    env.reset()
    env.recv()
    env.send(env.sample_actions())
    env.recv()
    actions = env.sample_actions()

    def told(answers: Connection) -> None:
        faults = []
        for call in (env.wait, lambda: env.send(actions)):
            try:
                call()
            except RuntimeError as error:
                faults.append(str(error))
        answers.send(faults)

    for fault in (faults := in_process("fork", told)):
        assert fault.startswith("the env's stepping thread is not in this process")
    assert len(faults) == 2
    # The parent's env still steps.
    env.send(actions)
    assert env.recv().lanes == slice(0, 2)


@needs_fork
def test_dropping_an_env_stops_a_search_that_was_sent() -> None:
    def drop(answers: Connection) -> None:
        opponent = "expectimax:depth=64"
        env = darkqi.make("jieqi", 4, seed=1, opponent=opponent, seat=0, groups=2)
        env.reset()
        env.recv()
        env.send(env.sample_actions())
        del env
        answers.send("dropped")

    assert in_process("fork", drop) == "dropped"


@needs_fork
def test_a_forked_process_can_fork_again(dataset: Path) -> None:
    def fork(answers: Connection) -> None:
        darkqi.first_reveal(dataset)
        answers.send(in_process("fork", native_calls.put, ["first_reveal"], dataset, dataset))

    expected = {"first_reveal": repr(darkqi.first_reveal(dataset))}
    assert in_process("fork", fork) == expected


@needs_fork
@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="counts threads in /proc")
def test_reading_leaves_no_threads(dataset: Path) -> None:
    def threads() -> int:
        return len(os.listdir("/proc/self/task"))

    def read(answers: Connection) -> None:
        before = threads()
        for _ in range(ROUNDS):
            darkqi.first_reveal(dataset, threads=4)
            list(darkqi.datasets.load(dataset).batches(500, threads=4))
        # The last pools may still be ending.
        answers.send(threads() - before)

    assert in_process("fork", read) < ROUNDS


HOLDING = """
import os, sys, threading, time
import darkqi
log, match = sys.argv[1:]
env = darkqi.make("banqi", 4, seed=1, log=log)
env.reset()
agents = ["random", "expectimax:depth=64"]
threading.Thread(
    target=lambda: darkqi.arena("jieqi", agents, 4, seed=1, out=match), daemon=True
).start()
while not os.path.exists(match + "/dataset.json"):
    time.sleep(0.05)
time.sleep(0.2)
child = os.fork()
if child == 0:
    env.close()
    del env
    time.sleep(600)
print(child, flush=True)
time.sleep(600)
"""


@needs_fork
def test_locks_end_with_the_process_that_took_them(tmp_path: Path) -> None:
    log, match = tmp_path / "log", tmp_path / "match"
    process = start("-W", "ignore", "-c", HOLDING, log, match, stderr=None)
    assert process.stdout is not None
    child = int(process.stdout.readline())
    try:
        # The child has let go of both, and has released neither.
        time.sleep(0.5)
        with pytest.raises(OSError, match=f"is being written by process {process.pid} "):
            darkqi.make("banqi", 4, log=log)
        with pytest.raises(OSError, match=f"is being written by process {process.pid} "):
            darkqi.arena("gaiqi", ["random", "greedy"], 4, out=match)
        process.kill()
        process.wait()
        os.kill(child, 0)
        darkqi.make("banqi", 4, log=log).close()
        with pytest.raises(ValueError, match="holds a run with other settings"):
            darkqi.arena("gaiqi", ["random", "greedy"], 4, out=match)
        os.kill(child, 0)
    finally:
        process.kill()
        os.kill(child, signal.SIGKILL)
        process.stdout.close()
