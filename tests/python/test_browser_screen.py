"""The page on small and large screens, zoomed in, under fingers, and for those who only watch."""

import re
from collections.abc import Iterator

import pytest
from browser import DESKTOP, PHONE, SEED, Site, Size, Tab, against, seen_at, squares_of
from playwright.sync_api import Locator, Page, expect
from servers import serving

import darkqi

SCROLL = "scrollY"
# Where a move may bring what nobody knows. Others are played without being asked about.
UNCERTAIN = ("banqi", "four_camps", "gaiqi", "jieqi", "mystery")
SMALL = ((390, 844), (360, 740), (320, 568))


def centre(tab: Tab, square: str) -> tuple[float, float]:
    left, top, right, bottom = tab.box(f"[data-square={square}]")
    return (left + right) / 2, (top + bottom) / 2


def tap(tab: Tab, square: str) -> None:
    tab.page.touchscreen.tap(*centre(tab, square))


def choose_a_move(tab: Tab, game: str) -> str:
    """Chooses the first move by taps, without playing it, and returns its name."""
    move = darkqi.State(game, seed=SEED).legal_moves()[0]
    for square in squares_of(move):
        tap(tab, square)
    return move


@seen_at(*SMALL, has_touch=True)
def test_a_chosen_move_is_confirmed_at_the_board(page: Page, tab: Tab) -> None:
    """With the odds, and without scrolling; the buttons of each turn follow the board."""
    width, _ = tab.size
    for game in UNCERTAIN:
        tab.open_game(game, against("random", game))
        assert tab.overflow() <= 0, game
        board = tab.box("svg.board")
        assert board.left >= 0
        assert board.right <= width
        hint, back = (tab.box(f".controls button >> nth={index}") for index in (0, 1))
        assert max(hint.bottom, back.bottom) < board.bottom + 240, game
        switch = page.get_by_text("Show odds before a move")
        if game == UNCERTAIN[0]:
            switch.tap()
        page.evaluate("scrollTo(0, 0)")
        move = choose_a_move(tab, game)
        play = tab.button(f"Play {move}", exact=True)
        expect(play).to_be_in_viewport(ratio=1)
        expect(page.locator(".sheet.odds")).to_be_in_viewport(ratio=1)
        assert page.evaluate(SCROLL) == 0, game
        assert tab.overflow() <= 0, game
        play.tap()
        expect(page.locator(".moves .name").first).to_have_text(move)
        if len(darkqi.spec(game).armies) == 2:
            tab.settle()
            expect(page.locator(".live")).to_contain_text(tab.plies()[-1])
            last = tab.box(".live")
            assert board.bottom < last.top < board.bottom + 180


@seen_at(PHONE, has_touch=True)
def test_a_hint_is_at_the_board(page: Page, tab: Tab) -> None:
    tab.open_game("jieqi", [None, "random"], adviser="greedy")
    tab.button("Hint").tap()
    expect(page.locator(".sheet.hint button")).to_be_in_viewport(ratio=1)
    assert page.evaluate(SCROLL) == 0


@seen_at(PHONE, has_touch=True)
def test_buttons_lie_still_while_moves_are_explained(page: Page, tab: Tab) -> None:
    tab.open_game("jieqi", [None, "random"])
    tops = {tab.box(".controls button").top}
    for square in ("b3", "d5"):
        tap(tab, square)
        page.wait_for_timeout(100)
        tops.add(tab.box(".controls button").top)
    expect(page.locator(".objection")).to_contain_text("cannot go")
    tops.add(tab.box(".controls button").top)
    assert len(tops) == 1


@seen_at((640, 400), (667, 375), (844, 390), (932, 430), has_touch=True)
def test_a_phone_held_sideways_shows_the_whole_board(page: Page, tab: Tab) -> None:
    width, height = tab.size
    for game in darkqi.games():
        # At less than 45 rem a half board is wider than it leaves room for.
        if game in ("gaiqi", "banqi") and width < 720:
            continue
        tab.open_game(game, against("random", game))
        board = tab.box("svg.board")
        assert board.top >= 0, game
        assert board.bottom <= height, game
        assert tab.box(".panel").left >= board.right, game
        assert tab.overflow() <= 0, game
        # The panel scrolls beside it.
        page.evaluate("scrollTo(0, document.scrollingElement.scrollHeight)")
        after = tab.box("svg.board")
        assert after.top >= -60, game
        assert after.bottom <= height, game


@seen_at((844, 390), has_touch=True)
def test_a_logged_game_fits_a_phone_held_sideways(page: Page, tab: Tab) -> None:
    for path in ("jieqi/0/3", "gaiqi/1/5"):
        tab.goto(f"#/data/0%2F{path}")
        expect(page.locator("svg.board")).to_have_count(1)
        board = tab.box("svg.board")
        assert board.top >= 0
        assert board.bottom <= tab.box(".transport").top
        assert tab.overflow() <= 0


