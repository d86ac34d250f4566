"""The seeds that adapters take, and the deals that follow from them."""

import random
from typing import Any, SupportsIndex

from darkqi._darkqi import State, spec
from darkqi._options import integer


def checked_seeds(seed: Any, count: int) -> list[int]:
    """Returns the seeds of `count` games from that of the first: ``seed + i`` for game i.

    A seed is any 64 bits. A negative integer stands for the same bits as ``seed + 2**64``, and so
    the sum goes on at 0 after ``2**64 - 1``.

    Returns:
        Integers from 0 to ``2**64 - 1``.

    Raises:
        ValueError: The seed does not fit into 64 bits.
        TypeError: The seed is not an integer.
    """
    first = integer("seed", seed, -(2**63), 2**64 - 1, "-2**63 to 2**64 - 1")
    return [(first + game) % 2**64 for game in range(count)]


class Dealer:
    """Deals games of one kind with the same options; one seed determines all later deals."""

    def __init__(self, game: str, **options: SupportsIndex | str) -> None:
        """Takes the arguments of ``State`` and deals nothing yet."""
        self._game = game
        # A file of rules may change meanwhile.
        self._options = {option.name: option.value for option in spec(game, **options).options}
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
