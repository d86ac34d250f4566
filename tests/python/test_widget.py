"""Games in a notebook, by the messages that its page sends and in a browser."""

import base64
import re
from pathlib import Path
from typing import Any, Literal

import pytest
from browser import visit
from common import dataset_of
from playwright.sync_api import Browser, expect
from traitlets import TraitError

import darkqi
from darkqi.widget import Play, Replay

BUILT = Path(darkqi.__file__).with_name("_widget")

# What anywidget gives a front end: traits that are followed, and messages.
MODEL = """
(traits) => {
  const followed = new Map();
  const model = {
    get: (name) => traits[name],
    set: (name, value) => (traits[name] = value),
    on: (event, call) => followed.set(call, event),
    off: (_event, call) => followed.delete(call),
    save_changes: () => window.save(traits.ply).then(model.take),
    send: (content) => window.send(content).then(model.take),
    take: (changed) => {
      Object.assign(traits, changed);
      for (const call of [...followed.keys()]) call();
    },
  };
  return import(window.source).then(({ default: widget }) => {
    const el = document.body;
    el.replaceChildren();
    widget.render({ model, el, signal: new AbortController().signal, experimental: {} });
  });
}
"""


def send(widget: Play | Replay, **content: Any) -> None:
    widget._handle_custom_msg(content, [])


def point(state: darkqi.State, square: str, viewer: int) -> tuple[float, float]:
    """Returns a point of a square in the drawing, found by asking for all."""
    width, height = map(int, re.findall(r'viewBox="0 0 (\d+) (\d+)"', state.render("svg"))[0])
    grid = ((x, y) for y in range(0, height, 16) for x in range(0, width, 16))
    return next(at for at in grid if state.square_at(*at, viewer=viewer) == square)


def click(widget: Play, square: str, seat: int = 0) -> None:
    send(widget, click=list(point(widget.state, square, seat)))


def test_a_click_picks_a_piece_and_another_moves_it() -> None:
    deal = darkqi.State("jieqi", seed=7)
    widget = Play(deal, "greedy", seat=0, seed=1)
    click(widget, "a4")
    assert widget.state.ply == 0
    assert widget.picture == deal.render("svg", viewer=0, marked=["a4", "a5"])
    click(widget, "a5")
    assert widget.state.ply == 2
    assert re.match(r"You play a4a5, turning over \w\. Seat 1 plays \w\d+\w\d+", widget.message)
    answer = re.search(r"Seat 1 plays (\w\d+)(\w\d+)", widget.message)
    assert answer is not None
    expected = widget.state.render("svg", viewer=0, marked=list(answer.groups()))
    assert widget.picture == expected
    assert deal.ply == 0, "the caller's game stays as it was"


def test_a_piece_is_let_go_and_another_picked() -> None:
    widget = Play(darkqi.State("jieqi", seed=7))
    plain = widget.picture
    for square in ("a4", "a4", "e5", "c4", "a1"):
        click(widget, square)
    targets = ["a1", "a2", "a3"]
    assert widget.picture == widget.state.render("svg", viewer=0, marked=targets)
    click(widget, "a1")
    assert widget.picture == plain
    send(widget, click=[0, 0])
    assert widget.state.ply == 0


def test_a_move_that_is_not_legal_is_explained() -> None:
    widget = Play(darkqi.State("jieqi", seed=7))
    click(widget, "e5")
    assert widget.message == "There is no piece on e5."
    click(widget, "e10")
    assert widget.message == "The General on e10 is not yours."
    click(widget, "a1")
    picked = widget.picture
    click(widget, "a6")
    assert widget.message == "Another piece is in the way."
    assert widget.picture == picked, "the piece stays picked"
    click(widget, "a2")
    assert "You play a1a2" in widget.message


def test_a_click_turns_over_a_covered_piece() -> None:
    widget = Play(darkqi.State("gaiqi", seed=3), seed=0)
    click(widget, "b2")
    assert widget.message.startswith("You play b2, turning over ")


def test_black_sees_the_board_from_its_side() -> None:
    widget = Play(darkqi.State("jieqi", seed=7), seat=1)
    assert widget.state.ply == 1
    click(widget, "a7", seat=1)
    click(widget, "a6", seat=1)
    assert "You play a7a6" in widget.message


