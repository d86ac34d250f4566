"""Datasets as tables and as training rows."""

import itertools
import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from logged import GAMES, accept, flip_an_action, play, plies_of, replayed, rows, same

import darkqi
import darkqi.datasets
from darkqi.datasets import Dataset, Table, load


@pytest.fixture(scope="module")
def banqi(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return load(play("banqi", tmp_path_factory.mktemp("data") / "banqi"))


def test_an_epoch_goes_on_after_a_thread_was_refused(
    banqi: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    epoch: Any = banqi.batches(50, shuffle=False)
    first = next(epoch)
    sampler = epoch._sampler

    class Busy:
        def fill(self, **_: Any) -> int:
            raise RuntimeError("the sampler is in use by another thread")

    monkeypatch.setattr(epoch, "_sampler", Busy())
    with pytest.raises(RuntimeError, match="in use"):
        next(epoch)
    monkeypatch.setattr(epoch, "_sampler", sampler)
    rest = sum(len(batch.action) for batch in epoch)
    assert len(first.action) + rest == banqi.num_plies


def test_tables_are_those_of_the_files(banqi: Dataset) -> None:
    games, plies = banqi.games.collect(), banqi.plies.collect()
    assert games.height == banqi.num_games == GAMES
    assert plies.height == banqi.num_plies == games["plies"].sum()
    assert games["game_id"].to_list() == list(range(GAMES))
    tables: list[tuple[Table, pl.DataFrame]] = [("games", games), ("plies", plies)]
    for table, frame in tables:
        assert pl.DataFrame(banqi.to_arrow(table)).equals(frame)
        assert banqi.arrow_dataset(table).count_rows() == frame.height
        assert [Path(file).name for file in banqi.files(table)] == [
            f"{shard:05}.parquet" for shard in range(3)
        ]
    assert isinstance(banqi.games, pl.LazyFrame)


def test_a_folder_with_the_characters_of_a_pattern_is_read_itself(tmp_path: Path) -> None:
    darkqi.selfplay("gaiqi", tmp_path / "run1", 7, agents="random", seed=1)
    darkqi.selfplay("gaiqi", tmp_path / "run[1]", 3, agents="random", seed=2)
    dataset = load(tmp_path / "run[1]")
    assert dataset.games.collect().height == 3
    assert dataset.plies.collect().height == dataset.num_plies


def test_metadata_is_that_of_the_run(banqi: Dataset) -> None:
    metadata = banqi.metadata
    assert (metadata.game, metadata.seed) == ("banqi", 5)
    assert metadata.agents == ["random", "random"]
    assert metadata.options["max_plies"] == 90
    assert metadata.options.keys() == {
        option.name for option in banqi.spec.options if not option.design
    }
    assert metadata.software_version == darkqi.__version__
    assert metadata.schema_version == 2
    assert banqi.is_complete
    assert "banqi, 7 games" in repr(banqi)
    assert pickle.loads(pickle.dumps(banqi)).num_plies == banqi.num_plies


@pytest.mark.parametrize("observation", ["planes", "tokens"])
def test_rows_agree_with_states(game: str, observation: Any, tmp_path: Path) -> None:
    path = play(game, tmp_path / game)
    batches = load(path).batches(50, observation=observation, shuffle=False, threads=2)
    for row, expected in zip(rows(batches), replayed(path, observation), strict=True):
        assert same(row, expected), (row["game_id"], row["ply"])


def test_targets_are_those_that_searches_logged(tmp_path: Path) -> None:
    darkqi.selfplay("flipping", tmp_path, 3, agents=["ismcts:sims=10", "greedy"], seed=2)
    dataset = load(tmp_path)
    logged = {(row["game_id"], row["ply"]): row for row in dataset.plies.collect().to_dicts()}
    for batch in dataset.batches(100, targets=True):
        assert batch.value is not None
        assert batch.policy is not None
        assert batch.value.shape == (len(batch.action), 2)
        assert batch.policy.shape == batch.action_mask.shape
        assert not batch.policy[~batch.action_mask].any()
        for place, (game_id, ply) in enumerate(zip(batch.game_id, batch.ply, strict=True)):
            row = logged[game_id, ply]
            value = [np.nan] * 2 if row["value"] is None else row["value"]
            assert np.array_equal(batch.value[place], np.array(value, np.float32), equal_nan=True)
            policy = {entry["action"]: entry["probability"] for entry in row["policy"] or ()}
            assert policy == {
                int(action): batch.policy[place, action]
                for action in np.flatnonzero(batch.policy[place])
            }
    (batch,) = dataset.batches(dataset.num_plies)
    assert batch.value is batch.policy is None


def test_orders_follow_from_seed_and_epoch(banqi: Dataset) -> None:
    logged = plies_of(banqi, shuffle=False)
    assert logged == sorted(logged)
    orders = [plies_of(banqi, seed=s, epoch=e) for s, e in [(1, 0), (1, 1), (2, 0)]]
    assert plies_of(banqi, seed=1, epoch=1) == orders[1]
    assert plies_of(banqi, seed=1, epoch=1, threads=1) == orders[1]
    for order in orders:
        assert sorted(order) == logged
        assert order != logged
    assert orders[0] != orders[1] != orders[2] != orders[0]
    shares = [plies_of(banqi, worker=worker, num_workers=3) for worker in range(3)]
    assert sorted(itertools.chain(*shares)) == logged
    assert len({game for game, _ in shares[0]} & {game for game, _ in shares[1]}) == 0


def test_batches_have_their_own_memory(banqi: Dataset) -> None:
    batches = list(banqi.batches(100))
    assert [len(batch.action) for batch in batches[:-1]] == [100] * (len(batches) - 1)
    assert sum(len(batch.action) for batch in batches) == banqi.num_plies
    first, second = batches[:2]
    spec = banqi.spec
    assert first.observation.shape == (100, *spec.observation_shape)
    assert first.action_mask.shape == (100, spec.num_actions)
    assert not np.shares_memory(first.observation, second.observation)
    dtypes = [str(column.dtype) for column in first if column is not None]
    assert dtypes == ["uint8", "bool", "int64", "int8", "float32", "uint16", "uint64", "uint16"]
    assert first.action_mask[np.arange(100), first.action].all()
    assert (first.action_mask.sum(axis=1) == first.legal_count).all()


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (
            {"batch_size": 0},
            ValueError,
            "batch_size: expected an integer from 1 to 2147483647, got 0",
        ),
        ({"observation": "rgb"}, ValueError, 'observation: expected "planes" or "tokens"'),
        ({"seed": 2**64}, ValueError, "seed: expected an integer from -2"),
        ({"epoch": 1.5}, TypeError, "epoch: expected an integer from 0"),
        ({"worker": 2, "num_workers": 2}, ValueError, "worker: expected a number below"),
        ({"num_workers": 0}, ValueError, "num_workers: expected an integer from 1"),
        ({"buffer_size": 0}, ValueError, "buffer_size: expected an integer from 1"),
        ({"threads": 0}, ValueError, "threads: expected an integer from 1"),
        ({"threads": 9999}, ValueError, "threads: expected a number from 1 to 1024"),
    ],
)
def test_bad_arguments(
    banqi: Dataset, arguments: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        banqi.batches(**arguments)


def test_other_folders_and_missing_files_are_refused(tmp_path: Path, banqi: Dataset) -> None:
    with pytest.raises(FileNotFoundError, match=r"no dataset at .*nowhere: expected a folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(OSError, match="is not a dataset: expected a folder that holds"):
        load(tmp_path)
    path = play("gaiqi", tmp_path / "data")
    (path / "games/00001.parquet").unlink()
    with pytest.raises(FileNotFoundError, match=r"games/00001.parquet is missing"):
        load(path)
    with pytest.raises(ValueError, match='table: expected "games" or "plies", got "moves"'):
        banqi.files("moves")  # type: ignore[arg-type]


def test_a_dataset_without_a_finished_shard_has_no_tables(tmp_path: Path) -> None:
    path = play("gaiqi", tmp_path / "data")
    manifest = json.loads((path / "dataset.json").read_text())
    (path / "dataset.json").write_text(json.dumps(manifest | {"shards": [], "complete": False}))
    dataset = load(path)
    readers: list[Callable[[], object]] = [
        lambda: dataset.games,
        lambda: dataset.plies,
        lambda: dataset.to_arrow("games"),
    ]
    for read in readers:
        with pytest.raises(ValueError, match="expected at least one finished shard, found none"):
            read()
    assert list(dataset.batches()) == []


def test_damage_is_found_and_named(tmp_path: Path) -> None:
    path = play("gaiqi", tmp_path / "truncated")
    file = path / "plies/00001.parquet"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(OSError, match=r"plies/00001.parquet: expected a complete Parquet file"):
        list(load(path).batches())

    path = play("gaiqi", tmp_path / "flipped")
    flip_an_action(path)
    complaint = (
        r"plies/00001.parquet, column `action`, row 4: expected one of \d+ legal actions "
        r"\(game 3, ply 4\), found 65535"
    )
    batches = load(path).batches()
    with pytest.raises(darkqi.DatasetError, match=complaint) as raised:
        list(batches)
    assert list(batches) == []
    fault = pickle.loads(pickle.dumps(raised.value))
    assert (fault.file, fault.column, fault.row) == (str(path / "plies/00001.parquet"), "action", 4)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_missing_libraries_are_named(
    banqi: Dataset, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setitem(sys.modules, f"{library}.dataset", None)
    with pytest.raises(ImportError, match=rf"{library}: pip install 'darkqi\[datasets\]'"):
        banqi.plies if library == "polars" else banqi.to_arrow("plies")


def test_another_compression_is_named(tmp_path: Path) -> None:
    darkqi.selfplay("banqi", tmp_path, 10)
    path = tmp_path / "games/00000.parquet"
    pq.write_table(pq.read_table(path), path, compression="snappy")
    (fault,) = darkqi.verify(tmp_path).faults
    assert fault.fault.endswith("expected the compression ZSTD or none, found SNAPPY")
    assert fault.file == "games/00000.parquet"


@pytest.mark.parametrize(
    "options",
    [
        {"row_group_size": 30, "compression": "none", "data_page_version": "2.0"},
        {
            "use_dictionary": False,
            "compression": "zstd",
            "data_page_size": 64,
            "write_batch_size": 8,
        },
        {
            "row_group_size": 50,
            "compression": "zstd",
            "data_page_size": 64,
            "write_page_index": True,
        },
        {
            "use_dictionary": False,
            "column_encoding": {"move": "DELTA_BYTE_ARRAY", "deal": "DELTA_LENGTH_BYTE_ARRAY"},
            "data_page_version": "2.0",
            "compression": "zstd",
        },
    ],
)
def test_files_that_another_program_wrote_are_read(tmp_path: Path, options: dict[str, Any]) -> None:
    darkqi.selfplay("flipping", tmp_path, 6, agents=["ismcts:sims=10", "greedy"], seed=2)
    games = [darkqi.replay(tmp_path, game) for game in range(6)]
    for file in tmp_path.glob("*/*.parquet"):
        table = pq.read_table(file)
        encodings = options.get("column_encoding", {}).items()
        chosen = {name: of for name, of in encodings if name in table.column_names}
        pq.write_table(table, file, **(options | ({"column_encoding": chosen} if chosen else {})))
    accept(tmp_path)
    assert darkqi.verify(tmp_path).faults == []
    assert [darkqi.replay(tmp_path, game) for game in range(6)] == games
    assert len(list(darkqi.datasets.load(tmp_path).replays())) == 6


@pytest.mark.parametrize(
    ("game", "agents"),
    # A search logs values and policies.
    [*((game, "random") for game in darkqi.games()), ("flipping", "ismcts:sims=10,greedy")],
)
def test_games_are_replayed_with_their_positions(game: str, agents: str, tmp_path: Path) -> None:
    darkqi.selfplay(game, tmp_path, 5, agents=agents, seed=5, max_plies=90)
    row = pl.read_parquet(tmp_path / "games").row(4, named=True)
    found = darkqi.replay(tmp_path, 4)
    assert (found.game, found.game_id, found.seed) == (game, 4, row["seed"])
    assert found.options["max_plies"] == 90
    for column in "deal_id", "agents", "deal", "rewards", "winner", "terminated", "reason":
        assert getattr(found, column) == row[column]
    plies = pl.read_parquet(tmp_path / "plies").filter(pl.col("game_id") == 4)
    assert plies.height == row["plies"] == len(found.plies)
    state = darkqi.State.from_fen(game, found.deal, **found.options)
    for ply, logged in zip(found.plies, plies.iter_rows(named=True), strict=True):
        state.apply(ply.move)
        logged["fen"] = state.fen()
        assert ply.to_dict() == {name: logged[name] for name in vars(ply)}
    assert any(ply.policy for ply in found.plies) == ("ismcts" in agents)


def test_differences_and_missing_games_are_named(tmp_path: Path) -> None:
    play("gaiqi", tmp_path)
    flip_an_action(tmp_path)
    with pytest.raises(ValueError, match=r"game 3: .* differ\n  ply 4, action: logged 65535 \("):
        darkqi.replay(tmp_path, 3)
    assert darkqi.replay(tmp_path, 2).game_id == 2
    with pytest.raises(ValueError, match="99"):
        darkqi.replay(tmp_path, 99)
    with pytest.raises(ValueError, match="game_id: expected an integer from 0"):
        darkqi.replay(tmp_path, -1)
    with pytest.raises(FileNotFoundError, match="nothing"):
        darkqi.replay(tmp_path / "nothing", 0)
