"""Checks of arguments that several modules share."""

from collections.abc import Iterable

import numpy as np

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


def refuse_masked(argument: str, given: object) -> None:
    """Raises TypeError for a masked array of numpy, whose mask would be lost."""
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError(f"{argument}: expected an array without a mask, got a masked array")


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
