"""A game whose chance is drawn as it goes, and not at the deal."""

import functools
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import darkqi

_COVERED = re.compile(r"~([A-Za-z])")


class Play:
    """One game in progress, in which a covered piece is nothing until it turns up.

    A ``darkqi.State`` fixes every identity at the deal. Here only those that were turned over or
    taken are fixed; the covered pieces on the board are a pool from which chance draws what an
    action turns over, and the state is arranged to fit. The odds are those of somebody who has
    seen every piece that turned up, the secretly taken ones included: this is what makes the
    game's chance independent of who looks.
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
        self.state = darkqi.State(name, **options)
        """What the native game knows. What lies covered in it is arbitrary."""
        self.history: list[int | str] = []
        """Indices of actions and, between them, the pieces that chance drew."""
        self.record = ""
        """The plies with what they turned over, as all have seen them: ``a4a5=R b7b6=c``."""
        self._action: int | None = None
        # What the action may still show, and which of its pieces chance has yet to draw.
        self._reveals: list[darkqi.Reveal] = []
        self._draws: list[str] = []
        # Where in the history the pieces taken face down are.
        self._taken: list[int] = []

    @property
    def is_chance(self) -> bool:
        """Whether chance has a piece to draw."""
        return bool(self._draws)

    @property
    def action(self) -> str:
        """The action that waits for chance, with what it has turned over; empty if none does."""
        if self._action is None:
            return ""
        name = self.state.action_name(self._action)
        revealed = None if "revealed" in self._draws else self._reveals[0].revealed
        return f"{name}={revealed}" if revealed else name

    def apply(self, action: int) -> None:
        """Plays an action, or leaves it to chance to complete it.

        Raises:
            IllegalActionError: It is not legal here, or the game is over.
            ValueError: It is chance's turn.
        """
        if self.is_chance:
            raise ValueError(f"action {action}: {self.action} waits for a chance outcome")
        self._reveals = self.state.reveals(action)
        first = self._reveals[0]
        self._draws = ["revealed"] * (first.revealed is not None)
        self._draws += ["captured"] * first.captured_covered
        self._action = action
        self.history.append(action)
        if not self.is_chance:
            self._finish()

    def odds(self) -> list[tuple[str, float]]:
        """Lists the pieces that may turn up now, by letter, with their probabilities."""
        if not self.is_chance:
            return []
        possible = {self._drawn(reveal) for reveal in self._reveals}
        pool = Counter(_COVERED.findall(self.state.fen().partition(" ")[0]))
        total = sum(pool[piece] for piece in possible)
        return [(piece, pool[piece] / total) for piece in sorted(possible) if pool[piece]]

    def draw(self, piece: str) -> None:
        """Lets this piece turn up.

        Raises:
            ValueError: It cannot, or no piece is to turn up.
        """
        possible = [piece for piece, _ in self.odds()]
        if piece not in possible:
            expected = f"one of {' '.join(possible)}" if possible else "an action"
            raise ValueError(f"chance outcome {piece}: expected {expected}")
        self._reveals = [reveal for reveal in self._reveals if self._drawn(reveal) == piece]
        if self._draws.pop(0) == "captured":
            self._taken.append(len(self.history))
        self.history.append(piece)
        if not self.is_chance:
            self._finish()

    def _drawn(self, reveal: darkqi.Reveal) -> str:
        """The piece of a reveal that chance draws next."""
        piece: str = getattr(reveal, self._draws[0])
        return piece

    def _finish(self) -> None:
        """Plays the action, whose pieces are all known by now."""
        assert self._action is not None
        (reveal,) = self._reveals
        self.record += f" {self.action}" if self.record else self.action
        if reveal.revealed is not None or reveal.captured_covered:
            self.state = self.state.arrange(self._action, reveal)
        self.state.apply(self._action)
        self._action, self._reveals = None, []

    def name(self, player: int, action: int) -> str:
        """Names an action of any player, in absolute coordinates.

        Raises:
            ValueError: There is no such seat.
            IllegalActionError: There is no such action.
        """
        if player == self.state.current_player:
            return self.state.action_name(action)
        players = self.state.spec.num_players
        if not 0 <= player < players:
            raise ValueError(f"player {player}: expected a seat from 0 to {players - 1}")
        return _to_move(self.state.name, player).action_name(action)

    def imagined(self, viewer: int, seed: int) -> list[int | str]:
        """Returns a history that a viewer cannot tell from this one.

        It is drawn from all that there are, each as likely as chance makes it; they differ in the
        pieces taken face down that the viewer was not shown.

        Raises:
            ValueError: It is chance's turn.
        """
        if self.is_chance:
            raise ValueError(f"{self.action} waits for a chance outcome: resample before or after")
        # After the board a FEN marks the pieces taken face down, in the order taken; where all
        # captures are public it marks none, and there is nothing to imagine.
        fields = self.state.resample(viewer, seed).fen().partition(" ")[2]
        history = self.history.copy()
        for place, piece in zip(self._taken, _COVERED.findall(fields), strict=False):
            history[place] = piece
        return history

    def clone(self) -> "Play":
        """Copies the game, its history included."""
        copy = object.__new__(Play)
        copy.__dict__.update(self.__dict__)
        copy.state = self.state.clone()
        copy.history = self.history.copy()
        copy._draws = self._draws.copy()
        copy._taken = self._taken.copy()
        return copy

    def __deepcopy__(self, _memo: Any) -> "Play":
        """Copies the game, its history included."""
        return self.clone()

    def __reduce__(self) -> tuple[Callable[..., "Play"], tuple[Any, ...]]:
        """Pickles the game by its history, which a pickled ``darkqi.State`` lacks."""
        options = {option.name: option.value for option in self.state.spec.options}
        return _replay, (self.state.name, options, self.history)

    def __str__(self) -> str:
        """Writes down what is determined."""
        # Everybody sees the same of the board; what was taken is known to somebody.
        board = self.state.fen("public").partition(" ")[0]
        fields = self.state.fen().partition(" ")[2]
        return f"{board} {fields} {self.action}".rstrip()


def _replay(name: str, options: Mapping[str, Any], history: list[int | str]) -> Play:
    play = Play(name, options)
    for step in history:
        if isinstance(step, str):
            play.draw(step)
        else:
            play.apply(step)
    return play


@functools.cache
def _to_move(name: str, player: int) -> darkqi.State:
    """A game in which it is this player's turn; whose turn it is decides how the board lies."""
    state = darkqi.State(name)
    while state.current_player != player:
        state.apply(state.legal_actions()[0])
    return state
