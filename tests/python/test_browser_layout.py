"""Where things are on the page in the browser, on screens of several sizes."""

import pytest

pytest.importorskip("playwright", reason="the page is tested with playwright")

from browser import DESKTOP, PHONE, Site, begin, click, executable, settle, visit, watch
from playwright.sync_api import Browser, Page, expect

if executable() is None:
    pytest.skip("no browser: install Debian's chromium", allow_module_level=True)

# Half of a small screen, as zoom makes it, and a phone held sideways.
LOW = ({"width": 640, "height": 400}, {"width": 844, "height": 390})
# How many pixels a page is wider than its window.
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# What the server takes unless told otherwise, and one with many options.
AGENTS = (
    "expectimax:time=1000",
    "expectimax:depth=1,nodes=100000,net=none,hash=1,epsilon=0.125,threads=1",
)


def box(page: Page, selector: str) -> dict[str, float]:
    found = page.locator(selector).first.bounding_box()
    assert found is not None
    return {"top": found["y"], "width": found["width"], "height": found["height"]}


@pytest.mark.parametrize("size", [DESKTOP, PHONE, *LOW], ids=lambda size: str(size["width"]))
def test_long_names_fit(size: dict[str, int], running: Browser, site: Site) -> None:
    with visit(running, site.url, size) as page:
        for game, others in (("jieqi", 1), ("seven_kingdoms", 6)):
            for agent in AGENTS:
                (key, *_) = begin(page, site, game, [None, *[agent] * others])
                watch(page, site, key["key"])
                settle(page)
                width = page.evaluate("document.documentElement.scrollWidth")
                assert width <= size["width"], f"{game} with {agent} is {width} pixels wide"


def test_the_header_is_one_line(running: Browser, site: Site) -> None:
    for size in (DESKTOP, PHONE, {"width": 360, "height": 700}):
        with visit(running, site.url, size) as page:
            page.goto(site.url)
            assert box(page, "header.top")["height"] < 60, size


@pytest.mark.parametrize("size", LOW, ids=lambda size: str(size["width"]))
def test_the_board_is_in_sight_as_a_whole(
    size: dict[str, int], running: Browser, site: Site
) -> None:
    with visit(running, site.url, size) as page:
        for game, others in (("jieqi", 1), ("gaiqi", 1), ("seven_kingdoms", 6)):
            (key, *_) = begin(page, site, game, [None, *["random"] * others])
            watch(page, site, key["key"])
            settle(page)
            assert box(page, "svg.board")["height"] <= size["height"], game
            if game == "gaiqi" and size["width"] < 720:
                # Beside the panel so wide a board would be smaller than without zoom.
                continue
            # The panel is beside it.
            assert box(page, ".panel")["top"] < box(page, "svg.board")["top"] + 60, game


@pytest.mark.parametrize("screen", [(1280, 720), (1920, 1080), (1366, 768), (1440, 900)], ids=str)
def test_squares_are_no_smaller_when_zoomed_in(
    screen: tuple[int, int], running: Browser, site: Site
) -> None:
    """On a screen zoomed in by z, a page has 1/z of the pixels, each z times as large."""
    width, height = screen
    with visit(running, site.url, {"width": width, "height": height}) as page:
        for game, others in (("jieqi", 1), ("gaiqi", 1), ("flipping", 1), ("seven_kingdoms", 6)):
            page.set_viewport_size({"width": width, "height": height})
            (key, *_) = begin(page, site, game, [None, *["random"] * others])
            watch(page, site, key["key"])
            settle(page)
            sizes = {}
            for zoom in (1, 2, 2.5, 3, 4):
                size = {"width": int(width / zoom), "height": int(height / zoom)}
                page.set_viewport_size({"width": size["width"], "height": size["height"]})
                page.wait_for_timeout(100)
                sizes[zoom] = zoom * box(page, "[data-square]")["width"]
                assert page.evaluate(OVERFLOW) <= 0, f"{game} at {zoom}"
            assert min(sizes.values()) > sizes[1] - 1, f"{game}: {sizes}"


def test_narrow_pages_scroll_one_way_only(running: Browser, site: Site) -> None:
    with visit(running, site.url, {"width": 320, "height": 640}) as page:
        for path in ("", "#/data", "#/data/0%2Fjieqi", "#/data/0%2Fjieqi/1/5", "#/nowhere"):
            page.goto("about:blank")
            page.goto(site.url + path)
            page.wait_for_timeout(500)
            assert page.evaluate(OVERFLOW) <= 0, path
        for game, others in (("jieqi", 1), ("gaiqi", 1), ("seven_kingdoms", 6)):
            (key, *_) = begin(page, site, game, [None, *["random"] * others])
            watch(page, site, key["key"])
            settle(page)
            assert page.evaluate(OVERFLOW) <= 0, game


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=lambda size: str(size["width"]))
def test_the_board_lies_still(size: dict[str, int], running: Browser, site: Site) -> None:
    """It does so whatever is captured and whichever side is to move."""
    with visit(running, site.url, size) as page:
        # Of both sides nearly all has been taken, but for what the next plies take.
        fen = "4k4/9/9/4r4/9/9/4R4/9/9/3K5 w RrAaEeHhHhCcCcPpPpPpPpPpAaEe 0 60"
        (key, *_) = begin(page, site, "jieqi", [None, "greedy"], fen=fen)
        watch(page, site, key["key"])
        settle(page)
        full = box(page, "svg.board")["top"]
        click(page, "e4e7")
        assert box(page, "svg.board")["top"] == full
        (key, *_) = begin(page, site, "jieqi", [None, "expectimax:depth=1"])
        watch(page, site, key["key"])
        settle(page)
        expect(page.locator(".tray")).to_have_count(0)
        assert box(page, "svg.board")["top"] == full


def test_the_report_has_the_theme_of_the_page(page: Page, site: Site) -> None:
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.goto(f"{site.url}#/report/0%2Fgaiqi")
    report = page.frame_locator("iframe")
    expect(report.locator("h1")).to_be_visible()
    paper = "document => getComputedStyle(document).backgroundColor"
    before = report.locator("body").evaluate(paper)
    for theme in ("light", "dark"):
        page.get_by_role("button", name=f"Change to {theme}").click()
    assert report.locator("body").evaluate(paper) != before
    page.reload()
    expect(report.locator("html")).to_have_attribute("data-theme", "dark")


def test_squares_of_few_games_lead_to_them(page: Page, site: Site) -> None:
    page.goto(f"{site.url}#/report/0%2Fgaiqi")
    square = page.frame_locator("iframe").locator("rect.heat-none[data-games]").first
    wanted = square.get_attribute("data-games")
    # In its middle there may be a number.
    square.click()
    page.wait_for_url(f"**?{wanted}")
