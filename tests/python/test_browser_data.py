"""Datasets and reports on the page in the browser, and what holds for all pages."""

import json
import re
import time
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from browser import (
    DESKTOP,
    PATIENCE,
    PHONE,
    Site,
    Size,
    Tab,
    against,
    in_both_themes,
    launch,
    letters_on,
    seen_at,
    visit,
)
from playwright.sync_api import Browser, Page, expect
from servers import serving

import darkqi


def expect_board(page: Page, title: str, board: str) -> None:
    """Waits until a board of jieqi is drawn as in the first field of a FEN."""
    latest = time.monotonic() + PATIENCE / 1000
    figure = page.locator("figure").filter(has=page.locator("figcaption").get_by_text(title))
    while (shown := letters_on(figure.locator("svg.board"))) != board and time.monotonic() < latest:
        page.wait_for_timeout(50)
    assert shown == board


def test_a_logged_game_is_stepped_through(page: Page, tab: Tab, site: Site) -> None:
    """Forwards and backwards, each board agrees with the replay."""
    replayed = darkqi.replay(site.data / "jieqi", 2)
    state = darkqi.State.from_fen("jieqi", replayed.deal, **replayed.options)
    states = [state.clone()]
    for ply in replayed.plies:
        state.apply(ply.move)
        states.append(state.clone())
    end = len(replayed.plies)

    tab.goto("#/data")
    page.get_by_label("Search in paths").fill("jieqi")
    expect(page.locator(".dataset .path")).to_have_count(1)
    page.locator(".dataset .path").click()
    page.get_by_role("row").filter(has=tab.link("2", exact=True)).get_by_role("link").click()
    tab.button("pieces show letters").click()
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


def test_the_viewer_draws_values_and_asks_agents(page: Page, tab: Tab, site: Site) -> None:
    replayed = darkqi.replay(site.data / "jieqi", 2)
    tab.goto("#/data/0%2Fjieqi/2/0")
    value = replayed.plies[0].value
    assert value is not None
    expect(page.locator(".curve figcaption")).to_contain_text(f"{abs(value[0]):.2f}")
    curve = tab.box(".curve svg")
    page.locator(".curve svg").click(position={"x": (curve.right - curve.left) / 2, "y": 20})
    middle = int(page.locator(".viewer output").inner_text().split()[0])
    assert abs(middle - len(replayed.plies) / 2) <= 1
    page.get_by_label("Ask here").select_option("greedy")
    tab.button("Ask", exact=True).click()
    expect(page.locator(".ask [role=status]")).to_contain_text("would play")


def test_games_are_filtered(page: Page, tab: Tab, site: Site) -> None:
    tab.goto("#/data/0%2Fgaiqi")
    expect(page.locator(".data > p[role=status]")).to_have_text("30 games")
    page.get_by_label("Winner").select_option("1")
    wins = sum(darkqi.replay(site.data / "gaiqi", game).winner == 1 for game in range(30))
    expect(page.locator(".data > p[role=status]")).to_have_text(f"{wins} of 30 games")
    expect(page.locator("tbody tr")).to_have_count(wins)
    assert "winner=1" in page.url


def test_the_report_leads_to_its_games(page: Page, tab: Tab) -> None:
    tab.goto("#/report/0%2Fgaiqi")
    report = page.frame_locator("iframe")
    expect(report.locator("h1")).to_be_visible()
    # A bar of lengths has two filters, a reason one.
    for filters in ("min_plies", "reason"):
        tab.goto("#/report/0%2Fgaiqi")
        linked = report.locator(f"[data-games^='{filters}=']").first
        wanted = linked.get_attribute("data-games")
        linked.press("Enter")
        page.wait_for_url(f"**?{wanted}")
        expect(page.locator("tbody tr").first).to_be_visible()


