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
    Level,
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
    "levels",
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
_Value: TypeAlias = _Int | str
# A value, or what `rules` takes.
_Option: TypeAlias = _Value | PathLike[str] | Mapping[str, Any] | None
_Viewer: TypeAlias = _Int | Literal["public"]
_Format: TypeAlias = Literal["planes", "tokens"]

__version__: str

def games() -> list[str]:
    """The names of the games, in alphabetical order."""

def spec(name: str, **options: _Option) -> Spec:
    """Describes a game: its shapes, names and options.

    Args:
        name: One of `darkqi.games()`.
        **options: Rule options (int, bool or str); `Spec.options` lists them. `rules` takes them
            from a TOML file, a variant of the program by name, or a dict as such a file has it.

    Returns:
        The `Spec`.

    Raises:
        ValueError: The game or an option does not exist, or a value is out of range.
        TypeError: An option's value is neither int, bool nor str.
    """

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
    log_agent: str | None = None,
    threads: _Int | None = None,
    **options: _Option,
) -> Env:
    """Makes a batch of games that are stepped together.

    The same seed gives the same games. `threads` does not change them; lane i plays the same games
    for any `num_envs` and `groups`. No two games of the batch have the same seed.

    Args:
        name: One of `darkqi.games()`.
        num_envs: Number of lanes N, at least 1.
        seed: The seed of the batch, as of `State`. None draws one, which `Env.seed` shows.
        observation: "planes" for (N, C, H, W) uint8 or "tokens" for (N, T) uint8.
        mask: "bool" for (N, A) bool or "bits" for (N, ceil(A / 8)) uint8, little-endian.
        final_observation: Whether to keep the last position of games that end.
        groups: Number of groups of neighbouring lanes that `recv` and `send` take in turn, 1 to N.
            Their sizes differ by at most one: the first N % groups have one lane more.
        copy: Whether rows that `reset`, `step` and `recv` returned stay as they are, as long as
            somebody holds them. False writes the same arrays every time: a little faster, with half
            of the memory; see `TimeStep`.
        opponent: An agent such as "greedy" or "expectimax:depth=1" that plays every seat but the
            caller's, within the step; or a policy, a callable as in `selfplay`, that sees 64 rows
            in the format of `observation`. It is then always the caller's turn; `reward` still has
            the rewards of all seats. None leaves all seats to the caller.
        seat: The caller's seat against an opponent; None samples one for each game, from its seed.
        autoreset: When a lane whose game has ended deals its next one. "same_step": in the step
            that ends it. "next_step": in the step after that, in which the action does not matter;
            until then its rows show the last position and an empty mask. "disabled": at `reset`.
        illegal: The effect of an action that is not legal. "raise": `IllegalActionError`, and no
            lane is stepped. "forfeit": the lane's game ends as it stands, terminated; the mover
            gets -1, and the other seats share +1.
        log: A folder in which the games are logged as a dataset, like those of `selfplay`, whatever
            chooses the actions. It is created, or holds a dataset of the same game, options and
            agents that was logged in this way: its games stay. Games are logged when they end;
            those that are left by `reset` or end by an illegal action are not. Call `close` at the
            end, or use the env as a context manager. The next env that logs there keeps the games
            that a killed process has left.
        log_agent: The name of the caller in the dataset, "caller" by default; only with `log`.
        threads: Threads that step lanes, including the calling one, separate for each group. None
            uses one thread pool for all envs of the process, with a thread per core. In a forked
            process the calling thread steps alone, because threads do not survive a fork. An env with
            a log raises there: its parent writes the log.
        **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them. `rules` takes them
            from a TOML file, a variant of the program by name, or a dict as such a file has it.

    Returns:
        The `Env`. A game is dealt in every lane; the first `reset` shows it.

    Raises:
        ValueError: The game or an option does not exist, or a value is out of range.
        TypeError: A value has the wrong type.
        RuntimeError: An opponent that begins a lane's game cannot decide.
        MemoryError: There is not enough memory for the lanes.
    """

def agents() -> list[AgentInfo]:
    """The agents and their options, as `darkqi agents` lists them.

    An agent is given as "NAME" or "NAME:OPTION=VALUE,...", such as "expectimax:depth=2". A value with a
    comma stands in quotes, as in 'greedy:values="a,b.toml"'. A dict of "name" and options does without
    quotes: {"name": "greedy", "values": path}.

    Returns:
        A list of `AgentInfo`, in alphabetical order.
    """

def levels(game: str) -> list[Level]:
    """The levels of a game for people, from the weakest on. "level:NAME" is an agent, such as "level:easy".

    Args:
        game: The game's name.

    Returns:
        A list of `Level`.

    Raises:
        ValueError: There is no such game.
    """

def baseline_net(spec: Spec) -> bytes:
    """The ONNX file of the agent `baseline` for a game.

    Args:
        spec: The game with its options.

    Returns:
        The file's bytes.

    Raises:
        ValueError: There is no net for the game, or for its options.
    """

