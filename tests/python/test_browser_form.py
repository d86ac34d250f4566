"""The form for a new game on the page in the browser, and the games under way beside it."""

from contextlib import ExitStack
from pathlib import Path

import pytest

import darkqi

pytest.importorskip("playwright", reason="the page is tested with playwright")

from browser import Site, executable, key_of, settle, visit
from playwright.sync_api import Browser, Page, expect
from servers import serving

if executable() is None:
    pytest.skip("no browser: install Debian's chromium", allow_module_level=True)


def choose(page: Page, game: str) -> None:
    page.locator(f".game input[value={game}]").check(force=True)


def play(page: Page) -> None:
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/#/play/*")
    settle(page)


def test_a_game_is_begun_at_once(page: Page, site: Site) -> None:
    """Play waits until the server has told how many seats the game has."""
    page.goto(site.url)
    choose(page, "seven_kingdoms")
    play(page)
    position = page.request.get(f"{site.url}api/play/{key_of(page)}").json()
    assert len(position["agents"]) == darkqi.spec("seven_kingdoms").num_players


def test_the_form_keeps_what_was_chosen(page: Page, site: Site) -> None:
    page.goto(site.url)
    choose(page, "gaiqi")
    page.get_by_label("Seat 1").select_option(label="easy")
    page.get_by_text("Rules", exact=False).first.click()
    page.locator(".options label").filter(has_text="max plies").locator("input").fill("40")
    play(page)
    position = page.request.get(f"{site.url}api/play/{key_of(page)}").json()
    assert position["agents"] == [None, "expectimax:depth=1,epsilon=0.3"]
    for again in (page.go_back, page.reload):
        again()
        expect(page.locator(".game input[value=gaiqi]")).to_be_checked()
        expect(page.get_by_label("Seat 1")).to_have_value("expectimax:depth=1,epsilon=0.3")
        expect(page.locator(".new-game .rules summary")).to_contain_text("max plies: 40")


def test_seats_have_colours_where_the_rules_fix_them(page: Page, site: Site) -> None:
    page.goto(site.url)
    for game, label in (
        ("jieqi", "Seat 1 (black)"),
        ("gaiqi", "Seat 1"),
        ("flipping", "Seat 0 (red)"),
    ):
        choose(page, game)
        expect(page.get_by_label(label, exact=True)).to_be_visible()


def test_a_refusal_holds_until_something_changes(page: Page, site: Site) -> None:
    page.goto(site.url)
    page.get_by_text("Deal and hints").click()
    page.get_by_label("seed").fill("x")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".new-game .notice")).to_contain_text("seed")
    choose(page, "banqi")
    expect(page.locator(".new-game .notice")).to_have_count(0)


def test_the_form_goes_on_when_the_server_is_back(running: Browser, tmp_path: Path) -> None:
    with ExitStack() as first:
        url = first.enter_context(serving(tmp_path)).url
        with visit(running, url) as page:
            page.goto(url)
            expect(page.get_by_role("button", name="Play", exact=True)).to_be_enabled()
            first.close()
            choose(page, "banqi")
            expect(page.locator(".new-game .notice")).to_contain_text("does not answer")
            with serving(tmp_path, port=url.rstrip("/").rsplit(":", 1)[1]):
                expect(page.locator(".new-game .notice")).to_have_count(0, timeout=20_000)
                play(page)


def test_games_under_way_are_listed(page: Page, site: Site) -> None:
    page.goto(site.url)
    expect(page.locator(".under-way")).to_have_count(0)
    choose(page, "banqi")
    page.get_by_label("Seat 1").select_option("random")
    play(page)
    key = key_of(page)
    page.get_by_role("link", name="Play", exact=True).click()
    page.locator(".under-way a").click()
    page.wait_for_url(f"**/#/play/{key}")
    settle(page)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.locator(".end")).to_be_visible()
    page.get_by_role("link", name="Play", exact=True).click()
    expect(page.locator(".new-game")).to_be_visible()
    expect(page.locator(".under-way")).to_have_count(0)
