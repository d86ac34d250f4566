"""Hidden information: no viewer learns hidden identities, and odds are exact."""

import random
import re
from typing import Any

import numpy as np
import pytest
from positions import pieces

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


def test_odds_add_up_and_include_what_happens(game: str) -> None:
    hides = "~" in darkqi.State(game, seed=0).fen()
    for state in positions(game):
        board = pieces(state)
        for action in state.legal_actions()[::3]:
            name = state.action_name(action)
            reveals = state.reveals(action)
            assert state.reveals(name) == reveals
            assert sum(reveal.probability for reveal in reveals) == pytest.approx(1, abs=1e-12)
            assert all(0 < reveal.probability <= 1 for reveal in reveals)
            kinds = [reveal[:3] for reveal in reveals]
            assert len(set(kinds)) == len(kinds)
            if not hides:
                assert len(kinds) == 1
                continue
            mover, *target = re.findall(r"[a-z]\d+", name)
            revealed = board[mover][1:] if board[mover].startswith("~") else None
            taken = board.get(target[0], "") if target else ""
            assert (revealed, taken.lstrip("~") or None, taken.startswith("~")) in kinds


def test_worlds_are_arranged_to_show_every_reveal(game: str) -> None:
    for state in positions(game):
        for action in state.legal_actions()[::5]:
            name, mover = state.action_name(action), state.current_player
            for reveal in state.reveals(action)[::2]:
                world = state.arrange(name, reveal)
                assert world.fen(mover) == state.fen(mover)
                assert world.legal_actions() == state.legal_actions()
                if "~" not in state.fen():
                    assert world == state
                    continue
                here, *there = re.findall(r"[a-z]\d+", name)
                board = pieces(world)
                taken = board.get(there[0], "").lstrip("~") if there else ""
                assert (taken or None) == reveal.captured
                if reveal.revealed:
                    assert board[here] == f"~{reveal.revealed}"
                # If covered pieces suffice for the swap, captured pieces stay unchanged.
                cells, _, fields = state.fen().partition(" ")
                if all(f"~{piece}" in cells for piece in covered_pieces(reveal)):
                    assert world.fen().partition(" ")[2] == fields


def covered_pieces(reveal: darkqi.Reveal) -> list[str]:
    """Returns the pieces of a reveal that were covered."""
    taken = reveal.captured if reveal.captured_covered else None
    return [piece for piece in (reveal.revealed, taken) if piece]


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


def test_odds_agree_with_resampled_worlds() -> None:
    # At the start of jieqi a covered piece is each kind with the frequency of its odds.
    state = darkqi.State("jieqi", seed=5)
    odds = {reveal.revealed: reveal.probability for reveal in state.reveals("a4a5")}
    assert len(odds) == 6
    counts = dict.fromkeys(odds, 0)
    worlds = 3000
    for seed in range(worlds):
        world = state.resample(viewer=0, seed=seed)
        world.apply("a4a5")
        rank = world.fen(viewer="public").split("/")[5]
        counts[rank[0]] += 1
    for kind, probability in odds.items():
        spread = (worlds * probability * (1 - probability)) ** 0.5
        assert abs(counts[kind] - worlds * probability) < 5 * spread, kind


def test_observations_hide_covered_pieces() -> None:
    # Two deals of jieqi look equal until the first reveal.
    one, other = darkqi.State("jieqi", seed=1), darkqi.State("jieqi", seed=2)
    assert one != other
    for viewer in viewers(one):
        assert np.array_equal(one.observation(viewer), other.observation(viewer))
        assert one.fen(viewer) == other.fen(viewer)
        assert one.render("svg", viewer) == other.render("svg", viewer)
    assert one.render() != other.render()
