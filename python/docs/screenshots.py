"""Takes the screenshots of the page for docs: `scripts/screenshots.sh`."""

import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import browser
from PIL import Image
from playwright.sync_api import Page, expect
from servers import serving

import darkqi

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def begin(page: Page, url: str, game: str, seats: list[str | None], moves: int) -> None:
    """Begins a game and plays the first moves that its adviser gives."""
    body = {"game": game, "seats": seats, "seed": "11", "adviser": "expectimax:depth=2"}
    (key, *_) = page.request.post(f"{url}api/games", data=body).json()["keys"]
    place = f"{url}api/play/{key['key']}"
    for _ in range(moves):
        page.goto(f"{url}#/play/{key['key']}")
        expect(page.locator(".usable").first).to_be_attached()
        turn = page.request.get(place).json()["turn"]
        hint = page.request.post(f"{place}/hint", data={"turn": turn}).json()
        answer = page.request.post(f"{place}/move", data={"turn": turn, "action": hint["action"]})
        assert answer.ok, answer.text()
        expect(page.locator(".usable").first).to_be_attached()


def jieqi(page: Page, url: str) -> None:
    """The odds of a move that was chosen, in jieqi."""
    begin(page, url, "jieqi", [None, "expectimax:depth=2"], 9)
    page.get_by_text("Show odds before a move").click()
    page.get_by_text("Mark pieces that can be taken").click()
    page.locator("[aria-label*='covered red'][aria-label*='can move']").first.click()
    page.locator("[aria-label*='can be reached']").last.click()
    expect(page.locator(".outcomes").first).to_be_visible()


def viewer(page: Page, url: str) -> None:
    """A logged game of jieqi in the middle, in the viewer."""
    page.goto(f"{url}#/data/0%2Fjieqi/1/26")
    expect(page.locator("svg.board").first).to_be_visible()
    page.get_by_text("What is public").first.click()
    expect(page.locator(".curve")).to_be_visible()


def phone(page: Page, url: str) -> None:
    """Gaiqi on a phone, in the dark."""
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    begin(page, url, "gaiqi", [None, "expectimax:depth=2"], 7)


def study(page: Page, url: str) -> None:
    """A study of three sets of rules, finished."""
    question = {
        "game": "banqi",
        "compare": [{"option": "rules", "values": ["usual", "taiwan", "chain"]}],
        "players": ["level:beginner", "level:easy"],
        "until": 0.1,
        "margin": 0.05,
    }
    begun = page.request.post(f"{url}api/studies", data={"name": "rules", "question": question})
    assert begun.ok, begun.text()
    page.goto(f"{url}#/studies/0%2Frules")
    expect(page.get_by_role("status")).to_have_text("finished", timeout=300_000)


PICTURES: dict[str, tuple[Callable[[Page, str], None], tuple[int, int]]] = {
    "browser-play.png": (jieqi, (1120, 760)),
    "browser-viewer.png": (viewer, (1120, 900)),
    "browser-phone.png": (phone, (390, 700)),
    "browser-study.png": (study, (1120, 1060)),
}


def main() -> None:
    """Takes all pictures anew."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        agents = "expectimax:depth=2,net=none,epsilon=0.1"
        darkqi.selfplay("jieqi", Path(folder) / "jieqi", 3, agents=agents, seed=5)
        with serving(folder) as server, browser.browse() as running:
            for name, (show, (width, height)) in PICTURES.items():
                page = running.new_page(reduced_motion="reduce")
                page.set_viewport_size({"width": width, "height": height})
                show(page, server.url)
                page.mouse.move(0, 0)
                page.wait_for_timeout(300)
                picture = Image.open(BytesIO(page.screenshot()))
                # With fewer colours they take a third of the bytes.
                picture.convert("RGB").quantize(255).save(IMAGES / name, optimize=True)
                page.close()


if __name__ == "__main__":
    main()
