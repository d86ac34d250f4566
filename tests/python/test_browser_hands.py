"""Fingers, the focus and screen readers at the board of the page in the browser."""

import pytest

import darkqi

pytest.importorskip("playwright", reason="the page is tested with playwright")

from browser import (
    PHONE,
    SEED,
    Site,
    begin,
    click,
    executable,
    movable,
    plies,
    settle,
    visit,
    watch,
)
from playwright.sync_api import Browser, Page, expect

if executable() is None:
    pytest.skip("no browser: install Debian's chromium", allow_module_level=True)

FOCUSED = "document.activeElement?.closest('[data-square]')?.dataset.square ?? null"
# A tap beside the middle of a square.
TAP = """(cell, shift) => {
    const { x, y, width, height } = cell.getBoundingClientRect();
    const place = { clientX: x + width / 2 + shift, clientY: y + height / 2 };
    document.elementFromPoint(place.clientX, place.clientY).dispatchEvent(
        new PointerEvent("click", { bubbles: true, pointerType: "touch", ...place }));
}"""


def test_a_finger_may_miss_a_small_square(running: Browser, site: Site) -> None:
    with visit(running, site.url, PHONE) as page:
        (key, *_) = begin(page, site, "seven_kingdoms", [None, *["random"] * 6])
        watch(page, site, key["key"])
        settle(page)
        # No piece of this side is right of the foremost soldier.
        square = max(movable(page))
        cell = page.locator(f"[data-square={square}]")
        cell.evaluate(TAP, 60)
        expect(page.locator("[aria-selected=true]")).to_have_count(0)
        cell.evaluate(TAP, 14)
        expect(cell).to_have_attribute("aria-selected", "true")


def test_the_focus_is_not_lost(page: Page, site: Site) -> None:
    """On the way from one person to the next, and while a hint is asked for."""
    (key, *_) = begin(page, site, "jieqi", [None, None], adviser="greedy")
    page.goto(f"{site.url}#/play/{key['key']}")
    for name in ("Seat 0 (red)", "Seat 1 (black)"):
        expect(page.get_by_role("button", name=f"{name}: continue")).to_be_focused()
        page.keyboard.press("Enter")
        settle(page)
        assert page.evaluate(FOCUSED) is not None
        if name == "Seat 0 (red)":
            page.get_by_role("button", name="Hint").press("Enter")
            expect(page.locator(".live")).to_contain_text("greedy would play")
            expect(page.get_by_role("button", name="Hint")).to_be_focused()
            page.locator(".card.hint button").press("Enter")
    assert len(plies(page)) == 1
    expect(page.get_by_role("row", name="rank 10")).to_be_attached()
    expect(page.get_by_role("grid", name="Board of jieqi")).to_be_attached()


def test_the_board_lies_still_for_people_who_see_the_same(page: Page, site: Site) -> None:
    (key, *_) = begin(page, site, "flipping", [None, None])
    watch(page, site, key["key"])
    settle(page)
    first = page.locator("[data-square]").first
    square = first.get_attribute("data-square")
    click(page, darkqi.State("flipping", seed=SEED).legal_moves()[0])
    expect(page.locator(".status h1")).to_contain_text("Seat 1 (black)")
    assert first.get_attribute("data-square") == square


def test_the_fen_of_a_seat_says_what_it_lacks(page: Page, site: Site) -> None:
    for game, title in (("jieqi", "As you know it."), ("flipping", "")):
        (key, *_) = begin(page, site, game, [None, "random"])
        watch(page, site, key["key"])
        # Where a page comes after another, a title that is gone may be an empty one.
        found = page.get_by_role("button", name="Copy FEN").get_attribute("title") or ""
        assert bool(found) == bool(title)
        assert found.startswith(title)


def test_an_address_without_a_game_is_no_page(page: Page, site: Site) -> None:
    page.goto(f"{site.url}#/data/0%2Fgaiqi/abc/0")
    expect(page.locator("h1")).to_have_text("There is no such page")
