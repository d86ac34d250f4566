"""The games in OpenSpiel: types, chance, what players see, and OpenSpiel's own checks."""

import pickle
import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyspiel
import pytest
from common import python
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import ismcts, mcts
from open_spiel.python.observation import make_observation

import darkqi
import darkqi.openspiel


def pieces(state: darkqi.State) -> dict[str, str]:
    """Returns the FEN text of the piece on each occupied square."""
    board, ranks = {}, state.spec.board_shape[0]
    # The longest names come first, because a name may begin with a shorter one.
    names = sorted((n for army in state.spec.armies for n in army.piece_names), key=len)[::-1]
    symbols = re.compile(rf"\d+|~?(?:{'|'.join(names)}|.)")
    for below, rank in enumerate(state.fen().split(" ")[0].split("/")):
        file = 0
        for symbol in symbols.findall(rank):
            if symbol.isdigit():
                file += int(symbol)
            else:
                board[f"{chr(ord('a') + file)}{ranks - below}"] = symbol
                file += 1
    return board


def shown(state: darkqi.State, action: int) -> list[str]:
    """Returns the covered pieces that an action reveals or captures, in the order of squares."""
    board = pieces(state)
    squares = re.findall(r"[a-z]\d+", state.action_name(action))
    found = (board.get(square, "") for square in squares)
    return [piece[1:] for piece in found if piece.startswith("~")]


KIND = pyspiel.GameType
PRIVATE = pyspiel.PrivateInfoType

# Covered pieces are chance events: how many there are, and how many different ones. Nothing is
# covered in the other games. Captures of covered pieces are secret.
COVERED = {
    "banqi": (32, 14),
    "four_camps": (16, 16),
    "gaiqi": (32, 14),
    "jieqi": (30, 14),
    "mystery": (30, 14),
}
SECRET = {"jieqi", "mystery"}

OPTIONS = [
    "darkqi_banqi(cannon=jump,quiet_limit=50,ranking=hongkong,repetition=False)",
    "darkqi_jieqi(captured=public,chase=True)",
    "darkqi_mystery(captured=public,moves_limit=20)",
    "darkqi_gaiqi(max_plies=9)",
    "darkqi_seven_kingdoms(seats='0101010')",
    "darkqi_seven_kingdoms(max_plies=50,seats='01234--',teams=ABABB)",
]


def load(name: str, **params: Any) -> Any:
    return pyspiel.load_game(f"darkqi_{name}", params)


def outcome(piece: str) -> int:
    return "KAEHRCPkaehrcp".index(piece)


def apply(state: Any, *steps: str) -> Any:
    """Plays actions and chance outcomes by name; returns the state."""
    for step in steps:
        state.apply_action(
            outcome(step) if state.is_chance_node() else state.string_to_action(step)
        )
    return state


def playout(state: Any, seed: int, steps: int = 10_000) -> Any:
    """Plays at random, chance included; returns the state."""
    chooser = random.Random(seed)
    for _ in range(steps):
        if state.is_terminal():
            break
        state.apply_action(chooser.choice(state.legal_actions()))
    return state


def follow(name: str, seed: int, **params: Any) -> Iterator[tuple[Any, darkqi.State]]:
    """Plays a random deal in both, with its pieces as chance outcomes; yields every position."""
    state, truth = load(name, **params).new_initial_state(), darkqi.State(name, seed, **params)
    chooser = random.Random(seed)
    pieces = [name for army in truth.spec.armies for name in army.piece_names]
    yield state, truth
    while not truth.is_terminal:
        action = chooser.choice(truth.legal_actions())
        chance_pieces = shown(truth, action)
        state.apply_action(action)
        for piece in chance_pieces:
            assert state.is_chance_node()
            state.apply_action(pieces.index(piece))
        truth.apply(action)
        yield state, truth


