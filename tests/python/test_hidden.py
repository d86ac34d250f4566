"""Hidden information: no viewer learns hidden identities, and odds are exact."""

import random
from typing import Any

import pytest

import darkqi

GAMES = 6
PLIES = 40


def positions(game: str) -> list[darkqi.State]:
    """Returns positions from random games, some finished."""
    found = []
    for seed in range(GAMES):
        state, chooser = darkqi.State(game, seed=seed), random.Random(seed)
        for ply in range(PLIES):
            if ply % 5 == 0 or state.is_terminal:
                found.append(state.clone())
            if state.is_terminal:
                break
            state.apply(chooser.choice(state.legal_actions()))
    return found


def viewers(state: darkqi.State) -> list[Any]:
    """Returns all viewers of a state."""
    return [*range(state.spec.num_players), "public"]


def test_a_viewer_cannot_tell_resampled_worlds_apart(game: str) -> None:
    worlds_differ = False
    for state in positions(game):
        before = state.fen()
        for viewer in viewers(state):
            for seed in range(3):
                world = state.resample(viewer=viewer, seed=seed)
                assert world.fen(viewer) == state.fen(viewer)
                for form in ("planes", "tokens"):
                    kind: Any = form
                    seen, other = (game.observation(viewer, kind) for game in (state, world))
                    assert seen.tobytes() == other.tobytes()
                assert world.render("text", viewer) == state.render("text", viewer)
                assert world.render("svg", viewer) == state.render("svg", viewer)
                if viewer == "public":
                    assert world._repr_svg_() == state._repr_svg_()
                if viewer == state.current_player:
                    assert world.action_mask().tobytes() == state.action_mask().tobytes()
                assert world.current_player == state.current_player
                assert world.ply == state.ply
                assert world.is_terminal == state.is_terminal
                worlds_differ |= world != state
        assert state.fen() == before
    hides = "~" in darkqi.State(game, seed=0).fen()
    assert worlds_differ == hides


def test_resampling_is_reproducible(game: str) -> None:
    state = darkqi.State(game, seed=1)
    assert state.resample(0, 3) == state.resample(viewer=0, seed=3)


def test_arranged_worlds_keep_their_history() -> None:
    state = darkqi.State.from_fen("jieqi", "3k5/9/1c5~h1/9/9/9/9/1C5~H1/9/5K3 w - 0 0")
    moves = ["b3b4", "b8b7", "b4b3", "b7b8"] * 2
    for move in moves[:-1]:
        state.apply(move)
    (reveal,) = state.reveals(moves[-1])
    world = state.arrange(moves[-1], reveal)
    world.apply(moves[-1])
    assert world.outcome is not None
    assert world.outcome.reason == "repetition"


@pytest.mark.parametrize(
    ("action", "reveal", "error", "message"),
    [
        (
            "a4a5",
            darkqi.Reveal("K", None, False, 1.0),
            ValueError,
            r"a4a5 \(action \d+\) cannot show K; what it can show is: A E H R C P",
        ),
        ("a4a5", darkqi.Reveal(None, None, False, 1.0), ValueError, "cannot show nothing; what"),
        ("a4a5", darkqi.Reveal("R", "p", True, 1.0), ValueError, "cannot show Rxp; what"),
        ("a4a9", darkqi.Reveal("R", None, False, 1.0), darkqi.IllegalActionError, "not legal"),
        ("a4a5", ("R",), TypeError, "reveal: expected a Reveal, got tuple"),
        ("a4a5", "R", TypeError, "reveal: expected a Reveal, got str"),
    ],
)
def test_impossible_reveals_are_refused(
    action: str, reveal: Any, error: type[Exception], message: str
) -> None:
    state = darkqi.State("jieqi", seed=4)
    before = state.fen()
    with pytest.raises(error, match=message):
        state.arrange(action, reveal)
    assert state.fen() == before