def each_page(page: Page, tab: Tab) -> Iterator[str]:
    """Opens each page of the site in turn, and yields a name for it."""
    tab.goto()
    expect(page.locator(".new-game")).to_be_visible()
    expect(page.locator(".dataset").first).to_be_visible()
    for summary in page.locator(".new-game summary").all():
        summary.click()
    yield "home"
    for game in ("jieqi", "gaiqi", "seven_kingdoms"):
        tab.open_game(game, against("greedy", game))
        yield f"play {game}"
    (key, *_) = tab.begin("mystery", [None, None])
    tab.goto(f"#/play/{key['key']}")
    expect(page.locator(".curtain")).to_be_visible()
    yield "curtain"
    tab.goto("#/data/0%2Fjieqi")
    expect(page.locator("tbody tr").first).to_be_visible()
    yield "games"
    tab.goto("#/data/0%2Fjieqi/1/9")
    expect(page.locator("svg.board").first).to_be_visible()
    yield "viewer"
    tab.goto("#/report/0%2Fgaiqi")
    expect(page.locator("iframe")).to_be_visible()
    yield "report"
    for game in ("jieqi", "gaiqi", "seven_kingdoms"):
        tab.goto(f"#/edit?game={game}")
        expect(tab.link("Play from here")).to_be_visible()
        yield f"edit {game}"
    tab.link("Play from here").click()
    expect(page.locator(".position-field svg.board")).to_be_visible()
    yield "form with a position"
    tab.finished()
    tab.press("Review the game")
    expect(page.locator(".review .curve")).to_be_visible(timeout=60_000)
    yield "review"


@in_both_themes
def test_axe_finds_no_violation(theme: Any, size: Size, page: Page, tab: Tab) -> None:
    tab.dress(theme, size)
    for name in each_page(page, tab):
        tab.check_readable(name)


def test_datasets_of_10_000_games_are_listed(page: Page, tab: Tab, site: Site) -> None:
    darkqi.selfplay("gaiqi", site.data / "large", 10_000, agents="random", seed=1)
    tab.goto("#/data/0%2Flarge")
    expect(page.locator(".data > p[role=status]")).to_have_text("10,000 games")


SHAPES: list[Any] = [None, 1, "text", True, [], {}, [[]], [None], [{"key": 1}], {"theme": {}}]
STRANGE: dict[str, list[Any]] = {
    "darkqi.settings": [
        {"theme": 7, "signs": [], "boards": "all", "asksFirst": "x"},
        {"boards": [{}, None, 3]},
        {"theme": "__proto__", "signs": None, "boards": None},
        {"pace": "fast", "boards": {"length": 3}},
    ],
    "darkqi.form": [
        {"game": "jieqi", "players": {"0": 1}, "options": [1], "adviser": {}, "screen": 1},
        {"game": "jieqi", "players": "ab", "options": {"max_plies": {"a": 1}}},
        {"game": "jieqi", "players": [7, {}], "options": "max_plies", "adviser": None},
        {"game": {}, "players": None, "options": None},
    ],
    "darkqi.games": [
        {"key": "x"},
        [{"key": {}, "game": "jieqi", "since": 1}, {"key": "a", "game": None, "since": "x"}],
        [{"key": "a/b", "game": "jieqi", "since": 1e300}],
    ],
}


def store(page: Page, texts: dict[str, str]) -> None:
    page.evaluate("texts => Object.assign(localStorage, texts)", texts)


def test_stored_json_of_any_shape_is_lived_with(page: Page, tab: Tab) -> None:
    key = tab.open_game("jieqi", ["random", "random"], options={"max_plies": 2})
    tab.goto()
    strange = [[*map(json.dumps, [*SHAPES, *its]), "{not json"] for its in STRANGE.values()]
    for texts in zip_longest(*strange, fillvalue="null"):
        stored = dict(zip(STRANGE, texts, strict=True))
        store(page, stored)
        page.reload()
        expect(page.get_by_role("heading", name="New game")).to_be_visible()
        expect(tab.button("Play", exact=True)).to_be_enabled()
        store(page, stored)
        tab.goto("#/data/0%2Fjieqi/1/5")
        page.reload()
        expect(page.locator(".viewer h1")).to_be_visible()
        store(page, stored)
        tab.watch(key)
        expect(tab.button("Pace")).to_contain_text("1")
        tab.goto("#/")


def test_stored_keys_of_any_shape_are_lived_with(page: Page, tab: Tab) -> None:
    keys = tab.begin("gaiqi", [None, None], shared=False)
    key = keys[0]["key"]
    tab.watch(key)
    for value in [*SHAPES, [{"key": "a", "seats": "x"}], [{"key": "a", "seats": [{}]}]]:
        text = [f"darkqi.keys.{key}", json.dumps(value)]
        page.evaluate("([name, text]) => sessionStorage.setItem(name, text)", text)
        page.reload()
        expect(page.locator("svg.board")).to_be_visible()
        tab.goto(f"#/links/{key}")
        page.reload()
        expect(page.get_by_role("heading", name="Hand out the links")).to_be_visible()
        tab.watch(key)


