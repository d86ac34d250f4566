"""Datasets for PyTorch's data loaders.

>>> from torch.utils.data import DataLoader                         # doctest: +SKIP
>>> from darkqi.torch import PositionDataset                        # doctest: +SKIP
>>> dataset = PositionDataset("data/jieqi", batch_size=4096)        # doctest: +SKIP
>>> loader = DataLoader(dataset, batch_size=None, num_workers=2)    # doctest: +SKIP
"""

from collections.abc import Iterator
from os import PathLike
from typing import SupportsIndex

from darkqi import datasets
from darkqi._options import integer
from darkqi.datasets import Observation

try:
    import torch
    from torch.utils.data import IterableDataset, get_worker_info
except ImportError as error:
    raise ImportError("darkqi.torch needs PyTorch: pip install 'darkqi[torch]'") from error

__all__ = ["PositionDataset"]


class PositionDataset(IterableDataset):  # type: ignore[misc]
    """The positions of a dataset in batches: dicts of tensors.

    Each epoch yields every ply of every game once, of a dataset that does not grow meanwhile. The
    batches are made natively, so pass `batch_size=None` to a `DataLoader`. Without workers, native
    threads in the calling process make them, which is fastest. With workers, each takes a share of
    the games and one thread; their processes may be forked, spawned or started by a fork server.

    Of N rows a batch has

    - `observation` (uint8): the mover's observation, (N, C, H, W), or (N, T) as tokens;
    - `action_mask` (bool): the mover's legal actions, (N, A);
    - `action` (int64): the action played, (N,);
    - `player` (int8): the mover's seat, (N,);
    - `reward` (float32): the final reward of that seat, (N,);
    - `legal_count` (int32): the number of legal actions, (N,);
    - `game_id` (int64): the number of the game, (N,);
    - `ply` (int32): the ply within the game, from 0, (N,);
    - `value` (float32), with `targets`: the expected result of each seat, (N, P);
    - `policy` (float32), with `targets`: the probability of each action, (N, A).

    Call `set_epoch` before each epoch, as with `DistributedSampler`: the order of the rows depends
    only on the seed, the epoch and the number of workers, and otherwise repeats.

    Args:
        path: The dataset's folder.
        batch_size: Rows in a batch, at least 1. The last of each worker may have fewer.
        shuffle: Whether to mix the rows; otherwise a worker's games come in logged order.
        seed: The seed of the order, as of ``darkqi.State``.
        observation: "planes" or "tokens".
        buffer_size: Rows in the shuffle buffer of each worker, at least 1.
        drop_last: Whether to drop last batches with fewer rows.
        threads: Threads without workers, at least 1; None for one per core.
        targets: Whether batches have the logged values (NaN where there is none) and policies (all
            0 where there is none).

    Raises:
        ValueError: An argument is out of range.
        FileNotFoundError: There is no such folder, or a listed file is missing.
        OSError: The folder holds no dataset, or one of another schema version. During
            iteration: a file cannot be read, is damaged, or breaks the rules.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        batch_size: SupportsIndex = 4096,
        *,
        shuffle: bool = True,
        seed: int = 0,
        observation: Observation = "planes",
        buffer_size: int = 65536,
        drop_last: bool = False,
        threads: int | None = None,
        targets: bool = False,
    ) -> None:
        """Opens the dataset; the class describes arguments and errors."""
        self.batch_size = datasets.row_count(batch_size)
        self.shuffle = shuffle
        self.seed = seed
        self.observation: Observation = observation
        self.buffer_size = buffer_size
        self.drop_last = drop_last
        self.threads = threads
        self.targets = targets
        # Persistent workers have copies of this object but share the tensor.
        self._epoch = torch.zeros((), dtype=torch.int64).share_memory_()
        dataset = datasets.load(path)
        self.path = dataset.path
        self.metadata = dataset.metadata
        """Game, options, seed, agents and versions."""
        self.num_rows = dataset.num_plies
        """Rows in an epoch, summed over all workers."""
        # Raises for invalid arguments.
        self._batches(0, 1, threads)

    @property
    def epoch(self) -> int:
        """The epoch of the next iteration."""
        return int(self._epoch)

    def set_epoch(self, epoch: SupportsIndex) -> None:
        """Sets the epoch of later iterations, in persistent workers too.

        Args:
            epoch: The epoch's number, from 0 to `2**63 - 1`.

        Raises:
            TypeError: It is no integer.
            ValueError: It is out of range.
        """
        self._epoch.fill_(integer("epoch", epoch, 0, 2**63 - 1, "0 to 2**63 - 1"))

    def __iter__(self) -> "Iterator[dict[str, torch.Tensor]]":
        """Yields the batches of the epoch, or of the calling worker's share."""
        info = get_worker_info()
        if info is None:
            batches = self._batches(0, 1, self.threads)
        else:
            # There are as many workers as the caller wants to use cores.
            batches = self._batches(info.id, info.num_workers, 1)
        for batch in batches:
            if len(batch.action) == self.batch_size or not self.drop_last:
                yield _to_dict(batch)

    def _batches(
        self, worker: int, num_workers: int, threads: int | None
    ) -> Iterator[datasets.Batch]:
        return datasets.load(self.path).batches(
            self.batch_size,
            observation=self.observation,
            shuffle=self.shuffle,
            seed=self.seed,
            epoch=self.epoch,
            worker=worker,
            num_workers=num_workers,
            buffer_size=self.buffer_size,
            threads=threads,
            targets=self.targets,
        )


def _to_dict(batch: datasets.Batch) -> "dict[str, torch.Tensor]":
    """Returns tensors by name, and converts unsigned dtypes that PyTorch barely supports."""
    columns = {
        name: torch.from_numpy(column)
        for name, column in batch._asdict().items()
        if column is not None
    }
    columns["legal_count"] = columns["legal_count"].to(torch.int32)
    columns["game_id"] = columns["game_id"].view(torch.int64)
    columns["ply"] = columns["ply"].to(torch.int32)
    return columns
