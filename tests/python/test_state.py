"""Single games, their specs and rule options."""

import copy
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import darkqi
import darkqi.datasets
from darkqi._options import row_shape


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
        assert [*map(state.action_index, map(str.upper, moves))] == [
            *map(state.action_index, moves)
        ]
        assert np.flatnonzero(state.action_mask()).tolist() == actions
        assert state.action_mask().dtype == np.bool_
        assert len(actions) == state.perft(1)
        playout(state, 1, seed=state.ply)
        if state.is_terminal:
            break


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


def test_equality(game: str) -> None:
    state = darkqi.State(game, seed=1)
    assert state == state.clone()
    assert state != playout(state.clone(), 1)
    assert state != state.fen()
    with pytest.raises(TypeError, match="unhashable"):
        hash(state)


def test_copies_are_independent(game: str) -> None:
    state = playout(darkqi.State(game, seed=5, max_plies=99), 6)
    fen = state.fen()
    pickled = pickle.loads(pickle.dumps(state))
    for duplicate in (state.clone(), copy.copy(state), copy.deepcopy(state), pickled):
        assert duplicate is not state
        assert (duplicate, duplicate.fen(), duplicate.seed) == (state, fen, 5)
        assert duplicate.spec.options == state.spec.options
        playout(duplicate, 1)
        assert state.fen() == fen


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


@pytest.mark.parametrize(
    ("name", "fen", "move"),
    [
        ("jieqi", SHUFFLES["jieqi"][0], CANNONS[0]),
        ("flipping", "1efkfe1/2sss2/7/7/7/2SSS2/1EFKFE1 w 0 0", "c2c3"),
    ],
)
def test_a_history_that_leads_elsewhere_is_refused(name: str, fen: str, move: str) -> None:
    state = darkqi.State.from_fen(name, fen)
    state.apply(move)
    pickled: Any = state.__reduce__()
    restore, (_, options, _, history, seed) = pickled
    assert restore(name, options, state.fen(), history, seed) == state
    with pytest.raises(ValueError, match="history: expected 8 bytes and 10 for each ply, got 17"):
        restore(name, options, state.fen(), history[:-1], seed)
    with pytest.raises(darkqi.FenError, match="`history`: expected one that leads to the position"):
        restore(name, options, fen, history, seed)
    # Keys that fit, and a ply beyond the board or from an occupied square.
    for ply in (b"\x7f\x7f", b"\x00\x00"):
        forged = history[:8] + ply + history[10:]
        with pytest.raises(darkqi.FenError, match="`history`: expected one that leads"):
            restore(name, options, state.fen(), forged, seed)


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
        (lambda s: s.arrange("a4a5", ("R",)), TypeError, "reveal: expected a Reveal, got tuple"),
        (
            lambda s: s.arrange("a4a5", darkqi.Reveal("K", None, False, 1.0)),
            ValueError,
            r"a4a5 \(action \d+\) cannot show K; what it can show is: A E H R C P",
        ),
        (
            lambda s: s.arrange("a4a5", darkqi.Reveal(None, None, False, 1.0)),
            ValueError,
            "cannot show nothing; what",
        ),
        (
            lambda s: s.arrange("a4a5", darkqi.Reveal("R", "p", True, 1.0)),
            ValueError,
            "cannot show Rxp; what",
        ),
        (
            lambda s: s.arrange("a4a9", darkqi.Reveal("R", None, False, 1.0)),
            darkqi.IllegalActionError,
            "not legal",
        ),
        (
            lambda s: s.apply(True),
            TypeError,
            r"expected an index \(int\) or a name \(str\), .*bool",
        ),
        (lambda s: s.apply(1.0), TypeError, "got float"),
        (lambda s: s.apply(None), TypeError, "got NoneType"),
        (lambda s: s.reveals("a1a9"), darkqi.IllegalActionError, "is not legal"),
        (lambda s: s.action_name(10**6), darkqi.IllegalActionError, "expected an index from 0"),
        (lambda s: s.action_name("a4a5"), TypeError, r"expected an index \(int\), got str"),
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
        (lambda s: s.choose("clever"), ValueError, "unknown agent `clever`.*; the agents are:"),
        (lambda s: s.choose("greedy:depth=1"), ValueError, "greedy has no option `depth`"),
        (lambda s: s.choose("greedy", 2**64), ValueError, "seed: expected an integer"),
        (lambda s: s.event("a1a9", 0), darkqi.IllegalActionError, "a1a9 .* is not legal"),
        (lambda s: s.event("a4a5", 2), ValueError, "viewer 2: expected a seat from 0 to 1"),
        (lambda s: s.event("a4a5", None), ValueError, "viewer None: expected a seat"),
        (lambda s: s.play("clever"), ValueError, "unknown agent `clever`"),
        (lambda s: s.play("expectimax:depth=x"), ValueError, "option `depth` is `x`"),
        (lambda s: s.play(seat=2), ValueError, "seat 2: expected a seat from 0 to 1"),
        (lambda s: s.play(seat=None), TypeError, "seat: expected an integer .* got NoneType"),
        (lambda s: s.play(seat=-1), ValueError, "seat: expected an integer from 0"),
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


