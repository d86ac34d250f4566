"""Specs and rule options."""

import re
from typing import Any

import numpy as np
import pytest

import darkqi
from darkqi._options import row_shape


def test_games_are_sorted() -> None:
    assert darkqi.games() == sorted(darkqi.games())
    assert "jieqi" in darkqi.games()


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


def test_names_are_unique(game: str) -> None:
    spec = darkqi.spec(game)
    pieces = [name for army in spec.armies for name in army.piece_names]
    for names in (spec.plane_names, spec.token_names, spec.piece_letters, pieces):
        assert len(set(names)) == len(names)


def test_actions_have_the_squares_of_their_names(game: str) -> None:
    spec, state = darkqi.spec(game), darkqi.State(game)
    found = spec.action_squares
    assert found.shape == (spec.num_actions, 2)
    assert found.dtype == np.int16
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 0
    _, files = spec.board_shape

    def squares(name: str) -> list[int]:
        """Returns the squares in the name of an action of seat 0, which sees the board upright."""
        names = re.findall(r"([a-z])(\d+)", name)
        numbers = [(int(rank) - 1) * files + ord(file) - ord("a") for file, rank in names]
        return numbers * 2 if len(numbers) == 1 else numbers or [-1, -1]

    actions = range(spec.num_actions)
    assert found.tolist() == [squares(state.action_name(action)) for action in actions]


def test_the_squares_of_actions_are_cells_of_the_movers_planes(game: str) -> None:
    spec, env = darkqi.spec(game), darkqi.make(game, 4, seed=1)
    ts = env.reset()
    pieces = [name for name in spec.plane_names if name.startswith(("own", "covered"))]
    planes = [spec.plane_names.index(name) for name in pieces if name in piece_planes(spec)]
    for _ in range(40):
        own = ts.observation[:, planes].sum(axis=1).reshape(4, -1)
        for lane, mask in enumerate(ts.action_mask):
            sources = spec.action_squares[mask, 0]
            assert own[lane, sources[sources >= 0]].all()
        ts = env.step(env.sample_actions())


def test_rows_have_the_shape_of_their_format(game: str) -> None:
    spec = darkqi.spec(game)
    assert row_shape(spec, "planes") == spec.observation_shape
    assert row_shape(spec, "tokens") == spec.token_shape
    with pytest.raises(ValueError, match='observation: expected "planes" or "tokens", got "plans"'):
        row_shape(spec, "plans")


def test_attacks_are_those_of_the_rules() -> None:
    def attack(game: str, piece: str, action: str, **options: Any) -> tuple[int, list[str]]:
        """Returns how a piece attacks by an action of seat 0, and the squares on the way."""
        spec, state = darkqi.spec(game, **options), darkqi.State(game, **options)
        _, files = spec.board_shape
        index = state.action_index(action)
        path = [divmod(int(square), files) for square in spec.action_paths[index] if square >= 0]
        names = [f"{chr(ord('a') + file)}{rank + 1}" for rank, file in path]
        return int(spec.attacks[spec.plane_names.index(piece), index]), names

    assert attack("jieqi", "own chariot", "a1a4") == (1, ["a2", "a3"])
    assert attack("jieqi", "enemy cannon", "a4a1") == (2, ["a3", "a2"])
    assert attack("jieqi", "own cannon", "a1a2") == (0, [])
    assert attack("jieqi", "own horse", "b1c3") == (1, ["b2"])
    assert attack("jieqi", "own elephant", "c1e3") == (1, ["d2"])
    # A soldier goes forward, and sideways beyond the river; the enemy's come down the board.
    assert attack("jieqi", "own soldier", "e4e5") == (1, [])
    assert attack("jieqi", "own soldier", "e4d4") == (0, [])
    assert attack("jieqi", "own soldier", "e6d6") == (1, [])
    assert attack("jieqi", "enemy soldier", "e7e6") == (1, [])
    assert attack("jieqi", "enemy soldier", "e6e7") == (0, [])
    # A covered piece attacks as what stands on its square at the start, an advisor in the palace.
    assert attack("jieqi", "own covered", "b1c3") == (1, ["b2"])
    assert attack("jieqi", "own covered", "d1e2") == (1, [])
    assert attack("jieqi", "own covered", "d1c2") == (0, [])
    assert attack("jieqi", "own advisor", "d1c2") == (1, [])
    assert attack("jieqi", "own covered", "a10a8") == (0, ["a9"])
    assert attack("flipping", "own king", "d1d2") == (1, [])
    assert attack("flipping", "own king", "e1f1") == (0, [])
    assert attack("gaiqi", "own general", "a1b2") == (1, [])
    assert attack("gaiqi", "covered", "a1b2") == (0, [])
    assert attack("banqi", "own cannon", "a1b1") == (1, [])
    assert attack("banqi", "own cannon", "a1c1") == (0, ["b1"])
    assert attack("banqi", "own cannon", "a1c1", cannon="jump") == (2, ["b1"])
    # A knight of the seven kingdoms goes one step, then diagonally.
    assert attack("seven_kingdoms", "own knight", "a1d5") == (1, ["a2", "b3", "c4"])
    assert attack("seven_kingdoms", "own go-between", "a1a2") == (0, [])


