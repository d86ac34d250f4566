"""Variants in the page: chosen, read from a file, made field by field, played."""

from pathlib import Path

from browser import Tab
from playwright.sync_api import Page, expect

FILE = """
game = "banqi"
board = "4x2"
chain = true
[army]
A = 1
E = 0
H = 0
R = 0
C = 0
P = "2/1"
"""


def design(page: Page, tab: Tab, game: str) -> None:
    tab.goto()
    tab.choose(game)
    if page.locator("details.design[open]").count() == 0:
        page.locator("details.design > summary").click()


def start(page: Page, tab: Tab) -> None:
    tab.press("Play")
    expect(page.locator("svg.board .cell").first).to_be_visible()


def test_a_variant_is_chosen_and_played(page: Page, tab: Tab) -> None:
    design(page, tab, "banqi")
    page.locator(".design select").first.select_option("chain")
    expect(page.locator(".design")).to_contain_text("a piece that has captured may go on capturing")
    tab.link("How to play").click()
    expect(page.locator(".lesson")).to_contain_text("may capture again in the same turn")
    expect(page).to_have_title("How to play banqi · darkqi")
    tab.link("Begin a game").click()
    expect(page.locator(".design select").first).to_have_value("chain")


def test_a_variant_comes_from_a_file(page: Page, tab: Tab, tmp_path: Path) -> None:
    design(page, tab, "banqi")
    file = tmp_path / "mine.toml"
    file.write_text(FILE)
    page.get_by_label("Rules from a file").set_input_files(file)
    expect(page.locator(".design select").first).to_have_value("own")
    expect(page.get_by_label("army P")).to_have_value("2/1")
    start(page, tab)
    # Eight squares, and seven covered pieces.
    expect(page.locator("svg.board .labels text", has_text="d")).to_have_count(1)
    expect(page.locator("svg.board .labels text", has_text="e")).to_have_count(0)

    file.write_text("game = 'gaiqi'\n")
    design(page, tab, "banqi")
    page.get_by_label("Rules from a file").set_input_files(file)
    expect(page.get_by_role("alert")).to_contain_text("rules of gaiqi")
    file.write_text("game = 'banqi'\n[army]\nQ = 1\n")
    page.get_by_label("Rules from a file").set_input_files(file)
    expect(page.get_by_role("alert")).to_contain_text("no option `army.Q`")


def test_a_field_that_cannot_be_played_is_named(page: Page, tab: Tab) -> None:
    design(page, tab, "gaiqi")
    page.get_by_label("moves H").fill("zN")
    expect(page.get_by_role("alert")).to_contain_text("a movement in Betza's notation")
    page.get_by_label("moves H").fill("N")
    expect(page.get_by_role("alert")).to_have_count(0)
    tab.resize(320, 640)
    assert tab.overflow() <= 0
