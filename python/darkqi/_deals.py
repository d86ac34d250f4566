"""The games that environments deal when they are reset."""

import operator
import random
from typing import SupportsIndex

from darkqi._darkqi import State


class Deals:
    """A game with its options, dealt again and again."""

    def __init__(self, game: str, **options: SupportsIndex | str) -> None:
        """Deals nothing yet; the arguments are those of ``State``."""
        self._game = game
        self._options = options
        self._seeds = random.Random()

    def deal(self, seed: SupportsIndex | None) -> State:
        """Deals a new game.

        Args:
            seed: Deals what ``State(game, seed)`` does, and decides what later calls without a seed
                deal. Without any seed so far the deal is a surprise.

        Raises:
            ValueError: The seed is negative or takes more than 64 bits.
            TypeError: The seed is no integer.
        """
        if seed is None:
            return State(self._game, self._seeds.getrandbits(64), **self._options)
        state = State(self._game, seed, **self._options)
        self._seeds.seed(operator.index(seed))
        return state