def test_moves_are_typed() -> None:
    widget = Play(darkqi.State("jieqi", seed=7), seed=1)
    send(widget, move=" A4-A5 ")
    assert widget.state.ply == 2
    send(widget, move="a1a9")
    assert "a1a9" in widget.message
    send(widget, move="castle")
    assert "castle" in widget.message
    assert widget.state.ply == 2


def test_a_move_is_taken_back() -> None:
    widget = Play(darkqi.State("jieqi", seed=7), seed=1)
    before = (widget.picture, widget.message, widget.state.fen())
    assert widget.buttons == ["Hint"]
    send(widget, move="a4a5")
    assert widget.buttons == ["Hint", "Take back"]
    send(widget, press="Take back")
    assert (widget.picture, widget.message, widget.state.fen()) == before
    send(widget, press="Take back")
    assert widget.state.ply == 0


def test_a_move_is_taken_back_if_the_agent_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = Play(darkqi.State("jieqi", seed=7), seed=1)
    before = (widget.picture, widget.state.fen())

    def failing() -> str:
        raise RuntimeError("the engine has ended")

    with monkeypatch.context() as changed:
        changed.setattr(widget, "_chosen", failing)
        send(widget, press="Hint")
        assert widget.message == "the engine has ended"
        send(widget, move="a4a5")
    assert widget.message.endswith("the engine has ended")
    assert widget.picture != before[0]
    send(widget, press="Take back")
    assert (widget.picture, widget.state.fen()) == before


def test_a_hint_is_a_legal_move() -> None:
    widget = Play(darkqi.State("banqi", seed=7), "expectimax:depth=1")
    send(widget, press="Hint")
    move = widget.message.removeprefix("expectimax:depth=1 would play ").removesuffix(".")
    assert move in widget.state.legal_moves()
    assert widget.state.ply == 0


def test_what_reaches_the_page_depends_on_what_the_seat_may_know() -> None:
    deal = darkqi.State("jieqi", seed=7)
    pages = []
    for state in (deal, deal.resample(0, seed=1)):
        assert state is deal or state.fen() != deal.fen()
        widget = Play(state, "greedy", seed=1)
        click(widget, "a4")
        # But the number of the widget, and its style, which is a widget with a number.
        sent = widget.get_state()
        pages.append({name: sent[name] for name in sent if name not in ("_anywidget_id", "layout")})
    assert pages[0] == pages[1]


@pytest.mark.parametrize("game", darkqi.games())
def test_whole_games(game: str) -> None:
    """By clicks and buttons, with moves that an agent chooses."""
    state = darkqi.State(game, seed=5)
    widget = Play(state, "greedy", seed=5)
    while not widget.state.is_terminal:
        move = widget.state.action_name(widget.state.choose("greedy", seed=widget.state.ply))
        squares = re.findall(r"[a-z]\d+", move)
        for square in squares:
            click(widget, square)
        if not squares:
            send(widget, press=move)
        assert f"You play {move}" in widget.message
    assert re.search(r"You (win|lose)|Draw: |Cut off: ", widget.message)
    everything = widget.state.render("svg")
    assert widget.picture.count("<text") == everything.count("<text")
    assert "Hint" not in widget.buttons


dataset = dataset_of("jieqi", 2, agents="greedy", seed=3)


@pytest.mark.parametrize("viewer", [None, 0, 1, "public"])
def test_a_logged_game_is_stepped_through(
    dataset: Path, viewer: int | Literal["public"] | None
) -> None:
    widget = Replay(dataset, 1, viewer=viewer)
    game = darkqi.replay(dataset, 1)
    assert widget.last_ply == len(game.plies)
    assert widget.message == f"Ply 0 of {widget.last_ply}: The deal. Red to move."
    state = darkqi.State.from_fen("jieqi", game.deal)
    for number, played in enumerate(game.plies, 1):
        state.apply(played.move)
        widget.ply = number
        marked = re.findall(r"[a-z]\d+", played.move)
        assert widget.picture == state.render("svg", viewer=viewer, marked=marked)
        assert f"(seat {played.player}) plays {played.move}" in widget.message
    assert widget.message.endswith(f". {state.standing}.")
    widget.ply = 9999
    assert widget.ply == widget.last_ply
    with pytest.raises(TraitError):
        widget.ply = -1
    widget.ply = 0
    assert widget.picture == darkqi.State.from_fen("jieqi", game.deal).render("svg", viewer=viewer)


