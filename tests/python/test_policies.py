"""Python callables as agents."""

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from interrupts import interrupted
from numpy.typing import NDArray

import darkqi

# How an action that does not exist is described.
NAMED = r"game \d, ply 0: agent python:policy: expected actions from"


def first_legal(*rows: Any) -> NDArray[np.int64]:
    """Plays the first legal action."""
    _, action_mask, _ = rows
    actions: NDArray[np.int64] = action_mask.argmax(axis=1)
    return actions


def test_a_policy_sees_blocks_of_one_shape(tmp_path: Path) -> None:
    shapes = set()

    class Watching:
        def __call__(self, *rows: Any) -> NDArray[np.int64]:
            shapes.add(tuple((row.shape, row.dtype.name) for row in rows))
            assert (rows[1].any(axis=1)).all()
            return first_legal(*rows)

    summary = darkqi.selfplay("jieqi", tmp_path / "data", 10, agents=Watching(), batch_size=7)
    assert summary.agents[0].name == "python:Watching"
    spec = darkqi.spec("jieqi")
    assert shapes == {
        (
            ((7, *spec.observation_shape), "uint8"),
            ((7, spec.num_actions), "bool"),
            ((7,), "int8"),
        )
    }
    games = pl.read_parquet(tmp_path / "data/games/*.parquet")
    assert games["agents"].to_list() == [["python:Watching"] * 2] * 10
    assert darkqi.verify(tmp_path / "data").faults == []


def test_policies_of_the_same_name_get_numbers(tmp_path: Path) -> None:
    def namesake() -> Any:
        def policy(*rows: Any) -> NDArray[np.int64]:
            return first_legal(*rows)

        return policy

    one, other = namesake(), namesake()
    summary = darkqi.selfplay("banqi", tmp_path / "data", 4, agents=[one, other])
    assert [agent.name for agent in summary.agents] == ["python:policy", "python:policy#2"]
    summary = darkqi.selfplay("banqi", tmp_path / "same", 4, agents=[one, one])
    assert {agent.name for agent in summary.agents} == {"python:policy"}


def test_values_and_policies_are_logged(tmp_path: Path) -> None:
    def policy(*rows: Any) -> darkqi.Decisions:
        _, action_mask, player = rows
        even = action_mask / action_mask.sum(axis=1, keepdims=True)
        value = np.where((player == 0)[:, None], [0.25, -0.25], [-0.5, 0.5])
        return darkqi.Decisions(first_legal(*rows), value, even.astype(np.float32))

    darkqi.selfplay("flipping", tmp_path / "data", 2, agents=policy)
    plies = pl.read_parquet(tmp_path / "data/plies/*.parquet")
    assert plies["value"].to_list() == [
        [0.25, -0.25] if player == 0 else [-0.5, 0.5] for player in plies["player"]
    ]
    assert plies["policy"].list.len().to_list() == plies["legal_count"].to_list()


@pytest.mark.parametrize("name", ["x" * 201, "a\nb", "a\x1b[1m", "a\u202e"])
def test_names_of_policies_are_short_and_plain(name: str, tmp_path: Path) -> None:
    def policy(*rows: Any) -> NDArray[np.int64]:
        return first_legal(*rows)

    policy.__name__ = name
    with pytest.raises(ValueError, match="the name of a callable: expected 1 to 200 characters"):
        darkqi.selfplay("banqi", tmp_path / "data", 2, agents=policy)
    assert not (tmp_path / "data").exists()
    for given in "", name:
        with pytest.raises(ValueError, match="log_agent: expected 1 to 200 characters"):
            darkqi.make("banqi", 2, log=tmp_path / "log", log_agent=given)
    policy.__name__ = "<b>|`x`"
    darkqi.selfplay("banqi", tmp_path / "data", 2, agents=policy)
    card = (tmp_path / "data/README.md").read_text()
    assert "agents python:&lt;b&gt;\\|\\`x\\`, python" in card


