"""Named tuples that the native module returns."""

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
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


class Symmetry(NamedTuple):
    """A symmetry of a game with S squares and A actions: what corresponds after a reflection.

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
    is_repetitive: bool
    """Whether deals begin alike so often that their games are no sample of different games."""
    effective_deals: int
    """The number of equally frequent beginnings of which as many pairs of deals would be alike."""
    is_luck_adjusted: bool
    """Whether the score is luck-adjusted."""


class Lengths(NamedTuple):
    """The lengths of games, in plies."""

    mean: float
    """The mean."""
    median: float
    """The median."""
    min: int
    """The length of the shortest game."""
    max: int
    """The length of the longest game."""


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
    lengths: Lengths
    """The lengths of the games."""
    restarts: dict[str, int]
    """How often engines were started again after a failure, by agent; others are left out."""
    seconds: float
    """Seconds from the first game to the last file."""
    bytes: int
    """Size of the Parquet files, in bytes."""
    settled: Settled | None
    """The result of ``until``; None if it was not given."""
    deals: int
    """Number of deals."""
    effective_deals: int
    """The number of equally frequent beginnings of which as many pairs of deals would be alike."""
    warnings: list[str]
    """Why the scores may mislead, as where games are copies of one another."""


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
    """Its own options, then those of every agent."""


class Estimate(NamedTuple):
    """A figure with its 95 % interval."""

    value: float
    """The estimate; it may be infinite, as may the ends of the interval."""
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end of the interval."""


class Score(NamedTuple):
    """Points per game with their 95 % interval."""

    mean: float
    """Points per game: 1 for a win, 1/2 if nobody won."""
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end of the interval."""


class BlockScore(NamedTuple):
    """A score that blocks of a match had."""

    score: float
    """Points per game."""
    blocks: int
    """Number of blocks with this score."""


class LuckAdjusted(NamedTuple):
    """The score of the first agent of a pair without the luck of reveals."""

    score: Score
    """Points per game."""
    elo: Estimate
    """The Elo difference of that score."""
    reduction: float
    """The relative reduction of the variance."""


class Pairing(NamedTuple):
    """The results of two agents against each other, from the view of the first."""

    first: str
    """The agent named first."""
    second: str
    """The other."""
    games: int
    """Number of games."""
    blocks: int
    """Number of blocks; each is one observation."""
    effective_blocks: int | None
    """The number of equally frequent beginnings of which as many pairs of blocks would be alike;
    None if the journal does not tell."""
    warnings: list[str]
    """Why the figures may mislead, as where games are copies of one another."""
    wins: int
    """Games of which the first scored more than half."""
    draws: int
    """Games of which it scored half."""
    losses: int
    """Games of which it scored less than half."""
    truncated: int
    """Games cut off by the ply limit; they are among the draws."""
    pentanomial: list[int] | None
    """Blocks in which it scored 0, 1/2, 1, 3/2 and 2 points; None unless there are two sides."""
    block_scores: list[BlockScore]
    """The block scores that occurred, in ascending order."""
    score: Score | None
    """Points per game. This and the fields below are None without games."""
    elo: Estimate | None
    """The Elo difference of that score."""
    normalized_elo: Estimate | None
    """The normalised Elo difference; also None if all block scores are equal."""
    los: float | None
    """The likelihood of superiority."""
    mean_plies: float | None
    """Plies per game."""
    endings: dict[str, int]
    """Number of games by ending reason."""
    adjusted: LuckAdjusted | None
    """The score without the luck of reveals; None where nothing is covered or blocks are few."""


class Ranking(NamedTuple):
    """The results of an agent against all others of a match."""

    agent: str
    """The agent."""
    elo: float | None
    """Its rating in Elo above the ``reference``, fitted to all games; None unless finite."""
    elo_interval: tuple[float, float] | None
    """Its 95 % interval, from the variance of block scores; None for the ``reference``."""
    elo_kind: str
    """``finite``, ``plus_infinity``, ``minus_infinity`` or ``unknown``."""
    group: int
    """Its group of agents that have scored against one another, directly or through others;
    group 0, the greatest one, has finite ratings."""
    group_elo: float | None
    """Its rating above the first agent of its group; None if it is alone there."""
    group_elo_interval: tuple[float, float] | None
    """Its 95 % interval; None for that agent."""
    games: int
    """Number of its games."""
    points: float
    """Its points: 1 for a win, shared among several winners; 1/2 if nobody won."""
    score: float | None
    """Points per game; None without games."""
    decisions: int
    """Number of its decisions."""
    seconds: float
    """Seconds that they took."""
    decisions_per_second: float | None
    """Decisions per second; None without decisions."""


class Cycle(NamedTuple):
    """Three agents, each of which beats the next and the last the first."""

    agents: tuple[str, str, str]
    """The agents, from the one that comes first in the match."""
    p_holm: float
    """The p-value of "one of the three expected scores is at most 1/2", by Holm's method for all
    triples of agents and both directions; below 0.05."""


class Verdict(NamedTuple):
    """The state of a sequential test."""

    elo0: float
    """The Elo difference of H0."""
    elo1: float
    """The Elo difference of H1."""
    alpha: float
    """The greatest probability of accepting H1 although H0 is true."""
    beta: float
    """The greatest probability of accepting H0 although H1 is true."""
    lower: float
    """H0 is accepted when ``llr`` falls to this."""
    upper: float
    """H1 is accepted when ``llr`` rises to this."""
    llr: float
    """The log-likelihood ratio; where blocks begin alike, that of their effective number."""
    decision: str
    """``h0``, ``h1`` or ``undecided``."""


class MatchResults(NamedTuple):
    """The results of a match; docs/arena.md explains the figures."""

    software_version: str
    """The version of darkqi that played."""
    game: str
    """The registry name of the game."""
    options: dict[str, int | bool | str]
    """All rule options, including defaults."""
    seed: int
    """The seed of the match."""
    openings: list[str]
    """The openings, one of which was drawn per block; none: the deal."""
    remove: list[str]
    """Names of pieces that were taken off."""
    random_plies: int
    """Number of random plies before the agents took over."""
    seats: int
    """Number of seats."""
    games_per_block: int
    """Number of games in a block, which share a deal."""
    games_per_pair: int
    """Number of requested games per pair, in whole blocks."""
    complete: bool
    """Whether all of them were played, or enough to decide the test."""
    agents: list[Ranking]
    """The results of each agent, in the order given."""
    reference: str
    """The agent that ratings are relative to."""
    pairs: list[Pairing]
    """The results of each pair, in the order of the agents."""
    cycles: list[Cycle]
    """Agents that beat one another in a circle, so that no rating orders them."""
    sprt: Verdict | None
    """The test; None if none was requested."""
    warnings: list[str]
    """Why the figures of all pairs may mislead; each pair has more."""
    resumed_games: int
    """Number of games that the journal already held."""
    restarts: dict[str, int]
    """How often engines were started again after a failure in this call, by agent; others are
    left out."""
    seconds: float
    """Seconds of this call."""


class PolicyEntry(NamedTuple):
    """The probability of one action in a policy."""

    action: int
    """The action, as an index from the mover's perspective."""
    probability: float
    """Its probability."""


