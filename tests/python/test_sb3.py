"""The Stable-Baselines3 batch agrees with the Gymnasium batch."""

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="it brings PyTorch, which is large")

from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.vec_env import VecMonitor

from darkqi.gymnasium import VectorEnv
from darkqi.sb3 import VecEnv


def test_games_are_those_of_the_gymnasium_batch(game: str) -> None:
    ours = VecEnv(game, 3, opponent="random", max_plies=30)
    theirs = VectorEnv(game, 3, opponent="random", max_plies=30, autoreset_mode="SameStep")
    ours.seed(5)
    planes, (seen, _) = ours.reset(), theirs.reset(seed=5)
    assert not is_image_space(ours.observation_space)
    assert ours.action_space == theirs.single_action_space
    ends = 0
    for _ in range(60):
        assert all(row in ours.observation_space for row in planes)
        assert np.array_equal(planes, seen["observation"].reshape(3, -1))
        masks = get_action_masks(ours)
        assert masks.dtype == np.bool_
        assert np.array_equal(masks, seen["action_mask"])
        actions = np.array([np.flatnonzero(mask)[-1] for mask in masks])
        planes, rewards, ended, infos = ours.step(actions)
        seen, their_rewards, terminated, truncated, told = theirs.step(actions)
        assert rewards.dtype == np.float32
        assert np.array_equal(rewards, their_rewards)
        assert np.array_equal(ended, terminated | truncated)
        for lane, info in enumerate(infos):
            assert bool(info) == ended[lane]
            if info:
                last = told["final_obs"][lane]["observation"]
                assert np.array_equal(info["terminal_observation"], last.ravel())
                assert info["TimeLimit.truncated"] == truncated[lane]
                ends += 1
    assert ends > 0


def test_wrappers_and_learners_accept_it() -> None:
    envs = VecMonitor(VecEnv("gaiqi", 4, opponent="random", seat=1, threads=1))
    assert is_masking_supported(envs)
    assert not envs.has_attr("no_such_thing")
    assert envs.get_attr("num_envs", indices=[0, 2]) == [4, 4]
    assert envs.env_is_wrapped(object, indices=1) == [False]
    envs.seed(2)
    envs.reset()
    episodes = []
    for _ in range(200):
        _, rewards, _, infos = envs.step(np.array(envs.env_method("sample_actions")))
        episodes += [info["episode"] for info in infos if "episode" in info]
        assert set(rewards.tolist()) <= {-1, 0, 1}
    assert {episode["r"] for episode in episodes} >= {-1, 1}
    envs.close()


def test_seeds_are_used_once() -> None:
    envs, again = (
        VecEnv("jieqi", 2, opponent="random", seat=1, observation="tokens") for _ in range(2)
    )
    envs.seed(7)
    again.seed(7)
    first = envs.reset()
    assert np.array_equal(first, again.reset())
    # Later deals differ from the first and agree in both.
    following = envs.reset()
    assert np.array_equal(following, again.reset())
    assert not np.array_equal(following, first)


def test_pictures_are_those_of_the_gymnasium_batch() -> None:
    envs = VecEnv("gaiqi", 2, opponent="random", render_mode="rgb_array")
    envs.seed(1)
    envs.reset()
    images = envs.get_images()
    assert [image.shape for image in images if image is not None] == [images[0].shape] * 2  # type: ignore[union-attr]
    # Both pictures beside each other.
    tiled = envs.render()
    assert tiled is not None
    assert tiled.size == 2 * images[0].size  # type: ignore[union-attr]
    assert VecEnv("gaiqi", 2).get_images() == [None, None]


def test_text_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    envs = VecEnv("gaiqi", 2, opponent="random", render_mode="human")
    envs.reset()
    capsys.readouterr()
    envs.render()
    assert capsys.readouterr().out.count("a b c d") == 2


def test_a_seed_that_is_refused_is_not_kept() -> None:
    envs = VecEnv("gaiqi", 2)
    envs.seed(2**64 - 1)
    with pytest.raises(ValueError, match="seed: expected"):
        envs.reset()
    assert envs.reset().shape[0] == 2


def test_bad_input_is_named() -> None:
    with pytest.raises(TypeError, match="opponent: expected the name of an agent, got None"):
        VecEnv("gaiqi", 2, opponent=None)  # type: ignore[arg-type]
    envs = VecEnv("gaiqi", 2)
    with pytest.raises(RuntimeError, match="expected reset to be called before"):
        envs.step(np.zeros(2, np.int64))
    with pytest.raises(AttributeError, match="max_plies: the games of a VecEnv cannot be changed"):
        envs.set_attr("max_plies", 3)
    with pytest.raises(AttributeError, match="fly: the games of a VecEnv have no such method"):
        envs.env_method("fly")
