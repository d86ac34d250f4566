"""Batches: the rows of a step, and bad input, which is named and has no effect.

`test_machine.py` compares lanes with single games in any sequence of calls, and `test_laws.py` with
every adapter.
"""

import itertools
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common import arrays, python

import darkqi

LANES = 4


def test_shapes_and_dtypes(game: str) -> None:
    spec = darkqi.spec(game)
    actions = spec.num_actions
    for observation, shape in ("planes", spec.observation_shape), ("tokens", spec.token_shape):
        for mask, width, kind in (
            ("bool", actions, np.bool_),
            ("bits", (actions + 7) // 8, np.uint8),
        ):
            options: dict[str, Any] = {"observation": observation, "mask": mask}
            env = darkqi.make(game, LANES, seed=0, final_observation=True, **options)
            found = {n: (array.shape, array.dtype.type) for n, array in arrays(env.reset()).items()}
            assert found == {
                "observation": ((LANES, *shape), np.uint8),
                "action_mask": ((LANES, width), kind),
                "current_player": ((LANES,), np.int8),
                "reward": ((LANES, spec.num_players), np.float32),
                "terminated": ((LANES,), np.bool_),
                "truncated": ((LANES,), np.bool_),
                "forfeited": ((LANES,), np.bool_),
                "final_observation": ((LANES, *shape), np.uint8),
                "final_player": ((LANES,), np.int8),
            }
    first, second = env.sample_actions(), env.sample_actions()
    assert (first.shape, first.dtype.name) == ((LANES,), "int64")
    assert first.ctypes.data != second.ctypes.data


def test_covered_pieces_are_what_the_mover_would_see_face_up(game: str) -> None:
    env = darkqi.make(game, 8, seed=0)
    squares = int(np.prod(env.spec.board_shape))
    env.reset()
    compared = 0
    for _ in range(20):
        ts = env.step(env.sample_actions())
        covered = env.covered_pieces()
        assert (covered.dtype, covered.shape) == (np.dtype(np.uint8), (8, squares))
        for lane in range(8):
            state, seat = env.state(lane), int(ts.current_player[lane])
            fen = state.fen()
            marks = [place for place, letter in enumerate(fen.split(" ")[0]) if letter == "~"]
            assert np.count_nonzero(covered[lane]) == len(marks)
            before = state.observation(seat, format="tokens")[:squares]
            for place in marks:
                try:
                    shown = darkqi.State.from_fen(game, fen[:place] + fen[place + 1 :])
                except darkqi.FenError:
                    continue  # face up it would give check
                after = shown.observation(seat, format="tokens")[:squares]
                (square,) = np.flatnonzero(before != after)
                assert covered[lane, square] == after[square]
                compared += 1
    assert (compared > 1000) == ("~" in darkqi.State(game, seed=0).fen())


def test_attributes_and_reprs() -> None:
    env = darkqi.make("jieqi", seed=0, num_envs=6, observation="tokens", captured="public")
    assert len(env) == env.num_envs == 6
    assert env.spec.name == "jieqi"
    assert (env.seeds.dtype.name, env.seeds.shape) == ("uint64", (6,))
    for part in ("jieqi", "num_envs=6", "tokens", "'captured': 'public'"):
        assert part in repr(env)
    ts = env.reset()
    assert repr(ts).startswith("TimeStep(observation=(6, ")
    assert ts.final_observation is None
    with pytest.raises(AttributeError):
        setattr(ts, "reward", np.zeros(3))  # noqa: B010


def fingerprint(env: darkqi.Env, ts: darkqi.TimeStep) -> list[Any]:
    """Returns the games and the rows of an env that shares its arrays."""
    games = [env.state(lane).fen() for lane in range(len(env))]
    return [*(array.tobytes() for array in arrays(ts).values()), *games]


@pytest.mark.parametrize("groups", [1, 2])
def test_bad_actions_are_named_and_change_nothing(game: str, groups: int) -> None:
    env = darkqi.make(
        game, 2 * LANES, 1, groups=groups, final_observation=True, copy=False, illegal="raise"
    )
    ts = env.reset()
    for _ in range(4):
        env.step(env.sample_actions())
    play: Callable[[Any], object] = env.step
    first, count = 0, 2 * LANES
    if groups == 2:
        # The rows and the lanes of the second group.
        env.recv()
        env.send(env.sample_actions())
        env.wait()
        ts, play, first, count = env.recv(), env.send, LANES, LANES
    legal = env.sample_actions()
    before = fingerprint(env, ts)
    illegal = int(np.flatnonzero(~ts.action_mask[1])[0])
    most = env.spec.num_actions
    unknown = f"is no action of {game}; expected an index from 0 to {most - 1}"
    named = (
        f"{env.state(first + 1).action_name(illegal)} (action {illegal}) is not legal here; the "
    )
    for bad, message in (
        (illegal, named),
        (-1, f"action -1 {unknown}"),
        (most, f"action {most} {unknown}"),
        (2**63 - 1, f"action {2**63 - 1} {unknown}"),
        # As it was given, though the others are no more than 63 bits.
        (2**64 - 1, f"action {2**64 - 1} {unknown}"),
    ):
        chosen = [int(legal[0]), bad, *legal[2:].tolist()]
        kind = np.uint64 if bad >= 2**63 else np.int64
        for form in (np.array(chosen, kind), *([chosen] if bad < 2**63 else [])):
            with pytest.raises(darkqi.IllegalActionError) as caught:
                play(form)
            assert str(caught.value).startswith(f"lane {first + 1}: {message}")
            assert (caught.value.lane, caught.value.action) == (first + 1, bad)
    expected = rf"^actions: expected shape \({count},\) and integers such as int64, got shape "
    malformed: list[tuple[Any, type[Exception], str]] = [
        (legal[:-1], ValueError, rf"\({count - 1},\)"),
        (np.append(legal, 0), ValueError, rf"\({count + 1},\)"),
        ([], ValueError, r"\(0,\)"),
        (0, ValueError, r"\(\)"),
        (legal[:, None], ValueError, rf"\({count}, 1\)"),
        (None, ValueError, "object"),
        (legal.astype(np.float32), TypeError, "float32"),
        (legal.astype(bool), TypeError, "bool"),
        (["a1"] * count, TypeError, "<U2"),
        ([*legal[1:].tolist(), None], TypeError, "object"),
        ([*legal[1:].tolist(), 2**100], TypeError, "object"),
    ]
    for actions, error, found in malformed:
        with pytest.raises(error, match=f"{expected}.*{found}"):
            play(actions)
    env.wait()
    assert fingerprint(env, ts) == before
    play(legal)
    env.wait()
    assert fingerprint(env, ts) != before


def test_any_integers_in_any_memory_are_actions() -> None:
    env = darkqi.make("gaiqi", LANES, seed=1)
    actions = np.array([0, 1, 2, 0])
    expected = env.step(actions).observation
    spread, backwards = np.repeat(actions, 2)[::2], actions[::-1].copy()[::-1]
    unaligned = np.frombuffer(b"x" + actions.tobytes(), np.uint8)[1:].view(np.int64)
    fixed = actions.copy()
    fixed.flags.writeable = False
    assert not spread.flags.c_contiguous
    assert not unaligned.flags.aligned
    kinds = ["i1", "i2", "i4", "u1", "u2", "u4", "u8", ">i8", ">u2"]
    forms: list[Any] = [spread, backwards, unaligned, fixed, actions.tolist(), tuple(actions)]
    for form in [*forms, *map(actions.astype, kinds)]:
        env.reset(seed=1)
        assert np.array_equal(env.step(form).observation, expected)
    forfeiting = darkqi.make("gaiqi", LANES, seed=1, illegal="forfeit")
    actions = np.array([0, 1, 2, 2**64 - 1], np.uint64)
    assert forfeiting.step(actions).forfeited.tolist() == [False, False, False, True]


def test_writing_into_the_mask_makes_nothing_legal() -> None:
    env = darkqi.make("jieqi", LANES, 1, copy=False)
    ts = env.reset()
    actions = env.sample_actions()
    actions[0] = int(np.flatnonzero(~ts.action_mask[0])[0])
    ts.action_mask[:] = True
    with pytest.raises(darkqi.IllegalActionError):
        env.step(actions)


def reform(array: Any, attribute: str, value: Any) -> None:
    """Gives an array another form in place, which new versions of numpy advise against."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        if attribute == "writeable":
            array.flags.writeable = value
        else:
            setattr(array, attribute, value)


FORMS: list[tuple[str, str, Any]] = [
    ("reward", "shape", (8,)),
    ("reward", "shape", (2, 4)),
    ("reward", "dtype", np.int32),
    ("reward", "dtype", np.dtype(np.float32).newbyteorder()),
    ("reward", "dtype", np.float64),
    ("reward", "dtype", np.uint8),
    ("reward", "writeable", False),
    ("observation", "shape", (-1,)),
    ("current_player", "dtype", np.uint8),
    ("terminated", "dtype", np.uint8),
    ("action_mask", "dtype", np.uint8),
    ("final_observation", "dtype", np.int8),
]


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize(("name", "attribute", "value"), FORMS)
def test_rows_of_another_form_are_refused_and_nothing_is_played(
    name: str, attribute: str, value: Any, groups: int
) -> None:
    lanes = 4 * groups
    env = darkqi.make("gaiqi", lanes, 3, copy=False, final_observation=True, groups=groups)
    ts = env.reset()
    calls: list[Callable[[], object]] = [lambda: env.step(actions), env.reset]
    if groups == 2:
        ts, calls = env.recv(), [lambda: env.send(actions)]
    array = getattr(ts, name)
    before = [env.state(lane).fen() for lane in range(lanes)]
    form = True if attribute == "writeable" else getattr(array, attribute)
    actions = env.sample_actions()
    reform(array, attribute, value)
    fault = (
        "not writeable" if attribute == "writeable" else f"^{name}: expected the array as it was"
    )
    for call in calls:
        with pytest.raises((TypeError, ValueError), match=fault):
            call()
        env.wait()
        assert [env.state(lane).fen() for lane in range(lanes)] == before
    reform(array, attribute, form)
    calls[0]()
    env.wait()
    assert [env.state(lane).fen() for lane in range(lanes)] != before


@pytest.mark.parametrize(("attribute", "value"), [("shape", (6,)), ("dtype", np.int32)])
def test_results_in_another_form_are_not_kept(attribute: str, value: Any) -> None:
    env = darkqi.make("gaiqi", 3, seed=3)
    ts = env.reset()
    reform(ts.reward, attribute, value)
    with pytest.raises(ValueError, match=r"^reward: the lanes that are kept: expected shape"):
        env.reset(lanes=np.array([True, False, False]))
    env.reset()
    env.reset(lanes=np.array([True, False, False]))


def test_any_byte_but_0_is_true() -> None:
    env = darkqi.make("gaiqi", 3, seed=3)
    env.reset()
    seeds = env.seeds
    env.reset(lanes=np.array([2, 0, 255], np.uint8).view(np.bool_))
    assert [one == other for one, other in zip(seeds, env.seeds, strict=True)] == [
        False,
        True,
        False,
    ]


WHOLE = "expected an integer from"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"num_envs": 0}, ValueError, f"num_envs: {WHOLE} 1 .* got 0"),
        ({"num_envs": -1}, ValueError, f"num_envs: {WHOLE} 1 .* got -1"),
        ({"num_envs": 1.0}, TypeError, f"num_envs: {WHOLE} 1 .* got float"),
        ({"num_envs": 10**12}, MemoryError, "Unable to allocate"),
        ({"seed": "1"}, TypeError, rf"seed: {WHOLE} -2\*\*63 .* got str"),
        ({"threads": 0}, ValueError, f"threads: {WHOLE} 1 .* got 0"),
        ({"groups": 0}, ValueError, "^groups: expected .*, got 0"),
        ({"groups": -1}, ValueError, "^groups: expected .*, got -1"),
        ({"groups": 6}, ValueError, "^groups: expected .*, got 6"),
        ({"groups": 2**70}, ValueError, f"^groups: expected .*, got {2**70}"),
        ({"observation": "rgb"}, ValueError, 'observation: expected "planes" or "tokens"'),
        ({"mask": "float"}, ValueError, 'mask: expected "bool" or "bits", got "float"'),
        ({"observation": 3}, TypeError, "observation"),
        (
            {"opponent": "random", "seat": 1, "max_plies": 1},
            ValueError,
            "^seat: expected one that comes to move; ",
        ),
    ],
)
def test_bad_arguments_of_make_are_named(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        darkqi.make("jieqi", **{"num_envs": 5, **arguments})


def test_only_seats_that_come_to_move_are_sampled() -> None:
    ts = darkqi.make("jieqi", 50, seed=0, opponent="random", max_plies=1).reset()
    assert not ts.current_player.any()
    assert ts.action_mask.any(axis=1).all()


class Lying:
    """A sequence of seeds that tells another length than it has."""

    def __init__(self, seeds: Any) -> None:
        self.seeds = seeds

    def __len__(self) -> int:  # noqa: D105
        return LANES

    def __iter__(self) -> Any:  # noqa: D105
        return iter(self.seeds)


def test_bad_arguments_of_calls_are_named() -> None:
    env, state = darkqi.make("jieqi", LANES, 0), darkqi.State("jieqi", 0)
    ts = env.reset()
    before = ts.copy()
    calls: list[tuple[Callable[[Any], Any], Any, Any, str]] = [
        (env.state, [True, "0", 0.0, None], TypeError, "^lane: expected an integer, got "),
        (
            env.state,
            [-1, LANES, 2**80, -(2**80)],
            IndexError,
            "^lane .*: expected a lane from 0 to",
        ),
        (
            env.observe,
            [2, -1, "red", "", True, None, 1.0],
            ValueError,
            r'^viewer .*: expected a seat from 0 to 1 or "public"$',
        ),
        (
            env.reset,
            [Lying([1, 2]), Lying(range(5)), Lying(itertools.count())],
            ValueError,
            f"seed: expected an integer or one for each of {LANES}",
        ),
        (env.reset, [{1, 2, 3, 4}, {1: 1}, b"abcd"], TypeError, "seed: expected an integer"),
        (state.apply, ["\ud800"], UnicodeEncodeError, "surrogates"),
        (state.action_index, ["\ud800"], UnicodeEncodeError, "surrogates"),
        (state.reveals, ["\ud800"], UnicodeEncodeError, "surrogates"),
        (
            lambda marked: state.render("svg", marked=marked),
            [itertools.repeat("a1")],
            ValueError,
            "marked: expected at most 100000 items",
        ),
    ]
    for call, wrong, error, message in calls:
        for value in wrong:
            with pytest.raises(error, match=message):
                call(value)
    assert ts == before
    env.reset([1, 2, 3, 4])


def test_what_an_integer_raises_is_passed_on() -> None:
    class Broken:
        def __index__(self) -> int:
            raise KeyboardInterrupt

    state = darkqi.State("jieqi", 1)
    calls: list[Callable[[], object]] = [
        lambda: state.apply(Broken()),
        lambda: state.fen(Broken()),
        lambda: darkqi.State("jieqi", Broken()),
        lambda: darkqi.State("jieqi", 1, max_plies=Broken()),
    ]
    for call in calls:
        with pytest.raises(KeyboardInterrupt):
            call()


MANY_LANES = """
import resource
import darkqi

resource.setrlimit(resource.RLIMIT_AS, ({limit} << 20, {limit} << 20))
try:
    darkqi.make("{game}", {lanes}, observation="tokens", mask="bits", threads=1)
except MemoryError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on memory")
@pytest.mark.parametrize(
    ("game", "lanes", "limit"),
    [("gaiqi", 10_000_000, 3000), ("gaiqi", 400_000, 600), ("seven_kingdoms", 200_000, 1500)],
)
def test_too_many_lanes_are_an_error_and_not_a_crash(game: str, lanes: int, limit: int) -> None:
    """Games, masks and histories are each enough to exceed the limit."""
    found = python(MANY_LANES.format(game=game, lanes=lanes, limit=limit))
    assert found == f"num_envs: there is no memory for {lanes} lanes\n"


def test_masked_arrays_are_refused(tmp_path: Path) -> None:
    env = darkqi.make("banqi", 2, 0, log=tmp_path / "data")
    env.reset()
    before = [env.state(lane).fen() for lane in (0, 1)]
    actions = env.sample_actions()
    masked = np.ma.array(actions, mask=[False, True])
    value = np.ma.array(np.zeros((2, 2), np.float32), mask=True)
    policy = np.ma.array(np.zeros((2, env.spec.num_actions), np.float32), mask=True)
    lanes = np.ma.array([True, True], mask=[True, False])
    state, groups = darkqi.State("banqi", 0), darkqi.make("banqi", 4, 0, groups=2)
    groups.reset()
    groups.recv()
    one: Any = np.ma.array(5, mask=True)
    calls: list[tuple[str, Callable[[], Any]]] = [
        ("actions: expected an array without a mask", lambda: env.step(masked)),
        ("actions: expected an array without a mask", lambda: groups.send(masked)),
        ("actions: expected an array .* a masked array", lambda: env.step(list(masked))),
        ("value: expected an array without a mask", lambda: env.step(actions, value)),
        ("policy: expected an array without a mask", lambda: env.step(actions, policy=policy)),
        ("seed: expected an array without a mask", lambda: env.reset(masked)),
        ("lanes: expected an array without a mask", lambda: env.reset(lanes=lanes)),
        ("seed: expected an integer .* got MaskedArray", lambda: darkqi.State("banqi", one)),
        ("num_envs: expected an integer .* got MaskedArray", lambda: darkqi.make("banqi", one)),
        (r"action: expected an index \(int\) .* got MaskedArray", lambda: state.apply(one)),
        ("lane: expected an integer, got MaskedArray", lambda: env.state(one)),
        ("option `max_plies`: .* got MaskedArray", lambda: darkqi.spec("banqi", max_plies=one)),
    ]
    for message, call in calls:
        with pytest.raises(TypeError, match=message):
            call()
    assert [env.state(lane).fen() for lane in (0, 1)] == before
    # Other subclasses of arrays lose nothing.
    env.step(actions.view(np.recarray))


@pytest.mark.parametrize("place", ["actions", "value", "policy"])
def test_masked_answers_of_policies_are_refused(place: str) -> None:
    def policy(_observation: Any, mask: Any, _player: Any) -> Any:
        rows = len(mask)
        answer = {
            "actions": mask.argmax(axis=1),
            "value": np.zeros((rows, 2), np.float32),
            "policy": (mask / mask.sum(axis=1, keepdims=True)).astype(np.float32),
        }
        hidden = np.zeros(answer[place].shape, bool)
        hidden[0] = True
        return darkqi.Decisions(**answer | {place: np.ma.array(answer[place], mask=hidden)})

    with pytest.raises(TypeError, match="expected an array without a mask, got a masked array"):
        darkqi.State("banqi", 0).choose(policy, 0)
