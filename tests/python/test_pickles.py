"""Pickles and copies of what the package gives, and what cannot be pickled."""

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common import stepped

import darkqi
import darkqi.datasets

COPIES: list[Callable[[Any], Any]] = [
    copy.copy,
    copy.deepcopy,
    lambda one: one.copy() if isinstance(one, darkqi.TimeStep) else copy.copy(one),
    *(
        lambda one, protocol=protocol: pickle.loads(pickle.dumps(one, protocol))
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    ),
]


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, arrays within them by their elements."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=True)
    if isinstance(one, tuple | list):
        pairs = zip(one, other, strict=True)
        return type(one) is type(other) and all(same(*pair) for pair in pairs)
    return bool(type(one) is type(other) and one == other)


@pytest.mark.parametrize("game", darkqi.games())
def test_specs(game: str) -> None:
    plain, spec = darkqi.spec(game), darkqi.spec(game, max_plies=77)
    assert spec == darkqi.make(game, 1, 0, max_plies=77).spec
    assert spec != plain
    assert len({spec, plain, darkqi.spec(game)}) == 2
    for make in COPIES:
        again = make(spec)
        assert again == spec
        assert repr(again) == repr(spec)
        assert same(again.action_squares, spec.action_squares)
        for of in ("options", "armies", "symmetries"):
            assert same(make(getattr(spec, of)), getattr(spec, of))


@pytest.mark.parametrize("settings", [{}, {"mask": "bits", "observation": "tokens"}])
@pytest.mark.parametrize("shared", [False, True])
def test_time_steps(settings: dict[str, Any], shared: bool) -> None:
    env = darkqi.make("banqi", 6, 3, groups=2, final_observation=True, copy=not shared, **settings)
    env.reset()
    env.recv()
    env.send(env.sample_actions())
    group = env.recv()
    env.send(env.sample_actions())
    env.wait()
    for ts in (group, env.reset()):
        for make in COPIES:
            again = make(ts)
            assert again == ts
            assert again.lanes == ts.lanes
            assert again.action_mask.dtype == ts.action_mask.dtype
            assert not np.shares_memory(again.observation, ts.observation)
            again.reward[0, 0] += 1
            assert again != ts


def test_time_steps_without_finals_and_with_others() -> None:
    env = darkqi.make("banqi", 2, 0)
    ts = env.reset()
    again = pickle.loads(pickle.dumps(ts))
    assert again == ts
    assert again.final_observation is None
    with_finals = darkqi.make("banqi", 2, 0, final_observation=True).reset()
    assert ts != with_finals
    assert ts != darkqi.make("banqi", 2, 0, observation="tokens").reset()
    # The env writes neither.
    kept = again.copy()
    for _ in range(20):
        env.step(env.sample_actions())
    assert again == kept == ts


def test_broken_pickles_of_time_steps_are_refused() -> None:
    pickled: Any = darkqi.make("banqi", 2, 0).reset().__reduce__()
    restore, (first, end, fields) = pickled
    for wrong in ((first, end + 1, fields), (first, end, [None, *fields[1:]]), (1, 0, fields)):
        with pytest.raises((ValueError, TypeError)):
            restore(*wrong)
    with pytest.raises(TypeError):
        restore(first, end, [fields[0].astype(np.int64), *fields[1:]])


def test_results(tmp_path: Path) -> None:
    summary = darkqi.selfplay("banqi", tmp_path / "data", 20, agents=["greedy", "random"], seed=1)
    state = darkqi.State("banqi", 3)
    results: list[Any] = [
        summary,
        darkqi.arena("banqi", ["greedy", "random"], 8, seed=1),
        darkqi.replay(tmp_path / "data", 3),
        darkqi.verify(tmp_path / "data"),
        darkqi.agents(),
        darkqi.levels("banqi"),
        state.reveals(state.legal_actions()[0]),
        darkqi.datasets.load(tmp_path / "data").metadata,
        next(darkqi.datasets.load(tmp_path / "data").replays()),
        next(darkqi.datasets.load(tmp_path / "data").batches(16, targets=True)),
        darkqi.Decisions([1, 2], None, None),
        state,
    ]
    for result in results:
        for make in COPIES:
            assert same(make(result), result)
    dataset = darkqi.datasets.load(tmp_path / "data")
    for make in COPIES:
        assert make(dataset).num_plies == dataset.num_plies
        assert make(dataset._folder).num_plies == dataset.num_plies


