"""Specs and rule options."""

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


def test_rows_have_the_shape_of_their_format(game: str) -> None:
    spec = darkqi.spec(game)
    assert row_shape(spec, "planes") == spec.observation_shape
    assert row_shape(spec, "tokens") == spec.token_shape
    with pytest.raises(ValueError, match='observation: expected "planes" or "tokens", got "plans"'):
        row_shape(spec, "plans")


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
