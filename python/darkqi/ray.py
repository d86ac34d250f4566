"""Self-play, matches, analyses, verification and training on a Ray cluster.

Each function divides the work of the function of its name in ``darkqi`` into tasks of Ray.
Arguments and results are the same, except that ``selfplay`` has no ``until``, ``luck_adjusted``,
``shards`` and ``resume`` (it always resumes), ``arena`` no ``shards``, ``first_reveal`` no
``aivat``, and ``piece_values`` no ``unit`` and ``quiet``. Call ``ray.init`` first to choose a
cluster; otherwise Ray connects to ``RAY_ADDRESS``, or starts one on this machine. darkqi must be
installed in the same version on all nodes, and files, those of agents included, must have the same
paths there: a shared file system, or object storage by URL.

The results do not depend on the cluster. A dataset has the bytes that one machine would write, and
figures are equal to one machine's bit for bit.

Tasks whose node or process dies are run again, as often as it takes. When no task is left to
start, tasks that take much longer than others are started a second time, and the first of the two
counts. An exception in a task ends the call, which then raises it. On Ctrl-C the call cancels its
tasks; finished work stays, and the same call resumes.
"""

import contextlib
import json
import pickle
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal, SupportsIndex, TypeAlias

import darkqi
from darkqi import _darkqi
from darkqi import train as training
from darkqi._files import replacing
from darkqi._records import AgentDict, Policy
from darkqi.results import FirstReveal, MatchResults, PieceValues, Summary, Verification

try:
    from darkqi._cluster import Cluster, Range, at_least_one, in_order, ranges_of
    from darkqi._cluster_training import OnCluster
except ImportError as error:
    raise ImportError("darkqi.ray needs Ray: pip install 'darkqi[ray]'") from error

__all__ = ["arena", "first_reveal", "piece_values", "selfplay", "train", "verify"]

_Path: TypeAlias = str | PathLike[str]


def selfplay(
    name: str,
    out: _Path,
    games: SupportsIndex = 1000,
    *,
    agents: str | AgentDict | Policy | Sequence[str | AgentDict | Policy] = "greedy",
    threads: int = 1,
    observations: bool = False,
    observation: Literal["planes", "tokens"] = "planes",
    batch_size: SupportsIndex = 64,
    shards_per_task: int = 1,
    task_options: Mapping[str, Any] | None = None,
    progress: bool = False,
    **options: Any,
) -> Summary:
    """Plays games on the cluster and writes them as a dataset, as ``darkqi.selfplay`` does.

    A task plays ``shards_per_task`` shards, checks their files by a replay and reports them; at the
    end this process lists all in ``dataset.json``. Choose ``shard_games`` so that a shard takes at
    least ten seconds, and a few minutes at most: a shard whose task dies is played from its start.
    Shards that are in ``out`` already are checked and kept, so that a call resumes where an earlier
    one was interrupted.

    Args:
        name: One of ``darkqi.games()``.
        out: The folder of the dataset, which all nodes see under this path, or its URL in object
            storage.
        games: Number of games, at least 1.
        agents: As in ``darkqi.selfplay``. Policies are sent to the nodes by Ray, so they must be
            serialisable, and must play the same in every process. Agents with ``time=`` and
            programs are refused, because their games would depend on who plays them.
        threads: Number of threads of a task, and of CPUs that Ray reserves for it.
        observations: Whether to write ``observations/*.parquet`` as well. This process writes them,
            once all games are played, into a folder only.
        observation: As in ``darkqi.selfplay``.
        batch_size: As in ``darkqi.selfplay``.
        shards_per_task: Number of shards that a task plays, at least 1.
        task_options: Options of Ray for each task, such as ``{"resources": {"fast": 1}}``.
        progress: Whether to show the progress of the whole cluster on standard error, if that is a
            terminal.
        **options: The other options of ``darkqi.selfplay``, such as ``seed`` and
            ``shard_games``, and rule options.

    Returns:
        The ``Summary`` of the results; ``seconds`` is the time of this call.

    Raises:
        ValueError: As ``darkqi.selfplay``, and for agents that cannot be shared. Nothing is written
            then.
        TypeError: A value has the wrong type, or a policy cannot be serialised.
        IllegalActionError: A policy gave an action that is not legal.
        OSError: The dataset cannot be written or read, or another process lists its shards.
        KeyboardInterrupt: Ctrl-C. Finished shards stay, and the same call resumes.
    """
    begun = time.monotonic()
    if "until" in options:
        raise ValueError(
            "until: the number of shards would depend on results; expected a number of games"
        )
    _refuse(options, "luck_adjusted", "resume", "shards")
    path = _darkqi.absolute(out)
    # The last step would refuse it, when all games are played.
    if observations and isinstance(path, str):
        raise ValueError(f"observations: {path} is not a folder: only games and plies are there")
    cluster = Cluster(threads, task_options, progress)
    settings = options | {"agents": agents, "observation": observation, "batch_size": batch_size}
    shards = _darkqi.prepare_shards(name, path, games, **settings)
    ranges = ranges_of(shards, at_least_one("shards_per_task", shards_per_task))
    work = partial(_play_shards, name, path, games, threads, settings)
    found = list(in_order(cluster.run(work, ranges, ordered=False)))
    finished = _darkqi.list_shards(path, found)
    if not finished.complete:
        raise OSError(f"{path}: expected all shards, lost those of {finished.missing}")
    summary = darkqi.selfplay(name, path, games, resume=True, observations=observations, **settings)
    return replace(summary, seconds=time.monotonic() - begun)


