"""Seeded deals for the adapters' ``reset`` methods."""

import random
from typing import SupportsIndex

from darkqi._darkqi import State


class Dealer:
    """Deals games of one kind with the same options; one seed determines all later deals."""

    def __init__(self, game: str, **options: SupportsIndex | str) -> None:
        """Stores the arguments of ``State`` and deals nothing yet."""
        self._game = game
        self._options = options
        self._seeds = random.Random()

    def deal(self, seed: SupportsIndex | None) -> State:
        """Deals a new game.

        Args:
            seed: Deals as ``State(game, seed)`` does and determines later deals without a seed.
                Before the first seed, deals are random.

        Raises:
            ValueError: The seed does not fit into 64 bits.
            TypeError: The seed is not an integer.
        """
        if seed is None:
            return State(self._game, self._seeds.getrandbits(63), **self._options)
        state = State(self._game, seed, **self._options)
        # As the state has it: Python's generator does not tell a negative seed from a positive one.
        self._seeds.seed(state.seed)
        return state
