"""OpenSpiel: one state at a time, from Python."""

import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from contender import Contender, Missing, Tally, until
from darkqi_batches import OPEN_SPIEL_BANQI

if TYPE_CHECKING:
    import pyspiel

# Steps between two readings of the clock.
BURST = 100


def contenders() -> Iterator[Contender | Missing]:
    """Yields banqi and xiangqi, each by OpenSpiel's tutorials and with reused buffers."""
    try:
        import pyspiel
    except ImportError:
        yield Missing("OpenSpiel", "open-spiel")
        return
    for name, beside in [("banqi", OPEN_SPIEL_BANQI), ("xiangqi", "jieqi")]:
        game = pyspiel.load_game(name)
        for how, observe in [("lists", lists(game)), ("reused buffers", buffers(game))]:
            yield Contender("OpenSpiel", name, how, 1, player(game, observe), beside)


def player(
    game: "pyspiel.Game", observe: Callable[["pyspiel.State"], list[int]]
) -> Callable[[float], Tally]:
    """Returns a function that plays games in sequence; `observe` returns the legal actions."""
    deal = game.new_initial_state()
    state = deal.clone()

    def sample_chance() -> None:
        while state.is_chance_node():
            outcomes, odds = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(random.choices(outcomes, odds)[0])

    def play(seconds: float) -> Tally:
        nonlocal state
        steps = games = 0
        legal = observe(state)
        for _ in until(seconds):
            for _ in range(BURST):
                state.apply_action(random.choice(legal))
                sample_chance()
                if state.is_terminal():
                    state = deal.clone()
                    games += 1
                legal = observe(state)
            steps += BURST
        return Tally(steps, games)

    return play


def lists(_: "pyspiel.Game") -> Callable[["pyspiel.State"], list[int]]:
    """Observation and mask as new lists."""

    def observe(state: "pyspiel.State") -> list[int]:
        state.observation_tensor(state.current_player())
        state.legal_actions_mask()
        legal: list[int] = state.legal_actions()
        return legal

    return observe


def buffers(game: "pyspiel.Game") -> Callable[["pyspiel.State"], list[int]]:
    """Observation and mask in reused arrays."""
    from open_spiel.python.observation import make_observation

    observation = make_observation(game)
    mask = np.zeros(game.num_distinct_actions(), dtype=np.bool_)

    def observe(state: "pyspiel.State") -> list[int]:
        observation.set_from(state, state.current_player())
        legal: list[int] = state.legal_actions()
        mask.fill(False)
        mask[legal] = True
        return legal

    return observe
