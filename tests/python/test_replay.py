"""Logged games played again, and reports, from Python."""

import re
from pathlib import Path

import polars as pl
import pytest
from logged import flip_an_action, play

import darkqi


@pytest.mark.parametrize("game", darkqi.games())
def test_games_are_replayed_with_their_positions(game: str, tmp_path: Path) -> None:
    play(game, tmp_path)
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
        for column in set(vars(ply)) - {"fen"}:
            assert getattr(ply, column) == logged[column]
        state.apply(ply.move)
        assert ply.fen == state.fen()


def test_replays_have_the_logged_values_and_policies(tmp_path: Path) -> None:
    darkqi.selfplay("flipping", tmp_path, 2, agents=["ismcts:sims=10", "greedy"], seed=2)
    plies = pl.read_parquet(tmp_path / "plies").filter(pl.col("game_id") == 1)
    found = darkqi.replay(tmp_path, 1)
    for ply, logged in zip(found.plies, plies.iter_rows(named=True), strict=True):
        assert ply.value == logged["value"]
        assert ply.to_dict()["policy"] == logged["policy"]
    assert any(ply.policy for ply in found.plies)


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


def test_a_report_is_a_page_with_a_headline(tmp_path: Path) -> None:
    for agent in "random", "greedy":
        darkqi.selfplay("banqi", tmp_path / agent, 60, agents=agent, seed=3, max_plies=300)
    page = tmp_path / "page.html"
    paths = [tmp_path / "random", tmp_path / "greedy"]
    report = darkqi.report(paths, page)
    assert report.path == page
    assert re.match("In banqi, when greedy plays itself, the player who makes the", report.headline)
    both = page.read_text()
    assert "<html" in both
    assert darkqi.report(str(paths[0]), str(page)).headline != report.headline
    assert page.read_text() != both


def test_a_failed_report_does_not_change_the_page(tmp_path: Path) -> None:
    for game in "banqi", "flipping":
        darkqi.selfplay(game, tmp_path / game, 4, agents="random")
    mixed = tmp_path / "mixed"
    darkqi.selfplay("banqi", mixed, 4, agents=["random", "greedy"])
    page = tmp_path / "page.html"
    page.write_text("old")
    with pytest.raises(ValueError, match="datasets of one game, found banqi and flipping"):
        darkqi.report([tmp_path / "banqi", tmp_path / "flipping"], page)
    with pytest.raises(ValueError, match="expected at least one dataset"):
        darkqi.report([], page)
    with pytest.raises(ValueError, match="mixed: expected games of an agent against itself"):
        darkqi.report(mixed, page)
    with pytest.raises(FileNotFoundError, match="nothing"):
        darkqi.report(tmp_path / "nothing", page)
    with pytest.raises(OSError, match="cannot write"):
        darkqi.report(tmp_path / "banqi", tmp_path / "no" / "page.html")
    with pytest.raises(TypeError):
        darkqi.report(3, page)  # type: ignore[arg-type]
    assert page.read_text() == "old"
