"""The check of the adapters' keywords that are no parameters."""

from collections.abc import Iterable

from darkqi._darkqi import spec


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
        if name not in known:
            raise TypeError(
                f"got an unexpected keyword argument {name!r}; "
                f"the options of {game} are {', '.join(known)}"
            )
