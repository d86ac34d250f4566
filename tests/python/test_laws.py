"""Laws of every way to play: the native one and all adapters, compared with single games."""

import importlib
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import darkqi

SEATS = "player_{}".format


def adapter(name: str, library: str) -> Any:
    pytest.importorskip(library)
    return importlib.import_module(f"darkqi.{name}")


class Native:
    """A batch of one lane, and what the other ways to play have in common."""

    # What becomes of an illegal action: an exception, or the end of the game.
    forfeits = False
    # What is raised by a step before a reset, and after the end of a game.
    misuse: tuple[type[Exception] | None, type[Exception]] = (None, RuntimeError)
    # What is raised for a rule option that does not exist.
    unknown_option: type[Exception] = ValueError
    # The attribute that is the game, where there are no lanes.
    game = ""

    def __init__(self, game: str, **options: Any) -> None:
        self.rewards: list[float] = []
        self.ended = (False, False)
        self.env: Any = self.make(game, **options)

    def make(self, game: str, **options: Any) -> Any:
        return darkqi.make(game, 1, autoreset="disabled", **options)

    def deal(self, seed: Any) -> None:
        self.ended = (False, False)
        self.reset(seed)

    def reset(self, seed: Any) -> None:
        self.rows = self.env.reset(seed)

    @property
    def state(self) -> darkqi.State:
        state: darkqi.State = getattr(self.env, self.game) if self.game else self.env.state(0)
        return state

    def seen(self) -> tuple[Any, Any]:
        return self.rows.observation[0], self.rows.action_mask[0]

    def play(self, action: Any) -> None:
        self.rows = self.env.step([action])
        self.rewards = self.rows.reward[0].tolist()
        self.ended = (bool(self.rows.terminated[0]), bool(self.rows.truncated[0]))


class Gymnasium(Native):
    """A single game for Gymnasium."""

    forfeits = True
    misuse = (RuntimeError, RuntimeError)
    unknown_option = TypeError
    game = "state"

    def make(self, game: str, **options: Any) -> Any:
        return adapter("gymnasium", "gymnasium").Env(game, **options)

    def reset(self, seed: Any) -> None:
        self.rows, _ = self.env.reset(seed=seed)

    def seen(self) -> tuple[Any, Any]:
        return self.rows["observation"], self.rows["action_mask"]

    def play(self, action: Any) -> None:
        mover = self.state.current_player
        self.rows, reward, *ended, info = self.env.step(action)
        self.rewards, self.ended = info["rewards"].tolist(), tuple(ended)
        assert self.rewards[mover] == reward


class Vector(Native):
    """The native batch for Gymnasium."""

    forfeits = True
    misuse = (RuntimeError, RuntimeError)
    unknown_option = TypeError

    def make(self, game: str, **options: Any) -> Any:
        of = adapter("gymnasium", "gymnasium").VectorEnv
        return of(game, 1, autoreset_mode="Disabled", action_mask="info", **options)

    def reset(self, seed: Any) -> None:
        self.rows = self.env.reset(seed=seed)

    def seen(self) -> tuple[Any, Any]:
        return self.rows[0][0], self.rows[-1]["action_mask"][0]

    def play(self, action: Any) -> None:
        self.rows = self.env.step([action])
        self.rewards = self.rows[-1]["rewards"][0].tolist()
        self.ended = (bool(self.rows[2][0]), bool(self.rows[3][0]))


class PettingZoo(Native):
    """Agents in turn."""

    forfeits = True
    misuse = (AssertionError, ValueError)
    unknown_option = TypeError
    game = "game_state"

    def make(self, game: str, **options: Any) -> Any:
        return adapter("pettingzoo", "pettingzoo").env(game, **options)

    def reset(self, seed: Any) -> None:
        self.env.reset(seed=seed)

    def seen(self) -> tuple[Any, Any]:
        seen = self.env.observe(SEATS(self.state.current_player))
        assert self.env.observation_space(self.env.agent_selection).contains(seen)
        assert self.env.agent_selection == SEATS(self.state.current_player)
        return seen["observation"], seen["action_mask"]

    def play(self, action: Any) -> None:
        self.env.step(action)
        self.rewards = [float(reward) for reward in self.env.rewards.values()]
        agent = self.env.agent_selection
        self.ended = self.env.terminations[agent], self.env.truncations[agent]