def raised(call: Callable[[], Any]) -> Any:
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def test_errors_keep_their_fields(tmp_path: Path) -> None:
    env = darkqi.make("banqi", 4, 0)
    env.reset()
    state = darkqi.State("banqi", 0)

    def wrong(_observation: Any, mask: Any, _player: Any) -> Any:
        return np.full(len(mask), 40, np.int64)

    actions = env.sample_actions()
    actions[2] = 10**6
    unsigned = np.array([*actions[:3], 2**64 - 1], np.uint64)
    unsigned[2] = actions[0]
    illegal = darkqi.IllegalActionError
    faults: list[tuple[Callable[[], Any], type[Exception], dict[str, Any]]] = [
        (lambda: env.step(actions), illegal, {"lane": 2, "action": 10**6}),
        (lambda: env.step([*actions[:2], -1, 0]), illegal, {"lane": 2, "action": -1}),
        (lambda: state.apply(np.int16(999)), illegal, {"lane": None, "action": 999}),
        (lambda: state.apply(2**70), illegal, {"lane": None, "action": 2**70}),
        (lambda: state.apply("a9a9"), illegal, {"lane": None, "action": "a9a9"}),
        (lambda: state.apply("a1a2"), illegal, {"lane": None, "action": "a1a2"}),
        (lambda: state.reveals(40), illegal, {"lane": None, "action": 40}),
        (lambda: state.action_name(999), illegal, {"lane": None, "action": 999}),
        (lambda: state.action_index("z"), illegal, {"lane": None, "action": "z"}),
        (
            lambda: darkqi.selfplay("banqi", tmp_path / "data", 1, agents=[wrong]),
            illegal,
            {"lane": None, "action": 40},
        ),
        (
            lambda: darkqi.State.from_fen("banqi", "x" + state.fen()),
            darkqi.FenError,
            {"field": "board"},
        ),
        (
            lambda: darkqi.State.from_fen("banqi", state.fen().replace(" 1 ", " 3 ", 1)),
            darkqi.FenError,
            {"field": "mover"},
        ),
    ]
    for call, kind, fields in faults:
        error = raised(call)
        for again in (error, *(make(error) for make in COPIES)):
            assert type(again) is kind
            assert {name: getattr(again, name) for name in fields} == fields
            assert str(again) == str(error)
            assert again.args == (str(error),)
    step = raised(lambda: env.step(unsigned))
    assert (step.lane, step.action) == (3, 2**64 - 1)
    for kind in (illegal, darkqi.FenError, darkqi.InternalError):
        assert str(pickle.loads(pickle.dumps(kind("said")))) == "said"
    assert (illegal("said").lane, illegal("said").action) == (None, None)


def test_what_goes_on_says_what_to_do_instead(tmp_path: Path) -> None:
    darkqi.selfplay("banqi", tmp_path / "data", 4, seed=1)
    dataset = darkqi.datasets.load(tmp_path / "data")
    goes_on: list[tuple[Any, str]] = [
        (
            darkqi.make("jieqi", 4, 0),
            r"call darkqi\.make\(\"jieqi\", 4, \.\.\.\) with the same arg",
        ),
        (darkqi.make("jieqi", 4, 0, log=tmp_path / "log"), "with the same arguments and seed"),
        (dataset.replays(), "pickle the Dataset and call `replays` there"),
        (dataset.batches(4), "pickle the Dataset and call `batches` there"),
    ]
    for one, instead in goes_on:
        for make in COPIES:
            with pytest.raises(TypeError, match=f"neither pickled nor copied: .*{instead}"):
                make(one)


class Keeper:
    """A policy that keeps a spec."""

    def __init__(self, game: str) -> None:
        self.spec = darkqi.spec(game)

    def __call__(self, observation: Any, mask: Any, _player: Any) -> Any:
        assert observation.shape[1:] == self.spec.observation_shape
        return self.spec.num_actions - 1 - mask[:, ::-1].argmax(axis=1)


def play(policy: Keeper) -> tuple[list[str], darkqi.TimeStep, Any]:
    env = darkqi.make("banqi", 2, 5, opponent=policy)
    ts = stepped(env, 10)
    fens = [env.state(lane).fen() for lane in range(2)]
    return fens, ts, raised(lambda: env.step([-1, -1]))


def test_policies_that_keep_a_spec_are_sent_to_processes() -> None:
    policy = Keeper("banqi")
    fens, ts, error = play(policy)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(play, (policy,))
    assert found[0] == fens
    assert found[1] == ts
    assert (str(found[2]), found[2].lane, found[2].action) == (str(error), 0, -1)
