"""Games in a notebook: play against an agent, or step through a logged game."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from darkqi._darkqi import State, make, replay
from darkqi._errors import IllegalActionError
from darkqi._records import Reveal
from darkqi._seeds import checked_seeds

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise ImportError("darkqi.widget needs anywidget: pip install 'darkqi[notebook]'") from error

__all__ = ["Play", "Replay"]

_BUILT = Path(__file__).with_name("_widget")
_TAKE_BACK = "Take back"
_HINT = "Hint"


def _squares(move: str) -> list[str]:
    """Returns the squares in the name of a move: one of a flip, two of a step, none of a pass."""
    return re.findall(r"[a-z]\d+", move)


@contextmanager
def _withholding(opponent: str) -> Iterator[None]:
    """Withholds from a person why the agent that they play against has failed.

    An engine's text has the position as the engine knows it.
    """
    try:
        yield
    except RuntimeError:
        hint = "State.choose says why, which may tell what it knows"
        raise RuntimeError(f"{opponent} has failed; {hint}") from None


def _describe(event: Reveal) -> str:
    """Describes what a ply turns over and takes; "" if it does neither."""
    parts = []
    if event.revealed is not None:
        parts.append(f"turning over {event.revealed}")
    if event.captured is not None:
        parts.append(f"taking {'the covered ' * event.captured_covered}{event.captured}")
    elif event.captured_covered:
        parts.append("taking a covered piece that you are not shown")
    return " and ".join(parts)


def _result(state: State, seat: int) -> str:
    """Describes the result of a finished game for a seat."""
    outcome = state.outcome
    assert outcome is not None
    verdict = " You win." if seat in outcome.winners else " You lose." if outcome.winners else ""
    return f"{state.standing}.{verdict}"


class _Board(anywidget.AnyWidget):
    """A board with a line of text. The page sends clicks, moves and buttons as messages."""

    _esm = _BUILT / "widget.js"
    _css = _BUILT / "widget.css"

    picture = traitlets.Unicode().tag(sync=True)
    """The board as SVG."""
    message = traitlets.Unicode().tag(sync=True)
    """What happened last, in words."""
    buttons = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """The labels of buttons."""
    takes_moves = traitlets.Bool(False).tag(sync=True)
    """Whether moves can be typed."""
    ply = traitlets.Int(0, min=0).tag(sync=True)
    """The ply that is shown."""
    last_ply = traitlets.Int(0).tag(sync=True)
    """The last ply that can be shown; 0 where the page does not step."""


class Play(_Board):
    """A game of a person against an agent, in a notebook.

    Click a piece and then its target. A click turns a covered piece over where the game has
    flips. Moves can also be typed. The board is the seat's: it shows what that seat may know.
    """

    def __init__(
        self, state: State, opponent: str = "greedy", seat: int = 0, seed: int | None = None
    ) -> None:
        """Begins a game; the agent moves first if the seat to move is one of its own.

        Args:
            state: The position to begin from. It is not changed; `Play.state` is the game's own.
            opponent: The agent of all other seats.
            seat: The person's seat.
            seed: The seed of the agent; None takes the state's, or 0 where it has none.

        Raises:
            ValueError: There is no such agent or seat, or the seed does not fit into 64 bits.
            TypeError: The state is no `State`, or the seed is no integer.
        """
        if not isinstance(state, State):
            raise TypeError(f"state: expected a darkqi.State, got {type(state).__name__}")
        if seed is not None:
            (seed,) = checked_seeds(seed, 1)
        options: dict[str, Any] = {option.name: option.value for option in state.spec.options}
        # Raises for invalid arguments before the first move.
        with _withholding(opponent):
            make(state.name, 1, 0, opponent=opponent, seat=seat, **options)
        super().__init__(takes_moves=True)
        self.state = state.clone()
        """The game with all that it hides, which the page does not show."""
        self._opponent = opponent
        self._seat = seat
        self._seed = (state.seed or 0) if seed is None else seed
        self._picked: str | None = None
        self._last_move = ""
        self._before: list[tuple[State, str, str]] = []
        self.message = f"You are seat {seat}, against {opponent}."
        self.on_msg(self._receive)
        self._answer()

    def _receive(self, _widget: Any, content: dict[str, Any], _buffers: Any) -> None:
        """Does what was pressed in the page."""
        match content:
            case {"press": label} if label == _TAKE_BACK and self._before:
                self.state, self._last_move, self.message = self._before.pop()
                self._picked = None
                self._draw()
            case {"press": label} if label == _HINT and self._is_on_turn():
                try:
                    self.message = f"{self._opponent} would play {self._chosen()}."
                except Exception as error:
                    self.message = str(error)
            case {"press": move} | {"move": move} if self._is_on_turn():
                self._try(str(move).strip().lower().replace("-", ""))
            case {"click": [x, y]} if self._is_on_turn():
                square = self.state.square_at(x, y, viewer=self._seat)
                if square is not None:
                    self._click(square)

    def _is_on_turn(self) -> bool:
        return not self.state.is_terminal and self.state.current_player == self._seat

    def _chosen(self) -> str:
        with _withholding(self._opponent):
            return self.state.action_name(self.state.choose(self._opponent, self._seed))

    def _click(self, square: str) -> None:
        moves = self.state.legal_moves()
        # A covered piece may be one to turn over and, for the piece picked, one to capture.
        if f"{self._picked}{square}" in moves:
            self._try(f"{self._picked}{square}")
        elif square in moves:
            self._try(square)
        elif square == self._picked or any(_squares(move)[:1] == [square] for move in moves):
            self._picked = None if square == self._picked else square
            self._draw()
        else:
            # The piece stays picked: it was a slip.
            origin, target = (self._picked, square) if self._picked else (square, None)
            self.message = self.state.objection(origin, target, viewer=self._seat) or ""

    def _try(self, move: str) -> None:
        before = (self.state.clone(), self._last_move, self.message)
        try:
            said = self._apply(move)
        except IllegalActionError as error:
            self.message = str(error)
            return
        self._before.append(before)
        self.message = f"You play {said}."
        self._answer()

    def _apply(self, move: str) -> str:
        """Plays a move, and describes it as the seat sees it."""
        event = self.state.event(move, viewer=self._seat)
        self.state.apply(move)
        self._picked, self._last_move = None, move
        return ", ".join(filter(None, (move, _describe(event))))

    def _answer(self) -> None:
        """Lets the agent play until it is the person's turn."""
        try:
            while not self.state.is_terminal and self.state.current_player != self._seat:
                mover = self.state.current_player
                self.message += f" Seat {mover} plays {self._apply(self._chosen())}."
        except Exception as error:
            # The person sees why, and can take the move back.
            self.message += f" {error}"
        if self.state.is_terminal:
            self.message += f" {_result(self.state, self._seat)}"
        self._draw()

    def _draw(self) -> None:
        picked = self._picked
        moves = self.state.legal_moves() if self._is_on_turn() else []
        steps = [step for step in map(_squares, moves) if picked and step[:1] == [picked]]
        marked = [picked, *(square for step in steps for square in step[1:])] if picked else []
        marked = marked or _squares(self._last_move)
        # At the end everything is uncovered.
        viewer = None if self.state.is_terminal else self._seat
        self.picture = self.state.render("svg", viewer=viewer, marked=marked)
        others = [move for move in moves if not _squares(move)]
        self.buttons = [*others, *[_HINT] * bool(moves), *[_TAKE_BACK] * bool(self._before)]