def selfplay(
    name: str,
    out: str | PathLike[str],
    games: _Int = 1000,
    *,
    agents: str | AgentDict | Policy | Sequence[str | AgentDict | Policy] = "greedy",
    seed: _Int = 0,
    threads: _Int | None = None,
    shard_games: _Int = 5000,
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
    """Plays games between agents and writes them as a dataset of Parquet files.

    Game k depends on the arguments and on k, but not on `threads` or `shard_games`.

    `openings` is also taken as a sequence of texts, `shards` as (first, end) or a `range`, both without the
    end.

    Args:
        name: One of `darkqi.games()`.
        out: The folder of the dataset, or its URL. It is created; without `resume` and `shards`, it must
            not hold a dataset. The same call with `resume` can be repeated after an interruption, and
            gives the same files as an uninterrupted one.
        games: Number of games, at least 1; with `until`, the largest number.
        agents: One agent per seat, or one for all seats: names such as "greedy", or policies, as in
            [policy, "greedy"]. A dict has an agent's name and options whose values are no text to be
            parsed, as in {"name": "greedy", "values": path}. A policy is a callable that takes an
            observation (B, ...) uint8, a mask (B, A) bool and the seats to move (B,) int8, and returns B actions or
            `darkqi.Decisions`, whose values and policies are logged. B is always `batch_size`;
            rows without a game repeat the first. It is called in the thread of this call.
        observation: "planes" or "tokens": what policies see.
        batch_size: Number of rows B that a policy sees at once, from 1 to 65,536, and of games that each
            thread plays at a time for it.
        progress: Whether to show a progress bar on standard error, if that is a terminal.
        seed: The seed. A game depends on it, on the game's number and on what is played, not on threads
            or files.
        threads: Number of threads that play, one per core unless given.
        random_plies: Number of random plies before the agents take over, drawn per deal. Unless given,
            there are none or, in matches where neither deals nor openings differ, 2 per seat.
        openings: Begin with a line of this file, drawn per deal: a full FEN or, where all deals are
            equal, moves from the start. Lines that begin with # are left out. What lies covered is
            dealt.
        fen: Begin with this position, a full FEN, instead of a line of `openings`. What lies covered is
            dealt.
        remove: Take pieces off: for each of these names of a FEN one of the pieces that have it, drawn
            per deal.
        shard_games: Number of games per file, at least 1; rounded up to whole deals.
        shards: Play only the shards (files) from A to B - 1, counted from 0, while other processes, on
            this machine or others, may play other ones in the same folder; `darkqi finish` then makes
            one dataset of them. Shards that are there are not played again. Not with agents that play
            by the clock or are programs, nor with `until`, `observations` and `sprt`.
        duplicate: Play every deal once per rotation of the agents over the seats, so that the luck of
            the deal cancels out; the number of games counts all of them.
        until: Stop after the first file that brings the 95 % interval of the first revealer's score
            (where nothing is covered, the first mover's) down to this half-width, above 0 and at most
            0.5. The interval is anytime-valid. The agent must play itself; the number of games is the
            greatest.
        luck_adjusted: Let `until` count by the luck-adjusted score, which needs fewer games where the
            luck of reveals decides much. Some pieces of the game must be covered.
        observations: Write the observation and mask of every ply to observations/*.parquet, too, once
            all games are played: for readers without darkqi.
        resume: Resume the run in the folder, if there is one. Its settings must be these, apart from
            `threads`, and from the number of games, `until` and `luck_adjusted`, which may ask for more
            games.
        **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them. `rules` takes them
            from a TOML file, a variant of the program by name, or a dict as such a file has it.

    Returns:
        The `Summary` of the results.

    Raises:
        ValueError: The game, an option or an agent does not exist, a value is out of range, a policy
            answers what is no decision, or `out` holds a dataset of other arguments.
        TypeError: A value has the wrong type.
        IllegalActionError: A policy gave an action that is not legal or does not exist. The message
            names the game and the ply. What was finished before is kept, as after any exception of a
            policy.
        OSError: The dataset cannot be written, another process writes to it, or the folder already
            holds one.
        KeyboardInterrupt: Ctrl-C. Finished games stay, and `resume` continues.
    """

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
    shard_games: _Int = 5000,
    shards: tuple[_Int, _Int] | list[_Int] | range | None = None,
    observation: _Format = "planes",
    batch_size: _Int = 64,
    progress: bool = False,
    **options: _Option,
) -> MatchResults:
    """Plays agents against one another on duplicate deals and rates them.

    Every pair of agents plays the same deals. A block is one deal with every way of seating the
    pair, and is one observation: all intervals come from the variance of block scores. Block k
    depends on the arguments, on k and on the pair, but not on `threads`. docs/arena.md explains the
    figures.

    `openings` is also taken as a sequence of texts, `shards` as (first, end) or a `range`, both without the
    end.

    Args:
        name: One of `darkqi.games()`.
        agents: Two agents or more, all different: names, dicts or policies, as in [policy, "greedy"];
            `selfplay` says what a policy is, and what a dict.
        games: Games per pair, at least 1, rounded up to whole blocks; with `sprt`, the largest
            number.
        out: The folder of a dataset in which the match is logged, or its URL. If it holds the match, the
            match is resumed; all that determines its games must be the same, and `games` may be more.
        observation: "planes" or "tokens": what policies see.
        batch_size: Number of rows that a policy sees at once, from 1 to 65,536.
        progress: Whether to show a progress bar on standard error, if that is a terminal.
        seed: The seed. A game depends on it, on the game's number and on what is played, not on threads
            or files.
        threads: Number of threads that play, one per core unless given.
        random_plies: Number of random plies before the agents take over, drawn per deal. Unless given,
            there are none or, in matches where neither deals nor openings differ, 2 per seat.
        openings: Begin with a line of this file, drawn per deal: a full FEN or, where all deals are
            equal, moves from the start. Lines that begin with # are left out. What lies covered is
            dealt.
        fen: Begin with this position, a full FEN, instead of a line of `openings`. What lies covered is
            dealt.
        remove: Take pieces off: for each of these names of a FEN one of the pieces that have it, drawn
            per deal.
        shard_games: Number of games per file, at least 1; rounded up to whole deals.
        shards: Play only the shards (files) from A to B - 1, counted from 0, while other processes, on
            this machine or others, may play other ones in the same folder; `darkqi finish` then makes
            one dataset of them. Shards that are there are not played again. Not with agents that play
            by the clock or are programs, nor with `until`, `observations` and `sprt`.
        sprt: Test whether the first of two agents is ELO0 (H0) or ELO1 (H1) better, and stop at the
            decision, at the latest after all games.
        alpha: Greatest probability of accepting H1 although H0 is true.
        beta: Greatest probability of accepting H0 although H1 is true.
        **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them. `rules` takes them
            from a TOML file, a variant of the program by name, or a dict as such a file has it.

    Returns:
        The `MatchResults`, with the names of `darkqi arena --json`.

    Raises:
        ValueError: The game, an option or an agent does not exist, a value is out of range, or `out`
            holds something else.
        TypeError: A value has the wrong type.
        IllegalActionError: A policy gave an action that is not legal or does not exist.
        OSError: The dataset cannot be read or written, or another process writes to it.
        KeyboardInterrupt: Ctrl-C. With `out`, games that have ended are in it, and the same call
            resumes the match.

    An exception that ends the match after games were played, what a policy raises included, has the
    attribute `so_far`: the `MatchResults` of the blocks that were finished. A note says how to go on.
    """

def replay(path: str | PathLike[str], game_id: _Int) -> ReplayedGame:
    """Reads a game of a dataset and plays it again, which checks the log against the rules.

    Args:
        path: The dataset's folder.
        game_id: The number of the game.

    Returns:
        The `ReplayedGame`, with the names of `darkqi replay --json`.

    Raises:
        ValueError: The dataset has no such game, or the log differs from the rules; the message
            names every difference.
        TypeError: A value has the wrong type.
        OSError: The dataset cannot be read.
    """

def finish(
    path: str | PathLike[str], *, threads: _Int | None = None, progress: bool = False
) -> Finished:
    """Makes one dataset of the shards that `darkqi.selfplay(..., shards=)` or `darkqi.arena(..., shards=)` has
    played in a folder.

    A shard that is not listed yet is checked by replaying its games. If all shards are there, the
    folder is then equal to one of `darkqi.selfplay` without `shards`, byte for byte. Otherwise
    the dataset holds those that are there, is marked as incomplete, and the others can still be
    played.

    Args:
        path: The dataset's folder.
        threads: Number of threads, at least 1; None for one per core.
        progress: Whether to show a progress bar on standard error, if that is a terminal.

    Returns:
        The `Finished`. Each range in `missing` is fit for `shards=`.

    Raises:
        ValueError: The game or an option of the dataset does not exist, the run has `until`, or
            `threads` is out of range.
        OSError: There is no dataset, it lacks the settings of its run, another process lists its
            shards, or files cannot be read or written.
        KeyboardInterrupt: Ctrl-C. Nothing was changed.
    """

