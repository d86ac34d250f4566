from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, SupportsIndex, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from darkqi._records import (
    AgentDict,
    AgentInfo,
    Army,
    LoggedGame,
    Metadata,
    OptionInfo,
    Outcome,
    Policy,
    Reveal,
    Symmetry,
    ValuePositions,
)
from darkqi.results import (
    BalancedValues,
    Comparison,
    Finished,
    FirstReveal,
    MatchResults,
    PhasedValues,
    PieceValues,
    RegionalValues,
    ReplayedGame,
    Report,
    StrengthResults,
    Summary,
    SweepResults,
    Verification,
)

__all__ = [
    "DatasetFolder",
    "Env",
    "GymnasiumResults",
    "Replays",
    "Sampler",
    "Spec",
    "State",
    "TimeStep",
    "__version__",
    "absolute",
    "add_first_reveal",
    "add_piece_values",
    "add_verification",
    "agents",
    "answer_about_rows",
    "arena",
    "balance_values",
    "baseline_net",
    "command_line",
    "compare",
    "finish",
    "first_reveal",
    "first_reveal_part",
    "games",
    "list_shards",
    "listed_shards",
    "make",
    "match_sizes",
    "piece_values",
    "piece_values_by_phase",
    "piece_values_by_region",
    "piece_values_part",
    "prepare_shards",
    "replay",
    "report",
    "restore_spec",
    "restore_state",
    "restore_time_step",
    "selfplay",
    "spec",
    "strength",
    "survey_shards",
    "sweep",
    "value_positions",
    "verify",
    "verify_part",
    "write_output",
]

# Any integer type, numpy's included.
_Int: TypeAlias = SupportsIndex
_Option: TypeAlias = _Int | str
_Viewer: TypeAlias = _Int | Literal["public"]
_Format: TypeAlias = Literal["planes", "tokens"]

__version__: str

def games() -> list[str]:
    """The names of the games, in alphabetical order."""

def spec(name: str, **options: _Option) -> Spec:
    """Describes a game: its shapes, names and options."""

def make(
    name: str,
    num_envs: _Int,
    seed: _Int | None = None,
    *,
    observation: _Format = "planes",
    mask: Literal["bool", "bits"] = "bool",
    final_observation: bool = False,
    groups: _Int = 1,
    copy: bool = True,
    opponent: str | AgentDict | Policy | None = None,
    seat: _Int | None = None,
    autoreset: Literal["same_step", "next_step", "disabled"] = "same_step",
    illegal: Literal["raise", "forfeit"] = "raise",
    log: str | PathLike[str] | None = None,
    log_agent: str = "caller",
    threads: _Int | None = None,
    **options: _Option,
) -> Env:
    """Makes a batch of games that are stepped together."""

def agents() -> list[AgentInfo]:
    """The agents and their options, as `darkqi agents` lists them."""

def baseline_net(spec: Spec) -> bytes:
    """The ONNX file of the agent `baseline` for a game."""

def selfplay(
    name: str,
    out: str | PathLike[str],
    games: _Int = 1000,
    *,
    agents: str | AgentDict | Policy | Sequence[str | AgentDict | Policy] = "greedy",
    seed: _Int = 0,
    threads: _Int | None = None,
    shard_games: _Int | None = 5000,
    duplicate: bool = False,
    random_plies: _Int | None = None,
    openings: str | PathLike[str] | Sequence[str] | None = None,
    fen: str | None = None,
    remove: Sequence[str] | None = None,
    until: float | None = None,
    luck_adjusted: bool = False,
    observations: bool = False,
    observation: _Format = "planes",
    batch_size: _Int = 64,
    resume: bool = False,
    shards: tuple[_Int, _Int] | list[_Int] | range | None = None,
    progress: bool = False,
    **options: _Option,
) -> Summary:
    """Plays games between agents and writes them as a dataset of Parquet files."""

def arena(
    name: str,
    agents: str | AgentDict | Policy | Sequence[str | AgentDict | Policy],
    games: _Int = 1000,
    *,
    seed: _Int = 0,
    threads: _Int | None = None,
    random_plies: _Int | None = None,
    openings: str | PathLike[str] | Sequence[str] | None = None,
    fen: str | None = None,
    remove: Sequence[str] | None = None,
    sprt: Sequence[float] | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    out: str | PathLike[str] | None = None,
    shard_games: _Int | None = 5000,
    shards: tuple[_Int, _Int] | list[_Int] | range | None = None,
    observation: _Format = "planes",
    batch_size: _Int = 64,
    progress: bool = False,
    **options: _Option,
) -> MatchResults:
    """Plays agents against one another on duplicate deals and rates them."""

