"""A browser to look at the page with, and what is done there, for the tests and for screenshots.

Browsers come from the system, such as Debian's package ``chromium``: nothing is downloaded.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from re import Pattern
from typing import Any, NamedTuple

import pytest

import darkqi

pytest.importorskip("playwright", reason="the page is tested with playwright")

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    BrowserType,
    Locator,
    Page,
    Response,
    expect,
    sync_playwright,
)

Size = tuple[int, int]
DESKTOP: Size = (1280, 860)
PHONE: Size = (390, 844)
SEED = 7
PATIENCE = 60_000
# A busy machine takes longer than the five seconds of Playwright; what is there is not waited for.
expect.set_options(timeout=PATIENCE)


def seen_at(*sizes: Size, **profile: Any) -> pytest.MarkDecorator:
    """Gives the fixture ``tab`` each of these sizes; ``profile`` is as in `visit`."""
    given = [pytest.param((size, profile), id=str(size)) for size in sizes]
    return pytest.mark.parametrize("tab", given, indirect=True)


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


class Tab:
    """A page in the browser, and what people do there."""

    def __init__(self, page: Page, home: str) -> None:
        self.page, self.home = page, home

    def locator(self, selector: str, **more: Any) -> Locator:
        return self.page.locator(selector, **more)

    def button(self, name: str | Pattern[str], **more: Any) -> Locator:
        return self.page.get_by_role("button", name=name, **more)

    def link(self, name: str, **more: Any) -> Locator:
        return self.page.get_by_role("link", name=name, **more)

    def goto(self, address: str = "") -> Response | None:
        """Goes to an address on the site."""
        return self.page.goto(self.home + address)

    def resize(self, width: float, height: float) -> None:
        self.page.set_viewport_size({"width": int(width), "height": int(height)})

    @property
    def size(self) -> Size:
        size = self.page.viewport_size
        assert size is not None
        return size["width"], size["height"]

    def dress(self, theme: Any, size: Size) -> None:
        self.resize(*size)
        self.page.emulate_media(color_scheme=theme, reduced_motion="reduce")

    def overflow(self) -> int:
        width: int = self.page.evaluate(
            """async () => {
                // A window that has just changed its size is drawn with the second frame.
                for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
                const { scrollWidth, clientWidth } = document.documentElement
                return scrollWidth - clientWidth
            }"""
        )
        return width

    def box(self, selector: str) -> Box:
        """Returns where the first of some elements is."""
        found = self.locator(selector).first.bounding_box()
        assert found is not None, selector
        right, bottom = found["x"] + found["width"], found["y"] + found["height"]
        return Box(found["x"], found["y"], right, bottom)

    def violations(self) -> list[tuple[str, str]]:
        """Returns what keeps people from reading it, by axe: rules, and where they are broken."""
        found = Axe().run(self.page).response["violations"]
        return [(each["id"], each["nodes"][0]["html"]) for each in found]

    def check_readable(self, name: str = "") -> None:
        """Checks that a page is no wider than its window, and that people can read it."""
        assert self.overflow() <= 0, name
        assert self.violations() == [], name

    def press(self, name: str) -> None:
        self.button(name, exact=True).click()

    def choose(self, game: str) -> None:
        self.locator(f".game input[value={game}]").check(force=True)

    def press_play(self, name: str = "Play") -> None:
        """Begins the game of the form."""
        self.press(name)
        self.page.wait_for_url("**/#/play/*")
        self.settle()

    def resign(self, words: str = "") -> None:
        """Resigns, which is asked about in these words."""
        self.press("Resign")
        dialog = self.page.get_by_role("dialog")
        expect(dialog).to_contain_text(words)
        dialog.get_by_role("button", name="Resign").click()
        expect(self.locator(".end")).to_be_visible()

    def begin(self, game: str, seats: list[str | None], **more: Any) -> list[Any]:
        """Begins a game as the page would, and returns its keys."""
        usual = {"options": {}, "seed": str(SEED), "shared": True}
        body = {"game": game, "seats": seats, **usual, **more}
        done = self.page.request.post(f"{self.home}api/games", data=body)
        assert done.status == 201, done.text()
        keys: list[Any] = done.json()["keys"]
        return keys

    def open_game(self, game: str, seats: list[str | None], **more: Any) -> str:
        """Begins a game, shows it to its first seat, and returns the key of that."""
        key: str = self.begin(game, seats, **more)[0]["key"]
        self.watch(key)
        self.settle()
        return key

    def finished(self) -> darkqi.State:
        """Plays a few plies of gaiqi, resigns, and returns the position."""
        self.open_game("gaiqi", [None, None])
        state = darkqi.State("gaiqi", seed=SEED)
        for _ in range(6):
            move = state.legal_moves()[-1]
            self.click(move)
            state.apply(move)
        self.resign()
        return state

    def goto_anew(self, address: str) -> None:
        # Else the browser would stay in the page, which shows what was there before for a moment.
        self.page.goto("about:blank")
        self.goto(address)

    def watch(self, key: str) -> None:
        self.goto_anew(f"#/play/{key}")
        expect(self.locator("svg.board")).to_be_visible()

    @property
    def key(self) -> str:
        return self.page.url.rsplit("/", 1)[1]

    def plies(self) -> list[str]:
        return self.locator(".moves .name").all_inner_texts()

    def told(self) -> Any:
        """Returns what the page is told of the game that it shows."""
        return self.page.request.get(f"{self.home}api/play/{self.key}").json()

    def reached(self, game: str = "jieqi") -> darkqi.State:
        """Returns the position after the plies that the page lists, from the usual deal."""
        state = darkqi.State(game, seed=SEED)
        for name in self.plies():
            state.apply(name)
        return state

    def settle(self) -> None:
        """Waits until a person is to move, or the game is over."""
        place = self.locator(".cell.usable, .end, .primary:text-is('Pass')").first
        # Agents of many seats take a while, because each ply is shown.
        expect(place).to_be_attached()

    def click(self, name: str) -> None:
        """Plays a move by clicks on its squares."""
        count = len(self.plies())
        if squares_of(name):
            self.pick(name)
        else:
            self.press("Pass")
        expect(self.locator(".moves li").nth(count)).to_be_attached()
        self.settle()

    def pick(self, name: str) -> None:
        """Clicks on the squares of a move, whatever comes of it."""
        for square in squares_of(name):
            self.locator(f"[data-square={square}]").click()

    def movable(self) -> set[str]:
        cells = self.locator(
            "[data-square]:is([aria-label*='can move'], [aria-label*='can be turned over'])"
        )
        return set(cells.evaluate_all("cells => cells.map(cell => cell.dataset.square)"))

    def fen_board(self) -> str:
        """Returns the board of a game under way as the first field of a FEN, from its labels."""
        told = self.told()["picture"]["armies"]
        armies = {army["name"]: army["letter"] for army in told}
        names = (pair for army in told for pair in army["names"].items())
        signs = Signs(armies, {name["en"]: letter for letter, name in names})
        pairs: list[list[str]] = self.page.eval_on_selector_all(
            "[data-square]", "cells => cells.map(cell => [cell.dataset.square, cell.ariaLabel])"
        )
        return fen_field({square: piece(label, signs) for square, label in pairs})


@contextmanager
def visit(running: Browser, url: str, size: Size = DESKTOP, **more: Any) -> Iterator[Tab]:
    """Opens a page in a profile of its own, in which nothing breaks and no other host is asked.

    ``more`` is for the profile, such as ``has_touch``.
    """
    context = running.new_context(reduced_motion="reduce", **more)
    context.set_default_timeout(PATIENCE)
    problems: list[str] = []
    context.on("weberror", lambda error: problems.append(str(error.error)))
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    said: list[str] = []
    context.on("console", lambda message: said.append(message.text))
    tab = Tab(context.new_page(), url)
    tab.resize(*size)
    try:
        yield tab
    finally:
        context.close()
    assert problems == []
    assert [address for address in asked if not address.startswith((url, "data:"))] == []
    assert [message for message in said if "Content Security Policy" in message] == []


def against(agent: str, game: str) -> list[str | None]:
    """Returns the seats of a game: a person's, and those of an agent."""
    return [None, *[agent] * (darkqi.spec(game).num_players - 1)]


def squares_of(name: str) -> list[str]:
    return re.findall(r"[a-s]\d+", name)


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
