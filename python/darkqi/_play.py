"""A game at the terminal: a person against an agent."""

import re
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from darkqi._darkqi import State, make
from darkqi._records import Reveal

_PROMPT = "your move> "
_HELP = """\
  {example:<10}plays that move; a step is two squares, a flip is one
  moves     lists your legal moves; `moves {square}` those from {square}
  odds {example:<5}lists what that move may turn over and take, with probabilities
  board     shows the board again
  quit      ends the session, the game unfinished"""


def play(state: State, opponent: str, seat: int, seed: int) -> None:
    """Implements ``State.play``."""
    options: dict[str, Any] = {option.name: option.value for option in state.spec.options}
    # Raises for invalid arguments before the first move.
    with withholding(opponent):
        make(state.name, 1, seed, opponent=opponent, seat=seat, **options)
    print(f"You are seat {seat} of {state.name}, against {opponent}; seed {seed}.")
    print("Type `help` for help.")
    try:
        while not state.is_terminal:
            if state.current_player == seat:
                print(f"\n{state.render(viewer=seat)}\n")
                move, who = _read_move(state, seat), "You play"
            else:
                mover = state.current_player
                move = chosen(state, opponent, seed)
                who = f"{opponent} (seat {mover}) plays"
            event = state.event(move, viewer=seat)
            state.apply(move)
            print(", ".join(filter(None, (f"{who} {move}", describe(event)))) + ".")
    except (EOFError, KeyboardInterrupt):
        print("\nThe game is left as it stands.")
        return
    print(f"\n{state.render()}\n\n{result(state, seat)}")


@contextmanager
def withholding(opponent: str) -> Iterator[None]:
    """Withholds from a person why the agent that they play against has failed.

    An engine's text has the position as the engine knows it.
    """
    try:
        yield
    except RuntimeError:
        hint = "State.choose says why, which may tell what it knows"
        raise RuntimeError(f"{opponent} has failed; {hint}") from None


def chosen(state: State, opponent: str, seed: int) -> str:
    """Returns the move of an agent that a person plays against."""
    with withholding(opponent):
        return state.action_name(state.choose(opponent, seed))


def _read_move(state: State, seat: int) -> str:
    """Prompts until the player enters a legal move.

    Raises:
        EOFError: The input ended, or the player quits.
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
                print(_HELP.format(example=legal[0], square=_origin_square(legal[0])))
            case ["board"]:
                print(f"\n{state.render(viewer=seat)}\n")
            case ["moves"]:
                _print_moves(legal)
            case ["moves", square]:
                _print_moves([move for move in legal if _origin_square(move) == square])
            case ["odds", *squares] if (move := "".join(squares)) in legal:
                _print_odds(state.reveals(move))
            case squares if (move := "".join(squares)) in legal:
                return move
            case _:
                print(
                    f"`{' '.join(words)}` is no legal move and no command; try `moves` or `help`."
                )


def _origin_square(move: str) -> str:
    """Returns the square that a step leaves, the square of a flip, or "" for a pass."""
    square = re.match(r"[a-z]\d+", move)
    return square[0] if square else ""


def _print_moves(words: list[str]) -> None:
    print(textwrap.fill(" ".join(words) or "none", initial_indent="  ", subsequent_indent="  "))


def _print_odds(reveals: list[Reveal]) -> None:
    turned: dict[str, float] = {}
    taken: dict[str, float] = {}
    for reveal in reveals:
        if reveal.revealed is not None:
            turned[reveal.revealed] = turned.get(reveal.revealed, 0) + reveal.probability
        if reveal.captured is not None or reveal.captured_covered:
            piece = reveal.captured or "a piece that you are not shown"
            name = f"~{piece}" if reveal.captured and reveal.captured_covered else piece
            taken[name] = taken.get(name, 0) + reveal.probability
    if not turned and not taken:
        print("  It turns nothing over and takes nothing.")
    for title, shares in (("turns over", turned), ("takes", taken)):
        if shares:
            likeliest = sorted(shares.items(), key=lambda entry: -entry[1])
            # A share stays on the line of its piece.
            parts = [f"{name} {_percent(share)}".replace(" ", "\xa0") for name, share in likeliest]
            lines = textwrap.fill(
                ", ".join(parts), 78, initial_indent=f"  {title:<12}", subsequent_indent=" " * 14
            )
            print(lines.replace("\xa0", " "))


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.1f} %"


def describe(event: Reveal) -> str:
    """Describes what a ply turns over and takes; "" if it does neither."""
    parts = []
    if event.revealed is not None:
        parts.append(f"turning over {event.revealed}")
    if event.captured is not None:
        parts.append(f"taking {'the covered ' * event.captured_covered}{event.captured}")
    elif event.captured_covered:
        parts.append("taking a covered piece that you are not shown")
    return " and ".join(parts)


def result(state: State, seat: int) -> str:
    """Describes the result of a finished game for a seat."""
    outcome = state.outcome
    assert outcome is not None
    verdict = " You win." if seat in outcome.winners else " You lose." if outcome.winners else ""
    return f"{state.standing}.{verdict}"