def test_shapes_agree_with_arrays(game: str) -> None:
    spec = darkqi.spec(game)
    state = darkqi.State(game)
    assert spec.name == game
    assert spec.about
    assert state.observation().shape == spec.observation_shape
    assert spec.observation_shape == (len(spec.plane_names), *spec.board_shape)
    assert state.observation(format="tokens").shape == spec.token_shape
    assert spec.token_shape == (len(spec.token_names),)
    assert state.action_mask().shape == (spec.num_actions,)
    assert len(state.rewards()) == spec.num_players
    assert all(len(letter) == 1 for letter in spec.piece_letters)
    assert row_shape(spec, "planes") == spec.observation_shape
    assert row_shape(spec, "tokens") == spec.token_shape
    for part in (game, spec.num_actions, spec.observation_shape, spec.token_shape):
        assert str(part) in repr(spec)
    with pytest.raises(AttributeError):
        setattr(spec, "name", "chess")  # noqa: B010
    assert darkqi.games() == sorted(darkqi.games())


def test_tables_are_arrays_that_cannot_be_written(game: str) -> None:
    spec = darkqi.spec(game)
    pieces, planes = len({*spec.plane_names} - {*spec.token_names}), len(spec.plane_names)
    actions, squares = spec.num_actions, spec.board_shape[0] * spec.board_shape[1]
    tables: list[tuple[Any, tuple[int, ...], Any]] = [
        (spec.action_squares, (actions, 2), np.int16),
        (spec.action_paths, (actions, spec.action_paths.shape[1]), np.int16),
        (spec.attacks, (pieces, actions), np.uint8),
        (spec.moved_pieces, (pieces,), np.int16),
        (spec.plane_maxima, (planes,), np.uint8),
        *((symmetry.squares, (squares,), np.int64) for symmetry in spec.symmetries),
        *((symmetry.actions, (actions,), np.int64) for symmetry in spec.symmetries),
        *((part, part.shape, np.int64) for part in spec.regions.values()),
    ]
    for table, shape, dtype in tables:
        assert table.shape == shape
        assert table.dtype == dtype
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 0


def test_tables_are_those_of_the_rules() -> None:
    # What they say of every game is tested where they are made; this, how they are laid out.
    spec, state = darkqi.spec("jieqi"), darkqi.State("jieqi")
    action = state.action_index("b1c3")
    assert spec.action_squares[action].tolist() == [1, 2 * 9 + 2]
    assert spec.action_paths[action][0] == 9 + 1
    assert spec.attacks[spec.plane_names.index("own horse"), action] == 1
    assert spec.moved_pieces[spec.plane_names.index("own covered")] == -1
    assert spec.plane_maxima[spec.plane_names.index("plies without capture")] == 80
    (mirror,) = spec.symmetries
    assert mirror.squares[:9].tolist() == list(range(9))[::-1]
    assert mirror.actions[action] == state.action_index("h1g3")
    assert (spec.regions["home"] < 45).all()


def test_facts_of_jieqi() -> None:
    spec = darkqi.spec("jieqi", max_plies=99)
    assert spec.armies == [
        darkqi.Army("red", "r", list("KAEHRCP")),
        darkqi.Army("black", "b", list("kaehrcp")),
    ]
    assert (spec.hides, spec.deals_vary, spec.covered_pieces_move) == ("kind", True, True)
    assert spec.captures_are_secret
    assert not darkqi.spec("jieqi", captured="public").captures_are_secret
    assert (spec.player_range, spec.teams, spec.max_plies) == ((2, 2), [0, 1], 99)


def test_facts_of_seven_kingdoms() -> None:
    spec = darkqi.spec("seven_kingdoms", seats="01-0122", teams="GAG")
    assert [army.name for army in spec.armies] == ["Qin", "Chu", "Han", "Qi", "Wei", "Zhao", "Yan"]
    assert spec.armies[4].piece_names[0] == "g" + spec.piece_letters[0]
    assert (spec.hides, spec.deals_vary, spec.covered_pieces_move) == ("nothing", False, False)
    assert (spec.player_range, spec.num_players, spec.teams) == ((2, 7), 3, [0, 1, 0])


def test_options_describe_themselves(game: str) -> None:
    types = {"int": int, "bool": bool, "str": str}
    for option in darkqi.spec(game).options:
        assert option.about
        assert option.range
        assert option.value == option.default
        assert type(option.default) is types[option.type]
        # A default shown in a listing is valid as a keyword.
        again = darkqi.spec(game, **{option.name: option.default})
        assert again.options == darkqi.spec(game).options


def values(game: str, **options: Any) -> dict[str, Any]:
    return {option.name: option.value for option in darkqi.spec(game, **options).options}


