"""The page in the browser, by clicks and keys, compared with the engine."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import darkqi

pytest.importorskip("playwright", reason="the page is tested with playwright")

import browser as chromium
from browser import fen_board, fen_field
from playwright.sync_api import Browser, Page, Response, expect
from servers import serving

if chromium.executable() is None:
    pytest.skip("no browser: install Debian's chromium", allow_module_level=True)

ROOT = Path(__file__).parents[2]
AXE = ROOT / "selfplay" / "web" / "node_modules" / "axe-core" / "axe.min.js"

DESKTOP = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
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
SEED = 7
PATIENCE = 10_000


class Site(NamedTuple):
    """A server with a dataset of jieqi and one of gaiqi."""

    url: str
    data: Path


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    data = tmp_path_factory.mktemp("data")
    darkqi.selfplay("jieqi", data / "jieqi", 12, agents="expectimax:depth=1", seed=3)
    darkqi.selfplay("gaiqi", data / "gaiqi", 30, agents="greedy", seed=3)
    with serving(data) as server:
        yield Site(server.url, data)


@pytest.fixture(scope="module")
def running() -> Iterator[Browser]:
    with chromium.browse() as running:
        yield running


@contextmanager
def visit(running: Browser, url: str, size: dict[str, int] = DESKTOP) -> Iterator[Page]:
    """Open a page in a profile of its own, in which nothing breaks and no other host is asked."""
    context = running.new_context(reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    problems: list[str] = []
    context.on("weberror", lambda error: problems.append(str(error.error)))
    context.on("request", lambda request: problems.extend(elsewhere(request.url, url)))
    context.on("console", lambda message: problems.extend(refused(message.text)))
    page = context.new_page()
    page.set_viewport_size({"width": size["width"], "height": size["height"]})
    try:
        yield page
    finally:
        context.close()
    assert problems == []


def elsewhere(url: str, own: str) -> list[str]:
    """Return what is wrong with an address that is asked for."""
    return [] if url.startswith((own, "data:")) else [f"{url} is not the page's"]


def refused(message: str) -> list[str]:
    """Return a message of the console, if it is about the content security policy."""
    return [message] if "Content Security Policy" in message else []


@pytest.fixture
def page(running: Browser, site: Site) -> Iterator[Page]:
    with visit(running, site.url) as page:
        yield page


def begin(page: Page, site: Site, game: str, seats: list[str | None], **more: Any) -> list[Any]:
    """Begin a game as the page would, and return its keys."""
    body = {"game": game, "options": {}, "seats": seats, "seed": str(SEED), "shared": True, **more}
    done = page.request.post(f"{site.url}api/games", data=body)
    assert done.status == 201, done.text()
    keys: list[Any] = done.json()["keys"]
    return keys


def watch(page: Page, site: Site, key: str) -> None:
    page.goto(f"{site.url}#/play/{key}")
    expect(page.locator("svg.board")).to_be_visible()


def key_of(page: Page) -> str:
    return page.url.rsplit("/", 1)[1]


def plies(page: Page) -> list[str]:
    """Return the plies that the page lists."""
    return page.locator(".moves .name").all_inner_texts()


def settle(page: Page) -> None:
    """Wait until a person is to move, or the game is over."""
    expect(page.locator(".cell.usable, .end, .primary:text-is('Pass')").first).to_be_attached()


def click(page: Page, name: str) -> None:
    """Play a move by clicks on its squares."""
    count = len(plies(page))
    squares = re.findall(r"[a-s]\d+", name)
    if not squares:
        page.get_by_role("button", name="Pass", exact=True).click()
    for square in squares:
        page.locator(f"[data-square={square}]").click()
    expect(page.locator(".moves li").nth(count)).to_be_attached()
    settle(page)


def movable(page: Page) -> set[str]:
    """Return the squares of the pieces that have a move."""
    cells = page.locator("[data-square][aria-label*='can move']")
    return set(cells.evaluate_all("cells => cells.map(cell => cell.dataset.square)"))


def armies_of(page: Page, site: Site) -> dict[str, str]:
    """Return the letters of armies by name."""
    picture = page.request.get(f"{site.url}api/play/{key_of(page)}").json()["picture"]
    return {army["name"]: army["letter"] for army in picture["armies"]}


def fill_form(page: Page, site: Site, game: str) -> None:
    """Begin a game against random agents by the form of the page."""
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
    expect(page.get_by_label(f"Seat {seats - 1}")).to_be_visible()
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
    expect(page.locator(".arrow.hint")).to_be_visible()

    page.get_by_text("Show odds before a move").click()
    page.locator("[data-square=b3]").click()
    page.locator("[data-square=b10]").click()
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
    settle(page)
    assert plies(page)[0] == "b3b10"
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
        for number, ply_told in enumerate(told["history"]):
            event = states[number].event(ply_told["name"], 1)
            for name in ("revealed", "captured", "captured_covered"):
                assert ply_told[name] == getattr(event, name)
        for hidden in (state.fen(), states[0].fen()):
            assert json.dumps(hidden)[1:-1] not in text or hidden == state.fen(viewer=1)
    # Something was hidden from this seat that its opponent knows.
    if game == "jieqi":
        assert states[-1].fen(viewer=0) != states[-1].fen(viewer=1)


def play_in_turns(pages: tuple[Page, Page], game: str) -> list[darkqi.State]:
    """Play a few plies, each on the page of its seat, and return the positions."""
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
    """Return a move that does not end the game, one that takes a covered piece if there is any.

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


