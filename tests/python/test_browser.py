"""Games on the page in the browser, by clicks and keys, compared with the engine."""

import json
import re
from typing import Any

import pytest

import darkqi

pytest.importorskip("playwright", reason="the page is tested with playwright")

from browser import (
    SEED,
    Site,
    armies_of,
    begin,
    click,
    executable,
    fen_board,
    fen_field,
    movable,
    plies,
    settle,
    visit,
    watch,
)
from playwright.sync_api import Browser, Page, Response, expect

if executable() is None:
    pytest.skip("no browser: install Debian's chromium", allow_module_level=True)

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


def fill_form(page: Page, site: Site, game: str) -> None:
    """Begins a game against random agents by the form of the page."""
    page.goto(site.url)
    page.locator(f".game input[value={game}]").check(force=True)
    page.get_by_text("Rules", exact=False).first.click()
    for name, value in RULES[game].items():
        field = page.locator(".options label").filter(has=page.get_by_text(name.replace("_", " ")))
        field.locator("input").fill(value)
        field.locator("input").press("Tab")
    page.get_by_text("Deal and hints").click()
    page.get_by_label("seed").fill(str(SEED))
    seats = darkqi.State(game, seed=SEED, **typed(RULES[game])).spec.num_players
    expect(page.locator(".seats select").last).to_be_visible()
    # The server has read all options once there are as many seats as they give.
    expect(page.get_by_label(re.compile(r"^Seat \d"))).to_have_count(seats)
    for seat in range(1, seats):
        page.get_by_label(f"Seat {seat}").select_option("random")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/#/play/*")
    settle(page)


def typed(options: dict[str, str]) -> dict[str, Any]:
    return {
        name: int(value) if value.isdigit() and name != "seats" else value
        for name, value in options.items()
    }


@pytest.mark.parametrize("game", RULES)
def test_games_are_played_by_clicking(game: str, page: Page, site: Site) -> None:
    """Each position on the page is that of the engine, also after a reload."""
    assert set(RULES) == set(darkqi.games())
    fill_form(page, site, game)
    state = darkqi.State(game, seed=SEED, **typed(RULES[game]))
    armies = armies_of(page, site)
    while True:
        for name in plies(page)[state.ply :]:
            state.apply(name)
        if state.is_terminal:
            break
        assert fen_board(page, armies) == state.fen(viewer=0).split()[0]
        moves = state.legal_moves()
        squares = {squares[0] for name in moves if (squares := re.findall(r"[a-s]\d+", name))}
        assert movable(page) == squares
        if 4 <= state.ply < 8:
            page.reload()
            settle(page)
            assert len(plies(page)) == state.ply
            assert fen_board(page, armies) == state.fen(viewer=0).split()[0]
        click(page, moves[state.ply * 7 % len(moves)])
    outcome = state.outcome
    assert outcome is not None
    expect(page.locator(".status h1")).to_contain_text(outcome.reason.replace("_", " "))
    assert fen_board(page, armies) == state.fen().split()[0]
    expect(page.get_by_role("button", name=f"Copy seed {SEED}")).to_be_visible()


def test_a_covered_piece_is_turned_over_by_one_click(page: Page, site: Site) -> None:
    (key, *_) = begin(page, site, "gaiqi", [None, "greedy"])
    watch(page, site, key["key"])
    state = darkqi.State("gaiqi", seed=SEED)
    page.locator("[data-square=c2]").click()
    expect(page.locator(".moves li").first).to_contain_text("c2")
    state.apply("c2")
    letter = state.fen().split()[0]
    settle(page)
    assert plies(page)[0] == "c2"
    assert letter.count("~") == 31


@pytest.mark.parametrize("game", darkqi.games())
def test_pieces_show_figures(game: str, page: Page, site: Site) -> None:
    """Each face-up piece has one, and no covered piece has."""
    (key, *_) = begin(page, site, game, [None, *["greedy"] * (darkqi.spec(game).num_players - 1)])
    watch(page, site, key["key"])
    page.get_by_role("button", name="pieces show figures").click()
    pieces = page.request.get(f"{site.url}api/play/{key['key']}").json()["picture"]["pieces"]
    shown = [piece for piece in pieces if piece["letter"] is not None]
    expect(page.locator(".pieces .figure")).to_have_count(len(shown))
    expect(page.locator(".pieces text")).to_have_count(0)
    page.get_by_role("button", name="pieces show Chinese").click()
    expect(page.locator(".pieces .figure")).to_have_count(0)


def test_keys_alone_play(page: Page, site: Site) -> None:
    (key, *_) = begin(page, site, "jieqi", [None, "greedy"])
    watch(page, site, key["key"])
    settle(page)
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


