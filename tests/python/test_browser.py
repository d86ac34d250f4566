"""Games on the page in the browser, by clicks, keys and fingers, compared with the engine."""

import random
import re
from typing import Any

import pytest
from browser import PHONE, SEED, Site, Tab, against, seen_at, squares_of
from playwright.sync_api import Page, expect

import darkqi

# What ends games early. Games against people end by the rules, so that they can be kept.
RULES: dict[str, dict[str, str]] = {
    "banqi": {"quiet_limit": "4", "max_plies": "16"},
    "flipping": {"max_plies": "12"},
    "four_camps": {"max_plies": "14"},
    "gaiqi": {"quiet_limit": "4", "max_plies": "16"},
    "jieqi": {"max_plies": "14"},
    "mystery": {"moves_limit": "6"},
    "seven_kingdoms": {"seats": "0--1---", "max_plies": "8"},
}


def fill_form(page: Page, tab: Tab, game: str) -> None:
    """Begins a game against random agents by the form of the page."""
    tab.goto()
    tab.choose(game)
    page.get_by_text("Rules", exact=False).first.click()
    for name, value in RULES[game].items():
        field = page.locator(".options label").filter(has=page.get_by_text(name.replace("_", " ")))
        field.locator("input").fill(value)
        field.locator("input").press("Tab")
    page.get_by_text(re.compile("^(Deal|Position) and hints")).click()
    page.get_by_label("seed").fill(str(SEED))
    seats = darkqi.State(game, seed=SEED, **typed(RULES[game])).spec.num_players
    expect(page.locator(".seats select").last).to_be_visible()
    # The server has read all options once there are as many seats as they give.
    expect(page.get_by_label(re.compile(r"^Seat \d"))).to_have_count(seats)
    for seat in range(1, seats):
        page.get_by_label(f"Seat {seat}").select_option("random")
    tab.press_play()


def typed(options: dict[str, str]) -> dict[str, Any]:
    return {
        name: int(value) if value.isdigit() and name != "seats" else value
        for name, value in options.items()
    }


@pytest.mark.parametrize("game", RULES)
def test_games_are_played_by_clicking(game: str, page: Page, tab: Tab) -> None:
    """Each position on the page is that of the engine, also after a reload."""
    assert set(RULES) == set(darkqi.games())
    fill_form(page, tab, game)
    state = darkqi.State(game, seed=SEED, **typed(RULES[game]))
    while True:
        for name in tab.plies()[state.ply :]:
            state.apply(name)
        if state.is_terminal:
            break
        assert tab.fen_board() == state.fen(viewer=0).split()[0]
        moves = state.legal_moves()
        squares = {squares[0] for name in moves if (squares := squares_of(name))}
        assert tab.movable() == squares
        if 4 <= state.ply < 8:
            page.reload()
            tab.settle()
            assert len(tab.plies()) == state.ply
            assert tab.fen_board() == state.fen(viewer=0).split()[0]
        tab.click(moves[state.ply * 7 % len(moves)])
    # As at the terminal and in pictures.
    expect(page.locator(".status h1")).to_contain_text(state.standing)
    assert tab.fen_board() == state.fen().split()[0]
    expect(tab.button(f"Copy seed {SEED}")).to_be_visible()


@pytest.mark.parametrize("game", darkqi.games())
def test_pieces_show_figures(game: str, page: Page, tab: Tab) -> None:
    """Each face-up piece has one, and no covered piece has."""
    tab.open_game(game, against("greedy", game))
    tab.button("pieces show figures").click()
    shown = [piece for piece in tab.told()["picture"]["pieces"] if piece["letter"] is not None]
    expect(page.locator(".pieces .figure")).to_have_count(len(shown))
    expect(page.locator(".pieces text")).to_have_count(0)
    tab.button("pieces show Chinese").click()
    expect(page.locator(".pieces .figure")).to_have_count(0)


def test_keys_alone_play(page: Page, tab: Tab) -> None:
    tab.open_game("jieqi", [None, "greedy"])
    page.locator("[data-square=e1]").focus()
    for pressed in ("ArrowUp", "ArrowUp", "ArrowUp", "Enter"):
        page.keyboard.press(pressed)
    expect(page.locator("[data-square=e4]")).to_have_attribute("aria-selected", "true")
    expect(page.locator("[aria-label*='can be reached']")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("[aria-selected=true]")).to_have_count(0)
    for pressed in ("Enter", "ArrowUp", "Enter"):
        page.keyboard.press(pressed)
    expect(page.locator(".moves li").first).to_contain_text("e4e5")


