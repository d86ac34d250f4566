"""Bad input to a batch: it is named and has no effect."""

import itertools
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import darkqi

LANES = 3


class Watched:
    """A batch after some plies, with a fingerprint of its state."""

    def __init__(self, game: str) -> None:
        # The same arrays every time: what a faulty call writes shows.
        self.env = darkqi.make(game, LANES, seed=1, final_observation=True, copy=False)
        self.ts = self.env.reset()
        for _ in range(4):
            self.env.step(self.env.sample_actions())

    def fingerprint(self) -> list[Any]:
        ts = self.ts
        buffers = [
            ts.observation,
            ts.action_mask,
            ts.current_player,
            ts.reward,
            ts.terminated,
            ts.truncated,
            ts.forfeited,
            ts.final_observation,
            ts.final_player,
        ]
        games = [self.env.state(lane).fen() for lane in range(LANES)]
        return [*(None if array is None else array.tobytes() for array in buffers), *games]

    def legal(self) -> list[int]:
        return [self.env.state(lane).legal_actions()[0] for lane in range(LANES)]


@pytest.mark.parametrize("lane", range(LANES))
def test_illegal_actions_change_nothing(game: str, lane: int) -> None:
    watched = Watched(game)
    before = watched.fingerprint()
    state = watched.env.state(lane)
    illegal = int(np.flatnonzero(~watched.ts.action_mask[lane])[0])
    count = watched.env.spec.num_actions
    unknown = f"is no action of {game}; expected an index from 0 to {count - 1}"
    named = f"{state.action_name(illegal)} (action {illegal}) is not legal here; the "
    for bad, message in (
        (illegal, named),
        (-1, f"action -1 {unknown}"),
        (count, f"action {count} {unknown}"),
        (2**63 - 1, f"action {2**63 - 1} {unknown}"),
    ):
        actions = watched.legal()
        actions[lane] = bad
        for form in (actions, np.array(actions)):
            with pytest.raises(darkqi.IllegalActionError) as caught:
                watched.env.step(form)
            assert str(caught.value).startswith(f"lane {lane}: {message}")
        assert watched.fingerprint() == before
    watched.env.step(watched.legal())
    assert watched.fingerprint() != before


@pytest.mark.parametrize(
    ("actions", "error", "found"),
    [
        ([0, 0], ValueError, r"\(2,\)"),
        ([0, 0, 0, 0], ValueError, r"\(4,\)"),
        ([], ValueError, r"\(0,\)"),
        (0, ValueError, r"\(\)"),
        ([[0], [0], [0]], ValueError, r"\(3, 1\)"),
        (np.zeros((1, LANES), np.int64), ValueError, r"\(1, 3\)"),
        (None, ValueError, "object"),
        ([0.0, 0.0, 0.0], TypeError, "float64"),
        (np.zeros(LANES, np.float32), TypeError, "float32"),
        ([True, False, True], TypeError, "bool"),
        (["a1", "a2", "a3"], TypeError, "<U2"),
        ([0, None, 0], TypeError, "object"),
        ([0, 0, 2**100], TypeError, "object"),
    ],
)
def test_shapes_and_dtypes_are_named(actions: Any, error: type[Exception], found: str) -> None:
    watched = Watched("jieqi")
    before = watched.fingerprint()
    expected = r"expected shape \(3,\) and integers such as int64, got shape "
    with pytest.raises(error, match=f"^actions: {expected}.*{found}"):
        watched.env.step(actions)
    assert watched.fingerprint() == before


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i8", ">u2"])
def test_any_integers_are_accepted(kind: str) -> None:
    # The first action of gaiqi has index 0 and fits the smallest dtype.
    one, other = darkqi.make("gaiqi", LANES, seed=0), darkqi.make("gaiqi", LANES, seed=0)
    one.step(np.zeros(LANES, kind))
    other.step([0] * LANES)
    assert [one.state(i) for i in range(LANES)] == [other.state(i) for i in range(LANES)]


