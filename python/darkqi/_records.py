"""Plain records that the native module fills."""

from typing import NamedTuple


class OptionInfo(NamedTuple):
    """One rule option of a game."""

    name: str
    """Its name."""
    type: str
    """``int``, ``bool`` or ``str``."""
    default: int | bool | str
    """The value without being told otherwise."""
    range: str
    """The values it takes, in words."""
    about: str
    """What it does, in one sentence."""
    value: int | bool | str
    """The value in force."""


class Outcome(NamedTuple):
    """How a game ended."""

    reason: str
    """Why, by its name in the rules, such as ``checkmate``."""
    rewards: list[float]
    """What each seat gets."""
    winners: list[int]
    """The seats with a positive reward."""


class Reveal(NamedTuple):
    """Something that an action can turn over and take; pieces as in notation."""

    revealed: str | None
    """The piece turned over."""
    captured: str | None
    """The piece taken."""
    captured_covered: bool
    """Whether the piece taken was covered."""
    probability: float
    """How likely this is, for all the player of the action knows."""