def replay(path: str | PathLike[str], game_id: _Int) -> ReplayedGame:
    """Reads a game of a dataset and plays it again, which checks the log against the rules."""

def finish(
    path: str | PathLike[str], *, threads: _Int | None = None, progress: bool = False
) -> Finished:
    """Makes one dataset of the shards that `darkqi.selfplay(..., shards=)` or `darkqi.arena(...,
    shards=)` has played in a folder."""

def verify(
    path: str | PathLike[str], *, threads: _Int | None = None, progress: bool = False
) -> Verification:
    """Checks a dataset: its files, its numbering, and every game by replaying it."""

def command_line(args: Sequence[str]) -> int:
    """Runs a command line, the program's name first, and returns the exit code."""

def absolute(path: str | PathLike[str]) -> Path | str:
    """The absolute path of a dataset's folder, or its URL in object storage."""

def write_output(path: str | PathLike[str], contents: bytes) -> None:
    """Writes a file at once: a regular file is replaced, a pipe or a device is written to."""

def value_positions(
    path: str | PathLike[str],
    *,
    share: float = 1.0,
    seed: _Int = 0,
    adjudicate: bool = False,
    threads: _Int | None = None,
) -> ValuePositions:
    """Takes positions from logged games, with the inputs of a value net."""

def compare(paths: Iterable[str | PathLike[str]], *, threads: _Int | None = None) -> Comparison:
    """Compares every two datasets in what is measured of their games."""

def first_reveal(
    path: str | PathLike[str],
    *,
    until: float | None = None,
    aivat: bool = False,
    threads: _Int | None = None,
) -> FirstReveal:
    """Estimates what the first reveal is worth, from a dataset of an agent against itself."""

def piece_values(
    path: str | PathLike[str],
    *,
    positions: int = 8,
    output: str | PathLike[str] | None = None,
    weights: str | PathLike[str] | None = None,
    unit: str | None = None,
    quiet: Literal["both", "before"] = "both",
    threads: _Int | None = None,
) -> PieceValues:
    """Fits piece values to the results in a dataset of an agent against itself."""

def piece_values_by_phase(
    path: str | PathLike[str],
    by: Literal["covered", "pieces"] = "covered",
    *,
    positions: _Int = 8,
    unit: str | None = None,
    threads: _Int | None = None,
) -> PhasedValues:
    """Fits piece values early and late in the games of a dataset, and tests whether they change."""

def piece_values_by_region(
    path: str | PathLike[str],
    *,
    positions: _Int = 8,
    unit: str | None = None,
    threads: _Int | None = None,
) -> RegionalValues:
    """Fits the value of each face-up kind in each region of the board, and tests whether it
    differs."""

def balance_values(
    name: str,
    out: str | PathLike[str],
    games: _Int = 10000,
    *,
    agent: str | AgentDict = "greedy",
    rounds: _Int = 8,
    margin: float = 0.2,
    positions: _Int = 8,
    sprt: Sequence[float] = (-20.0, 0.0),
    test_games: _Int = 20000,
    seed: _Int = 0,
    threads: _Int | None = None,
    progress: bool = False,
    **options: _Option,
) -> BalancedValues:
    """Plays, fits piece values, plays with these, until they converge; then tests them."""

def strength(
    name: str,
    out: str | PathLike[str],
    agents: Sequence[str | AgentDict],
    games: _Int = 2000,
    *,
    match_games: _Int = 400,
    seed: _Int = 0,
    threads: _Int | None = None,
    random_plies: _Int | None = None,
    openings: str | PathLike[str] | Sequence[str] | None = None,
    fen: str | None = None,
    remove: Sequence[str] | None = None,
    progress: bool = False,
    **options: _Option,
) -> StrengthResults:
    """Measures what the first reveal is worth for agents of rising strength."""

def sweep(
    name: str,
    out: str | PathLike[str],
    vary: Mapping[str, Iterable[_Option]],
    agents: Sequence[str | AgentDict],
    games: _Int = 2000,
    *,
    match_games: _Int = 400,
    seed: _Int = 0,
    threads: _Int | None = None,
    random_plies: _Int | None = None,
    openings: str | PathLike[str] | Sequence[str] | None = None,
    fen: str | None = None,
    remove: Sequence[str] | None = None,
    margin: float = 0.02,
    until: float | None = None,
    progress: bool = False,
    **options: _Option,
) -> SweepResults:
    """Plays and compares all combinations of values of some rule options."""

