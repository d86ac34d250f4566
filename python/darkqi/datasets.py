"""Datasets of self-play: tables for polars and Arrow, training rows for numpy.

>>> import darkqi.datasets
>>> dataset = darkqi.datasets.load("data/jieqi")                   # doctest: +SKIP
>>> dataset.games.group_by("reason").len().collect()               # doctest: +SKIP
>>> for batch in dataset.batches(4096, seed=0, epoch=0):           # doctest: +SKIP
...     train(batch.observation, batch.action_mask, batch.action, batch.reward)
"""

import functools
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

from darkqi._darkqi import DatasetFolder, Sampler, Spec
from darkqi._options import integer, row_shape
from darkqi._records import LoggedGame, Metadata

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
    import pyarrow.dataset

__all__ = ["Batch", "Dataset", "LoggedGame", "Metadata", "load"]

Table: TypeAlias = Literal["games", "plies"]
Observation: TypeAlias = Literal["planes", "tokens"]

_MAX_ROWS = 2**31 - 1


class Batch(NamedTuple):
    """Training rows, one per ply."""

    observation: NDArray[np.uint8]
    """The mover's observation, from its side: shape (N, C, H, W), or (N, T) as tokens."""
    action_mask: NDArray[np.bool_]
    """The mover's legal actions: shape (N, A)."""
    action: NDArray[np.int64]
    """The action played: shape (N,)."""
    player: NDArray[np.int8]
    """The mover's seat: shape (N,)."""
    reward: NDArray[np.float32]
    """The final reward of that seat, the target of a value head: shape (N,)."""
    legal_count: NDArray[np.uint16]
    """The number of legal actions: shape (N,)."""
    game_id: NDArray[np.uint64]
    """The number of the game: shape (N,)."""
    ply: NDArray[np.uint16]
    """The ply within the game, from 0: shape (N,)."""
    value: NDArray[np.float32] | None
    """The result of each seat that the mover expected: shape (N, P), NaN where none is logged. None
    without ``targets``."""
    policy: NDArray[np.float32] | None
    """The probability of each action by the mover: shape (N, A), all 0 where none is logged. None
    without ``targets``."""

    @classmethod
    def empty(
        cls, spec: Spec, rows: int, observation: Observation = "planes", targets: bool = False
    ) -> Self:
        """Allocates uninitialised arrays for a number of rows."""
        shape = row_shape(spec, observation)
        return cls(
            np.empty((rows, *shape), np.uint8),
            np.empty((rows, spec.num_actions), np.bool_),
            np.empty(rows, np.int64),
            np.empty(rows, np.int8),
            np.empty(rows, np.float32),
            np.empty(rows, np.uint16),
            np.empty(rows, np.uint64),
            np.empty(rows, np.uint16),
            np.empty((rows, spec.num_players), np.float32) if targets else None,
            np.empty((rows, spec.num_actions), np.float32) if targets else None,
        )

    def head(self, rows: int) -> "Batch":
        """Returns the first rows, as views of the same memory."""
        return Batch._make(None if column is None else column[:rows] for column in self)


