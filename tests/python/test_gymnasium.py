"""Gymnasium's own checks, and its vector environments against the native one."""

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from common import python
from gymnasium import wrappers
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import darkqi
import darkqi.gymnasium
from darkqi.gymnasium import Env, VectorEnv, env_id

MODES = list(AutoresetMode)


def equal(one: Any, other: Any) -> bool:
    """Returns whether two nested observations or infos are equal, ignoring dtypes."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, tuple) or (isinstance(one, np.ndarray) and one.dtype == object):
        return len(one) == len(other) and all(map(equal, one, other))
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def test_every_game_is_registered(game: str) -> None:
    single = gymnasium.make(env_id(game))
    several = gymnasium.make_vec(env_id(game), num_envs=3)
    assert isinstance(single.unwrapped, Env)
    assert isinstance(several, VectorEnv)
    assert several.single_observation_space == single.observation_space
    assert several.single_action_space == single.action_space
    assert several.reset(seed=1)[0] in several.observation_space
    assert env_id("seven_kingdoms") == "darkqi/SevenKingdoms-v0"


def test_make_imports_the_module_that_an_id_names() -> None:
    code = """
import gymnasium
one = gymnasium.make("darkqi.gymnasium:darkqi/Jieqi-v0", opponent="random")
several = gymnasium.make_vec("darkqi.gymnasium:darkqi/Jieqi-v0", num_envs=2, opponent="random")
print(one.reset(seed=1)[0]["observation"].shape, several.reset(seed=1)[0]["observation"].shape)
"""
    assert python(code) == "(39, 10, 9) (2, 39, 10, 9)\n"


def test_copies_are_new_environments() -> None:
    env = Env("gaiqi", opponent="random", action_mask="info", max_plies=9)
    env.reset(seed=1)
    for copied in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        with pytest.raises(RuntimeError, match="expected reset to be called before"):
            copied.step(0)
        assert equal(copied.reset(seed=3), env.reset(seed=3))
        assert copied.state.spec.max_plies == 9


def test_unknown_keywords_are_type_errors() -> None:
    # TorchRL's GymEnv tries this keyword and waits for the words of Python's error.
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
            make("darkqi/Jieqi-v0", frameskip=1)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_the_autoreset_mode_is_a_property(mode: AutoresetMode) -> None:
    assert VectorEnv("gaiqi", 2, autoreset_mode=mode.value).autoreset_mode is mode


@pytest.mark.parametrize(
    "options",
    [{}, {"opponent": "random"}, {"opponent": "greedy", "seat": 1, "action_mask": "info"}],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:.*wrapper.*")
def test_check_env(game: str, options: dict[str, Any]) -> None:
    for render_mode in ("ansi", "human", "rgb_array", "svg"):
        env = gymnasium.make(env_id(game), render_mode=render_mode, **options)
        check_env(env.unwrapped)


def test_frames_show_what_the_learner_sees() -> None:
    env = Env("jieqi", render_mode="rgb_array", opponent="greedy", seat=1)
    frames = wrappers.RenderCollection(env)
    _, info = frames.reset(seed=3)
    for _ in range(3):
        frames.step(int(np.flatnonzero(env.action_masks())[0]))
    pictures: Any = frames.render()
    *_, last = pictures
    assert last.dtype == np.uint8
    # Of an odd height, 637, a row of background is left out.
    assert last.shape == (636, 480, 3)
    state = env.state
    assert np.array_equal(last, state.render("rgb_array", viewer=1)[:636])
    assert not np.array_equal(last, state.render("rgb_array", viewer=0)[:636])
    lanes = VectorEnv("gaiqi", 2, render_mode="rgb_array")
    lanes.reset(seed=1)
    drawn = lanes.render()
    assert drawn is not None
    assert len(drawn) == 2
    assert info["current_player"] == 1


def test_a_human_is_shown_every_position(capsys: pytest.CaptureFixture[str]) -> None:
    env = Env("flipping", render_mode="human")
    env.reset(seed=1)
    env.step(int(np.flatnonzero(env.action_masks())[0]))
    assert env.render() is None
    assert capsys.readouterr().out.count(" to move") == 3


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("opponent", [None, "greedy"])
def test_the_native_batch_agrees_with_gymnasiums_of_single_games(
    mode: AutoresetMode, opponent: str | None
) -> None:
    # Short games, some of them truncated.
    options: dict[str, Any] = {"opponent": opponent, "quiet_limit": 6, "max_plies": 40}
    native = gymnasium.make_vec("darkqi/Gaiqi-v0", 4, autoreset_mode=mode, **options)
    single = gymnasium.make_vec(
        "darkqi/Gaiqi-v0",
        4,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        **options,
    )
    assert isinstance(native, VectorEnv)
    assert native.metadata["autoreset_mode"] == single.metadata["autoreset_mode"] == mode
    seeds = [3, 3, 8, 2**40]
    assert equal(native.reset(seed=7), single.reset(seed=7))
    ours: tuple[Any, ...] = native.reset(seed=seeds)
    theirs: tuple[Any, ...] = single.reset(seed=seeds)  # type: ignore[arg-type]
    rng = np.random.default_rng(1)
    ended = forfeits = 0
    for _ in range(400):
        assert equal(ours[0], theirs[0])
        assert equal(ours[-1], theirs[-1])
        actions = native.sample_actions()
        if rng.random() < 0.05:
            actions[rng.integers(4)] = 0
        ours, theirs = native.step(actions), single.step(actions)
        for one, other in zip(ours[1:4], theirs[1:4], strict=True):
            assert one.dtype == other.dtype
            assert one.tolist() == other.tolist()
        done = ours[2] | ours[3]
        ended += int(done.sum())
        forfeits += "illegal_action" in str(ours[-1])
        if mode is AutoresetMode.DISABLED and done.any():
            assert equal(ours[0], theirs[0])
            again = {"reset_mask": done}
            ours = native.reset(options=again)
            theirs = single.reset(options=again.copy())
    assert ended > 30
    assert forfeits > 3


def test_opponents_take_the_other_seats() -> None:
    envs = VectorEnv("gaiqi", 64, opponent="random")
    _, infos = envs.reset(seed=5)
    seats = infos["current_player"].copy()
    assert {0, 1} == set(seats.tolist())
    total = ended = 0.0
    for _ in range(300):
        running = np.array([not envs.state(lane).is_terminal for lane in range(64)])
        mask = envs.action_masks()
        assert (mask.any(axis=1) == running).all()
        _, rewards, terminated, truncated, infos = envs.step(envs.sample_actions())
        # The seat stays until the step that deals the next game.
        assert (infos["current_player"] == seats)[running].all()
        seats = infos["current_player"].copy()
        ended += (terminated | truncated).sum()
        total += rewards.sum()
        assert (np.abs(rewards) <= 1).all()
    assert ended > 200
    assert abs(total) / ended < 0.3, "random against random scores about 0"
    fixed = VectorEnv("gaiqi", 8, opponent="random", seat=1)
    assert (fixed.reset(seed=1)[1]["current_player"] == 1).all()


def test_cleanrls_wrappers_of_the_native_batch() -> None:
    games = VectorEnv("gaiqi", 8, opponent="random", action_mask="info", max_plies=30)
    envs = RecordEpisodeStatistics(wrappers.vector.FlattenObservation(games))
    seen, _ = envs.reset(seed=1)
    for _ in range(60):
        assert seen in envs.observation_space
        assert seen.shape == (8, 1152)
        seen, *_ = envs.step(games.sample_actions())
    assert envs.episode_count > 8
    # Statistics need no space and take games that are dealt in the same step, too.
    games = VectorEnv("gaiqi", 8, opponent="random", max_plies=30, autoreset_mode="SameStep")
    envs = RecordEpisodeStatistics(games)
    envs.reset(seed=1)
    for _ in range(60):
        envs.step(games.sample_actions())
    assert envs.episode_count > 8
    # Gymnasium 1.2 asserts it without a message.
    with pytest.raises((ValueError, AssertionError)):
        wrappers.vector.FlattenObservation(games)


@pytest.mark.parametrize("location", ["observation", "info"])
@pytest.mark.parametrize("copied", [True, False])
def test_writing_into_what_is_returned_changes_nothing(location: Any, copied: bool) -> None:
    one, other = (
        VectorEnv("banqi", 4, action_mask=location, copy=copied, max_plies=30) for _ in range(2)
    )
    rng = np.random.default_rng(3)
    steps: list[Any] = [one.reset(seed=1), other.reset(seed=1)]
    ended = illegal = 0
    for _ in range(60):
        actions = one.sample_actions()
        # Some games are forfeited by an action that is never legal.
        actions[rng.random(4) < 0.05] = -1
        observation, infos = steps[0][0], steps[0][-1]
        for mask in (infos if location == "info" else observation)["action_mask"]:
            mask[:] = 1
        for player in infos["current_player"], infos["rewards"]:
            player[:] = 1
        steps = [one.step(actions), other.step(actions)]
        assert equal(steps[0], steps[1])
        ended += int((steps[1][2] | steps[1][3]).sum())
        illegal += int(steps[1][-1].get("illegal_action", np.zeros(1)).sum())
    assert ended > illegal > 3


def test_a_first_reset_with_a_mask_deals_all_games() -> None:
    some = {"reset_mask": np.array([True, False, False])}

    def fens(envs: VectorEnv) -> list[str]:
        return [envs.state(lane).fen() for lane in range(3)]

    whole, masked, again = (VectorEnv("banqi", 3) for _ in range(3))
    whole.reset(seed=7)
    _, infos = masked.reset(seed=7, options=some)
    assert fens(masked) == fens(whole)
    assert infos["_current_player"].tolist() == [True, False, False]
    # Later, the other games stay.
    masked.reset(seed=9, options=some)
    assert fens(masked)[1:] == fens(whole)[1:]
    assert fens(masked)[0] != fens(whole)[0]
    # Seeds that are not given are sampled, from the environment's own generator.
    again.reset(seed=[3, None, None])
    assert fens(again)[0] == darkqi.State("banqi", seed=3).fen()
    drawn = []
    for _ in range(2):
        envs = VectorEnv("banqi", 3)
        envs.np_random = np.random.default_rng(11)
        envs.reset(options=some)
        drawn.append(fens(envs))
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) == 3


def test_bad_seeds_and_masks_are_named() -> None:
    envs = VectorEnv("banqi", 3)
    with pytest.raises(ValueError, match="one for each of 3 lanes, got 2"):
        envs.reset(seed=[1, 2])
    with pytest.raises(TypeError, match=r"seed: expected an integer from -2\*\*63 to 2\*\*64 - 1"):
        envs.reset(seed=True)
    for mask, error in (
        ([True] * 3, TypeError),
        (np.ones(3, np.int8), TypeError),
        (np.ones(2, np.bool_), ValueError),
        (np.zeros(3, np.bool_), ValueError),
    ):
        with pytest.raises(error, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})
    wrong: Any
    for wrong in ({"reset_masks": np.ones(3, np.bool_)}, []):
        with pytest.raises(ValueError, match="options: expected a dict with `reset_mask` alone"):
            envs.reset(options=wrong)
    for argument, value in (("action_mask", "both"), ("render_mode", "window"), ("seat", 0)):
        with pytest.raises(ValueError, match=argument):
            VectorEnv("banqi", **{argument: value})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seat 2: expected a seat from 0 to 1"):
        VectorEnv("banqi", opponent="greedy", seat=2)
    with pytest.raises(ValueError, match="unknown agent `clever`"):
        VectorEnv("banqi", opponent="clever")