def report(
    paths: str | PathLike[str] | Sequence[str | PathLike[str]],
    output: str | PathLike[str] = "report.html",
    *,
    threads: _Int | None = None,
) -> Report:
    """Writes one page of HTML about datasets of one game."""

def match_sizes(
    name: str,
    agents: str | AgentDict | Policy | Sequence[str | AgentDict | Policy],
    games: _Int,
    **options: Any,
) -> tuple[int, int, int]:
    """Returns the numbers of a match: of pairs, of games of all pairs, and of games on a deal."""

def listed_shards(path: str | PathLike[str]) -> int:
    """The number of shards that a dataset lists."""

def first_reveal_part(
    path: str | PathLike[str], shards: tuple[int, int], deals: bool, threads: int
) -> bytes:
    """The part of `first_reveal` that shards [first, end) of a dataset's list give; `deals` if it
    has `until`."""

def add_first_reveal(
    path: str | PathLike[str], parts: Iterable[bytes], until: float | None
) -> FirstReveal:
    """`first_reveal` of a dataset, by an iterable of the parts of all its shards in their order."""

def piece_values_part(
    path: str | PathLike[str], shards: tuple[int, int], positions: _Int, threads: int
) -> tuple[bytes, bytes]:
    """The part of `piece_values` that shards [first, end) of a dataset's list give, and the rows
    that are sampled."""

def answer_about_rows(rows: bytes, question: bytes, threads: int) -> bytes:
    """The answer to a question of `add_piece_values` about such rows."""

def add_piece_values(
    path: str | PathLike[str],
    parts: Iterable[bytes],
    ask: Callable[[bytes], list[bytes]],
    positions: _Int,
    output: str | PathLike[str] | None,
    weights: str | PathLike[str] | None,
) -> PieceValues:
    """`piece_values` of a dataset, by an iterable of the parts of all its shards in their order."""

def verify_part(path: str | PathLike[str], shards: tuple[int, int], threads: int) -> bytes:
    """The part of `verify` that shards [first, end) of a dataset's list give."""

def add_verification(
    path: str | PathLike[str], parts: Iterable[bytes], threads: int
) -> Verification:
    """`verify` of a dataset, by an iterable of the parts of all its shards in their order."""

def prepare_shards(
    name: str,
    out: str | PathLike[str],
    games: _Int,
    *,
    agents: str | AgentDict | Policy | Sequence[str | AgentDict | Policy],
    observation: _Format,
    batch_size: _Int,
    **options: Any,
) -> int:
    """Makes the folder of a run ready for processes that play some of its shards each, checks the
    arguments, which are those of `selfplay`, and returns the number of shards."""

def survey_shards(
    path: str | PathLike[str], shards: tuple[int, int], threads: int
) -> tuple[bytes, int]:
    """What `finish` finds of shards [first, end) of a run, and how many of them are there and
    sound."""

def list_shards(path: str | PathLike[str], found: list[bytes]) -> Finished:
    """`finish` of a dataset, by what `survey_shards` has found, in the order of shards."""

def restore_spec(name: str, options: dict[str, _Option]) -> Spec:
    """The spec of what a pickle of a `Spec` holds."""

def restore_time_step(first: _Int, end: _Int, fields: Sequence[NDArray[Any] | None]) -> TimeStep:
    """The time step of what a pickle of a `TimeStep` holds."""

def restore_state(
    name: str,
    options: dict[str, _Option],
    fen: str,
    history: bytes | None,
    seed: _Int | None,
) -> State:
    """Sets up a game from what a pickle of a `State` holds."""

@final
class DatasetFolder:
    """An open dataset: the shards that were finished when it was opened."""
    def __new__(cls, path: str | PathLike[str]) -> Self: ...
    @property
    def path(self) -> Path | str:
        """The folder, or its URL in object storage as a `str`."""
    @property
    def metadata(self) -> Metadata:
        """The metadata of all games, as a `Metadata`."""
    @property
    def spec(self) -> Spec:
        """The game with its options, as a `Spec`."""
    @property
    def num_games(self) -> int:
        """Number of games."""
    @property
    def num_plies(self) -> int:
        """Number of plies."""
    @property
    def is_complete(self) -> bool:
        """Whether all its games have been written."""
    def replays(self) -> Replays:
        """Iterates over the games in the order of the shards, as `LoggedGame`s."""
    def files(self, table: Literal["games", "plies"]) -> list[Path] | list[str]:
        """The files of one table, in the order of the shards: URLs if the dataset is in object
        storage."""

