"""Datasets in PyTorch's data loaders."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from logged import flip_an_action, play, replayed, same

import darkqi
from darkqi.datasets import load

torch = pytest.importorskip("torch")

from torch.utils.data import DataLoader  # noqa: E402

from darkqi.nets import Attacks  # noqa: E402
from darkqi.torch import PositionDataset  # noqa: E402

DTYPES = {
    "observation": torch.uint8,
    "action_mask": torch.bool,
    "action": torch.int64,
    "player": torch.int8,
    "reward": torch.float32,
    "legal_count": torch.int32,
    "game_id": torch.int64,
    "ply": torch.int32,
}
TARGETS = {"value": torch.float32, "policy": torch.float32}


@pytest.fixture(scope="module")
def jieqi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play("jieqi", tmp_path_factory.mktemp("data") / "jieqi")


def loader(dataset: Any, workers: int, context: str | None = None, **arguments: Any) -> Any:
    return DataLoader(
        dataset,
        batch_size=None,
        num_workers=workers,
        multiprocessing_context=context,
        **arguments,
    )


def plies(batches: Any) -> list[tuple[int, int]]:
    return [
        pair
        for batch in batches
        for pair in zip(batch["game_id"].tolist(), batch["ply"].tolist(), strict=True)
    ]


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns games of a search, which logs values and policies, against an agent without."""
    path = tmp_path_factory.mktemp("searched")
    darkqi.selfplay("flipping", path, 2, agents=["ismcts:sims=10", "greedy"], seed=2)
    return path


@pytest.mark.parametrize("observation", ["planes", "tokens"])
@pytest.mark.parametrize("targets", [False, True])
def test_tensors_are_those_of_native_batches(
    searched: Path, observation: Any, targets: bool
) -> None:
    settings: dict[str, Any] = {"shuffle": False, "observation": observation, "targets": targets}
    native = load(searched).batches(64, **settings)
    dataset = PositionDataset(searched, 64, **settings)
    for batch in loader(dataset, 0):
        expected = next(native)._asdict()
        assert {key: column.dtype for key, column in batch.items()} == (
            DTYPES | TARGETS if targets else DTYPES
        )
        for name, column in batch.items():
            assert np.array_equal(column.numpy(), expected[name], equal_nan=name == "value")
    assert next(native, None) is None
    assert dataset.metadata.game == "flipping"


@pytest.mark.parametrize(
    ("workers", "context"), [(0, None), (2, "fork"), (2, "spawn"), (2, "forkserver")]
)
def test_each_row_comes_once(jieqi: Path, workers: int, context: str | None) -> None:
    # The parent's threads run before the fork.
    dataset = PositionDataset(jieqi, 50, seed=2)
    expected = {(int(row["game_id"]), int(row["ply"])): row for row in replayed(jieqi, "planes")}
    list(dataset)
    batches = list(loader(dataset, workers, context))
    for batch in batches:
        for number in range(len(batch["action"])):
            row = {key: column[number].numpy() for key, column in batch.items()}
            assert same(row, expected.pop((int(row["game_id"]), int(row["ply"]))))
    assert not expected
    assert sum(len(batch["action"]) for batch in batches) == dataset.num_rows
    if context not in ("spawn", "forkserver"):
        # Repeat, except where new processes would import PyTorch again.
        assert plies(loader(dataset, workers, context)) == plies(batches)


def test_epochs_have_different_orders_even_in_persistent_workers(jieqi: Path) -> None:
    dataset = PositionDataset(jieqi, 50, observation="tokens")
    batches = loader(dataset, 2, "fork", persistent_workers=True)
    first, second = plies(batches), plies(batches)
    assert first == second
    dataset.set_epoch(1)
    assert dataset.epoch == 1
    third = plies(batches)
    assert third != first
    assert sorted(third) == sorted(first)
    for number in (-1, 2**63):
        with pytest.raises(
            ValueError, match=f"epoch: expected an integer from 0 to .*, got {number}"
        ):
            dataset.set_epoch(number)
    for wrong in (1.5, True):
        with pytest.raises(
            TypeError, match=f"epoch: expected an integer .*, got {type(wrong).__name__}"
        ):
            dataset.set_epoch(wrong)  # type: ignore[arg-type]
    dataset.set_epoch(np.int32(1))
    assert dataset.epoch == 1


