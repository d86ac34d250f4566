"""The nets that come with darkqi: as agents, as policies, and against what they must beat."""

import hashlib
import pickle
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from common import ROOT, environment, start, stepped

import darkqi

GAMES = sorted(path.stem for path in (ROOT / "selfplay/engine/data/baselines").glob("*.onnx"))
PAGE = ROOT / "docs/nets.md"


@pytest.fixture(params=GAMES)
def two_seats(request: pytest.FixtureRequest) -> str:
    """Returns a game of two with a net."""
    game: str = request.param
    return game


def test_the_policy_plays_the_games_of_the_agent(tmp_path: Path, two_seats: str) -> None:
    policy = darkqi.baseline(two_seats)
    plies = []
    for name, agent in (("agent", "baseline"), ("policy", policy)):
        darkqi.selfplay(two_seats, tmp_path / name, 6, agents=[agent, "greedy"], seed=3)
        assert darkqi.verify(tmp_path / name).faults == []
        plies.append(pl.read_parquet(tmp_path / name / "plies/*.parquet"))
    native, python = plies
    assert native["action"].equals(python["action"])
    for column in ("value", "policy"):
        assert native[column].is_null().equals(python[column].is_null())
    value, expected = (np.array(frame["value"].drop_nulls().to_list()) for frame in plies)
    np.testing.assert_allclose(value, expected, atol=1e-5)
    mine = pl.col("player") == 0
    for ours, theirs in zip(*(frame.filter(mine)["policy"] for frame in plies), strict=True):
        one, other = (
            dict(zip(*entries.struct.unnest(), strict=True)) for entries in (ours, theirs)
        )
        assert sum(one.values()) == pytest.approx(1, abs=1e-5)
        assert one == pytest.approx({action: other.get(action, 0) for action in one}, abs=1e-5)


def test_opponents_within_the_step_are_the_same(two_seats: str) -> None:
    policy = darkqi.baseline(two_seats)
    envs = [darkqi.make(two_seats, 5, 1, opponent=one) for one in ("baseline", policy)]
    first, second = (env.reset() for env in envs)
    for _ in range(30):
        assert np.array_equal(first.observation, second.observation)
        actions = envs[0].sample_actions()
        first, second = (env.step(actions) for env in envs)


def test_rows_do_not_depend_on_their_neighbours(two_seats: str) -> None:
    policy = darkqi.baseline(two_seats)
    ts = stepped(darkqi.make(two_seats, 150, 4), 20)
    whole = policy(ts.observation, ts.action_mask, ts.current_player)
    rows = slice(61, 140)
    part = policy(ts.observation[rows], ts.action_mask[rows], ts.current_player[rows])
    for one, other in zip(whole, part, strict=True):
        assert one[rows].tobytes() == other.tobytes()
    assert ts.action_mask[np.arange(150), whole.actions].all()
    np.testing.assert_allclose(whole.policy.sum(axis=1), 1, atol=1e-5)
    assert not whole.policy[~ts.action_mask].any()
    assert (whole.value.sum(axis=1) == 0).all()
    assert (np.abs(whole.value) <= 1).all()


def test_files_are_small_and_those_that_the_page_lists(two_seats: str) -> None:
    policy = darkqi.baseline(two_seats)
    assert (policy.game, repr(policy)) == (two_seats, f"darkqi.baseline('{two_seats}')")
    assert len(policy.onnx) < 1_000_000
    assert policy.digest == hashlib.sha256(policy.onnx).hexdigest()
    listed = dict(re.findall(r"\| `(\w+)\.onnx` \|.*`([0-9a-f]{64})` \|", PAGE.read_text()))
    assert listed[two_seats] == policy.digest
    assert pickle.loads(pickle.dumps(policy)).digest == policy.digest


def test_it_beats_random_play_and_does_not_lose_to_greedy(two_seats: str) -> None:
    against = [
        darkqi.arena(two_seats, f"baseline,{other}", games, seed=5, random_plies=4).pairs[0].score
        for other, games in (("random", 40), ("greedy", 200))
    ]
    assert against[0] is not None
    assert against[0].low > 0.5
    # Half of the score within the interval is the least that the page claims.
    assert against[1] is not None
    assert against[1].high >= 0.5


def test_games_and_options_without_a_net_are_named() -> None:
    assert GAMES
    for game in set(darkqi.games()) - set(GAMES):
        with pytest.raises(ValueError, match=f"cannot play {game}: expected one of the games"):
            darkqi.baseline(game)
    with pytest.raises(ValueError, match="cannot play seven_kingdoms"):
        darkqi.make("seven_kingdoms", 1, opponent="baseline")
    with pytest.raises(ValueError, match="cannot play banqi: expected `cannon` to be `step`"):
        darkqi.baseline("banqi", cannon="jump")
    with pytest.raises(ValueError, match="cannot play jieqi: expected `captured` to be `captor`"):
        darkqi.make("jieqi", 1, opponent="baseline", captured="public")
    assert darkqi.baseline("banqi", quiet_limit=20, repetition=False).game == "banqi"
    with pytest.raises(ValueError, match="unknown game `chess`"):
        darkqi.baseline("chess")


def test_rows_of_another_game_are_refused() -> None:
    policy = darkqi.baseline("jieqi")
    ts = darkqi.make("banqi", 2, 1).reset()
    with pytest.raises(ValueError, match=r"observation: expected shape \(2, 39, 10, 9\) for jieqi"):
        policy(ts.observation, ts.action_mask, ts.current_player)
    own = darkqi.make("jieqi", 2, 1).reset()
    with pytest.raises(ValueError, match=r"action_mask: expected shape \(2, 2550\)"):
        policy(own.observation, ts.action_mask, own.current_player)
    with pytest.raises(ValueError, match=r"player: expected shape \(2,\)"):
        policy(own.observation, own.action_mask, own.current_player[:1])
    with pytest.raises(ValueError, match=r"player: expected seats from 0 to 1, got \[2 0\]"):
        policy(own.observation, own.action_mask, np.array([2, 0], np.int8))
    scaled: Any = own.observation / 255
    with pytest.raises(TypeError, match="observation: expected the dtype that steps return"):
        policy(scaled, own.action_mask, own.current_player)
    mask: Any = np.full(own.action_mask.shape, np.nan)
    with pytest.raises(TypeError, match="action_mask: expected the dtype that steps return"):
        policy(own.observation, mask, own.current_player)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'darkqi[onnx]'")):
        darkqi.baseline("banqi")
    program = "import darkqi; darkqi.arena('banqi', 'baseline,random', 2)"
    nowhere = environment(ORT_DYLIB_PATH="/nowhere/libonnxruntime.so")
    with start("-c", program, env=nowhere) as process:
        _, errors = process.communicate()
    assert process.returncode == 1
    assert "net built-in baseline of banqi: cannot load ONNX Runtime from /nowhere" in errors
