"""The RLlib environment agrees with ``State``, and PPO learns from it."""

import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import darkqi

pytest.importorskip("ray.rllib", reason="RLlib is large and needs its own version of Gymnasium")

from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from darkqi.rllib import DarkqiEnv

CONFIGS: list[dict[str, Any]] = [
    *({"game": name} for name in darkqi.games()),
    {"game": "seven_kingdoms", "seats": "012----"},
    # Seat 0 has the last kingdom and the first, so it moves twice in a row.
    {"game": "seven_kingdoms", "seats": "0101010", "max_plies": 40},
    {"game": "jieqi", "max_plies": 12},
]
every_config = pytest.mark.parametrize("config", CONFIGS)


def a_legal_action(state: darkqi.State, chooser: random.Random) -> np.int64:
    """Chooses an action as a numpy integer, as RLlib does."""
    return np.int64(chooser.choice(state.legal_actions()))


def an_illegal_action(state: darkqi.State) -> int:
    """Returns an illegal action."""
    return next(k for k, legal in enumerate(state.action_mask()) if not legal)


@every_config
def test_a_game_agrees_with_state(config: dict[str, Any]) -> None:
    options = {name: value for name, value in config.items() if name != "game"}
    env, state = DarkqiEnv(config), darkqi.State(config["game"], 3, **options)
    chooser, seats = random.Random(3), range(state.spec.num_players)
    assert env.possible_agents == env.agents == [f"player_{seat}" for seat in seats]
    observations, infos = env.reset(seed=3)
    while not state.is_terminal:
        mover = f"player_{state.current_player}"
        assert list(observations) == [mover]
        check_observation(env, state, mover, observations[mover])
        assert infos == {}
        action = a_legal_action(state, chooser)
        state.apply(action)
        observations, rewards, terminateds, truncateds, infos = env.step({mover: action})
        assert env.game_state == state
        assert rewards.keys() == observations.keys()
        assert state.is_terminal or set(rewards.values()) == {0}
        assert terminateds == {"__all__": state.is_terminal and not state.is_truncated}
        assert truncateds == {"__all__": state.is_truncated}
    assert list(observations) == env.possible_agents
    for agent, observation in observations.items():
        check_observation(env, state, agent, observation)
    assert list(rewards.values()) == state.rewards()
    assert sum(rewards.values()) == pytest.approx(0, abs=1e-6)


def check_observation(env: DarkqiEnv, state: darkqi.State, agent: str, found: Any) -> None:
    """Asserts that an agent observes its view and its legal actions."""
    seat = env.possible_agents.index(agent)
    assert env.get_observation_space(agent).contains(found)
    planes = found["observations"].reshape(state.spec.observation_shape)
    assert np.array_equal(planes, state.observation(viewer=seat))
    world = state.resample(viewer=seat, seed=state.ply)
    assert np.array_equal(planes, world.observation(viewer=seat))
    assert np.flatnonzero(found["action_mask"]).tolist() == state.legal_actions()
    assert env.get_action_space(agent).n == len(found["action_mask"])


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
    env.step({"player_0": env.game_state.action_index("a4a5")})
    before, illegal = env.game_state.clone(), an_illegal_action(env.game_state)
    observations, rewards, terminateds, truncateds, infos = env.step({"player_1": illegal})
    assert rewards == {"player_0": 0, "player_1": -1}
    assert infos == {"player_1": {"illegal_action": illegal}}
    assert (terminateds, truncateds) == ({"__all__": True}, {"__all__": False})
    assert not any(seen["action_mask"].any() for seen in observations.values())
    assert env.game_state == before
    with pytest.raises(ValueError, match=r"the game is over: call reset\(\)"):
        env.step({"player_1": before.legal_actions()[0]})
    observations, _ = env.reset()
    assert observations["player_0"]["action_mask"].any()


def test_a_finished_game_accepts_no_action() -> None:
    env = DarkqiEnv({"game": "jieqi", "max_plies": 1})
    env.reset(seed=0)
    env.step({"player_0": env.game_state.legal_actions()[0]})
    with pytest.raises(ValueError, match=r"the game is over: call reset\(\)"):
        env.step({"player_1": 0})


@pytest.mark.parametrize("agents", [[], ["player_1"], ["player_0", "player_1"]])
def test_only_the_mover_acts(agents: list[str]) -> None:
    env = DarkqiEnv({"game": "jieqi"})
    env.reset(seed=0)
    action = env.game_state.legal_actions()[0]
    with pytest.raises(ValueError, match="actions: expected one, of player_0"):
        env.step(dict.fromkeys(agents, action))
    assert env.game_state == darkqi.State("jieqi", seed=0)


def test_a_seed_determines_the_deals_that_follow() -> None:
    env, again = DarkqiEnv(), DarkqiEnv({"game": "jieqi"})
    deals = []
    for seed in (5, None, None):
        env.reset(seed=seed)
        again.reset(seed=seed)
        assert env.game_state == again.game_state
        deals.append(env.game_state.fen())
    assert deals[0] == darkqi.State("jieqi", seed=5).fen()
    assert len(set(deals)) == 3


def test_bad_configs_are_named() -> None:
    with pytest.raises(ValueError, match="chess"):
        DarkqiEnv({"game": "chess"})
    with pytest.raises(ValueError, match="no option `colour`"):
        DarkqiEnv({"game": "jieqi", "colour": 1})


def test_ppo_trains_with_masked_actions(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    settings = "--game gaiqi --iterations 1 --batch 200 --max-plies 20"
    script = Path(__file__).parents[2] / "python" / "examples" / "rllib_ppo.py"
    # A separate process, because Ray starts services and issues many warnings.
    run = subprocess.run(
        [sys.executable, script, *settings.split()],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    told = re.search(r"iteration 1: (\d+) games, mean length ([\d.]+) plies", run.stdout)
    assert told, run.stdout
    # Without masks nearly every game would end with an illegal action on the first ply.
    assert int(told[1]) > 5
    assert 10 < float(told[2]) <= 20
