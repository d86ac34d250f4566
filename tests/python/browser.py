"""A browser to look at the page with, and what is done there, for the tests and for screenshots.

Browsers come from the system, such as Debian's package ``chromium``: nothing is downloaded.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import darkqi

pytest.importorskip("playwright", reason="the page is tested with playwright")

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserType, Locator, Page, expect, sync_playwright

DESKTOP = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
SEED = 7
PATIENCE = 10_000
# A busy machine takes longer than the five seconds of Playwright.
expect.set_options(timeout=PATIENCE)

in_both_themes = pytest.mark.parametrize(
    ("theme", "size"), [("light", DESKTOP), ("dark", PHONE)], ids=["light", "dark"]
)

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Nothing but the page is asked for anything.
FLAGS = ("--disable-background-networking", "--disable-component-update", "--no-first-run")


class Signs(NamedTuple):
    """The letters of a game's notation by the names on the page."""

    armies: dict[str, str]
    kinds: dict[str, str]


class Box(NamedTuple):
    """A rectangle in the window."""

    left: float
    top: float
    right: float
    bottom: float


class Site(NamedTuple):
    """A server with a dataset of jieqi and one of gaiqi."""

    url: str
    data: Path


def executable() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


def launch(chromium: BrowserType, *more: str) -> Browser:
    """Starts a browser, perhaps with more flags."""
    # The sandbox of Chromium refuses to run as root.
    flags = [*FLAGS, *more, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    return chromium.launch(executable_path=executable(), args=flags)


@contextmanager
def browse() -> Iterator[Browser]:
    with sync_playwright() as playwright, launch(playwright.chromium) as browser:
        yield browser


@contextmanager
def visit(
    running: Browser, url: str, size: dict[str, int] = DESKTOP, **more: Any
) -> Iterator[Page]:
    """Opens a page in a profile of its own, in which nothing breaks and no other host is asked.

    ``more`` is for the profile, such as ``has_touch``.
    """
    context = running.new_context(reduced_motion="reduce", **more)
    context.set_default_timeout(PATIENCE)
    problems: list[str] = []
    context.on("weberror", lambda error: problems.append(str(error.error)))
    context.on("request", lambda request: problems.extend(elsewhere(request.url, url)))
    context.on("console", lambda message: problems.extend(refused(message.text)))
    page = context.new_page()
    page.set_viewport_size({"width": size["width"], "height": size["height"]})
    try:
        yield page
    finally:
        context.close()
    assert problems == []


def elsewhere(url: str, own: str) -> list[str]:
    """Returns what is wrong with an address that is asked for."""
    return [] if url.startswith((own, "data:")) else [f"{url} is not the page's"]


def refused(message: str) -> list[str]:
    """Returns a message of the console, if it is about the content security policy."""
    return [message] if "Content Security Policy" in message else []


def dress(page: Page, theme: Any, size: dict[str, int]) -> None:
    page.set_viewport_size({"width": size["width"], "height": size["height"]})
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")


def overflow(page: Page) -> int:
    width: int = page.evaluate(
        """async () => {
            // A window that has just changed its size is drawn with the second frame.
            for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
            const { scrollWidth, clientWidth } = document.documentElement
            return scrollWidth - clientWidth
        }"""
    )
    return width


def box(page: Page, selector: str) -> Box:
    """Returns where the first of some elements is."""
    found = page.locator(selector).first.bounding_box()
    assert found is not None, selector
    right, bottom = found["x"] + found["width"], found["y"] + found["height"]
    return Box(found["x"], found["y"], right, bottom)


def violations(page: Page) -> list[tuple[str, str]]:
    """Returns what keeps people from reading a page, by axe: rules, and where they are broken."""
    found = Axe().run(page).response["violations"]
    return [(each["id"], each["nodes"][0]["html"]) for each in found]


def check_readable(page: Page, name: str = "") -> None:
    """Checks that a page is no wider than its window, and that people can read it."""
    assert overflow(page) <= 0, name
    assert violations(page) == [], name


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def choose(page: Page, game: str) -> None:
    page.locator(f".game input[value={game}]").check(force=True)


def press_play(page: Page, name: str = "Play") -> None:
    """Begins the game of the form."""
    press(page, name)
    page.wait_for_url("**/#/play/*")
    settle(page)


def resign(page: Page, words: str = "") -> None:
    """Resigns, which is asked about in these words."""
    press(page, "Resign")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(words)
    dialog.get_by_role("button", name="Resign").click()
    expect(page.locator(".end")).to_be_visible()


def against(agent: str, game: str) -> list[str | None]:
    """Returns the seats of a game: a person's, and those of an agent."""
    return [None, *[agent] * (darkqi.spec(game).num_players - 1)]


def begin(page: Page, site: Site, game: str, seats: list[str | None], **more: Any) -> list[Any]:
    """Begins a game as the page would, and returns its keys."""
    body = {"game": game, "options": {}, "seats": seats, "seed": str(SEED), "shared": True, **more}
    done = page.request.post(f"{site.url}api/games", data=body)
    assert done.status == 201, done.text()
    keys: list[Any] = done.json()["keys"]
    return keys


def open_game(page: Page, site: Site, game: str, seats: list[str | None], **more: Any) -> str:
    """Begins a game, shows it to its first seat, and returns the key of that."""
    key: str = begin(page, site, game, seats, **more)[0]["key"]
    watch(page, site, key)
    settle(page)
    return key


def finished(page: Page, site: Site) -> darkqi.State:
    """Plays a few plies of gaiqi, resigns, and returns the position."""
    open_game(page, site, "gaiqi", [None, None])
    state = darkqi.State("gaiqi", seed=SEED)
    for _ in range(6):
        move = state.legal_moves()[-1]
        click(page, move)
        state.apply(move)
    resign(page)
    return state


def watch(page: Page, site: Site, key: str) -> None:
    # Else the browser would stay in the page, which shows the game before for a moment.
    page.goto("about:blank")
    page.goto(f"{site.url}#/play/{key}")
    expect(page.locator("svg.board")).to_be_visible()


def key_of(page: Page) -> str:
    return page.url.rsplit("/", 1)[1]


def plies(page: Page) -> list[str]:
    return page.locator(".moves .name").all_inner_texts()


def told_to(page: Page, site: Site) -> Any:
    """Returns what the page is told of the game that it shows."""
    return page.request.get(f"{site.url}api/play/{key_of(page)}").json()


def reached(page: Page, game: str = "jieqi") -> darkqi.State:
    """Returns the position after the plies that the page lists, from the usual deal."""
    state = darkqi.State(game, seed=SEED)
    for name in plies(page):
        state.apply(name)
    return state


def settle(page: Page) -> None:
    """Waits until a person is to move, or the game is over."""
    place = page.locator(".cell.usable, .end, .primary:text-is('Pass')").first
    # Agents of many seats take a while, because each ply is shown.
    expect(place).to_be_attached()


def click(page: Page, name: str) -> None:
    """Plays a move by clicks on its squares."""
    count = len(plies(page))
    if squares_of(name):
        pick(page, name)
    else:
        press(page, "Pass")
    expect(page.locator(".moves li").nth(count)).to_be_attached()
    settle(page)


def squares_of(name: str) -> list[str]:
    return re.findall(r"[a-s]\d+", name)


def pick(page: Page, name: str) -> None:
    """Clicks on the squares of a move, whatever comes of it."""
    for square in squares_of(name):
        page.locator(f"[data-square={square}]").click()


def movable(page: Page) -> set[str]:
    cells = page.locator(
        "[data-square]:is([aria-label*='can move'], [aria-label*='can be turned over'])"
    )
    return set(cells.evaluate_all("cells => cells.map(cell => cell.dataset.square)"))


def signs_of(page: Page, site: Site) -> Signs:
    """Returns the letters of a game under way."""
    picture = told_to(page, site)["picture"]
    armies = {army["name"]: army["letter"] for army in picture["armies"]}
    names = (pair for army in picture["armies"] for pair in army["names"].items())
    return Signs(armies, {name["en"]: letter for letter, name in names})


def fen_board(page: Page, signs: Signs) -> str:
    """Returns the board of a game under way as the first field of a FEN, from its labels."""
    pairs: list[list[str]] = page.eval_on_selector_all(
        "[data-square]", "cells => cells.map(cell => [cell.dataset.square, cell.ariaLabel])"
    )
    return fen_field({square: piece(label, signs) for square, label in pairs})


def piece(label: str, signs: Signs) -> str | None:
    """Returns a piece as a FEN has it, from a label such as ``e1, red General``."""
    parts = label.split(", ")
    if len(parts) == 1:
        return None
    text = parts[1].removeprefix("covered ")
    cover = "~" if text != parts[1] and not text.endswith("piece") else ""
    army = next((name for name in signs.armies if text.startswith(f"{name} ")), "")
    name = text.removeprefix(army).strip()
    # A game without names has the letter.
    letter = signs.kinds.get(name, name)
    if name != "piece" and len(letter) != 1:
        # Another remark about an empty square.
        return None
    if name == "piece" and len(signs.armies) == 2:
        return {"red": "X", "black": "x", "": "?"}[army]
    if len(signs.armies) > 2:
        letter = "?" if name == "piece" else letter
        return letter if letter == "*" else cover + signs.armies[army] + letter
    return cover + (letter if army == "red" else letter.lower())


# The letter of each disc; covered ones are `?` where the letter is not known.
LETTERS = """board => [...board.querySelectorAll("[data-piece]")].map(piece => {
    const sign = piece.querySelector(".sign")?.textContent ?? "?";
    return [piece.dataset.piece, piece.querySelector(".faint .sign") ? `~${sign}` : sign];
})"""


def letters_on(board: Locator) -> str:
    """Returns a board of jieqi whose pieces show letters, as the first field of a FEN."""
    squares = {f"{file}{rank}": None for file in "abcdefghi" for rank in range(1, 11)}
    return fen_field({**squares, **dict(board.evaluate(LETTERS))})


def fen_field(pieces: dict[str, str | None]) -> str:
    """Returns the first field of a FEN, from the piece on each square."""
    files = sorted({square[0] for square in pieces})
    ranks = sorted({int(square[1:]) for square in pieces}, reverse=True)
    rows = ("".join(pieces[f"{file}{rank}"] or "." for file in files) for rank in ranks)
    return "/".join(re.sub(r"\.+", lambda gap: str(len(gap[0])), row) for row in rows)