def test_moved_pieces_are_those_of_the_rules() -> None:
    def after(game: str, piece: str) -> str | None:
        spec = darkqi.spec(game)
        moved = spec.moved_pieces[spec.plane_names.index(piece)]
        return None if moved < 0 else spec.plane_names[moved]

    assert after("flipping", "own soldier") == "own horse"
    assert after("flipping", "enemy chariot") == "enemy elephant"
    assert after("flipping", "own king") == "own king"
    assert after("jieqi", "own chariot") == "own chariot"
    assert after("jieqi", "own covered") is None
    assert after("mystery", "enemy covered") is None
    assert after("gaiqi", "enemy cannon") == "enemy cannon"


def test_attacks_are_read_only(game: str) -> None:
    spec = darkqi.spec(game)
    pieces = len(piece_planes(spec))
    assert spec.attacks.shape == (pieces, spec.num_actions)
    assert spec.attacks.dtype == np.uint8
    assert spec.action_paths.shape[0] == spec.num_actions
    assert spec.action_paths.dtype == np.int16
    assert spec.moved_pieces.shape == (pieces,)
    assert spec.moved_pieces.dtype == np.int16
    for array in (spec.attacks, spec.action_paths, spec.moved_pieces):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def piece_planes(spec: darkqi.Spec) -> set[str]:
    """Returns the names of the planes of pieces: those that tokens do not have."""
    return set(spec.plane_names) - set(spec.token_names)


def test_no_plane_exceeds_its_maximum(game: str) -> None:
    spec, env = darkqi.spec(game, max_plies=70), darkqi.make(game, 8, seed=1, max_plies=70)
    maxima = spec.plane_maxima
    assert maxima.shape == (len(spec.plane_names),)
    assert maxima.dtype == np.uint8
    with pytest.raises(ValueError, match="read-only"):
        maxima[0] = 0
    greatest = env.reset().observation.max(axis=(0, 2, 3))
    for _ in range(150):
        greatest = np.maximum(
            greatest, env.step(env.sample_actions()).observation.max(axis=(0, 2, 3))
        )
    assert (greatest <= maxima).all()
    of_pieces = [name in piece_planes(spec) for name in spec.plane_names]
    assert (maxima[of_pieces] == 1).all()
    assert (maxima >= 1).all()


def test_maxima_follow_the_options() -> None:
    def maximum(game: str, plane: str, **options: int | bool | str) -> int:
        spec = darkqi.spec(game, **options)
        return int(spec.plane_maxima[spec.plane_names.index(plane)])

    assert maximum("jieqi", "plies without capture") == 80
    assert maximum("jieqi", "plies without capture", quiet_limit=7) == 7
    assert maximum("jieqi", "plies without capture", quiet_limit=7, max_plies=3) == 3
    assert maximum("jieqi", "plies played") == 255
    assert maximum("mystery", "plies played", moves_limit=20, max_plies=100) == 40
    assert maximum("banqi", "occurrences of the position", repetition=False) == 1
    assert maximum("seven_kingdoms", "own seat's captures", capture_limit=12) == 13