def arena(
    name: str,
    agents: Sequence[str | AgentDict | Policy] | str,
    games: SupportsIndex = 1000,
    *,
    threads: int = 1,
    sprt: Sequence[float] | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    out: _Path | None = None,
    shard_games: SupportsIndex | None = None,
    observation: Literal["planes", "tokens"] = "planes",
    batch_size: SupportsIndex = 64,
    task_options: Mapping[str, Any] | None = None,
    progress: bool = False,
    **options: Any,
) -> MatchResults:
    """Plays a match on the cluster, as ``darkqi.arena`` does.

    A task plays a shard, which this process adds to the dataset. Games and results are
    equal to those of ``darkqi.arena``, except times and numbers of decisions, which are of this
    process. With ``sprt`` the match ends at the same game: those beyond it that have been
    played meanwhile are dropped.

    Args:
        name: One of ``darkqi.games()``.
        agents: As in ``darkqi.arena``. Policies are sent to the nodes by Ray, so they must be
            serialisable. Agents with ``time=`` and programs are refused.
        games: As in ``darkqi.arena``.
        threads: Number of threads of a task, and of CPUs that Ray reserves for it.
        sprt: As in ``darkqi.arena``.
        alpha: As in ``darkqi.arena``.
        beta: As in ``darkqi.arena``.
        out: The folder of the dataset, which this process writes. If it holds the match, the match
            is resumed. One call at a time may use it. None for a folder that is removed at the end.
        shard_games: Number of games in one file, which a task plays; rounded up to whole deals.
            None for an eighth of what a CPU would get, at most 128.
        observation: As in ``darkqi.arena``.
        batch_size: As in ``darkqi.arena``.
        task_options: Options of Ray for each task, such as ``{"resources": {"fast": 1}}``.
        progress: Whether to show the progress of the whole cluster on standard error, if that is a
            terminal.
        **options: The other options of ``darkqi.arena``, such as ``seed`` and ``openings``,
            and rule options.

    Returns:
        The ``MatchResults``; ``seconds`` is the time of this call.

    Raises:
        ValueError: As ``darkqi.arena``, and for agents that cannot be shared.
        TypeError: A value has the wrong type, or a policy cannot be serialised.
        IllegalActionError: A policy gave an action that is not legal.
        OSError: The dataset cannot be read or written, or another process writes to it.
        KeyboardInterrupt: Ctrl-C. With ``out``, finished tasks are in it, and the same call goes
            on.
    """
    begun = time.monotonic()
    _refuse(options, "shards")
    cluster = Cluster(threads, task_options, progress)
    settings = options | {"observation": observation, "batch_size": batch_size}
    test: dict[str, Any] = {} if sprt is None else {"sprt": sprt, "alpha": alpha, "beta": beta}
    # Games of all pairs, in shards of whole deals.
    pairs, total, deal = _darkqi.match_sizes(name, agents, games, **options)
    size = min(128, max(1, total // (8 * cluster.slots())))
    if shard_games is not None:
        size = at_least_one("shard_games", shard_games)
    with tempfile.TemporaryDirectory() as folder:
        path = _folder(Path(folder, "match") if out is None else out)
        manifest = path / "dataset.json"
        if shard_games is None and manifest.exists():
            # A match goes on in shards as it began, on a cluster of any size.
            size = (json.loads(manifest.read_text()).get("run") or {}).get("shard_games", size)
        size = min(total, -(-size // deal) * deal)

        def match(shards: int) -> MatchResults:
            """Returns the results of the first shards, and plays what is missing of them."""
            wanted = min(total, shards * size) // pairs
            return darkqi.arena(
                name, agents, wanted, out=path, shard_games=size, **settings, **test
            )

        def is_there(shard: int) -> bool:
            return all((path / file).exists() for file in _files(shard))

        shards = -(-total // size)
        there = next((shard for shard in range(shards) if not is_there(shard)), shards)
        found = match(there) if there > 0 else None
        resumed = 0 if found is None else found.resumed_games
        if found is None or found.sprt is None or found.sprt.decision == "undecided":
            given = {"games": games, "threads": threads, "shard_games": size, **settings}
            ranges = [(shard, shard + 1) for shard in range(there, shards)]
            work = partial(_play_match, name, agents, given)
            played = cluster.run(work, ranges, ordered=True)
            # Closed at the end, which cancels what is still being played.
            with contextlib.closing(played):
                for shard, files in zip(range(there, shards), in_order(played), strict=True):
                    _add_files(path, pickle.loads(files))
                    if test and match(shard + 1).sprt.decision != "undecided":  # type: ignore[union-attr]
                        break
        seconds = time.monotonic() - begun
        return replace(match(shards), seconds=seconds, resumed_games=resumed)


def first_reveal(
    path: _Path,
    *,
    until: float | None = None,
    threads: int = 1,
    shards_per_task: int | None = None,
    task_options: Mapping[str, Any] | None = None,
    progress: bool = False,
) -> FirstReveal:
    """Estimates on the cluster what the first reveal is worth, as ``darkqi.first_reveal`` does.

    A task reads some shards and returns their sums, about 0.1 MB a shard; this process adds them
    up in the order of shards. The figures are equal to ``darkqi.first_reveal`` bit for bit.

    Args:
        path: The dataset's folder, which all nodes see under this path, or its URL in object
            storage.
        until: As in ``darkqi.first_reveal``.
        threads: Number of threads of a task, and of CPUs that Ray reserves for it.
        shards_per_task: Number of shards that a task reads, at least 1; None for a quarter of what
            a CPU would get, at most 16.
        task_options: Options of Ray for each task, such as ``{"resources": {"fast": 1}}``.
        progress: Whether to show the progress of the whole cluster on standard error, if that is a
            terminal.

    Returns:
        The ``FirstReveal``.

    Raises:
        ValueError: As ``darkqi.first_reveal``.
        OSError: The dataset cannot be read, or was changed meanwhile.
        KeyboardInterrupt: Ctrl-C.
    """
    cluster = Cluster(threads, task_options, progress)
    path = _darkqi.absolute(path)
    deals = until is not None
    work = partial(_darkqi.first_reveal_part, path, deals=deals, threads=threads)
    with cluster.of_dataset(path, work, shards_per_task) as results:
        return _darkqi.add_first_reveal(path, in_order(results), until)


def piece_values(
    path: _Path,
    *,
    positions: int = 8,
    output: _Path | None = None,
    weights: _Path | None = None,
    threads: int = 1,
    shards_per_task: int | None = None,
    task_options: Mapping[str, Any] | None = None,
    progress: bool = False,
) -> PieceValues:
    """Fits piece values on the cluster, as ``darkqi.piece_values`` does.

    A task replays the games of some shards and keeps the sampled positions on its node, in about as
    many bytes as the shards have. The fit asks about thirty times for sums over them, which tasks
    compute where they are; those of a node that dies are sampled again. The figures are bit for bit
    those of ``darkqi.piece_values``.

    Args:
        path: The dataset's folder, which all nodes see under this path, or its URL in object
            storage.
        positions: As in ``darkqi.piece_values``.
        output: As in ``darkqi.piece_values``; this process writes it.
        weights: As in ``darkqi.piece_values``; this process writes it.
        threads: Number of threads of a task, and of CPUs that Ray reserves for it.
        shards_per_task: Number of shards that a task reads, at least 1; None for a quarter of what
            a CPU would get, at most 16.
        task_options: Options of Ray for each task, such as ``{"resources": {"fast": 1}}``.
        progress: Whether to show the progress of the whole cluster on standard error, if that is a
            terminal.

    Returns:
        The ``PieceValues``.

    Raises:
        ValueError: As ``darkqi.piece_values``.
        OSError: The dataset cannot be read, or was changed meanwhile, or a file cannot be written.
        KeyboardInterrupt: Ctrl-C.
    """
    cluster = Cluster(threads, task_options, progress)
    path = _darkqi.absolute(path)
    work = partial(_darkqi.piece_values_part, path, positions=positions, threads=threads)
    with cluster.of_dataset(path, work, shards_per_task) as results:

        def ask(question: bytes) -> list[bytes]:
            rows = [results.kept[place] for place in sorted(results.kept)]
            work = partial(_darkqi.answer_about_rows, question=question, threads=threads)
            with contextlib.closing(cluster.run(work, rows, ordered=True)) as answers:
                return list(in_order(answers))

        parts = in_order(results)
        return _darkqi.add_piece_values(path, parts, ask, positions, output, weights)


def verify(
    path: _Path,
    *,
    threads: int = 1,
    shards_per_task: int | None = None,
    task_options: Mapping[str, Any] | None = None,
    progress: bool = False,
) -> Verification:
    """Checks a dataset on the cluster, as ``darkqi.verify`` does.

    A task checks the files of some shards and replays their games. This process checks
    ``dataset.json``, copies of agents' files and ``observations/*.parquet``.

    Args:
        path: The dataset's folder, which all nodes see under this path, or its URL in object
            storage.
        threads: Number of threads of a task, and of CPUs that Ray reserves for it.
        shards_per_task: Number of shards that a task checks, at least 1; None for a quarter of
            what a CPU would get, at most 16.
        task_options: Options of Ray for each task, such as ``{"resources": {"fast": 1}}``.
        progress: Whether to show the progress of the whole cluster on standard error, if that is a
            terminal.

    Returns:
        The ``Verification``.

    Raises:
        ValueError: The game or an option of the dataset does not exist.
        OSError: There is no dataset, ``dataset.json`` cannot be parsed, or a writer changed it
            meanwhile.
        KeyboardInterrupt: Ctrl-C.
    """
    cluster = Cluster(threads, task_options, progress)
    path = _darkqi.absolute(path)
    work = partial(_darkqi.verify_part, path, threads=threads)
    with cluster.of_dataset(path, work, shards_per_task) as results:
        return _darkqi.add_verification(path, in_order(results), threads)


def train(
    settings: training.Settings,
    out: _Path,
    *,
    threads: int = 1,
    shard_games: int = 100,
    shards_per_task: int = 1,
    task_options: Mapping[str, Any] | None = None,
    learner_options: Mapping[str, Any] | None = None,
    report: Callable[[str], None] = print,
) -> Path | None:
    """Trains a value net on the cluster, as ``darkqi.train.train`` does.

    All nodes play the games and the matches, and one task fits the nets. With ``settings.overlap``
    the games of a generation are played while the net of the one before is fitted and matched.
    The nets are those of one machine with as many threads for the fit, on the same processor and
    with the same version of PyTorch. Each dataset names the net that played it and has a copy of
    its file, by its digest; a node that finds another file in its place plays nothing.

    Args:
        settings: The settings of the run.
        out: The folder of the run, which all nodes see under this path. It is created.
        threads: Number of threads of a task that plays, and of CPUs that Ray reserves for it.
        shard_games: As in ``darkqi.ray.selfplay``.
        shards_per_task: As in ``darkqi.ray.selfplay``.
        task_options: Options of Ray for each task that plays, such as
            ``{"resources": {"player": 0.1}}``.
        learner_options: Options of Ray for the task that fits, such as
            ``{"num_gpus": 1, "num_cpus": 4}``. ``num_cpus``, 1 unless given, is also the number of
            its threads. Its node needs PyTorch and safetensors: ``pip install 'darkqi[train]'``.
        report: A function that is called with lines about the progress.

    Returns:
        The file of the last net that was accepted; None if none was.

    Raises:
        ValueError: The settings cannot be used, or ``out`` holds a run with others.
        ImportError: PyTorch or safetensors is missing where nets are fitted.
        OSError: A file cannot be read or written.
        KeyboardInterrupt: Ctrl-C. Finished shards and matches stay, and the same call resumes.
    """
    folder = _folder(out)
    # Checks `threads`, and connects to a cluster.
    Cluster(threads, task_options, False)
    common: dict[str, Any] = {"threads": threads, "task_options": task_options}
    steps = OnCluster(
        partial(selfplay, shard_games=shard_games, shards_per_task=shards_per_task, **common),
        partial(arena, **common),
        learner_options,
        report,
    )
    if settings.start not in ("none", "built-in"):
        settings = settings._replace(start=str(Path(settings.start).absolute()))
    with steps.cancelled_at_the_end():
        return training.run(settings, folder, steps, report)


def _folder(out: _Path) -> Path:
    """Returns the absolute path of a folder that all nodes see."""
    path = _darkqi.absolute(out)
    if isinstance(path, str):
        raise ValueError(f"out: expected a folder that all nodes see, got {path}")
    return path


# What tasks do beside calls of one part, each for the range [first, end) of shards.


def _play_shards(
    name: str,
    path: str | Path,
    games: SupportsIndex,
    threads: int,
    settings: dict[str, Any],
    shards: Range,
) -> bytes:
    found, sound = _darkqi.survey_shards(path, shards, threads)
    missing = shards[1] - shards[0]
    if sound < missing:
        darkqi.selfplay(name, path, games, threads=threads, shards=shards, **settings)
        found, sound = _darkqi.survey_shards(path, shards, threads)
    if sound < missing:
        raise OSError(f"{path}: shards {shards} were written, but are missing or damaged there")
    return found


def _play_match(name: str, agents: Any, settings: dict[str, Any], shards: Range) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "match")
        darkqi.arena(name, agents, out=path, shards=shards, **settings)
        files = [file for file in path.rglob("*") if file.is_file()]
        return pickle.dumps({str(file.relative_to(path)): file.read_bytes() for file in files})


def _refuse(options: Mapping[str, Any], *names: str) -> None:
    """Raises ValueError for options that a cluster sets itself or has no use for."""
    for name in names:
        if name in options:
            raise ValueError(f"{name}: expected no such option on a cluster")


def _files(shard: int) -> list[str]:
    """Returns the files of a shard, in the order in which they are written."""
    return [f"plies/{shard:05}.parquet", f"games/{shard:05}.parquet"]


def _add_files(path: Path, files: dict[str, bytes]) -> None:
    """Adds the files of a task to the dataset of a match.

    Its description comes first, so that there are no shards without one.
    """
    names = sorted(files, key=lambda name: (name != "dataset.json", not name.startswith("plies/")))
    for name in names:
        file = path / name
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            with replacing(file) as temporary:
                temporary.write_bytes(files[name])
