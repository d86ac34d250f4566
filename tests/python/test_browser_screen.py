"""The page on small and large screens, zoomed in, under fingers, and for those who only watch."""

import re

import pytest
from browser import (
    DESKTOP,
    PATIENCE,
    PHONE,
    SEED,
    Site,
    against,
    begin,
    box,
    choose,
    click,
    open_game,
    overflow,
    plies,
    resign,
    settle,
    squares_of,
    told_to,
    visit,
    watch,
)
from playwright.sync_api import Browser, Locator, Page, expect
from servers import serving

import darkqi

SCROLL = "scrollY"
# Where a move may bring what nobody knows. Others are played without being asked about.
UNCERTAIN = ("banqi", "four_camps", "gaiqi", "jieqi", "mystery")
SMALL = ((390, 844), (360, 740), (320, 568))


def sized(width: int, height: int) -> dict[str, int]:
    return {"width": width, "height": height}


def centre(page: Page, square: str) -> tuple[float, float]:
    left, top, right, bottom = box(page, f"[data-square={square}]")
    return (left + right) / 2, (top + bottom) / 2


def tap(page: Page, square: str) -> None:
    page.touchscreen.tap(*centre(page, square))


def choose_a_move(page: Page, game: str) -> str:
    """Chooses the first move by taps, without playing it, and returns its name."""
    move = darkqi.State(game, seed=SEED).legal_moves()[0]
    for square in squares_of(move):
        tap(page, square)
    return move


@pytest.mark.parametrize("size", SMALL, ids=str)
def test_a_chosen_move_is_confirmed_at_the_board(
    size: tuple[int, int], running: Browser, site: Site
) -> None:
    """With the odds, and without scrolling; the buttons of each turn follow the board."""
    width, height = size
    with visit(running, site.url, sized(width, height), has_touch=True) as page:
        for game in UNCERTAIN:
            open_game(page, site, game, against("random", game))
            assert overflow(page) <= 0, game
            board = box(page, "svg.board")
            assert board.left >= 0
            assert board.right <= width
            hint, back = (box(page, f".controls button >> nth={index}") for index in (0, 1))
            assert max(hint.bottom, back.bottom) < board.bottom + 240, game
            switch = page.get_by_text("Show odds before a move")
            if game == UNCERTAIN[0]:
                switch.tap()
            page.evaluate("scrollTo(0, 0)")
            move = choose_a_move(page, game)
            play = page.get_by_role("button", name=f"Play {move}", exact=True)
            expect(play).to_be_in_viewport(ratio=1)
            expect(page.locator(".sheet.odds")).to_be_in_viewport(ratio=1)
            assert page.evaluate(SCROLL) == 0, game
            assert overflow(page) <= 0, game
            play.tap()
            expect(page.locator(".moves .name").first).to_have_text(move)
            if len(darkqi.spec(game).armies) == 2:
                settle(page)
                expect(page.locator(".live")).to_contain_text(plies(page)[-1])
                last = box(page, ".live")
                assert board.bottom < last.top < board.bottom + 180


def test_a_hint_is_at_the_board(running: Browser, site: Site) -> None:
    with visit(running, site.url, PHONE, has_touch=True) as page:
        open_game(page, site, "jieqi", [None, "random"], adviser="greedy")
        page.get_by_role("button", name="Hint").tap()
        expect(page.locator(".sheet.hint button")).to_be_in_viewport(ratio=1)
        assert page.evaluate(SCROLL) == 0


def test_buttons_lie_still_while_moves_are_explained(running: Browser, site: Site) -> None:
    with visit(running, site.url, PHONE, has_touch=True) as page:
        open_game(page, site, "jieqi", [None, "random"])
        tops = {box(page, ".controls button").top}
        for square in ("b3", "d5"):
            tap(page, square)
            page.wait_for_timeout(100)
            tops.add(box(page, ".controls button").top)
        expect(page.locator(".objection")).to_contain_text("cannot go")
        tops.add(box(page, ".controls button").top)
        assert len(tops) == 1


