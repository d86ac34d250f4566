"""People at two screens: draws, clocks, rematches, and what each of them is told."""

import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browser import SEED, Site, Size, Tab, in_both_themes, seen_at, squares_of, visit
from playwright.sync_api import Browser, Page, expect
from servers import serving

import darkqi

SHORT = {"minutes": 0.1, "increment": 0}
# More than a ply takes on any machine.
LONG = {"minutes": 5, "increment": 60}


@contextmanager
def seated(
    running: Browser, site: Site, game: str = "jieqi", **more: Any
) -> Iterator[tuple[Tab, Tab, list[str]]]:
    """Begins a game of two people and opens it in two browsers. Yields them with all keys."""
    with visit(running, site.url) as one, visit(running, site.url) as other:
        entries = one.begin(game, [None, None], shared=False, **more)
        keys = [entry["key"] for entry in entries]
        for tab, key in zip((one, other), keys, strict=False):
            tab.watch(key)
        yield one, other, keys


def move(tab: Tab) -> None:
    state = tab.reached()
    name = state.legal_moves()[0]
    expect(tab.locator(f"[data-square={squares_of(name)[0]}].usable")).to_be_visible()
    tab.pick(name)
    expect(tab.locator(".moves .name")).to_have_count(state.ply + 1)


def headline(tab: Tab, text: str) -> None:
    expect(tab.locator(".status h1")).to_have_text(text)


def test_a_draw_is_offered_declined_and_agreed(running: Browser, site: Site) -> None:
    with seated(running, site) as (red, black, keys):
        red.press("Offer a draw")
        expect(red.locator(".offer")).to_have_text("You have offered a draw.")
        expect(red.button("Offer a draw")).to_be_disabled()
        expect(black.locator(".offer p")).to_have_text("Seat 0 (red) offers a draw.")
        black.press("Decline")
        expect(red.locator(".offer")).to_have_text("Your offer of a draw was declined.")
        expect(red.button("Offer a draw")).to_be_disabled()
        expect(black.locator(".offer")).to_have_text("")
        black.press("Offer a draw")
        expect(red.locator(".offer p")).to_have_text("Seat 1 (black) offers a draw.")
        red.press("Decline")
        # A move declines, too, and an offer outlives the move of the one who made it.
        move(red)
        red.press("Offer a draw")
        expect(black.button("Accept the draw")).to_be_visible()
        move(black)
        expect(red.locator(".offer")).to_have_text("")
        red.press("Offer a draw")
        move(red)
        black.press("Accept the draw")
        for tab in (red, black):
            headline(tab, "Draw: agreement")
            expect(tab.locator(".status .quiet")).to_have_text("The players have agreed on a draw.")
            expect(tab.button("Offer a draw")).to_have_count(0)
        text = red.page.request.get(f"{site.url}api/play/{keys[0]}/file?kind=txt").text()
        assert "\nDraw: agreement\n" in text
        # It is no end by the rules: no dataset takes it.
        expect(red.button("Save the game")).to_have_count(0)


def test_who_accepts_a_draw_waits_for_the_others(tab: Tab) -> None:
    own, other, *_ = tab.begin("seven_kingdoms", [None] * 7, shared=False)
    tab.watch(own["key"])
    offer = tab.page.request.post(f"{tab.home}api/play/{other['key']}/draw", data={"turn": 0})
    assert offer.ok
    tab.press("Accept the draw")
    text = re.compile(r"^You and seat 1 \(.*\) want a draw\.$")
    expect(tab.locator(".offer")).to_have_text(text)


def test_an_offer_that_comes_too_late_is_told(tab: Tab) -> None:
    tab.watch(tab.begin("jieqi", [None, None], shared=False)[0]["key"])
    tab.page.route("**/draw", lambda route: route.continue_(post_data={"turn": 9}))
    tab.press("Offer a draw")
    expect(tab.locator(".notice")).to_contain_text("the game has gone on meanwhile")


def test_an_offer_leaves_a_piece_picked(running: Browser, site: Site) -> None:
    with seated(running, site) as (red, black, _):
        red.locator("[data-square=b3]").click()
        targets = red.locator("[aria-label*='can be reached']")
        expect(targets.first).to_be_attached()
        black.press("Offer a draw")
        expect(red.button("Accept the draw")).to_be_visible()
        expect(targets.first).to_be_attached()
        red.locator("[data-square=b10]").click()
        expect(red.locator(".moves .name")).to_have_count(1)
        expect(black.locator(".offer")).to_have_text("")


def test_an_offer_leaves_a_hint_alone(running: Browser, site: Site) -> None:
    with seated(running, site, adviser="expectimax:time=2000") as (red, black, _):
        red.press("Hint")
        black.press("Offer a draw")
        expect(red.button("Accept the draw")).to_be_visible()
        expect(red.locator(".card.hint")).to_be_visible()
        red.press("Decline")
        expect(black.locator(".offer")).to_have_text("Your offer of a draw was declined.")
        expect(red.locator(".card.hint")).to_be_visible()
        expect(red.locator(".notice")).to_have_count(0)


