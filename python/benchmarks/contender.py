"""What is compared: something that plays random games and writes what a learner reads."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True)
class Tally:
    """What a contender played: one step is one player's action in one game."""

    steps: int
    games: int


@dataclass(frozen=True)
class Contender:
    """One library playing one game in one way.

    `play(seconds)` plays for about that long: in each step a uniformly random legal action in
    every lane, then the observation and the mask of legal actions of every lane, and a new game
    where one has ended. What it has to prepare or compile is done before.
    """

    library: str
    game: str
    how: str
    lanes: int
    play: Callable[[float], Tally]
    # The darkqi game it is set beside: the same one or, failing that, one of a like board.
    beside: str


@dataclass(frozen=True)
class Missing:
    """A library that is not installed."""

    library: str
    install: str


def until(seconds: float) -> Iterator[None]:
    """Go round for this many seconds, at least once."""
    end = perf_counter() + seconds
    while True:
        yield
        if perf_counter() >= end:
            return