def test_shards_finished_before_an_exception_are_kept(tmp_path: Path) -> None:
    calls = 0

    def policy(*rows: Any) -> NDArray[np.int64]:
        nonlocal calls
        calls += 1
        if calls == 400:
            raise KeyError("no idea")
        return first_legal(*rows)

    keywords: dict[str, Any] = {"seed": 4, "shard_games": 5, "batch_size": 5, "threads": 1}
    with pytest.raises(KeyError, match="no idea") as raised:
        darkqi.selfplay("banqi", tmp_path / "data", 60, agents=[policy, "greedy"], **keywords)
    assert raised.value.__notes__[0].startswith("game ")
    assert raised.value.__notes__[1].endswith("the same call with resume=True goes on")
    kept = len(list((tmp_path / "data/games").glob("*.parquet")))
    assert 0 < kept < 12
    again: list[Any] = [policy, "greedy"]
    darkqi.selfplay("banqi", tmp_path / "data", 60, agents=again, resume=True, **keywords)
    darkqi.selfplay("banqi", tmp_path / "whole", 60, agents=again, **keywords)
    for name in ("games", "plies"):
        for file in sorted((tmp_path / "whole" / name).glob("*.parquet")):
            assert file.read_bytes() == (tmp_path / "data" / name / file.name).read_bytes()


@pytest.mark.parametrize(
    ("answer", "error", "fault"),
    [
        (lambda n, _: np.zeros(n), TypeError, r"actions of shape \(64,\) and integers .* float64"),
        (lambda *_: np.zeros(3, int), ValueError, r"actions of shape \(64,\)"),
        (lambda *_: None, TypeError, "actions of shape"),
        (
            lambda n, _: (np.zeros(n, int), None),
            TypeError,
            "policy: expected 64 integers or darkqi.Decisions, got tuple",
        ),
        (lambda n, a: np.full(n, a), darkqi.IllegalActionError, f"{NAMED} 0 to 2549, got 2550"),
        (lambda n, _: np.full(n, -1), darkqi.IllegalActionError, f"{NAMED} 0 to 2549, got -1"),
        (
            lambda n, _: np.full(n, 2**63 + 5, np.uint64),
            darkqi.IllegalActionError,
            f"{NAMED} 0 to 2549, got 9223372036854775813",
        ),
        (
            lambda n, _: darkqi.Decisions(np.zeros(n, int), value=np.zeros((n, 3))),
            ValueError,
            r"value: expected shape \(64, 2\)",
        ),
        (
            lambda n, a: darkqi.Decisions(np.zeros(n, int), policy=np.zeros((n, a), int)),
            TypeError,
            r"policy: expected shape .* floats",
        ),
        (
            lambda n, _: darkqi.Decisions(np.zeros(n, int), value=np.full((n, 2), np.nan)),
            ValueError,
            "game .*, ply 0: .*value: expected finite numbers",
        ),
        (
            lambda n, _: darkqi.Decisions(np.zeros(n, int), value=np.full((n, 2), 7.0)),
            ValueError,
            "value: expected finite numbers from -1 to 1, got 7",
        ),
        (
            lambda n, a: darkqi.Decisions(np.zeros(n, int), policy=np.full((n, a), 1 / a)),
            ValueError,
            "policy: action .*: expected a probability 0, as the action is not legal",
        ),
    ],
)
def test_wrong_answers_are_explained(
    tmp_path: Path, answer: Any, error: type[Exception], fault: str
) -> None:
    def policy(*rows: Any) -> Any:
        return answer(len(rows[2]), rows[1].shape[1])

    with pytest.raises(error, match=fault):
        darkqi.selfplay("jieqi", tmp_path / "data", 2, agents=policy)


def test_an_illegal_action_is_named_with_game_and_ply(tmp_path: Path) -> None:
    def policy(*rows: Any) -> NDArray[np.int64]:
        actions: NDArray[np.int64] = rows[1].argmin(axis=1)
        return actions

    with pytest.raises(darkqi.IllegalActionError, match=r"game \d, ply 0: agent python:policy"):
        darkqi.selfplay("jieqi", tmp_path / "data", 2, agents=policy)
    with pytest.raises(darkqi.IllegalActionError, match=r"action \d+ is not legal"):
        darkqi.State("jieqi", seed=0).choose(policy)
    with pytest.raises(RuntimeError, match=r"lane 0: the opponent: ply 0: action \d+ is not legal"):
        darkqi.make("jieqi", 2, opponent=policy, seat=1)