class RLlib(Native):
    """Agents that are asked when they are to move."""

    forfeits = True
    misuse = (AttributeError, ValueError)
    game = "game_state"

    def make(self, game: str, **options: Any) -> Any:
        return adapter("rllib", "ray.rllib").DarkqiEnv({"game": game, **options})

    def reset(self, seed: Any) -> None:
        self.rows, infos = self.env.reset(seed=seed)
        assert infos == {}

    def seen(self) -> tuple[Any, Any]:
        mover = SEATS(self.state.current_player)
        everybody = self.env.possible_agents if any(self.ended) else [mover]
        assert list(self.rows) == everybody
        seen = self.rows[mover]
        assert self.env.get_observation_space(mover).contains(seen)
        return seen["observations"], seen["action_mask"]

    def play(self, action: Any) -> None:
        mover = SEATS(self.state.current_player)
        self.rows, rewards, terminated, truncated, _ = self.env.step({mover: np.int64(action)})
        self.rewards = [float(rewards.get(agent, 0)) for agent in self.env.possible_agents]
        self.ended = terminated["__all__"], truncated["__all__"]


class TorchRL(Native):
    """Tensors."""

    misuse = (RuntimeError, RuntimeError)
    unknown_option = TypeError

    def make(self, game: str, **options: Any) -> Any:
        return adapter("torchrl", "torchrl").DarkqiEnv(game, 1, **options)

    def reset(self, seed: Any) -> None:
        if seed is not None:
            self.env.set_seed(seed, static_seed=True)
        self.rows = self.env.reset()

    def seen(self) -> tuple[Any, Any]:
        return self.rows["observation"][0].numpy(), self.rows["action_mask"][0].numpy()

    def play(self, action: Any) -> None:
        import torch

        rows = self.rows.clone() if hasattr(self, "rows") else self.env.fake_tensordict()
        rows["action"] = torch.tensor([int(action)])
        mover = self.state.current_player
        told = self.env.step(rows)["next"]
        assert told["reward"].item() == told["rewards"][0, mover].item()
        self.rows, self.rewards = told, told["rewards"][0].tolist()
        self.ended = bool(told["terminated"].item()), bool(told["truncated"].item())


WAYS = [Native, Gymnasium, Vector, PettingZoo, RLlib, TorchRL]
every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)

TABLES: list[tuple[str, dict[str, Any]]] = [
    *((game, {"max_plies": 60}) for game in darkqi.games()),
    ("gaiqi", {}),
    ("jieqi", {"captured": "public", "max_plies": 12}),
    # Seat 0 has the last kingdom and the first, so it moves twice in a row.
    ("seven_kingdoms", {"seats": "0101010", "max_plies": 40}),
    ("seven_kingdoms", {"seats": "012----", "capture_limit": 1}),
    ("seven_kingdoms", {"seats": "0123---", "teams": "ABAB", "max_plies": 40}),
]


@every_way
@pytest.mark.parametrize(("game", "options"), TABLES, ids=str)
def test_games_are_those_of_states(way: type[Native], game: str, options: dict[str, Any]) -> None:
    env, state = way(game, **options), darkqi.State(game, 3, **options)
    env.deal(3)
    chooser = random.Random(3)
    while True:
        observation, mask = env.seen()
        mover = state.current_player
        world = state.resample(viewer=mover, seed=state.ply)
        for seen in (state.observation(), state.observation(mover), world.observation(mover)):
            assert np.array_equal(np.ravel(observation), seen.ravel())
        assert np.flatnonzero(mask).tolist() == state.legal_actions()
        assert env.state == state
        if state.is_terminal:
            break
        assert env.ended == (False, False)
        assert not any(env.rewards)
        action = chooser.choice(state.legal_actions())
        env.play(action)
        state.apply(action)
    outcome = state.outcome
    assert outcome is not None
    assert outcome.rewards == state.rewards() == env.rewards
    assert sum(env.rewards) == pytest.approx(0, abs=1e-6)
    assert outcome.winners == [seat for seat, reward in enumerate(env.rewards) if reward > 0]
    assert env.ended == (not state.is_truncated, state.is_truncated)
    assert state.is_truncated == (outcome.reason == "max_plies")
    with pytest.raises(env.misuse[1]):
        env.play(action)


