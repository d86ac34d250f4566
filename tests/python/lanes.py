"""A model of the lanes of an env: each lane plays single games, one after another."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import darkqi

# docs/DESIGN.md section 3: one random stream per game, from a Weyl sequence of seeds.
GOLDEN = 0x9E3779B97F4A7C15


def game_seed(seed: int, number: int) -> int:
    """Returns the seed of game `number` of a run seeded with `seed`."""
    return (seed + number * GOLDEN) % 2**64


class Game(Protocol):
    """One game and its expected rows. Rewards are None until the end."""

    rewards: list[float] | None
    is_truncated: bool

    def fen(self) -> str: ...
    def player(self) -> int: ...
    def mask(self) -> NDArray[np.bool_]: ...
    def observation(self) -> NDArray[np.uint8]: ...
    def play(self, action: int) -> None: ...


class AllSeats:
    """A game in which the caller plays all seats."""

    def __init__(self, name: str, seed: int, setup: dict[str, Any], options: dict[str, Any]):
        self.state = darkqi.State(name, seed, **options)
        self.format = setup["observation"]
        self.rewards: list[float] | None = None
        self.is_truncated = False

    def fen(self) -> str:
        return self.state.fen()

    def player(self) -> int:
        return self.state.current_player

    def mask(self) -> NDArray[np.bool_]:
        return self.state.action_mask()

    def observation(self) -> NDArray[np.uint8]:
        return self.state.observation(format=self.format)

    def play(self, action: int) -> None:
        try:
            self.state.apply(action)
        except darkqi.IllegalActionError:
            # Forfeit.
            seats = self.state.spec.num_players
            self.rewards = [1 / (seats - 1)] * seats
            self.rewards[self.player()] = -1
            return
        if self.state.outcome is not None:
            self.rewards = self.state.rewards()
            self.is_truncated = self.state.is_truncated


class OneSeat:
    """A game against an agent, in a separate env of one lane."""

    def __init__(self, name: str, seed: int, setup: dict[str, Any], options: dict[str, Any]):
        names = ("opponent", "seat", "observation", "illegal")
        chosen = {name: setup[name] for name in names}
        self.env = darkqi.make(name, 1, seed=0, autoreset="disabled", **chosen, **options)
        self.ts = self.env.reset([seed])
        self.rewards: list[float] | None = None
        self.is_truncated = False

    def fen(self) -> str:
        return self.env.state(0).fen()

    def player(self) -> int:
        return int(self.ts.current_player[0])

    def mask(self) -> NDArray[np.bool_]:
        mask: NDArray[np.bool_] = self.ts.action_mask[0]
        return mask

    def observation(self) -> NDArray[np.uint8]:
        row: NDArray[np.uint8] = self.ts.observation[0]
        return row

    def play(self, action: int) -> None:
        self.ts = self.env.step([action])
        if self.ts.terminated[0] or self.ts.truncated[0]:
            self.rewards = self.ts.reward[0].tolist()
            self.is_truncated = bool(self.ts.truncated[0])


class Lane:
    """A lane of an env made with `setup` and `options`."""

    def __init__(
        self, name: str, number: int, setup: dict[str, Any], options: dict[str, Any]
    ) -> None:
        self.name, self.number, self.setup, self.options = name, number, setup, options
        self.restart(game_seed(setup["seed"], number))

    def restart(self, first_seed: int) -> None:
        self.first_seed, self.played = first_seed, 0
        self.deal()

    def next_game(self) -> None:
        self.played += 1
        self.deal()

    def deal(self) -> None:
        """Deals the next game."""
        kind = AllSeats if self.setup["opponent"] is None else OneSeat
        self.seed = game_seed(self.first_seed, self.played << 32)
        self.game: Game = kind(self.name, self.seed, self.setup, self.options)
        self.reward = [0.0] * darkqi.spec(self.name, **self.options).num_players
        self.terminated = self.truncated = self.forfeited = self.waits = False
        self.final: tuple[NDArray[np.uint8], int] | None = None

    def expected_error(self, action: int) -> type[Exception] | None:
        """Returns the error that this action raises in this lane, or None."""
        if self.waits:
            return None if self.setup["autoreset"] == "next_step" else RuntimeError
        is_allowed = self.is_legal(action) or self.setup["illegal"] == "forfeit"
        return None if is_allowed else darkqi.IllegalActionError

    def is_legal(self, action: int) -> bool:
        mask = self.game.mask()
        return 0 <= action < len(mask) and bool(mask[action])

    def step(self, action: int) -> None:
        if self.waits:
            return self.next_game()
        self.reward = [0.0] * len(self.reward)
        self.terminated = self.truncated = self.forfeited = False
        self.final = None
        forfeited = not self.is_legal(action)
        self.game.play(action)
        if self.game.rewards is None:
            return None
        reward, truncated = self.game.rewards, self.game.is_truncated
        final = self.game.observation().copy(), self.game.player()
        if self.setup["autoreset"] == "same_step":
            self.next_game()
        else:
            self.waits = True
        self.reward, self.truncated, self.terminated = reward, truncated, not truncated
        self.forfeited, self.final = forfeited, final
        return None

    def mask(self) -> NDArray[np.bool_]:
        mask = self.game.mask()
        return np.zeros_like(mask) if self.waits else mask

    def check(self, ts: darkqi.TimeStep, row: int) -> None:
        """Asserts that a row of a time step equals this lane."""
        mask = ts.action_mask[row]
        if self.setup["mask"] == "bits":
            mask = np.unpackbits(mask, bitorder="little")[: len(self.mask())].astype(bool)
        assert np.array_equal(mask, self.mask())
        assert mask.any() != self.waits
        assert ts.current_player[row] == self.game.player()
        assert np.array_equal(ts.observation[row], self.game.observation())
        assert np.array_equal(ts.reward[row], np.array(self.reward, np.float32))
        assert abs(ts.reward[row].sum()) < 1e-5
        assert (ts.terminated[row], ts.truncated[row]) == (self.terminated, self.truncated)
        assert ts.forfeited[row] == self.forfeited
        if ts.final_observation is not None and self.final is not None:
            assert ts.final_player is not None
            observation, player = self.final
            assert np.array_equal(ts.final_observation[row], observation)
            assert ts.final_player[row] == player