def test_games_are_classified(game: str) -> None:
    spec = darkqi.spec(game)
    for loaded in (load(game), load(game, max_plies=99)):
        kind = loaded.get_type()
        assert kind.dynamics == KIND.Dynamics.SEQUENTIAL
        assert kind.utility == KIND.Utility.ZERO_SUM
        assert kind.reward_model == KIND.RewardModel.TERMINAL
        assert (kind.chance_mode == KIND.ChanceMode.EXPLICIT_STOCHASTIC) == (game in COVERED)
        assert (kind.chance_mode == KIND.ChanceMode.DETERMINISTIC) == (game not in COVERED)
        assert (kind.information == KIND.Information.IMPERFECT_INFORMATION) == (game in SECRET)
        assert loaded.num_distinct_actions() == spec.num_actions
        assert loaded.num_players() == spec.num_players
        assert loaded.observation_tensor_shape() == list(spec.observation_shape)
        assert loaded.utility_sum() == 0
    assert load(game, max_plies=99).max_game_length() == 99
    bounds = loaded.max_chance_nodes_in_history(), loaded.max_chance_outcomes()
    assert bounds == COVERED.get(game, (0, 0))
    if game in SECRET:
        information = load(game, captured="public").get_type().information
        assert information == KIND.Information.PERFECT_INFORMATION


def test_options_are_parameters(game: str) -> None:
    parameters = load(game).get_type().parameter_specification
    options = {option.name: option for option in darkqi.spec(game).options}
    assert parameters.keys() == options.keys()
    for name, value in parameters.items():
        # Texts that look like numbers are quoted.
        assert value in {options[name].default, f"'{options[name].default}'"}
    changes: dict[str, Any] = {"max_plies": 12}
    if "repetition" in options and options["repetition"].default:
        changes["repetition"] = False
    given = ",".join(f"{name}={value}" for name, value in changes.items())
    loaded = pyspiel.load_game(f"darkqi_{game}({given})")
    assert loaded.get_parameters() == changes
    assert playout(loaded.new_initial_state(), seed=1).play.state.ply <= 12


