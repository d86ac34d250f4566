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

def games() -> list[str]: ...
def spec(name: str, **options: _Option) -> Spec: ...
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
) -> Env: ...
def agents() -> list[AgentInfo]: ...
def baseline_net(spec: Spec) -> bytes: ...
def selfplay(
    name: str,
    out: str | PathLike[str],
    games: _Int = 1000,
    *,
    agents: str | AgentDict | Policy | Sequence[str | AgentDict | Policy] = "greedy",
    seed: _Int = 0,
    threads: _Int | None = None,
    shard_games: _Int | None = None,
    duplicate: bool = False,
    random_plies: _Int = 0,
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
) -> Summary: ...
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
    shard_games: _Int | None = None,
    shards: tuple[_Int, _Int] | list[_Int] | range | None = None,
    observation: _Format = "planes",
    batch_size: _Int = 64,
    progress: bool = False,
    **options: _Option,
) -> MatchResults: ...
def replay(path: str | PathLike[str], game_id: _Int) -> ReplayedGame: ...
def finish(
    path: str | PathLike[str], *, threads: _Int | None = None, progress: bool = False
) -> Finished: ...
def verify(
    path: str | PathLike[str], *, threads: _Int | None = None, progress: bool = False
) -> Verification: ...
def command_line(args: Sequence[str]) -> int: ...
def absolute(path: str | PathLike[str]) -> Path | str: ...
def write_output(path: str | PathLike[str], contents: bytes) -> None: ...
def value_positions(
    path: str | PathLike[str],
    *,
    share: float = 1.0,
    seed: _Int = 0,
    adjudicate: bool = False,
    threads: _Int | None = None,
) -> ValuePositions: ...
def compare(paths: Iterable[str | PathLike[str]], *, threads: _Int | None = None) -> Comparison: ...
def first_reveal(
    path: str | PathLike[str],
    *,
    until: float | None = None,
    aivat: bool = False,
    threads: _Int | None = None,
) -> FirstReveal: ...
def piece_values(
    path: str | PathLike[str],
    *,
    positions: int = 8,
    output: str | PathLike[str] | None = None,
    weights: str | PathLike[str] | None = None,
    unit: str | None = None,
    quiet: Literal["both", "before"] = "both",
    threads: _Int | None = None,
) -> PieceValues: ...
def piece_values_by_phase(
    path: str | PathLike[str],
    by: Literal["covered", "pieces"] = "covered",
    *,
    positions: _Int = 8,
    unit: str | None = None,
    threads: _Int | None = None,
) -> PhasedValues: ...
def piece_values_by_region(
    path: str | PathLike[str],
    *,
    positions: _Int = 8,
    unit: str | None = None,
    threads: _Int | None = None,
) -> RegionalValues: ...
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
) -> BalancedValues: ...
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
) -> StrengthResults: ...
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
) -> SweepResults: ...
def report(
    paths: str | PathLike[str] | Sequence[str | PathLike[str]],
    output: str | PathLike[str] = "report.html",
    *,
    threads: _Int | None = None,
) -> Report: ...
def match_sizes(
    name: str,
    agents: str | AgentDict | Policy | Sequence[str | AgentDict | Policy],
    games: _Int,
    **options: _Option,
) -> tuple[int, int, int]: ...
def listed_shards(path: str | PathLike[str]) -> int: ...
def first_reveal_part(
    path: str | PathLike[str], shards: tuple[int, int], deals: bool, threads: int
) -> bytes: ...
def add_first_reveal(
    path: str | PathLike[str], parts: Iterable[bytes], until: float | None
) -> FirstReveal: ...
def piece_values_part(
    path: str | PathLike[str], shards: tuple[int, int], positions: _Int, threads: int
) -> tuple[bytes, bytes]: ...
def answer_about_rows(rows: bytes, question: bytes, threads: int) -> bytes: ...
def add_piece_values(
    path: str | PathLike[str],
    parts: Iterable[bytes],
    ask: Callable[[bytes], list[bytes]],
    positions: _Int,
    output: str | PathLike[str] | None,
    weights: str | PathLike[str] | None,
) -> PieceValues: ...
def verify_part(path: str | PathLike[str], shards: tuple[int, int], threads: int) -> bytes: ...
def add_verification(
    path: str | PathLike[str], parts: Iterable[bytes], threads: int
) -> Verification: ...
def prepare_shards(
    name: str,
    out: str | PathLike[str],
    games: _Int,
    *,
    agents: str | AgentDict | Policy | Sequence[str | AgentDict | Policy],
    seed: _Int,
    shard_games: _Int | None,
    duplicate: bool,
    random_plies: _Int | None,
    openings: str | PathLike[str] | Sequence[str] | None,
    fen: str | None,
    remove: Sequence[str] | None,
    observation: _Format,
    batch_size: _Int,
    **options: _Option,
) -> int: ...
def survey_shards(
    path: str | PathLike[str], shards: tuple[int, int], threads: int
) -> tuple[bytes, int]: ...
def list_shards(path: str | PathLike[str], found: list[bytes]) -> Finished: ...
def restore_spec(name: str, options: dict[str, _Option]) -> Spec: ...
def restore_time_step(
    first: _Int, end: _Int, fields: Sequence[NDArray[Any] | None]
) -> TimeStep: ...
def restore_state(
    name: str,
    options: dict[str, _Option],
    fen: str,
    history: bytes | None,
    seed: _Int | None,
) -> State: ...