class Dataset:
    """A dataset of self-play: the shards that were finished when it was opened.

    A dataset is a folder of Parquet files. Only files listed in its `dataset.json` are read; these
    are complete. Open it again to see newer shards.

    Args:
        path: The dataset's folder, or its URL in object storage.

    Raises:
        FileNotFoundError: There is no such folder, or a listed file is missing.
        OSError: The folder holds no dataset, or one of another schema version.
        ValueError: The URL is not one of object storage.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        """Opens the folder; the class describes argument and errors."""
        self._folder = DatasetFolder(path)
        self.path = self._folder.path
        """The dataset's folder, or its URL as a `str`."""

    @property
    def metadata(self) -> Metadata:
        """Game, options, seed, agents and versions, common to all games."""
        return self._folder.metadata

    @property
    def spec(self) -> Spec:
        """The game with its options: shapes and names."""
        return self._folder.spec

    @property
    def num_games(self) -> int:
        """Number of games."""
        return self._folder.num_games

    @property
    def num_plies(self) -> int:
        """Number of plies, which is the number of training rows."""
        return self._folder.num_plies

    @property
    def is_complete(self) -> bool:
        """Whether the writer has finished; False while it works or after an interruption."""
        return self._folder.is_complete

    def files(self, table: Table) -> list[Path] | list[str]:
        """Lists the finished Parquet files of a table, in the order of their games.

        In object storage they are URLs.

        Args:
            table: "games" or "plies".
        """
        return self._folder.files(table)

    @property
    def games(self) -> "pl.LazyFrame":
        """The table of games, one row each, as a polars LazyFrame.

        docs/datasets.md lists the columns.

        Raises:
            ImportError: polars is missing: `pip install 'darkqi[datasets]'`.
            ValueError: No shard is finished yet.
        """
        return self._scan("games")

    @property
    def plies(self) -> "pl.LazyFrame":
        """The table of plies, one row each, ordered by game and ply; errors as for `games`."""
        return self._scan("plies")

    def to_arrow(self, table: Table) -> "pa.Table":
        """Reads a table into memory.

        Args:
            table: "games" or "plies".

        Returns:
            The table, as a `pyarrow.Table`.

        Raises:
            ImportError: pyarrow is missing: `pip install 'darkqi[datasets]'`.
            ValueError: No shard is finished yet.
        """
        return self.arrow_dataset(table).to_table()

    def arrow_dataset(self, table: Table) -> "pa.dataset.Dataset":
        """Returns a table as a `pyarrow.dataset.Dataset`, which is read lazily.

        DuckDB, Ray and Hugging Face's `datasets` accept it.

        Args:
            table: "games" or "plies".

        Raises:
            ImportError: pyarrow is missing: `pip install 'darkqi[datasets]'`.
            ValueError: No shard is finished yet.
        """
        try:
            import pyarrow.dataset
            import pyarrow.fs
        except ImportError as error:
            raise _missing_dependency("pyarrow") from error
        files = self._finished_files(table)
        if isinstance(self.path, Path):
            return pyarrow.dataset.dataset(files, format="parquet")
        filesystem, _ = pyarrow.fs.FileSystem.from_uri(self.path)
        paths = [str(file).split("://", 1)[1] for file in files]
        return pyarrow.dataset.dataset(paths, format="parquet", filesystem=filesystem)

    def replays(self) -> Iterator[LoggedGame]:
        """Iterates over the logged games, for replays one by one.

        >>> for game in dataset.replays():                             # doctest: +SKIP
        ...     state = darkqi.State.from_fen("jieqi", game.deal)
        ...     for action in game.actions:
        ...         state.apply(action)

        Raises:
            OSError: A file cannot be read, or is damaged. Raised during iteration.
        """
        return self._folder.replays()

    def batches(
        self,
        batch_size: SupportsIndex = 4096,
        *,
        observation: Observation = "planes",
        shuffle: bool = True,
        seed: int = 0,
        epoch: int = 0,
        worker: int = 0,
        num_workers: int = 1,
        buffer_size: int = 65536,
        threads: int | None = None,
        targets: bool = False,
    ) -> Iterator[Batch]:
        """Iterates over one epoch: every ply of every game once, as training rows.

        Observations and masks are recomputed from deals and actions, in native threads. Each batch
        has new arrays. Memory does not grow with the dataset: it holds a shard's actions and
        `buffer_size` packed rows.

        With `shuffle`, shards and their games come in random order, and plies are mixed in a buffer
        of `buffer_size` plies or a few more. The order depends only on `seed`, `epoch`, `worker`,
        `num_workers` and `buffer_size`.

        Args:
            batch_size: Rows in a batch, at least 1; the last one may have fewer.
            observation: "planes" or "tokens".
            shuffle: Whether to mix the rows; otherwise they come in logged order.
            seed: The seed of the order, as of `darkqi.State`.
            epoch: The epoch number, from 0; each epoch has its own order.
            worker: The index of this worker, from 0; each game belongs to one worker.
            num_workers: Number of workers that share the epoch.
            buffer_size: Rows in the shuffle buffer, at least 1.
            threads: Threads, at least 1; 1 uses only the calling thread, None one per core. A
                process that is forked during the iteration continues with its calling thread alone.
            targets: Whether batches have the logged values and policies.

        Raises:
            ValueError: An argument is out of range.
            OSError: A file cannot be read, is damaged, or breaks the rules; the message names the
                file, row, game and ply. Raised during iteration.
            KeyboardInterrupt: Ctrl-C during iteration. The epoch is over then.
        """
        rows = row_count(batch_size)
        sampler = Sampler(
            self._folder,
            observation=observation,
            shuffle=shuffle,
            seed=seed,
            epoch=epoch,
            worker=worker,
            num_workers=num_workers,
            buffer_size=buffer_size,
            targets=targets,
            threads=threads,
        )
        empty = functools.partial(Batch.empty, self.spec, rows, observation, targets)
        return _Epoch(sampler, empty, rows)

    def _scan(self, table: Table) -> "pl.LazyFrame":
        try:
            import polars as pl
        except ImportError as error:
            raise _missing_dependency("polars") from error
        # These are names, even where a folder's has brackets or a star.
        return pl.scan_parquet(self._finished_files(table), glob=False)

    def _finished_files(self, table: Table) -> list[Path] | list[str]:
        files = self.files(table)
        if not files:
            raise ValueError(f"{self.path}: expected at least one finished shard, found none")
        return files

    def __reduce__(self) -> "tuple[type[Dataset], tuple[Path | str]]":
        """Pickles the path; unpickling opens the folder again."""
        return Dataset, (self.path,)

    def __repr__(self) -> str:
        """Returns path, game and sizes."""
        about = f"{self.metadata.game}, {self.num_games:,} games, {self.num_plies:,} plies"
        return f"<darkqi.datasets.Dataset {str(self.path)!r}: {about}>"