def test_pieces_are_dragged(page: Page, tab: Tab) -> None:
    tab.open_game("jieqi", [None, "greedy"])
    for target, is_played in (("c7", False), ("c5", True)):
        for square, act in (("c4", page.mouse.down), (target, page.mouse.up)):
            place = tab.box(f"[data-square={square}]")
            page.mouse.move(place.left + 20, place.top + 20, steps=3)
            act()
        expect(page.locator(".moves li:has-text('c4c5')")).to_have_count(int(is_played))


def test_hints_odds_take_back_and_resignation(page: Page, tab: Tab) -> None:
    key = tab.open_game("jieqi", [None, "greedy"], adviser="expectimax:depth=1")
    tab.button("Hint").click()
    expect(page.locator(".card.hint")).to_contain_text("expectimax:depth=1 would play")
    expect(page.locator(".card.hint")).to_contain_text("(lost) to +1 (won)")
    expect(page.locator(".arrow.hint")).to_be_visible()

    page.get_by_text("Show odds before a move").click()
    tab.pick("b3b10")
    expect(page.locator("[aria-label='Takes'] li")).to_have_count(6)
    # Of the 15 covered pieces of a side, five are soldiers and two each of the others.
    shown = {
        title: page.locator(f"[aria-label='{title}'] li").all_inner_texts()
        for title in ("Turns over", "Takes")
    }
    assert {title: [text.split()[-2] for text in texts] for title, texts in shown.items()} == {
        "Turns over": ["33", "13", "13", "13", "13", "13"],
        "Takes": ["33", "13", "13", "13", "13", "13"],
    }
    assert tab.plies() == []
    tab.button("Play b3b10").click()
    expect(page.locator(".moves .name").first).to_have_text("b3b10")
    tab.settle()
    tab.button("Take back").click()
    expect(page.locator(".moves li")).to_have_count(0)

    tab.button("Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Play on").click()
    expect(page.locator(".end")).to_have_count(0)
    tab.resign()
    expect(page.locator(".status h1")).to_contain_text("resign")
    tab.button("New game, same settings").click()
    page.wait_for_url(lambda url: not url.endswith(key))
    tab.settle()


def test_finished_games_are_saved(page: Page, tab: Tab, site: Site) -> None:
    options = {"quiet_limit": 2, "max_plies": 100}
    tab.open_game("flipping", [None, None], options=options)
    state = darkqi.State("flipping", seed=SEED)
    for _ in range(2):
        move = state.legal_moves()[0]
        tab.click(move)
        state.apply(move)
    expect(page.locator(".status h1")).to_have_text("Draw: 2 plies without capture")
    page.get_by_label("Dataset").fill("mine")
    tab.button("Save the game").click()
    tab.link("step through it").click()
    expect(page.locator(".viewer output")).to_have_text("0 / 2")
    assert darkqi.replay(site.data / "mine", 0).agents == ["human", "human"]


# Red mates with either chariot.
MATE = "3k5/R8/9/9/9/9/9/9/9/1R2K4 w - 0 20"


def test_a_winner_is_told_so(page: Page, tab: Tab) -> None:
    keys = tab.begin("jieqi", [None, None], fen=MATE, shared=False)
    tab.watch(keys[0]["key"])
    tab.settle()
    tab.click("b1b10")
    expect(page.locator(".status h1")).to_have_text("Red won: checkmate. You win.")
    expect(page.locator(".status .quiet")).to_have_text(
        "The general is in check, and no move ends it."
    )
    for key, words in (
        (keys[1], "Red won: checkmate. You lose."),
        (keys[2], "Red won: checkmate"),
    ):
        tab.watch(key["key"])
        expect(page.locator(".status h1")).to_have_text(words)


def fallen() -> tuple[darkqi.State, int]:
    """Returns a position of seven kingdoms in which one has fallen, and its seat."""
    state = darkqi.State("seven_kingdoms", seed=SEED)
    chooser = random.Random(SEED)
    while state.fen().split()[2] == "-":
        state.apply(chooser.choice(state.legal_actions()))
    assert not state.is_terminal
    return state, "wrobgpd".index(state.fen().split()[2][0])


