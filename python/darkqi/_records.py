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


class LoggedGame(NamedTuple):
    """A game of a dataset: all that it takes to play it again."""

    game_id: int
    """The game's number."""
    seed: int
    """The seed that dealt it."""
    deal: str
    """The full FEN of the deal."""
    actions: list[int]
    """The actions in order, their indices as their movers saw them."""
    rewards: list[float]
    """What each seat got at the end."""
    terminated: bool
    """Whether the rules ended it; False where the ply limit cut it off."""


class Metadata(NamedTuple):
    """What all games of a dataset have in common."""

    game: str
    """The game's name in the registry."""
    options: dict[str, int | bool | str]
    """The rule options in force, defaults included."""
    seed: int
    """The seed of the run; a game's own seed stands in its row."""
    agents: list[str]
    """The agents that took part. Who sat where stands in each game's row."""
    software_version: str
    """The version of darkqi that played the games."""
    schema_version: int
    """The version of the columns."""


class Standing(NamedTuple):
    """How an agent or a seat fared in a run of self-play."""

    name: str
    """The agent, or the seat with its agent."""
    wins: int
    """Games with a positive reward."""
    draws: int
    """Games that ended with reward 0."""
    losses: int
    """Games with a negative reward."""
    truncated: int
    """Games cut off by the ply limit, which count as neither."""
    score: float
    """Points per game: 1 for a win, 1/2 where nobody won."""
    interval: tuple[float, float]
    """The 95 % interval of the score (Wilson's, at the observed variance)."""


class Settled(NamedTuple):
    """The score a run was to settle: of the first reveal or, with nothing covered, move."""

    score: float
    """Points per game: 1 for a win, 1/2 where nobody won."""
    interval: tuple[float, float]
    """Its 95 % interval, which holds although the run stopped by it."""
    half_width: float
    """The half-width aimed at."""
    is_reached: bool
    """Whether it was reached."""
    deals: int
    """Deals that were observed."""


class Summary(NamedTuple):
    """What came out of a run of self-play."""

    games: int
    """Games in the dataset."""
    plies: int
    """Their plies."""
    agents: list[Standing]
    """How each agent fared, in the order given."""
    seats: list[Standing]
    """How each seat fared."""
    reasons: dict[str, int]
    """Games by ending reason, the most frequent first."""
    lengths: tuple[float, float, int]
    """Mean, median and greatest length of a game in plies."""
    seconds: float
    """Time from the first game to the last file."""
    bytes: int
    """Size of the Parquet files."""
    settled: Settled | None
    """What ``until`` came to, if it was given."""
