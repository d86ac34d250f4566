"""Matches and balancing runs from Python."""

import math
import pickle
from pathlib import Path
from typing import Any

import pytest

import darkqi


def test_a_failure_carries_the_results_so_far(tmp_path: Path) -> None:
    asked = 0

    def policy(*rows: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked == 400:
            raise KeyError("no idea")
        return rows[1].argmax(axis=1)

    def match(out: Path | None) -> Any:
        return darkqi.arena(
            "flipping",
            [policy, "random"],
            60,
            threads=1,
            batch_size=1,
            out=out,
            max_plies=40,
        )

    with pytest.raises(KeyError, match="no idea") as raised:
        match(tmp_path / "match")
    so_far = raised.value.so_far  # type: ignore[attr-defined]
    assert not so_far.complete
    assert 0 < so_far.pairs[0].games < 60
    counted = f"{so_far.pairs[0].games} of 60 games are counted"
    assert any(note.startswith(counted) for note in raised.value.__notes__)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.so_far, again.__notes__) == (so_far, raised.value.__notes__)
    found = match(tmp_path / "match")
    assert found.resumed_games == so_far.pairs[0].games
    assert found.pairs == match(None).pairs
    assert found.restarts == {}
    # Nothing was played.
    with pytest.raises(ValueError, match="unknown agent") as refused:
        darkqi.arena("flipping", ["random", "nobody"], 60)
    assert not hasattr(refused.value, "so_far")


def test_infinite_and_unknown_figures() -> None:
    # The agents differ so much that one wins all of a few games.
    found = darkqi.arena("flipping", ["greedy", "random"], 2, seed=1)
    (pair,) = found.pairs
    assert pair.wins == 2, "choose another seed: greedy must win both games"
    assert pair.elo is not None
    assert pair.elo.value == pair.elo.high == math.inf
    assert math.isfinite(pair.elo.low)
    assert pair.normalized_elo is None
    assert (found.agents[1].elo, found.agents[1].elo_kind) == (None, "minus_infinity")


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"name": "chess"}, ValueError, "unknown game `chess`; the games are: "),
        ({"agents": ["greedy"]}, ValueError, "agents: expected"),
        ({"agents": ["greedy", "best"]}, ValueError, "unknown agent `best`"),
        ({"agents": 3}, TypeError, "agents"),
        ({"games": 0}, ValueError, "games: expected an integer from 1"),
        ({"random_plies": -1}, ValueError, "random_plies: expected an integer from 0"),
        (
            {"sprt": (1, 2, 3)},
            ValueError,
            r"sprt: expected two Elo differences, .* got \(1, 2, 3\)",
        ),
        (
            {"sprt": range(10**12)},
            ValueError,
            r"sprt: expected two .* got range\(0, 1000000000000\)",
        ),
        ({"sprt": (5, 1)}, ValueError, "sprt: expected .*, the lower one first"),
        ({"sprt": 5}, TypeError, r"sprt: expected two Elo differences, \(elo0, elo1\), got 5"),
        ({"sprt": (0, 5), "alpha": 0.5}, ValueError, "alpha: expected a probability above 0"),
        ({"beta": 0.1}, ValueError, "alpha, beta: expected sprt beside them"),
        ({"quiet_limit": -1}, ValueError, "option `quiet_limit` of gaiqi: -1 is not"),
        ({"shards": (0, 1)}, ValueError, "shards: expected a folder beside them"),
        ({"journal": "match.jsonl"}, ValueError, "gaiqi has no option `journal`"),
    ],
)
def test_bad_arguments_are_named(
    arguments: dict[str, object], error: type[Exception], text: str
) -> None:
    keywords: dict[str, object] = {"name": "gaiqi", "agents": "greedy,random", **arguments}
    with pytest.raises(error, match=text):
        darkqi.arena(**keywords)  # type: ignore[arg-type]


def test_studies_name_what_is_wrong(tmp_path: Path) -> None:
    out, missing = tmp_path / "values", tmp_path / "missing"
    out.mkdir()
    with pytest.raises(ValueError, match="out: expected a folder that does not exist yet"):
        darkqi.balance_values("gaiqi", out)
    with pytest.raises(ValueError, match="agent random has no option `values`"):
        darkqi.balance_values("gaiqi", missing, agent="random")
    with pytest.raises(ValueError, match="rounds: expected an integer from 1"):
        darkqi.balance_values("gaiqi", missing, rounds=0)
    assert not missing.exists()
    with pytest.raises(ValueError, match=r"round \d: these games do not determine"):
        darkqi.balance_values("gaiqi", missing, 10)
