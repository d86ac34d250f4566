"""What is warned of and what is withheld: equal results, repeated games, one-sided matches."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from logged import replace

import darkqi

REPEATED = "begin as if there were only 1"


def estimates(node: Any) -> Iterator[dict[str, Any]]:
    """All estimates with intervals in a result."""
    if isinstance(node, dict):
        if node.keys() == {"value", "low", "high"}:
            yield node
        for child in node.values():
            yield from estimates(child)
    elif isinstance(node, list):
        for child in node:
            yield from estimates(child)


@pytest.mark.parametrize(
    ("game", "options"), [("jieqi", {"max_plies": 30}), ("banqi", {"quiet_limit": 4})]
)
def test_equal_results_tell_no_values(game: str, options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "games"
    darkqi.selfplay(game, path, 100, agents="random", seed=1, **options)
    values = darkqi.piece_values(path)
    assert values.withheld == (
        "all of 100 games end with the same result, which says nothing of the pieces"
    )
    for found in (values, darkqi.piece_values_by_phase(path), darkqi.piece_values_by_region(path)):
        assert found.withheld == values.withheld
        assert list(estimates(found.to_dict())) == []
    with pytest.raises(ValueError, match="end with the same result"):
        darkqi.piece_values(path, output=tmp_path / "values.toml")
    assert not (tmp_path / "values.toml").exists()
    score = darkqi.first_reveal(path)
    assert 0.47 < score.first_mover.score.low < 0.5
    adjusted = score.revealer and score.revealer.adjusted
    assert not adjusted or adjusted.adjusted.to_dict()["error"] is None


def test_a_repeated_game_is_warned_of_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "games"
    played = darkqi.selfplay("flipping", path, 40, agents="expectimax:depth=2", seed=1)
    assert (played.deals, played.effective_deals) == (40, 1)
    assert REPEATED in played.warnings[0]
    assert REPEATED in darkqi.first_reveal(path).warnings[0]
    assert REPEATED in darkqi.report(path, tmp_path / "report.html").headline
    assert REPEATED in (tmp_path / "report.html").read_text()
    first, second = darkqi.compare([path, path]).score[0].warnings
    assert REPEATED in first[0]
    assert REPEATED in second[0]
    match = darkqi.arena(
        "flipping",
        ["expectimax:depth=2", "expectimax:depth=1"],
        60,
        random_plies=0,
        sprt=(0, 50),
    )
    (pair,) = match.pairs
    assert (pair.blocks, pair.effective_blocks) == (30, 1)
    assert REPEATED in pair.warnings[0]
    assert match.sprt is not None
    assert match.sprt.decision == "undecided"


def test_ratings_are_finite_where_agents_scored_against_each_other() -> None:
    agents = ["random", "greedy", "expectimax:depth=1", "expectimax:depth=2"]
    searches = {"expectimax:depth=1", "expectimax:depth=2"}
    gaps = []
    for order in (agents, agents[::-1], agents[2:] + agents[:2]):
        match = darkqi.arena("flipping", order, 40, seed=1)
        elo = {one.agent: one.elo.value for one in match.agents if one.elo}
        assert searches <= elo.keys()
        assert elo[match.reference] == 0
        gaps.append(elo["expectimax:depth=2"] - elo["expectimax:depth=1"])
    assert gaps == pytest.approx([gaps[0]] * 3, abs=1e-6)


def test_a_study_of_strength_tests_equality(tmp_path: Path) -> None:
    found = darkqi.strength(
        "banqi", tmp_path / "study", ["random", "greedy"], 200, match_games=20, seed=1
    )
    assert found.equality.keys() == found.trends.keys()
    decisive = found.equality["decisive"]
    assert decisive is not None
    assert decisive.freedom == 1
    assert decisive.statistic > 0
    assert 0 <= decisive.p_value <= 1


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), 7.0])
def test_impossible_values_are_not_read(wrong: float, tmp_path: Path) -> None:
    path = tmp_path / "games"
    darkqi.selfplay("flipping", path, 4, agents="expectimax:depth=1", seed=1)
    (file,) = (path / "plies").iterdir()
    table = pq.read_table(file)
    values = table["value"].to_pylist()
    row = next(row for row, value in enumerate(values) if value is not None)
    values[row] = [wrong, 0.0]
    place = table.column_names.index("value")
    field = table.schema.field(place)
    replace(file, table.set_column(place, field, [pa.array(values, field.type)]))
    game, ply = table["game_id"][row].as_py(), table["ply"][row].as_py()
    where = f"row {row}: expected finite numbers from -1 to 1 .game {game}, ply {ply}."
    with pytest.raises(OSError, match=f"plies.*column `value`, {where}"):
        darkqi.first_reveal(path)


def test_margins_have_bounds(tmp_path: Path) -> None:
    for margin in (5.0, 0.0, float("nan")):
        with pytest.raises(ValueError, match="margin: expected a number above 0 and at most 1"):
            darkqi.balance_values("banqi", tmp_path / "out", 10, margin=margin)
        with pytest.raises(ValueError, match=r"margin: expected a number above 0 and at most 0\.5"):
            darkqi.sweep(
                "banqi", tmp_path / "out", {"quiet_limit": [20]}, ["random"], 10, margin=margin
            )
    assert not (tmp_path / "out").exists()


def test_the_command_line_says_the_same(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "darkqi"]
    path = str(tmp_path / "games")
    line = ["selfplay", "flipping", "-n", "40", "-a", "expectimax:depth=2", "--out", path]
    played = subprocess.run([*command, *line], capture_output=True, text=True, check=True)
    assert REPEATED in played.stdout
    line = ["report", path, "-o", str(tmp_path / "report.html")]
    told = subprocess.run([*command, *line], capture_output=True, text=True, check=True)
    assert REPEATED in told.stdout