def test_agents_are_offered_no_draw(tab: Tab) -> None:
    tab.open_game("jieqi", [None, "greedy"])
    expect(tab.button("Resign")).to_be_visible()
    expect(tab.button("Offer a draw")).to_have_count(0)


def test_people_at_one_screen_agree_at_once(page: Page, tab: Tab) -> None:
    tab.open_game("flipping", [None, None])
    tab.press("Offer a draw")
    page.get_by_role("dialog").get_by_role("button", name="Play on").click()
    tab.press("Offer a draw")
    page.get_by_role("dialog").get_by_role("button", name="Agree on a draw").click()
    headline(tab, "Draw: agreement")
    # There is nobody to ask for a rematch.
    expect(tab.button("New game, same settings")).to_be_visible()


def test_who_has_no_time_left_loses(running: Browser, site: Site) -> None:
    with seated(running, site, clock=SHORT) as (red, black, _):
        for tab in (red, black):
            expect(tab.page.get_by_role("timer")).to_have_text(["0:06.0", "0:06.0"])
        # The first ply of each takes no time.
        time.sleep(1)
        expect(red.locator(".clock.running")).to_have_count(0)
        move(red)
        expect(red.locator(".clock.running")).to_have_count(0)
        move(black)
        clock = red.locator(".clock.running")
        expect(clock).to_contain_text("little time")
        expect(clock.get_by_role("timer")).to_have_attribute("aria-label", "Clock of seat 0 (red)")
        expect(clock.get_by_role("timer")).to_have_text(re.compile(r"0:0[1-5]\.\d"))
        headline(red, "Black won: time. You lose.")
        headline(black, "Black won: time. You win.")
        expect(red.locator(".status .quiet")).to_have_text("A player has run out of time.")
        expect(red.page.get_by_role("timer").last).to_have_text("0:00.0")


def test_a_ply_adds_time_and_agents_have_no_clock(page: Page, tab: Tab) -> None:
    tab.open_game("jieqi", [None, "greedy"], clock=LONG)
    expect(page.get_by_role("timer")).to_have_text(["5:00"])
    for _ in range(2):
        tab.click(tab.reached().legal_moves()[0])
    left = tab.told()["clock"]["left"]
    assert left[1] is None
    # The second ply took less than it added.
    assert left[0] > 300_000
    expect(page.get_by_role("timer")).to_have_text([re.compile(r"5:\d\d")])


def test_the_form_begins_a_game_with_a_clock(page: Page, tab: Tab) -> None:
    tab.goto()
    page.get_by_role("switch", name="Clock").check()
    page.get_by_label("Minutes each").fill("0.5")
    page.get_by_label("Seconds added per ply").fill("12")
    page.reload()
    expect(page.get_by_label("Minutes each")).to_have_value("0.5")
    tab.press("Play")
    page.wait_for_url("**/#/play/*")
    expect(page.get_by_role("timer")).to_have_text(["0:30"])
    assert tab.told()["clock"]["limits"] == {"minutes": 0.5, "increment": 12}


def test_a_restart_keeps_the_clock(running: Browser, tmp_path: Path) -> None:
    arguments = (tmp_path, "--games", tmp_path / "games")
    with serving(*arguments, log=[]) as first:
        site = Site(first.url, tmp_path)
        with seated(running, site, clock=LONG) as (red, black, keys):
            move(red)
            move(black)
            time.sleep(1.5)
            move(red)
            red.press("Offer a draw")
            expect(black.button("Accept the draw")).to_be_visible()
            asked = time.monotonic()
            before = first.get(f"/api/play/{keys[0]}")["clock"]
            assert before["running"] == 1
            assert 300_000 <= before["left"][0] <= 358_500
            # What has passed counts.
            time.sleep(2)
            first.stop()
            stopped = time.monotonic()
            # Nothing that passes now counts.
            time.sleep(5)
            resumed = time.monotonic()
            with serving(*arguments, port=first.port) as second:
                expect(red.locator(".notice")).to_have_count(0)
                after = second.get(f"/api/play/{keys[0]}")["clock"]
                assert (after["limits"], after["left"][0]) == (before["limits"], before["left"][0])
                assert after["running"] == 1
                most = 1000 * (stopped - asked + time.monotonic() - resumed)
                assert 2_000 <= before["left"][1] - after["left"][1] <= most
                black.press("Accept the draw")
                headline(red, "Draw: agreement")