def load(path: str | PathLike[str]) -> Dataset:
    """Opens a dataset without reading its tables.

    Args:
        path: The dataset's folder.

    Returns:
        The `Dataset`.

    Raises:
        FileNotFoundError: There is no such folder, or a listed file is missing.
        OSError: The folder holds no dataset, or one of another schema version.
    """
    return Dataset(path)


def row_count(batch_size: SupportsIndex) -> int:
    """Returns the argument `batch_size` as an integer.

    Raises:
        TypeError: It is no integer.
        ValueError: It is out of range.
    """
    return integer("batch_size", batch_size, 1, _MAX_ROWS)


class _Epoch(Iterator[Batch]):
    """The batches of one epoch. Its sampler says what to do where it is pickled or copied."""

    def __init__(self, sampler: Sampler, empty: Callable[[], Batch], rows: int) -> None:
        self._sampler = sampler
        self._empty = empty
        self._rows = rows
        self._is_over = False

    def __next__(self) -> Batch:
        if self._is_over:
            raise StopIteration
        batch = self._empty()
        # As bytes: uninitialised memory may hold values that are not valid bools.
        arrays = batch._asdict() | {"action_mask": batch.action_mask.view(np.uint8)}
        try:
            filled = self._sampler.fill(**arrays)
        except BaseException as error:
            # Where another thread reads the epoch, it goes on.
            self._is_over |= not isinstance(error, RuntimeError)
            raise
        self._is_over |= filled < self._rows
        if not filled:
            raise StopIteration
        return batch.head(filled)

    def __reduce__(self) -> Any:
        """Raises TypeError, as the sampler does."""
        return self._sampler.__reduce__()


def _missing_dependency(library: str) -> ImportError:
    return ImportError(f"this needs {library}: pip install 'darkqi[datasets]'")
