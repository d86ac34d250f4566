"""Small datasets and their expected positions, for the tests of datasets."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import darkqi
from darkqi.datasets import Batch, Dataset

GAMES = 7


def play(game: str, out: Path) -> Path:
    """Plays short games into three shards."""
    darkqi.selfplay(game, out, GAMES, agents="random", seed=5, shard_games=3, max_plies=90)
    return out


def replayed(path: Path, observation: Any) -> Iterator[dict[str, Any]]:
    """Yields the expected row of each ply, from replays of single games."""
    games = pl.read_parquet(path / "games/*.parquet")
    plies = pl.read_parquet(path / "plies/*.parquet")
    for game in games.iter_rows(named=True):
        options = json.loads(game["options"])
        state = darkqi.State.from_fen(game["game"], game["deal"], **options)
        for ply in plies.filter(pl.col("game_id") == game["game_id"]).iter_rows(named=True):
            yield {
                "observation": state.observation(format=observation),
                "action_mask": state.action_mask(),
                "action": ply["action"],
                "player": state.current_player,
                "reward": game["rewards"][state.current_player],
                "legal_count": len(state.legal_actions()),
                "game_id": game["game_id"],
                "ply": state.ply,
            }
            state.apply(ply["action"])


def rows(batches: Iterator[Batch]) -> Iterator[dict[str, Any]]:
    for batch in batches:
        for row in range(len(batch.action)):
            columns = batch._asdict().items()
            yield {name: column[row] for name, column in columns if column is not None}


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)


def plies_of(dataset: Dataset, **arguments: Any) -> list[tuple[int, int]]:
    """Returns game and ply of each row, in order."""
    batches = dataset.batches(64, observation="tokens", **arguments)
    return [(int(row["game_id"]), int(row["ply"])) for row in rows(batches)]


def rename_an_agent(path: Path, old: str, new: str) -> None:
    """Changes the name of an agent everywhere, as somebody else's program could write it."""

    def renamed(text: str) -> str:
        return text.replace(old, json.dumps(new)[1:-1])

    for file in path.glob("*/*.parquet"):
        table = pq.read_table(file)
        metadata = {
            key.decode(): renamed(value.decode()) for key, value in table.schema.metadata.items()
        }
        if "agents" in table.column_names:
            place = table.schema.get_field_index("agents")
            names = [
                [name.replace(old, new) for name in game] for game in table["agents"].to_pylist()
            ]
            field = table.schema.field(place)
            table = table.set_column(place, field, [pa.array(names, field.type)])
        pq.write_table(table.replace_schema_metadata(metadata), file, compression="zstd")
    manifest = path / "dataset.json"
    manifest.write_text(renamed(manifest.read_text()))
    accept(path)


def flip_an_action(path: Path) -> None:
    """Changes an action of game 3 and the checksum, so that only the rules can detect it."""
    file = path / "plies/00001.parquet"
    table = pq.read_table(file)
    actions = table["action"].to_pylist()
    actions[4] = 65535
    place = table.schema.get_field_index("action")
    table = table.set_column(place, table.schema.field(place), [pa.array(actions, pa.uint16())])
    pq.write_table(table, file, compression="zstd")
    accept(path)


def accept(path: Path) -> None:
    """Replaces the checksums of files that have changed in the dataset by theirs."""
    manifest = path / "dataset.json"
    for fault in darkqi.verify(path).faults:
        expected, found = re.findall(r"\b[0-9a-f]{16}\b", str(fault))
        manifest.write_text(manifest.read_text().replace(expected, found))
