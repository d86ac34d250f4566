"""What the page teaches: lessons, names of pieces, and why a move is not legal."""

import re

import pytest
from browser import DESKTOP, PHONE, Site, Tab, against, seen_at, visit
from playwright.sync_api import Browser, Page, expect

import darkqi

TAUGHT = [game for game in darkqi.games() if game != "four_camps"]


def learn(page: Page, tab: Tab, address: str) -> None:
    tab.goto_anew(f"#/learn/{address}")
    expect(page.locator(".lesson")).to_be_visible()


@pytest.mark.parametrize("game", TAUGHT)
def test_lessons_name_every_piece_and_show_its_moves(game: str, page: Page, tab: Tab) -> None:
    learn(page, tab, game)
    shown = page.locator(".piece-lesson .letter").all_inner_texts()
    assert set(darkqi.spec(game).piece_letters) <= set(shown)
    lesson = page.request.get(f"{tab.home}api/lesson/{game}").json()
    pieces = lesson["pieces"]
    if len({piece["moves"]["en"] for piece in pieces}) == 1:
        # Pieces that all move alike have one text and one board.
        pieces = pieces[-1:]
        expect(page.locator(".piece-lesson")).to_have_count(1)
    examples = [piece["example"] for piece in pieces if piece["example"]]
    examples += [topic["example"] for topic in lesson["topics"] if topic["example"]]
    targets = sum(len(one["targets"]) if one["to"] is None else 1 for one in examples)
    first = lesson["first"] is not None
    expect(page.locator(".lesson .overlay :is(.target, .chosen)")).to_have_count(targets + first)
    expect(page.locator(".lesson")).to_contain_text(lesson["goal"]["en"])
    tab.button("中文").click()
    expect(page.locator(".lesson")).to_contain_text(lesson["goal"]["zh"])


def test_lessons_follow_the_options(page: Page, tab: Tab) -> None:
    learn(page, tab, "banqi")
    expect(page.locator(".captures .over")).to_have_count(0)
    expect(page.locator(".captures .beside")).to_have_count(28)
    learn(page, tab, "banqi?cannon=jump&quiet_limit=50")
    # The cannon takes all by a jump, and by its rank nobody.
    expect(page.locator(".captures .over")).to_have_count(7)
    expect(page.locator(".captures .beside")).to_have_count(26)
    expect(page.locator(".ends")).to_contain_text("50 turns in a row")
    tab.goto("#/learn/banqi?cannon=fly")
    expect(page.get_by_role("alert")).to_contain_text("one of: step, jump")


def test_lessons_are_found_from_the_header_and_the_form(page: Page, tab: Tab) -> None:
    tab.goto()
    tab.choose("gaiqi")
    page.get_by_text("Rules", exact=False).first.click()
    page.locator(".options label", has_text="quiet limit").locator("input").fill("12")
    tab.link("How to play").click()
    expect(page.locator(".ends")).to_contain_text("12 turns in a row")
    lesson = page.url
    tab.link("Begin a game").click()
    expect(page.get_by_role("radio", name="gaiqi")).to_be_checked()
    expect(page.locator(".rules")).to_contain_text("quiet limit: 12")
    assert page.evaluate("scrollY") == 0
    page.goto(lesson)
    page.get_by_role("navigation").get_by_role("link", name="Learn").click()
    expect(page.locator(".lesson-link")).to_have_count(len(TAUGHT))
    tab.link("Flipping").click()
    expect(page.locator("h1")).to_contain_text("How to play flipping")


@seen_at(DESKTOP, PHONE)
def test_the_rules_open_in_front_of_a_game(page: Page, tab: Tab) -> None:
    tab.open_game("banqi", [None, "greedy"], options={"cannon": "jump"})
    address = page.url
    tab.press("Rules")
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".goal")).to_be_visible()
    back = tab.box("dialog .close button")
    assert back.bottom < tab.box("dialog .goal").top
    title = tab.box("dialog h2")
    assert back.top >= title.bottom or tab.size == DESKTOP
    expect(dialog.locator(".captures .over")).to_have_count(7)
    dialog.get_by_role("button", name="Back to the game").click()
    expect(dialog).to_have_count(0)
    assert page.url == address
    tab.click("c2")