@seen_at((1280, 800), (390, 844), (844, 390))
def test_a_game_is_begun_without_scrolling(page: Page, tab: Tab) -> None:
    tab.goto()
    for game in ("jieqi", "seven_kingdoms"):
        tab.choose(game)
        page.evaluate("scrollTo(0, 0)")
        button = tab.button("Play", exact=True)
        expect(button).to_be_in_viewport(ratio=1)


def drag(tab: Tab, start: tuple[float, float], end: tuple[float, float]) -> list[str]:
    """Moves a finger, and returns the classes of what is drawn last before it lifts."""
    session = tab.page.context.new_cdp_session(tab.page)

    def send(kind: str, *points: tuple[float, float]) -> None:
        touches = [{"x": x, "y": y} for x, y in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    (x, y), (right, down) = start, (end[0] - start[0], end[1] - start[1])
    send("touchStart", start)
    for step in range(1, 7):
        send("touchMove", (x + right * step / 6, y + down * step / 6))
    drawn: str = tab.page.evaluate(
        "document.querySelector('svg.board').lastElementChild.classList.value"
    )
    send("touchEnd")
    session.detach()
    return drawn.split()


@seen_at((390, 500), has_touch=True)
def test_a_finger_drags_a_piece(page: Page, tab: Tab) -> None:
    """It scrolls the page from all other squares, and taps pick."""
    tab.open_game("jieqi", [None, "random"])
    # Above the marks of its targets.
    assert "lifted" in drag(tab, centre(tab, "c4"), centre(tab, "c5"))
    expect(page.locator(".moves .name").first).to_have_text("c4c5")
    expect(page.locator(".lifted, .dragged")).to_have_count(0)
    assert page.evaluate(SCROLL) == 0
    tab.settle()
    # Nothing is played where no move leads.
    count = len(tab.plies())
    drag(tab, centre(tab, "e4"), centre(tab, "d5"))
    expect(page.locator("[aria-selected=true]")).to_have_attribute("data-square", "e4")
    assert len(tab.plies()) == count
    x, y = centre(tab, "f5")
    page.evaluate("addEventListener('scrollend', () => window.rests = true)")
    assert "lifted" not in drag(tab, (x, y), (x, y - 150))
    page.wait_for_function("() => window.rests && scrollY > 50")
    page.evaluate("scrollTo(0, 0)")
    tap(tab, "g4")
    expect(page.locator("[aria-selected=true]")).to_have_attribute("data-square", "g4")
    tap(tab, "g5")
    expect(page.locator(".moves .name").nth(count)).to_have_text("g4g5")


# What lies over the board, of all that is no part of it and has text.
OVER = """() => {
    const board = document.querySelector("svg.board").getBoundingClientRect();
    const words = [...document.querySelectorAll("#page *")].filter(element =>
        !element.closest("svg") && !element.closest(".heard") && element.children.length === 0
        && element.textContent.trim());
    return words.filter(element => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return left < board.right - 1 && right > board.left + 1
            && top < board.bottom - 1 && bottom > board.top + 1;
    }).map(element => element.textContent);
}"""


@pytest.mark.parametrize("game", darkqi.games())
@seen_at((320, 180), has_touch=True)
def test_a_page_zoomed_in_fourfold_can_be_played(game: str, page: Page, tab: Tab) -> None:
    """A window of 1280 x 720 at 400 % has 320 x 180 pixels."""
    tab.open_game(game, against("random", game))
    if game in UNCERTAIN:
        page.get_by_text("Show odds before a move").tap()
    assert tab.overflow() <= 0
    board = tab.box("svg.board")
    # As large as the window is wide.
    assert board.right - board.left > 290
    assert page.evaluate(OVER) == []
    move = darkqi.State(game, seed=SEED).legal_moves()[0]
    for square in squares_of(move):
        page.locator(f"[data-square={square}]").scroll_into_view_if_needed()
        page.locator(f"[data-square={square}]").tap()
    if game in UNCERTAIN:
        play = tab.button(f"Play {move}", exact=True)
        expect(play).to_be_in_viewport(ratio=1)
        assert page.evaluate(OVER) == []
        play.tap()
    expect(page.locator(".moves .name").first).to_have_text(move)


PATHS = (
    "",
    "#/data",
    "#/data/0%2Fjieqi",
    "#/data/0%2Fgaiqi/1/5",
    "#/report/0%2Fjieqi",
    "#/nowhere",
)
WIDTHS = (
    *((320, 640), (390, 844), (768, 1024), (1024, 768), (1280, 800), (1920, 1080), (2560, 1440)),
    # Half of a small screen, as zoom makes it, and a phone held sideways.
    *((640, 400), (844, 390)),
)
# One with many options, and what the server takes unless told otherwise.
LONG_NAME = "expectimax:depth=1,nodes=100000,net=none,hash=1,epsilon=0.125,threads=1"
USUAL = "expectimax:time=1000"


def in_windows(page: Page) -> Iterator[Size]:
    """Gives the window one size after the other."""
    for width, height in WIDTHS:
        page.set_viewport_size({"width": width, "height": height})
        # A frame for what measures itself.
        page.wait_for_timeout(50)
        yield width, height


def test_nothing_is_wider_than_the_window(page: Page, tab: Tab) -> None:
    for path in PATHS:
        tab.goto_anew(path)
        page.wait_for_timeout(300)
        for size in in_windows(page):
            assert tab.overflow() <= 0, (path, size)
            header = tab.box("header.top")
            assert header.bottom - header.top < 60, size


@pytest.mark.parametrize(
    ("game", "agent"),
    [
        *((game, "random") for game in darkqi.games()),
        *(("jieqi", USUAL), ("jieqi", LONG_NAME), ("seven_kingdoms", LONG_NAME)),
    ],
)
def test_no_game_is_wider_than_the_window(game: str, agent: str, page: Page, tab: Tab) -> None:
    tab.open_game(game, against(agent, game))
    for width, height in in_windows(page):
        assert tab.overflow() <= 0, (width, height)
        board = tab.box("svg.board")
        assert board.left >= 0, (width, height)
        assert board.right <= width, (width, height)
        assert page.evaluate(OVER) == [], (width, height)
        if width >= 1024:
            assert board.bottom <= height, (width, height)
        if height <= 400:
            assert board.bottom - board.top <= height, (width, height)


@seen_at(PHONE)
def test_the_list_of_games_fits_a_phone(page: Page, tab: Tab) -> None:
    tab.goto("#/data/0%2Fjieqi")
    expect(page.get_by_role("row")).to_have_count(13)
    last = page.get_by_role("row").last
    assert last.get_by_role("cell").count() == 5
    for cell in last.get_by_role("cell").all():
        found = cell.bounding_box()
        assert found is not None
        assert found["x"] + found["width"] <= PHONE[0]


def test_captures_lie_beside_the_seat_that_took_them(page: Page, tab: Tab) -> None:
    """Also where a seat may take a piece of its own army, and armies are unknown at first."""
    for seed in (4, 6):
        state, moves = taking("gaiqi", seed)
        tab.open_game("gaiqi", [None, None], seed=str(seed))
        for move in moves:
            tab.click(move)
        # The first seat is below.
        for seat, bar in ((1, page.locator(".seat").first), (0, page.locator(".seat").last)):
            assert armies_of(bar.locator(".tray .chip")) == sorted(state[seat]), (seed, seat)


def test_captures_of_a_logged_game_lie_by_seats(page: Page, tab: Tab, site: Site) -> None:
    for number in range(5):
        logged = darkqi.replay(site.data / "gaiqi", number)
        tab.goto_anew(f"#/data/0%2Fgaiqi/{number}/{len(logged.plies)}")
        truth = page.locator(".boards figure").last
        for seat in (0, 1):
            taken = sorted(
                "red" if ply.captured.isupper() else "black"
                for ply in logged.plies
                if ply.player == seat and ply.captured
            )
            row = truth.locator(".of-seat").nth(seat)
            expect(row).to_contain_text(f"Seat {seat}")
            expect(row.locator(".chip")).to_have_count(len(taken))
            assert armies_of(row.locator(".chip")) == taken, (number, seat)


def armies_of(chips: Locator) -> list[str]:
    names = [chip.get_attribute("aria-label") or "" for chip in chips.all()]
    return sorted(re.findall("red|black", " ".join(names)))


def taking(game: str, seed: int) -> tuple[list[list[str]], list[str]]:
    """Returns the armies of what each seat takes in some plies, and these plies."""
    state = darkqi.State(game, seed=seed)
    taken: list[list[str]] = [[], []]
    moves: list[str] = []
    for _ in range(10):
        seat = state.current_player
        move = max(state.legal_moves(), key=lambda name: name.count("x") + len(squares_of(name)))
        event = state.event(move, seat)
        after = state.clone()
        after.apply(move)
        if after.is_terminal:
            break
        if event.captured is not None:
            taken[seat].append("red" if event.captured.isupper() else "black")
        state = after
        moves.append(move)
    return taken, moves


def shown_ply(page: Page) -> tuple[int, int]:
    ply, end = page.locator(".look output").inner_text().split(" / ")
    return int(ply), int(end)


def test_a_game_between_agents_is_watched_at_ones_own_pace(page: Page, tab: Tab) -> None:
    keys = tab.begin("jieqi", ["random", "random"], options={"max_plies": 24})
    tab.watch(keys[0]["key"])
    expect(page.locator(".moves li").nth(2)).to_be_attached()
    tab.button("Pause").click()
    ply, _ = shown_ply(page)
    expect(page.locator(".moves li").nth(ply + 2)).to_be_attached()
    # The game goes on, the board stands still, and nothing is told before it is shown.
    assert shown_ply(page)[0] == ply
    expect(page.locator(".tags")).to_contain_text(f"{ply} pl")
    tab.button("Forward by a ply").click()
    assert shown_ply(page)[0] == ply + 1
    expect(page.locator(".live")).to_contain_text(tab.plies()[ply])
    for pace in ("2", "4"):
        tab.button("Pace").click()
        expect(tab.button("Pace")).to_contain_text(pace)
    tab.button("Play by itself").click()
    expect(page.locator(".look output")).to_have_text("24 / 24")
    expect(page.locator(".end")).to_be_visible()
    # What follows the end stays when a ply before it is looked at.
    tab.button("Back by a ply").click()
    expect(page.locator(".board-side")).to_have_attribute("aria-busy", "false")
    expect(page.locator(".end")).to_be_visible()
    expect(tab.button("Review the game")).to_be_visible()
    page.reload()
    expect(tab.button("Pace")).to_contain_text("4")


def test_a_game_begins_anew_with_the_seats_swapped(page: Page, tab: Tab) -> None:
    key = tab.open_game("jieqi", [None, "random"])
    tab.resign()
    tab.button("New game, seats swapped").click()
    page.wait_for_url(lambda url: not url.endswith(key))
    tab.settle()
    position = tab.told()
    assert position["agents"] == ["random", None]
    assert position["seats"] == [1]


def test_the_viewer_leads_to_the_next_game(page: Page, tab: Tab) -> None:
    tab.goto("#/data/0%2Fjieqi/0/3")
    expect(page.locator("h1")).to_contain_text("game 0")
    expect(tab.link("previous game")).to_have_count(0)
    tab.link("next game").click()
    expect(page.locator("h1")).to_contain_text("game 1")
    expect(page.locator(".transport output")).to_have_text(re.compile("^0 / "))
    tab.goto("#/data/0%2Fjieqi/11/0")
    expect(tab.link("previous game")).to_be_visible()
    expect(tab.link("next game")).to_have_count(0)


def test_values_have_axes(page: Page, tab: Tab) -> None:
    tab.goto("#/data/0%2Fjieqi/0/3")
    expect(page.locator(".curve .axis span")).to_have_text(["+1", "0", re.compile("1$")])
    end = page.locator(".transport output").inner_text().split(" / ")[1]
    expect(page.locator(".curve figcaption > span").last).to_have_text(end)
    tab.button("Last position").click()
    expect(page.locator(".curve figcaption")).not_to_contain_text("no value")


def test_an_address_that_leads_nowhere_leads_back(page: Page, tab: Tab, site: Site) -> None:
    for path in ("nonsense", "deep/er/nonsense"):
        shown = tab.goto(path)
        assert shown is not None
        assert shown.status == 404
        expect(page.locator("h1")).to_have_text("There is no such page")
        tab.link("Back to the start").click()
        expect(page.locator(".new-game")).to_be_visible()
        answer = page.request.get(site.url + path, headers={"Accept": "application/json"})
        assert answer.json() == {"error": f"there is no `/{path}`"}
    with serving(site.data, "--base", "/be/low") as server:
        answer = page.request.get(f"{server.url}nonsense", headers={"Accept": "text/html"})
        assert '<a href="./">' in answer.text()


@seen_at(DESKTOP, java_script_enabled=False)
def test_a_browser_without_scripts_is_told_so(page: Page, tab: Tab) -> None:
    tab.goto()
    expect(page.locator("noscript h1")).to_have_text("darkqi")
    expect(page.locator("noscript p").first).to_contain_text("This page needs JavaScript.")
    expect(page.locator("noscript p").first).to_be_visible()


@seen_at((2560, 1440), DESKTOP)
def test_the_board_of_a_large_screen_is_large(tab: Tab) -> None:
    tab.open_game("jieqi", [None, "random"])
    board = tab.box("svg.board")
    assert board.right - board.left > (1000 if tab.size[0] == 2560 else 500)
    assert board.right < tab.box(".panel").left