def verify(
    path: str | PathLike[str], *, threads: _Int | None = None, progress: bool = False
) -> Verification:
    """Checks a dataset: its files, its numbering, and every game by replaying it.

    The check continues after a fault; what cannot be read is skipped. A dataset that is still being
    written, or whose writer was interrupted, is valid if the shards that it lists are.

    Args:
        path: The dataset's folder.
        threads: Number of threads, at least 1; None for one per core.
        progress: Whether to show a progress bar on standard error, if that is a terminal.

    Returns:
        The `Verification`: a valid dataset has a `fault_count` of 0.

    Raises:
        ValueError: The game or an option of the dataset does not exist, or `threads` is out of
            range.
        OSError: There is no dataset, or `dataset.json` cannot be parsed.
        KeyboardInterrupt: Ctrl-C.
    """

def command_line(args: Sequence[str]) -> int:
    """Runs a command line, the program's name first, and returns the exit code."""

def absolute(path: str | PathLike[str]) -> Path | str:
    """The absolute path of a dataset's folder, or its URL in object storage.

    Args:
        path: The folder or the URL.

    Raises:
        ValueError: The URL is not one of object storage.
    """

def write_output(path: str | PathLike[str], contents: bytes) -> None:
    """Writes a file at once: a regular file is replaced, a pipe or a device is written to.

    Args:
        path: The file.
        contents: All of it.

    Raises:
        OSError: The file cannot be written, or belongs to a dataset.
        KeyboardInterrupt: Ctrl-C, while nobody reads a pipe.
    """

def value_positions(
    path: str | PathLike[str],
    *,
    share: float = 1.0,
    seed: _Int = 0,
    adjudicate: bool = False,
    threads: _Int | None = None,
) -> ValuePositions:
    """Takes positions from logged games, with the inputs of a value net.

    Args:
        path: The dataset's folder.
        share: The probability that a position is taken, of those that can be.
        seed: The seed of the choice of positions, as of `State`.
        adjudicate: Whether a drawn game counts as what the linear evaluation says of its last position.
        threads: Number of threads, at least 1; None for one per core.

    Returns:
        The `ValuePositions`: in games of two each position twice, as each seat sees it; in others once,
        as one of the seats does.

    Raises:
        ValueError: A game breaks the rules, `share` is no probability, or `threads` is out of range.
        OSError: There is no dataset, or it cannot be read.
        KeyboardInterrupt: Ctrl-C.
    """

def compare(paths: Iterable[str | PathLike[str]], *, threads: _Int | None = None) -> Comparison:
    """Compares every two datasets by the measurements of their games.

    Datasets of one game and seed have common deals, whose luck cancels out. docs/statistics.md explains
    the figures.

    Args:
        paths: The folders of the datasets, of an agent against itself each.
        threads: Number of threads, at least 1; None for one per core.

    Returns:
        The `Comparison`. In the differences of each quantity, `first` and `second` are places in `paths`.

    Raises:
        ValueError: There are fewer than two datasets, they are of several games, one has several agents, or
            `threads` is out of range.
        OSError: A dataset cannot be read.
        KeyboardInterrupt: Ctrl-C.
    """

def first_reveal(
    path: str | PathLike[str],
    *,
    until: float | None = None,
    aivat: bool = False,
    threads: _Int | None = None,
) -> FirstReveal:
    """Estimates the value of the first reveal, from a dataset of an agent against itself.

    The estimate is the expected score (win 1, draw 1/2, loss 0) of the player who makes the first
    reveal, separated from the advantage of the seat that moves first, and by the piece revealed and
    its square. Errors are clustered by deal. docs/statistics.md explains the figures.

    Args:
        path: The dataset's folder.
        until: For datasets that `darkqi.selfplay(until=...)` stopped: the half-width, above 0 and
            at most 0.5, of the 95 % intervals in `settled` and, for the luck-adjusted score,
            `settled_adjusted`. Each stays valid when it is computed after every shard (an
            always-valid confidence sequence).
        aivat: Whether `adjusted` also uses a search's opinion of each reveal (AIVAT). That narrows
            its interval, and takes up to two minutes of a processor for a thousand games.
        threads: Number of threads, at least 1; None for one per core.

    Returns:
        The `FirstReveal`. `settled` and `settled_adjusted` are None without `until`.

    Raises:
        ValueError: The dataset has several agents or no games, or `until` or `threads` is out of
            range.
        OSError: The dataset cannot be read.
        KeyboardInterrupt: Ctrl-C.
    """

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
    """Fits piece values to the results in a dataset of an agent against itself.

    The model is a logistic regression of the final result (a draw counts 1/2) on differences of
    piece counts in quiet positions. Errors are clustered by deal. docs/statistics.md explains the
    figures.

    Args:
        path: The dataset's folder.
        positions: The largest number of positions sampled from a game; at least 1.
        output: A TOML file for the values, for the `values` option of agents; None writes none.
        weights: A TOML file for the log odds per unit, for the `weights` option of agents.
        unit: What values are measured in, without files to write: a kind and its value, as in "R=9", or
            several for their mean, as in "C+H=3"; None for the unit of the game's own values.
        quiet: The plies around a position that must not capture: "both", the one before it and the one
            after, or "before", which does not select by the choice of the player to move.
        threads: Number of threads, at least 1; None for one per core.

    Returns:
        The `PieceValues`. Where the figures would tell nothing, `withheld` says why, and all log odds and
        values are None.

    Raises:
        ValueError: The dataset has several agents, its games do not determine any value, or
            `positions` is 0, or `threads` is out of range. With a file to write: they do not determine
            the value of the unit.
        OSError: The dataset cannot be read, or a file cannot be written or belongs to a dataset.
        KeyboardInterrupt: Ctrl-C.
    """

def piece_values_by_phase(
    path: str | PathLike[str],
    by: Literal["covered", "pieces"] = "covered",
    *,
    positions: _Int = 8,
    unit: str | None = None,
    threads: _Int | None = None,
) -> PhasedValues:
    """Fits piece values early and late in the games of a dataset, and tests whether they change.

    Both phases are fitted in one regression, as `darkqi.piece_values` fits one. docs/statistics.md
    explains the figures.

    Args:
        path: The dataset's folder.
        by: What divides a game, "covered" (pieces) or "pieces": a position is early while at least
            half as many as in the deal are left on the board.
        positions: The largest number of positions sampled from a game; at least 1.
        unit: As in `darkqi.piece_values`, of each phase by itself.
        threads: Number of threads, at least 1; None for one per core.

    Returns:
        The `PhasedValues`.

    Raises:
        ValueError: As `darkqi.piece_values`, there is no such `by`, or nothing is covered in the game.
        OSError: The dataset cannot be read.
        KeyboardInterrupt: Ctrl-C.
    """