def test_a_short_last_batch_can_be_dropped(jieqi: Path) -> None:
    whole, rest = divmod(load(jieqi).num_plies, 32)
    assert rest
    sizes = [len(batch["action"]) for batch in PositionDataset(jieqi, 32, drop_last=True)]
    assert sizes == [32] * whole


@pytest.mark.skipif(not torch.cuda.is_available(), reason="pinned memory needs a GPU")
def test_batches_can_be_pinned(jieqi: Path) -> None:
    for workers in 0, 2:
        batches = loader(PositionDataset(jieqi, 32), workers, pin_memory=True)
        for batch in batches:
            assert all(column.is_pinned() for column in batch.values())
            assert batch["observation"].to("cuda", non_blocking=True).is_cuda


def test_faults_reach_the_training_process(tmp_path: Path) -> None:
    path = play("gaiqi", tmp_path / "data")
    flip_an_action(path)
    with pytest.raises(OSError, match=r"column `action`, row 4: expected one of"):
        list(loader(PositionDataset(path), 2, "fork"))


def test_bad_arguments_are_refused_at_once(jieqi: Path) -> None:
    with pytest.raises(ValueError, match="batch_size: expected an integer from 1"):
        PositionDataset(jieqi, batch_size=0)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        *[(game, {}) for game in ("flipping", "jieqi", "gaiqi", "banqi", "mystery")],
        ("banqi", {"cannon": "jump"}),
        ("banqi", {"moves.R": "D", "moves.H": "RpR"}),
    ],
)
def test_attacks_on_boards_are_those_of_the_rules(game: str, options: Any) -> None:
    spec = darkqi.spec(game, **options)
    env = darkqi.make(game, 20, seed=2, observation="tokens", **options)
    tokens = env.reset().observation
    for _ in range(25):
        tokens = env.step(env.sample_actions()).observation
    boards = tokens[:, : spec.board_shape[0] * spec.board_shape[1]]
    module = Attacks(spec)
    attacked, reached = module(torch.from_numpy(boards))
    # One attack after another, as the documentation of `Spec.attacks` says.
    expected = np.zeros_like(attacked.numpy())
    # By boards, squares and pieces, whether there or not, what they would attack from there.
    seen = np.zeros((*expected.shape, expected.shape[2]), np.int64)
    for piece, action in np.argwhere(spec.attacks):
        source, target = spec.action_squares[action]
        path = spec.action_paths[action]
        between = (boards[:, path[path >= 0]] > 0).sum(1)
        is_free = (spec.attacks[piece, action] >> between & 1) > 0
        expected[:, target, 1 + piece] |= (boards[:, source] == 1 + piece) & is_free
        np.add.at(seen[:, source, 1 + piece], (np.arange(20), boards[:, target]), is_free)
    assert (attacked.numpy() == expected).all()
    assert attacked.any()
    board, square = (torch.from_numpy(axis.ravel()) for axis in np.indices(boards.shape))
    found = module.attackers(torch.from_numpy(boards)[board], square)
    assert torch.equal(found, attacked.flatten(0, 1))
    places = [torch.from_numpy(axis.ravel()) for axis in np.indices(seen.shape[:3])]
    found = module.attacked_from(reached, *places).numpy()
    counts = np.stack([(found == taken).sum(1) for taken in range(1, seen.shape[3])], 1)
    # Empty squares are not told from no way.
    assert (counts.reshape(*seen.shape[:3], -1) == seen[..., 1:]).all()
    assert counts.any()


def test_attacks_follow_a_module_to_its_device() -> None:
    # No numbers are kept on this device, but tensors of two devices cannot be mixed.
    spec = darkqi.spec("gaiqi")
    module = Attacks(spec).to("meta")
    boards = torch.zeros((5, 32), dtype=torch.uint8, device="meta")
    attacked, reached = module(boards)
    assert attacked.shape == (5, 32, module.tokens)
    attackers = module.attackers(boards, torch.zeros(5, dtype=torch.int64, device="meta"))
    assert {tensor.device.type for tensor in (attacked, reached, attackers)} == {"meta"}