def test_pieces_are_named_by_pointer_focus_and_touch(
    running: Browser, page: Page, tab: Tab, site: Site
) -> None:
    tab.open_game("flipping", [None, "greedy"])
    line = page.locator(".piece-line")
    page.locator("[data-square=b1]").hover()
    expect(line).to_contain_text("Red Elephant")
    expect(line).to_contain_text("turns into: Chariot")
    expect(line).to_contain_text("Exactly two points diagonally")
    page.locator("[data-square=d7]").focus()
    expect(line).to_contain_text("Black General")
    cell = page.locator("[data-square=d7]")
    expect(cell).to_have_attribute("aria-label", re.compile("black General"))
    expect(page.locator(".legend .pair")).to_have_count(3)
    tab.open_game("jieqi", [None, "greedy"])
    page.locator("[data-square=b1]").hover()
    expect(line).to_contain_text("Covered red piece")
    expect(line).to_contain_text("It moves like this piece now: Horse")
    with visit(running, site.url, PHONE) as phone:
        phone.open_game("seven_kingdoms", against("random", "seven_kingdoms"))
        phone.locator("[data-square=b8]").click()
        expect(phone.locator(".piece-line")).to_contain_text("Qin Knight")


@pytest.mark.parametrize(("seat", "soldier"), [(0, "兵"), (1, "卒")])
def test_both_sides_of_pieces_are_those_of_ones_own(
    seat: int, soldier: str, page: Page, tab: Tab
) -> None:
    tab.open_game("flipping", [None, "greedy"] if seat == 0 else ["greedy", None])
    expect(page.locator(".legend")).to_contain_text(soldier)


def test_illegal_moves_are_explained(page: Page, tab: Tab) -> None:
    fen = "3r1k3/9/9/9/9/9/9/9/9/3K1~A1~H1 w - 0 0"
    tab.open_game("jieqi", [None, "greedy"], fen=fen)
    told = page.locator(".objection")
    for square, expected in (
        ("a5", "There is no piece on a5."),
        ("d10", "The Chariot on d10 is not yours."),
        ("f1", "this piece cannot help"),
    ):
        page.locator(f"[data-square={square}]").click()
        expect(told).to_contain_text(expected)
    page.locator("[data-square=d1]").click()
    expect(told).to_have_attribute("role", "status")
    expect(page.locator("[data-square=d1]")).to_have_attribute("aria-selected", "true")
    for square, expected in (
        ("d2", "does not end it"),
        ("c1", "never leaves its palace"),
        ("d6", "cannot go from d1 to d6"),
        ("h1", "of your own side"),
    ):
        page.locator(f"[data-square={square}]").click()
        expect(told).to_contain_text(expected)
        expect(page.locator("[data-square=d1]")).to_have_attribute("aria-selected", "true")
    tab.button("中文").click()
    page.locator("[data-square=c1]").click()
    expect(told).to_contain_text("将帅不能走出九宫")
    assert tab.plies() == []


def test_only_those_who_may_move_hear_of_pieces(page: Page, tab: Tab) -> None:
    keys = tab.begin("jieqi", [None, None], shared=False)
    for place, expected in ((1, "It is not your turn."), (2, "You are looking on")):
        tab.watch(keys[place]["key"])
        page.locator("[data-square=a1]").click()
        expect(page.locator(".objection")).to_contain_text(expected)


def test_certain_moves_are_played_without_a_question(page: Page, tab: Tab) -> None:
    odds = page.get_by_text("Show odds before a move")
    tab.open_game("jieqi", [None, "greedy"])
    odds.click()
    # Nothing is hidden here, so that there are no odds.
    tab.open_game("flipping", [None, None])
    expect(odds).to_have_count(0)
    for number, name in enumerate(("c2c3", "c6c5")):
        tab.pick(name)
        expect(page.locator(".moves .name").nth(number)).to_have_text(name)
        tab.settle()
    expect(page.locator(".odds")).to_have_count(0)


def test_the_fall_of_a_kingdom_is_announced(page: Page, tab: Tab) -> None:
    ranks = ["19"] * 19
    ranks[0], ranks[9], ranks[13], ranks[18] = "18oQ", "5rQ3*9", "5wR13", "wQ18"
    options = {"seats": "012----", "loss_limit": 4}
    fen = f"{'/'.join(ranks)} w - - 0 0"
    tab.open_game("seven_kingdoms", [None] * 3, options=options, fen=fen)
    row = page.locator(".kingdoms tr")
    expect(row.filter(has_text="Chu")).to_contain_text("0/4")
    tab.click("f6f10")
    news = page.locator(".notice.news")
    expect(news).to_have_text(re.compile("Chu has fallen. All its pieces fight for Qin now."))
    expect(row.filter(has_text="fell to Qin")).to_contain_text("1/4")
    expect(row.filter(has_text="to move")).to_contain_text("Han")
    expect(row.nth(1)).to_contain_text("1/30")
    news.get_by_role("button").click()
    expect(news).to_have_count(0)
