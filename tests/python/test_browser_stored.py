"""What the browser has kept, and names that the server does not know: the page is never white."""

import json
from typing import Any

import pytest

pytest.importorskip("playwright", reason="the page is tested with playwright")

from browser import Site, begin, executable, launch, visit, watch
from playwright.sync_api import Browser, Page, expect
from servers import serving

if executable() is None:
    pytest.skip("no browser: install Debian's chromium", allow_module_level=True)

SHAPES: list[Any] = [None, 1, "text", True, [], {}, [[]], [None], [{"key": 1}], {"theme": {}}]
STRANGE: dict[str, list[Any]] = {
    "darkqi.settings": [
        {"theme": 7, "signs": [], "boards": "all", "asksFirst": "x"},
        {"boards": [{}, None, 3]},
        {"theme": "__proto__", "signs": None, "boards": None},
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


@pytest.mark.parametrize("name", STRANGE)
def test_stored_json_of_any_shape_is_lived_with(name: str, page: Page, site: Site) -> None:
    page.goto(site.url)
    for value in [*SHAPES, *STRANGE[name], ...]:
        text = "{not json" if value is ... else json.dumps(value)
        page.evaluate("([name, text]) => localStorage.setItem(name, text)", [name, text])
        page.reload()
        expect(page.get_by_role("heading", name="New game")).to_be_visible()
        expect(page.get_by_role("button", name="Play", exact=True)).to_be_enabled()
        page.evaluate("([name, text]) => localStorage.setItem(name, text)", [name, text])
        page.goto(f"{site.url}#/data/0%2Fjieqi/1/5")
        page.reload()
        expect(page.locator(".viewer h1")).to_be_visible()
        page.goto(f"{site.url}#/")


def test_stored_keys_of_any_shape_are_lived_with(page: Page, site: Site) -> None:
    keys = begin(page, site, "gaiqi", [None, None], shared=False)
    key = keys[0]["key"]
    watch(page, site, key)
    for value in [*SHAPES, [{"key": "a", "seats": "x"}], [{"key": "a", "seats": [{}]}]]:
        text = [f"darkqi.keys.{key}", json.dumps(value)]
        page.evaluate("([name, text]) => sessionStorage.setItem(name, text)", text)
        page.reload()
        expect(page.locator("svg.board")).to_be_visible()
        page.goto(f"{site.url}#/links/{key}")
        page.reload()
        expect(page.get_by_role("heading", name="Hand out the links")).to_be_visible()
        watch(page, site, key)


def test_a_page_of_an_unknown_name_says_how_to_allow_it(running: Browser, site: Site) -> None:
    url = site.url.replace("127.0.0.1", "mybox.test")
    rules = "--host-resolver-rules=MAP mybox.test 127.0.0.1"
    with launch(running.browser_type, rules) as browser:
        with visit(browser, url) as page:
            page.goto(url)
            expect(page.get_by_role("alert").first).to_contain_text("--allow-host mybox.test")
        with serving(site.data, "--allow-host", "mybox.test", "--base", "/deep/er") as server:
            url = server.url.replace("127.0.0.1", "mybox.test")
            with visit(browser, url) as page:
                page.goto(url)
                page.get_by_role("button", name="Play", exact=True).click()
                expect(page.locator("svg.board")).to_be_visible()


def test_a_fault_of_the_page_is_shown(running: Browser, site: Site) -> None:
    with visit(running, site.url) as page:
        # A catalogue that no server gives.
        page.route("**/api/catalogue", lambda route: route.fulfill(json={"games": [{}]}))
        page.goto(site.url)
        expect(page.get_by_role("alert")).to_contain_text("The page has failed")
        expect(page.get_by_role("button", name="Forget them and begin anew")).to_be_visible()
