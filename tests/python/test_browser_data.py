"""Datasets and reports on the page in the browser, and what holds for all pages."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import darkqi

pytest.importorskip("playwright", reason="the page is tested with playwright")

from axe_playwright_python.sync_playwright import Axe
from browser import PATIENCE, PHONE, SEED, Site, begin, executable, fen_field, settle, visit, watch
from playwright.sync_api import Browser, Page, expect
from servers import serving

if executable() is None:
    pytest.skip("no browser: install Debian's chromium", allow_module_level=True)

DISCS = """board => [...board.querySelectorAll("[data-piece]")].map(piece => {
    const sign = piece.querySelector(".sign")?.textContent ?? "?";
    return [piece.dataset.piece, piece.querySelector(".faint .sign") ? `~${sign}` : sign];
})"""


def shown_board(page: Page, title: str, files: int, ranks: int) -> str:
    """Returns a board of the viewer, whose pieces show letters, as the first field of a FEN."""
    figure = page.locator("figure").filter(has=page.locator("figcaption").get_by_text(title))
    pieces = dict(figure.locator("svg.board").evaluate(DISCS))
    letters = "abcdefghijklmnopqrs"[:files]
    squares = {f"{file}{rank + 1}": None for file in letters for rank in range(ranks)}
    return fen_field({**squares, **pieces})


def expect_board(page: Page, title: str, board: str) -> None:
    """Waits until a board of jieqi is drawn as in the first field of a FEN."""
    latest = time.monotonic() + PATIENCE / 1000
    while (shown := shown_board(page, title, 9, 10)) != board and time.monotonic() < latest:
        page.wait_for_timeout(50)
    assert shown == board


def test_a_logged_game_is_stepped_through(page: Page, site: Site) -> None:
    """Forwards and backwards, each board agrees with the replay."""
    replayed = darkqi.replay(site.data / "jieqi", 2)
    state = darkqi.State.from_fen("jieqi", replayed.deal, **replayed.options)
    states = [state.clone()]
    for ply in replayed.plies:
        state.apply(ply.move)
        states.append(state.clone())
    end = len(replayed.plies)

    page.goto(f"{site.url}#/data")
    page.get_by_label("Search in paths").fill("jieqi")
    page.locator(".dataset .path").click()
    page.get_by_role("row").filter(has=page.get_by_role("link", name="2", exact=True)).get_by_role(
        "link"
    ).click()
    page.get_by_role("button", name="pieces show letters").click()
    # Forwards and backwards by the keys, and to a position by its address.
    half = end // 2
    for at in (0, 1, 2, 5, 4, half, half + 1, half, end, end - 1):
        step_to(page, at, end)
        now = states[at]
        expect_board(page, "The truth", now.fen().split()[0])
        views = {"What is public": now.fen(viewer="public"), "Seat 1": now.fen(viewer=1)}
        for title, fen in views.items():
            expect_board(page, title, re.sub("[Xx]", "?", fen.split()[0]))
        if at > 0:
            expect(page.locator(".facts .live")).to_contain_text(replayed.plies[at - 1].move)
    assert page.url.endswith(f"#/data/0%2Fjieqi/2/{end - 1}")
    page.reload()
    expect(page.locator(".viewer output")).to_have_text(f"{end - 1} / {end}")


def step_to(page: Page, at: int, end: int) -> None:
    """Goes to a position: near ones and the end by the keys, others by their address."""
    now = int(page.locator(".viewer output").inner_text().split()[0])
    if at == end:
        page.keyboard.press("End")
    elif abs(at - now) > 5:
        page.evaluate(f"location.hash = location.hash.replace(/[0-9]+$/, '{at}')")
    else:
        for _ in range(abs(at - now)):
            page.keyboard.press("ArrowRight" if at > now else "ArrowLeft")
    expect(page.locator(".viewer output")).to_have_text(f"{at} / {end}")
    expect(page.locator(".board-side")).to_have_attribute("aria-busy", "false")


def test_the_viewer_draws_values_and_asks_agents(page: Page, site: Site) -> None:
    replayed = darkqi.replay(site.data / "jieqi", 2)
    page.goto(f"{site.url}#/data/0%2Fjieqi/2/0")
    value = replayed.plies[0].value
    assert value is not None
    expect(page.locator(".curve figcaption")).to_contain_text(f"{abs(value[0]):.2f}")
    box = page.locator(".curve svg").bounding_box()
    assert box is not None
    page.locator(".curve svg").click(position={"x": box["width"] / 2, "y": 20})
    middle = int(page.locator(".viewer output").inner_text().split()[0])
    assert abs(middle - len(replayed.plies) / 2) <= 1
    page.get_by_label("Ask here").select_option("greedy")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".ask [role=status]")).to_contain_text("would play")


def test_games_are_filtered(page: Page, site: Site) -> None:
    page.goto(f"{site.url}#/data/0%2Fgaiqi")
    expect(page.locator(".data > p[role=status]")).to_have_text("30 games")
    page.get_by_label("Winner").select_option("1")
    wins = sum(darkqi.replay(site.data / "gaiqi", game).winner == 1 for game in range(30))
    expect(page.locator(".data > p[role=status]")).to_have_text(f"{wins} of 30 games")
    expect(page.locator("tbody tr")).to_have_count(wins)
    assert "winner=1" in page.url


def test_the_report_leads_to_its_games(page: Page, site: Site) -> None:
    page.goto(f"{site.url}#/report/0%2Fgaiqi")
    report = page.frame_locator("iframe")
    expect(report.locator("h1")).to_be_visible()
    # A bar of lengths has two filters, a reason one.
    for filters in ("min_plies", "reason"):
        page.goto(f"{site.url}#/report/0%2Fgaiqi")
        linked = report.locator(f"[data-games^='{filters}=']").first
        wanted = linked.get_attribute("data-games")
        linked.press("Enter")
        page.wait_for_url(f"**?{wanted}")
        expect(page.locator("tbody tr").first).to_be_visible()


def wait_for(path: Path) -> None:
    """Waits until there is a file."""
    end = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < end, path
        time.sleep(0.02)


def test_a_run_under_way_is_followed(page: Page, site: Site) -> None:
    run = ["selfplay", "gaiqi", "--games", "400000", "--agents", "greedy", "--seed", "1"]
    more = ["--out", str(site.data / "live"), "--shard-games", "200"]
    with subprocess.Popen(
        [sys.executable, "-m", "darkqi", *run, *more], stderr=subprocess.DEVNULL
    ) as process:
        try:
            wait_for(site.data / "live" / "dataset.json")
            page.goto(f"{site.url}#/data")
            row = page.locator(".dataset").filter(has_text="live")
            expect(row.get_by_role("progressbar")).to_be_visible(timeout=20_000)
            before = row.inner_text()
            expect(row).not_to_have_text(before, timeout=20_000)
        finally:
            process.terminate()


def test_the_page_says_when_the_server_is_gone(running: Browser, tmp_path: Path) -> None:
    with ExitStack() as server:
        url = server.enter_context(serving(tmp_path)).url
        own = Site(url, tmp_path)
        with visit(running, url) as page:
            (key, *_) = begin(page, own, "jieqi", [None, "greedy"])
            watch(page, own, key["key"])
            settle(page)
            server.close()
            expect(page.locator(".notice.gone")).to_contain_text("does not answer")


def each_page(page: Page, site: Site) -> Iterator[str]:
    """Opens each page of the site in turn, and yields a name for it."""
    page.goto(site.url)
    expect(page.locator(".new-game")).to_be_visible()
    expect(page.locator(".dataset").first).to_be_visible()
    for summary in page.locator(".new-game summary").all():
        summary.click()
    yield "home"
    for game in ("jieqi", "gaiqi", "seven_kingdoms"):
        count = darkqi.State(game, seed=SEED).spec.num_players
        (key, *_) = begin(page, site, game, [None] + ["greedy"] * (count - 1))
        watch(page, site, key["key"])
        settle(page)
        yield f"play {game}"
    (key, *_) = begin(page, site, "mystery", [None, None])
    page.goto(f"{site.url}#/play/{key['key']}")
    expect(page.locator(".curtain")).to_be_visible()
    yield "curtain"
    page.goto(f"{site.url}#/data/0%2Fjieqi")
    expect(page.locator("tbody tr").first).to_be_visible()
    yield "games"
    page.goto(f"{site.url}#/data/0%2Fjieqi/1/9")
    expect(page.locator("svg.board").first).to_be_visible()
    yield "viewer"
    page.goto(f"{site.url}#/report/0%2Fgaiqi")
    expect(page.locator("iframe")).to_be_visible()
    yield "report"


def test_no_page_scrolls_sideways_on_a_phone(running: Browser, site: Site) -> None:
    with visit(running, site.url, PHONE) as page:
        for name in each_page(page, site):
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= PHONE["width"], f"{name} is {width} pixels wide"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_violation(theme: Any, page: Page, site: Site) -> None:
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    for name in each_page(page, site):
        violations = Axe().run(page).response["violations"]
        found = [(each["id"], each["nodes"][0]["html"]) for each in violations]
        assert found == [], name


def test_datasets_of_10_000_games_are_listed_at_once(page: Page, site: Site) -> None:
    darkqi.selfplay("gaiqi", site.data / "large", 10_000, agents="random", seed=1)
    start = time.perf_counter()
    page.goto(f"{site.url}#/data/0%2Flarge")
    expect(page.locator(".data > p[role=status]")).to_have_text("10,000 games")
    # Under a second on an idle machine; tests share theirs.
    assert time.perf_counter() - start < 4
