"""SuperSuit's wrappers take the single games and the games for agents."""

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

pytest.importorskip("supersuit", reason="scripts/test-learning.sh installs it")

import supersuit
from pettingzoo.test import api_test

from darkqi import pettingzoo
from darkqi.gymnasium import Env

# PettingZoo warns of observations that are no images, and of spaces that are not 0 to 1.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation"),
    pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros"),
]


def single(**settings: Any) -> Env:
    """Returns games of gaiqi whose observations are planes alone."""
    return Env("gaiqi", opponent="random", action_mask="info", max_plies=40, **settings)


def test_observations_of_one_game_are_flattened_and_stacked() -> None:
    env = supersuit.frame_stack_v1(supersuit.dtype_v0(supersuit.flatten_v0(single()), np.float32))
    bare = single()
    seen, info = env.reset(seed=1)
    planes, _ = bare.reset(seed=1)
    assert isinstance(planes, np.ndarray)
    size = planes.size
    assert seen.shape == (4 * size,)
    assert seen.dtype == np.float32
    for _ in range(5):
        action = int(info["action_mask"].argmax())
        seen, reward, terminated, truncated, info = env.step(action)
        planes, *rest = bare.step(action)
        assert np.array_equal(seen[-size:], np.ravel(planes))  # type: ignore[arg-type]
        assert [reward, terminated, truncated] == rest[:3]


def test_single_games_become_a_vector_environment() -> None:
    envs = supersuit.gym_vec_env_v0(supersuit.flatten_v0(single(seat=0)), 3)
    seen, _ = envs.reset(seed=1)
    assert seen.shape == (3, *envs.single_observation_space.shape)
    ends = 0
    for _ in range(10):
        # An illegal action forfeits its game.
        seen, rewards, terminated, _, _ = envs.step(np.zeros(3, np.int64))
        ends += int(terminated.sum())
        assert set(rewards.tolist()) <= {-1, 0}
    assert ends > 0


def test_observations_of_agents_are_flattened() -> None:
    def flat_space(space: Any) -> spaces.Dict:
        planes = spaces.flatten_space(space["observation"])
        return spaces.Dict({"observation": planes, "action_mask": space["action_mask"]})

    def flat(seen: Any, _space: Any) -> Any:
        return {**seen, "observation": seen["observation"].ravel()}

    env = supersuit.observation_lambda_v0(pettingzoo.env("gaiqi", max_plies=40), flat, flat_space)
    api_test(env, num_cycles=200)
    env.reset(seed=1)
    seen = env.observe("player_0")
    assert seen["observation"].ndim == 1
    assert seen["action_mask"].any()
