"""Results of the functions that play, measure and check.

Fields have the names that commands print with ``--json``, and ``Result.to_dict`` returns the same.
Results are frozen. They can be compared, pickled and copied.

- An estimate has ``value``, ``low`` and ``high``: the ends of its 95 % interval.
- Scores are points per game, from 0 to 1: 1 for a win, shared among several winners, an even share
  (1/2 with two seats) for a draw or a truncated game, 0 for a loss. Games without covered pieces
  have no first reveal: they have the first mover's score.
- Lengths are plies, times seconds, sizes bytes. Shares, probabilities and p-values lie between 0
  and 1. Ratings are Elo, in which 400 points are odds of 10 to 1.
- A piece's value is a multiple of the unit that the result names, its log odds are natural
  logarithms.
- "None" in a type stands for a figure that the games do not give. The field says when.
"""

from dataclasses import dataclass
from functools import cache
from math import isfinite
from pathlib import Path
from types import UnionType
from typing import (
    Any,
    Literal,
    Self,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)


@dataclass_transform(frozen_default=True)
class Result:
    """The base of all results."""

    def __init_subclass__(cls) -> None:
        """Makes each result a frozen dataclass."""
        dataclass(frozen=True, repr=False)(cls)

    def to_dict(self) -> dict[str, Any]:
        """Returns dicts, lists, numbers, strings and None, as commands print them with ``--json``.

        Numbers that are not finite become None, tuples lists, and paths strings.
        """
        return {name: _plain(value) for name, value in vars(self).items()}

    def __repr__(self) -> str:
        """Shows values and estimates, and how many there are of others."""
        shown = ", ".join(f"{name}={_shown(value)}" for name, value in vars(self).items())
        return f"{type(self).__name__}({shown})"

    @classmethod
    def _of(cls, plain: dict[str, Any]) -> Self:
        """Makes a result of what native code has found, by the types of the fields."""
        kinds = _kinds(cls)  # type: ignore[arg-type]
        return cls(**{name: _made(kinds[name], value) for name, value in plain.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, float) and not isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value


def _shown(value: Any) -> str:
    if isinstance(value, Result) and not isinstance(value, Estimate | Measurement):
        return f"{type(value).__name__}(...)"
    if isinstance(value, list) and (
        len(value) > 4 or any(isinstance(one, Result) for one in value)
    ):
        return f"[{len(value)} of {type(value[0]).__name__}]"
    return repr(value)


@cache
def _kinds(of: Any) -> dict[str, Any]:
    return get_type_hints(of)


def _made(kind: Any, value: Any) -> Any:
    origin, of = get_origin(kind), get_args(kind)
    if value is None or origin is Literal:
        return value
    if origin in (UnionType, Union):
        return _made(of[0], value)
    if origin is list:
        return [_made(of[0], one) for one in value]
    if origin is tuple:
        return tuple(_made(*one) for one in zip(of, value, strict=True))
    if origin is dict:
        return {name: _made(of[1], one) for name, one in value.items()}
    if issubclass(kind, Result):
        return kind._of(value)
    # A URL in object storage is no path.
    return Path(value) if kind is Path and "://" not in str(value) else value


class Estimate(Result):
    """An estimate with its 95 % interval. Ends may be infinite but not NaN."""

    __module__ = "darkqi"
    value: float
    """The estimate."""
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end of the interval."""

    def __str__(self) -> str:
        """Returns a text such as "0.640 (0.592 to 0.685)"."""
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


class Measurement(Result):
    """An estimate with its standard error, which is infinite if the data do not determine it."""

    value: float
    """The estimate."""
    low: float
    """The lower end of the normal 95 % interval."""
    high: float
    """The upper end of that interval."""
    error: float
    """The standard error."""


class Lengths(Result):
    """Lengths of games in plies."""

    mean: float
    """The mean."""
    median: float
    """The median: of an even number, the mean of the middle two."""
    min: int
    """The shortest game."""
    max: int
    """The longest game."""


class Standing(Result):
    """The results of an agent or a seat."""

    name: str
    """The agent, or the number of the seat, with its agent if agents keep their seats."""
    wins: int
    """Games with a positive reward."""
    draws: int
    """Games that ended with reward 0."""
    losses: int
    """Games with a negative reward."""
    truncated: int
    """Games truncated at the ply limit. They are neither wins, draws nor losses."""
    score: Estimate | None
    """Points per game. None without games, as in a run that was stopped within its first duplicate
    deal."""


class Settled(Result):
    """The score of a run that stops at a target precision."""

    score: Estimate
    """The score of the player who makes the first reveal or, in games without covered pieces, the
    first move. The 95 % interval remains valid although it decides when to stop."""
    half_width: float
    """The target: half the width of the interval, in points per game."""
    is_reached: bool
    """Whether the target was reached."""
    is_luck_adjusted: bool
    """Whether the score is luck-adjusted."""
    deals: int
    """Number of deals."""
    effective_deals: int
    """The effective number of deals, as in ``FirstReveal``."""
    is_repetitive: bool
    """Whether deals begin alike so often that their games are no sample of different games."""


class Summary(Result):
    """The results of a self-play run."""

    __module__ = "darkqi"
    game: str
    """The registry name of the game."""
    seed: int
    """The seed of the run."""
    path: Path | str
    """The folder of the dataset, or its URL in object storage."""
    shards: tuple[int, int] | None
    """The shards counted, if not all: the first, and the one after the last."""
    games: int
    """Number of games counted."""
    plies: int
    """Number of their plies."""
    kept_games: int
    """Games among them that were there before: from before the run was resumed, or in shards that
    were there already."""
    kept_plies: int
    """Number of plies of these games."""
    damages: list[str]
    """Why shards were played again: the faults of their files."""
    complete: bool
    """Whether the folder holds all games that were asked for."""
    agents: list[Standing]
    """The results of each agent, in the order of the configuration."""
    seats: list[Standing]
    """The results of each seat."""
    settled: Settled | None
    """The score that ``until`` asks for, of finished shards."""
    lengths: Lengths
    """The lengths of the games."""
    reasons: dict[str, int]
    """The reasons of endings with their numbers of games, the most frequent first."""
    restarts: dict[str, int]
    """How often engines were started again after a failure, by agent. Agents without restarts are
    left out."""
    seconds: float
    """Seconds from the first game to the last file."""
    bytes: int
    """Size of the dataset's tables, in bytes."""
    deals: int
    """The number of deals counted."""
    effective_deals: int
    """The effective number of deals by how their games begin."""
    warnings: list[str]
    """Why the scores may mislead."""


class Finished(Result):
    """The shards of a run that are in a folder."""

    __module__ = "darkqi"
    games: int
    """Games that ``dataset.json`` now lists."""
    plies: int
    """Number of their plies."""
    shards: int
    """Number of shards that ``dataset.json`` now lists."""
    run_shards: int
    """Number of shards of the whole run."""
    missing: list[tuple[int, int]]
    """The shards that are still to be played, ascending, in ranges for ``shards``: those that are
    not there, and those that are damaged."""
    damages: list[str]
    """The faults of the damaged ones. Their files stay, and are replaced when the shard is
    played."""
    complete: bool
    """Whether all shards are there."""


class Fault(Result):
    """A fault of a dataset."""

    file: str
    """The file, relative to the dataset's folder."""
    row: int | None
    """The row in the file, from 0. None for a fault of the file."""
    game_id: int | None
    """The number of the game. None for a fault of no single game."""
    ply: int | None
    """The ply, from 0."""
    fault: str
    """The value expected and the value found."""


class Verification(Result):
    """The faults of a dataset, and the extent of the check."""

    __module__ = "darkqi"
    listed_games: int
    """Number of games that ``dataset.json`` lists."""
    games: int
    """Games that were read and played again."""
    plies: int
    """Number of their plies."""
    shards: int
    """Number of shards that were checked."""
    complete: bool
    """Whether the writer has finished. If not, it is at work or was interrupted. This is no fault,
    and neither are files that it has not listed yet."""
    unlisted_files: list[str]
    """Files that such a writer has not listed yet."""
    missing_observations: list[str]
    """Files of observations that are not there, if there is a folder of them and the dataset is
    complete. This is no fault: they follow from the games, and a resumed run writes them."""
    replaced_shards: list[int]
    """Shards that a writer replaced during the verification. Their games were not checked."""
    fault_count: int
    """Number of all faults. 0 for a valid dataset."""
    faults: list[Fault]
    """The faults: of ``dataset.json``, then of the shards in turn, the first 20 of each."""


class PolicyEntry(Result):
    """The probability of one action in a policy."""

    action: int
    """The action, as an index from the mover's perspective."""
    probability: float
    """Its probability, from 0 to 1."""


class ReplayedPly(Result):
    """A ply of a logged game."""

    player: int
    """The seat that moved."""
    action: int
    """The action, as an index from the mover's perspective."""
    move: str
    """The name of the action, in absolute coordinates."""
    legal_count: int
    """Number of actions that were legal."""
    revealed: str | None
    """The piece that was turned over, or None."""
    captured: str | None
    """The piece that was taken, or None."""
    captured_covered: bool
    """Whether the taken piece was covered."""
    value: list[float] | None
    """The result that the agent expected for each seat. None where it gives none."""
    policy: list[PolicyEntry] | None
    """The probabilities that the agent gave to actions. None where it gives none."""
    fen: str
    """The full FEN of the position after the ply."""


class ReplayedGame(Result):
    """A logged game that agrees with the rules."""

    __module__ = "darkqi"
    game: str
    """The registry name of the game."""
    options: dict[str, int | bool | str]
    """The rule options in force; those of variants only where they are not the usual."""
    game_id: int
    """The number of the game."""
    deal_id: int
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
    """The plies, in order."""


class BlockScore(Result):
    """A block score that occurred."""

    score: float
    """The score of the block, in points."""
    blocks: int
    """Number of blocks with this score."""


class LuckAdjusted(Result):
    """The score of the first agent of a pair without the luck of reveals (control variates)."""

    score: Estimate
    """Points per game with their 95 % interval."""
    elo: Estimate
    """The Elo difference of that score."""
    reduction: float
    """The relative reduction of the variance. Negative if the adjustment costs more than it
    explains."""


class Pairing(Result):
    """The results of two agents against each other, from the view of the first."""

    first: str
    """The first agent."""
    second: str
    """The second agent."""
    games: int
    """Number of games."""
    blocks: int
    """Blocks. Each is one observation."""
    effective_blocks: int | None
    """The effective number of blocks by how they begin. None if that is not known."""
    warnings: list[str]
    """Why the figures may mislead."""
    wins: int
    """Games of which it scored more than half."""
    draws: int
    """Games of which it scored half."""
    losses: int
    """Games of which it scored less than half."""
    truncated: int
    """Games truncated at the ply limit. They are among the draws."""
    pentanomial: tuple[int, int, int, int, int] | None
    """Blocks in which it scored 0, 1/2, 1, 3/2 and 2 points. None unless there are two sides."""
    block_scores: list[BlockScore]
    """Block scores that occurred, ascending."""
    score: Estimate | None
    """Points per game with its 95 % interval, from the variance of block scores. This and all
    below are None without games."""
    elo: Estimate | None
    """The Elo difference of that score."""
    normalized_elo: Estimate | None
    """The normalised Elo difference. None also if all block scores are equal."""
    los: float | None
    """The likelihood of superiority: the probability that the expected score exceeds 1/2."""
    mean_plies: float | None
    """Plies per game, with the opening."""
    endings: dict[str, int]
    """Numbers of games by the reason of their end."""
    adjusted: LuckAdjusted | None
    """The score without the luck of reveals. None where nothing is covered, and with fewer than 5
    blocks for each covariate of luck."""


class Ranking(Result):
    """The results of an agent against all others."""

    agent: str
    """The agent."""
    elo: Estimate | None
    """Its rating in Elo above ``reference``, fitted to all games: Bradley-Terry by maximum
    likelihood, draws as half. None unless finite. The 95 % interval comes from the variance of
    block scores. The reference has an empty one."""
    elo_kind: Literal["finite", "plus_infinity", "minus_infinity", "unknown"]
    """Whether the rating is finite, and if not, why."""
    group: int
    """The number of its group of agents that have scored against one another, directly or through
    others. Group 0, the greatest one, has finite ratings."""
    group_elo: Estimate | None
    """Its rating above the first agent of its group. None if it is alone there."""
    games: int
    """Number of its games."""
    points: float
    """Its points: 1 for a win, shared among several winners, and 1/2 for a drawn or truncated
    game."""
    score: float | None
    """Points per game. None without games."""
    decisions: int
    """Number of its decisions."""
    seconds: float
    """Wall time of its decisions."""
    decisions_per_second: float | None
    """Decisions per second of that time, None without decisions. It depends on the machine and its
    load."""


class Cycle(Result):
    """Three agents, each of which beats the next and the last the first."""

    agents: tuple[str, str, str]
    """The agents, from the one that comes first in the match."""
    p_holm: float
    """The p-value of "one of the three expected scores is at most 1/2", by Holm's method for all
    triples of agents and both directions."""


class Verdict(Result):
    """The state of a test."""

    elo0: float
    """The difference of H0, in logistic Elo."""
    elo1: float
    """The difference of H1, which is greater."""
    alpha: float
    """The greatest probability of accepting H1 although H0 is true."""
    beta: float
    """The greatest probability of accepting H0 although H1 is true."""
    lower: float
    """H0 is accepted when the log-likelihood ratio falls to this."""
    upper: float
    """H1 is accepted when it rises to this."""
    llr: float
    """The log-likelihood ratio after the last block that counted; where blocks begin alike, that
    of their effective number."""
    decision: Literal["h0", "h1", "undecided"]
    """Which hypothesis was accepted, or ``undecided``."""


class MatchResults(Result):
    """The results of a match."""

    __module__ = "darkqi"
    software_version: str
    """The version of darkqi that played."""
    game: str
    """The registry name of the game."""
    options: dict[str, int | bool | str]
    """All its options in force."""
    seed: int
    """The seed of the match."""
    openings: list[str]
    """The openings, one of which was drawn per block. Empty: the deal."""
    remove: list[str]
    """Names of pieces that were taken off."""
    random_plies: int
    """Uniformly random plies before the agents took over."""
    seats: int
    """Number of seats."""
    games_per_block: int
    """Games in a block, which share a deal."""
    games_per_pair: int
    """Games per pair that were asked for, in whole blocks."""
    complete: bool
    """Whether all of them were played, or enough to decide the test."""
    agents: list[Ranking]
    """The agents, in the order of the configuration."""
    reference: str
    """The agent that ratings are relative to: the first of the greatest group of agents that have
    scored against one another, directly or through others."""
    pairs: list[Pairing]
    """Each pair, in the order of the configuration."""
    cycles: list[Cycle]
    """Agents that beat one another in a circle, so that no rating orders them."""
    sprt: Verdict | None
    """The test, if one was asked for."""
    warnings: list[str]
    """Why the figures of all pairs may mislead. Each pair has more."""
    resumed_games: int
    """Number of games that `out` already held."""
    restarts: dict[str, int]
    """How often engines were started again after a failure, by agent, since the match was started
    or last resumed. Agents without restarts are left out."""
    seconds: float
    """Wall time of the match since it was started or last resumed."""


class Exploitability(Result):
    """What a policy loses to its best response in a small game."""

    __module__ = "darkqi"
    value: float
    """What it loses to its best response, the mean over both seats, as in OpenSpiel (NashConv / 2):
    from 0, for a policy that cannot be exploited, to 1."""
    game_value: float
    """The expected result of seat 0, from -1 to 1, if both seats play perfectly."""
    first: float
    """The expected result of the policy in seat 0 against its best response."""
    second: float
    """Its expected result in seat 1, likewise."""
    positions: int
    """Number of positions of the game."""


class Openings(Result):
    """The beginnings of the games of a run, apart from the deal."""

    lines: list[str]
    """Positions to begin with, one of which is drawn per deal: full FENs or, in games whose deals
    are all equal, moves from the start. None: the deal itself."""
    remove: list[str]
    """Pieces that are taken off, by their names in a FEN: for each name one of the pieces with
    that name, drawn per deal."""
    random_plies: int
    """Number of uniformly random plies before the agents take over, drawn per deal."""


class Outcomes(Result):
    """The results of a player."""

    wins: int
    """Games won, alone or with allies."""
    draws: int
    """Games without a winner, including those cut off."""
    losses: int
    """Games lost."""
    cut_off: int
    """The draws that were cut off."""
    score: Estimate
    """The mean score, with Wilson's interval for the variance between deals."""
    elo: Estimate | None
    """The Elo difference with this expected score. None unless there are two seats."""


class Adjusted(Result):
    """A mean without and with adjustment by covariates."""

    raw: Measurement
    """The mean without adjustment."""
    adjusted: Measurement
    """The mean with adjustment."""
    score: Estimate
    """The adjusted mean as one of values between 0 and 1, with Wilson's interval."""
    reduction: float
    """The relative reduction of the variance, ``1 - var_adjusted / var_raw``. 0 if the unadjusted
    mean has no variance. It is negative if fitting the coefficients costs more than the covariates
    explain."""
    clusters: int
    """The number of independent observations."""
    covariates: int
    """The number of covariates that vary and are no linear combination of others."""
    coefficients: list[float]
    """The coefficients of the covariates, averaged over folds. 0 for all others."""


class Effect(Result):
    """One group of games."""

    name: str
    """The piece letter or square."""
    games: int
    """Number of games."""
    score: Estimate
    """The mean score of the player who made the first reveal."""
    effect: Estimate
    """This score minus the score of all games, with an interval that is valid for few games."""
    p_value: float
    """The p-value of the hypothesis of no effect, unadjusted: a score test."""
    p_holm: float
    """The p-value adjusted by Holm's method. Kinds are one family of tests, squares another."""
    shrunk: Estimate | None
    """The score shrunk towards the others according to its noise (empirical Bayes). None without
    heterogeneity estimate."""


class Heterogeneity(Result):
    """The heterogeneity of groups."""

    deviation: float
    """The standard deviation of the groups' true scores (REML)."""
    p_value: float
    """The p-value of the hypothesis of no difference (Cochran's Q)."""


class Effects(Result):
    """Scores by group of games."""

    groups: list[Effect]
    """The groups."""
    spread: Heterogeneity | None
    """The heterogeneity of the groups' true scores. None with fewer than 5 groups with an error."""


class Revealer(Result):
    """The player who made the first reveal."""

    outcomes: Outcomes
    """Its results."""
    adjusted: Adjusted | None
    """The luck-adjusted score (control variates), and the variance reduction. None with so
    few deals for each covariate that fitting the coefficients may cost more than they explain."""
    design_effect: float | None
    """The design effect: the variance of the score over its variance for as many games on deals of
    their own. About 1 if no games share deals, below 1 if sharing reduces the variance. None
    with more than two seats."""
    without_reveal: int
    """Games without a reveal, which are left out here."""
    moved_first: Estimate
    """The share of games in which the seat that moved first made the first reveal."""
    kinds: Effects
    """By the piece that was turned over."""
    squares: Effects
    """By the square. Squares that are equivalent by symmetry form one group, named by the lowest
    and leftmost from the player's perspective. Agents choose where they reveal, so this is an
    association and not a causal effect."""


class LengthBin(Result):
    """A bin of the histogram."""

    shortest: int
    """The shortest length in the bin."""
    longest: int
    """The longest length in the bin."""
    games: int
    """Number of games."""


class GameLengths(Result):
    """Game lengths in plies."""

    mean: Estimate
    """The mean."""
    p5: int
    """The 5 % quantile."""
    median: float
    """The median: of an even number, the mean of the middle two."""
    p95: int
    """The 95 % quantile."""
    bins: list[LengthBin]
    """A histogram of game lengths: about twenty bins of equal width up to the 95 % quantile, and
    as many more as needed."""


class OfDataset(Result):
    """Facts about a dataset of an agent against itself, which several results begin with."""

    game: str
    """The registry name of the game."""
    options: dict[str, int | bool | str]
    """The rule options in force; those of variants only where they are not the usual."""
    agent: str
    """The agent that played all seats."""


class FirstReveal(OfDataset):
    """The value of the first reveal in a dataset."""

    __module__ = "darkqi"
    seed: int
    """The seed of the run."""
    software_version: str
    """The version of darkqi that played."""
    games: int
    """Number of games."""
    distinct_games: int
    """Games that differ in their deal or in an action. A repeated game adds no information but is
    counted by every interval."""
    deals: int
    """Number of deals."""
    clusters: int
    """The independent observations: deals or, where several openings were given, openings."""
    effective_deals: int
    """The effective number of deals by how their games begin: the number of equally frequent
    beginnings of which as many pairs would be alike. A beginning is the deal and the first five
    plies of each seat."""
    openings: Openings | None
    """How the games began, if not with the deal itself."""
    revealer: Revealer | None
    """The player who made the first reveal. None in games without covered pieces."""
    first_mover: Outcomes
    """The seat that moved first."""
    even: float | None
    """The expected score if all seats are equal. None if some seats win together, because teams
    may differ."""
    decisive: Estimate
    """The share of games with a winner."""
    plies: GameLengths
    """The lengths of games."""
    endings: dict[str, int]
    """Games by the reason of their end."""
    cut_off: dict[str, int]
    """The games among them that were cut off by a limit."""
    warnings: list[str]
    """Why the figures may mislead."""
    settled: Settled | None
    """The score by an interval that is valid at all times, if one is asked for."""
    settled_adjusted: Settled | None
    """The same of the luck-adjusted score, where pieces are covered."""


class SettledDifference(Result):
    """The difference of a mean between two datasets: where it settles a run, of the score."""

    first: int
    """The place of the first dataset among those compared."""
    second: int
    """The place of the second."""
    difference: Estimate
    """The second mean less the first, with its 95 % interval."""


class Difference(SettledDifference):
    """The difference of a mean between two datasets."""

    p_value: float
    """Of no difference (Student's test, for independent datasets Welch's)."""
    p_holm: float
    """Adjusted for all pairs of datasets (Holm)."""
    paired: bool
    """Whether the two have common deals."""
    warnings: tuple[list[str], list[str]]
    """Why the figures of the first dataset may mislead, and of the second."""


class Comparison(Result):
    """The differences between every two datasets of a game, by quantity."""

    __module__ = "darkqi"
    score: list[Difference]
    """The score, of the first revealer or, without covered pieces, mover."""
    decisive: list[Difference]
    """The share of games with a winner."""
    plies: list[Difference]
    """The number of plies of a game."""
    branching: list[Difference]
    """The mean number of legal actions of a game's plies."""
    lead_changes: list[Difference]
    """How often in a game the seat that expects to do best changes, where agents log values."""


class Figures(Result):
    """The figures of a column of a regression."""

    log_odds: Estimate | None
    """The increase of the log odds of winning by one more. None if not identified."""
    value: Estimate | None
    """The value in units, with Fieller's interval. None for all if the unit's log odds are not
    significantly above 0."""


class Term(Figures):
    """One column of the regression."""

    name: str
    """The column: words, or a piece letter, with ``~`` if the piece moves as a covered one."""
    kind: str | None
    """The piece letter, for face-up pieces."""
    is_piece: bool
    """Whether it counts pieces, so that it has a value."""
    ordered_value: Estimate | None
    """The value by the ordered logit."""
    left_out: str | None
    """Why it is not identified."""


class FormPair(Result):
    """Two kinds that turn into one another, with their mean value."""

    kinds: tuple[str, str]
    """The letters of the two kinds."""
    value: Estimate
    """The mean of their values."""


class ValueByThreats(Result):
    """The value of a kind that a lower kind captures, by number of enemies of that kind."""

    kind: str
    """The letter of the kind."""
    feared: str
    """The letter of the lower kind."""
    values: list[Estimate]
    """Its values against 0, 1, 2 and more enemies of the lower kind."""


class OrderedCuts(Result):
    """The cut points of an ordered logit."""

    cuts: tuple[Estimate, Estimate]
    """The cut points between loss and draw and between draw and win, in log odds."""


class PredictionBin(Result):
    """A bin of predicted scores."""

    low: float
    """The lower bound of predicted scores."""
    high: float
    """The upper bound, exclusive except in the last bin."""
    weight: float
    """The total weight of the observations."""
    predicted: float
    """The mean predicted score."""
    observed: Estimate
    """The mean score in the games."""
    excess: Measurement
    """The observed minus the predicted score. It has another error than ``observed``, because
    predictions vary within the bin together with outcomes. It is infinite below 10 clusters, which
    may agree by chance, and where all agree."""


class Quality(Result):
    """The quality of predictions. Errors are cluster-robust."""

    log_loss: Measurement
    """The mean of ``-y ln p - (1 - y) ln(1 - p)``, in nats. Draws count as 1/2, so its minimum is
    above 0."""
    brier: Measurement
    """The mean of ``(y - p)^2``: Brier, "Verification of forecasts expressed in terms of
    probability" (1950)."""
    bins: list[PredictionBin]
    """The non-empty bins of predicted scores."""


class HeldOut(Result):
    """Validation on deals that the values were not fitted to."""

    deals: int
    """The number of deals held out."""
    quality: Quality
    """The quality of the predictions."""
    without_values: Quality
    """The quality of predicting the mean score each time."""


class FittedValues(OfDataset):
    """Values of pieces fitted to a dataset."""

    games: int
    """The number of games with quiet positions."""
    deals: int
    """Their deals: the independent observations."""
    positions: int
    """Number of positions sampled from them."""
    unit: list[str]
    """The kinds whose mean value is the unit: in each phase by itself, or over the regions."""
    unit_value: float
    """The value of the unit."""
    warnings: list[str]
    """Why the figures may mislead."""
    withheld: str | None
    """Why there are none: all log odds and values are None then."""


class PieceValues(FittedValues):
    """The values of pieces in a dataset."""

    __module__ = "darkqi"
    seed: int
    """The seed of the run."""
    software_version: str
    """The version of darkqi that played."""
    distinct_games: int
    """Games that differ in their deal or in an action, as in ``FirstReveal``."""
    effective_deals: int
    """The effective number of deals, as in ``FirstReveal``."""
    terms: list[Term]
    """The columns of the regression."""
    forms: list[FormPair]
    """The mean values of kinds that turn into one another."""
    feared: ValueByThreats | None
    """The value of a kind that a lower one captures, by the number of these that the enemy has
    face up."""
    ordered: OrderedCuts | None
    """The cut points of the ordered logit."""
    held_out: HeldOut | None
    """Validation: values fitted to four deals in five predict the results of the fifth."""


class PhaseFigures(Figures):
    """A column in one phase."""


class PhasedTerm(Result):
    """One column of the regression in both phases."""

    name: str
    """The column, as in ``Term``."""
    is_piece: bool
    """Whether it counts pieces, so that it has a value."""
    early: PhaseFigures
    """The figures while at least half is left."""
    late: PhaseFigures
    """The figures after that."""
    change: Estimate | None
    """The increase of the log odds from early to late. None if one is not identified."""
    p_value: float | None
    """The p-value of no change (Wald's test)."""
    p_holm: float | None
    """The same by Holm's method for the number of terms."""


class PhasedValues(FittedValues):
    """The values of pieces early and late in the games of a dataset."""

    __module__ = "darkqi"
    by: Literal["covered", "pieces"]
    """What divides a game: its covered pieces, or all its pieces."""
    terms: list[PhasedTerm]
    """The columns of the regression."""


class RegionFigures(Figures):
    """A kind in one region."""

    region: str
    """The name of the region."""
    deals: int
    """The number of deals in which the two sides have different numbers of the kind there. With
    fewer than 100 there are no figures: these pieces then count in the kind's most frequent
    region."""


class RegionDifference(Result):
    """The difference of a kind between two regions."""

    first: str
    """The region of which the figures are taken off."""
    second: str
    """The region from which they are taken off."""
    log_odds: Estimate
    """The log odds in the second less the log odds in the first."""
    value: Estimate | None
    """The difference of the values, in units. None as in ``RegionFigures``."""


class RegionalKind(Result):
    """A kind of pieces, face up."""

    kind: str
    """The letter of the kind."""
    regions: list[RegionFigures]
    """The figures of each region, in the order of ``regions``."""
    differences: list[RegionDifference]
    """The differences between every two regions that have figures."""
    p_value: float | None
    """The p-value of no difference between any of these regions (Wald's test). None with fewer
    than two."""
    p_holm: float | None
    """The same by Holm's method for the number of kinds."""


class UndividedTerm(Figures):
    """A column that no region divides."""

    name: str
    """The column, as in ``PieceValues.terms``."""
    is_piece: bool
    """Whether it counts pieces, so that it has a value."""


class RegionalValues(FittedValues):
    """The values of face-up pieces in each region of the board."""

    __module__ = "darkqi"
    regions: list[str]
    """The names of the regions, as the owner of a piece sees the board."""
    kinds: list[RegionalKind]
    """The kinds, in the game's order."""
    others: list[UndividedTerm]
    """The other columns, which no region divides."""


class RoundValue(Result):
    """The value of a kind in a round, in the units of the built-in values."""

    kind: str
    """The letter of the kind."""
    played_by: float
    """The value that the agent played by."""
    fitted: Estimate
    """The value fitted to the games."""


class BalanceRound(Result):
    """One round."""

    values: list[RoundValue]
    """The kinds whose values the games determine."""
    fit: PieceValues
    """The values fitted to the games of the round."""
    file: Path
    """The file of the fitted values."""


class BalancedValues(Result):
    """The result of a balancing run."""

    __module__ = "darkqi"
    rounds: list[BalanceRound]
    """The rounds, in order."""
    has_converged: bool
    """Whether the values have converged."""
    undetermined: str | None
    """Why the games of a further round did not determine the values, where that ended the rounds:
    the final values come from the last round that did."""
    file: Path
    """The file of the final values, for the ``values`` option of agents."""
    test: MatchResults
    """The match of the fitted values, first, against the initial ones."""


class Trend(Result):
    """A line fitted to measurements by weighted least squares."""

    centre: float
    """The weighted mean of the places."""
    value: Measurement
    """The height of the line at the centre."""
    slope: Measurement
    """The slope per unit of place."""


class Equality(Result):
    """A test that a mean is the same in all datasets."""

    statistic: float
    """Wald's statistic of the differences, for independent datasets Cochran's Q."""
    freedom: int
    """Its degrees of freedom: the number of datasets less one."""
    p_value: float
    """Of no difference. The statistic has Hotelling's distribution, which takes into account that
    the covariance is estimated from a number of deals."""


class Rung(Result):
    """The figures of an agent against itself."""

    agent: str
    """The agent."""
    path: Path
    """The folder of its dataset."""
    elo: Estimate | None
    """Its Elo above the ladder's ``reference``. None unless finite."""
    first_reveal: FirstReveal
    """The value of the first reveal, and all that is measured with it."""
    score: Estimate
    """The score of the first revealer or, without covered pieces, mover: the luck-adjusted one
    where it is narrower."""
    games_needed: list[tuple[float, int]]
    """The number of games with which the score would have this half-width: 0.02, 0.01 and 0.005.
    Empty where openings are the clusters: more games of the same openings do not narrow it so."""


class StrengthResults(Result):
    """The answers of agents of rising strength, and whether they differ."""

    __module__ = "darkqi"
    rungs: list[Rung]
    """The agents, in the order given."""
    trends: dict[str, Trend | None]
    """A line through the agents' figures against their Elo: of ``score``, ``decisive`` (the share
    of games with a winner) and ``plies``. None with fewer than three agents of finite Elo."""
    equality: dict[str, Equality | None]
    """Tests that a figure is the same of all agents, whatever their strength: of ``score`` without
    luck adjustment, ``decisive`` and ``plies``. None where nothing varies or deals are few."""
    ladder: MatchResults
    """The match that gives the Elo."""


class Equivalence(Result):
    """A test whether a score lies within a margin of the even one: two one-sided tests."""

    margin: float
    """The margin, in points per game."""
    p_value: float
    """Of the hypothesis that the score is the margin or more from the even one."""
    p_holm: float
    """Adjusted for all sets (Holm)."""


class Fairness(Result):
    """A verdict on rules: whether they are fair for the agent that has played them."""

    finding: str
    """``fair``, ``not_fair`` or ``not_decided``, at 5 % and all sets considered (Holm)."""
    more_games: int | None
    """About how many more games would decide it if the score stays as it is. None if it is
    decided."""
    warning: str | None
    """Why an even score would say little about the rules, if so."""
    sentence: str
    """The verdict in a sentence."""


class OptionSet(Result):
    """The figures of an option set."""

    label: str
    """The varied options, as in ``cannon=jump, quiet_limit=40``."""
    path: Path
    """The folder of its dataset."""
    score: Estimate
    """The score of the first revealer or, without covered pieces, mover. It is not luck-adjusted,
    as the differences are not."""
    equivalence: Equivalence | None
    """Whether that score is shown to be even within the margin. None with teams."""
    fairness: Fairness | None
    """Whether the rules are fair for the agent. None with teams."""
    means: dict[str, Estimate | None]
    """The means over games of ``score``, ``decisive``, ``plies``, ``branching`` and
    ``lead_changes``, which ``Comparison`` explains. None where no game has a value."""
    endings: dict[str, int]
    """Games by the reason of their end."""
    is_on_front: bool
    """Whether no other set is at least as fair, as decisive and as short, and better in one of
    these."""
    first_reveal: FirstReveal
    """The value of the first reveal, and all that is measured with it."""


class SettledDifferences(Result):
    """Differences at which a comparison stops, or up to which it has come."""

    half_width: float
    """The target: half the width of the intervals, in points per game."""
    is_reached: bool
    """Whether all have reached it."""
    deals: int
    """The number of deals: of games of each dataset."""
    widest: float
    """The greatest half-width, where deals begin alike multiplied by the square root of deals over
    effective deals. It is compared with the target."""
    differences: list[SettledDifference]
    """By pair. The intervals hold together at 95 %, and remain valid although they decide when to
    stop."""
    score: Estimate | None
    """The score of one dataset alone, with such an interval."""


class AgentSweep(Result):
    """The figures of an agent against itself under all option sets."""

    agent: str
    """The agent."""
    sets: list[OptionSet]
    """The option sets, in the order of the variations."""
    fairest: int | None
    """The place of the fairest set: its score is nearest to the even one. None with teams, where
    no score is even."""
    as_fair: list[int]
    """The sets that are not significantly less fair than the fairest (5 %, Holm over all pairs),
    that set included."""
    unfairness: list[Difference]
    """The differences in unfairness, ``|score - even|``, between every two sets."""
    differences: dict[str, list[Difference]]
    """The differences between every two sets, in each quantity of ``OptionSet.means``."""
    settled: SettledDifferences | None
    """With ``until``, the differences in score at which play stopped, with intervals that hold
    together although they decide when to stop. The other figures are not corrected for stopping."""
    verdict: list[str]
    """What the games have shown, in sentences."""


class Skill(Result):
    """The score of an agent against the weaker one before it."""

    set: str
    """The label of the option set."""
    agent: str
    """The agent."""
    opponent: str
    """The weaker agent."""
    score: Estimate | None
    """Its score. None without games."""
    elo: Estimate | None
    """The Elo difference of that score."""
    warnings: list[str]
    """Why the figures may mislead."""


class SweepResults(Result):
    """The results of a sweep."""

    __module__ = "darkqi"
    agents: list[AgentSweep]
    """The figures of each agent, in the order given."""
    skill: list[Skill]
    """Matches of each agent against the one before it, under each option set. None if matches have
    no games."""
    agreement: list[str]
    """Whether the agents agree on each set, in sentences. None of a single agent."""


class Report(Result):
    """A report that was written."""

    __module__ = "darkqi"
    path: Path
    """The file of the page."""
    headline: str
    """The main result, in one sentence."""
