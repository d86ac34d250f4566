"""What each seat sees in the browser, and no more: now, and where a game is looked through."""

import json
import re
from typing import Any

import pytest
from browser import SEED, Site, Tab, letters_on, visit
from playwright.sync_api import Browser, Page, Response, Route, expect

import darkqi


def test_people_at_one_screen_see_their_own_view_only(page: Page, tab: Tab) -> None:
    (key, *_) = tab.begin("jieqi", [None, None])
    tab.goto(f"#/play/{key['key']}")
    expect(page.locator(".curtain")).to_be_visible()
    expect(page.locator("svg.board")).to_have_count(0)
    tab.button("Seat 0 (red): continue").click()
    tab.pick("b3b10")
    expect(tab.button("Seat 1 (black): continue")).to_be_visible()
    expect(page.locator("svg.board")).to_have_count(0)
    tab.button("Seat 1 (black): continue").click()
    tab.settle()
    state = darkqi.State("jieqi", seed=SEED)
    state.apply("b3b10")
    assert tab.fen_board() == state.fen(viewer=1).split()[0]
    # Black looks from its own side, and does not know what it has lost.
    expect(page.locator("[data-square]").first).to_have_attribute("data-square", "i1")
    expect(page.locator(".tray [role=img]")).to_have_attribute(
        "aria-label", re.compile("you do not know which")
    )


PLIES = 14


@pytest.mark.parametrize("game", ["jieqi", "gaiqi"])
def test_a_browser_is_told_what_its_seat_may_know(game: str, running: Browser, site: Site) -> None:
    """Two people play from two browsers; all that one of them receives is compared with views."""
    received: list[tuple[str, dict[str, Any]]] = []
    asked: set[str] = set()

    def note(response: Response) -> None:
        asked.add(response.url.removeprefix(site.url).split("?")[0])
        if "/api/play/" in response.url and response.status == 200:
            received.append((response.text(), response.json()))

    with visit(running, site.url) as one, visit(running, site.url) as other:
        other.page.on("response", note)
        keys = one.begin(game, [None, None], shared=False)
        assert [key["seats"] for key in keys] == [[0], [1], []]
        for tab, key in zip((one, other), keys, strict=False):
            tab.watch(key["key"])
        states = play_in_turns((one, other), game)
    own = f"api/play/{keys[1]['key']}"
    # A lesson knows no game under way.
    of_all = {"", "app.css", "app.js", "api/catalogue", f"api/lesson/{game}"}
    assert asked <= of_all | {own, f"{own}/wait", f"{own}/move"}
    assert received
    for text, told in received:
        state = states[told["ply"]]
        assert (told["viewer"], told["seed"], told["is_over"]) == (1, None, False)
        assert told["fen"] == state.fen(viewer=1)
        for hidden in (state.fen(), states[0].fen()):
            assert json.dumps(hidden)[1:-1] not in text or hidden == state.fen(viewer=1)
    # Each ply was told, by answers that have what is new.
    plies_told = {ply["ply"] for _, told in received for ply in told["history"]}
    assert plies_told == set(range(max(told["ply"] for _, told in received)))
    # Something was hidden from this seat that its opponent knows.
    if game == "jieqi":
        assert states[-1].fen(viewer=0) != states[-1].fen(viewer=1)


def play_in_turns(tabs: tuple[Tab, Tab], game: str) -> list[darkqi.State]:
    """Plays a few plies, each on the page of its seat, and returns the positions."""
    states = [darkqi.State(game, seed=SEED)]
    for ply in range(PLIES):
        state = states[-1].clone()
        tab = tabs[state.current_player]
        tab.settle()
        move = telling(state)
        tab.pick(move)
        expect(tab.locator(".moves li").nth(ply)).to_be_attached()
        state.apply(move)
        states.append(state)
    expect(tabs[1].locator(".moves li")).to_have_count(PLIES)
    return states


def telling(state: darkqi.State) -> str:
    """Returns a move that does not end the game, one that takes a covered piece if there is any.

    The two seats are told different things of such a move.
    """

    def goes_on(move: str) -> bool:
        after = state.clone()
        after.apply(move)
        return not after.is_terminal

    moves = filter(goes_on, state.legal_moves())
    return max(moves, key=lambda move: state.event(move, "public").captured_covered)


def test_onlookers_see_what_is_public(page: Page, tab: Tab) -> None:
    keys = tab.begin("jieqi", [None, "greedy"])
    assert keys[-1]["seats"] == []
    tab.watch(keys[0]["key"])
    tab.settle()
    tab.click("b3b10")
    state = tab.reached()
    tab.watch(keys[-1]["key"])
    expect(tab.button("Hint")).to_have_count(0)
    expect(page.locator(".cell.usable")).to_have_count(0)
    assert tab.fen_board() == state.fen(viewer="public").split()[0]


def test_nothing_is_uncovered_where_nothing_was_covered(page: Page, tab: Tab) -> None:
    for game, options, is_covered in (
        ("flipping", {}, False),
        ("jieqi", {}, True),
        ("jieqi", {"covered": "-"}, False),
    ):
        tab.open_game(game, [None, "random"], options=options)
        tab.resign("and the other side wins")
        expect(page.locator(".status h1")).to_contain_text("won: resignation. You lose.")
        expect(page.get_by_text("All pieces are uncovered now.")).to_have_count(int(is_covered))


