"""Python callables as agents: what they are given, what they may answer, and where they run."""

import contextvars
import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from common import contents, first_legal, interrupted, python

import darkqi

# How an action that does not exist is described.
NAMED = r"game \d, ply 0: agent python:policy: expected actions from"


def test_a_policy_sees_blocks_of_one_shape(tmp_path: Path) -> None:
    shapes = set()

    class Watching:
        def __call__(self, *rows: Any) -> Any:
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


def test_policies_have_names_and_numbers(tmp_path: Path) -> None:
    def namesake() -> Any:
        def policy(*rows: Any) -> Any:
            return first_legal(*rows)

        return policy

    class Nameless:
        __name__ = ""

        def __call__(self, *rows: Any) -> Any:
            return first_legal(*rows)

    one, other = namesake(), namesake()
    cases: list[tuple[Any, list[str]]] = [
        ([one, other], ["python:policy", "python:policy#2"]),
        ([one, one], ["python:policy", "python:policy"]),
        ([Nameless(), "random"], ["python:Nameless", "random"]),
    ]
    for agents, names in cases:
        out = tmp_path / names[1]
        summary = darkqi.selfplay("banqi", out, 4, agents=agents)
        assert {agent.name for agent in summary.agents} == set(names)
        assert darkqi.verify(out).faults == []


@pytest.mark.parametrize("name", ["x" * 201, "a\nb", "a\x1b[1m", "a\u202e"])
def test_names_of_policies_are_short_and_plain(name: str, tmp_path: Path) -> None:
    def policy(*rows: Any) -> Any:
        return first_legal(*rows)

    policy.__name__ = name
    with pytest.raises(ValueError, match="the name of a callable: expected 1 to 200 characters"):
        darkqi.selfplay("banqi", tmp_path / "data", 2, agents=policy)
    assert not (tmp_path / "data").exists()
    for given in "", name:
        with pytest.raises(ValueError, match="log_agent: expected 1 to 200 characters"):
            darkqi.make("banqi", 2, log=tmp_path / "log", log_agent=given)
    with pytest.raises(ValueError, match="log_agent: expected `log` beside it"):
        darkqi.make("banqi", 2, log_agent="me")
    policy.__name__ = "<b>|`x`"
    darkqi.selfplay("banqi", tmp_path / "data", 2, agents=policy)
    card = (tmp_path / "data/README.md").read_text()
    assert "agents python:&lt;b&gt;\\|\\`x\\`, python" in card


def test_shards_finished_before_an_exception_are_kept(tmp_path: Path) -> None:
    calls = 0

    def policy(*rows: Any) -> Any:
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
    assert contents(tmp_path / "whole") == contents(tmp_path / "data")


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


def nowhere(*rows: Any) -> Any:
    return np.full(len(rows[2]), -1)


def illegal(*rows: Any) -> Any:
    return rows[1].argmin(axis=1)


def senseless(*rows: Any) -> darkqi.Decisions:
    return darkqi.Decisions(first_legal(*rows), value=np.full((len(rows[2]), 2), np.nan))


def test_faults_of_policies_have_their_places(tmp_path: Path) -> None:
    with pytest.raises(darkqi.IllegalActionError, match=r"game \d, ply 0: agent python:illegal"):
        darkqi.selfplay("jieqi", tmp_path / "data", 2, agents=illegal)
    with pytest.raises(darkqi.IllegalActionError, match=r"action \d+ is not legal"):
        darkqi.State("jieqi", seed=0).choose(illegal)
    # An opponent's fault is no illegal action of the caller.
    for policy, error, fault in (
        (illegal, RuntimeError, r"lane 0: the opponent: ply 0: action \d+ is not legal"),
        (nowhere, RuntimeError, "expected actions from 0 to"),
        (senseless, ValueError, "lane 0: the opponent: value: expected finite numbers"),
    ):
        with pytest.raises(error, match=fault) as raised:
            darkqi.make("jieqi", 2, opponent=policy, seat=1)
        assert not isinstance(raised.value, darkqi.IllegalActionError)


@pytest.mark.parametrize("rows", [0, 65537, 2**64])
def test_a_block_of_rows_has_a_size(tmp_path: Path, rows: int) -> None:
    expected = f"batch_size: expected an integer from 1 to 65536, got {rows}"
    with pytest.raises(ValueError, match=expected):
        darkqi.arena("flipping", [first_legal, "greedy"], 2, batch_size=rows)
    with pytest.raises(ValueError, match=expected):
        darkqi.selfplay("flipping", tmp_path, 2, agents=first_legal, batch_size=rows)


@pytest.mark.parametrize(
    ("agents", "fault"),
    [
        ([3, "greedy"], "expected the name of an agent, a dict or a callable, got int"),
        ({"greedy", "random"}, "agents: expected a sequence"),
        (frozenset(["greedy", "random"]), "agents: expected a sequence"),
    ],
)
def test_agents_without_an_order_are_refused(agents: Any, fault: str, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=fault):
        darkqi.arena("flipping", agents, 2)
    with pytest.raises(TypeError, match=fault):
        darkqi.selfplay("flipping", tmp_path / "data", 2, agents=agents)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_opponent_leaves_an_env_that_can_be_reset() -> None:
    is_broken = False

    def policy(*rows: Any) -> Any:
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
        if groups == 2:
            with pytest.raises(RuntimeError, match="there are no rows; call reset first"):
                env.recv()
        # One group may be whole.
        with pytest.raises(RuntimeError, match="reset all lanes first"):
            env.reset(lanes=np.arange(6) > 0)
        env.reset([None, 1, 2, 3, 4, 5])
        env.step(env.sample_actions())