def piece_values_by_region(
    path: str | PathLike[str],
    *,
    positions: _Int = 8,
    unit: str | None = None,
    threads: _Int | None = None,
) -> RegionalValues:
    """Fits the value of each face-up kind in each region of the board, and tests whether it differs.

    All regions are fitted in one regression, as `darkqi.piece_values` fits one. The game's regions are
    `darkqi.spec(game).regions`, as the owner of a piece sees the board. docs/statistics.md explains the
    figures.

    Args:
        path: The dataset's folder.
        positions: The largest number of positions sampled from a game; at least 1.
        unit: As in `darkqi.piece_values`, of all regions together.
        threads: Number of threads, at least 1; None for one per core.

    Returns:
        The `RegionalValues`.

    Raises:
        ValueError: As `darkqi.piece_values`, or the board of the game has no regions.
        OSError: The dataset cannot be read.
        KeyboardInterrupt: Ctrl-C.
    """

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
    """Plays, fits piece values, plays with these, until they converge; then tests them.

    The test is a match of the fitted values against the initial ones on duplicate deals, until it is
    decided which of two Elo differences holds: by default 20 Elo worse, or equally good.

    Args:
        name: One of `darkqi.games()`.
        out: The folder for the datasets and values of the rounds; it must not exist. The final
            values are `values.toml`.
        games: Games per round, at least 1.
        agent: The agent that plays itself, one that reads piece values.
        progress: Whether to show a progress bar on standard error, if that is a terminal.
        seed: The seed. A game depends on it, on the game's number and on what is played, not on threads
            or files.
        threads: Number of threads that play, one per core unless given.
        rounds: Greatest number of rounds, at least 1.
        margin: The values have converged when the games show that none changes by more than this
            fraction of itself or, for those below the mean of all kinds, of that mean: the interval of
            each fitted value lies that near to the value that was played (a test of equivalence). Above
            0 and at most 1.
        positions: Greatest number of positions sampled from a game, at least 1.
        sprt: The two Elo differences that the test of the fitted values against the initial ones
            decides between.
        test_games: Greatest number of games of the test, at least 1.
        **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them. `rules` takes them
            from a TOML file, a variant of the program by name, or a dict as such a file has it.

    Returns:
        The `BalancedValues`, with the names of `darkqi values balance --json`.

    Raises:
        ValueError: The game, an option or the agent does not exist, a value is out of range, `out`
            exists, or the games of the first round do not determine the values.
        TypeError: A value has the wrong type.
        OSError: A file cannot be written or read.
        KeyboardInterrupt: Ctrl-C. The finished rounds are in `out`.
    """

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
    """Measures what the first reveal is worth for agents of rising strength.

    Every agent plays itself, and all play one another for their Elo, on common deals. The same call
    goes on from what `out` holds. docs/statistics.md explains the figures.

    Args:
        name: One of `darkqi.games()`.
        out: The folder of the study, for its datasets and matches.
        agents: At least two names of agents, from the weakest to the strongest.
        games: Games of each agent against itself, at least 1.
        progress: Whether to show a progress bar on standard error, if that is a terminal.
        seed: The seed. A game depends on it, on the game's number and on what is played, not on threads
            or files.
        threads: Number of threads that play, one per core unless given.
        random_plies: Number of random plies before the agents take over, drawn per deal. Unless given,
            there are none or, in matches where neither deals nor openings differ, 2 per seat.
        openings: Begin with a line of this file, drawn per deal: a full FEN or, where all deals are
            equal, moves from the start. Lines that begin with # are left out. What lies covered is
            dealt.
        fen: Begin with this position, a full FEN, instead of a line of `openings`. What lies covered is
            dealt.
        remove: Take pieces off: for each of these names of a FEN one of the pieces that have it, drawn
            per deal.
        match_games: Games of each match of two agents, at least 1; a sweep with 0 plays no matches.
        **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them. `rules` takes them
            from a TOML file, a variant of the program by name, or a dict as such a file has it.

    Returns:
        The `StrengthResults`.

    Raises:
        ValueError: The game, an option or an agent does not exist, or a value is out of range.
        OSError: A file cannot be read or written.
        KeyboardInterrupt: Ctrl-C. What was played is in `out`.
    """

def sweep(
    name: str,
    out: str | PathLike[str],
    vary: Mapping[str, Iterable[_Value]],
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
    minutes: float | None = None,
    progress: bool = False,
    **options: _Option,
) -> SweepResults:
    """Plays and compares all combinations of values of some rule options.

    Every agent plays itself under each set of rules, on common deals; with several agents each also
    plays the one before it. The same call goes on from what `out` holds. docs/statistics.md explains the
    figures.

    Args:
        name: One of `darkqi.games()`.
        out: The folder of the study, for its datasets and matches.
        vary: The values of each option, as in {"quiet_limit": [40, 60]}. "remove" takes pieces off:
            {"remove": ["none", "R", "P+P"]}; {"remove": ["each"]} stands for none and one piece of each
            kind that the first mover can spare.
        agents: Names of agents, from the weakest to the strongest.
        games: Games of each agent against itself under each set of rules, at least 1.
        progress: Whether to show a progress bar on standard error, if that is a terminal.
        seed: The seed. A game depends on it, on the game's number and on what is played, not on threads
            or files.
        threads: Number of threads that play, one per core unless given.
        random_plies: Number of random plies before the agents take over, drawn per deal. Unless given,
            there are none or, in matches where neither deals nor openings differ, 2 per seat.
        openings: Begin with a line of this file, drawn per deal: a full FEN or, where all deals are
            equal, moves from the start. Lines that begin with # are left out. What lies covered is
            dealt.
        fen: Begin with this position, a full FEN, instead of a line of `openings`. What lies covered is
            dealt.
        remove: Take pieces off: for each of these names of a FEN one of the pieces that have it, drawn
            per deal.
        match_games: Games of each match of two agents, at least 1; a sweep with 0 plays no matches.
        margin: Test which rules are fair within this distance of the even score, above 0 and at most
            0.5.
        until: Play all sets in common rounds until every difference in score between two of them, or
            the score of a single set, is known to this half-width, above 0 and at most 0.5; the number
            of games is then the greatest. All intervals together hold at 95 %, at the stop as at any
            time.
        minutes: Play all sets in common rounds for about this many minutes, which the agents share
            equally; the number of games is then the greatest. The first round is always played. Matches
            come on top.
        **options: Rule options that all sets have.

    Returns:
        The `SweepResults`: for each agent, which rules are `fairest`.

    Raises:
        ValueError: The game, an option or an agent does not exist, or a value is out of range. Nothing
            is played then.
        OSError: A file cannot be read or written.
        KeyboardInterrupt: Ctrl-C. What was played is in `out`.
    """

def report(
    paths: str | PathLike[str] | Sequence[str | PathLike[str]],
    output: str | PathLike[str] = "report.html",
    *,
    threads: _Int | None = None,
) -> Report:
    """Writes one page of HTML about datasets of one game.

    It shows the value of the first reveal and of each piece, with 95 % intervals, statistics of the
    games, and the commands that make the page again. The same datasets give the same bytes.

    Args:
        paths: The folder of a dataset, or a list of them, of one game. In each an agent plays
            itself; the weakest agent comes first.
        output: The page. A file that exists is replaced; a pipe or a device is written to.
        threads: Number of threads, at least 1; None for one per core.

    Returns:
        The `Report`: where the page is, and its main result.

    Raises:
        ValueError: There are no datasets, they have different games, one has several agents, or
            `threads` is out of range.
        TypeError: A value has the wrong type.
        OSError: A dataset cannot be read, or the page cannot be written or is a file of a dataset.
        KeyboardInterrupt: Ctrl-C. No page is written.
    """

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
    """The part of `first_reveal` that shards [first, end) of a dataset's list give; `deals` if it has
    `until`."""

