"""Tasks of a call on a Ray cluster: starting them, again where that helps, and their results."""

import contextlib
import functools
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from statistics import median
from typing import Any, NoReturn, SupportsIndex, TypeAlias

import ray

from darkqi import _darkqi
from darkqi._options import integer

Range: TypeAlias = tuple[int, int]
"""The first of some shards or blocks, and the one after the last."""


Work: TypeAlias = functools.partial[Any]
"""What a task does, by its part: a range, or what another task has kept. It returns its result,
perhaps in a pair with what is to stay where it ran."""

# A task is started a second time once it has run for this many times the median of finished ones.
_STRAGGLES = 3.0
# Shorter tasks are not worth a second start, in seconds.
_LEAST_STRAGGLE = 2.0
# How long cancelled tasks are waited for, in seconds.
CANCEL_SECONDS = 10.0


def _task(work: Work, folder: str, part: Any) -> tuple[tuple[float, bytes, bool], bytes | None]:
    """Does the work of a task.

    Returns:
        Its seconds, its result and whether it keeps something; and what it keeps.
    """
    begun = time.monotonic()
    # Names of files in arguments are relative to the caller's folder, where there is one.
    is_there = Path(folder).is_dir()
    with contextlib.chdir(folder) if is_there else contextlib.nullcontext():
        done = work(part)
    seconds = time.monotonic() - begun
    result, kept = done if isinstance(done, tuple) else (done, None)
    return (seconds, result, kept is not None), kept


_REMOTE: Any = ray.remote(_task)


def _cpus() -> list[int]:
    """Returns the number of CPUs of each node that is there."""
    nodes = [node for node in ray.nodes() if node["Alive"]]
    return [int(node.get("Resources", {}).get("CPU", 0)) for node in nodes]


@dataclass
class _Attempt:
    """A task that was handed to Ray."""

    place: int
    """The place of its part."""
    kept: Any
    """The reference to what it keeps."""
    since: float
    """When it was handed over."""