def test_gymnasium_goes_on_after_an_opponent_has_failed() -> None:
    gymnasium = pytest.importorskip("darkqi.gymnasium")
    is_broken = False

    def policy(*rows: Any) -> Any:
        if is_broken:
            raise ValueError("broken")
        return first_legal(*rows)

    for make in (gymnasium.Env, lambda *words, **given: gymnasium.VectorEnv(*words, 3, **given)):
        is_broken = False
        env, is_broken = make("flipping", opponent=policy, seat=1), True
        # The opponent moves first.
        with pytest.raises(ValueError, match="broken"):
            env.reset(seed=1)
        is_broken = False
        env.reset()
        env.reset(seed=1)


def test_an_env_ends_in_its_own_thread() -> None:
    held: list[Any] = []
    took, is_alone, done = (threading.Event() for _ in range(3))

    def policy(*rows: Any) -> Any:
        env = held[0] if held else None
        if env is not None:
            took.set()
            assert is_alone.wait(60)
            del env
            done.set()
        return first_legal(*rows)

    env = darkqi.make("flipping", 2, opponent=policy, groups=2)
    env.reset()
    env.recv()
    held.append(env)
    env.send(env.sample_actions())
    assert took.wait(60)
    held.clear()
    del env
    is_alone.set()
    assert done.wait(60)


def test_endless_agents_are_refused(tmp_path: Path) -> None:
    agents: Any = itertools.repeat("random")
    with pytest.raises(ValueError, match="agents: expected at most 100000 items"):
        darkqi.arena("flipping", agents, 2)
    with pytest.raises(ValueError, match="agents: expected at most 100000 items"):
        darkqi.selfplay("flipping", tmp_path / "data", 2, agents=agents)


SETTING = contextvars.ContextVar("SETTING", default="unset")


# What plays with a policy beside others.
CALLS: dict[str, Callable[[Any, Path], object]] = {
    "selfplay": lambda policy, folder: darkqi.selfplay("flipping", folder / "x", 6, agents=policy),
    "arena": lambda policy, _: darkqi.arena("flipping", [policy, "random"], 6),
    "step": lambda policy, _: step(policy),
    "choose": lambda policy, _: darkqi.State("flipping", 1).choose(policy),
}


def step(opponent: Any) -> None:
    env = darkqi.make("flipping", 2, seed=1, opponent=opponent, seat=1)
    env.reset()
    env.step(env.sample_actions())


@pytest.fixture(params=CALLS)
def call(request: pytest.FixtureRequest) -> Callable[[Any, Path], object]:
    """Returns each call that asks policies in turn."""
    return CALLS[request.param]


def test_a_policy_sees_what_is_set_in_the_thread_of_the_call(
    call: Callable[[Any, Path], object], tmp_path: Path
) -> None:
    seen = set()
    own = threading.local()

    def policy(*rows: Any) -> Any:
        name = getattr(own, "name", None)
        seen.add((threading.get_ident(), SETTING.get(), name, np.geterr()["divide"]))
        return first_legal(*rows)

    def caller(name: str) -> int:
        SETTING.set(name)
        own.name = name
        with np.errstate(divide="raise"):
            call(policy, tmp_path)
        return threading.get_ident()

    with ThreadPoolExecutor(1) as other:
        thread = other.submit(caller, "other").result()
    assert seen == {(thread, "other", "other", "raise")}


RECURSION = """
import sys, tempfile
import darkqi

# As some libraries set it.
sys.setrecursionlimit(10_000)


def deep(x):
    # Through native code, which takes the stack of the thread.
    return list(map(deep, [x]))


def policy(observation, action_mask, player):
    return deep(0)


try:
    if sys.argv[1] == "arena":
        darkqi.arena("flipping", [policy, "random"], 2)
    elif sys.argv[1] == "groups":
        env = darkqi.make("flipping", 2, seed=1, opponent=policy, seat=1, groups=2)
        env.reset()
        env.step(env.sample_actions())
    else:
        darkqi.selfplay("flipping", tempfile.mkdtemp() + "/data", 2, agents=policy)
except RecursionError:
    print("refused")
"""


@pytest.mark.parametrize("what", ["arena", "selfplay", "groups"])
def test_endless_recursion_in_a_policy_is_an_exception(what: str) -> None:
    assert python(RECURSION, what) == "refused\n"


def test_a_policy_may_play_games_of_its_own(tmp_path: Path) -> None:
    def outer(*rows: Any) -> Any:
        assert darkqi.arena("flipping", [first_legal, "random"], 2, threads=2).complete
        return first_legal(*rows)

    settings: dict[str, Any] = {"threads": 2, "max_plies": 3, "batch_size": 2}
    summary = darkqi.selfplay("flipping", tmp_path / "data", 4, agents=outer, **settings)
    assert summary.games == 4


@pytest.mark.parametrize("threads", [1, 3])
def test_ctrl_c_ends_the_call_of_a_policy(threads: int, tmp_path: Path) -> None:
    def policy(*_rows: Any) -> Any:
        for _ in range(1000):
            time.sleep(0.01)
        raise AssertionError

    with interrupted(after=0.3):
        darkqi.selfplay("flipping", tmp_path / "data", 50, agents=policy, threads=threads)
    with interrupted(after=0.3):
        darkqi.arena("flipping", [policy, "random"], 50, threads=threads)
