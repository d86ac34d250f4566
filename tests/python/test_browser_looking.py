"""Looking back at the plies of a game, on the page in the browser."""

import re
from typing import Any

import pytest

import darkqi

pytest.importorskip("playwright", reason="the page is tested with playwright")

from browser import SEED, Site, begin, click, executable, fen_field, plies, settle, watch
from playwright.sync_api import Page, expect

if executable() is None:
    pytest.skip("no browser: install Debian's chromium", allow_module_level=True)

# The letter of each disc; covered ones are `?` where the letter is not known.
DISCS = """board => [...board.querySelectorAll("[data-piece]")].map(piece =>
    [piece.dataset.piece, piece.querySelector(".sign")?.textContent ?? "?"])"""


def board(page: Page, files: int, ranks: int) -> str:
    """Returns the board, whose pieces show letters, as the first field of a FEN."""
    pieces: dict[str, Any] = dict(page.locator("svg.board").evaluate(DISCS))
    letters = "abcdefghijklmnopqrs"[:files]
    squares = {f"{file}{rank + 1}": None for file in letters for rank in range(ranks)}
    return fen_field({**squares, **pieces})


def known(state: darkqi.State, viewer: int | None) -> str:
    """Returns the board of a position as the page draws it in letters."""
    fen = state.fen() if viewer is None else state.fen(viewer=viewer)
    return re.sub("[Xx]", "?", fen.split()[0]).replace("~", "")


def at(page: Page, ply: int, end: int) -> None:
    expect(page.locator(".look output")).to_have_text(f"{ply} / {end}")
    expect(page.locator(".board-side")).to_have_attribute("aria-busy", "false")


def test_a_game_under_way_is_looked_through(page: Page, site: Site) -> None:
    """By the list, the keys and the bar; each board is what the seat knew then."""
    (key, *_) = begin(page, site, "jieqi", [None, "random"])
    watch(page, site, key["key"])
    expect(page.locator(".look")).to_have_count(0)
    settle(page)
    for _ in range(3):
        state = darkqi.State("jieqi", seed=SEED)
        for name in plies(page):
            state.apply(name)
        click(page, max(state.legal_moves(), key=lambda name: state.event(name, 0).captured or ""))
    states = [darkqi.State("jieqi", seed=SEED)]
    for name in plies(page):
        states.append(states[-1].clone())
        states[-1].apply(name)
    end = len(states) - 1
    page.get_by_role("button", name="pieces show letters").click()
    assert board(page, 9, 10) == known(states[end], 0)

    page.locator(".moves button").nth(1).click()
    at(page, 2, end)
    assert board(page, 9, 10) == known(states[2], 0)
    expect(page.locator(".past")).to_contain_text(f"Ply 2 of {end}")
    expect(page.locator(".moves [aria-current]")).to_contain_text(plies(page)[1])
    # Nothing is played while looking back.
    expect(page.locator(".usable")).to_have_count(0)
    expect(page.get_by_role("button", name="Hint")).to_be_disabled()
    for pressed, ply in (("ArrowLeft", 1), ("Home", 0), ("ArrowRight", 1)):
        page.keyboard.press(pressed)
        at(page, ply, end)
        assert board(page, 9, 10) == known(states[ply], 0)
    page.get_by_role("button", name="Back to the game").click()
    expect(page.locator(".past")).to_have_count(0)
    expect(page.locator(".usable").first).to_be_attached()
    assert board(page, 9, 10) == known(states[end], 0)

    page.keyboard.press("Home")
    at(page, 0, end)
    # A game that ends meanwhile is uncovered, also where it is looked at.
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.locator(".end")).to_be_visible()
    page.keyboard.press("ArrowRight")
    at(page, 1, end)
    assert board(page, 9, 10) == known(states[1], None)
    page.keyboard.press("End")
    at(page, end, end)
    expect(page.locator(".past")).to_have_count(0)


def test_what_was_taken_back_is_not_looked_at(page: Page, site: Site) -> None:
    (key, *_) = begin(page, site, "flipping", [None, "random"])
    watch(page, site, key["key"])
    settle(page)
    click(page, darkqi.State("flipping", seed=SEED).legal_moves()[0])
    page.keyboard.press("ArrowLeft")
    at(page, 1, 2)
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".moves li")).to_have_count(0)
    expect(page.locator(".past")).to_have_count(0)
    expect(page.locator(".usable").first).to_be_attached()


def test_an_agent_is_followed_ply_by_ply(page: Page, site: Site) -> None:
    """However fast agents are, each ply is shown before the next."""
    seats = [None, *["random"] * 6]
    (key, *_) = begin(page, site, "seven_kingdoms", seats)
    watch(page, site, key["key"])
    settle(page)
    page.evaluate(
        """() => {
            const list = document.querySelector(".moves");
            window.shown = [];
            new MutationObserver(() => window.shown.push(list.children.length))
                .observe(list, { childList: true });
        }"""
    )
    click(page, darkqi.State("seven_kingdoms", seed=SEED).legal_moves()[0])
    expect(page.locator(".moves li")).to_have_count(7)
    assert page.evaluate("window.shown") == [1, 2, 3, 4, 5, 6, 7]
    # Where there are more than two seats, each ply is marked by its army.
    expect(page.locator(".moves li .chip")).to_have_count(7)
