"""A game whose chance events are sampled during play and not at the deal."""

import functools
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import darkqi


def chance_outcomes(spec: darkqi.Spec) -> list[str]:
    """Lists the pieces that can be revealed: outcome k of a chance node is the k-th."""
    if spec.hides == "nothing":
        return []
    return [name for army in spec.armies for name in army.piece_names]


class Play:
    """One game in progress, in which a covered piece is undetermined until it is revealed.

    A ``darkqi.State`` fixes every identity at the deal. Here only the pieces turned over or taken
    are fixed. The covered pieces on the board, and those that the deal leaves over, are a pool from
    which a chance event samples, and the state is arranged to fit. The odds are those of a viewer
    who has seen every revealed piece, including secretly captured ones, so chance does not depend
    on the viewer.
    """

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        """Begins a game.

        Args:
            name: One of ``darkqi.games()``.
            options: Its rule options.

        Raises:
            ValueError: There is no such game or option, or a value is out of range.
            TypeError: A value has the wrong type.
        """
        # Copies begin with the same squares, where there are fewer pieces than squares.
        self.state = darkqi.State(name, 0, **options)
        """The native game. Its covered pieces are arbitrary."""
        self.pieces = chance_outcomes(self.state.spec)
        """The names of the pieces that chance can sample, by the index of the outcome."""
        # The longest name first: in `~gR` the letter of the army is not a piece.
        names = sorted(self.pieces, key=len, reverse=True)
        self._covered = re.compile(f"~({'|'.join(names)})")
        self.history: list[int | str] = []
        """Indices of actions, and between them the names of sampled pieces."""
        self.transcript = ""
        """The plies with their public reveals: ``a4a5=R b7b6=c``."""
        self._action: int | None = None
        # Possible reveals of the pending action, and how many of its pieces are sampled.
        self._reveals: list[darkqi.Reveal] = []
        self._sampled = 0
        # Indices in the history of pieces captured face down.
        self._hidden_captures: list[int] = []

    @property
    def is_chance(self) -> bool:
        """Whether a piece is to be sampled."""
        return bool(self._reveals) and self._sampled < len(_pieces(self._reveals[0]))

    @property
    def action(self) -> str:
        """The action that waits for chance, with its reveal so far; "" if there is none."""
        if self._action is None:
            return ""
        name = self.state.action_name(self._action)
        revealed = self._reveals[0].revealed if self._sampled else None
        return f"{name}={revealed}" if revealed else name

    def apply(self, action: int) -> None:
        """Plays an action, or stores it until its chance events are resolved.

        Raises:
            IllegalActionError: The action is not legal here, or the game is over.
            ValueError: A chance event is pending.
        """
        if self.is_chance:
            raise ValueError(f"action {action}: {self.action} waits for a chance outcome")
        self._reveals, self._sampled = self.state.reveals(action), 0
        self._action = action
        self.history.append(action)
        if not self.is_chance:
            self._finish()

    def odds(self) -> list[tuple[str, float]]:
        """Lists the possible pieces of the pending chance event, by name, with probabilities."""
        if not self.is_chance:
            return []
        possible = {_pieces(reveal)[self._sampled] for reveal in self._reveals}
        # Pieces that the deal leaves over are in the last field (RULES.md 11.6).
        left_over = self.state.fen().rpartition(" ")[2]
        pool = Counter(self.covered_pieces() + self._covered_in(left_over))
        total = sum(pool[piece] for piece in possible)
        return [(piece, pool[piece] / total) for piece in sorted(possible) if pool[piece]]

    def covered_pieces(self) -> list[str]:
        """Lists the covered pieces on the board, as the native game has them."""
        return self._covered_in(self.state.fen().partition(" ")[0])

    def _covered_in(self, fields: str) -> list[str]:
        """Lists the covered pieces in fields of a FEN, where each has a ``~`` before its name."""
        return self._covered.findall(fields)

    def resolve(self, piece: str) -> None:
        """Resolves the pending chance event with a piece.

        Raises:
            ValueError: The piece is impossible, or no chance event is pending.
        """
        possible = [piece for piece, _ in self.odds()]
        if piece not in possible:
            expected = f"one of {' '.join(possible)}" if possible else "an action"
            raise ValueError(f"chance outcome {piece}: expected {expected}")
        at = self._sampled
        self._reveals = [reveal for reveal in self._reveals if _pieces(reveal)[at] == piece]
        self._sampled += 1
        # The captured piece is the last of those that are sampled.
        if self._reveals[0].captured_covered and not self.is_chance:
            self._hidden_captures.append(len(self.history))
        self.history.append(piece)
        if not self.is_chance:
            self._finish()

    def _finish(self) -> None:
        """Plays the pending action, whose pieces are all determined."""
        assert self._action is not None
        (reveal,) = self._reveals
        self.transcript += f" {self.action}" if self.transcript else self.action
        if _pieces(reveal):
            self.state = self.state.arrange(self._action, reveal)
        self.state.apply(self._action)
        self._action, self._reveals = None, []

    def action_name(self, player: int, action: int) -> str:
        """Returns the name of an action of a seat, in absolute coordinates.

        Raises:
            ValueError: There is no such seat.
            IllegalActionError: There is no such action.
        """
        if player == self.state.current_player:
            return self.state.action_name(action)
        players = self.state.spec.num_players
        if not 0 <= player < players:
            raise ValueError(f"player {player}: expected a seat from 0 to {players - 1}")
        # So that every seat comes to move.
        options = {**dict(self._options()), "max_plies": 65535}
        return _to_move(self.state.name, player, tuple(options.items())).action_name(action)

    def _options(self) -> tuple[tuple[str, Any], ...]:
        """Lists the names and values of the rule options."""
        return tuple((option.name, option.value) for option in self.state.spec.options)

    def sample_history(self, viewer: int, seed: int) -> list[int | str]:
        """Samples a history of the viewer's information set.

        Each history has its probability by chance. They differ in the pieces captured face down
        that the viewer was not shown.

        Raises:
            ValueError: A chance event is pending.
        """
        if self.is_chance:
            raise ValueError(f"{self.action} waits for a chance outcome: resample before or after")
        # The fields after the board mark pieces captured face down, in order of capture. With
        # public captures there are none, and the history is unchanged.
        fields = self.state.resample(viewer, seed).fen().partition(" ")[2]
        history = self.history.copy()
        for place, piece in zip(self._hidden_captures, self._covered_in(fields), strict=False):
            history[place] = piece
        return history

    def clone(self) -> "Play":
        """Copies the game, its history included."""
        copy = object.__new__(Play)
        copy.__dict__.update(self.__dict__)
        copy.state = self.state.clone()
        copy.history = self.history.copy()
        copy._hidden_captures = self._hidden_captures.copy()
        return copy

    def __deepcopy__(self, _memo: Any) -> "Play":
        """Copies the game, its history included."""
        return self.clone()

    def __reduce__(self) -> tuple[Callable[..., "Play"], tuple[Any, ...]]:
        """Pickles the history with its chance outcomes, which make the state again."""
        return _replay, (self.state.name, dict(self._options()), self.history)

    def __str__(self) -> str:
        """Returns the determined part: public board, other fields, pending action."""
        # What is covered or left over is nobody's; every captured piece is known to some player.
        board, *_, last = self.state.fen("public").split(" ")
        fields = self.state.fen().split(" ")[1:-1]
        return " ".join([board, *fields, last, self.action]).rstrip()


def _replay(name: str, options: Mapping[str, Any], history: list[int | str]) -> Play:
    play = Play(name, options)
    for step in history:
        if isinstance(step, str):
            play.resolve(step)
        else:
            play.apply(step)
    return play


def _pieces(reveal: darkqi.Reveal) -> list[str]:
    """Lists the pieces of a reveal that chance samples, in order.

    An attempt turns a piece over or captures it, so that outcomes of one action may differ in this.
    """
    pieces = [reveal.revealed, reveal.captured if reveal.captured_covered else None]
    return [piece for piece in pieces if piece is not None]


@functools.lru_cache(maxsize=64)
def _to_move(name: str, player: int, options: tuple[tuple[str, Any], ...]) -> darkqi.State:
    """Returns a game with this player to move, which sets the perspective of the board."""
    state = darkqi.State(name, **dict(options))
    while state.current_player != player:
        state.apply(state.legal_actions()[0])
    return state
