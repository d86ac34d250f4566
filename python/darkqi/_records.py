"""Named tuples that the native module returns."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray


class Decisions(NamedTuple):
    """What a policy decides for N rows of a game with P seats and A actions.

    Each is an array or a tensor that numpy can read.
    """

    actions: Any
    """(N,) integers: a legal action per row."""
    value: Any = None
    """(N, P) floats: the expected result of each seat, in seat order; or None."""
    policy: Any = None
    """(N, A) floats: probabilities of legal actions that add up to 1 in each row; or None."""


Policy: TypeAlias = Callable[
    [NDArray[np.uint8], NDArray[np.bool_], NDArray[np.int8]], "Decisions | Any"
]
"""A policy: it takes rows (observation, action_mask, player) and gives actions or `Decisions`."""


class Army(NamedTuple):
    """An army of a game: the pieces of one colour."""

    name: str
    """The name, such as ``red``."""
    letter: str
    """The letter in logs, such as ``r``."""
    piece_names: list[str]
    """The names of its pieces as in FENs, in the order of ``Spec.piece_letters``."""


class OptionInfo(NamedTuple):
    """One rule option of a game."""

    name: str
    """The keyword of the option."""
    type: str
    """``int``, ``bool`` or ``str``."""
    default: int | bool | str
    """The default value."""
    range: str
    """The allowed values, as text."""
    about: str
    """A description in one sentence."""
    value: int | bool | str
    """The current value."""


class Outcome(NamedTuple):
    """How a game ended."""

    reason: str
    """The ending reason of docs/RULES.md section 8, such as ``checkmate``."""
    rewards: list[float]
    """The reward of each seat."""
    winners: list[int]
    """The seats with a positive reward."""


class Reveal(NamedTuple):
    """One possible outcome of an action: what it turns over and takes, by letters of the FEN."""

    revealed: str | None
    """The piece that is turned over, or None."""
    captured: str | None
    """The piece that is taken, or None."""
    captured_covered: bool
    """Whether the taken piece was covered."""
    probability: float
    """The probability, given what the mover knows."""


class LoggedGame(NamedTuple):
    """A game of a dataset, with all that a replay needs."""

    game_id: int
    """The number of the game."""
    seed: int
    """The seed that dealt it."""
    deal: str
    """The full FEN of the deal."""
    actions: list[int]
    """The actions in order, as indices from the mover's perspective."""
    rewards: list[float]
    """The final reward of each seat."""
    terminated: bool
    """True if the rules ended it, False if the ply limit cut it off."""


class Metadata(NamedTuple):
    """What all games of a dataset have in common."""

    game: str
    """The registry name of the game."""
    options: dict[str, int | bool | str]
    """All rule options, including defaults."""
    seed: int
    """The seed of the run; the seed of a game is in its row."""
    agents: list[str]
    """The agents of the run; the seating of a game is in its row."""
    software_version: str
    """The version of darkqi that played the games."""
    schema_version: int
    """The version of the dataset schema."""


class Standing(NamedTuple):
    """The results of an agent or a seat in a self-play run."""

    name: str
    """The agent, or the seat with its agent."""
    wins: int
    """Games with a positive reward."""
    draws: int
    """Games that ended with reward 0."""
    losses: int
    """Games with a negative reward."""
    truncated: int
    """Games cut off by the ply limit, counted in none of the other three."""
    score: float
    """Points per game: 1 for a win, 1/2 if nobody won."""
    interval: tuple[float, float]
    """The 95 % interval of the score (Wilson's, with the observed variance)."""


class Settled(NamedTuple):
    """The score that ``until`` measures: of the first reveal or, without covered pieces, move."""

    score: float
    """Points per game: 1 for a win, 1/2 if nobody won."""
    interval: tuple[float, float]
    """Its 95 % interval, valid at all times and so at the stop."""
    half_width: float
    """The requested half-width."""
    is_reached: bool
    """Whether the interval is that narrow."""
    deals: int
    """Number of deals observed."""


class Summary(NamedTuple):
    """The results of a self-play run."""

    games: int
    """Number of games in the dataset."""
    plies: int
    """Number of plies in the dataset."""
    agents: list[Standing]
    """The results of each agent, in the order given."""
    seats: list[Standing]
    """The results of each seat."""
    reasons: dict[str, int]
    """Number of games by ending reason, the most frequent first."""
    lengths: tuple[float, float, int]
    """Mean, median and maximum length of a game, in plies."""
    seconds: float
    """Seconds from the first game to the last file."""
    bytes: int
    """Size of the Parquet files, in bytes."""
    settled: Settled | None
    """The result of ``until``; None if it was not given."""