def test_options_may_be_numpys(game: str) -> None:
    for number in (50, np.int16(50), "50"):
        assert values(game, max_plies=number)["max_plies"] == 50
    switches = [name for name, value in values(game).items() if isinstance(value, bool)]
    for name in switches:
        for on in (np.False_, np.True_):
            assert values(game, **{name: on})[name] is bool(on)
        for off in (False, "off", "false"):
            assert values(game, **{name: off})[name] is False


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        ("chess", {}, ValueError, "unknown game `chess`; the games are: .*jieqi"),
        ("jieqi", {"foo": 1}, ValueError, "jieqi has no option `foo`; its options are: .*chase"),
        ("jieqi", {"max_plies": 0}, ValueError, "`max_plies` of jieqi: 0 is not .* from 1 to"),
        ("jieqi", {"max_plies": 10**30}, ValueError, f"max_plies.*{10**30}"),
        ("jieqi", {"captured": "nobody"}, ValueError, "captured.*captor, public"),
        ("jieqi", {"chase": 1}, ValueError, "chase.*on, off"),
        (
            "jieqi",
            {"chase": 1.5},
            TypeError,
            "option `chase`: expected int, bool or str, got float",
        ),
        ("jieqi", {"chase": None}, TypeError, "option `chase`: .* got NoneType"),
    ],
)
def test_bad_options_are_named(
    name: str, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    for construct in (darkqi.spec, darkqi.State):
        with pytest.raises(error, match=message):
            construct(name, **options)
    with pytest.raises(error, match=message):
        darkqi.make(name, 1, **options)
    with pytest.raises(error, match=message):
        darkqi.State.from_fen(name, "", **options)


PAIRS = [(-1, 2**64 - 1), (-(2**63), 2**63), (-5, 2**64 - 5), (7, 7)]


@pytest.mark.parametrize(("signed", "unsigned"), PAIRS)
def test_a_negative_seed_stands_for_its_bits(signed: int, unsigned: int, tmp_path: Path) -> None:
    state = darkqi.State("banqi", unsigned)
    for seed in (signed, np.int64(signed), np.uint64(unsigned)):
        assert darkqi.State("banqi", seed).fen() == state.fen()
        assert darkqi.State("banqi", seed).seed == unsigned
        assert darkqi.make("banqi", 2, seed).seed == unsigned
        assert state.resample(0, seed) == state.resample(0, unsigned)
        assert state.choose("random", seed) == state.choose("random", unsigned)
    env = darkqi.make("banqi", 2, 0)
    env.reset(unsigned)
    dealt = env.seeds
    env.reset(signed)
    assert env.seeds.tolist() == dealt.tolist()
    for seeds in (
        [signed, None],
        np.array([signed, 1], np.int64),
        np.array([unsigned, 1], np.uint64),
    ):
        env.reset(seeds)
        assert env.seeds[0] == unsigned
    found = [
        darkqi.selfplay("banqi", tmp_path / str(place), 3, agents="random", seed=seed)
        and (tmp_path / str(place) / "games/00000.parquet").read_bytes()
        for place, seed in enumerate((signed, unsigned))
    ]
    assert found[0] == found[1]
    matches = [darkqi.arena("banqi", ["greedy", "random"], 4, seed=s) for s in (signed, unsigned)]
    assert matches[0].pairs == matches[1].pairs
    assert matches[0].seed == unsigned


def test_a_game_is_dealt_again_from_a_reader_without_unsigned_integers(tmp_path: Path) -> None:
    darkqi.selfplay("banqi", tmp_path / "data", 40, agents="random", seed=1)
    games = pl.read_parquet(tmp_path / "data/games/*.parquet")
    signed = games["seed"].to_numpy().view(np.int64)
    assert (signed < 0).any()
    for seed, deal in zip(signed.tolist(), games["deal"], strict=True):
        assert darkqi.State("banqi", seed).fen() == deal
    env = darkqi.make("banqi", len(signed), 0)
    env.reset(signed)
    assert [env.state(lane).fen() for lane in range(len(signed))] == games["deal"].to_list()


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1, 10**30])
def test_other_seeds_are_refused(seed: int, tmp_path: Path) -> None:
    env = darkqi.make("banqi", 2, 0)
    calls: list[Any] = [
        lambda: darkqi.State("banqi", seed),
        lambda: darkqi.make("banqi", 1, seed),
        lambda: env.reset(seed),
        lambda: env.reset([1, seed]),
        lambda: darkqi.selfplay("banqi", tmp_path / "data", 1, seed=seed),
        lambda: darkqi.arena("banqi", ["greedy", "random"], 1, seed=seed),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"seed: .* from -2\*\*63 to 2\*\*64 - 1, got -?\d+"):
            call()
    assert not (tmp_path / "data").exists()


def test_drawn_seeds_are_below_2_to_the_63() -> None:
    drawn = [darkqi.State("banqi").seed for _ in range(64)]
    drawn += [darkqi.make("banqi", 1).seed for _ in range(64)]
    assert all(seed is not None and seed < 2**63 for seed in drawn)
    assert len(set(drawn)) == len(drawn)
