"""Verification of datasets from Python."""

import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import darkqi
import darkqi.datasets


def test_a_sound_dataset_has_no_fault(tmp_path: Path) -> None:
    summary = darkqi.selfplay("banqi", tmp_path, 50, shard_games=20)
    found = darkqi.verify(tmp_path, threads=2)
    assert (found.fault_count, found.faults) == (0, [])
    assert (found.games, found.plies) == (summary.games, summary.plies)
    assert (found.shards, found.complete) == (3, True)


def test_a_changed_bit_is_named_by_its_file(tmp_path: Path) -> None:
    darkqi.selfplay("banqi", tmp_path, 50, shard_games=20)
    path = tmp_path / "plies/00001.parquet"
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    found = darkqi.verify(tmp_path)
    assert (found.fault_count, found.games, found.listed_games) == (1, 30, 50)
    (fault,) = found.faults
    assert (fault.file, fault.row) == ("plies/00001.parquet", None)
    assert "expected the XXH64 checksum" in fault.fault
    # The replayed shard equals the original.
    darkqi.selfplay("banqi", tmp_path, 50, shard_games=20, resume=True)
    assert darkqi.verify(tmp_path).fault_count == 0


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
    manifest = tmp_path / "dataset.json"
    for fault in darkqi.verify(tmp_path).faults:
        expected, found = re.findall(r"\b[0-9a-f]{16}\b", str(fault))
        manifest.write_text(manifest.read_text().replace(expected, found))
    assert darkqi.verify(tmp_path).faults == []
    assert [darkqi.replay(tmp_path, game) for game in range(6)] == games
    assert len(list(darkqi.datasets.load(tmp_path).replays())) == 6


def test_bad_arguments_are_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="is not a dataset"):
        darkqi.verify(tmp_path)
    with pytest.raises(ValueError, match="threads: expected an integer from 1"):
        darkqi.verify(tmp_path, threads=0)
