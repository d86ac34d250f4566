"""Tianshou's vector environments and algorithms take single games and games for agents."""

from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("tianshou", reason="it brings PyTorch, which is large")

import torch
from gymnasium import spaces
from gymnasium.wrappers import TransformObservation
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.torch_utils import policy_within_training_step

from darkqi import pettingzoo
from darkqi.gymnasium import Env


def single() -> gymnasium.Env[Any, Any]:
    """Returns a game with the names that Tianshou gives planes and masks."""
    env = Env("gaiqi", opponent="random", illegal="raise", max_plies=40)
    assert isinstance(env.observation_space, spaces.Dict)
    names = {"obs": "observation", "mask": "action_mask"}
    space = spaces.Dict({new: env.observation_space[old] for new, old in names.items()})
    return TransformObservation(
        env,
        lambda seen: {"obs": seen["observation"], "mask": seen["action_mask"].astype(bool)},
        space,
    )


class Net(torch.nn.Module):  # type: ignore[misc]
    """A linear value of each action, in the form that Tianshou calls."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__()
        assert isinstance(env.observation_space, spaces.Dict)
        assert isinstance(env.action_space, spaces.Discrete)
        size = int(np.prod(env.observation_space["obs"].shape or ()))
        self.layer = torch.nn.Linear(size, int(env.action_space.n))

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> Any:
        del info
        return self.layer(torch.as_tensor(np.asarray(obs)).float().flatten(1)), state


def test_masked_q_learning_collects_and_updates() -> None:
    env = single()
    policy = DiscreteQLearningPolicy(
        model=Net(env), action_space=env.action_space, eps_training=0.3, eps_inference=0.3
    )
    learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), target_update_freq=10)
    envs = DummyVectorEnv([single] * 3)
    envs.seed(1)
    collector = Collector(learner, envs, VectorReplayBuffer(600, 3), exploration_noise=True)
    # An illegal action would raise.
    collected = collector.collect(n_step=150, reset_before_collect=True)
    assert collected.n_collected_episodes > 0
    with policy_within_training_step(policy):
        assert np.isfinite(learner.update(buffer=collector.buffer, sample_size=32).loss)


def test_agents_play_each_other() -> None:
    def agents() -> PettingZooEnv:
        return PettingZooEnv(pettingzoo.env("gaiqi", max_plies=60))

    env = agents()
    players = [
        MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space) for _ in range(2)
    ]
    team = MultiAgentOffPolicyAlgorithm(algorithms=players, env=env)
    collector = Collector(team, DummyVectorEnv([agents] * 2))
    collected = collector.collect(n_episode=4, reset_before_collect=True)
    # No illegal action ended a game: the rewards sum to 0.
    assert collected.returns.shape == (4, 2)
    assert not collected.returns.sum(axis=1).any()
