"""Facts that the native module returns as named tuples: of games, agents and logged games."""

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray


class Decisions(NamedTuple):
    """The decisions of a policy for N rows.

    Each field is an array or a tensor that numpy can read.
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

AgentDict: TypeAlias = Mapping[str, str | PathLike[str] | int | float]
"""An agent: its ``name``, and the values of its options."""


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
    design: bool
    """Whether another value makes a variant of the game."""


class Symmetry(NamedTuple):
    """A symmetry of a game: the squares and actions that correspond after a reflection.

    Squares and actions are numbered from the mover's side. Each array undoes itself:
    ``squares[squares]`` is ``arange(S)``.
    """

    name: str
    """``left-right``, ``near-far`` or ``half-turn``."""
    squares: NDArray[np.int64]
    """(S,): the square that each square is taken to, both ``rank * files + file``. Read-only."""
    actions: NDArray[np.int64]
    """(A,): the action that each action corresponds to. Read-only."""


class Outcome(NamedTuple):
    """How a game ended."""

    reason: str
    """The ending reason of docs/RULES.md section 8, such as ``checkmate``."""
    rewards: list[float]
    """The reward of each seat."""
    winners: list[int]
    """The seats with a positive reward."""


class Reveal(NamedTuple):
    """A possible outcome of an action: the pieces turned over and taken, by letters of the FEN."""

    revealed: str | None
    """The piece that is turned over, or None."""
    captured: str | None
    """The piece that is taken, or None."""
    captured_covered: bool
    """Whether the taken piece was covered."""
    probability: float
    """The probability, given the knowledge of the mover."""


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
    """The rule options in force; those of variants only where they are not the usual."""
    seed: int
    """The seed of the run; the seed of a game is in its row."""
    agents: list[str]
    """The agents of the run; the seating of a game is in its row."""
    software_version: str
    """The version of darkqi that played the games."""
    schema_version: int
    """The version of the dataset schema."""


class AgentOption(NamedTuple):
    """One option of an agent."""

    name: str
    """The name."""
    about: str
    """A description in one or two sentences."""
    default: str
    """The default value, as text."""


class AgentInfo(NamedTuple):
    """An agent and its options."""

    name: str
    """The name."""
    about: str
    """How it plays, in one sentence."""
    options: list[AgentOption]
    """Its own options, then the options of every agent."""


class Level(NamedTuple):
    """A level of play for people, the agent ``level:NAME``."""

    name: str
    """The name: beginner, easy, medium, hard or strong."""
    agent: str
    """The agent that plays it."""
    elo: int | None
    """The advantage over the level before in Elo; None of the first, and if it was not measured."""


class ValuePositions(NamedTuple):
    """N positions of logged games, each as a seat sees it, with the inputs of a value net."""

    input_count: int
    """Number of inputs of a net for the game."""
    squares: int
    """Number of squares. The first inputs are those of squares: one per square and piece id."""
    pieces: int
    """Number of piece ids."""
    reflections: NDArray[np.uint32]
    """(M, input_count): where each input goes in a symmetry of the game, the identity first."""
    inputs: NDArray[np.uint32]
    """The active inputs of all positions."""
    starts: NDArray[np.uint64]
    """(N,): where the inputs of each position begin."""
    teams: int
    """Number of teams; a seat without allies is one."""
    logits: NDArray[np.float32]
    """(N,): half the log odds that the viewer's team wins, by the linear evaluation."""
    fading: NDArray[np.float32]
    """(N,): what the viewer has of a victory, and what is left of it as a draw by counters comes
    near. With ``t = tanh(logit + output of the net)``, the expected result is this times
    ``(teams - 2 + teams * t) / (2 * teams - 2)``: in games of two this times ``t``."""
    values: NDArray[np.float32]
    """(N,): what the viewer's search expected, from -1 to 1, when it moved next; the result if it
    moved no more. In games of two: what the mover's search expected."""
    results: NDArray[np.float32]
    """(N,): what the viewer got in the end, from -1 to 1."""
