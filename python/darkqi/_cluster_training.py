"""The steps of a training run on a Ray cluster."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ray

from darkqi._cluster import CANCEL_SECONDS, raise_cause
from darkqi._files import replacing
from darkqi.results import MatchResults, Summary
from darkqi.train import Settings, Steps, check_libraries


def _fit(
    datasets: Sequence[Path], settings: Settings, threads: int
) -> tuple[bytes, dict[str, float], list[str]]:
    """Fits a net where the task runs, and returns its file, its errors and its report's lines."""
    # The process that asks for it may lack PyTorch.
    from darkqi._value_net import fit

    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        net = Path(folder, "net.safetensors")
        errors = fit(datasets, net, settings, threads, lines.append)
        return net.read_bytes(), errors, lines


def _call(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    return function(*args, **kwargs)


_REMOTE: Any = ray.remote(max_retries=-1)(_call)


@dataclass
class OnCluster(Steps):
    """The steps of a run on a cluster."""

    selfplay: Callable[..., Summary]
    """``darkqi.ray.selfplay`` with the arguments that all games have in common."""
    arena: Callable[..., MatchResults]
    """``darkqi.ray.arena``, likewise."""
    learner_options: Mapping[str, Any] | None
    """Options of Ray for the task that fits."""
    report: Callable[[str], None]
    _under_way: list[Any] = field(default_factory=list, init=False)

    def check(self) -> None:
        """Asks the node that fits for its libraries, before anything is played."""
        self._end(self._start(check_libraries, self._options()))

    def play(
        self, game: str, out: Path, games: int, agent: str, seed: int
    ) -> Callable[[], Summary]:
        # A task that starts tasks and waits for them: this process fits and matches meanwhile.
        task = self._start(
            self.selfplay, {"num_cpus": 0}, game, out, games, agents=agent, seed=seed
        )
        return lambda: self._end(task)

    def fit(self, datasets: Sequence[Path], net: Path, settings: Settings) -> dict[str, float]:
        options = self._options()
        threads = max(1, int(options["num_cpus"]))
        errors: dict[str, float]
        file, errors, lines = self._end(self._start(_fit, options, datasets, settings, threads))
        for line in lines:
            self.report(line)
        with replacing(net) as temporary:
            temporary.write_bytes(file)
        return errors

    def _options(self) -> dict[str, Any]:
        return {"num_cpus": 1, **(self.learner_options or {})}

    def match(self, game: str, agents: list[str], games: int, **settings: Any) -> MatchResults:
        return self.arena(game, agents, games, **settings)

    @contextlib.contextmanager
    def cancelled_at_the_end(self) -> Iterator[None]:
        """Cancels what is still under way at the end, which an exception may have brought about."""
        try:
            yield
        finally:
            for task in self._under_way:
                ray.cancel(task)
            if count := len(self._under_way):
                ray.wait(self._under_way, num_returns=count, timeout=CANCEL_SECONDS)

    def _start(
        self, function: Callable[..., Any], options: Mapping[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Starts a task, which runs again on another node if its own dies."""
        task = _REMOTE.options(name="darkqi.train", **options).remote(function, args, kwargs)
        self._under_way.append(task)
        return task

    def _end(self, task: Any) -> Any:
        """Waits for the result of a task."""
        try:
            result = ray.get(task)
        except ray.exceptions.RayTaskError as error:
            raise_cause(error)
        self._under_way.remove(task)
        return result