def test_a_page_of_an_unknown_name_says_how_to_allow_it(running: Browser, site: Site) -> None:
    url = site.url.replace("127.0.0.1", "mybox.test")
    rules = "--host-resolver-rules=MAP mybox.test 127.0.0.1"
    with launch(running.browser_type, rules) as browser:
        with visit(browser, url) as tab:
            tab.goto()
            expect(tab.page.get_by_role("alert").first).to_contain_text("--allow-host mybox.test")
        with serving(site.data, "--allow-host", "mybox.test", "--base", "/deep/er") as server:
            url = server.url.replace("127.0.0.1", "mybox.test")
            with visit(browser, url) as tab:
                tab.goto()
                tab.press("Play")
                expect(tab.locator("svg.board")).to_be_visible()


def test_a_fault_of_the_page_is_shown(page: Page, tab: Tab) -> None:
    # A catalogue that no server gives.
    page.route("**/api/catalogue", lambda route: route.fulfill(json={"games": [{}]}))
    tab.goto()
    expect(page.get_by_role("alert")).to_contain_text("The page has failed")
    expect(tab.button("Forget them and begin anew")).to_be_visible()


@seen_at((1280, 720), (1920, 1080), (1366, 768), (1440, 900))
def test_squares_are_no_smaller_when_zoomed_in(page: Page, tab: Tab) -> None:
    """On a screen zoomed in by z, a page has 1/z of the pixels, each z times as large."""
    width, height = tab.size
    for game in ("jieqi", "gaiqi", "flipping", "seven_kingdoms"):
        tab.resize(width, height)
        tab.open_game(game, against("random", game))
        sizes = {}
        for zoom in (1, 2, 2.5, 3, 4):
            tab.resize(width / zoom, height / zoom)
            page.wait_for_timeout(100)
            square = tab.box("[data-square]")
            sizes[zoom] = zoom * (square.right - square.left)
            assert tab.overflow() <= 0, f"{game} at {zoom}"
        # The line about a piece takes its place beside them.
        assert min(sizes.values()) > 0.95 * sizes[1], f"{game}: {sizes}"


@seen_at(DESKTOP, PHONE)
def test_the_board_lies_still(page: Page, tab: Tab) -> None:
    """It does so whatever is captured and whichever side is to move."""
    # Of both sides nearly all has been taken, but for what the next plies take.
    fen = "4k4/9/9/4r4/9/9/4R4/9/9/3K5 w RrAaEeHhHhCcCcPpPpPpPpPpAaEe 0 60"
    tab.open_game("jieqi", [None, "greedy"], fen=fen)
    full = tab.box("svg.board").top
    tab.click("e4e7")
    assert tab.box("svg.board").top == full
    tab.open_game("jieqi", [None, "expectimax:depth=1"])
    expect(page.locator(".tray")).to_have_count(0)
    assert tab.box("svg.board").top == full


def test_tabs_have_the_same_settings(page: Page, tab: Tab) -> None:
    tab.goto()
    other = page.context.new_page()
    other.goto(tab.home)
    tab.button("Change to light").click()
    expect(other.locator("html")).to_have_attribute("data-theme", "light")
    # What one tab changes does not take back what another did.
    other.get_by_role("button", name="Change to dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(paper) == other.evaluate(paper) == "rgb(27, 24, 21)"


def test_the_report_has_the_theme_of_the_page(page: Page, tab: Tab) -> None:
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    tab.goto("#/report/0%2Fgaiqi")
    report = page.frame_locator("iframe")
    expect(report.locator("h1")).to_be_visible()
    paper = "document => getComputedStyle(document).backgroundColor"
    before = report.locator("body").evaluate(paper)
    for theme in ("light", "dark"):
        tab.button(f"Change to {theme}").click()
    assert report.locator("body").evaluate(paper) != before
    page.reload()
    expect(report.locator("html")).to_have_attribute("data-theme", "dark")


def test_squares_of_few_games_lead_to_them(page: Page, tab: Tab) -> None:
    tab.goto("#/report/0%2Fgaiqi")
    square = page.frame_locator("iframe").locator("rect.heat-none[data-games]").first
    wanted = square.get_attribute("data-games")
    # In its middle there may be a number.
    square.click()
    page.wait_for_url(f"**?{wanted}")
