"""The PettingZoo environments pass its own tests and agree with ``State``."""

import copy
import functools
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo as registry
import pytest
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from test_laws import TABLES

import darkqi
from darkqi import pettingzoo

# PettingZoo exempts its own classic games from these warnings by name.
pytestmark = [
    # Classic games observe a dict with a mask.
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    # A finished game has no legal action.
    pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros"),
]

every_table = pytest.mark.parametrize(("game", "options"), TABLES)


def chosen(env: Any, chooser: random.Random) -> int | None:
    """Chooses a legal action of the agent to step, None if it is done."""
    observation, _, terminated, truncated, _ = env.last()
    if terminated or truncated:
        return None
    return int(chooser.choice(np.flatnonzero(observation["action_mask"])))


@every_table
def test_pettingzoos_own_tests_pass(game: str, options: dict[str, Any]) -> None:
    make = functools.partial(pettingzoo.env, game, **options)
    api_test(make(), num_cycles=1000)
    seed_test(make, num_cycles=500)
    render_test(make)


@every_table
def test_the_parallel_test_passes(game: str, options: dict[str, Any]) -> None:
    parallel_api_test(pettingzoo.parallel_env(game, **options), num_cycles=300)


@every_table
def test_parallel_games_are_those_of_turns(game: str, options: dict[str, Any]) -> None:
    turns, parallel = pettingzoo.env(game, **options), pettingzoo.parallel_env(game, **options)
    chooser = random.Random(2)
    turns.reset(seed=2)
    seen, _ = parallel.reset(seed=2)
    for _ in range(60):
        mover = turns.agent_selection
        assert [agent for agent in seen if seen[agent]["action_mask"].any()] == [mover]
        action = chosen(turns, chooser)
        turns.step(action)
        seen, rewards, terminations, truncations, infos = parallel.step(
            {agent: action if agent == mover else 0 for agent in parallel.agents}
        )
        assert rewards == turns.rewards
        assert terminations == turns.terminations
        assert truncations == turns.truncations
        if not parallel.agents:
            assert any(terminations.values()) or any(truncations.values())
            return
        assert {info["active_agent"] for info in infos.values()} == {turns.agent_selection}
        for agent in parallel.agents:
            assert np.array_equal(seen[agent]["observation"], turns.observe(agent)["observation"])


def test_every_game_is_in_the_registry(game: str) -> None:
    made = registry.make("aec", pettingzoo.env_id(game), max_plies=12)
    made.reset(seed=1)
    assert made.game_state == darkqi.State(game, seed=1, max_plies=12)
    assert isinstance(
        registry.make("parallel", pettingzoo.env_id(game).replace("-v0", "_v0")),
        registry.ParallelEnv,
    )
    assert str(made) == f"darkqi_{game}_v0"
    # Registering again neither warns nor changes anything.
    pettingzoo.register()


def test_illegal_actions() -> None:
    env = pettingzoo.env("jieqi")
    env.reset(seed=0)
    legal = set(env.game_state.legal_actions())
    illegal = next(k for k in range(env.action_space("player_0").n) if k not in legal)
    with pytest.raises(darkqi.IllegalActionError):
        env.unwrapped.step(illegal)
    with pytest.raises(TypeError, match="player_0 is to move, got None"):
        env.unwrapped.step(None)
    name = env.game_state.legal_moves()[0]
    with pytest.raises(TypeError, match=f"expected an index, .*, got '{name}'"):
        env.unwrapped.step(name)
    with pytest.raises(AssertionError, match="not in action space"):
        env.step(int(env.action_space("player_0").n))
    env.step(illegal)
    assert env.rewards == {"player_0": -1, "player_1": 0}
    for _ in env.agent_iter():
        env.step(None)
    assert env.agents == []


def test_the_viewer_is_a_spectator_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    state = darkqi.State("jieqi", seed=2)
    views: list[Any] = ["public", 0, 1, None]
    for viewer in views:
        env = pettingzoo.env("jieqi", render_mode="ansi", viewer=viewer)
        env.reset(seed=2)
        assert env.render() == state.render("text", viewer)
    assert state.render("text", "public") != state.render("text")
    assert capsys.readouterr().out == ""
    env = pettingzoo.env("jieqi", render_mode="human")
    env.reset(seed=2)
    assert capsys.readouterr().out == state.render("text", "public") + "\n"
    env.step(state.action_index("a4a5"))
    state.apply("a4a5")
    assert capsys.readouterr().out == state.render("text", "public") + "\n"


def test_a_file_of_rules_is_read_once(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('game = "banqi"\nboard = "5x3"\n[army]\nP = 2\nA = 0\nE = 0\nH = 1\nR = 1\n')
    env = pettingzoo.raw_env("banqi", rules=str(rules))
    rules.unlink()
    env.reset(seed=1)
    seen = env.observe(env.agent_selection)
    assert env.observation_space(env.agent_selection).contains(seen)
    assert {"5x3"} == {o.value for o in env.game_state.spec.options if o.name == "board"}


def test_rendering_without_a_mode_warns() -> None:
    env = pettingzoo.env("jieqi")
    env.reset()
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert env.render() is None


def test_bad_arguments_are_named() -> None:
    with pytest.raises(
        ValueError, match="render_mode: expected 'human', 'ansi' or None, got 'svg'"
    ):
        pettingzoo.env("jieqi", render_mode="svg")
    with pytest.raises(ValueError, match='viewer 99: expected a seat from 0 to 1 or "public"'):
        pettingzoo.env("jieqi", viewer=99)


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_are_independent(clone: Any) -> None:
    env, chooser = pettingzoo.env("jieqi"), random.Random(4)
    env.reset(seed=4)
    for _ in range(9):
        env.step(chosen(env, chooser))
    before = env.game_state.clone()
    twin = clone(env)
    env.step(chosen(env, chooser))
    assert twin.game_state == before != env.game_state
    assert twin.agent_selection == "player_1"
    env.reset()
    twin.reset()
    assert twin.game_state == env.game_state