@final
class Replays:
    """The games of a dataset, one after another."""
    def __iter__(self) -> Self: ...
    def __next__(self) -> LoggedGame: ...

@final
class GymnasiumResults:
    """Makes observations, rewards and infos of time steps, and remembers whose turn it was."""
    def __new__(cls, lanes: _Int, mask_in_info: bool, same_step: bool) -> Self: ...
    def seat(self, lane: _Int) -> int:
        """The seat of a lane's last observation."""
    def reset(
        self, time_step: TimeStep
    ) -> tuple[NDArray[Any] | dict[str, NDArray[Any]], dict[str, Any]]:
        """Observations and infos of what `Env.reset` has just returned."""
    def step(
        self, time_step: TimeStep
    ) -> tuple[
        NDArray[Any] | dict[str, NDArray[Any]],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Observations, rewards, terminations, truncations and infos of what `Env.step` has just
        returned."""

@final
class Sampler:
    """The training rows of one epoch of a dataset, or of one worker's part of it."""
    def __new__(
        cls,
        folder: DatasetFolder,
        *,
        observation: _Format,
        shuffle: bool,
        seed: _Int,
        epoch: _Int,
        worker: _Int,
        num_workers: _Int,
        buffer_size: _Int,
        targets: bool,
        threads: _Int | None = None,
    ) -> Self: ...
    def fill(self, **arrays: NDArray[Any] | None) -> int:
        """Writes the next rows into arrays of N rows."""

@final
class Spec:
    """A game with its options: the shapes, names and counts that a network and a training loop
    need."""
    @property
    def name(self) -> str:
        """The name in the registry."""
    @property
    def about(self) -> str:
        """A description of the game in one line."""
    @property
    def num_players(self) -> int:
        """Number of seats P."""
    @property
    def player_range(self) -> tuple[int, int]:
        """The fewest and the most seats that the options allow."""
    @property
    def teams(self) -> list[int]:
        """The team of each seat, numbered from 0 in the order of their first seats."""
    @property
    def max_plies(self) -> int:
        """Number of plies after which every game has ended."""
    @property
    def num_actions(self) -> int:
        """Number of actions A, legal or not."""
    @property
    def action_squares(self) -> NDArray[np.int16]:
        """The squares that each action leaves and goes to: a read-only int16 array of shape (A,
        2)."""
    @property
    def action_paths(self) -> NDArray[np.int16]:
        """The squares between the two of each action, in order: a read-only int16 array of shape
        (A, L), where L is the longest such path, with -1 after its end."""
    @property
    def moved_pieces(self) -> NDArray[np.int16]:
        """What each piece is after it moved: a read-only int16 array of shape (P,) with places
        among the P pieces, which are those of the first P planes."""
    @property
    def attacks(self) -> NDArray[np.uint8]:
        """How each piece attacks by each action: a read-only uint8 array of shape (P, A), where the
        P pieces are those of the first P planes."""
    @property
    def symmetries(self) -> list[Symmetry]:
        """The symmetries of the game beyond the identity, as a list of `Symmetry`."""
    @property
    def regions(self) -> dict[str, NDArray[np.int64]]:
        """The regions of the board that players name, such as the two sides of the river: a dict of
        names to read-only int64 arrays of squares (`rank * files + file`), as the owner of a piece
        sees them."""
    @property
    def board_shape(self) -> tuple[int, int]:
        """Numbers of ranks and files of the board."""
    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """The shape (C, H, W) of one observation as planes: channels, ranks, files."""
    @property
    def plane_names(self) -> list[str]:
        """The names of the C planes."""
    @property
    def plane_maxima(self) -> NDArray[np.uint8]:
        """The greatest value of each of the C planes, by the rules and options: a read-only uint8
        array of shape (C,), without zeros, so that planes can be divided by it."""
    @property
    def token_shape(self) -> tuple[int]:
        """The shape (T,) of one observation as tokens."""
    @property
    def token_names(self) -> list[str]:
        """The names of the T tokens."""
    @property
    def piece_letters(self) -> list[str]:
        """The letters of the kinds of pieces, as in FENs."""
    @property
    def armies(self) -> list[Army]:
        """The armies, as a list of `Army`."""
    @property
    def hides(self) -> Literal["nothing", "kind", "kind and army"]:
        """What a covered piece hides: `nothing` if no piece is ever covered, `kind`, or `kind and
        army`."""
    @property
    def deals_vary(self) -> bool:
        """Whether deals with different seeds differ."""
    @property
    def covered_pieces_move(self) -> bool:
        """Whether covered pieces can move."""
    @property
    def captures_are_secret(self) -> bool:
        """Whether a seat may capture a piece without others seeing what it was."""
    @property
    def options(self) -> list[OptionInfo]:
        """The rule options with the values in force, as a list of `OptionInfo`."""

@final
class TimeStep:
    """The rows of N lanes in numpy arrays, as `Env.reset`, `Env.step` and `Env.recv` return
    them."""
    @property
    def lanes(self) -> slice[int, int, None]:
        """The lanes of the rows, as a slice: `values[ts.lanes]` are theirs in an array of all
        lanes."""
    @property
    def observation(self) -> NDArray[np.uint8]:
        """What the player to move sees, from its perspective: uint8 of shape (N, C, H, W), or (N,
        T) with `observation="tokens"`."""
    # bool or uint8, by `mask` of `make`.
    @property
    def action_mask(self) -> NDArray[Any]:
        """The legal actions of the player to move: bool of shape (N, A)."""
    @property
    def current_player(self) -> NDArray[np.int8]:
        """The seat to move: int8 of shape (N,)."""
    @property
    def reward(self) -> NDArray[np.float32]:
        """The reward of each seat in the last step: float32 of shape (N, P), zeros unless a game
        ended."""
    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether the last step ended the lane's game by its rules: bool of shape (N,)."""
    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Whether the last step ended the lane's game at its ply limit: bool of shape (N,)."""
    @property
    def forfeited(self) -> NDArray[np.bool_]:
        """Whether the last step ended the lane's game, because the action was not legal: bool of
        shape (N,)."""
    @property
    def final_observation(self) -> NDArray[np.uint8] | None:
        """The last position of the games that the last step ended, as `final_player` sees it: shape
        and dtype of `observation`."""
    @property
    def final_player(self) -> NDArray[np.int8] | None:
        """The seat that would move next in the games that the last step ended, or the caller's
        against an opponent: int8 of shape (N,)."""
    def copy(self) -> TimeStep:
        """Copies every array."""
    def __copy__(self) -> TimeStep: ...
    def __deepcopy__(self, _memo: Any) -> TimeStep: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]