def add_first_reveal(
    path: str | PathLike[str], parts: Iterable[bytes], until: float | None
) -> FirstReveal:
    """`first_reveal` of a dataset, by an iterable of the parts of all its shards in their order."""

def piece_values_part(
    path: str | PathLike[str], shards: tuple[int, int], positions: _Int, threads: int
) -> tuple[bytes, bytes]:
    """The part of `piece_values` that shards [first, end) of a dataset's list give, and the rows that are
    sampled."""

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
    """`piece_values` of a dataset, by an iterable of the parts of all its shards in their order. `ask`
    takes a question and returns the list of the answers about the rows of all parts, in that order."""

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
    """What `finish` finds of shards [first, end) of a run, and how many of them are there and sound."""

def list_shards(path: str | PathLike[str], found: list[bytes]) -> Finished:
    """`finish` of a dataset, by what `survey_shards` has found, in the order of shards."""

def restore_spec(name: str, options: dict[str, _Option]) -> Spec:
    """The spec of what a pickle of a `Spec` holds."""

def restore_time_step(first: _Int, end: _Int, fields: Sequence[NDArray[Any] | None]) -> TimeStep:
    """The time step of what a pickle of a `TimeStep` holds.

    Raises:
        ValueError: There is not one row per lane.
        TypeError: An array has another type.
    """

def restore_state(
    name: str,
    options: dict[str, _Option],
    fen: str,
    history: bytes | None,
    seed: _Int | None,
) -> State:
    """Sets up a game from what a pickle of a `State` holds.

    Args:
        name: One of `darkqi.games()`.
        options: The rule options by name.
        fen: The full FEN.
        history: The positions since the last capture or reveal; None where the rules need none.
        seed: The seed of the deal, or None.

    Returns:
        The `State`.

    Raises:
        ValueError: The game or an option does not exist, or the history leads to another position,
            as one does that another version of darkqi may have written.
        darkqi.FenError: The FEN is malformed.
    """

@final
class DatasetFolder:
    """An open dataset: the shards that were finished when it was opened.

    Args:
        path: The folder.

    Raises:
        FileNotFoundError: The folder does not exist, or a listed file is missing.
        OSError: It is not a dataset, or has another schema version.
    """
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
        """The files of one table, in the order of the shards: URLs if the dataset is in object storage.

        Args:
            table: "games" or "plies".
        """

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
    """The training rows of one epoch of a dataset, or of one worker's part of it.

    The arguments are those of `darkqi.datasets.Dataset.batches`.
    """
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
        """Writes the next rows into arrays of N rows. Releases the GIL.

        Args:
            arrays: The arrays of `darkqi.datasets.Batch` by name, of its dtypes and shapes, with
                `action_mask` as uint8. None stands for one without elements.

        Returns:
            The number of rows written: fewer than N only at the end of the epoch, and 0 after that.

        Raises:
            TypeError: An array has another dtype.
            ValueError: An array has too few or too many elements, or they are not contiguous.
            OSError: A file cannot be read, or a logged game breaks the rules. The epoch is over
                then.
            KeyboardInterrupt: Ctrl-C. The epoch is over then.
        """

@final
class Spec:
    """A game with its options: the shapes, names and counts that a network and a training loop need.

    `darkqi.spec(name, **options)`, `Env.spec` and `State.spec` return it. Specs of one game with the same
    options are equal; they can be pickled and copied.
    """
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
        """The team of each seat, numbered from 0 in the order of their first seats. The seats of a
        team win and lose together."""
    @property
    def max_plies(self) -> int:
        """Number of plies after which every game has ended."""
    @property
    def num_actions(self) -> int:
        """Number of actions A, legal or not."""
    @property
    def action_squares(self) -> NDArray[np.int16]:
        """The squares that each action leaves and goes to: a read-only int16 array of shape (A, 2).

        Squares are numbered `rank * files + file` from the mover's side, as in its observation:
        square `s` is `planes[:, s // files, s % files]`. A flip has its square twice, a pass has -1
        twice.
        """
    @property
    def action_paths(self) -> NDArray[np.int16]:
        """The squares between the two of each action, in order: a read-only int16 array of shape (A, L),
        with -1 after the end of a path.

        Squares are numbered as in `action_squares`. They are the squares of a line between its ends,
        the leg of a horse or the eye of an elephant. A step, a flip and a pass have none.
        """
    @property
    def moved_pieces(self) -> NDArray[np.int16]:
        """The piece that each piece is after it moved: a read-only int16 array of shape (K,) with places among the K
        pieces, which are those of the first K planes. -1 if it is not known before, as of a covered
        piece.

        In flipping xiangqi pieces turn into their other form; elsewhere a piece that is face up stays
        what it is.
        """
    @property
    def attacks(self) -> NDArray[np.uint8]:
        """How each piece attacks by each action: a read-only uint8 array of shape (K, A). Piece k is that
        of plane k.

        - 0: it does not.
        - 1: it does if no piece stands on the path of the action (`action_paths`).
        - 2: it does if exactly one does, as a cannon.
        - 3: it does in both cases, as a horse that jumps.

        The owner of the piece on the target, ranks and
        checks do not count, so a piece may attack another that it is not allowed to take.
        """
    @property
    def symmetries(self) -> list[Symmetry]:
        """The symmetries of the game beyond the identity, as a list of `Symmetry`.

        A deal is as likely as its image, and play continues from both alike. So a position, its mask
        and its policy can be taken to other squares and keep their value.
        """
    @property
    def regions(self) -> dict[str, NDArray[np.int64]]:
        """The regions of the board that players name, such as the two sides of the river: a dict of
        names to read-only int64 arrays of squares (`rank * files + file`), as the owner of a piece
        sees them. Empty where there are none."""
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
        """The greatest value of each of the C planes, by the rules and options: a read-only uint8 array
        of shape (C,), without zeros, so that planes can be divided by it.

        No game exceeds it that begins with a deal. A FEN can have counters beyond their limits.
        """
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
        """The secret of a covered piece: `nothing` if no piece is ever covered, `kind`, or
        `kind and army`."""
    @property
    def deals_vary(self) -> bool:
        """Whether deals with different seeds differ."""
    @property
    def covered_pieces_move(self) -> bool:
        """Whether covered pieces can move."""
    @property
    def captures_are_secret(self) -> bool:
        """Whether a seat may capture a piece that the others do not see."""
    @property
    def options(self) -> list[OptionInfo]:
        """The rule options with the values in force, as a list of `OptionInfo`."""

