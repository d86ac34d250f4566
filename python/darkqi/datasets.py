"""Datasets of self-play: tables for polars and Arrow, rows to train on for numpy.

>>> import darkqi.datasets
>>> dataset = darkqi.datasets.load("data/jieqi")                   # doctest: +SKIP
>>> dataset.games.group_by("reason").len().collect()               # doctest: +SKIP
>>> for batch in dataset.batches(4096, seed=0, epoch=0):           # doctest: +SKIP
...     train(batch.observation, batch.action_mask, batch.action, batch.reward)
"""

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from darkqi._darkqi import DatasetFolder, Sampler, Spec
from darkqi._records import LoggedGame, Metadata

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
    import pyarrow.dataset

__all__ = ["Batch", "Dataset", "LoggedGame", "Metadata", "load"]

Table: TypeAlias = Literal["games", "plies"]
Observation: TypeAlias = Literal["planes", "tokens"]


class Batch(NamedTuple):
    """Rows to train on, one per ply: N of them, of a game with A actions.

    (C, H, W) and T are shapes of the `Spec`.
    """

    observation: NDArray[np.uint8]
    """What the mover saw, turned to its side: shape (N, C, H, W), or (N, T) as tokens."""
    action_mask: NDArray[np.bool_]
    """Its legal actions: shape (N, A)."""
    action: NDArray[np.int64]
    """The action it played: shape (N,)."""
    player: NDArray[np.int8]
    """Its seat: shape (N,)."""
    reward: NDArray[np.float32]
    """What that seat got at the end of the game, the target of a value head: shape (N,)."""
    legal_count: NDArray[np.uint16]
    """How many legal actions it had: shape (N,)."""
    game_id: NDArray[np.uint64]
    """The game: shape (N,)."""
    ply: NDArray[np.uint16]
    """The ply within the game, from 0: shape (N,)."""

    @classmethod
    def empty(cls, spec: Spec, rows: int, observation: Observation = "planes") -> Self:
        """Make arrays for so many rows, which hold anything until they are written."""
        shape = spec.observation_shape if observation == "planes" else spec.token_shape
        return cls(
            np.empty((rows, *shape), np.uint8),
            np.empty((rows, spec.num_actions), np.bool_),
            np.empty(rows, np.int64),
            np.empty(rows, np.int8),
            np.empty(rows, np.float32),
            np.empty(rows, np.uint16),
            np.empty(rows, np.uint64),
            np.empty(rows, np.uint16),
        )

    def head(self, rows: int) -> "Batch":
        """Return the first rows: views of the same memory."""
        return Batch._make(column[:rows] for column in self)