@every_way
def test_a_seed_determines_the_deals_that_follow(way: type[Native]) -> None:
    def deals(seed: Any) -> list[str]:
        env = way("jieqi")
        found = []
        for given in (seed, None, None):
            env.deal(given)
            found.append(env.state.fen())
        return found

    found = deals(5)
    assert found == deals(np.int64(5))
    assert found[0] == darkqi.State("jieqi", seed=5).fen()
    assert len({*found, *deals(6)}) == 6
    # A negative seed stands for its 64 bits, and not for its absolute value.
    assert deals(-1) == deals(2**64 - 1)
    assert not set(deals(-1)) & set(deals(1))
    assert not set(deals(None)) & set(deals(None))


@every_way
@pytest.mark.parametrize(
    ("seed", "error"),
    [(-(2**63) - 1, ValueError), (2**64, ValueError), ("1", TypeError), (1.5, TypeError)],
)
def test_bad_seeds_are_named(way: type[Native], seed: Any, error: type[Exception]) -> None:
    env = way("jieqi")
    env.deal(1)
    with pytest.raises(error, match="seed: expected an integer"):
        env.deal(seed)
    assert env.state == darkqi.State("jieqi", seed=1)
    env.deal(2)
    assert env.state == darkqi.State("jieqi", seed=2)


@every_way
def test_bad_arguments_are_named(way: type[Native]) -> None:
    with pytest.raises(ValueError, match="unknown game `chess`"):
        way("chess")
    with pytest.raises(way.unknown_option, match="colour"):
        way("jieqi", colour=1)
    with pytest.raises(ValueError, match="`max_plies` of jieqi: 0"):
        way("jieqi", max_plies=0)


@every_way
def test_illegal_actions_change_nothing(way: type[Native]) -> None:
    env = way("jieqi")
    if env.misuse[0] is not None:
        with pytest.raises(env.misuse[0]):
            env.play(0)
    env.deal(0)
    env.play(env.state.action_index("a4a5"))
    before = env.state.fen()
    illegal = int(np.flatnonzero(~env.state.action_mask())[0])
    if not env.forfeits:
        with pytest.raises(darkqi.IllegalActionError, match=f"lane 0: .*action {illegal}"):
            env.play(illegal)
        assert env.state.fen() == before
        return
    env.play(illegal)
    assert (env.rewards[1], env.ended[0]) == (-1, True)
    assert env.state.fen() == before
    env.deal(None)
    env.play(env.state.legal_actions()[0])


def test_worlds_that_a_viewer_cannot_tell_apart_print_alike(game: str) -> None:
    worlds_differ = False
    state, chooser = darkqi.State(game, seed=0), random.Random(0)
    while not state.is_terminal and state.ply < 40:
        before = state.fen()
        prints: list[tuple[Any, Callable[[darkqi.State], str]]] = [
            ("public", repr),
            ("public", darkqi.State._repr_svg_),
            (state.current_player, str),
        ]
        for viewer, shown in prints:
            world = state.resample(viewer=viewer, seed=state.ply)
            assert world == state.resample(viewer, state.ply)
            assert shown(world) == shown(state)
            worlds_differ |= world != state
        assert state.fen() == before
        state.apply(chooser.choice(state.legal_actions()))
    assert worlds_differ == ("~" in darkqi.State(game, seed=0).fen())
