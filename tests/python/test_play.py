"""Agents on single states, views of plies, and games at the terminal."""

import random
import re
from collections.abc import Callable, Iterator

import pytest

import darkqi

Typed = Callable[..., None]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Returns a function that sets the typed lines."""

    def will_be(*lines: str) -> None:
        answers = iter(lines)
        monkeypatch.setattr("builtins.input", lambda _prompt: answer(answers))

    def answer(answers: Iterator[str]) -> str:
        line = next(answers, None)
        if line is None:
            raise EOFError
        return line

    return will_be


def unmarked(told: str) -> str:
    """Returns what was told without the brackets that mark on boards what the last ply changed."""
    return re.sub(r" +$", "", re.sub(r"[\[\]]", " ", told), flags=re.MULTILINE)


@pytest.mark.parametrize("agent", ["random", "greedy", "expectimax:depth=1"])
def test_agents_choose_the_actions_of_a_batchs_opponent(game: str, agent: str) -> None:
    env = darkqi.make(game, 1, seed=5, opponent=agent, seat=0)
    env.reset()
    state = env.state(0)
    seed = env.seeds[0]
    assert state == darkqi.State(game, seed=seed)
    for _ in range(3):
        action = env.sample_actions()
        state.apply(action[0])
        while not state.is_terminal and state.current_player != 0:
            state.apply(state.choose(agent, seed))
        env.step(action)
        if state.is_terminal:
            break
        assert env.state(0) == state


def test_choices_are_drawn_with_their_seed() -> None:
    state = darkqi.State("jieqi", seed=3)
    for seeds in (range(30), [None] * 30):
        assert len({state.choose("random", seed) for seed in seeds}) > 10
    assert state == darkqi.State("jieqi", seed=3)


def test_nothing_is_chosen_in_a_finished_game() -> None:
    state = darkqi.State("jieqi", seed=0, max_plies=1)
    state.apply("a4a5")
    with pytest.raises(RuntimeError, match=r"agent greedy: expected .*, but it is \(max_plies\)"):
        state.choose("greedy")
    with pytest.raises(darkqi.IllegalActionError, match="the game is over"):
        state.event("a7a6", viewer=0)


def test_the_odds_of_an_event_are_what_a_viewer_knows() -> None:
    state = darkqi.State("jieqi", seed=7)
    state.apply("b3b10")
    # Black has 15 unseen pieces, two of them horses. Red has captured one of them, an elephant.
    odds = [state.event("a7a6", viewer).probability for viewer in (1, 0)]
    assert odds == pytest.approx([2 / 15, 2 / 14])
    # What happens is one of the reveals that its mover expects.
    assert state.event("a7a6", viewer=1) in state.reveals("a7a6")


def test_a_game_is_played_to_its_end(
    game: str, typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    state = darkqi.State(game, seed=2, max_plies=12)
    expected, moves, seat = state.clone(), [], 1
    chooser = random.Random(1)
    while not expected.is_terminal:
        if expected.current_player == seat:
            moves.append(chooser.choice(expected.legal_moves()))
            expected.apply(moves[-1])
        else:
            expected.apply(expected.choose("greedy", 9))
    typed(*moves)
    state.play("greedy", seat, 9)
    assert state == expected
    assert state.outcome == expected.outcome
    told = capsys.readouterr().out
    assert told.startswith(f"You are seat 1 of {game}, against greedy; seed 9.")
    assert told.index("greedy (seat 0) plays") < told.index(f"You play {moves[0]}")
    assert state.outcome is not None
    verdict = re.escape(state.standing) + r"\.( You (win|lose)\.)?\n"
    assert re.search(f"\n\n{verdict}$", told)
    # The final board shows everything.
    assert state.render() in unmarked(told)


def test_the_player_sees_what_the_seat_may_know(
    typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    state = darkqi.State("jieqi", seed=7)
    start = state.clone()
    typed("b3b10", "quit")
    state.play()
    told = capsys.readouterr().out
    assert "You play b3b10, turning over P and taking the covered e.\n" in told
    assert "turning over c and taking a covered piece that you are not shown.\n" in told
    for position in (start, state):
        assert position.render(viewer=0) in unmarked(told)
    assert "~p" not in told


def test_plies_are_taken_back(typed: Typed, capsys: pytest.CaptureFixture[str]) -> None:
    state = darkqi.State("jieqi", seed=7)
    typed("b1a3", "back", "a4a5", "resign")
    state.play(seed=1)
    told = capsys.readouterr().out
    assert "\nTaken back: b1a3, " in told
    # It is the person that has resigned, and not the position that is over.
    assert re.search("\nBlack won: resignation.* You lose.\n$", told)
    assert not state.is_terminal
    assert state.ply == 2


def test_an_interrupted_game_can_be_continued(typed: Typed) -> None:
    whole, parts = darkqi.State("gaiqi", seed=7), darkqi.State("gaiqi", seed=7)
    typed("a1", "b1")
    whole.play(seed=1)
    for move in ("a1", "b1"):
        typed(move)
        parts.play(seed=1)
    assert whole == parts
    assert whole.ply == 4


def test_ctrl_c_leaves_the_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    darkqi.State("jieqi", seed=0).play()
    assert capsys.readouterr().out.endswith("The game is left as it stands.\n")


@pytest.mark.parametrize(("seat", "verdict"), [(0, "You win."), (1, "You lose.")])
def test_the_end_of_a_finished_game_is_told(
    seat: int, verdict: str, capsys: pytest.CaptureFixture[str]
) -> None:
    state = darkqi.State.from_fen("jieqi", "3k5/R8/9/9/9/9/9/9/9/1R2K4 w - 0 20")
    state.apply("b1b10")
    state.play(seat=seat)
    assert capsys.readouterr().out.endswith(f"\n\nRed won: checkmate. {verdict}\n")


def test_an_opponent_that_fails_tells_nothing_of_what_it_knows() -> None:
    state = darkqi.State("jieqi", seed=7)
    with pytest.raises(RuntimeError, match="position `"):
        state.choose("uci:cmd=false")
    with pytest.raises(RuntimeError, match=r"^uci:cmd=false has failed; State\.choose says why"):
        state.play("uci:cmd=false", seat=1)