class ReplayedPly(NamedTuple):
    """A ply of a logged game."""

    player: int
    """The seat that moved."""
    action: int
    """The action, as an index from the mover's perspective."""
    move: str
    """The name of the action, in absolute coordinates."""
    legal_count: int
    """Number of legal actions."""
    revealed: str | None
    """The piece that was turned over, or None."""
    captured: str | None
    """The piece that was taken, or None."""
    captured_covered: bool
    """Whether the taken piece was covered."""
    value: list[float] | None
    """The result that the agent expected for each seat; None where it gives none."""
    policy: list[PolicyEntry] | None
    """The probabilities that the agent gave to actions; None where it gives none."""
    fen: str
    """The full FEN of the position after the ply."""


class ReplayedGame(NamedTuple):
    """A logged game that agrees with the rules."""

    game: str
    """The registry name of the game."""
    options: dict[str, int | bool | str]
    """All rule options, including defaults."""
    game_id: int
    """The number of the game."""
    pair_id: int
    """A number that all games on the same deal share."""
    seed: int
    """The seed that dealt it."""
    agents: list[str]
    """The agent in each seat."""
    deal: str
    """The full FEN of the deal."""
    rewards: list[float]
    """The final reward of each seat."""
    winner: int
    """The seat that won, -1 if no single seat did."""
    terminated: bool
    """True if the rules ended it, False if the ply limit cut it off."""
    reason: str
    """The ending reason of docs/RULES.md section 8."""
    plies: list[ReplayedPly]
    """The plies in order."""


class Report(NamedTuple):
    """A report that was written."""

    path: Path
    """The page."""
    headline: str
    """The main result, in one sentence."""


class RoundValue(NamedTuple):
    """The value of a kind of piece in one round, in the units of the built-in values."""

    kind: str
    """The letter of the kind."""
    played_by: float
    """The value that the agent played by."""
    fitted: Estimate
    """The value fitted to the games."""


class BalanceRound(NamedTuple):
    """One round of ``darkqi.balance_values``."""

    values: list[RoundValue]
    """The kinds whose values the games determine."""
    fit: dict[str, Any]
    """The fit, as ``darkqi.piece_values`` returns it."""
    file: Path
    """The file of the fitted values."""


class BalancedValues(NamedTuple):
    """Piece values by self-play."""

    rounds: list[BalanceRound]
    """The rounds."""
    has_converged: bool
    """Whether the values have converged."""
    undetermined: str | None
    """Why the games of a further round did not determine the values, where that ended the rounds;
    the final values are those of the last round that did."""
    file: Path
    """The file of the final values, for the ``values`` option of agents."""
    test: MatchResults
    """The match of the fitted values, first, against the initial ones."""


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