class Dataset:
    """A dataset of self-play: the shards that were finished when it was opened.

    A dataset is a folder of Parquet files; only those that its `dataset.json` lists are read, which
    are complete. Open it again to see shards that were added since.

    Args:
        path: The dataset's folder.

    Raises:
        FileNotFoundError: There is no such folder, or a listed file is missing.
        OSError: The folder holds no dataset, or one of another schema version.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        """See the class."""
        self.path = Path(path)
        """The dataset's folder."""
        self._folder = DatasetFolder(path)

    @property
    def metadata(self) -> Metadata:
        """What all games have in common: game, options, seed, agents, versions."""
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
        """Number of plies, which is that of rows to train on."""
        return self._folder.num_plies

    @property
    def is_complete(self) -> bool:
        """Whether its writer has finished; else it is at work still, or was interrupted."""
        return self._folder.is_complete

    def files(self, table: Table) -> list[Path]:
        """List the finished Parquet files of a table, in the order of their games.

        Args:
            table: "games" or "plies".
        """
        return self._folder.files(table)

    @property
    def games(self) -> "pl.LazyFrame":
        """The table of games, one row each, as a polars LazyFrame.

        docs/DESIGN.md, section 6, lists the columns.

        Raises:
            ImportError: polars is missing: `pip install 'darkqi[datasets]'`.
            ValueError: No shard is finished yet.
        """
        return self._scan("games")

    @property
    def plies(self) -> "pl.LazyFrame":
        """The table of plies, one row each, in the order of the games and of play; likewise."""
        return self._scan("plies")

    def to_arrow(self, table: Table) -> "pa.Table":
        """Read a table into memory.

        Args:
            table: "games" or "plies".

        Raises:
            ImportError: pyarrow is missing: `pip install 'darkqi[datasets]'`.
            ValueError: No shard is finished yet.
        """
        return self.arrow_dataset(table).to_table()

    def arrow_dataset(self, table: Table) -> "pa.dataset.Dataset":
        """Return a table as a `pyarrow.dataset.Dataset`, which is read only when it is used.

        DuckDB, Ray and Hugging Face's `datasets` take it as it is.

        Args:
            table: "games" or "plies".

        Raises:
            ImportError: pyarrow is missing: `pip install 'darkqi[datasets]'`.
            ValueError: No shard is finished yet.
        """
        try:
            import pyarrow.dataset
        except ImportError as error:
            raise _missing("pyarrow") from error
        return pyarrow.dataset.dataset(self._some_files(table), format="parquet")

    def replays(self) -> Iterator[LoggedGame]:
        """Iterate over the games as they are logged, to play them again one by one.

        >>> for game in dataset.replays():                             # doctest: +SKIP
        ...     state = darkqi.State.from_fen("jieqi", game.deal)
        ...     for action in game.actions:
        ...         state.apply(action)

        Raises:
            OSError: A file cannot be read, or is damaged. Raised while iterating.
        """
        return self._folder.replays()

    def batches(
        self,
        batch_size: int = 4096,
        *,
        observation: Observation = "planes",
        shuffle: bool = True,
        seed: int = 0,
        epoch: int = 0,
        worker: int = 0,
        num_workers: int = 1,
        buffer_size: int = 65536,
        num_threads: int | None = None,
    ) -> Iterator[Batch]:
        """Iterate over one epoch: every ply of every game once, as rows to train on.

        Observations and masks are computed again from deals and actions, in native threads. Each
        batch is new and yours. Memory does not grow with the dataset: a shard's actions are held,
        and `buffer_size` rows in packed form.

        Shuffled, shards come in random order, their games in random order, and each ply in random
        order among `buffer_size` plies or a few more. The order depends on `seed`, `epoch` and the
        arguments from `worker` on, but for `num_threads`, and on nothing else.

        Args:
            batch_size: Rows in a batch, at least 1; the last one may have fewer.
            observation: "planes" or "tokens".
            shuffle: Whether to mix the rows; otherwise they come as they are logged.
            seed: The seed of the order, from 0 to 2**64 - 1.
            epoch: The epoch's number, from 0: each has an order of its own.
            worker: Which of `num_workers` this is, from 0: each game is one worker's.
            num_workers: How many share the epoch.
            buffer_size: Rows that are mixed with one another, at least 1.
            num_threads: Threads, at least 1; 1 for the calling one alone, None for one per core.
                Processes that were forked need 1, or more of their own: the shared threads stay
                with their parent.

        Raises:
            ValueError: An argument is out of range.
            OSError: A file cannot be read, is damaged, or holds what the rules do not give; names
                the file, its row, the game and the ply. Raised while iterating.
        """
        if batch_size < 1:
            raise ValueError(f"batch_size: expected an integer from 1, got {batch_size}")
        sampler = Sampler(
            self._folder,
            observation=observation,
            shuffle=shuffle,
            seed=seed,
            epoch=epoch,
            worker=worker,
            num_workers=num_workers,
            buffer_size=buffer_size,
            num_threads=num_threads,
        )
        return _fill(sampler, self.spec, batch_size, observation)

    def _scan(self, table: Table) -> "pl.LazyFrame":
        try:
            import polars as pl
        except ImportError as error:
            raise _missing("polars") from error
        return pl.scan_parquet(self._some_files(table))

    def _some_files(self, table: Table) -> list[Path]:
        files = self.files(table)
        if not files:
            raise ValueError(f"{self.path}: expected at least one finished shard, found none")
        return files

    def __reduce__(self) -> "tuple[type[Dataset], tuple[Path]]":
        """Pickle the path: whoever unpickles it opens the folder again."""
        return Dataset, (self.path,)

    def __repr__(self) -> str:
        """Say where it is and what it holds."""
        about = f"{self.metadata.game}, {self.num_games:,} games, {self.num_plies:,} plies"
        return f"<darkqi.datasets.Dataset {str(self.path)!r}: {about}>"


def load(path: str | PathLike[str]) -> Dataset:
    """Open a dataset, reading nothing of its tables yet.

    Args:
        path: The dataset's folder.

    Returns:
        The `Dataset`.

    Raises:
        FileNotFoundError: There is no such folder, or a listed file is missing.
        OSError: The folder holds no dataset, or one of another schema version.
    """
    return Dataset(path)


def _fill(sampler: Sampler, spec: Spec, rows: int, observation: Observation) -> Iterator[Batch]:
    while True:
        batch = Batch.empty(spec, rows, observation)
        # Bytes, since what an empty array holds need not be bools.
        arrays = batch._asdict() | {"action_mask": batch.action_mask.view(np.uint8)}
        filled = sampler.fill(**arrays)
        if filled:
            yield batch.head(filled)
        if filled < rows:
            return


def _missing(library: str) -> ImportError:
    return ImportError(f"this needs {library}: pip install 'darkqi[datasets]'")