class Replay(_Board):
    """A logged game in a notebook, to step through or to watch."""

    def __init__(
        self,
        path: str | PathLike[str],
        game_id: int,
        viewer: int | Literal["public"] | None = None,
    ) -> None:
        """Replays the game, and shows the deal.

        Args:
            path: The folder of the dataset.
            game_id: The number of the game.
            viewer: A seat or "public" for what that viewer may know; None for everything.

        Raises:
            OSError: The dataset cannot be read.
            ValueError: It has no such game, there is no such viewer, or the game breaks the rules.
        """
        game = replay(path, game_id)
        self._game = game
        self._viewer = viewer
        self._deal = State.from_fen(game.game, game.deal, **game.options)
        self._deal.render("svg", viewer=viewer)
        super().__init__(last_ply=len(game.plies))
        self.observe(self._show, "ply")
        self._show()

    @traitlets.validate("ply")
    def _within(self, proposal: dict[str, Any]) -> int:
        """Keeps the ply among those of the game."""
        ply: int = proposal["value"]
        return min(ply, self.last_ply)

    def _show(self, _change: object = None) -> None:
        """Draws the ply that was chosen."""
        state, move, said = self._deal.clone(), "", "The deal"
        for number in range(self.ply):
            played = self._game.plies[number]
            is_last = number + 1 == self.ply
            if is_last:
                viewer = played.player if self._viewer is None else self._viewer
                event = state.event(played.move, viewer=viewer)
                who = f"{self._game.agents[played.player]} (seat {played.player})"
                move = played.move
                said = ", ".join(filter(None, (f"{who} plays {move}", _describe(event))))
            state.apply(played.move)
        self.message = f"Ply {self.ply} of {self.last_ply}: {said}. {state.standing}."
        self.picture = state.render("svg", viewer=self._viewer, marked=_squares(move))