def test_pieces_are_dragged(page: Page, site: Site) -> None:
    (key, *_) = begin(page, site, "jieqi", [None, "greedy"])
    watch(page, site, key["key"])
    settle(page)
    for target, is_played in (("c7", False), ("c5", True)):
        for square, act in (("c4", page.mouse.down), (target, page.mouse.up)):
            box = page.locator(f"[data-square={square}]").bounding_box()
            assert box is not None
            page.mouse.move(box["x"] + 20, box["y"] + 20, steps=3)
            act()
        expect(page.locator(".moves li:has-text('c4c5')")).to_have_count(int(is_played))


def test_hints_odds_take_back_and_resignation(page: Page, site: Site) -> None:
    (key, *_) = begin(page, site, "jieqi", [None, "greedy"], adviser="expectimax:depth=1")
    watch(page, site, key["key"])
    settle(page)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".card.hint")).to_contain_text("expectimax:depth=1 would play")
    expect(page.locator(".card.hint")).to_contain_text("(lost) to +1 (won)")
    expect(page.locator(".arrow.hint")).to_be_visible()

    page.get_by_text("Show odds before a move").click()
    page.locator("[data-square=b3]").click()
    page.locator("[data-square=b10]").click()
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
    assert plies(page) == []
    page.get_by_role("button", name="Play b3b10").click()
    expect(page.locator(".moves .name").first).to_have_text("b3b10")
    settle(page)
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".moves li")).to_have_count(0)

    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Play on").click()
    expect(page.locator(".end")).to_have_count(0)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.locator(".status h1")).to_contain_text("resign")
    page.get_by_role("button", name="New game, same settings").click()
    page.wait_for_url(lambda url: not url.endswith(key["key"]))
    settle(page)


def test_finished_games_are_saved(page: Page, site: Site) -> None:
    options = {"quiet_limit": 2, "max_plies": 100}
    (key, *_) = begin(page, site, "flipping", [None, None], options=options)
    watch(page, site, key["key"])
    settle(page)
    state = darkqi.State("flipping", seed=SEED)
    for _ in range(2):
        move = state.legal_moves()[0]
        click(page, move)
        state.apply(move)
    expect(page.locator(".status h1")).to_contain_text("quiet limit")
    page.get_by_label("Dataset").fill("mine")
    page.get_by_role("button", name="Save the game").click()
    page.get_by_role("link", name="step through it").click()
    expect(page.locator(".viewer output")).to_have_text("0 / 2")
    assert darkqi.replay(site.data / "mine", 0).agents == ["human", "human"]


def test_people_at_one_screen_see_their_own_view_only(page: Page, site: Site) -> None:
    (key, *_) = begin(page, site, "jieqi", [None, None])
    page.goto(f"{site.url}#/play/{key['key']}")
    expect(page.locator(".curtain")).to_be_visible()
    expect(page.locator("svg.board")).to_have_count(0)
    page.get_by_role("button", name="Seat 0 (red): continue").click()
    page.locator("[data-square=b3]").click()
    page.locator("[data-square=b10]").click()
    expect(page.get_by_role("button", name="Seat 1 (black): continue")).to_be_visible()
    expect(page.locator("svg.board")).to_have_count(0)
    page.get_by_role("button", name="Seat 1 (black): continue").click()
    settle(page)
    state = darkqi.State("jieqi", seed=SEED)
    state.apply("b3b10")
    assert fen_board(page, armies_of(page, site)) == state.fen(viewer=1).split()[0]
    # Black looks from its own side, and does not know what it has lost.
    expect(page.locator("[data-square]").first).to_have_attribute("data-square", "i1")
    expect(page.locator(".tray [role=img]")).to_have_attribute(
        "aria-label", re.compile("you do not know which")
    )


PLIES = 14
# All that a page is sent about a game.
FIELDS = {
    "game",
    "options",
    "seats",
    "agents",
    "adviser",
    "shared",
    "started_from",
    "viewer",
    "turn",
    "ply",
    "mover",
    "is_over",
    "is_check",
    "thinking",
    "failure",
    "picture",
    "owners",
    "out",
    "threatened",
    "legal",
    "history",
    "counters",
    "occurrences",
    "outcome",
    "fen",
    "seed",
    "can_take_back",
    "can_resign",
    "can_save",
    "saved",
}