@pytest.mark.parametrize(
    ("seats", "teams", "players", "low", "high"),
    [
        ("0123456", "", 7, -1 / 6, 1),
        ("0101010", "", 2, -1, 1),
        ("012----", "", 3, -1 / 2, 1),
        ("0123456", "ABABABA", 7, -1 / 3, 1 / 3),
        ("012345-", "ABCABC", 6, -1 / 4, 1 / 2),
    ],
)
def test_kingdoms_have_seats_and_teams(
    seats: str, teams: str, players: int, low: float, high: float
) -> None:
    by_name = load("seven_kingdoms", seats=seats, teams=teams)
    by_text = pyspiel.load_game(f"darkqi_seven_kingdoms(seats='{seats}',teams={teams})")
    for game in (by_name, by_text, pickle.loads(pickle.dumps(by_name))):
        assert str(game) == str(by_name)
        assert game.num_players() == players
        assert (game.min_utility(), game.max_utility()) == pytest.approx((low, high), abs=1e-15)
    assert by_name.get_type().min_num_players == 2
    assert by_name.get_type().max_num_players == 7


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("banqi(cannon=fly)", ValueError, "option `cannon` of banqi: `fly` is not one of: step"),
        ("banqi(canon=step)", pyspiel.SpielError, "Unknown parameter 'canon'. Available .* cannon"),
        ("seven_kingdoms(seats='01')", ValueError, "`01` is not 7 characters out of 0123456-"),
    ],
)
def test_bad_options_are_named(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pyspiel.load_game(f"darkqi_{text}")


@pytest.mark.parametrize("text", [*(f"darkqi_{game}" for game in darkqi.games()), *OPTIONS])
def test_openspiels_simulation(text: str) -> None:
    # Serialised states are replayed, which is slow in games of about 600 plies.
    quick = text != "darkqi_seven_kingdoms"
    pyspiel.random_sim_test(
        pyspiel.load_game(text), num_sims=2 if quick else 1, serialize=quick, verbose=False
    )


def test_play_agrees_with_the_native_game(game: str) -> None:
    for seed in range(2 if game == "seven_kingdoms" else 6):
        for state, truth in follow(game, seed):
            assert state.is_terminal() == truth.is_terminal
            players = range(truth.spec.num_players)
            for player in players:
                assert state.observation_string(player) == truth.fen(player)
            if truth.ply % 10 == 0:
                for player in players:
                    planes = np.reshape(
                        state.observation_tensor(player), (*truth.spec.observation_shape,)
                    )
                    assert np.array_equal(planes, truth.observation(player))
            if truth.is_terminal:
                break
            assert state.current_player() == truth.current_player
            assert state.legal_actions() == truth.legal_actions()
            assert state.legal_actions((truth.current_player + 1) % len(players)) == []
            names = map(state.action_to_string, state.legal_actions())
            assert sorted(names) == truth.legal_moves()
            assert state.returns() == [0] * len(players)
        assert state.returns() == pytest.approx(truth.rewards())
        assert sum(state.returns()) == pytest.approx(0, abs=1e-12)
        assert state.current_player() == pyspiel.PlayerId.TERMINAL


@pytest.mark.parametrize("options", [{}, {"max_plies": 50}])
def test_actions_of_every_player_have_their_names(game: str, options: dict[str, Any]) -> None:
    if game == "banqi" and options:
        options = {"moves.K": "N"}  # It has more actions.
    state = load(game, **options).new_initial_state()
    other = playout(load(game, **options).new_initial_state(), seed=1, steps=1)
    while other.current_player() != 1:
        other = playout(other, seed=1, steps=1)
    for action in range(0, load(game, **options).num_distinct_actions(), 97):
        for player in (0, 1):
            assert state.action_to_string(player, action) == other.action_to_string(player, action)
    with pytest.raises(ValueError, match="player 9: expected a seat from 0 to"):
        state.action_to_string(9, 0)


def test_actions_have_names_of_seats_that_never_move() -> None:
    short, usual = (load("seven_kingdoms", max_plies=plies) for plies in (1, 600))
    for player in range(7):
        names = [game.new_initial_state().action_to_string(player, 0) for game in (short, usual)]
        assert names[0] == names[1]


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("banqi", {}),
        ("gaiqi", {}),
        ("gaiqi", {"covered_captures": "attempt"}),
        ("jieqi", {"captured": "public"}),
        # Seven pieces are left over.
        ("jieqi", {"captured": "public", "pool.R": "5", "pool.P": "6/8"}),
    ],
)
def test_chance_has_the_odds_of_reveals(name: str, params: dict[str, str]) -> None:
    turned = 0
    for seed in range(6):
        for state, truth in follow(name, seed, **params):
            if truth.ply % 3 == 0:
                for action in state.legal_actions()[:: 1 + truth.ply % 5]:
                    odds = {reveal[:3]: reveal.probability for reveal in truth.reveals(action)}
                    assert chances(state.child(action)) == pytest.approx(
                        {chance_pieces(reveal): odds for reveal, odds in odds.items()}, abs=1e-12
                    )
                    turned += len(odds) > 1
    assert turned > 100


def chance_pieces(reveal: tuple[str | None, str | None, bool]) -> tuple[str, ...]:
    revealed, captured, captured_covered = reveal
    return tuple(filter(None, (revealed, captured if captured_covered else None)))


def chances(state: Any) -> dict[tuple[str, ...], float]:
    """Returns the sequences of chance outcomes from here, with their probabilities."""
    if not state.is_chance_node():
        return {(): 1.0}
    return {
        (state.action_to_string(piece), *more): odds * rest
        for piece, odds in state.chance_outcomes()
        for more, rest in chances(state.child(piece)).items()
    }


# Each side takes a covered piece with a covered cannon.
TAKE = ("b3b10", "C", "r", "h8h1", "c", "R")


def test_secret_captures_leave_the_pool() -> None:
    # Red's second chariot is still covered; red does not know that the first was taken.
    state = apply(load("jieqi").new_initial_state(), *TAKE)
    apply(state, "a4a5")
    pool = Counter({"A": 2, "E": 2, "H": 2, "R": 1, "C": 1, "P": 5})
    assert dict(state.chance_outcomes()) == pytest.approx(
        {outcome(piece): count / pool.total() for piece, count in pool.items()}
    )


