"""Matches and balancing runs from Python."""

import math
import pickle
from pathlib import Path
from typing import Any

import pytest
from common import interrupted

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


def test_a_match_is_rated(tmp_path: Path) -> None:
    agents = ["greedy", "random", "greedy:epsilon=0.5"]
    found = darkqi.arena("gaiqi", agents, 60, seed=3, out=tmp_path / "match")
    assert (found.game, found.seed, found.complete, found.sprt) == ("gaiqi", 3, True, None)
    assert found.options["max_plies"] == darkqi.spec("gaiqi").max_plies
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        ("greedy", "random"),
        ("greedy", "greedy:epsilon=0.5"),
        ("random", "greedy:epsilon=0.5"),
    ]
    pair = found.pairs[0]
    assert pair.wins + pair.draws + pair.losses == pair.games == 60
    assert pair.pentanomial is not None
    assert sum(pair.pentanomial) == pair.blocks == 30
    assert sum(score.blocks for score in pair.block_scores) == 30
    points = sum(half * blocks for half, blocks in enumerate(pair.pentanomial)) / 2
    assert pair.score is not None
    assert pair.score.value == pytest.approx(points / 60)
    assert pair.score.low < pair.score.value < pair.score.high
    assert pair.elo is not None
    assert pair.elo.value == pytest.approx(
        400 * math.log10(pair.score.value / (1 - pair.score.value))
    )
    assert pair.normalized_elo is not None
    assert pair.los is not None
    assert pair.los > 0.9
    assert sum(pair.endings.values()) == 60
    assert pair.adjusted is None
    greedy, random, _ = found.agents
    assert (greedy.agent, greedy.elo_kind) == ("greedy", "finite")
    assert greedy.elo == darkqi.Estimate(0, 0, 0)
    assert random.elo is not None
    assert random.elo.high < 0
    assert greedy.games == 120
    assert greedy.decisions_per_second == pytest.approx(greedy.decisions / greedy.seconds)

    again = darkqi.arena("gaiqi", agents, 60, seed=3, out=tmp_path / "match", threads=1)
    assert again.resumed_games == 180
    assert again.pairs == found.pairs
    with pytest.raises(ValueError, match="other settings: seed: 3 there, 4 asked for"):
        darkqi.arena("gaiqi", agents, 60, seed=4, out=tmp_path / "match")
    # The log is a dataset like any.
    assert darkqi.verify(tmp_path / "match").games == 180
    assert darkqi.replay(tmp_path / "match", 0).agents == agents[:2]


def test_scores_without_luck() -> None:
    pair = darkqi.arena("gaiqi", ["greedy", "random"], 400, seed=5).pairs[0]
    assert pair.adjusted is not None
    assert pair.score is not None
    score = pair.adjusted.score
    assert 0 < score.high - score.low < pair.score.high - pair.score.low
    assert pair.adjusted.elo.value == pytest.approx(
        400 * math.log10(score.value / (1 - score.value))
    )
    assert 0 < pair.adjusted.reduction < 1


def test_tests_stop_at_the_decision() -> None:
    found = darkqi.arena("gaiqi", "greedy,random", 2000, sprt=(0, 100), alpha=0.1, beta=0.1)
    verdict = found.sprt
    assert verdict is not None
    assert (verdict.elo0, verdict.elo1, verdict.alpha, verdict.decision) == (0, 100, 0.1, "h1")
    assert verdict.llr >= verdict.upper == pytest.approx(math.log(9))
    assert found.complete
    assert found.pairs[0].games < 2000


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


def test_an_interrupted_match_is_resumed(tmp_path: Path) -> None:
    match = tmp_path / "match"
    with interrupted(after=0.5):
        darkqi.arena("jieqi", ["greedy", "random"], 300_000, out=match)
    # All that had ended is there: as shards, and as parts.
    assert list(match.glob("parts/*"))
    resumed = darkqi.arena("jieqi", ["greedy", "random"], 20_000, out=match)
    assert resumed.complete
    assert resumed.resumed_games > 0
    assert not list(match.glob("parts/*"))


def test_values_are_balanced(tmp_path: Path) -> None:
    out = tmp_path / "values"
    found = darkqi.balance_values("gaiqi", out, 4000, rounds=2, test_games=40, seed=1)
    assert 1 <= len(found.rounds) <= 2
    first = found.rounds[0]
    assert first.file == out / "values-01.toml"
    assert found.file == out / "values.toml"
    assert found.file.read_text() == found.rounds[-1].file.read_text()
    assert {value.kind for value in first.values} <= set(darkqi.spec("gaiqi").piece_letters)
    for value in first.values:
        assert value.fitted.low <= value.fitted.value <= value.fitted.high
    assert first.fit == darkqi.piece_values(out / "round-01")
    assert found.test.pairs[0].first == f"greedy:values={found.file}"
    assert found.test.sprt is not None
    assert (found.test.sprt.elo0, found.test.sprt.elo1) == (-20, 0)
    # Agents can read the file.
    state = darkqi.State("gaiqi", seed=1)
    assert state.choose(f"greedy:values={found.file}") in state.legal_actions()

    with pytest.raises(ValueError, match="out: expected a folder that does not exist yet"):
        darkqi.balance_values("gaiqi", out)
    missing = tmp_path / "missing"
    with pytest.raises(ValueError, match="agent random has no option `values`"):
        darkqi.balance_values("gaiqi", missing, agent="random")
    with pytest.raises(ValueError, match="rounds: expected an integer from 1"):
        darkqi.balance_values("gaiqi", missing, rounds=0)
    with pytest.raises(ValueError, match="margin: expected a number above 0 and at most 1"):
        darkqi.balance_values("gaiqi", missing, margin=-1.0)
    assert not missing.exists()
    with pytest.raises(ValueError, match=r"round \d: these games do not determine"):
        darkqi.balance_values("gaiqi", missing, 10)