def test_any_memory_layout_is_accepted() -> None:
    env = darkqi.make("jieqi", LANES, seed=1)
    actions = env.sample_actions()
    spread = np.repeat(actions, 2)[::2]
    backwards = actions[::-1].copy()[::-1]
    raw = np.frombuffer(b"x" + actions.tobytes(), np.uint8)[1:].view(np.int64)
    assert not spread.flags.c_contiguous
    assert not raw.flags.aligned
    expected = darkqi.make("jieqi", LANES, seed=1).step(actions).observation
    for form in (spread, backwards, raw, actions.tolist(), tuple(actions)):
        again: Any = form
        assert np.array_equal(env.reset(seed=1) and env.step(again).observation, expected)


def test_actions_are_only_read() -> None:
    env = darkqi.make("jieqi", LANES, seed=0)
    actions = env.sample_actions()
    actions.flags.writeable = False
    env.step(actions)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-3, 2600), min_size=LANES, max_size=LANES))
def test_a_step_plays_in_all_lanes_or_in_none(actions: list[int]) -> None:
    watched = Watched("jieqi")
    before = watched.fingerprint()
    legal = [
        action in watched.env.state(lane).legal_actions() for lane, action in enumerate(actions)
    ]
    if all(legal):
        watched.env.step(actions)
        assert watched.fingerprint() != before
    else:
        with pytest.raises(darkqi.IllegalActionError, match=f"^lane {legal.index(False)}: "):
            watched.env.step(actions)
        assert watched.fingerprint() == before


@pytest.mark.parametrize("groups", [1, 2])
def test_unsigned_actions_are_shown_as_they_were_given(groups: int) -> None:
    env = darkqi.make("jieqi", LANES, seed=1, groups=groups)
    env.reset()
    actions = env.sample_actions().astype(np.uint64)
    actions[2] = 2**64 - 1
    with pytest.raises(darkqi.IllegalActionError, match=f"^lane 2: action {2**64 - 1} is no"):
        env.step(actions)
    if groups == 2:
        env.recv()
        env.send(env.sample_actions())
        env.recv()
        with pytest.raises(darkqi.IllegalActionError, match=f"^lane 2: action {2**64 - 1} is no"):
            env.send(actions[2:])
    forfeits = darkqi.make("jieqi", LANES, seed=1, illegal="forfeit")
    assert forfeits.step(actions).forfeited.tolist() == [False, False, True]

    def policy(_rows: Any, mask: Any, _player: Any) -> Any:
        return np.full(len(mask), 2**64 - 1, np.uint64)

    with pytest.raises(RuntimeError, match=f"lane 0: .* actions from 0 to .*, got {2**64 - 1}$"):
        darkqi.make("jieqi", LANES, seed=1, opponent=policy, seat=1)


@pytest.mark.parametrize("lane", [True, "0", 0.0, None])
def test_lanes_are_integers(lane: Any) -> None:
    with pytest.raises(TypeError, match=r"^lane: expected an integer, got "):
        darkqi.make("jieqi", LANES, seed=0).state(lane)


@pytest.mark.parametrize("lane", [-1, LANES, 2**80, -(2**80)])
def test_lanes_are_named(lane: int) -> None:
    with pytest.raises(IndexError, match=f"^lane {lane}: expected a lane from 0 to 2$"):
        darkqi.make("jieqi", LANES, seed=0).state(lane)


@pytest.mark.parametrize("viewer", [2, -1, "red", "", True, None, 1.0])
def test_viewers_are_named(viewer: Any) -> None:
    env = darkqi.make("jieqi", LANES, seed=0)
    with pytest.raises(ValueError, match=r'^viewer .*: expected a seat from 0 to 1 or "public"$'):
        env.observe(viewer)


def test_read_only_arrays_are_an_error_not_a_change() -> None:
    watched = Watched("jieqi")
    before = watched.fingerprint()
    watched.ts.reward.flags.writeable = False
    with pytest.raises(Exception, match="not writeable"):
        watched.env.step(watched.legal())
    assert watched.fingerprint() == before
    watched.ts.reward.flags.writeable = True
    watched.env.step(watched.legal())


def test_the_arrays_cannot_be_set() -> None:
    ts = darkqi.make("jieqi", LANES, seed=0).reset()
    with pytest.raises(AttributeError):
        setattr(ts, "reward", np.zeros(3))  # noqa: B010