def test_bad_arguments_are_named(dataset: Path) -> None:
    state = darkqi.State("jieqi", seed=7)
    with pytest.raises(ValueError, match="greddy"):
        Play(state, "greddy")
    with pytest.raises(ValueError, match="seat"):
        Play(state, seat=2)
    given: Any
    for given in (1.5, True, 2**70):
        with pytest.raises((TypeError, ValueError), match="seed: expected an integer"):
            Play(state, seed=given)
    for given in (None, "jieqi"):
        with pytest.raises(TypeError, match=r"state: expected a darkqi.State"):
            Play(given)
    with pytest.raises(ValueError, match="game 9"):
        Replay(dataset, 9)
    with pytest.raises(ValueError, match="viewer"):
        Replay(dataset, 0, viewer=4)


class TestInABrowser:
    """The front end, with a model as anywidget gives it one."""

    def show(self, page: Any, widget: Play | Replay) -> None:
        names = ("picture", "message", "buttons", "takes_moves", "ply", "last_ply")

        def traits() -> dict[str, Any]:
            return {name: getattr(widget, name) for name in names}

        def receive(content: dict[str, Any]) -> dict[str, Any]:
            send(widget, **content)
            return traits()

        def save(ply: int) -> dict[str, Any]:
            widget.ply = ply
            return traits()

        page.expose_function("send", receive)
        page.expose_function("save", save)
        source = base64.b64encode((BUILT / "widget.js").read_bytes()).decode()
        page.evaluate(f"window.source = 'data:text/javascript;base64,{source}'")
        page.add_style_tag(content=(BUILT / "widget.css").read_text())
        page.evaluate(MODEL, traits())

    def test_play(self, running: Browser) -> None:
        with visit(running, "about:blank") as tab:
            page = tab.page
            widget = Play(darkqi.State("jieqi", seed=7), seed=1)
            self.show(page, widget)
            board, message = page.locator(".darkqi-board"), page.locator(".darkqi-message")
            box = board.bounding_box()
            assert box is not None
            _, _, width, _ = map(
                float, (board.locator("svg").get_attribute("viewBox") or "").split()
            )
            for square in ("a4", "a5"):
                x, y = (at * box["width"] / width for at in point(widget.state, square, 0))
                page.mouse.move(box["x"] + x + 2, box["y"] + y + 2)
                page.mouse.down()
                # What is pressed is drawn anew before it is let go of.
                board.evaluate("board => (board.innerHTML = board.innerHTML)")
                page.mouse.up()
            expect(message).to_contain_text("You play a4a5")
            assert widget.state.ply == 2
            page.get_by_label("move").fill("c4c5")
            page.keyboard.press("Enter")
            expect(message).to_contain_text("You play c4c5")
            page.get_by_role("button", name="Take back").click()
            expect(message).to_contain_text("You play a4a5")
            assert widget.state.ply == 2

    def test_replay(self, running: Browser, dataset: Path) -> None:
        with visit(running, "about:blank") as tab:
            page = tab.page
            widget = Replay(dataset, 0)
            self.show(page, widget)
            message = page.locator(".darkqi-message")
            page.get_by_role("button", name="Forward").click()
            expect(message).to_contain_text("Ply 1 of")
            page.get_by_role("button", name="Back").click()
            expect(message).to_contain_text("Ply 0 of")
            page.get_by_label("ply").fill("5")
            expect(message).to_contain_text("Ply 5 of")
            # From here on time passes only as the test says.
            page.clock.install(time=0)
            page.clock.pause_at(1000)
            page.get_by_role("button", name="Play").click()
            page.clock.run_for(1000)
            expect(message).to_contain_text("Ply 6 of")
            page.get_by_role("button", name="Pause").click()
            page.clock.run_for(5000)
            expect(message).to_contain_text("Ply 6 of")
