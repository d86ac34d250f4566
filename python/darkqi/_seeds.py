"""The seeds that adapters take, and the deals that follow from them."""

import operator
import random
from typing import Any, SupportsIndex

import numpy as np

from darkqi._darkqi import State

_BITS = 64


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
    expected = "seed: expected an integer from -2**63 to 2**64 - 1, got"
    # `bool` is a subclass of `int`, but True as a seed is a mistake; so is an integer with a mask.
    if isinstance(seed, bool | np.bool_):
        raise TypeError(f"{expected} {seed!r}")
    try:
        if isinstance(seed, np.ma.MaskedArray):
            raise TypeError("a masked array")
        first = operator.index(seed)
    except TypeError as error:
        raise TypeError(f"{expected} {type(seed).__name__}") from error
    if not -(2 ** (_BITS - 1)) <= first < 2**_BITS:
        raise ValueError(f"{expected} {first}")
    return [(first + game) % 2**_BITS for game in range(count)]


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
