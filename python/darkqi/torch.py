"""Datasets as PyTorch's data loaders take them.

>>> from torch.utils.data import DataLoader                         # doctest: +SKIP
>>> from darkqi.torch import PositionDataset                        # doctest: +SKIP
>>> dataset = PositionDataset("data/jieqi", batch_size=4096)        # doctest: +SKIP
>>> loader = DataLoader(dataset, batch_size=None, num_workers=2)    # doctest: +SKIP
"""

from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from darkqi import datasets
from darkqi._darkqi import DatasetFolder, Sampler, Spec

try:
    import torch
    from torch.utils.data import IterableDataset, get_worker_info
except ImportError as error:
    raise ImportError("darkqi.torch needs PyTorch: pip install 'darkqi[torch]'") from error

__all__ = ["PositionDataset"]


class PositionDataset(IterableDataset):  # type: ignore[misc]
    """The positions of a dataset in batches: dicts of tensors.

    Each epoch gives every ply of every game once. The batches are made natively, so a `DataLoader`
    must not make batches of them: give it `batch_size=None`. Without workers they are made by
    native threads in the calling process, which is the fastest way. Workers share the games among
    themselves; their processes may be forked or spawned, and each works with one thread.

    ========================  =======  ============================================================
    key                       dtype    what it holds, N rows
    ========================  =======  ============================================================
    ``observation``           uint8    what the mover saw: (N, C, H, W), or (N, T) as tokens
    ``action_mask``           bool     its legal actions: (N, A)
    ``action``                int64    the action it played: (N,)
    ``player``                int8     its seat: (N,)
    ``reward``                float32  what that seat got at the end of the game: (N,)
    ``legal_count``           int32    how many legal actions it had: (N,)
    ``game_id``               int64    the game: (N,)
    ``ply``                   int32    the ply within the game, from 0: (N,)
    ========================  =======  ============================================================

    Say `set_epoch` before each epoch, as with `DistributedSampler`: the order of the rows follows
    from the seed and the epoch alone, given the number of workers, and is else the same each time.

    Args:
        path: The dataset's folder.
        batch_size: Rows in a batch, at least 1. The last of each worker may have fewer.
        shuffle: Whether to mix the rows; otherwise a worker's games come as they are logged.
        seed: The seed of the order, from 0 to 2**64 - 1.
        observation: "planes" or "tokens".
        buffer_size: Rows that each worker mixes with one another, at least 1.
        drop_last: Whether to leave out last batches that have fewer rows.
        num_threads: Threads without workers, at least 1; None for one per core.

    Raises:
        ValueError: An argument is out of range.
        FileNotFoundError: There is no such folder, or a listed file is missing.
        OSError: The folder holds no dataset, or one of another schema version. While iterating:
            a file cannot be read, is damaged, or holds what the rules do not give.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        batch_size: int = 4096,
        *,
        shuffle: bool = True,
        seed: int = 0,
        observation: datasets.Observation = "planes",
        buffer_size: int = 65536,
        drop_last: bool = False,
        num_threads: int | None = None,
    ) -> None:
        """See the class."""
        if batch_size < 1:
            raise ValueError(f"batch_size: expected an integer from 1, got {batch_size}")
        self.path = Path(path)
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.seed = seed
        self.observation: datasets.Observation = observation
        self.buffer_size = buffer_size
        self.drop_last = drop_last
        self.num_threads = num_threads
        # Workers that outlive an epoch have copies of this object; the tensor they share.
        self._epoch = torch.zeros((), dtype=torch.int64).share_memory_()
        folder = DatasetFolder(path)
        self.metadata = folder.metadata
        """What all games of the dataset have in common."""
        self.num_rows = folder.num_plies
        """Rows in an epoch, those of all workers together."""
        # Says now what is wrong with the arguments.
        self._sampler(folder, 0, 1, num_threads)

    @property
    def epoch(self) -> int:
        """The epoch that is read when the dataset is next iterated over."""
        return int(self._epoch)

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of the rows from the next iteration on, in workers that live on too.

        Args:
            epoch: The epoch's number, from 0.
        """
        if epoch < 0:
            raise ValueError(f"epoch: expected an integer from 0, got {epoch}")
        self._epoch.fill_(epoch)

    def __iter__(self) -> "Iterator[dict[str, torch.Tensor]]":
        """Read the epoch, or the share of the worker that this is called in."""
        info = get_worker_info()
        folder = DatasetFolder(self.path)
        if info is None:
            sampler = self._sampler(folder, 0, 1, self.num_threads)
        else:
            # The threads of a parent do not survive a fork.
            sampler = self._sampler(folder, info.id, info.num_workers, 1)
        spec, filled = folder.spec, self.batch_size
        while filled == self.batch_size:
            columns = self._room(spec)
            filled = sampler.fill(*(column.numpy() for column in columns))
            if filled == self.batch_size:
                yield _named(columns)
            elif filled and not self.drop_last:
                yield _named([column[:filled] for column in columns])

    def _sampler(
        self, folder: DatasetFolder, worker: int, num_workers: int, num_threads: int | None
    ) -> Sampler:
        return Sampler(
            folder,
            observation=self.observation,
            shuffle=self.shuffle,
            seed=self.seed,
            epoch=self.epoch,
            worker=worker,
            num_workers=num_workers,
            buffer_size=self.buffer_size,
            num_threads=num_threads,
        )

    def _room(self, spec: Spec) -> "list[torch.Tensor]":
        """Make the tensors of a batch, as the sampler writes them."""
        rows = self.batch_size
        shape = spec.observation_shape if self.observation == "planes" else spec.token_shape
        return [
            torch.empty((rows, *shape), dtype=torch.uint8),
            torch.empty((rows, spec.num_actions), dtype=torch.uint8),
            torch.empty(rows, dtype=torch.int64),
            torch.empty(rows, dtype=torch.int8),
            torch.empty(rows, dtype=torch.float32),
            torch.empty(rows, dtype=torch.uint16),
            torch.empty(rows, dtype=torch.uint64),
            torch.empty(rows, dtype=torch.uint16),
        ]


def _named(columns: "list[torch.Tensor]") -> "dict[str, torch.Tensor]":
    """Name a batch's columns, in dtypes that PyTorch computes with: it knows few unsigned ones."""
    batch = dict(zip(datasets.Batch._fields, columns, strict=True))
    batch["action_mask"] = batch["action_mask"].view(torch.bool)
    batch["legal_count"] = batch["legal_count"].to(torch.int32)
    batch["game_id"] = batch["game_id"].view(torch.int64)
    batch["ply"] = batch["ply"].to(torch.int32)
    return batch
