"""A browser to look at the page with, for the tests and for screenshots.

Browsers come from the system, such as Debian's package ``chromium``: nothing is downloaded.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Nothing but the page is asked for anything.
FLAGS = ("--disable-background-networking", "--disable-component-update", "--no-first-run")

# A disc on a board of the page: whether it is covered, its army's name, its letter and character.
_LABEL = re.compile(r"(?P<covered>covered )?(?P<army>[\w-]+ )?(?P<letter>\S|piece)( \S)?")


def executable() -> str | None:
    """Return the path of a browser, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def browse() -> Iterator[Browser]:
    """Run a browser while the block runs."""
    # The sandbox of Chromium refuses to run as root.
    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=flags)
        try:
            yield browser
        finally:
            browser.close()


def fen_board(page: Page, armies: dict[str, str]) -> str:
    """Return the board of a game under way as the first field of a FEN, from its labels.

    ``armies`` has the letter of each army by its name.
    """
    pairs: list[list[str]] = page.eval_on_selector_all(
        "[data-square]", "cells => cells.map(cell => [cell.dataset.square, cell.ariaLabel])"
    )
    return fen_field({square: piece(label, armies) for square, label in pairs})


def piece(label: str, armies: dict[str, str]) -> str | None:
    """Return a piece as a FEN has it, from the label of its square, such as ``e1, red K 帥``."""
    parts = label.split(", ")
    found = _LABEL.fullmatch(parts[1]) if len(parts) > 1 else None
    if not found:
        return None
    army, letter = (found["army"] or "").strip(), found["letter"]
    cover = "~" if found["covered"] and letter != "piece" else ""
    if len(armies) > 2:
        letter = "?" if letter == "piece" else letter
        return letter if letter == "*" else cover + armies[army] + letter
    if letter == "piece":
        return {"red": "X", "black": "x", "": "?"}[army]
    return cover + (letter if army == "red" else letter.lower())


def fen_field(pieces: dict[str, str | None]) -> str:
    """Return the first field of a FEN, from the piece on each square."""
    files = sorted({square[0] for square in pieces})
    ranks = sorted({int(square[1:]) for square in pieces}, reverse=True)
    rows = ("".join(pieces[f"{file}{rank}"] or "." for file in files) for rank in ranks)
    return "/".join(re.sub(r"\.+", lambda gap: str(len(gap[0])), row) for row in rows)
