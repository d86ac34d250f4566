"""Single games."""

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest

import darkqi


def playout(state: darkqi.State, plies: int, seed: int = 0) -> darkqi.State:
    """Plays at most this many random actions; returns the state."""
    chooser = random.Random(seed)
    for _ in range(plies):
        if state.is_terminal:
            break
        state.apply(chooser.choice(state.legal_actions()))
    return state


def test_legal_actions_moves_and_mask_agree(game: str) -> None:
    state = darkqi.State(game, seed=3)
    for _ in range(40):
        actions, moves = state.legal_actions(), state.legal_moves()
        assert actions == sorted(set(actions))
        assert moves == sorted(set(moves))
        assert sorted(map(state.action_name, actions)) == moves
        assert sorted(map(state.action_index, moves)) == actions
        assert np.flatnonzero(state.action_mask()).tolist() == actions
        assert state.action_mask().dtype == np.bool_
        assert len(actions) == state.perft(1)
        playout(state, 1, seed=state.ply)
        if state.is_terminal:
            break


def test_indices_and_names_play_the_same(game: str) -> None:
    by_name, by_index = darkqi.State(game, seed=9), darkqi.State(game, seed=9)
    for ply in range(30):
        if by_name.is_terminal:
            break
        move = random.Random(ply).choice(by_name.legal_moves())
        number: Any = np.int32(by_index.action_index(move))
        by_name.apply(move)
        by_index.apply(number)
        assert by_name == by_index
        assert by_name.ply == ply + 1


def test_seeds_determine_deals(game: str) -> None:
    assert darkqi.State(game, seed=1) == darkqi.State(game, 1)
    assert darkqi.State(game, seed=0).fen() == darkqi.State(game, seed=0).fen()
    assert darkqi.State(game, seed=np.uint64(2**64 - 1)) == darkqi.State(game, 2**64 - 1)


def test_a_finished_game_accepts_no_action(game: str) -> None:
    state = playout(darkqi.State(game, seed=1, max_plies=7), 7)
    assert state.is_terminal
    assert state.is_truncated
    assert state.outcome == ("max_plies", [0.0] * state.spec.num_players, [])
    assert state.legal_actions() == []
    assert state.legal_moves() == []
    assert not state.action_mask().any()
    assert state.perft(0) == 1
    assert state.perft(1) == state.perft(5) == 0
    assert 0 <= state.current_player < state.spec.num_players
    before = state.fen()
    for action in (0, state.action_name(0)):
        with pytest.raises(darkqi.IllegalActionError, match=r"the game is over \(max_plies\)"):
            state.apply(action)
        with pytest.raises(darkqi.IllegalActionError, match="the game is over"):
            state.reveals(action)
    assert state.fen() == before


def test_outcomes_add_up(game: str) -> None:
    for seed in range(12):
        state = darkqi.State(game, seed=seed)
        assert state.outcome is None
        assert not state.is_terminal
        assert not state.is_truncated
        assert state.rewards() == [0.0] * state.spec.num_players
        playout(state, 70_000, seed)
        outcome = state.outcome
        assert outcome is not None
        assert state.is_terminal
        assert state.is_truncated == (outcome.reason == "max_plies")
        assert outcome.rewards == state.rewards()
        assert sum(outcome.rewards) == pytest.approx(0, abs=1e-6)
        assert outcome.winners == [
            seat for seat, reward in enumerate(outcome.rewards) if reward > 0
        ]
        assert outcome.reason == outcome.reason.lower()


def test_options_reach_states() -> None:
    state = darkqi.State("jieqi", seed=2, max_plies=3)
    again = darkqi.State.from_fen("jieqi", state.fen(), max_plies=3)
    assert state == again
    assert playout(again, 3).is_truncated
    assert state != darkqi.State("jieqi", seed=2)


def test_equality(game: str) -> None:
    state = darkqi.State(game, seed=1)
    assert state == state.clone()
    assert state != playout(state.clone(), 1)
    assert state != state.fen()
    with pytest.raises(TypeError, match="unhashable"):
        hash(state)


def test_copies_are_independent(game: str) -> None:
    state = playout(darkqi.State(game, seed=5), 6)
    fen = state.fen()
    for duplicate in (state.clone(), copy.copy(state), copy.deepcopy(state)):
        assert duplicate is not state
        assert duplicate == state
        playout(duplicate, 1)
        assert state.fen() == fen


def test_pickles_keep_everything(game: str) -> None:
    state = playout(darkqi.State(game, seed=5, max_plies=99), 6)
    again = pickle.loads(pickle.dumps(state))
    assert again == state
    assert again.fen() == state.fen()
    assert again.seed == 5
    assert again.spec.options == state.spec.options