def test_writing_into_the_mask_makes_nothing_legal() -> None:
    watched = Watched("jieqi")
    illegal = int(np.flatnonzero(~watched.ts.action_mask[0])[0])
    watched.ts.action_mask[:] = True
    actions = watched.legal()
    actions[0] = illegal
    with pytest.raises(darkqi.IllegalActionError):
        watched.env.step(actions)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("element", ["f8", "u1"])
def test_rows_of_changed_dtype_are_refused_and_nothing_is_played(groups: int, element: str) -> None:
    env = darkqi.make("gaiqi", 4, seed=3, groups=groups, copy=False)
    reward = env.reset().reward
    before = [env.state(lane).fen() for lane in range(4)]
    actions = env.sample_actions()
    # numpy allows a change of the dtype of a view.
    reward.dtype = element  # type: ignore[assignment, misc]
    with pytest.raises((TypeError, ValueError)):
        env.step(actions)
    assert [env.state(lane).fen() for lane in range(4)] == before
    reward.dtype = "f4"  # type: ignore[assignment, misc]
    env.step(actions)
    assert [env.state(lane).fen() for lane in range(4)] != before


def reform(array: Any, attribute: str, value: Any) -> None:
    """Gives an array another form in place, which new versions of numpy advise against."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        setattr(array, attribute, value)


# Forms with as many bytes as the array was made with.
FORMS: list[tuple[str, str, Any]] = [
    ("reward", "shape", (8,)),
    ("reward", "shape", (2, 4)),
    ("reward", "dtype", np.int32),
    ("reward", "dtype", np.dtype(np.float32).newbyteorder()),
    ("observation", "shape", (-1,)),
    ("current_player", "dtype", np.uint8),
    ("terminated", "dtype", np.uint8),
    ("action_mask", "dtype", np.uint8),
    ("final_observation", "dtype", np.int8),
]


@pytest.mark.parametrize(("name", "attribute", "value"), FORMS)
def test_rows_of_another_form_are_refused_and_nothing_is_played(
    name: str, attribute: str, value: Any
) -> None:
    env = darkqi.make("gaiqi", 4, seed=3, copy=False, final_observation=True)
    ts = env.reset()
    array = getattr(ts, name)
    before, form = [env.state(lane).fen() for lane in range(4)], getattr(array, attribute)
    actions = env.sample_actions()
    reform(array, attribute, value)
    calls: list[Callable[[], object]] = [lambda: env.step(actions), env.reset]
    for call in calls:
        with pytest.raises(ValueError, match=f"^{name}: expected the array as it was made"):
            call()
        assert [env.state(lane).fen() for lane in range(4)] == before
    reform(array, attribute, form)
    env.step(actions)
    assert [env.state(lane).fen() for lane in range(4)] != before


def test_rows_of_a_group_in_another_form_are_refused() -> None:
    env = darkqi.make("gaiqi", 4, seed=3, copy=False, groups=2)
    env.reset()
    reward = env.recv().reward
    reform(reward, "shape", (4,))
    with pytest.raises(ValueError, match=r"^reward: expected the array as it was made"):
        env.send(env.sample_actions())
    reform(reward, "shape", (2, 2))
    env.send(env.sample_actions())
    env.wait()


@pytest.mark.parametrize(("attribute", "value"), [("shape", (6,)), ("dtype", np.int32)])
def test_results_in_another_form_are_not_kept(attribute: str, value: Any) -> None:
    env = darkqi.make("gaiqi", 3, seed=3)
    ts = env.reset()
    reform(ts.reward, attribute, value)
    with pytest.raises(ValueError, match=r"^reward: the lanes that are kept: expected shape"):
        env.reset(lanes=np.array([True, False, False]))
    env.reset()
    env.reset(lanes=np.array([True, False, False]))


def test_a_seat_that_never_comes_to_move_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^seat: expected one that comes to move; "):
        darkqi.make("jieqi", 1, seed=0, opponent="random", seat=1, max_plies=1)
    # Without `seat`, only seats that come to move are sampled.
    ts = darkqi.make("jieqi", 50, seed=0, opponent="random", max_plies=1).reset()
    assert not ts.current_player.any()
    assert ts.action_mask.any(axis=1).all()


MANY_LANES = """
import resource
import darkqi

resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
try:
    darkqi.make("gaiqi", 10_000_000, observation="tokens", mask="bits", threads=1)
except MemoryError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on memory")
def test_too_many_lanes_are_an_error_and_not_a_crash() -> None:
    run = subprocess.run([sys.executable, "-c", MANY_LANES], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "num_envs: there is no memory for 10000000 lanes\n"


def test_names_that_are_not_unicode_are_refused() -> None:
    state = darkqi.State("jieqi", seed=0)
    for call in (state.apply, state.action_index, state.reveals):
        with pytest.raises(UnicodeEncodeError):
            call("\ud800")


class Lying:
    """A sequence of seeds that tells another length than it has."""

    def __init__(self, seeds: Any, told: int) -> None:
        self.seeds = seeds
        self.told = told

    def __len__(self) -> int:  # noqa: D105
        return self.told

    def __iter__(self) -> Any:  # noqa: D105
        return iter(self.seeds)


def test_seeds_are_counted_as_they_are_read() -> None:
    env = darkqi.make("jieqi", LANES)
    env.reset()
    wrong: list[Any] = [Lying([1, 2], 3), Lying(range(5), 3), Lying(itertools.count(), 3)]
    for seeds in wrong:
        with pytest.raises(ValueError, match="seed: expected an integer or one for each of 3"):
            env.reset(seeds)
    for unordered in ({1, 2, 3}, {1: 1, 2: 2, 3: 3}, b"abc"):
        with pytest.raises(TypeError, match="seed: expected an integer"):
            env.reset(unordered)  # type: ignore[arg-type]
    env.reset([1, 2, 3])


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


def test_sequences_without_an_end_are_refused() -> None:
    state = darkqi.State("jieqi", 1)
    with pytest.raises(ValueError, match="marked: expected at most 100000 items"):
        state.render("svg", marked=itertools.repeat("a1"))  # type: ignore[arg-type]


def test_masked_arrays_are_refused(tmp_path: Path) -> None:
    env = darkqi.make("banqi", 2, 0, log=tmp_path / "data")
    env.reset()
    before = [env.state(lane).fen() for lane in (0, 1)]
    actions = env.sample_actions()
    masked = np.ma.array(actions, mask=[False, True])
    value = np.ma.array(np.zeros((2, 2), np.float32), mask=True)
    policy = np.ma.array(np.zeros((2, env.spec.num_actions), np.float32), mask=True)
    lanes = np.ma.array([True, True], mask=[True, False])
    state = darkqi.State("banqi", 0)
    one: Any = np.ma.array(5, mask=True)
    calls: dict[str, Any] = {
        "actions: expected an array without a mask": lambda: env.step(masked),
        "actions: expected an array .* a masked array": lambda: env.step(list(masked)),
        "value: expected an array without a mask": lambda: env.step(actions, value),
        "policy: expected an array without a mask": lambda: env.step(actions, policy=policy),
        "seed: expected an array without a mask": lambda: env.reset(masked),
        "lanes: expected an array without a mask": lambda: env.reset(lanes=lanes),
        "seed: expected an integer .* got MaskedArray": lambda: darkqi.State("banqi", one),
        "num_envs: expected an integer .* got MaskedArray": lambda: darkqi.make("banqi", one),
        r"action: expected an index \(int\) .* got MaskedArray": lambda: state.apply(one),
        "lane: expected an integer, got MaskedArray": lambda: env.state(one),
        "option `max_plies`: .* got MaskedArray": lambda: darkqi.spec("banqi", max_plies=one),
    }
    for message, call in calls.items():
        with pytest.raises(TypeError, match=message):
            call()
    assert [env.state(lane).fen() for lane in (0, 1)] == before
    groups = darkqi.make("banqi", 4, 0, groups=2)
    groups.reset()
    groups.recv()
    with pytest.raises(TypeError, match="actions: expected an array without a mask"):
        groups.send(masked)
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