def test_an_opponents_fault_is_no_illegal_action_of_the_caller() -> None:
    def nowhere(*rows: Any) -> NDArray[np.int64]:
        return np.full(len(rows[2]), -1)

    def senseless(*rows: Any) -> darkqi.Decisions:
        return darkqi.Decisions(first_legal(*rows), value=np.full((len(rows[2]), 2), np.nan))

    with pytest.raises(RuntimeError, match="expected actions from 0 to") as raised:
        darkqi.make("jieqi", 2, opponent=nowhere, seat=1)
    assert not isinstance(raised.value, darkqi.IllegalActionError)
    with pytest.raises(ValueError, match="lane 0: the opponent: value: expected finite numbers"):
        darkqi.make("jieqi", 2, opponent=senseless, seat=1)


def test_a_policy_without_a_name_is_called_by_its_type(tmp_path: Path) -> None:
    class Nameless:
        __name__ = ""

        def __call__(self, *rows: Any) -> NDArray[np.int64]:
            return first_legal(*rows)

    summary = darkqi.selfplay("banqi", tmp_path / "data", 2, agents=[Nameless(), "random"])
    assert summary.agents[0].name == "python:Nameless"
    assert darkqi.verify(tmp_path / "data").faults == []


@pytest.mark.parametrize("rows", [0, 65537, 10**9, 2**63, 2**64])
def test_a_block_of_rows_has_a_size(tmp_path: Path, rows: int) -> None:
    expected = f"batch_size: expected an integer from 1 to 65536, got {rows}"
    with pytest.raises(ValueError, match=expected):
        darkqi.arena("flipping", [first_legal, "greedy"], 2, batch_size=rows)
    with pytest.raises(ValueError, match=expected):
        darkqi.selfplay("flipping", tmp_path, 2, agents=first_legal, batch_size=rows)


def test_a_value_that_is_no_agent_is_refused(tmp_path: Path) -> None:
    wrong: Any = [3, "greedy"]
    with pytest.raises(
        TypeError, match="expected the name of an agent, a dict or a callable, got int"
    ):
        darkqi.selfplay("jieqi", tmp_path / "data", 2, agents=wrong)


def test_a_failed_opponent_leaves_an_env_that_can_be_reset() -> None:
    is_broken = False

    def policy(*rows: Any) -> NDArray[np.int64]:
        if is_broken:
            raise ValueError("broken")
        return first_legal(*rows)

    for groups in (1, 2):
        env = darkqi.make("jieqi", 6, opponent=policy, groups=groups)
        env.reset()
        is_broken = True
        if groups == 1:
            with pytest.raises(ValueError, match="broken"):
                env.step(env.sample_actions())
        else:
            env.recv()
            env.send(env.sample_actions())
            with pytest.raises(ValueError, match="broken"):
                env.wait()
        is_broken = False
        with pytest.raises(RuntimeError, match="reset all lanes first"):
            env.step(env.sample_actions())
        env.reset()
        env.step(env.sample_actions())


def test_an_env_can_be_dropped_while_its_opponent_decides() -> None:
    called = threading.Event()

    def policy(*rows: Any) -> NDArray[np.int64]:
        called.set()
        time.sleep(0.2)
        return first_legal(*rows)

    env = darkqi.make("jieqi", 6, opponent=policy, groups=2)
    env.reset()
    called.clear()
    env.recv()
    env.send(env.sample_actions())
    called.wait()
    del env


def test_ctrl_c_ends_a_slow_policy(tmp_path: Path) -> None:
    def policy(*rows: Any) -> NDArray[np.int64]:
        time.sleep(0.05)
        return first_legal(*rows)

    with interrupted(after=1.0):
        darkqi.selfplay("jieqi", tmp_path / "data", 10**6, agents=policy)