DISCS = """board => [...board.querySelectorAll("[data-piece]")].map(piece => {
    const sign = piece.querySelector(".sign")?.textContent ?? "?";
    return [piece.dataset.piece, piece.querySelector(".faint .sign") ? `~${sign}` : sign];
})"""


def shown_board(page: Page, title: str, files: int, ranks: int) -> str:
    """Return a board of the viewer, whose pieces show letters, as the first field of a FEN."""
    figure = page.locator("figure").filter(has=page.locator("figcaption").get_by_text(title))
    pieces = dict(figure.locator("svg.board").evaluate(DISCS))
    letters = "abcdefghijklmnopqrs"[:files]
    squares = {f"{file}{rank + 1}": None for file in letters for rank in range(ranks)}
    return fen_field({**squares, **pieces})


def test_a_logged_game_is_stepped_through(page: Page, site: Site) -> None:
    """Forwards and backwards, each board agrees with the replay."""
    replayed = darkqi.replay(site.data / "jieqi", 2)
    state = darkqi.State.from_fen("jieqi", replayed.deal, **replayed.options)
    states = [state.clone()]
    for ply in replayed.plies:
        state.apply(ply.move)
        states.append(state.clone())
    end = len(replayed.plies)

    page.goto(f"{site.url}#/data")
    page.get_by_label("Search in paths").fill("jieqi")
    page.locator(".dataset .path").click()
    page.get_by_role("row").filter(has=page.get_by_role("link", name="2", exact=True)).get_by_role(
        "link"
    ).click()
    page.get_by_role("button", name="pieces show letters").click()
    # Forwards and backwards by the keys, and to a position by its address.
    half = end // 2
    for at in (0, 1, 2, 5, 4, half, half + 1, half, end, end - 1):
        step_to(page, at, end)
        now = states[at]
        assert shown_board(page, "The truth", 9, 10) == now.fen().split()[0]
        views = {"What is public": now.fen(viewer="public"), "Seat 1": now.fen(viewer=1)}
        for title, fen in views.items():
            assert shown_board(page, title, 9, 10) == re.sub("[Xx]", "?", fen.split()[0])
        if at > 0:
            expect(page.locator(".facts .live")).to_contain_text(replayed.plies[at - 1].move)
    assert page.url.endswith(f"#/data/0%2Fjieqi/2/{end - 1}")
    page.reload()
    expect(page.locator(".viewer output")).to_have_text(f"{end - 1} / {end}")


def step_to(page: Page, at: int, end: int) -> None:
    """Go to a position: near ones and the end by the keys, others by their address."""
    now = int(page.locator(".viewer output").inner_text().split()[0])
    if at == end:
        page.keyboard.press("End")
    elif abs(at - now) > 5:
        page.evaluate(f"location.hash = location.hash.replace(/[0-9]+$/, '{at}')")
    else:
        for _ in range(abs(at - now)):
            page.keyboard.press("ArrowRight" if at > now else "ArrowLeft")
    expect(page.locator(".viewer output")).to_have_text(f"{at} / {end}")
    expect(page.locator(".board-side")).to_have_attribute("aria-busy", "false")


def test_the_viewer_draws_values_and_asks_agents(page: Page, site: Site) -> None:
    replayed = darkqi.replay(site.data / "jieqi", 2)
    page.goto(f"{site.url}#/data/0%2Fjieqi/2/0")
    value = replayed.plies[0].value
    assert value is not None
    expect(page.locator(".curve figcaption")).to_contain_text(f"{abs(value[0]):.2f}")
    box = page.locator(".curve svg").bounding_box()
    assert box is not None
    page.locator(".curve svg").click(position={"x": box["width"] / 2, "y": 20})
    middle = int(page.locator(".viewer output").inner_text().split()[0])
    assert abs(middle - len(replayed.plies) / 2) <= 1
    page.get_by_label("Ask here").select_option("greedy")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".ask [role=status]")).to_contain_text("would play")


def test_games_are_filtered(page: Page, site: Site) -> None:
    page.goto(f"{site.url}#/data/0%2Fgaiqi")
    expect(page.locator(".data > p[role=status]")).to_have_text("30 games")
    page.get_by_label("Winner").select_option("1")
    wins = sum(darkqi.replay(site.data / "gaiqi", game).winner == 1 for game in range(30))
    expect(page.locator(".data > p[role=status]")).to_have_text(f"{wins} of 30 games")
    expect(page.locator("tbody tr")).to_have_count(wins)
    assert "winner=1" in page.url