@final
class Env:
    """A batch of games, made by `darkqi.make`."""
    @property
    def spec(self) -> Spec:
        """The game with its options."""
    @property
    def num_envs(self) -> int:
        """Number of lanes, N."""
    @property
    def groups(self) -> int:
        """Number of groups of lanes."""
    @property
    def seed(self) -> int:
        """The seed of the batch: that of `make`, or of the last `reset` with an integer."""
    @property
    def seeds(self) -> NDArray[np.uint64]:
        """The seed of each lane's game: a new uint64 array of shape (N,), or (n,) for the n lanes
        of the current group."""
    def reset(
        self,
        seed: _Int | Sequence[_Int | None] | None = None,
        *,
        lanes: NDArray[np.bool_] | Sequence[bool] | None = None,
    ) -> TimeStep:
        """Deals a new game in every lane, or in some lanes."""
    def step(
        self,
        actions: NDArray[np.integer[Any]] | Sequence[_Int],
        value: ArrayLike | None = None,
        policy: ArrayLike | None = None,
    ) -> TimeStep:
        """Plays one action in every lane."""
    def recv(self) -> TimeStep:
        """Waits for the next group and returns its rows."""
    def send(
        self,
        actions: NDArray[np.integer[Any]] | Sequence[_Int],
        value: ArrayLike | None = None,
        policy: ArrayLike | None = None,
    ) -> None:
        """Starts playing one action in every lane of the current group, and returns at once."""
    def close(self) -> None:
        """Writes what is still to be logged, and marks the dataset as complete: an env with a log
        is not stepped after that."""
    def __enter__(self) -> Self: ...
    def __exit__(self, _type: object, _value: object, _traceback: object) -> None: ...
    def wait(self) -> None:
        """Waits until no group is being stepped."""
    def observe(self, viewer: _Viewer) -> NDArray[np.uint8]:
        """Encodes what a seat or a spectator sees now, in the lanes of the current group, or in all
        lanes if no group is current."""
    def covered_pieces(self) -> NDArray[np.uint8]:
        """Returns what lies covered, which no observation has, in the lanes of the current group,
        or in all lanes if no group is current."""
    def state(self, i: _Int) -> State:
        """Copies one lane's game."""
    def sample_actions(self) -> NDArray[np.int64]:
        """Samples a uniformly random legal action in every lane, from the lane's own random stream:
        in the lanes of the current group, or in all lanes if no group is current."""
    def __len__(self) -> int: ...