def test_a_flip_is_completed_by_chance() -> None:
    state = apply(load("banqi").new_initial_state(), "c3")
    assert state.is_chance_node()
    assert state.current_player() == pyspiel.PlayerId.CHANCE
    assert not state.is_terminal()
    assert str(state) == "????????/????????/????????/???????? 1 - - 0 0 c3"
    odds = dict(state.chance_outcomes())
    assert sum(odds.values()) == pytest.approx(1)
    assert odds[outcome("P")] == 5 / 32
    assert odds[outcome("k")] == 1 / 32
    with pytest.raises(ValueError, match="chance outcome 14: expected 0 to 13"):
        state.apply_action(14)
    apply(state, "k")
    assert str(state) == "????????/??k?????/????????/???????? 2 b - 0 1"
    apply(state, "a1")
    with pytest.raises(
        ValueError, match="chance outcome k: expected one of A C E H K P R a c e h p"
    ):
        apply(state, "k")
    assert str(apply(state, "K")).startswith("????????/??k?????/????????/K???????")


def test_a_capture_may_take_two_draws() -> None:
    state = apply(load("jieqi").new_initial_state(), "b3b10")
    assert {state.action_to_string(piece) for piece, _ in state.chance_outcomes()} == set("AEHRCP")
    with pytest.raises(ValueError, match="b3b10 waits for a chance outcome"):
        state.resample_from_infostate(0, pyspiel.UniformProbabilitySampler(0.0, 1.0))
    apply(state, "R")
    assert state.is_chance_node()
    assert {state.action_to_string(piece) for piece, _ in state.chance_outcomes()} == set("aehrcp")
    assert state.information_state_string(1).endswith("w - 0 0 b3b10=R")
    apply(state, "a")
    assert not state.is_chance_node()
    assert state.observation_string(0).endswith(" b ~a 0 1")
    assert state.observation_string(1).endswith(" b x 0 1")
    assert str(state).endswith(" b ~a 0 1")


def test_illegal_actions_change_nothing(game: str) -> None:
    state = playout(load(game).new_initial_state(), seed=3, steps=4)
    while state.is_chance_node():
        playout(state, seed=3, steps=1)
    before, history = str(state), state.history()
    illegal = min(set(range(1000)) - set(state.legal_actions()))
    with pytest.raises(darkqi.IllegalActionError, match="is not legal here"):
        state.apply_action(illegal)
    assert (str(state), state.history()) == (before, history)
    state.apply_action(state.legal_actions()[0])


def test_states_are_copied_and_kept(game: str) -> None:
    for steps in (0, 1, 2, 25):
        pools = {"jieqi": {"pool.R": "5"}, "banqi": {"army.P": "3"}}.get(game, {})
        state = playout(load(game, **pools).new_initial_state(), seed=steps, steps=steps)
        loaded, kept = pyspiel.deserialize_game_and_state(
            pyspiel.serialize_game_and_state(state.get_game(), state)
        )
        assert str(loaded) == str(state.get_game())
        twins = [state.clone(), pickle.loads(pickle.dumps(state)), kept]
        before = str(state)
        for twin in twins:
            assert str(twin) == before
            assert twin.history() == state.history()
            assert twin.chance_outcomes() == state.chance_outcomes()
            assert twin.information_state_string(0) == state.information_state_string(0)
            playout(twin, seed=steps, steps=30)
        assert str(state) == before
        playout(state, seed=steps, steps=30)
        for twin in twins:
            assert str(twin) == str(state)
            assert twin.history() == state.history()


def test_information_states_recall_everything() -> None:
    start = load("flipping").new_initial_state
    one = apply(start(), "c2c3", "c6c5", "e2e3", "e6e5")
    other = apply(start(), "e2e3", "e6e5", "c2c3", "c6c5")
    assert one.observation_string(0) == other.observation_string(0)
    assert one.information_state_string(0) == (
        f"c2c3 c6c5 e2e3 e6e5; {one.play.state.fen(viewer=0)}"
    )
    assert one.information_state_string(0) != other.information_state_string(0)


def test_information_states_keep_secrets() -> None:
    taken = [apply(load("mystery").new_initial_state(), "b3b10", "R", piece) for piece in "hp"]
    captor, other = (
        [state.information_state_string(player) for state in taken] for player in (0, 1)
    )
    assert captor[0] != captor[1]
    assert other[0] == other[1]
    assert other[0].startswith("b3b10=R; ")