@dataclass
class Cluster:
    """How the tasks of a call are run."""

    threads: int
    task_options: Mapping[str, Any] | None
    progress: bool
    _slots: int = field(default=1, init=False)
    _nodes: int = field(default=1, init=False)
    _asked: float = field(default=float("-inf"), init=False)

    def __post_init__(self) -> None:
        at_least_one("threads", self.threads)
        if not ray.is_initialized():
            ray.init()
        self._check_cpus()

    def _check_cpus(self) -> None:
        """Refuses tasks that no node can run: Ray would wait for one without a word."""
        option = "num_cpus" if "num_cpus" in (self.task_options or {}) else "threads"
        asked = (self.task_options or {}).get("num_cpus", self.threads)
        most = max(_cpus(), default=0)
        # Where no node has any, the cluster may be one that grows.
        if 0 < most < asked:
            raise ValueError(
                f"{option}: expected at most {most}, the CPUs of the largest node, got {asked}"
            )

    def slots(self) -> int:
        """Returns how many tasks the nodes that are there can run at once, at least 1."""
        now = time.monotonic()
        if now - self._asked > 1:
            self._asked = now
            cpus = _cpus()
            self._slots = max(1, sum(cpu // self.threads for cpu in cpus))
            self._nodes = len(cpus)
        return self._slots

    @contextlib.contextmanager
    def of_dataset(
        self, path: str | PathLike[str], work: Work, shards_per_task: int | None
    ) -> "Iterator[Results]":
        """Gives the results of tasks for all shards of a dataset."""
        shards = _darkqi.listed_shards(path)
        size = min(16, max(1, shards // (4 * self.slots())))
        if shards_per_task is not None:
            size = at_least_one("shards_per_task", shards_per_task)
        results = self.run(work, ranges_of(shards, size), ordered=True)
        with contextlib.closing(results):
            yield results

    def run(self, work: Work, parts: Sequence[Any], *, ordered: bool) -> "Results":
        """Runs a task for each part and gives the place of the part with the result.

        Args:
            work: What each task does.
            parts: Ranges, or references to what other tasks have kept.
            ordered: Whether the caller can use results in the order of parts only: then few are
                finished before their turn, so that few are held in memory.
        """
        are_ranges = all(isinstance(part, tuple) for part in parts)
        options = {
            "max_retries": -1,
            "name": f"darkqi.{work.func.__name__.strip('_')}",
            "num_cpus": self.threads,
            "num_returns": 2,
            # Ranges go anywhere, other parts where they are.
            "scheduling_strategy": "SPREAD" if are_ranges else "DEFAULT",
            **(self.task_options or {}),
        }
        bar = _Bar(sum(map(_size, parts)), self, is_shown=self.progress and are_ranges)
        return Results(self, work, parts, ordered, options, bar)


class Results:
    """The results of tasks as they end, each with the place of its part.

    Closing it cancels the others. ``kept`` has, by place, references to what tasks have kept.
    """

    def __init__(
        self,
        cluster: Cluster,
        work: Work,
        parts: Sequence[Any],
        ordered: bool,
        options: dict[str, Any],
        bar: "_Bar",
    ) -> None:
        self._cluster = cluster
        self._parts = parts
        self._ordered = ordered
        self._remote = _REMOTE.options(**options)
        try:
            self._work = ray.put(work)
        except TypeError as error:
            raise TypeError(f"agents: expected what Ray can serialise: {error}") from None
        self._folder = str(Path.cwd())
        self.kept: dict[int, Any] = {}
        self._waiting = deque(range(len(parts)))
        self._running: dict[Any, _Attempt] = {}
        self._left = set(range(len(parts)))
        self._turn = 0
        self._twice: set[int] = set()
        # When some task may last have waited for a free node.
        self._crowded = time.monotonic()
        self._seconds: list[float] = []
        self._bar = bar
        self._ready: deque[tuple[int, bytes]] = deque()

    def __iter__(self) -> "Results":
        return self

    def __next__(self) -> tuple[int, bytes]:
        try:
            while not self._ready:
                if not self._left:
                    raise StopIteration
                self._start()
                self._wait()
        except BaseException:
            self.close()
            raise
        return self._ready.popleft()

    def close(self) -> None:
        """Cancels all tasks that have not ended, and waits for their ends."""
        running, self._running = list(self._running), {}
        for task in running:
            ray.cancel(task)
        if running:
            ray.wait(running, num_returns=len(running), timeout=CANCEL_SECONDS, fetch_local=False)
        self._left = set()
        self._bar.close()

    def _start(self) -> None:
        """Starts as many tasks as keep all nodes at work, those that join meanwhile included."""
        slots = self._cluster.slots()
        most = 2 * slots + 8
        # The last range that may be finished before its turn.
        while self._turn not in self._left:
            self._turn += 1
        last = self._turn + 2 * most if self._ordered else len(self._parts)
        while self._waiting and len(self._running) < most and self._waiting[0] <= last:
            self._submit(self._waiting.popleft())
        if len(self._running) > slots or (self._waiting and self._waiting[0] <= last):
            self._crowded = time.monotonic()
        elif self._seconds:
            self._start_again(slots)

    def _start_again(self, slots: int) -> None:
        """Starts stragglers a second time where nothing else is left to start."""
        patience = max(_LEAST_STRAGGLE, _STRAGGLES * median(self._seconds))
        attempts = [one for one in self._running.values() if one.place not in self._twice]
        for attempt in attempts[: slots - len(self._running)]:
            # All tasks that were handed over are running since nothing is crowded.
            if time.monotonic() - max(attempt.since, self._crowded) > patience:
                self._twice.add(attempt.place)
                self._submit(attempt.place)

    def _submit(self, place: int) -> None:
        part = self._parts[place]
        task, kept = self._remote.remote(self._work, self._folder, part)
        self._running[task] = _Attempt(place, kept, time.monotonic())

    def _wait(self) -> None:
        """Waits for a task, and takes the results of all that have ended."""
        tasks = list(self._running)
        ended, _ = ray.wait(tasks, num_returns=1, timeout=1.0, fetch_local=False)
        if ended:
            ended, _ = ray.wait(tasks, num_returns=len(tasks), timeout=0, fetch_local=False)
        for task in ended:
            # A task whose duplicate was faster was cancelled and forgotten.
            attempt = self._running.pop(task, None)
            if attempt is None:
                continue
            try:
                seconds, done, keeps = ray.get(task)
            except ray.exceptions.RayTaskError as error:
                raise_cause(error)
            self._left.discard(attempt.place)
            self._seconds.append(seconds)
            self._ready.append((attempt.place, done))
            if keeps:
                self.kept[attempt.place] = attempt.kept
            if attempt.place in self._twice:
                self._cancel_duplicates(attempt.place)
            self._bar.add(_size(self._parts[attempt.place]))
        self._bar.show()

    def _cancel_duplicates(self, place: int) -> None:
        """Cancels the other task for a part."""
        for task in [task for task, other in self._running.items() if other.place == place]:
            del self._running[task]
            ray.cancel(task)


def raise_cause(error: Any) -> NoReturn:
    """Raises what was raised in a task."""
    cause = error.cause
    if not isinstance(cause, Exception):
        raise error
    cause.add_note("in a task on the cluster")
    raise cause from None


class _Bar:
    """The progress of a call in one line of standard error, if that is a terminal."""

    def __init__(self, total: int, cluster: Cluster, *, is_shown: bool) -> None:
        self._total, self._cluster = total, cluster
        self._is_shown = is_shown and sys.stderr.isatty()
        self._done, self._begun, self._shown = 0, time.monotonic(), 0.0

    def add(self, done: int) -> None:
        self._done += done

    def show(self, *, now: bool = False) -> None:
        elapsed = time.monotonic() - self._begun
        if not self._is_shown or (elapsed - self._shown < 0.5 and not now):
            return
        self._shown = elapsed
        left = elapsed / self._done * (self._total - self._done) if self._done else float("inf")
        nodes = self._cluster._nodes
        text = f"{self._done} of {self._total} shards on {nodes} nodes, {elapsed:.0f} s"
        text += f", {left:.0f} s left" if left < float("inf") else ""
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._is_shown:
            self.show(now=True)
            print(file=sys.stderr)
            self._is_shown = False


def _size(part: Any) -> int:
    """Returns how many shards or blocks a part is."""
    return part[1] - part[0] if isinstance(part, tuple) else 1


def in_order(results: Results) -> Iterator[bytes]:
    """Yields results in the order of their parts."""
    early: dict[int, bytes] = {}
    turn = 0
    for place, done in results:
        early[place] = done
        while turn in early:
            yield early.pop(turn)
            turn += 1


def ranges_of(count: int, size: int) -> list[Range]:
    """Divides 0..count into ranges of this size; the last may be shorter."""
    return [(first, min(count, first + size)) for first in range(0, count, size)]


def at_least_one(name: str, number: SupportsIndex) -> int:
    return integer(name, number, 1, 2**63 - 1, "1 on")
