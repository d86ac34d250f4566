"""Fits value nets by PyTorch and writes them as safetensors.

``darkqi.train`` imports it once it has found both.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import save_file
from torch import Tensor, nn

from darkqi import _darkqi
from darkqi._files import replacing
from darkqi._records import ValuePositions
from darkqi.train import Settings

# What 1.0 is in the integers of a file: of units, and of the weights of the last two layers.
_ONE = 128
_SCALE = 256

_MIDDLE_UNITS = 16
_BATCH = 4096
_LEARNING_RATE = 2e-3

# One position in 20, the last ones, is held out to measure the fit.
_VALIDATION = 20


class _Part(NamedTuple):
    """Positions as tensors, all on the same device."""

    teams: int
    inputs: Tensor
    ends: Tensor
    logits: Tensor
    fading: Tensor
    targets: Tensor


def fit(
    datasets: Sequence[Path],
    path: Path,
    settings: Settings,
    threads: int | None,
    report: Callable[[str], None],
) -> dict[str, float]:
    """Fits a net to datasets and writes it.

    Args:
        datasets: The folders of the datasets.
        path: The file to write.
        settings: Those of the run, but with the seed of the fit.
        threads: Number of threads, None for one per core.
        report: What is called with a line per epoch.

    Returns:
        The numbers of positions, and mean squared errors on positions left aside: of the linear
        evaluation alone, with the net, and with the net in integers.

    Raises:
        ValueError: There are too few positions.
    """
    if threads is not None:
        torch.set_num_threads(threads)
    torch.manual_seed(settings.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    samples = [
        _darkqi.value_positions(
            dataset, seed=settings.seed, adjudicate=settings.adjudicate, threads=threads
        )
        for dataset in datasets
    ]
    parts = [_tensors(sample, settings.result_weight, device) for sample in samples]
    first = samples[0]
    count = sum(len(part.ends) for part in parts)
    if count < _VALIDATION * 2:
        raise ValueError(f"expected at least {2 * _VALIDATION} positions to fit to, found {count}")
    positions = _join(parts)
    reflections = torch.from_numpy(first.reflections.astype(np.int64)).to(device)
    net = _Net(first, settings.units).to(device)
    # Positions of a game stand together: at most one game is on both sides.
    kept = count - count // _VALIDATION
    optimizer = torch.optim.AdamW(net.parameters(), lr=_LEARNING_RATE, weight_decay=settings.decay)
    steps = settings.epochs * ((kept + _BATCH - 1) // _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _LEARNING_RATE, total_steps=steps)
    errors = {"positions": float(kept), "held_out": float(count - kept)}
    errors["linear"] = _error(None, positions, kept, count)
    begun = time.monotonic()
    for epoch in range(1, settings.epochs + 1):
        order = torch.randperm(kept, device=device)
        total = 0.0
        for start in range(0, kept, _BATCH):
            rows = order[start : start + _BATCH]
            inputs, starts = _bags(positions, rows)
            reflection = int(torch.randint(len(reflections), ()))
            if reflection:
                inputs = reflections[reflection][inputs]
            output = net(inputs, starts)
            loss = _squared(output, positions, rows).mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            total += float(loss.detach()) * len(rows)
        errors["net"] = _error(net, positions, kept, count)
        report(
            f"epoch {epoch}: error {total / kept:.5f}, held out {errors['net']:.5f} "
            f"(linear {errors['linear']:.5f}), {time.monotonic() - begun:.0f} s"
        )
    tensors = net.integers()
    errors["integers"] = _error(_Integers(tensors, device), positions, kept, count)
    _save(path, settings.game, tensors)
    return errors


def _tensors(sample: ValuePositions, result_weight: float, device: torch.device) -> _Part:
    """Moves positions to a device, with what the net should say of them."""
    ends = np.append(sample.starts[1:], len(sample.inputs)).astype(np.int64)
    targets = (1 - result_weight) * sample.values + result_weight * sample.results
    return _Part(
        sample.teams,
        *(
            torch.from_numpy(array).to(device)
            for array in (
                sample.inputs.view(np.int32),
                ends,
                sample.logits,
                sample.fading,
                targets.astype(np.float32),
            )
        ),
    )


def _join(parts: Sequence[_Part]) -> _Part:
    """Joins the positions of datasets, one dataset after another."""
    if len(parts) == 1:
        return parts[0]
    begun = np.cumsum([0, *(len(part.inputs) for part in parts)])
    return _Part(
        parts[0].teams,
        torch.cat([part.inputs for part in parts]),
        torch.cat([part.ends + int(start) for part, start in zip(parts, begun, strict=False)]),
        torch.cat([part.logits for part in parts]),
        torch.cat([part.fading for part in parts]),
        torch.cat([part.targets for part in parts]),
    )


def _bags(positions: _Part, rows: Tensor) -> tuple[Tensor, Tensor]:
    """The inputs of some positions one after another, and where those of each begin."""
    ends = positions.ends[rows]
    first = torch.where(rows > 0, positions.ends[(rows - 1).clamp(min=0)], 0)
    lengths = ends - first
    starts = torch.cumsum(lengths, 0) - lengths
    places = torch.arange(int(lengths.sum()), device=rows.device)
    places += torch.repeat_interleave(first - starts, lengths)
    return positions.inputs[places].long(), starts


def _squared(output: Tensor, positions: _Part, rows: Tensor) -> Tensor:
    """The squared errors of expected results."""
    teams, half_odds = positions.teams, positions.logits[rows] + output
    shared = (teams - 2 + teams * half_odds.tanh()) / (2 * teams - 2)
    expected = positions.fading[rows] * shared
    return (expected - positions.targets[rows]) ** 2


def _error(net: Any, positions: _Part, begin: int, end: int) -> float:
    """The mean squared error on a range of positions; of the linear evaluation without a net."""
    total = 0.0
    with torch.no_grad():
        for start in range(begin, end, _BATCH):
            rows = torch.arange(start, min(start + _BATCH, end), device=positions.ends.device)
            output = torch.zeros(len(rows), device=rows.device)
            if net is not None:
                output = net(*_bags(positions, rows))
            total += float(_squared(output, positions, rows).sum())
    return total / (end - begin)


class _Net(nn.Module):  # type: ignore[misc]
    """The net while it is fitted, in floating point.

    Beside its own row, an input of a square has the row of its piece, which all squares share: what
    is seen of a piece on one square is learnt for all. A file has their sums.
    """

    pieces: Tensor

    def __init__(self, sample: ValuePositions, units: int) -> None:
        super().__init__()
        inputs, on_squares = sample.input_count, sample.squares * sample.pieces
        self.rows = nn.Parameter(torch.randn(inputs, units) * 0.02)
        self.piece_rows = nn.Parameter(torch.randn(sample.pieces, units) * 0.05)
        self.bias = nn.Parameter(torch.full((units,), 0.3))
        self.skip = nn.Parameter(torch.zeros(inputs))
        self.piece_skip = nn.Parameter(torch.zeros(sample.pieces))
        self.middle = nn.Parameter(torch.randn(_MIDDLE_UNITS, units) / units**0.5)
        self.middle_bias = nn.Parameter(torch.full((_MIDDLE_UNITS,), 0.2))
        self.output = nn.Parameter(torch.randn(_MIDDLE_UNITS) * 0.05)
        self.output_bias = nn.Parameter(torch.zeros(1))
        self.register_buffer("pieces", torch.arange(on_squares) % sample.pieces)

    def tables(self) -> tuple[Tensor, Tensor]:
        """The rows and the skip weights of all inputs."""
        count = len(self.pieces)
        rows = torch.cat([self.rows[:count] + self.piece_rows[self.pieces], self.rows[count:]])
        skip = torch.cat([self.skip[:count] + self.piece_skip[self.pieces], self.skip[count:]])
        return rows, skip

    def forward(self, inputs: Tensor, starts: Tensor) -> Tensor:
        rows, skip = self.tables()
        table = torch.cat([rows, skip[:, None]], 1)
        sums = nn.functional.embedding_bag(inputs, table, starts, mode="sum")
        units = (sums[:, :-1] + self.bias).clamp(0, 1)
        middle = (units @ self.middle.T + self.middle_bias).clamp(0, 1)
        return middle @ self.output + self.output_bias + sums[:, -1]

    def integers(self) -> dict[str, NDArray[Any]]:
        """The tensors of the file."""
        rows, skip = self.tables()

        def rounded(tensor: Any, scale: int, dtype: type) -> NDArray[Any]:
            limits = np.iinfo(dtype)
            array = np.asarray(tensor.detach().cpu().double().numpy() * scale).round()
            clipped: NDArray[Any] = np.clip(array, limits.min, limits.max).astype(dtype)
            return clipped

        return {
            "embedding": rounded(rows, _ONE, np.int16),
            "embedding.bias": rounded(self.bias, _ONE, np.int16),
            "skip": rounded(skip, _ONE * _SCALE, np.int32),
            "middle": rounded(self.middle, _SCALE, np.int16),
            "middle.bias": rounded(self.middle_bias, _ONE * _SCALE, np.int32),
            "output": rounded(self.output, _SCALE, np.int16),
            "output.bias": rounded(self.output_bias, _ONE * _SCALE, np.int32),
        }


class _Integers:
    """A net of integers, computed as the search does."""

    def __init__(self, tensors: dict[str, NDArray[Any]], device: torch.device) -> None:
        # In double precision these integers are exact.
        self.tensors = {
            name: torch.from_numpy(array.astype(np.float64)).to(device)
            for name, array in tensors.items()
        }

    def __call__(self, inputs: Tensor, starts: Tensor) -> Tensor:
        tensors = self.tensors
        table = torch.cat([tensors["embedding"], tensors["skip"][:, None]], 1)
        sums = nn.functional.embedding_bag(inputs, table, starts, mode="sum")
        units = (sums[:, :-1] + tensors["embedding.bias"]).clamp(0, _ONE)
        products = units @ tensors["middle"].T + tensors["middle.bias"]
        middle = ((products + _SCALE // 2) / _SCALE).floor().clamp(0, _ONE)
        output = middle @ tensors["output"] + tensors["output.bias"] + sums[:, -1]
        return (output / (_ONE * _SCALE)).float()


def _save(path: Path, game: str, tensors: dict[str, NDArray[Any]]) -> None:
    """Writes the file at once or not at all."""
    with replacing(path) as temporary:
        save_file(tensors, temporary, metadata={"darkqi value net 1": game})