@final
class TimeStep:
    """The rows of N lanes in numpy arrays, as `Env.reset`, `Env.step` and `Env.recv` return them.

    Rows are never overwritten while you hold this object, one of its arrays or a view of one: the next
    call writes other arrays. Memory that nobody holds is written again. With `make(copy=False)`
    every call returns the same objects and writes the same memory; the row of a lane is then valid
    until the next `step`, `reset` or `send` of that lane, and `ts.copy()` keeps it.

    PyTorch and JAX share the memory: `torch.from_numpy(ts.observation)`, `torch.from_dlpack`,
    `jax.dlpack.from_dlpack`. Their arrays count as views, so they stay as they are. JAX assumes
    that arrays never change and computes asynchronously: with `copy=False`, block until it is done
    before the next step, or copy.

    Time steps are equal when their lanes and arrays are. Pickles and copies have arrays of their own.
    """
    @property
    def lanes(self) -> slice[int, int, None]:
        """The lanes of the rows, as a slice: `values[ts.lanes]` are theirs in an array of all lanes."""
    @property
    def observation(self) -> NDArray[np.uint8]:
        """The view of the player to move, from its perspective: uint8 of shape (N, C, H, W), or (N, T)
        with `observation="tokens"`."""
    # bool or uint8, by `mask` of `make`.
    @property
    def action_mask(self) -> NDArray[Any]:
        """The legal actions of the player to move: bool of shape (N, A). With `mask="bits"`, uint8 of
        shape (N, ceil(A / 8)), in which action 0 is the lowest bit of the first byte. Where DLPack
        does not support bool, `action_mask.view(numpy.uint8)` is the same memory."""
    @property
    def current_player(self) -> NDArray[np.int8]:
        """The seat to move: int8 of shape (N,)."""
    @property
    def reward(self) -> NDArray[np.float32]:
        """The reward of each seat in the last step: float32 of shape (N, P), zeros unless a game
        ended."""
    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether the last step ended the lane's game by its rules: bool of shape (N,). With
        `autoreset="same_step"` the other arrays already show the lane's next game."""
    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Whether the last step ended the lane's game at its ply limit: bool of shape (N,). Never true
        together with `terminated`."""
    @property
    def forfeited(self) -> NDArray[np.bool_]:
        """Whether the last step ended the lane's game, because the action was not legal: bool of shape
        (N,). Never true without `illegal="forfeit"`."""
    @property
    def final_observation(self) -> NDArray[np.uint8] | None:
        """The last position of the games that the last step ended, as `final_player` sees it: shape and
        dtype of `observation`. The rows of other lanes have no meaning. None without
        `final_observation=True`."""
    @property
    def final_player(self) -> NDArray[np.int8] | None:
        """The seat that would move next in the games that the last step ended, or the caller's against
        an opponent: int8 of shape (N,). Those of other lanes have no meaning. None without
        `final_observation=True`."""
    def copy(self) -> TimeStep:
        """Copies every array. The env does not write into the copies."""
    def __copy__(self) -> TimeStep: ...
    def __deepcopy__(self, _memo: Any) -> TimeStep: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]

@final
class Env:
    """A batch of games, made by `darkqi.make`.

    One thread at a time may use an env: a call during a call of another thread raises
    RuntimeError, and so does a policy that uses the env in which it plays. An env can be neither pickled
    nor copied. Calls release the GIL, so other Python threads run; these must not use the arrays
    that the call reads or writes.

    `step` plays all lanes and returns when it is done. `send` and `recv` play group by group: a
    native thread steps one group while the policy works on another.

        env = darkqi.make("jieqi", num_envs=4096, groups=2)
        env.reset()
        while training:
            ts = env.recv()            # the group's rows; ts.lanes says which lanes they are
            env.send(policy(ts))       # returns at once
    """
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
        """The seed of the batch: of `make`, or of the last `reset` with an integer."""
    @property
    def seeds(self) -> NDArray[np.uint64]:
        """The seed of each lane's game: a new uint64 array of shape (N,), or (n,) for the n lanes of
        the current group.

        `State(name, seed=env.seeds[i], **options)` is the game that lane i was dealt.
        """
    def reset(
        self,
        seed: _Int | Sequence[_Int | None] | None = None,
        *,
        lanes: NDArray[np.bool_] | Sequence[bool] | None = None,
    ) -> TimeStep:
        """Deals a new game in every lane, or in some lanes.

        Args:
            seed: An integer restarts the env as a new env with this seed. A sequence of N integers
                restarts each lane as lane 0 of a new env with that seed; None in it deals the
                lane's next game. None deals each lane's next game; the first call shows the games
                that `make` dealt.
            lanes: N bools, True for the lanes that are dealt a game; None for all lanes. The other
                lanes keep their games, rewards and ends. A single integer `seed` needs None.

        Returns:
            The rows of all lanes, as a `TimeStep`.

        Raises:
            ValueError: `seed` or `lanes` does not have N elements, or a seed is out of range.
            TypeError: The elements are not integers, or not bools.
            RuntimeError: A group is being stepped; call `recv` or `wait` first. The env had a log and was
                closed.
            OSError: As for `step`.
            KeyboardInterrupt: Ctrl-C while an opponent searches, asks a net or a program. All lanes
                must be reset again.
        """
    def step(
        self,
        actions: NDArray[np.integer[Any]] | Sequence[_Int],
        value: ArrayLike | None = None,
        policy: ArrayLike | None = None,
    ) -> TimeStep:
        """Plays one action in every lane. With `autoreset="same_step"` a lane whose game ends deals
        its next one in the same call.

        Args:
            actions: N integers: an array of any integer dtype, or a list. Contiguous int64 is not
                copied.
            value: With `make(log=...)`, (N, P) floats for the log: the expected result of each seat, from
                -1 to 1, in seat order.
            policy: With `make(log=...)`, (N, A) floats for the log: the probabilities of the actions,
                0 for illegal ones.

        Returns:
            The rows of all lanes, as a `TimeStep`.

        Raises:
            IllegalActionError: An action is not legal in its lane. The message names the first such
                lane.
            ValueError: A shape is wrong, a value is no finite number from -1 to 1, or a row of `policy` is not
                made of probabilities of legal actions.
            TypeError: An action is not an integer, or a `value` or `policy` not a float.
            RuntimeError: Another thread is using the env, a group is being stepped, the game of a
                lane is over and needs `reset`, or the env had a log and was closed.
            OSError: The log cannot be written. Games that ended before are kept in memory, and the same
                call resumes once they can be written.
            KeyboardInterrupt: Ctrl-C while an opponent searches, asks a net or a program.

        After another error neither the games nor the arrays have changed, unless it comes from an
        opponent or is an interrupt: then `reset` must follow.
        """
    def recv(self) -> TimeStep:
        """Waits for the next group and returns its rows. The group is then current until `send`.

        Groups come in the order of their lanes, round after round. The first round after `reset` or
        `step` returns the rows that these wrote.

        Returns:
            The rows of the group's lanes, as a `TimeStep`.

        Raises:
            RuntimeError: The current group waits for its actions, `reset` was not called yet,
                another thread is using the env, or the process was forked after the first `send`.
            KeyboardInterrupt: Ctrl-C. It interrupts the wait, not the step; `recv` can be called again,
                and dropping the env stops an opponent that searches.
        """
    def send(
        self,
        actions: NDArray[np.integer[Any]] | Sequence[_Int],
        value: ArrayLike | None = None,
        policy: ArrayLike | None = None,
    ) -> None:
        """Starts playing one action in every lane of the current group, and returns at once.

        A native thread of the env plays them. With `make(copy=False)` it writes the group's rows until
        the next `recv` of the group: do not use them until then, and copy what you keep before.

        Args:
            actions: n integers for the group's n lanes, as for `step`. They are copied.
            value: (n, P) floats for the log, as for `step`.
            policy: (n, A) floats for the log, as for `step`.

        Raises:
            IllegalActionError: An action is not legal in its lane. The message names the first such
                lane.
            ValueError: As for `step`, with n lanes.
            TypeError: As for `step`.
            RuntimeError: No group is current, another thread is using the env, the process was forked
                after the first `send`, or the env had a log and was closed.
            OSError: As for `step`.

        After an error nothing has changed, and the group is still current.
        """
    def close(self) -> None:
        """Writes what is still to be logged, and marks the dataset as complete: an env with a log is not
        stepped after that. Without a log it does nothing.

        Raises:
            OSError: The log cannot be written. Games that are in no part are kept in memory, and another
                `close` resumes.
            RuntimeError: Another thread is using the env.
            KeyboardInterrupt: Ctrl-C. The dataset is not complete; parts have the games that are in
                no shard, and an env that logs to the same folder adds them.
        """
    def __enter__(self) -> Self: ...
    def __exit__(self, _type: object, _value: object, _traceback: object) -> None: ...
    def wait(self) -> None:
        """Waits until no group is being stepped.

        After that `recv` continues with the same group. `step` and `reset` may be called as well. They
        overwrite rows that were not received.

        Raises:
            RuntimeError: Another thread is using the env, or the process was forked after the first
                `send`.
        """
    def observe(self, viewer: _Viewer) -> NDArray[np.uint8]:
        """Encodes what a seat or a spectator sees now, in the lanes of the current group, or in all
        lanes if no group is current.

        Args:
            viewer: A seat (0 to P - 1) or "public".

        Returns:
            A new uint8 array of shape (N, C, H, W), or (N, T) with `observation="tokens"`.

        Raises:
            ValueError: There is no such viewer.
            RuntimeError: No group is current and one is being stepped.
        """
    def covered_pieces(self) -> NDArray[np.uint8]:
        """Returns the covered pieces, which no observation has, in the lanes of the current group, or in
        all lanes if no group is current.

        They are for parts of a learner that are dropped after training, such as a critic that sees the
        truth. A policy that gets them cheats.

        Returns:
            A new uint8 array of shape (N, S), squares as in the lane's observation: the token that the
            piece would have face up, which is 1 + the index of its plane; 0 where nothing is covered.

        Raises:
            RuntimeError: No group is current and one is being stepped.
        """
    def state(self, i: _Int) -> State:
        """Copies one lane's game.

        Args:
            i: The lane, 0 to N - 1.

        Returns:
            A `State` that is independent of the env.

        Raises:
            IndexError: There is no such lane.
            TypeError: `i` is not an integer.
            RuntimeError: The lane is being stepped.
        """
    def sample_actions(self) -> NDArray[np.int64]:
        """Samples a uniformly random legal action in every lane, from the lane's own random stream: in
        the lanes of the current group, or in all lanes if no group is current.

        Returns:
            A new int64 array of shape (N,) for `step`, or (n,) for `send` if a group is current. 0
            in a lane whose game is over.

        Raises:
            RuntimeError: No group is current and one is being stepped.
        """
    def __len__(self) -> int: ...

@final
class State:
    """One game in progress, for search, interfaces and adapters.

    A state knows everything, including covered pieces. Methods with an argument `viewer` return
    the knowledge of a seat (0 to P - 1) or of a spectator ("public"). Actions are indices from the
    mover's perspective, or names in absolute squares such as "b3e3".

    States are equal when their game, options, FEN and outcome are equal. `copy.copy`, `clone` and
    pickles keep everything, with the history of positions, which decides repetitions and which a FEN
    leaves out.

    Args:
        name: One of `darkqi.games()`.
        seed: The seed of the deal, any 64 bits: from 0 to `2**64 - 1`, or from `-2**63`, where a
            negative integer stands for the same bits, as a reader without unsigned integers gives
            them. None draws one below `2**63`, which `State.seed` shows.
        **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them. `rules` takes them
            from a TOML file, a variant of the program by name, or a dict as such a file has it.

    Raises:
        ValueError: The game or an option does not exist, or a value is out of range.
        TypeError: A value has the wrong type.
    """
    def __new__(cls, name: str, seed: _Int | None = None, **options: _Option) -> Self: ...
    @classmethod
    def from_fen(cls, name: str, fen: str, **options: _Option) -> State:
        """Sets up a game from a full FEN.

        The history of positions, which decides repetitions, starts empty. If the position is over,
        the state is terminal from the start.

        Args:
            name: One of `darkqi.games()`.
            fen: A full FEN, as `fen()` returns it. A viewer's FEN lacks identities and cannot be
                read back.
            **options: Rule options, as for `State`.

        Returns:
            A new `State`, whose `seed` is None.

        Raises:
            FenError: The FEN is malformed. The message names the field and what is wrong with it.
            ValueError: The game or an option does not exist, or a value is out of range.
        """
    @property
    def seed(self) -> int | None:
        """The seed that dealt the game; None for a state from a FEN, from an env or from a sample."""
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
    def standing(self) -> str:
        """Whose turn it is, or how the game has ended, in a few words: "Red to move", "Black won: checkmate"."""
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
        """Returns the FEN of the position.

        Args:
            viewer: A seat or "public" for the FEN of what that viewer may know; None for the full
                FEN.

        Returns:
            The FEN, in the notation of docs/DESIGN.md.

        Raises:
            ValueError: There is no such viewer.
        """
    def legal_actions(self) -> list[int]:
        """Lists the indices of the legal actions in ascending order; empty when the game is over."""
    def legal_moves(self) -> list[str]:
        """Lists the names of the legal actions, sorted; empty when the game is over."""
    def apply(self, action: _Int | str) -> None:
        """Plays an action.

        Args:
            action: Its index or its name.

        Raises:
            IllegalActionError: It is not legal here, or the game is over. Nothing has changed then.
        """
    def rewards(self) -> list[float]:
        """Lists the reward of each seat; zeros before the end."""
    def observation(
        self, viewer: _Viewer | None = None, format: _Format = "planes"
    ) -> NDArray[np.uint8]:
        """Encodes what a viewer sees, from the viewer's perspective.

        Args:
            viewer: A seat or "public"; None for the seat to move.
            format: "planes" or "tokens".

        Returns:
            A new uint8 array of shape (C, H, W), or (T,) for tokens.

        Raises:
            ValueError: There is no such viewer or format.
        """
    def action_mask(self) -> NDArray[np.bool_]:
        """Returns the mask of the legal actions: a new bool array of shape (A,), all False when the
        game is over."""
    def clone(self) -> State:
        """Copies the game, including its history."""
    def __copy__(self) -> State: ...
    def __deepcopy__(self, _memo: Any) -> State: ...
    def resample(self, viewer: _Viewer, seed: _Int) -> State:
        """Samples a state that a viewer cannot distinguish from this one, uniformly from all such
        states (determinization).

        Args:
            viewer: A seat or "public".
            seed: The seed of the sample, as of `State`.

        Returns:
            A new `State`.

        Raises:
            ValueError: There is no such viewer, or the seed is out of range.
            TypeError: The seed is not an integer.
        """
    def reveals(self, action: _Int | str) -> list[Reveal]:
        """Lists the pieces that a legal action can turn over and capture, with exact probabilities given
        the knowledge of the player to move.

        Args:
            action: Its index or its name.

        Returns:
            A list of `Reveal`; the probabilities add up to 1.

        Raises:
            IllegalActionError: The action is not legal here, or the game is over.
        """
    def objection(
        self, origin: str, target: str | None = None, viewer: _Viewer | None = None
    ) -> str | None:
        """Says why a move is not legal, in a sentence for people, by what a viewer may know.

        Args:
            origin: The square of a piece, such as "b3".
            target: The square that it should go to; its own is a flip, None is any.
            viewer: A seat or "public"; None for the seat to move.

        Returns:
            The reason; None if a legal action does this.

        Raises:
            ValueError: There is no such square or viewer.
        """
    def event(self, action: _Int | str, viewer: _Viewer) -> Reveal:
        """Returns the pieces that a legal action will turn over and capture, as far as a viewer will see.

        This uses the identities of covered pieces. It is for referees, and for interfaces that show
        an action that is played next.

        Args:
            action: Its index or its name.
            viewer: A seat or "public".

        Returns:
            A `Reveal`, with its probability given the viewer's knowledge before the action.

        Raises:
            IllegalActionError: The action is not legal here, or the game is over.
            ValueError: There is no such viewer.
        """
    def arrange(self, action: _Int | str, reveal: Reveal) -> State:
        """Returns a state that the player to move cannot distinguish from this one, in which a legal
        action has the given reveal: a chosen outcome of a chance node.

        The pieces shown swap places with covered pieces of their kinds on the board; if there are
        none, with pieces that were captured face down. The history is kept.

        Args:
            action: Its index or its name.
            reveal: One of `reveals(action)`; its probability does not matter.

        Returns:
            A new `State`, in which the action has not been played yet.

        Raises:
            IllegalActionError: The action is not legal here, or the game is over.
            ValueError: The action cannot have this reveal, given the knowledge of its player.
            TypeError: `reveal` is not a `Reveal`.
        """
    def choose(self, agent: str | AgentDict | Policy, seed: _Int | None = None) -> int:
        """Returns the action of an agent for the seat to move, chosen by the knowledge of that seat.

        It works on a copy of the game and releases the GIL.

        Args:
            agent: An agent such as "greedy" or "expectimax:depth=2", or a policy, a callable as in
                `selfplay`, that sees 64 rows of planes.
            seed: The seed of its random choices, as of `State`; None draws one. With a lane's
                seed (`Env.seeds`), it is the action that an opponent in that lane plays.

        Returns:
            The index of a legal action.

        Raises:
            ValueError: There is no such agent, or it has no such option.
            IllegalActionError: A policy gave an action that is not legal or does not exist.
            RuntimeError: The game is over.
            KeyboardInterrupt: Ctrl-C while the agent searches or asks a net.
        """
    def play(self, opponent: str = "greedy", seat: _Int = 0, seed: _Int | None = None) -> None:
        """Plays this game at the terminal against an agent, as `darkqi play` does.

        Shows the knowledge of the player's seat, asks for moves by name, and reports the moves and reveals
        of each seat. `help` lists the commands, such as `moves`, `odds MOVE`, `hint` and `back`. `quit`,
        `resign`, Ctrl-C and the end of the input keep the game as it stands, and another call continues it.

        Args:
            opponent: An agent such as "greedy" or "expectimax:depth=2", for every other seat.
            seat: The player's seat, from 0.
            seed: The seed of the opponent's random choices, as of `State`. None draws one and
                prints it.

        Raises:
            ValueError: There is no such agent or seat.
            RuntimeError: The agent has failed, and what it says may be of what it alone knows, and is left
                out. Or another thread has played in the state meanwhile, which stays as that left it.
        """
    def action_name(self, k: _Int) -> str:
        """Returns the name of an action of the player to move.

        Args:
            k: Its index, 0 to A - 1; it need not be legal.

        Returns:
            The name, in absolute squares, such as "b3e3".

        Raises:
            IllegalActionError: There is no such index.
        """
    def action_index(self, name: str) -> int:
        """Returns the index of an action of the player to move.

        Args:
            name: Its name, such as "b3e3"; it need not be legal.

        Returns:
            The index, 0 to A - 1, from the perspective of the player to move.

        Raises:
            IllegalActionError: The game has no action of that name.
        """
    # Text, bytes or an array, by the mode. The documentation leaves out overloads.
    def render(
        self,
        mode: Literal["text", "svg", "png", "rgb_array"] = "text",
        viewer: _Viewer | None = None,
        width: _Int = 480,
        marked: Sequence[str] = ...,
    ) -> Any:
        """Draws the board.

        A seat sees the board from its own side.

        Args:
            mode: "text" for lines of ASCII, "svg" for a complete SVG document, "png" for the contents
                of a PNG file, "rgb_array" for its pixels.
            viewer: A seat or "public" for what that viewer may know; None for everything.
            width: Pixels of a row, 64 to 4096, for "png" and "rgb_array". The height follows from the
                board and does not change during a game.
            marked: Names of squares to mark, such as "e4".

        Returns:
            A str, bytes for "png", or a uint8 array of shape (height, width, 3) for "rgb_array".

        Raises:
            ValueError: There is no such mode, viewer or square, or the width is out of range.
        """
    def square_at(self, x: float, y: float, viewer: _Viewer | None = None) -> str | None:
        """Returns the name of the square at a point of the drawing that `render("svg")` gives the viewer.

        Args:
            x: To the right from the upper left corner, in units of the drawing's `viewBox`.
            y: Downwards from there.
            viewer: As for `render`.

        Returns:
            The name. None for a point outside the board.

        Raises:
            ValueError: There is no such viewer.
        """
    def _repr_svg_(self) -> str:
        """The picture in a notebook, for a spectator."""
    def perft(self, depth: _Int) -> int:
        """Counts the legal sequences of actions of a length (perft), with the actual identities of the
        covered pieces.

        Args:
            depth: The length in plies, at most 1,000.

        Returns:
            The number of sequences of exactly this length.

        Raises:
            ValueError: `depth` is out of range.
            KeyboardInterrupt: Ctrl-C.
        """
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