@pytest.mark.parametrize("name", sorted(SECRET))
def test_the_viewer_cannot_tell_resampled_states_apart(name: str) -> None:
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    differ = 0
    for seed in range(5):
        for state, truth in follow(name, seed):
            if truth.ply % 23 or truth.is_terminal:
                continue
            for player in (0, 1):
                other = state.resample_from_infostate(player, sampler)
                assert other.information_state_string(player) == (
                    state.information_state_string(player)
                )
                assert other.observation_tensor(player) == state.observation_tensor(player)
                assert other.legal_actions() == state.legal_actions()
                assert len(other.history()) == len(state.history())
                again = load(name).new_initial_state()
                for action in other.history():
                    again.apply_action(action)
                assert str(again) == str(other)
                differ += other.history() != state.history()
                playout(other, seed, steps=5)
    assert differ > 5


def test_observers_show_what_is_asked_for() -> None:
    game = load("jieqi")
    state = apply(game.new_initial_state(), *TAKE)
    native = state.play.state
    shape = game.observation_tensor_shape()
    fens = [native.fen(viewer) for viewer in (0, 1, "public")]
    for recall, prefix in ((False, ""), (True, "b3b10=C h8h1=c; ")):
        for private, viewers, expected in (
            (PRIVATE.SINGLE_PLAYER, [1], fens[1]),
            (PRIVATE.NONE, ["public"], fens[2]),
            (PRIVATE.ALL_PLAYERS, [0, 1], f"{fens[0]} | {fens[1]}"),
        ):
            kind = pyspiel.IIGObservationType(perfect_recall=recall, private_info=private)
            observation = make_observation(game, kind)
            observation.set_from(state, 1)
            assert observation.string_from(state, 1) == prefix + expected
            if recall:
                assert observation.tensor is None
                continue
            seen = np.concatenate([native.observation(viewer).ravel() for viewer in viewers])
            assert observation.tensor.dtype == np.float32
            assert np.array_equal(observation.tensor, seen)
            planes = observation.dict["observation"]
            assert planes.shape == (*([2] if len(viewers) == 2 else []), *shape)
            assert np.shares_memory(planes, observation.tensor)
        for private, expected in (
            (PRIVATE.SINGLE_PLAYER, fens[1].split(" ")[2]),
            (PRIVATE.NONE, ""),
            (PRIVATE.ALL_PLAYERS, " | ".join(fen.split(" ")[2] for fen in fens[:2])),
        ):
            kind = pyspiel.IIGObservationType(
                perfect_recall=recall, public_info=False, private_info=private
            )
            secret = make_observation(game, kind)
            assert secret.string_from(state, 1) == expected
            assert secret.tensor is None
    with pytest.raises(ValueError, match="observers take no parameters, got"):
        make_observation(game, kind, {"planes": 3})


@pytest.mark.parametrize("name", darkqi.games())
def test_openspiels_searches_play(name: str) -> None:
    game, random_state = load(name), np.random.RandomState(1)
    evaluator, state = mcts.RandomRolloutEvaluator(1, random_state), game.new_initial_state()
    bot: Any = mcts.MCTSBot(game, 1.4, 3, evaluator, random_state=random_state)
    if name in SECRET:
        # Each side has captured a covered piece, so that there are worlds to sample.
        apply(state, *TAKE)
        bot = ismcts.ISMCTSBot(
            game, evaluator, uct_c=2.0, max_simulations=5, random_state=random_state
        )
    moves = 0
    while moves < 3:
        if state.is_chance_node():
            playout(state, seed=moves, steps=1)
        else:
            action = bot.step(state)
            assert action in state.legal_actions()
            state.apply_action(action)
            moves += 1


def test_openspiels_environment_steps(game: str) -> None:
    env = rl_environment.Environment(load(game))
    step = env.reset()
    for _ in range(12):
        if step.last():
            break
        seat = step.observations["current_player"]
        planes = env.get_state.play.state.observation(seat)
        assert np.array_equal(step.observations["info_state"][seat], planes.ravel())
        step = env.step([step.observations["legal_actions"][seat][0]])


def test_python_exits_without_an_error() -> None:
    # OpenSpiel's registry outlives the interpreter and must not free Python objects then.
    program = """
import pyspiel, darkqi.openspiel
state = pyspiel.load_game("darkqi_gaiqi").new_initial_state()
state.apply_action(state.legal_actions()[0])
"""
    python(program)