@final
class DatasetFolder:
    def __new__(cls, path: str | PathLike[str]) -> Self: ...
    @property
    def path(self) -> Path | str: ...
    @property
    def metadata(self) -> Metadata: ...
    @property
    def spec(self) -> Spec: ...
    @property
    def num_games(self) -> int: ...
    @property
    def num_plies(self) -> int: ...
    @property
    def is_complete(self) -> bool: ...
    def replays(self) -> Replays: ...
    def files(self, table: Literal["games", "plies"]) -> list[Path] | list[str]: ...

@final
class Replays:
    def __iter__(self) -> Self: ...
    def __next__(self) -> LoggedGame: ...

@final
class GymnasiumResults:
    def __new__(cls, lanes: _Int, mask_in_info: bool, same_step: bool) -> Self: ...
    def seat(self, lane: _Int) -> int: ...
    def reset(
        self, time_step: TimeStep
    ) -> tuple[NDArray[Any] | dict[str, NDArray[Any]], dict[str, Any]]: ...
    def step(
        self, time_step: TimeStep
    ) -> tuple[
        NDArray[Any] | dict[str, NDArray[Any]],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]: ...

@final
class Sampler:
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
    def fill(self, **arrays: NDArray[Any] | None) -> int: ...

@final
class Spec:
    @property
    def name(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def num_players(self) -> int: ...
    @property
    def player_range(self) -> tuple[int, int]: ...
    @property
    def teams(self) -> list[int]: ...
    @property
    def max_plies(self) -> int: ...
    @property
    def num_actions(self) -> int: ...
    @property
    def action_squares(self) -> NDArray[np.int16]: ...
    @property
    def action_paths(self) -> NDArray[np.int16]: ...
    @property
    def moved_pieces(self) -> NDArray[np.int16]: ...
    @property
    def attacks(self) -> NDArray[np.uint8]: ...
    @property
    def symmetries(self) -> list[Symmetry]: ...
    @property
    def regions(self) -> dict[str, NDArray[np.int64]]: ...
    @property
    def board_shape(self) -> tuple[int, int]: ...
    @property
    def observation_shape(self) -> tuple[int, int, int]: ...
    @property
    def plane_names(self) -> list[str]: ...
    @property
    def plane_maxima(self) -> NDArray[np.uint8]: ...
    @property
    def token_shape(self) -> tuple[int]: ...
    @property
    def token_names(self) -> list[str]: ...
    @property
    def piece_letters(self) -> list[str]: ...
    @property
    def armies(self) -> list[Army]: ...
    @property
    def hides(self) -> Literal["nothing", "kind", "kind and army"]: ...
    @property
    def deals_vary(self) -> bool: ...
    @property
    def covered_pieces_move(self) -> bool: ...
    @property
    def captures_are_secret(self) -> bool: ...
    @property
    def options(self) -> list[OptionInfo]: ...

@final
class TimeStep:
    @property
    def lanes(self) -> slice[int, int, None]: ...
    @property
    def observation(self) -> NDArray[np.uint8]: ...
    # bool or uint8, by `mask` of `make`.
    @property
    def action_mask(self) -> NDArray[Any]: ...
    @property
    def current_player(self) -> NDArray[np.int8]: ...
    @property
    def reward(self) -> NDArray[np.float32]: ...
    @property
    def terminated(self) -> NDArray[np.bool_]: ...
    @property
    def truncated(self) -> NDArray[np.bool_]: ...
    @property
    def forfeited(self) -> NDArray[np.bool_]: ...
    @property
    def final_observation(self) -> NDArray[np.uint8] | None: ...
    @property
    def final_player(self) -> NDArray[np.int8] | None: ...
    def copy(self) -> TimeStep: ...
    def __copy__(self) -> TimeStep: ...
    def __deepcopy__(self, _memo: Any) -> TimeStep: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]

