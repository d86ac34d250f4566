"""Seeds are 64 bits, with a sign or without."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import darkqi
import darkqi.datasets

PAIRS = [(-1, 2**64 - 1), (-(2**63), 2**63), (-5, 2**64 - 5), (7, 7)]


@pytest.mark.parametrize(("signed", "unsigned"), PAIRS)
def test_a_negative_seed_stands_for_its_bits(signed: int, unsigned: int, tmp_path: Path) -> None:
    state = darkqi.State("banqi", unsigned)
    for seed in (signed, np.int64(signed), np.uint64(unsigned)):
        assert darkqi.State("banqi", seed).fen() == state.fen()
        assert darkqi.State("banqi", seed).seed == unsigned
        assert darkqi.make("banqi", 2, seed).seed == unsigned
        assert state.resample(0, seed) == state.resample(0, unsigned)
        assert state.choose("random", seed) == state.choose("random", unsigned)
    env = darkqi.make("banqi", 2, 0)
    env.reset(unsigned)
    dealt = env.seeds
    env.reset(signed)
    assert env.seeds.tolist() == dealt.tolist()
    for seeds in (
        [signed, None],
        np.array([signed, 1], np.int64),
        np.array([unsigned, 1], np.uint64),
    ):
        env.reset(seeds)
        assert env.seeds[0] == unsigned
    found = [
        darkqi.selfplay("banqi", tmp_path / str(place), 3, agents="random", seed=seed)
        and (tmp_path / str(place) / "games/00000.parquet").read_bytes()
        for place, seed in enumerate((signed, unsigned))
    ]
    assert found[0] == found[1]
    matches = [darkqi.arena("banqi", ["greedy", "random"], 4, seed=s) for s in (signed, unsigned)]
    assert matches[0].pairs == matches[1].pairs
    assert matches[0].seed == unsigned


def test_a_game_is_dealt_again_from_a_reader_without_unsigned_integers(tmp_path: Path) -> None:
    darkqi.selfplay("banqi", tmp_path / "data", 40, agents="random", seed=1)
    games = pl.read_parquet(tmp_path / "data/games/*.parquet")
    signed = games["seed"].to_numpy().view(np.int64)
    assert (signed < 0).any()
    for seed, deal in zip(signed.tolist(), games["deal"], strict=True):
        assert darkqi.State("banqi", seed).fen() == deal
    env = darkqi.make("banqi", len(signed), 0)
    env.reset(signed)
    assert [env.state(lane).fen() for lane in range(len(signed))] == games["deal"].to_list()


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1, 10**30])
def test_other_seeds_are_refused(seed: int, tmp_path: Path) -> None:
    env = darkqi.make("banqi", 2, 0)
    calls: list[Any] = [
        lambda: darkqi.State("banqi", seed),
        lambda: darkqi.make("banqi", 1, seed),
        lambda: env.reset(seed),
        lambda: env.reset([1, seed]),
        lambda: darkqi.selfplay("banqi", tmp_path / "data", 1, seed=seed),
        lambda: darkqi.arena("banqi", ["greedy", "random"], 1, seed=seed),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"seed: .* from -2\*\*63 to 2\*\*64 - 1, got -?\d+"):
            call()
    assert not (tmp_path / "data").exists()


def test_drawn_seeds_are_below_2_to_the_63() -> None:
    drawn = [darkqi.State("banqi").seed for _ in range(64)]
    drawn += [darkqi.make("banqi", 1).seed for _ in range(64)]
    assert all(seed is not None and seed < 2**63 for seed in drawn)
    assert len(set(drawn)) == len(drawn)