# Two pieces move back and forth, so that the last move makes the third occurrence of a position.
CANNONS = ["b3b4", "b8b7", "b4b3", "b7b8"]
GENERALS = ["a4a3", "h4h3", "a3a4", "h3h4"]
SHUFFLES: dict[str, tuple[str, list[str]]] = {
    "jieqi": ("3k5/9/1c7/9/9/9/9/1C7/9/5K3 w - 0 0", CANNONS),
    "mystery": ("3k5/9/1c7/9/9/9/9/1C7/9/5K3 w - 0,0,0 0", CANNONS),
    "banqi": ("K6k/8/8/8 1 r - 0 2", GENERALS),
    "gaiqi": ("K6k/8/8/8 1 r - 0 2 -", GENERALS),
}


@pytest.mark.parametrize("name", SHUFFLES)
def test_copies_and_pickles_keep_the_history(name: str) -> None:
    fen, cycle = SHUFFLES[name]
    moves = cycle * 2
    state = darkqi.State.from_fen(name, fen)
    for move in moves[:-1]:
        state.apply(move)
    duplicate, pickled = state.clone(), pickle.loads(pickle.dumps(state))
    read = darkqi.State.from_fen(name, state.fen())
    assert state == duplicate == pickled == read
    for one in (state, duplicate, pickled, read):
        assert not one.is_terminal
        one.apply(moves[-1])
    assert state.outcome is not None
    assert state.outcome.reason == "repetition"
    assert duplicate.outcome == pickled.outcome == state.outcome
    # What has ended comes out of a pickle ended, and is not equal to what goes on.
    ended = pickle.loads(pickle.dumps(state))
    assert ended == state
    assert ended.outcome == state.outcome
    assert ended.legal_actions() == []
    assert read.outcome is None
    assert read.fen() == state.fen()
    assert read != state


def test_pickles_without_repetition_are_small() -> None:
    fen, cycle = SHUFFLES["jieqi"]
    state = darkqi.State.from_fen("jieqi", fen, repetition="off", quiet_limit=0, max_plies=9999)
    length = len(pickle.dumps(state))
    for _ in range(100):
        for move in cycle:
            state.apply(move)
    # Nothing is recorded that no rule asks for; only the counters have become longer.
    assert len(pickle.dumps(state)) < length + 20
    again = pickle.loads(pickle.dumps(state))
    assert again == state
    assert again.ply == 400
    assert not again.is_terminal


def test_a_history_that_leads_elsewhere_is_refused() -> None:
    fen, cycle = SHUFFLES["jieqi"]
    state = darkqi.State.from_fen("jieqi", fen)
    state.apply(cycle[0])
    pickled: Any = state.__reduce__()
    restore, (name, options, _, history, seed) = pickled
    assert restore(name, options, state.fen(), history, seed) == state
    with pytest.raises(ValueError, match="history: expected 8 bytes and 10 for each ply, got 17"):
        restore(name, options, state.fen(), history[:-1], seed)
    with pytest.raises(darkqi.FenError, match="`history`: expected one that leads to the position"):
        restore(name, options, fen, history, seed)


def test_print_shows_what_the_mover_may_see(game: str) -> None:
    state = playout(darkqi.State(game, seed=5), 4)
    world = state.resample(viewer=state.current_player, seed=1)
    assert str(state) == str(world) == state.render(viewer=state.current_player)
    assert repr(state) == f"<State {game}, ply 4: {state.fen('public')}>"


def test_deep_perft_adds_up() -> None:
    # Deeper than what is counted without another thread. Bare generals keep the count small.
    state = darkqi.State.from_fen("jieqi", "3k5/9/9/9/9/9/9/9/9/5K3 w - 0 0")

    def count(state: darkqi.State, depth: int) -> int:
        if depth == 0:
            return 1
        total = 0
        for action in state.legal_actions():
            child = state.clone()
            child.apply(action)
            total += count(child, depth - 1)
        return total

    assert state.perft(5) == count(state, 5) > 0


def test_observations(game: str) -> None:
    state = playout(darkqi.State(game, seed=2), 5)
    mover: Any = state.current_player
    for form in ("planes", "tokens"):
        kind: Any = form
        assert np.array_equal(state.observation(format=kind), state.observation(mover, kind))
        assert state.observation(viewer="public", format=kind).dtype == np.uint8
    fresh = state.observation()
    fresh[:] = 9
    assert not np.array_equal(state.observation(), fresh)


def test_pictures(game: str) -> None:
    state = playout(darkqi.State(game, seed=2), 5)
    assert state.render() == state.render("text") == state.render(mode="text", viewer=None)
    ranks, files = state.spec.board_shape
    text = state.render()
    assert text.isascii()
    assert str(ranks) in text
    assert chr(ord("a") + files - 1) in text
    assert state.render("svg").startswith("<svg")
    # A notebook shows the spectator's view.
    assert state._repr_svg_() == state.render("svg", viewer="public")
    pixels = state.render("rgb_array", viewer=0, width=200)
    assert pixels.dtype == np.uint8
    assert pixels.shape[1:] == (200, 3)
    # Wood, ink and paper.
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 50
    assert state.render("png", width=100).startswith(b"\x89PNG")