@final
class Env:
    @property
    def spec(self) -> Spec: ...
    @property
    def num_envs(self) -> int: ...
    @property
    def groups(self) -> int: ...
    @property
    def seed(self) -> int: ...
    @property
    def seeds(self) -> NDArray[np.uint64]: ...
    def reset(
        self,
        seed: _Int | Sequence[_Int | None] | None = None,
        *,
        lanes: NDArray[np.bool_] | Sequence[bool] | None = None,
    ) -> TimeStep: ...
    def step(
        self,
        actions: NDArray[np.integer[Any]] | Sequence[_Int],
        value: ArrayLike | None = None,
        policy: ArrayLike | None = None,
    ) -> TimeStep: ...
    def recv(self) -> TimeStep: ...
    def send(
        self,
        actions: NDArray[np.integer[Any]] | Sequence[_Int],
        value: ArrayLike | None = None,
        policy: ArrayLike | None = None,
    ) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, _type: object, _value: object, _traceback: object) -> None: ...
    def wait(self) -> None: ...
    def observe(self, viewer: _Viewer) -> NDArray[np.uint8]: ...
    def covered_pieces(self) -> NDArray[np.uint8]: ...
    def state(self, i: _Int) -> State: ...
    def sample_actions(self) -> NDArray[np.int64]: ...
    def __len__(self) -> int: ...

@final
class State:
    def __new__(cls, name: str, seed: _Int | None = None, **options: _Option) -> Self: ...
    @classmethod
    def from_fen(cls, name: str, fen: str, **options: _Option) -> State: ...
    @property
    def seed(self) -> int | None: ...
    @property
    def spec(self) -> Spec: ...
    @property
    def name(self) -> str: ...
    @property
    def current_player(self) -> int: ...
    @property
    def ply(self) -> int: ...
    @property
    def is_terminal(self) -> bool: ...
    @property
    def is_truncated(self) -> bool: ...
    @property
    def outcome(self) -> Outcome | None: ...
    def fen(self, viewer: _Viewer | None = None) -> str: ...
    def legal_actions(self) -> list[int]: ...
    def legal_moves(self) -> list[str]: ...
    def apply(self, action: _Int | str) -> None: ...
    def rewards(self) -> list[float]: ...
    def observation(
        self, viewer: _Viewer | None = None, format: _Format = "planes"
    ) -> NDArray[np.uint8]: ...
    def action_mask(self) -> NDArray[np.bool_]: ...
    def clone(self) -> State: ...
    def __copy__(self) -> State: ...
    def __deepcopy__(self, _memo: Any) -> State: ...
    def resample(self, viewer: _Viewer, seed: _Int) -> State: ...
    def reveals(self, action: _Int | str) -> list[Reveal]: ...
    def event(self, action: _Int | str, viewer: _Viewer) -> Reveal: ...
    def arrange(self, action: _Int | str, reveal: Reveal) -> State: ...
    def choose(self, agent: str | AgentDict | Policy, seed: _Int | None = None) -> int: ...
    def play(self, opponent: str = "greedy", seat: _Int = 0, seed: _Int | None = None) -> None: ...
    def action_name(self, k: _Int) -> str: ...
    def action_index(self, name: str) -> int: ...
    # Text, bytes or an array, by the mode. The documentation leaves out overloads.
    def render(
        self,
        mode: Literal["text", "svg", "png", "rgb_array"] = "text",
        viewer: _Viewer | None = None,
        width: _Int = 480,
        marked: Sequence[str] = ...,
    ) -> Any: ...
    def square_at(self, x: float, y: float, viewer: _Viewer | None = None) -> str | None: ...
    def _repr_svg_(self) -> str: ...
    def perft(self, depth: _Int) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
