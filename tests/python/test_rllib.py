"""The RLlib environment agrees with ``State``, and PPO learns from it."""

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common import ROOT, start

import darkqi

pytest.importorskip("ray.rllib", reason="RLlib is large and needs its own version of Gymnasium")

from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
from ray.rllib.utils.pre_checks.env import check_multiagent_environments
from test_laws import TABLES

from darkqi.rllib import DarkqiEnv

CONFIGS = [{"game": game, **options} for game, options in TABLES]
every_config = pytest.mark.parametrize("config", CONFIGS)


def a_legal_action(state: darkqi.State, chooser: random.Random) -> np.int64:
    """Chooses an action as a numpy integer, as RLlib does."""
    return np.int64(chooser.choice(state.legal_actions()))


@every_config
def test_rllib_records_whole_episodes(config: dict[str, Any]) -> None:
    # An episode checks that acting agents get observations and rewards, and sums rewards.
    env, chooser, episode = DarkqiEnv(config), random.Random(5), MultiAgentEpisode()
    observations, infos = env.reset(seed=5)
    episode.add_env_reset(observations=observations, infos=infos)
    while not episode.is_done:
        actions = {agent: a_legal_action(env.game_state, chooser) for agent in observations}
        observations, rewards, terminateds, truncateds, infos = env.step(actions)
        episode.add_env_step(
            observations, actions, rewards, infos, terminateds=terminateds, truncateds=truncateds
        )
    assert episode.is_truncated == env.game_state.is_truncated
    assert len(episode) == env.game_state.ply
    for agent, reward in zip(env.possible_agents, env.game_state.rewards(), strict=True):
        if agent in episode.agent_episodes:
            assert episode.agent_episodes[agent].get_return() == reward


@every_config
def test_rllibs_own_check_passes(config: dict[str, Any]) -> None:
    check_multiagent_environments(DarkqiEnv(config))


def test_an_illegal_action_loses() -> None:
    env = DarkqiEnv({"game": "jieqi"})
    env.reset(seed=0)
    illegal = int(np.flatnonzero(~env.game_state.action_mask())[0])
    observations, rewards, _, _, infos = env.step({"player_0": illegal})
    assert rewards == {"player_0": -1, "player_1": 0}
    assert infos == {"player_0": {"illegal_action": illegal}}
    assert not any(seen["action_mask"].any() for seen in observations.values())


@pytest.mark.parametrize("agents", [[], ["player_1"], ["player_0", "player_1"]])
def test_only_the_mover_acts(agents: list[str]) -> None:
    env = DarkqiEnv({"game": "jieqi"})
    env.reset(seed=0)
    action = env.game_state.legal_actions()[0]
    with pytest.raises(ValueError, match="actions: expected one, of player_0"):
        env.step(dict.fromkeys(agents, action))
    assert env.game_state == darkqi.State("jieqi", seed=0)


def test_the_name_of_a_move_is_no_action() -> None:
    env = DarkqiEnv({"game": "jieqi"})
    env.reset(seed=0)
    name = env.game_state.action_name(env.game_state.legal_actions()[0])
    with pytest.raises(TypeError):
        env.step({"player_0": name})  # type: ignore[dict-item]
    assert env.game_state == darkqi.State("jieqi", seed=0)


def test_ppo_trains_with_masked_actions(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    settings = "--game gaiqi --iterations 1 --batch 200 --max-plies 20"
    script = ROOT / "python" / "examples" / "rllib_ppo.py"
    # A separate process, because Ray starts services and issues many warnings.
    with start(script, *settings.split(), cwd=tmp_path) as process:
        output, errors = process.communicate()
    assert process.returncode == 0, errors
    told = re.search(r"iteration 1: (\d+) games, mean length ([\d.]+) plies", output)
    assert told, output
    # Without masks nearly every game would end with an illegal action on the first ply.
    assert int(told[1]) > 5
    assert 10 < float(told[2]) <= 20
