"""A game at the terminal: somebody against an agent."""

import re
import textwrap
from typing import Any

from darkqi._darkqi import State, make
from darkqi._records import Reveal

_PROMPT = "your move> "
_HELP = """\
  {example:<10}plays that move; a step is two squares, a flip is one
  moves     lists your legal moves; `moves {square}` those from {square}
  odds {example:<5}tells what that move may turn over and take, and how likely it is
  board     shows the board again
  quit      leaves the game as it stands"""


def play(state: State, opponent: str, seat: int, seed: int) -> None:
    """Does what ``State.play`` says."""
    options: dict[str, Any] = {option.name: option.value for option in state.spec.options}
    # Refuses what cannot be played with before anybody has moved.
    make(state.name, 1, seed, opponent=opponent, seat=seat, **options)
    print(f"You are seat {seat} of {state.name}, against {opponent}. Type `help` for help.")
    try:
        while not state.is_terminal:
            if state.current_player == seat:
                print(f"\n{state.render(viewer=seat)}\n")
                move, who = _ask(state, seat), "You play"
            else:
                mover = state.current_player
                move = state.action_name(state.choose(opponent, seed))
                who = f"{opponent} (seat {mover}) plays"
            event = state.event(move, viewer=seat)
            state.apply(move)
            print(", ".join(filter(None, (f"{who} {move}", _told(event)))) + ".")
    except (EOFError, KeyboardInterrupt):
        print("\nThe game is left as it stands.")
        return
    print(f"\n{state.render()}\n\n{_ending(state, seat)}")


def _ask(state: State, seat: int) -> str:
    """Asks for a legal move until there is one.

    Raises:
        EOFError: There is no more input, or the player has had enough.
    """
    legal = state.legal_moves()
    while True:
        words = input(_PROMPT).lower().replace("-", " ").split()
        match words:
            case []:
                pass
            case ["quit" | "exit" | "q"]:
                raise EOFError
            case ["help" | "h" | "?"]:
                print(_HELP.format(example=legal[0], square=_origin(legal[0])))
            case ["board"]:
                print(f"\n{state.render(viewer=seat)}\n")
            case ["moves"]:
                _list(legal)
            case ["moves", square]:
                _list([move for move in legal if _origin(move) == square])
            case ["odds", *squares] if (move := "".join(squares)) in legal:
                _list_odds(state.reveals(move))
            case squares if (move := "".join(squares)) in legal:
                return move
            case _:
                print(
                    f"`{' '.join(words)}` is no legal move and no command; try `moves` or `help`."
                )


def _origin(move: str) -> str:
    """The square that a move leaves; of a flip the square itself, of a pass nothing."""
    square = re.match(r"[a-z]\d+", move)
    return square[0] if square else ""


def _list(words: list[str]) -> None:
    print(textwrap.fill(" ".join(words) or "none", initial_indent="  ", subsequent_indent="  "))


def _list_odds(reveals: list[Reveal]) -> None:
    for reveal in sorted(reveals, key=lambda reveal: -reveal.probability):
        print(f"  {reveal.probability:6.1%}  {_told(reveal) or 'nothing to turn over or take'}")


def _told(event: Reveal) -> str:
    """What a ply turns over and takes, in words; nothing if it does neither."""
    told = []
    if event.revealed is not None:
        told.append(f"turning over {event.revealed}")
    if event.captured is not None:
        told.append(f"taking {'the covered ' * event.captured_covered}{event.captured}")
    elif event.captured_covered:
        told.append("taking a covered piece that you are not shown")
    return " and ".join(told)


def _ending(state: State, seat: int) -> str:
    """How a finished game ended for the player of a seat."""
    outcome = state.outcome
    assert outcome is not None
    if seat in outcome.winners:
        verdict = "You win"
    elif outcome.winners:
        verdict = "You lose"
    else:
        verdict = "The game is cut off" if state.is_truncated else "The game is drawn"
    return f"{verdict} after {state.ply} plies: {outcome.reason}."