def test_the_board_lies_still_for_people_who_see_the_same(page: Page, tab: Tab) -> None:
    tab.open_game("flipping", [None, None])
    first = page.locator("[data-square]").first
    square = first.get_attribute("data-square")
    tab.click(darkqi.State("flipping", seed=SEED).legal_moves()[0])
    expect(page.locator(".status h1")).to_contain_text("Seat 1 (black)")
    assert first.get_attribute("data-square") == square


def test_the_fen_of_a_seat_says_what_it_lacks(tab: Tab) -> None:
    for game, title in (("jieqi", "As you know it."), ("flipping", "")):
        tab.open_game(game, [None, "random"])
        button = tab.button("Copy FEN")
        if title:
            expect(button).to_have_attribute("title", re.compile(f"^{title}"))
        else:
            # Where a page comes after another, a title that is gone may be an empty one.
            expect(button).not_to_have_attribute("title", re.compile("."))


def known(state: darkqi.State, viewer: int | None) -> str:
    fen = state.fen() if viewer is None else state.fen(viewer=viewer)
    return re.sub("[Xx]", "?", fen.split()[0])


def looks_at(page: Page, ply: int, end: int) -> None:
    expect(page.locator(".look output")).to_have_text(f"{ply} / {end}")
    expect(page.locator(".board-side")).to_have_attribute("aria-busy", "false")


def test_a_game_under_way_is_looked_through(page: Page, tab: Tab) -> None:
    """By the list, the keys and the bar; each board is what the seat knew then."""
    tab.open_game("jieqi", [None, "random"])
    expect(page.locator(".look")).to_have_count(0)
    tab.settle()
    for _ in range(3):
        state = tab.reached()
        tab.click(max(state.legal_moves(), key=lambda name: state.event(name, 0).captured or ""))
    states = [darkqi.State("jieqi", seed=SEED)]
    for name in tab.plies():
        states.append(states[-1].clone())
        states[-1].apply(name)
    end = len(states) - 1
    tab.button("pieces show letters").click()
    assert letters_on(page.locator("svg.board")) == known(states[end], 0)

    # The server waits between the plies of agents.
    pace = tab.button("Pace")
    expect(pace).to_have_count(0)
    page.locator(".moves button").nth(1).click()
    looks_at(page, 2, end)
    assert letters_on(page.locator("svg.board")) == known(states[2], 0)
    expect(page.locator(".past")).to_contain_text(f"After ply 2 of {end}")
    expect(page.locator(".moves [aria-current]")).to_contain_text(tab.plies()[1])
    # Nothing is played while looking back.
    expect(page.locator(".usable")).to_have_count(0)
    expect(tab.button("Hint")).to_be_disabled()
    for pressed, ply in (("ArrowLeft", 1), ("Home", 0), ("ArrowRight", 1)):
        page.keyboard.press(pressed)
        looks_at(page, ply, end)
        assert letters_on(page.locator("svg.board")) == known(states[ply], 0)
    tab.button("Back to the game").click()
    expect(page.locator(".past")).to_have_count(0)
    expect(page.locator(".usable").first).to_be_attached()
    assert letters_on(page.locator("svg.board")) == known(states[end], 0)

    page.keyboard.press("Home")
    looks_at(page, 0, end)
    # A game that ends meanwhile is uncovered, also where it is looked at.
    tab.resign()
    expect(pace).to_be_visible()
    page.keyboard.press("ArrowRight")
    looks_at(page, 1, end)
    assert letters_on(page.locator("svg.board")) == known(states[1], None)
    page.keyboard.press("End")
    looks_at(page, end, end)
    expect(page.locator(".past")).to_have_count(0)


def test_what_was_drawn_stays_until_the_next_is_there(page: Page, tab: Tab) -> None:
    tab.open_game("jieqi", [None, "random"])
    start = darkqi.State("jieqi", seed=SEED)
    tab.click(start.legal_moves()[0])
    tab.button("pieces show letters").click()
    page.keyboard.press("ArrowLeft")
    looks_at(page, 1, 2)
    drawn = letters_on(page.locator("svg.board"))
    held: list[Route] = []
    page.route(re.compile(r"/at\?ply=0"), lambda route: held.append(route))
    with page.expect_request(re.compile(r"/at\?ply=0")):
        page.keyboard.press("ArrowLeft")
    expect(page.locator(".board-side")).to_have_attribute("aria-busy", "true")
    assert letters_on(page.locator("svg.board")) == drawn
    held[0].continue_()
    looks_at(page, 0, 2)
    assert letters_on(page.locator("svg.board")) == known(start, 0) != drawn


def test_what_was_taken_back_is_not_looked_at(page: Page, tab: Tab) -> None:
    tab.open_game("flipping", [None, "random"])
    tab.click(darkqi.State("flipping", seed=SEED).legal_moves()[0])
    page.keyboard.press("ArrowLeft")
    looks_at(page, 1, 2)
    tab.button("Take back").click()
    expect(page.locator(".moves li")).to_have_count(0)
    expect(page.locator(".past")).to_have_count(0)
    expect(page.locator(".usable").first).to_be_attached()
