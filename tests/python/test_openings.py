"""Openings, handicaps and random plies in self-play and matches."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import darkqi


def deals(path: Path) -> list[str]:
    return pl.read_parquet(path / "games" / "*.parquet")["deal"].to_list()


def test_games_begin_with_openings_and_random_plies(tmp_path: Path) -> None:
    openings = ["c2c3", "d2d3 d6d5"]
    darkqi.selfplay("flipping", tmp_path / "lines", 40, openings=openings, agents="random")
    positions = set()
    for opening in openings:
        state = darkqi.State("flipping")
        for move in opening.split():
            state.apply(move)
        positions.add(state.fen())
    assert set(deals(tmp_path / "lines")) == positions
    file = tmp_path / "openings.txt"
    file.write_text("# a comment\n" + "\n".join(openings))
    darkqi.selfplay("flipping", tmp_path / "file", 40, openings=file, agents="random")
    assert deals(tmp_path / "file") == deals(tmp_path / "lines")
    darkqi.selfplay("flipping", tmp_path / "plies", 20, random_plies=4, agents="random")
    begun = deals(tmp_path / "plies")
    assert len(set(begun)) == 20
    assert all(deal.endswith(" 4") for deal in begun)


def test_a_position_is_dealt_anew(tmp_path: Path) -> None:
    state = darkqi.State("jieqi", seed=3)
    state.apply(state.legal_actions()[0])
    darkqi.selfplay("jieqi", tmp_path / "games", 10, fen=state.fen(), agents="random")
    found = deals(tmp_path / "games")
    assert len(set(found)) == 10
    assert {darkqi.State.from_fen("jieqi", fen).fen(viewer="public") for fen in found} == {
        state.fen(viewer="public")
    }


def test_handicaps_take_pieces_off(tmp_path: Path) -> None:
    darkqi.selfplay("gaiqi", tmp_path / "games", 30, remove=["R", "p", "p"], agents="random")
    for deal in deals(tmp_path / "games"):
        board = deal.split(" ")[0]
        assert (board.count("~R"), board.count("~p"), board.count("~")) == (1, 3, 29)
    assert darkqi.verify(tmp_path / "games").faults == []
    found = darkqi.first_reveal(tmp_path / "games")
    assert found.openings is not None
    assert found.openings.remove == ["R", "p", "p"]


def test_matches_begin_with_openings() -> None:
    results = darkqi.arena(
        "flipping", ["greedy", "random"], 8, openings=["c2c3", "d2d3"], remove=["s"]
    )
    assert (results.openings, results.remove) == (["c2c3", "d2d3"], ["s"])
    assert results.random_plies == 0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"openings": ["x"]}, ValueError, "opening `x`: deals of jieqi vary; expected a full FEN"),
        ({"fen": "x/x"}, ValueError, "opening `x/x`: "),
        ({"fen": "x", "openings": ["x"]}, ValueError, "fen: expected None beside openings"),
        ({"openings": "no such file"}, OSError, "openings no such file: cannot be read"),
        ({"remove": ["Z"]}, ValueError, "remove: `Z` is no piece of jieqi; expected one of K A"),
        ({"remove": ["R"] * 3}, ValueError, "remove: cannot take R off"),
        ({"random_plies": 100_000}, ValueError, "random_plies: expected fewer, got 100000"),
        ({"random_plies": -1}, ValueError, "random_plies: expected an integer from 0"),
        ({"remove": 5}, TypeError, "remove: expected a sequence of names of pieces, got int"),
        ({"remove": "R"}, TypeError, "remove: expected a sequence of names of pieces, got str"),
        ({"openings": 5}, TypeError, "openings: expected a path or a sequence of openings"),
    ],
)
def test_faulty_openings_write_nothing(
    tmp_path: Path, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        darkqi.selfplay("jieqi", tmp_path / "games", 10, **arguments)
    assert message in str(caught.value)
    assert not (tmp_path / "games").exists()