def test_a_seat_sees_the_board_from_its_side() -> None:
    state = darkqi.State("jieqi", seed=2)
    upright, rotated = (state.render(viewer=seat).splitlines() for seat in (0, 1))
    assert upright[0].split()[1:] == [*"xxxxkxxxx"]
    assert rotated[0].split()[1:] == [*"XXXXKXXXX"]
    assert upright[11].split() == [*"abcdefghi"] == rotated[11].split()[::-1]
    assert [line.split()[0] for line in rotated[:10]] == [str(rank) for rank in range(1, 11)]
    assert state.render(viewer="public") == state.render(viewer=0)
    banqi = darkqi.State("banqi", seed=2)
    assert banqi.render(viewer=1) == banqi.render(viewer=0)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda s: s.apply("a1a9"), darkqi.IllegalActionError, r"a1a9 \(action \d+\) is not legal"),
        (lambda s: s.apply("zz"), darkqi.IllegalActionError, "`zz` is no action of jieqi"),
        (lambda s: s.apply(-1), darkqi.IllegalActionError, "action -1 is no action of jieqi"),
        (lambda s: s.apply(2**90), darkqi.IllegalActionError, f"^action {2**90} is no action"),
        (lambda s: s.apply(2**64 - 1), darkqi.IllegalActionError, f"^action {2**64 - 1} is no"),
        (
            lambda s: s.arrange("a4a5", s.reveals("a4a5")[0]._replace(revealed=3)),
            TypeError,
            "^reveal: revealed: expected str or None, got int",
        ),
        (
            lambda s: s.arrange("a4a5", s.reveals("a4a5")[0]._replace(probability="1")),
            TypeError,
            "^reveal: probability: expected float, got str",
        ),
        (lambda s: s.arrange("a4a5", "R"), TypeError, "^reveal: expected a Reveal, got str"),
        (
            lambda s: s.apply(True),
            TypeError,
            r"expected an index \(int\) or a name \(str\), .*bool",
        ),
        (lambda s: s.apply(1.0), TypeError, "got float"),
        (lambda s: s.apply(None), TypeError, "got NoneType"),
        (lambda s: s.reveals("a1a9"), darkqi.IllegalActionError, "is not legal"),
        (lambda s: s.action_name(10**6), darkqi.IllegalActionError, "expected an index from 0"),
        (lambda s: s.action_name("a4a5"), TypeError, "got str"),
        (lambda s: s.action_index("a4"), darkqi.IllegalActionError, "`a4` is no action"),
        (lambda s: s.fen(viewer=2), ValueError, "viewer 2: expected a seat from 0 to 1"),
        (lambda s: s.fen("red"), ValueError, "viewer 'red': expected a seat"),
        (lambda s: s.observation(viewer=-1), ValueError, "viewer -1: expected a seat"),
        (lambda s: s.observation(format="x"), ValueError, 'format: expected "planes" or "tokens"'),
        (lambda s: s.resample(None, 1), ValueError, "viewer None: expected a seat"),
        (lambda s: s.resample(0, -(2**63) - 1), ValueError, "seed: expected an integer"),
        (
            lambda s: s.render("pdf"),
            ValueError,
            'mode: expected "text", "svg", "png" or "rgb_array", got "pdf"',
        ),
        (lambda s: s.render("png", width=63), ValueError, "width: expected 64 to 4096 pixels"),
        (lambda s: s.render("png", width=5000), ValueError, "width: expected 64 to 4096 pixels"),
        (lambda s: s.render(viewer=7), ValueError, "viewer 7: expected a seat"),
        (lambda s: s.perft(-1), ValueError, "depth: expected an integer from 0"),
        (lambda s: s.perft(1001), ValueError, "from 0 to 1000, got 1001"),
        (lambda s: s.resample(0, "1"), TypeError, "seed: expected .* got str"),
        (lambda s: type(s)("jieqi", seed=2**64), ValueError, "seed: expected an integer"),
    ],
)
def test_bad_arguments_are_named_and_change_nothing(
    call: Any, error: type[Exception], message: str
) -> None:
    state = darkqi.State("jieqi", seed=4)
    before = state.fen()
    with pytest.raises(error, match=message):
        call(state)
    assert state.fen() == before


def test_viewer_fens_cannot_be_read_back() -> None:
    fen = darkqi.State("jieqi", seed=0).fen(viewer="public")
    with pytest.raises(darkqi.FenError, match="viewer's FEN cannot be read back"):
        darkqi.State.from_fen("jieqi", fen)