def test_a_fallen_kingdom_watches(page: Page, tab: Tab) -> None:
    state, seat = fallen()
    winner = state.spec.armies["wrobgpd".index(state.fen().split()[2][1])].name
    keys = tab.begin("seven_kingdoms", [None] * 7, fen=state.fen(), shared=False)
    tab.watch(keys[seat]["key"])
    expect(page.locator(".fate")).to_have_text(
        re.compile(f"Your kingdom fell to {winner}. Watching.", re.IGNORECASE)
    )
    expect(tab.button("Resign")).to_be_disabled()
    tab.watch(keys[state.current_player]["key"])
    expect(page.locator(".fate")).to_have_count(0)
    tab.resign("without a winner")
    expect(page.locator(".status h1")).to_contain_text(
        f"Seat {state.current_player} lost: resignation. You lose."
    )


def test_a_name_that_is_taken_gets_another(page: Page, tab: Tab, site: Site) -> None:
    """A dataset holds games of one set of rules and agents."""
    for limit, name in ((1, "played-banqi"), (2, "played-banqi-2")):
        tab.open_game("banqi", [None, None], options={"max_plies": limit})
        for square in ("c2", "f3")[:limit]:
            tab.click(square)
        expect(page.get_by_label("Dataset")).to_have_value("played-banqi")
        tab.button("Save the game").click()
        if limit == 2:
            expect(page.get_by_label("Dataset")).to_have_value(name)
            tab.button("Save the game").click()
        expect(tab.link("step through it")).to_be_visible()
        assert darkqi.replay(site.data / name, 0).agents == ["human", "human"]


FOCUSED = "document.activeElement?.closest('[data-square]')?.dataset.square ?? null"
# A tap beside the middle of a square.
TAP = """(cell, shift) => {
    const { x, y, width, height } = cell.getBoundingClientRect();
    const place = { clientX: x + width / 2 + shift, clientY: y + height / 2 };
    document.elementFromPoint(place.clientX, place.clientY).dispatchEvent(
        new PointerEvent("click", { bubbles: true, pointerType: "touch", ...place }));
}"""


@seen_at(PHONE)
def test_a_finger_may_miss_a_small_square(page: Page, tab: Tab) -> None:
    tab.open_game("seven_kingdoms", against("random", "seven_kingdoms"))
    # No piece of this side is right of the foremost soldier.
    square = max(tab.movable())
    cell = page.locator(f"[data-square={square}]")
    cell.evaluate(TAP, 60)
    expect(page.locator("[aria-selected=true]")).to_have_count(0)
    cell.evaluate(TAP, 14)
    expect(cell).to_have_attribute("aria-selected", "true")


def test_the_focus_is_not_lost(page: Page, tab: Tab) -> None:
    """On the way from one person to the next, and while a hint is asked for."""
    (key, *_) = tab.begin("jieqi", [None, None], adviser="greedy")
    tab.goto(f"#/play/{key['key']}")
    for name in ("Seat 0 (red)", "Seat 1 (black)"):
        expect(tab.button(f"{name}: continue")).to_be_focused()
        page.keyboard.press("Enter")
        tab.settle()
        assert page.evaluate(FOCUSED) is not None
        if name == "Seat 0 (red)":
            tab.button("Hint").press("Enter")
            expect(page.locator(".live")).to_contain_text("greedy would play")
            expect(tab.button("Hint")).to_be_focused()
            page.locator(".card.hint button").press("Enter")
    assert len(tab.plies()) == 1
    page.keyboard.press("Escape")
    page.locator(".moves button").first.click()
    page.keyboard.press("Home")
    tab.button("Back to the game").press("Enter")
    expect(page.locator("[role=gridcell]:focus")).to_be_attached()
    expect(page.get_by_role("row", name="rank 10")).to_be_attached()
    expect(page.get_by_role("grid", name="Board of jieqi")).to_be_attached()


def test_an_address_without_a_game_is_no_page(page: Page, tab: Tab) -> None:
    tab.goto("#/data/0%2Fgaiqi/abc/0")
    expect(page.locator("h1")).to_have_text("There is no such page")


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("#/?game=nogame&max_plies=6", "nogame"),
        ("#/?game=jieqi&max_plise=60", "max_plise"),
        ("#/edit?game=nogame", "nogame"),
    ],
)
def test_what_an_address_names_in_vain_is_said(
    page: Page, tab: Tab, address: str, name: str
) -> None:
    tab.goto(address)
    expect(page.get_by_role("alert")).to_have_text(
        f"The address names no game or option of this page: {name}"
    )