@pytest.mark.parametrize("size", [(640, 400), (667, 375), (844, 390), (932, 430)], ids=str)
def test_a_phone_held_sideways_shows_the_whole_board(
    size: tuple[int, int], running: Browser, site: Site
) -> None:
    width, height = size
    with visit(running, site.url, sized(width, height), has_touch=True) as page:
        for game in darkqi.games():
            # At less than 45 rem a half board is wider than it leaves room for.
            if game in ("gaiqi", "banqi") and width < 720:
                continue
            open_game(page, site, game, against("random", game))
            board = box(page, "svg.board")
            assert board.top >= 0, game
            assert board.bottom <= height, game
            assert box(page, ".panel").left >= board.right, game
            assert overflow(page) <= 0, game
            # The panel scrolls beside it.
            page.evaluate("scrollTo(0, document.scrollingElement.scrollHeight)")
            after = box(page, "svg.board")
            assert after.top >= -60, game
            assert after.bottom <= height, game


def test_a_logged_game_fits_a_phone_held_sideways(running: Browser, site: Site) -> None:
    with visit(running, site.url, sized(844, 390), has_touch=True) as page:
        for path in ("jieqi/0/3", "gaiqi/1/5"):
            page.goto(f"{site.url}#/data/0%2F{path}")
            expect(page.locator("svg.board")).to_have_count(1)
            board = box(page, "svg.board")
            assert board.top >= 0
            assert board.bottom <= box(page, ".transport").top
            assert overflow(page) <= 0


