"""Verification of datasets from Python."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

import darkqi


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


def test_bad_arguments_are_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="is not a dataset"):
        darkqi.verify(tmp_path)
    with pytest.raises(ValueError, match="threads: expected an integer from 1"):
        darkqi.verify(tmp_path, threads=0)