def test_an_unknown_game_leads_back_to_its_dataset(page: Page, tab: Tab) -> None:
    tab.goto("#/data/0%2Fgaiqi/999/0")
    expect(page.get_by_role("alert")).to_contain_text("999")
    tab.link("Back to the games of gaiqi").click()
    expect(page.locator(".games-table")).to_be_visible()


def test_an_agent_is_followed_ply_by_ply(page: Page, tab: Tab) -> None:
    """However fast agents are, each ply is shown before the next."""
    tab.open_game("seven_kingdoms", against("random", "seven_kingdoms"))
    page.evaluate(
        """() => {
            const list = document.querySelector(".moves");
            window.shown = [];
            new MutationObserver(() => window.shown.push(list.children.length))
                .observe(list, { childList: true });
        }"""
    )
    tab.click(darkqi.State("seven_kingdoms", seed=SEED).legal_moves()[0])
    expect(page.locator(".moves li")).to_have_count(7)
    assert page.evaluate("window.shown") == [1, 2, 3, 4, 5, 6, 7]
    # Where there are more than two seats, each ply is marked by its army.
    expect(page.locator(".moves li .chip")).to_have_count(7)


def test_a_game_is_begun_at_once(tab: Tab) -> None:
    """Play waits until the server has told how many seats the game has."""
    tab.goto()
    tab.choose("seven_kingdoms")
    tab.press_play()
    assert len(tab.told()["agents"]) == darkqi.spec("seven_kingdoms").num_players


def test_the_form_keeps_what_was_chosen(page: Page, tab: Tab) -> None:
    tab.goto()
    tab.choose("gaiqi")
    page.get_by_label("Seat 1").select_option("level:medium")
    page.get_by_text("Rules", exact=False).first.click()
    page.locator(".options label").filter(has_text="max plies").locator("input").fill("40")
    tab.press_play()
    assert tab.told()["agents"] == [None, "level:medium"]
    for again in (page.go_back, page.reload):
        again()
        expect(page.locator(".game input[value=gaiqi]")).to_be_checked()
        expect(page.get_by_label("Seat 1")).to_have_value("level:medium")
        expect(page.locator(".new-game .rules summary")).to_contain_text("max plies: 40")


def test_seats_have_colours_where_the_rules_fix_them(page: Page, tab: Tab) -> None:
    tab.goto()
    for game, label in (
        ("jieqi", "Seat 1 (black)"),
        ("gaiqi", "Seat 1"),
        ("flipping", "Seat 0 (red)"),
    ):
        tab.choose(game)
        expect(page.get_by_label(label, exact=True)).to_be_visible()


def test_links_name_the_colours_of_their_seats(page: Page, tab: Tab) -> None:
    tab.goto()
    tab.choose("jieqi")
    page.get_by_label("Seat 1 (black)").select_option("person")
    tab.press("A link for each")
    tab.press("Play")
    names = ["Seat 0 (red)", "Seat 1 (black)", "Onlookers"]
    expect(page.locator(".links strong")).to_have_text(names)


def test_a_refusal_holds_until_something_changes(page: Page, tab: Tab) -> None:
    tab.goto()
    page.get_by_text(re.compile("^(Deal|Position) and hints")).click()
    page.get_by_label("seed").fill("x")
    tab.press("Play")
    expect(page.locator(".new-game .notice")).to_contain_text("seed")
    tab.choose("banqi")
    expect(page.locator(".new-game .notice")).to_have_count(0)


def test_games_under_way_are_listed(page: Page, tab: Tab) -> None:
    tab.goto()
    expect(page.locator(".under-way")).to_have_count(0)
    tab.choose("banqi")
    page.get_by_label("Seat 1").select_option("random")
    tab.press_play()
    key = tab.key
    tab.link("Play", exact=True).click()
    page.locator(".under-way a").click()
    page.wait_for_url(f"**/#/play/{key}")
    tab.settle()
    tab.resign()
    tab.link("Play", exact=True).click()
    expect(page.locator(".new-game")).to_be_visible()
    expect(page.locator(".under-way")).to_have_count(0)
