"""PettingZoo: one game of chess at a time."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from contender import Contender, Missing, Tally, until

# Steps between two readings of the clock.
BURST = 20


def contenders() -> Iterator[Contender | Missing]:
    """Yields chess with PettingZoo's wrappers and without."""
    try:
        from pettingzoo.classic import chess_v6
    except ImportError:
        yield Missing("PettingZoo", '"pettingzoo[classic]"')
        return
    for how, make in [("env", chess_v6.env), ("raw_env", chess_v6.raw_env)]:
        yield Contender("PettingZoo", "chess", how, 1, player(make()), "jieqi")


def player(env: Any) -> Callable[[float], Tally]:
    """Returns a function that plays games in sequence."""
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def play(seconds: float) -> Tally:
        steps = games = 0
        for _ in until(seconds):
            for _ in range(BURST):
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    games += 1
                    env.reset()
                    observation, *_ = env.last()
                env.step(rng.choice(np.flatnonzero(observation["action_mask"])))
            steps += BURST
        return Tally(steps, games)

    return play