def test_a_rematch_takes_both_to_the_same_game(running: Browser, site: Site) -> None:
    with (
        seated(running, site, clock=LONG) as (red, black, keys),
        visit(running, site.url) as onlooker,
    ):
        onlooker.watch(keys[2])
        red.resign()
        expect(red.button("New game, same settings")).to_have_count(0)
        red.press("Rematch, seats changed")
        expect(red.locator(".rematch")).to_contain_text("Waiting for seat 1 (black)")
        expect(black.locator(".rematch p")).to_have_text("Seat 0 (red) would like a rematch.")
        assert black.violations() == []
        black.press("Accept the rematch")
        for tab, key in ((red, keys[0]), (black, keys[1])):
            expect(tab.page).not_to_have_url(re.compile(key))
            expect(tab.locator("svg.board")).to_be_visible()
            expect(tab.locator(".moves li")).to_have_count(0)
        positions = [tab.told() for tab in (red, black)]
        assert [position["seats"] for position in positions] == [[1], [0]]
        assert [position["clock"]["limits"] for position in positions] == [LONG, LONG]
        assert positions[0]["options"] == positions[1]["options"]
        # It is one game.
        black.settle()
        (name, *_) = (action["name"] for action in positions[1]["legal"])
        black.pick(name)
        expect(red.locator(".moves .name")).to_have_text([name])
        expect(red.locator(".status h1")).to_have_text("Your turn")
        # Onlookers may follow, and players who come back stay.
        onlooker.link("Watch the rematch").click()
        expect(onlooker.locator(".moves .name")).to_have_text([name])
        onlooking = onlooker.key
        assert len({onlooking, red.key, black.key, *keys}) == 6
        red.watch(keys[0])
        expect(red.link("Go to the rematch")).to_be_visible()
        assert red.key == keys[0]


@seen_at((320, 844), (390, 844), (1280, 844))
@pytest.mark.parametrize("game", ["jieqi", "gaiqi"])
def test_a_clock_does_not_move_the_board(game: str, page: Page, tab: Tab) -> None:
    """Neither when it is short of time nor when pieces have been taken, and it is never cut."""
    boxes = []
    state, before = darkqi.State(game, seed=SEED), ""
    chooser = random.Random(SEED)
    while state.ply < 90 and not state.is_terminal:
        before = state.fen()
        state.apply(chooser.choice(state.legal_moves()))
    for fen in (None, before):
        for minutes in (180, 0.15):
            clock = {"minutes": minutes, "increment": 0}
            entries = tab.begin(game, [None, None], shared=False, clock=clock, fen=fen)
            tab.watch(entries[1]["key"])
            expect(page.get_by_role("timer")).to_have_count(2)
            assert tab.overflow() <= 0
            cut = page.locator(".seat").evaluate_all(
                "seats => seats.filter(seat => seat.scrollWidth > seat.clientWidth"
                " || [...seat.children].some(part => part.getBoundingClientRect().right"
                " > seat.getBoundingClientRect().right)).length"
            )
            assert cut == 0
            board = tab.box("svg.board")
            boxes.append((round(board.top), round(board.right - board.left)))
    assert len(set(boxes)) == 1, boxes


@seen_at((320, 844), (390, 844), (1280, 844))
def test_clocks_of_seven_seats_fit(page: Page, tab: Tab) -> None:
    clock = {"minutes": 180, "increment": 0}
    seats: list[str | None] = [None] * 7
    tab.open_game("seven_kingdoms", seats, shared=False, clock=clock)
    expect(page.get_by_role("timer")).to_have_text(["3:00:00"] * 7)
    assert tab.overflow() <= 0
    heights = page.get_by_role("timer").evaluate_all(
        "faces => faces.map(face => face.getBoundingClientRect().height)"
    )
    # One line each.
    assert max(heights) < 24


def test_all_of_it_is_said_in_chinese(running: Browser, site: Site) -> None:
    with seated(running, site, clock=LONG) as (red, black, _):
        black.button("中文", exact=True).click()
        red.press("Offer a draw")
        expect(black.locator(".offer p")).to_have_text(re.compile("^座位 0.红.提和。$"))
        expect(black.page.get_by_role("timer").first).to_have_attribute(
            "aria-label", re.compile("^座位 0.红.的时钟$")
        )
        black.press("同意和棋")
        expect(black.locator(".status h1")).to_have_text(re.compile("^和棋.双方同意$"))
        expect(black.locator(".status .quiet")).to_have_text("对局者同意和棋。")
        red.press("Rematch, seats changed")
        expect(black.locator(".rematch p")).to_have_text(re.compile("^座位 0.红.想再来一局。$"))


@in_both_themes
def test_clock_and_offer_can_be_read_by_all(
    theme: Any, size: Size, running: Browser, site: Site
) -> None:
    with seated(running, site, clock=SHORT) as (red, black, _):
        black.dress(theme, size)
        red.press("Offer a draw")
        expect(black.button("Accept the draw")).to_be_visible()
        expect(black.locator(".clock.low")).to_have_count(2)
        black.check_readable()
        black.press("Accept the draw")
        expect(black.locator(".rematch button")).to_be_visible()
        assert black.violations() == []
        black.goto()
        black.page.get_by_role("switch", name="Clock").check()
        black.check_readable()
