"""The check of the seeds that adapters take."""

import operator
from typing import Any

import numpy as np


def checked_seeds(seed: Any, count: int) -> list[int]:
    """Returns the seeds of `count` games from that of the first: ``seed + i`` for game i.

    Raises:
        ValueError: One of them is negative or does not fit into 64 bits.
        TypeError: The seed is not an integer.
    """
    last = 2**64 - count
    # `bool` is a subclass of `int`, but True as a seed is a mistake.
    if isinstance(seed, bool | np.bool_):
        raise TypeError(f"seed: expected an integer from 0 to {last}, got {seed!r}")
    try:
        first = operator.index(seed)
    except TypeError as error:
        found = type(seed).__name__
        raise TypeError(f"seed: expected an integer from 0 to {last}, got {found}") from error
    if not 0 <= first <= last:
        raise ValueError(f"seed: expected an integer from 0 to {last}, got {first}")
    return [first + game for game in range(count)]