@final
class State:
    """One game in progress, for search, interfaces and adapters."""
    def __new__(cls, name: str, seed: _Int | None = None, **options: _Option) -> Self: ...
    @classmethod
    def from_fen(cls, name: str, fen: str, **options: _Option) -> State:
        """Sets up a game from a full FEN."""
    @property
    def seed(self) -> int | None:
        """The seed that dealt the game; None for a state from a FEN, from an env or from a
        sample."""
    @property
    def spec(self) -> Spec:
        """The game with its options."""
    @property
    def name(self) -> str:
        """The game's name."""
    @property
    def current_player(self) -> int:
        """The seat to move; in a finished game, the seat that would move next."""
    @property
    def ply(self) -> int:
        """Plies played since the deal."""
    @property
    def is_terminal(self) -> bool:
        """Whether the game is over, for any reason, truncation included."""
    @property
    def is_truncated(self) -> bool:
        """Whether the game ended at its ply limit."""
    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, as an `Outcome`; None before the end."""
    def fen(self, viewer: _Viewer | None = None) -> str:
        """Returns the FEN of the position."""
    def legal_actions(self) -> list[int]:
        """Lists the indices of the legal actions in ascending order; empty when the game is
        over."""
    def legal_moves(self) -> list[str]:
        """Lists the names of the legal actions, sorted; empty when the game is over."""
    def apply(self, action: _Int | str) -> None:
        """Plays an action."""
    def rewards(self) -> list[float]:
        """Lists the reward of each seat; zeros before the end."""
    def observation(
        self, viewer: _Viewer | None = None, format: _Format = "planes"
    ) -> NDArray[np.uint8]:
        """Encodes what a viewer sees, from the viewer's perspective."""
    def action_mask(self) -> NDArray[np.bool_]:
        """Returns the mask of the legal actions: a new bool array of shape (A,), all False when the
        game is over."""
    def clone(self) -> State:
        """Copies the game, including its history."""
    def __copy__(self) -> State: ...
    def __deepcopy__(self, _memo: Any) -> State: ...
    def resample(self, viewer: _Viewer, seed: _Int) -> State:
        """Samples a state that a viewer cannot distinguish from this one, uniformly from all such
        states (determinization)."""
    def reveals(self, action: _Int | str) -> list[Reveal]:
        """Lists what a legal action can turn over and capture, with exact probabilities given what
        the player to move knows."""
    def event(self, action: _Int | str, viewer: _Viewer) -> Reveal:
        """Returns what a legal action will turn over and capture, as far as a viewer will see
        it."""
    def arrange(self, action: _Int | str, reveal: Reveal) -> State:
        """Returns a state that the player to move cannot distinguish from this one, in which a
        legal action has the given reveal: a chosen outcome of a chance node."""
    def choose(self, agent: str | AgentDict | Policy, seed: _Int | None = None) -> int:
        """Returns the action of an agent for the seat to move, chosen from what that seat may
        know."""
    def play(self, opponent: str = "greedy", seat: _Int = 0, seed: _Int | None = None) -> None:
        """Plays this game at the terminal against an agent."""
    def action_name(self, k: _Int) -> str:
        """Returns the name of an action of the player to move."""
    def action_index(self, name: str) -> int:
        """Returns the index of an action of the player to move."""
    # Text, bytes or an array, by the mode. The documentation leaves out overloads.
    def render(
        self,
        mode: Literal["text", "svg", "png", "rgb_array"] = "text",
        viewer: _Viewer | None = None,
        width: _Int = 480,
        marked: Sequence[str] = ...,
    ) -> Any:
        """Draws the board."""
    def square_at(self, x: float, y: float, viewer: _Viewer | None = None) -> str | None:
        """Returns the name of the square at a point of the drawing that `render("svg")` gives the
        viewer."""
    def _repr_svg_(self) -> str:
        """The picture in a notebook: what a spectator may know."""
    def perft(self, depth: _Int) -> int:
        """Counts the legal sequences of actions of a length (perft), with the actual identities of
        the covered pieces."""
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