@pytest.mark.parametrize("size", [(1280, 800), (390, 844), (844, 390)], ids=str)
def test_a_game_is_begun_without_scrolling(
    size: tuple[int, int], running: Browser, site: Site
) -> None:
    with visit(running, site.url, sized(*size)) as page:
        page.goto(site.url)
        for game in ("jieqi", "seven_kingdoms"):
            choose(page, game)
            page.evaluate("scrollTo(0, 0)")
            button = page.get_by_role("button", name="Play", exact=True)
            expect(button).to_be_in_viewport(ratio=1)


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> list[str]:
    """Moves a finger, and returns the classes of what is drawn last before it lifts."""
    session = page.context.new_cdp_session(page)

    def send(kind: str, *points: tuple[float, float]) -> None:
        touches = [{"x": x, "y": y} for x, y in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    (x, y), (right, down) = start, (end[0] - start[0], end[1] - start[1])
    send("touchStart", start)
    for step in range(1, 7):
        send("touchMove", (x + right * step / 6, y + down * step / 6))
    drawn: str = page.evaluate(
        "document.querySelector('svg.board').lastElementChild.classList.value"
    )
    send("touchEnd")
    session.detach()
    return drawn.split()


def test_a_finger_drags_a_piece(running: Browser, site: Site) -> None:
    """It scrolls the page from all other squares, and taps pick."""
    with visit(running, site.url, sized(390, 500), has_touch=True) as page:
        open_game(page, site, "jieqi", [None, "random"])
        # Above the marks of its targets.
        assert "lifted" in drag(page, centre(page, "c4"), centre(page, "c5"))
        expect(page.locator(".moves .name").first).to_have_text("c4c5")
        expect(page.locator(".lifted, .dragged")).to_have_count(0)
        assert page.evaluate(SCROLL) == 0
        settle(page)
        # Nothing is played where no move leads.
        count = len(plies(page))
        drag(page, centre(page, "e4"), centre(page, "d5"))
        expect(page.locator("[aria-selected=true]")).to_have_attribute("data-square", "e4")
        assert len(plies(page)) == count
        x, y = centre(page, "f5")
        page.evaluate("addEventListener('scrollend', () => window.rests = true)")
        assert "lifted" not in drag(page, (x, y), (x, y - 150))
        page.wait_for_function("() => window.rests && scrollY > 50")
        page.evaluate("scrollTo(0, 0)")
        tap(page, "g4")
        expect(page.locator("[aria-selected=true]")).to_have_attribute("data-square", "g4")
        tap(page, "g5")
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
def test_a_page_zoomed_in_fourfold_can_be_played(game: str, running: Browser, site: Site) -> None:
    """A window of 1280 x 720 at 400 % has 320 x 180 pixels."""
    with visit(running, site.url, sized(320, 180), has_touch=True) as page:
        open_game(page, site, game, against("random", game))
        if game in UNCERTAIN:
            page.get_by_text("Show odds before a move").tap()
        assert overflow(page) <= 0
        board = box(page, "svg.board")
        # As large as the window is wide.
        assert board.right - board.left > 290
        assert page.evaluate(OVER) == []
        move = darkqi.State(game, seed=SEED).legal_moves()[0]
        for square in squares_of(move):
            page.locator(f"[data-square={square}]").scroll_into_view_if_needed()
            page.locator(f"[data-square={square}]").tap()
        if game in UNCERTAIN:
            play = page.get_by_role("button", name=f"Play {move}", exact=True)
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


@pytest.mark.parametrize("size", WIDTHS, ids=str)
def test_nothing_is_wider_than_the_window(
    size: tuple[int, int], running: Browser, site: Site
) -> None:
    width, height = size
    with visit(running, site.url, sized(width, height)) as page:
        for path in PATHS:
            page.goto("about:blank")
            page.goto(site.url + path)
            page.wait_for_timeout(300)
            assert overflow(page) <= 0, path
            header = box(page, "header.top")
            assert header.bottom - header.top < 60
        for game, agent in (
            *((game, "random") for game in darkqi.games()),
            *(("jieqi", USUAL), ("jieqi", LONG_NAME), ("seven_kingdoms", LONG_NAME)),
        ):
            open_game(page, site, game, against(agent, game))
            assert overflow(page) <= 0, f"{game} with {agent}"
            board = box(page, "svg.board")
            assert board.left >= 0
            assert board.right <= width
            assert page.evaluate(OVER) == [], game
            if width >= 1024:
                assert board.bottom <= height, game
            if height <= 400:
                assert board.bottom - board.top <= height, game


def test_the_list_of_games_fits_a_phone(running: Browser, site: Site) -> None:
    with visit(running, site.url, PHONE) as page:
        page.goto(f"{site.url}#/data/0%2Fjieqi")
        expect(page.get_by_role("row")).to_have_count(13)
        last = page.get_by_role("row").last
        assert last.get_by_role("cell").count() == 5
        for cell in last.get_by_role("cell").all():
            found = cell.bounding_box()
            assert found is not None
            assert found["x"] + found["width"] <= PHONE["width"]


def test_captures_lie_beside_the_seat_that_took_them(page: Page, site: Site) -> None:
    """Also where a seat may take a piece of its own army, and armies are unknown at first."""
    for seed in range(1, 9):
        state, moves = taking("gaiqi", seed)
        open_game(page, site, "gaiqi", [None, None], seed=str(seed))
        for move in moves:
            click(page, move)
        # The first seat is below.
        for seat, bar in ((1, page.locator(".seat").first), (0, page.locator(".seat").last)):
            assert armies_of(bar.locator(".tray .chip")) == sorted(state[seat]), (seed, seat)


def test_captures_of_a_logged_game_lie_by_seats(page: Page, site: Site) -> None:
    for number in range(5):
        logged = darkqi.replay(site.data / "gaiqi", number)
        page.goto("about:blank")
        page.goto(f"{site.url}#/data/0%2Fgaiqi/{number}/{len(logged.plies)}")
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


def test_a_game_between_agents_is_watched_at_ones_own_pace(page: Page, site: Site) -> None:
    keys = begin(page, site, "jieqi", ["random", "random"], options={"max_plies": 14})
    watch(page, site, keys[0]["key"])
    expect(page.locator(".moves li").nth(2)).to_be_attached()
    page.get_by_role("button", name="Pause").click()
    ply, _ = shown_ply(page)
    expect(page.locator(".moves li").nth(ply + 2)).to_be_attached()
    # The game goes on, the board stands still, and nothing is told before it is shown.
    assert shown_ply(page)[0] == ply
    expect(page.locator(".tags")).to_contain_text(f"{ply} pl")
    page.get_by_role("button", name="Forward by a ply").click()
    assert shown_ply(page)[0] == ply + 1
    expect(page.locator(".live")).to_contain_text(plies(page)[ply])
    for pace in ("2", "4"):
        page.get_by_role("button", name="Pace").click()
        expect(page.get_by_role("button", name="Pace")).to_contain_text(pace)
    page.get_by_role("button", name="Play by itself").click()
    expect(page.locator(".look output")).to_have_text("14 / 14", timeout=4 * PATIENCE)
    expect(page.locator(".end")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Pace")).to_contain_text("4")


def test_a_game_begins_anew_with_the_seats_swapped(page: Page, site: Site) -> None:
    key = open_game(page, site, "jieqi", [None, "random"])
    resign(page)
    page.get_by_role("button", name="New game, seats swapped").click()
    page.wait_for_url(lambda url: not url.endswith(key))
    settle(page)
    position = told_to(page, site)
    assert position["agents"] == ["random", None]
    assert position["seats"] == [1]


def test_the_viewer_leads_to_the_next_game(page: Page, site: Site) -> None:
    page.goto(f"{site.url}#/data/0%2Fjieqi/0/3")
    expect(page.locator("h1")).to_contain_text("game 0")
    expect(page.get_by_role("link", name="previous game")).to_have_count(0)
    page.get_by_role("link", name="next game").click()
    expect(page.locator("h1")).to_contain_text("game 1")
    expect(page.locator(".transport output")).to_have_text(re.compile("^0 / "))
    page.goto(f"{site.url}#/data/0%2Fjieqi/11/0")
    expect(page.get_by_role("link", name="previous game")).to_be_visible()
    expect(page.get_by_role("link", name="next game")).to_have_count(0)


def test_values_have_axes(page: Page, site: Site) -> None:
    page.goto(f"{site.url}#/data/0%2Fjieqi/0/3")
    expect(page.locator(".curve .axis span")).to_have_text(["+1", "0", re.compile("1$")])
    end = page.locator(".transport output").inner_text().split(" / ")[1]
    expect(page.locator(".curve figcaption > span").last).to_have_text(end)
    page.get_by_role("button", name="Last position").click()
    expect(page.locator(".curve figcaption")).not_to_contain_text("no value")


def test_an_address_that_leads_nowhere_leads_back(page: Page, site: Site) -> None:
    for path in ("nonsense", "deep/er/nonsense"):
        shown = page.goto(site.url + path)
        assert shown is not None
        assert shown.status == 404
        expect(page.locator("h1")).to_have_text("There is no such page")
        page.get_by_role("link", name="Back to the start").click()
        expect(page.locator(".new-game")).to_be_visible()
        answer = page.request.get(site.url + path, headers={"Accept": "application/json"})
        assert answer.json() == {"error": f"there is no `/{path}`"}
    with serving(site.data, "--base", "/be/low") as server:
        answer = page.request.get(f"{server.url}nonsense", headers={"Accept": "text/html"})
        assert '<a href="./">' in answer.text()


def test_a_browser_without_scripts_is_told_so(running: Browser, site: Site) -> None:
    with visit(running, site.url, java_script_enabled=False) as page:
        page.goto(site.url)
        expect(page.locator("noscript h1")).to_have_text("darkqi")
        expect(page.locator("noscript p").first).to_contain_text("This page needs JavaScript.")
        expect(page.locator("noscript p").first).to_be_visible()


def test_the_board_of_a_large_screen_is_large(running: Browser, site: Site) -> None:
    for size, least in ((sized(2560, 1440), 1000), (DESKTOP, 500)):
        with visit(running, site.url, size) as page:
            open_game(page, site, "jieqi", [None, "random"])
            board = box(page, "svg.board")
            assert board.right - board.left > least
            assert board.right < box(page, ".panel").left
