"""A contender: random play that writes observations and masks for a learner."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True)
class Tally:
    """Steps and finished games; one step is one player's action in one game."""

    steps: int
    games: int


@dataclass(frozen=True)
class Contender:
    """One library playing one game in one way.

    `play(seconds)` plays for about that time. Each step plays a uniformly random legal action in
    every lane, writes the observation and the mask of legal actions of every lane, and starts a new
    game where one has ended. Preparation and compilation happen before.
    """

    library: str
    game: str
    how: str
    lanes: int
    play: Callable[[float], Tally]
    # The darkqi game for the ratio: the same game or one with a similar board.
    beside: str


@dataclass(frozen=True)
class Missing:
    """A library that is not installed."""

    library: str
    install: str


def until(seconds: float) -> Iterator[None]:
    """Iterates for this many seconds, at least once."""
    end = perf_counter() + seconds
    while True:
        yield
        if perf_counter() >= end:
            return