def test_the_report_leads_to_its_games(page: Page, site: Site) -> None:
    page.goto(f"{site.url}#/report/0%2Fgaiqi")
    report = page.frame_locator("iframe")
    expect(report.locator("h1")).to_be_visible()
    # A bar of lengths has two filters, a reason one.
    for filters in ("min_plies", "reason"):
        page.goto(f"{site.url}#/report/0%2Fgaiqi")
        linked = report.locator(f"[data-games^='{filters}=']").first
        wanted = linked.get_attribute("data-games")
        linked.press("Enter")
        page.wait_for_url(f"**?{wanted}")
        expect(page.locator("tbody tr").first).to_be_visible()


def wait_for(path: Path) -> None:
    """Wait until there is a file."""
    end = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < end, path
        time.sleep(0.02)


def test_a_run_under_way_is_followed(page: Page, site: Site) -> None:
    run = ["selfplay", "gaiqi", "--games", "400000", "--agents", "greedy", "--seed", "1"]
    more = ["--out", str(site.data / "live"), "--shard-games", "200"]
    with subprocess.Popen(
        [sys.executable, "-m", "darkqi", *run, *more], stderr=subprocess.DEVNULL
    ) as process:
        try:
            wait_for(site.data / "live" / "dataset.json")
            page.goto(f"{site.url}#/data")
            row = page.locator(".dataset").filter(has_text="live")
            expect(row.get_by_role("progressbar")).to_be_visible(timeout=20_000)
            before = row.inner_text()
            expect(row).not_to_have_text(before, timeout=20_000)
        finally:
            process.terminate()


def test_the_page_says_when_the_server_is_gone(running: Browser, tmp_path: Path) -> None:
    with ExitStack() as server:
        url = server.enter_context(serving(tmp_path)).url
        own = Site(url, tmp_path)
        with visit(running, url) as page:
            (key, *_) = begin(page, own, "jieqi", [None, "greedy"])
            watch(page, own, key["key"])
            settle(page)
            server.close()
            expect(page.get_by_role("alert")).to_contain_text("does not answer")


def each_page(page: Page, site: Site) -> Iterator[str]:
    """Open each page of the site in turn, and yield a name for it."""
    page.goto(site.url)
    expect(page.locator(".new-game")).to_be_visible()
    expect(page.locator(".dataset").first).to_be_visible()
    for summary in page.locator(".new-game summary").all():
        summary.click()
    yield "home"
    for game in ("jieqi", "gaiqi", "seven_kingdoms"):
        count = darkqi.State(game, seed=SEED).spec.num_players
        (key, *_) = begin(page, site, game, [None] + ["greedy"] * (count - 1))
        watch(page, site, key["key"])
        settle(page)
        yield f"play {game}"
    (key, *_) = begin(page, site, "mystery", [None, None])
    page.goto(f"{site.url}#/play/{key['key']}")
    expect(page.locator(".curtain")).to_be_visible()
    yield "curtain"
    page.goto(f"{site.url}#/data/0%2Fjieqi")
    expect(page.locator("tbody tr").first).to_be_visible()
    yield "games"
    page.goto(f"{site.url}#/data/0%2Fjieqi/1/9")
    expect(page.locator("svg.board").first).to_be_visible()
    yield "viewer"
    page.goto(f"{site.url}#/report/0%2Fgaiqi")
    expect(page.locator("iframe")).to_be_visible()
    yield "report"


def test_no_page_scrolls_sideways_on_a_phone(running: Browser, site: Site) -> None:
    with visit(running, site.url, PHONE) as page:
        for name in each_page(page, site):
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= PHONE["width"], f"{name} is {width} pixels wide"


@pytest.mark.skipif(not AXE.exists(), reason="no axe-core: run `npm ci` in selfplay/web")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_violation(theme: Any, page: Page, site: Site) -> None:
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    script = AXE.read_text(encoding="utf-8")
    for name in each_page(page, site):
        page.evaluate(f"{script}; 0")
        found = page.evaluate(
            "async () => (await axe.run()).violations.map(it => [it.id, it.nodes[0].html])"
        )
        assert found == [], name


def test_datasets_of_10_000_games_are_listed_at_once(page: Page, site: Site) -> None:
    darkqi.selfplay("gaiqi", site.data / "large", 10_000, agents="random", seed=1)
    start = time.perf_counter()
    page.goto(f"{site.url}#/data/0%2Flarge")
    expect(page.locator(".data > p[role=status]")).to_have_text("10,000 games")
    # Under a second on an idle machine; tests share theirs.
    assert time.perf_counter() - start < 4