@pytest.mark.parametrize("game", ["jieqi", "gaiqi"])
def test_a_browser_is_told_what_its_seat_may_know(game: str, running: Browser, site: Site) -> None:
    """Two people play from two browsers; all that one of them receives is compared with views."""
    received: list[tuple[str, dict[str, Any]]] = []
    asked: set[str] = set()

    def note(response: Response) -> None:
        asked.add(response.url.removeprefix(site.url).split("?")[0])
        if "/api/play/" in response.url and response.status == 200:
            received.append((response.text(), response.json()))

    with visit(running, site.url) as one, visit(running, site.url) as other:
        other.on("response", note)
        keys = begin(one, site, game, [None, None], shared=False)
        assert [key["seats"] for key in keys] == [[0], [1], []]
        for page, key in zip((one, other), keys, strict=False):
            watch(page, site, key["key"])
        states = play_in_turns((one, other), game)
    own = f"api/play/{keys[1]['key']}"
    assert asked <= {"", "app.css", "app.js", "api/catalogue", own, f"{own}/wait", f"{own}/move"}
    assert received
    for text, told in received:
        assert set(told) == FIELDS
        state = states[told["ply"]]
        assert (told["viewer"], told["seed"], told["is_over"]) == (1, None, False)
        assert told["fen"] == state.fen(viewer=1)
        board, captured = told["fen"].split()[0], told["picture"]["captured"]
        assert drawn_board(told["picture"]) == board
        letters = "".join(map(drawn_piece, captured)) or "-"
        field = state.fen(viewer=1).split()[2 if game == "jieqi" else 3]
        assert letters.replace("~", "") == field.replace("~", "")
        assert bool(told["legal"]) == (state.current_player == 1)
        for ply_told in told["history"]:
            event = states[ply_told["ply"]].event(ply_told["name"], 1)
            for name in ("revealed", "captured", "captured_covered"):
                assert ply_told[name] == getattr(event, name)
        for hidden in (state.fen(), states[0].fen()):
            assert json.dumps(hidden)[1:-1] not in text or hidden == state.fen(viewer=1)
    # Each ply was told, by answers that have what is new.
    plies_told = {ply["ply"] for _, told in received for ply in told["history"]}
    assert plies_told == set(range(max(told["ply"] for _, told in received)))
    # Something was hidden from this seat that its opponent knows.
    if game == "jieqi":
        assert states[-1].fen(viewer=0) != states[-1].fen(viewer=1)


def play_in_turns(pages: tuple[Page, Page], game: str) -> list[darkqi.State]:
    """Plays a few plies, each on the page of its seat, and returns the positions."""
    states = [darkqi.State(game, seed=SEED)]
    for ply in range(PLIES):
        state = states[-1].clone()
        page = pages[state.current_player]
        settle(page)
        move = telling(state)
        click_only(page, move, ply)
        state.apply(move)
        states.append(state)
    expect(pages[1].locator(".moves li")).to_have_count(PLIES)
    return states


def telling(state: darkqi.State) -> str:
    """Returns a move that does not end the game, one that takes a covered piece if there is any.

    The two seats are told different things of such a move.
    """

    def goes_on(move: str) -> bool:
        after = state.clone()
        after.apply(move)
        return not after.is_terminal

    moves = filter(goes_on, state.legal_moves())
    return max(moves, key=lambda move: state.event(move, "public").captured_covered)


def click_only(page: Page, name: str, ply: int) -> None:
    for square in re.findall(r"[a-s]\d+", name):
        page.locator(f"[data-square={square}]").click()
    expect(page.locator(".moves li").nth(ply)).to_be_attached()


def drawn_piece(disc: dict[str, Any]) -> str:
    if disc["letter"] is None:
        return {0: "X", 1: "x", None: "?"}[disc["army"]]
    letter: str = disc["letter"]
    return ("~" if disc["covered"] else "") + (letter if disc["army"] == 0 else letter.lower())


def drawn_board(picture: dict[str, Any]) -> str:
    files = "abcdefghijklmnopqrs"[: picture["files"]]
    squares = {f"{file}{rank + 1}": None for file in files for rank in range(picture["ranks"])}
    pieces = {disc["square"]: drawn_piece(disc) for disc in picture["pieces"]}
    return fen_field({**squares, **pieces})


def test_onlookers_see_what_is_public(page: Page, site: Site) -> None:
    keys = begin(page, site, "jieqi", [None, "greedy"])
    assert keys[-1]["seats"] == []
    watch(page, site, keys[0]["key"])
    settle(page)
    click(page, "b3b10")
    state = darkqi.State("jieqi", seed=SEED)
    for name in plies(page):
        state.apply(name)
    watch(page, site, keys[-1]["key"])
    expect(page.get_by_role("button", name="Hint")).to_have_count(0)
    expect(page.locator(".cell.usable")).to_have_count(0)
    assert fen_board(page, armies_of(page, site)) == state.fen(viewer="public").split()[0]
