"""How games end on the page in the browser: won, lost, fallen, given up, gone with the server."""

import random
import re
from contextlib import ExitStack
from pathlib import Path

import pytest

import darkqi

pytest.importorskip("playwright", reason="the page is tested with playwright")

from browser import SEED, Site, begin, click, executable, settle, visit, watch
from playwright.sync_api import Browser, Page, expect
from servers import serving

if executable() is None:
    pytest.skip("no browser: install Debian's chromium", allow_module_level=True)

# Red mates with either chariot.
MATE = "3k5/R8/9/9/9/9/9/9/9/1R2K4 w - 0 20"


def test_a_winner_is_told_so(page: Page, site: Site) -> None:
    keys = begin(page, site, "jieqi", [None, None], fen=MATE, shared=False)
    watch(page, site, keys[0]["key"])
    settle(page)
    click(page, "b1b10")
    expect(page.locator(".status h1")).to_have_text("You won: checkmate (1 ply)")
    expect(page.locator(".status .quiet")).to_have_text(
        "The general is in check, and no move ends it."
    )
    for key, words in (
        (keys[1], "You lost: checkmate (1 ply)"),
        (keys[2], "Seat 0 wins after 1 ply"),
    ):
        watch(page, site, key["key"])
        expect(page.locator(".status h1")).to_contain_text(words)


def test_nothing_is_uncovered_where_nothing_was_covered(page: Page, site: Site) -> None:
    for game, is_covered in (("flipping", False), ("jieqi", True)):
        (key, *_) = begin(page, site, game, [None, "random"])
        watch(page, site, key["key"])
        settle(page)
        resign(page, "and the other side wins")
        expect(page.locator(".status h1")).to_have_text("You lost: resignation (0 plies)")
        expect(page.get_by_text("All pieces are uncovered now.")).to_have_count(int(is_covered))


def resign(page: Page, words: str) -> None:
    page.get_by_role("button", name="Resign").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(words)
    dialog.get_by_role("button", name="Resign").click()
    expect(page.locator(".end")).to_be_visible()


def fallen() -> tuple[darkqi.State, int]:
    """Returns a position of seven kingdoms in which one has fallen, and its seat."""
    state = darkqi.State("seven_kingdoms", seed=SEED)
    chooser = random.Random(SEED)
    while state.fen().split()[2] == "-":
        state.apply(chooser.choice(state.legal_actions()))
    assert not state.is_terminal
    return state, "wrobgpd".index(state.fen().split()[2][0])


def test_a_fallen_kingdom_watches(page: Page, site: Site) -> None:
    state, seat = fallen()
    winner = state.spec.armies["wrobgpd".index(state.fen().split()[2][1])].name
    keys = begin(page, site, "seven_kingdoms", [None] * 7, fen=state.fen(), shared=False)
    watch(page, site, keys[seat]["key"])
    expect(page.locator(".fate")).to_have_text(
        re.compile(f"Your kingdom fell to {winner}. Watching.", re.IGNORECASE)
    )
    expect(page.get_by_role("button", name="Resign")).to_be_disabled()
    watch(page, site, keys[state.current_player]["key"])
    expect(page.locator(".fate")).to_have_count(0)
    resign(page, "without a winner")
    expect(page.locator(".status h1")).to_contain_text("You lost: resignation")


def test_a_name_that_is_taken_gets_another(page: Page, site: Site) -> None:
    """A dataset holds games of one set of rules and agents."""
    for limit, name in ((1, "played-banqi"), (2, "played-banqi-2")):
        (key, *_) = begin(page, site, "banqi", [None, None], options={"max_plies": limit})
        watch(page, site, key["key"])
        settle(page)
        for square in ("c2", "f3")[:limit]:
            click(page, square)
        expect(page.get_by_label("Dataset")).to_have_value("played-banqi")
        page.get_by_role("button", name="Save the game").click()
        if limit == 2:
            expect(page.get_by_label("Dataset")).to_have_value(name)
            page.get_by_role("button", name="Save the game").click()
        expect(page.get_by_role("link", name="step through it")).to_be_visible()
        assert darkqi.replay(site.data / name, 0).agents == ["human", "human"]


def test_a_game_that_ended_with_its_server_is_over(running: Browser, tmp_path: Path) -> None:
    with ExitStack() as first:
        url = first.enter_context(serving(tmp_path)).url
        port = url.rstrip("/").rsplit(":", 1)[1]
        with visit(running, url) as page:
            (key, *_) = begin(page, Site(url, tmp_path), "jieqi", [None, "greedy"])
            watch(page, Site(url, tmp_path), key["key"])
            settle(page)
            first.close()
            expect(page.locator(".notice.gone")).to_contain_text("Games end with their server.")
            with serving(tmp_path, port=port):
                expect(page.locator(".notice.error")).to_contain_text(
                    "there is no such game", timeout=20_000
                )
                expect(page.locator(".usable")).to_have_count(0)
                expect(page.get_by_role("button", name="Hint")).to_have_count(0)
                page.get_by_role("link", name="Begin another game").click()
                expect(page.locator(".new-game")).to_be_visible()
