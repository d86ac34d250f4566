"""Checks of arguments that several modules share."""

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from darkqi._darkqi import Spec, spec


def check_options(game: str, options: Iterable[str]) -> None:
    """Raises TypeError for keywords that are no rule options.

    Libraries try keywords of their own, such as ``frameskip``, and expect Python's usual error.

    Args:
        game: The name of a game.
        options: The names of the keywords.

    Raises:
        ValueError: There is no such game.
        TypeError: The game has no such option.
    """
    known = [option.name for option in spec(game).options]
    for name in options:
        if name not in known and name != "rules":
            raise TypeError(
                f"got an unexpected keyword argument {name!r}; "
                f"the options of {game} are {', '.join(known)}"
            )


def env_id(game: str) -> str:
    """Returns the id of a registered game: ``darkqi/SevenKingdoms-v0``."""
    return f"darkqi/{game.title().replace('_', '')}-v0"


def integer(name: str, given: Any, low: int, high: int, limits: str = "") -> int:
    """Returns an argument as an integer.

    Args:
        name: The name of the argument.
        given: The argument.
        low: The least value.
        high: The greatest value.
        limits: Both in words, where they are powers of 2.

    Raises:
        TypeError: It is no integer.
        ValueError: It is out of range.
    """
    expected = f"{name}: expected an integer from {limits or f'{low} to {high}'}, got"
    wrong = TypeError(f"{expected} {type(given).__name__}")
    # `bool` is a subclass of `int`, but True as a number is a mistake; so is a number with a mask.
    if isinstance(given, bool | np.bool_ | np.ma.MaskedArray):
        raise wrong
    try:
        number = operator.index(given)
    except TypeError:
        raise wrong from None
    if not low <= number <= high:
        raise ValueError(f"{expected} {number}")
    return number


def refuse_masked(argument: str, given: object) -> None:
    """Raises TypeError for a masked array of numpy, whose mask would be lost."""
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError(f"{argument}: expected an array without a mask, got a masked array")


def check_rows(
    reader: str,
    shape: tuple[int, ...],
    actions: int,
    seats: int,
    rows: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
) -> None:
    """Checks the rows that a policy is called with.

    Args:
        reader: Whose rows they are, for messages.
        shape: The shape of one observation.
        actions: The number of actions.
        seats: The number of seats.
        rows: Observations, masks and seats to move.

    Raises:
        ValueError: A shape is another, or there is no such seat.
        TypeError: A dtype is another, or an array has a mask.
    """
    shapes = {"observation": shape, "action_mask": (actions,), "player": ()}
    kinds = {"observation": "u", "action_mask": "bui", "player": "ui"}
    number = np.shape(rows[0])[0] if np.ndim(rows[0]) else 0
    for (name, row), array in zip(shapes.items(), rows, strict=True):
        refuse_masked(name, array)
        found, expected = np.shape(array), (number, *row)
        if found != expected:
            raise ValueError(f"{name}: expected shape {expected} for {reader}, got {found}")
        dtype = np.asarray(array).dtype
        if dtype.kind not in kinds[name] or (name == "observation" and dtype != np.uint8):
            raise TypeError(f"{name}: expected the dtype that steps return, got {dtype}")
    player = np.asarray(rows[2])
    if not ((player >= 0) & (player < seats)).all():
        raise ValueError(f"player: expected seats from 0 to {seats - 1}, got {player}")


def row_shape(of: Spec, observation: str) -> tuple[int, ...]:
    """Returns the shape of one observation.

    Args:
        of: The spec of a game.
        observation: "planes" or "tokens".

    Raises:
        ValueError: It is neither.
    """
    shapes: dict[str, tuple[int, ...]] = {"planes": of.observation_shape, "tokens": of.token_shape}
    if observation not in shapes:
        raise ValueError(f'observation: expected "planes" or "tokens", got "{observation}"')
    return shapes[observation]
