"""A browser to look at the page with, for the tests and for screenshots.

Browsers come from the system, such as Debian's package ``chromium``: nothing is downloaded.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, BrowserType, Page, expect, sync_playwright

DESKTOP = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
SEED = 7
PATIENCE = 10_000

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Nothing but the page is asked for anything.
FLAGS = ("--disable-background-networking", "--disable-component-update", "--no-first-run")


class Signs(NamedTuple):
    """The letters of a game's notation by the names on the page."""

    armies: dict[str, str]
    kinds: dict[str, str]


class Site(NamedTuple):
    """A server with a dataset of jieqi and one of gaiqi."""

    url: str
    data: Path


def executable() -> str | None:
    """Returns the path of a browser, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def launch(chromium: BrowserType, *more: str) -> Browser:
    """Starts a browser, perhaps with more flags."""
    # The sandbox of Chromium refuses to run as root.
    flags = [*FLAGS, *more, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    return chromium.launch(executable_path=executable(), args=flags)


@contextmanager
def browse() -> Iterator[Browser]:
    """Runs a browser while the block runs."""
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


def watch(page: Page, site: Site, key: str) -> None:
    # Else the browser would stay in the page, which shows the game before for a moment.
    page.goto("about:blank")
    page.goto(f"{site.url}#/play/{key}")
    expect(page.locator("svg.board")).to_be_visible()


def key_of(page: Page) -> str:
    return page.url.rsplit("/", 1)[1]


def plies(page: Page) -> list[str]:
    """Returns the plies that the page lists."""
    return page.locator(".moves .name").all_inner_texts()


def settle(page: Page) -> None:
    """Waits until a person is to move, or the game is over."""
    place = page.locator(".cell.usable, .end, .primary:text-is('Pass')").first
    # Agents of many seats take a while, because each ply is shown.
    expect(place).to_be_attached(timeout=PATIENCE)


def click(page: Page, name: str) -> None:
    """Plays a move by clicks on its squares."""
    count = len(plies(page))
    squares = re.findall(r"[a-s]\d+", name)
    if not squares:
        page.get_by_role("button", name="Pass", exact=True).click()
    for square in squares:
        page.locator(f"[data-square={square}]").click()
    expect(page.locator(".moves li").nth(count)).to_be_attached()
    settle(page)


def movable(page: Page) -> set[str]:
    """Returns the squares of the pieces that have a move."""
    cells = page.locator(
        "[data-square]:is([aria-label*='can move'], [aria-label*='can be turned over'])"
    )
    return set(cells.evaluate_all("cells => cells.map(cell => cell.dataset.square)"))


def signs_of(page: Page, site: Site) -> Signs:
    """Returns the letters of a game under way."""
    picture = page.request.get(f"{site.url}api/play/{key_of(page)}").json()["picture"]
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


def fen_field(pieces: dict[str, str | None]) -> str:
    """Returns the first field of a FEN, from the piece on each square."""
    files = sorted({square[0] for square in pieces})
    ranks = sorted({int(square[1:]) for square in pieces}, reverse=True)
    rows = ("".join(pieces[f"{file}{rank}"] or "." for file in files) for rank in ranks)
    return "/".join(re.sub(r"\.+", lambda gap: str(len(gap[0])), row) for row in rows)