def test_symmetries_are_permutations_that_undo_themselves(game: str) -> None:
    spec = darkqi.spec(game)
    for symmetry in spec.symmetries:
        for permutation, length in (
            (symmetry.squares, spec.board_shape[0] * spec.board_shape[1]),
            (symmetry.actions, spec.num_actions),
        ):
            assert permutation.dtype == np.int64
            assert (permutation[permutation] == np.arange(length)).all()
            assert not (permutation == np.arange(length)).all()
            with pytest.raises(ValueError, match="read-only"):
                permutation[0] = 0
        # The squares of an action that corresponds are those that its squares are taken to.
        squares = spec.action_squares
        assert (symmetry.squares[squares] == squares[symmetry.actions]).all()


def test_regions_divide_the_board(game: str) -> None:
    spec = darkqi.spec(game)
    if game == "seven_kingdoms":
        assert spec.regions == {}
        return
    files, ranks = spec.board_shape[1], spec.board_shape[0]
    squares = np.concatenate(list(spec.regions.values()))
    assert (np.sort(squares) == np.arange(files * ranks)).all()
    assert all(part.dtype == np.int64 and part.size > 0 for part in spec.regions.values())
    if game in ("jieqi", "mystery"):
        assert (spec.regions["home"] < 45).all()
    if game in ("banqi", "gaiqi"):
        assert spec.regions["corner"].tolist() == [0, 7, 24, 31]


def test_a_game_and_its_image_are_played_alike() -> None:
    spec = darkqi.spec("flipping")
    (mirror,) = spec.symmetries
    assert isinstance(mirror, darkqi.Symmetry)
    env = darkqi.make("flipping", 2, seed=1)
    ts, rng = env.reset(), np.random.default_rng(1)
    for _ in range(100):
        planes = ts.observation.reshape(2, len(spec.plane_names), -1)
        assert (planes[1] == planes[0][:, mirror.squares]).all()
        assert (ts.action_mask[1] == ts.action_mask[0][mirror.actions]).all()
        action = rng.choice(ts.action_mask[0].nonzero()[0])
        ts = env.step(np.array([action, mirror.actions[action]]))
        assert (ts.reward[0] == ts.reward[1]).all()
        assert ts.terminated[0] == ts.terminated[1]


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


def test_what_covered_pieces_hide() -> None:
    expected = {
        "banqi": "kind and army",
        "flipping": "nothing",
        "four_camps": "kind",
        "gaiqi": "kind and army",
        "jieqi": "kind",
        "mystery": "kind",
        "seven_kingdoms": "nothing",
    }
    for game in darkqi.games():
        assert darkqi.spec(game).hides == expected[game]


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


def test_options_are_in_force() -> None:
    values = {option.name: option.value for option in darkqi.spec("jieqi", max_plies=9).options}
    assert values["max_plies"] == 9
    assert (
        darkqi.State("jieqi", max_plies=9).spec.options
        == darkqi.make("jieqi", 1, max_plies=9).state(0).spec.options
    )


@pytest.mark.parametrize("value", [False, "off", "false"], ids=["python", "off", "false"])
def test_switches_take_words(value: bool | str) -> None:
    options = darkqi.spec("jieqi", repetition=value).options
    assert next(option.value for option in options if option.name == "repetition") is False


def test_numbers_take_numpy_and_words() -> None:
    for number in (7, np.int16(7), "7"):
        options: dict[str, Any] = {"max_plies": number}
        assert "'max_plies': 7" in repr(darkqi.spec("jieqi", **options))


def test_repr_has_the_shapes(game: str) -> None:
    spec = darkqi.spec(game)
    for part in (game, spec.num_actions, spec.observation_shape, spec.token_shape):
        assert str(part) in repr(spec)


def test_specs_are_frozen() -> None:
    with pytest.raises(AttributeError):
        setattr(darkqi.spec("jieqi"), "name", "chess")  # noqa: B010


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


def test_options_may_be_numpys(game: str) -> None:
    assert values(game, max_plies=np.int16(50))["max_plies"] == 50
    switches = [name for name, value in values(game).items() if isinstance(value, bool)]
    for name in switches:
        for on in (np.False_, np.True_):
            assert values(game, **{name: on})[name] is bool(on)


def values(game: str, **options: Any) -> dict[str, Any]:
    """Returns the values of all rule options."""
    return {option.name: option.value for option in darkqi.spec(game, **options).options}
