"""Games that are kept, taken up again, reviewed and begun anywhere, in the browser."""

import json
import re
import signal
import stat
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from browser import DESKTOP, PHONE, Site, Tab, seen_at, visit
from playwright.sync_api import Browser, Page, expect
from servers import serving

import darkqi


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_game_goes_on_with_the_next_server(
    how: signal.Signals, running: Browser, tmp_path: Path
) -> None:
    games = tmp_path / "games"
    arguments = (tmp_path, "--games", games)
    with serving(*arguments, log=[]) as first, visit(running, first.url) as tab:
        tab.open_game("jieqi", [None, "greedy"])
        for _ in range(2):
            tab.click(tab.reached().legal_moves()[0])
        before = tab.plies()
        assert len(before) == 4
        (kept,) = games.glob("*.json")
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        key = tab.key
        assert key in kept.read_text()
        assert key not in kept.name
        first.stop(how)
        for words in ("does not answer", "The game is kept"):
            expect(tab.locator(".notice.gone")).to_contain_text(words)
        with serving(*arguments, port=first.port):
            # The page goes on by itself.
            expect(tab.locator(".notice")).to_have_count(0)
            assert (tab.plies(), tab.key) == (before, key)
            move = tab.reached().legal_moves()[0]
            tab.click(move)
            assert tab.plies()[:5] == [*before, move]
            tab.goto()
            expect(tab.locator(".under-way a")).to_have_count(1)


def test_an_agent_moves_on_after_a_restart(tmp_path: Path) -> None:
    """It was to move when the server was killed."""
    arguments = (tmp_path, "--games", tmp_path / "games")
    slow = "expectimax:time=60000"
    with serving(*arguments, log=[]) as first:
        (key, _) = first.begin("gaiqi", [slow, None], seed="7")
        assert first.get(f"/api/play/{key}")["thinking"]
        first.stop(signal.SIGKILL)
    (kept,) = (tmp_path / "games").glob("*.json")
    # A quick one in its place.
    kept.write_text(kept.read_text().replace(slow, "greedy"))
    with serving(*arguments) as second:
        position = second.get(f"/api/play/{key}/wait?turn=0")
        assert (position["ply"], position["agents"]) == (1, ["greedy", None])


def test_damaged_files_are_named_and_left_alone(tmp_path: Path) -> None:
    games = tmp_path / "games"
    arguments = (tmp_path, "--games", games)
    with serving(*arguments) as first:
        good, _ = first.begin("banqi", [None, "random"], seed="7")
        bad, _ = first.begin("banqi", [None, "random"], seed="8")
        gone, _ = first.begin("banqi", [None, "random"], seed="9")
    texts = {path: json.loads(path.read_text()) for path in games.glob("*.json")}

    def change(seed: int, **more: Any) -> Path:
        (path,) = (path for path, game in texts.items() if game["seed"] == seed)
        path.write_text(json.dumps({**texts[path], **more}))
        return path

    change(8, plies=[{"move": "z9"}])
    change(9, agents=[None, "uci:cmd=/bin/engine"])
    for name, text in (("a", "{"), ("b", "[" * 100_000), ("c", "\x00"), ("d", "{}")):
        (games / f"{name}.json").write_text(text)
    (games / "e.json").symlink_to("/etc/passwd")
    log: list[str] = []
    with serving(*arguments, log=log) as second:
        assert second.get(f"/api/play/{good}")["seats"] == [0]
        refusal = second.ask(f"/api/play/{bad}")
        assert (refusal.status, "ply 1" in refusal.json["error"]) == (422, True)
        refusal = second.ask(f"/api/play/{gone}")
        assert (refusal.status, "--allow" in refusal.json["error"]) == (422, True)
        catalogue = second.get("/api/catalogue")
        assert catalogue["keeps_games"]
        assert "/bin/engine" not in json.dumps(catalogue)
    for name in "abcde":
        assert f"{name}.json: not a game" in log[0]
        assert (games / f"{name}.json").is_symlink() or (games / f"{name}.json").exists()


def begin_here(tab: Tab) -> Any:
    tab.press_play()
    return tab.told()


def test_a_logged_game_is_played_on(page: Page, tab: Tab, site: Site) -> None:
    logged = darkqi.replay(site.data / "gaiqi", 0)
    tab.goto("#/data/0%2Fgaiqi/0/5")
    tab.link("Play from here").click()
    fen = logged.plies[4].fen
    expect(page.get_by_label("FEN")).to_have_value(fen)
    expect(page.locator(".position-field svg.board")).to_be_visible()
    for seat in (0, 1):
        page.get_by_label(f"Seat {seat}").select_option("(person)")
    position = begin_here(tab)
    state = darkqi.State.from_fen("gaiqi", fen)
    assert position["fen"] == state.fen(viewer=state.current_player)
    # At the end there is nothing to play.
    tab.goto(f"#/data/0%2Fgaiqi/0/{len(logged.plies)}")
    expect(page.locator(".facts")).to_contain_text(f"Ply {len(logged.plies)}")
    expect(tab.link("Play from here")).to_have_count(0)


def test_usual_rules_stay_usual(page: Page, tab: Tab) -> None:
    """All options of a logged game are in the address, also those that are on or off."""
    tab.goto("#/data/0%2Fjieqi/0/3")
    tab.link("Play from here").click()
    expect(page.locator(".rules summary")).to_contain_text("as usual")


def test_a_link_gives_the_form_a_game_and_a_position(page: Page, tab: Tab) -> None:
    state = darkqi.State("banqi", seed=3)
    for _ in range(3):
        state.apply(state.legal_moves()[0])
    tab.goto(f"#/?game=banqi&max_plies=40&nonsense=1&fen={quote(state.fen())}")
    expect(page.locator(".game input[value=banqi]")).to_be_checked()
    expect(page.locator(".rules summary")).to_contain_text("max plies: 40")
    expect(page.get_by_label("FEN")).to_have_value(state.fen())
    # What no game can begin with is said at once.
    page.get_by_label("FEN").fill(state.fen().replace(" 3", " x"))
    expect(page.locator(".position-field .wrong")).to_contain_text("ply")
    tab.button("Begin at the start instead").click()
    expect(page.locator(".position-field .wrong")).to_have_count(0)
    # Another link, in the same page.
    tab.goto("#/?game=flipping")
    expect(page.locator(".game input[value=flipping]")).to_be_checked()
    expect(page.get_by_label("FEN")).to_have_value("")


@pytest.mark.parametrize("game", ["gaiqi", "jieqi", "mystery"])
def test_the_fen_of_a_seat_is_read_back(game: str, page: Page, tab: Tab) -> None:
    tab.open_game(game, [None, "greedy"])
    state = darkqi.State(game, seed=7)
    tab.click(state.legal_moves()[3])
    seen = tab.told()["fen"]
    assert re.search(r"[?Xx]", seen)
    found = []
    for seed in ("1", "2"):
        tab.goto_anew(f"#/?game={game}&fen={quote(seen)}")
        page.get_by_label("seed").fill(seed)
        position = begin_here(tab)
        assert position["fen"] == seen
        tab.resign()
        over = tab.told()
        found.append(over["fen"])
        assert over["started_from"] == seen
    # Each seed deals another game of what was not known.
    assert found[0] != found[1]


def test_a_position_is_set_up(page: Page, tab: Tab) -> None:
    tab.goto("#/?game=jieqi")
    page.get_by_text("Deal and hints").click()
    tab.link("Set up a position").click()
    expect(page.locator(".edit h1")).to_have_text("Set up a position")
    fen = page.get_by_label("FEN")
    expect(fen).to_have_value(darkqi.State("jieqi", seed=0).fen(viewer="public"))
    tab.button("Remove pieces").click()
    page.locator("[data-square=a1]").click()
    expect(fen).to_have_value(re.compile(r"/1XXXKXXXX w"))
    page.locator("[data-square=e1]").click()
    expect(page.locator(".edit .wrong")).to_contain_text("exactly one general")
    expect(tab.button("Play from here")).to_be_disabled()
    tab.button(re.compile("^red General")).click()
    page.locator("[data-square=e1]").click()
    expect(page.locator(".edit .wrong")).to_have_count(0)
    tab.button(re.compile("^red Chariot")).click()
    page.locator("[data-square=a5]").click()
    page.get_by_label("To move").select_option("b")
    expect(fen).to_have_value(re.compile(r"/R8/.*/1XXXKXXXX b "))
    # The text is as good as clicks.
    written = fen.input_value()
    tab.button("Clear the board").click()
    expect(fen).to_have_value(re.compile(r"^9/9/"))
    fen.fill(written)
    tab.link("Play from here").click()
    page.get_by_label("Seat 0").select_option("random")
    page.get_by_label("Seat 1").select_option("(person)")
    assert begin_here(tab)["fen"] == written


@pytest.mark.parametrize("game", darkqi.games())
def test_every_game_has_a_board_to_set_up(game: str, page: Page, tab: Tab) -> None:
    tab.goto(f"#/edit?game={game}")
    expect(page.locator(".edit svg.board")).to_be_visible()
    link = tab.link("Play from here")
    expect(link).to_be_visible()
    fen = page.get_by_label("FEN").input_value()
    expect(page.locator(".edit svg.board [data-piece]")).not_to_have_count(0)
    # What is drawn is what is written.
    tab.button("Remove pieces").click()
    page.locator("[data-square=a1]").click()
    page.locator("[data-square=b1]").click()
    tab.button("Start position").click()
    expect(page.get_by_label("FEN")).to_have_value(fen)


def test_only_a_board_that_is_written_out_is_clicked_on(page: Page, tab: Tab) -> None:
    tab.goto("#/edit?game=jieqi")
    fen = page.get_by_label("FEN")
    for text, reason in (("", "There is no FEN."), ("9/9 w", "bad FEN")):
        fen.fill(text)
        expect(page.locator(".edit .wrong")).to_contain_text(reason)
        expect(tab.link("Play from here")).to_have_count(0)
        page.locator("[data-square=a1]").click()
        expect(fen).to_have_value(text or " ")


def test_the_first_piece_that_lies_open_decides_the_colours(page: Page, tab: Tab) -> None:
    tab.goto("#/edit?game=gaiqi")
    fen = page.get_by_label("FEN")
    expect(fen).to_have_value(re.compile(" 1 - - "))
    tab.button(re.compile("^black Chariot")).click()
    page.locator("[data-square=a1]").click()
    expect(fen).to_have_value(re.compile(r"/r\?{7} 1 r - "))
    expect(page.locator(".edit .wrong")).to_have_count(0)
    page.get_by_label("To move").select_option("Seat 1 (red)")
    expect(fen).to_have_value(re.compile(" 2 b - "))
    page.locator("[data-square=a1]").click()
    expect(fen).to_have_value(re.compile(" 2 - - "))
    # What is set up outlives the page.
    page.reload()
    expect(fen).to_have_value(re.compile(" 2 - - "))
    expect(page.get_by_label("To move")).to_have_value("2 -")


@seen_at(DESKTOP, PHONE)
def test_a_game_that_is_over_is_reviewed(page: Page, tab: Tab) -> None:
    tab.finished()
    tab.button("Review the game").click()
    expect(page.locator(".review .curve")).to_be_visible(timeout=60_000)
    expect(page.locator(".review")).to_contain_text("expectimax:nodes=")
    mistakes = page.locator(".mistakes button")
    assert mistakes.count() <= 3
    for place in range(mistakes.count()):
        mistakes.nth(place).click()
        ply = re.search(r"Ply (\d+)", mistakes.nth(place).inner_text())
        assert ply is not None
        # The position before the move, with the better one.
        expect(page.locator(".look output")).to_contain_text(f"{int(ply[1]) - 1} / 6")
        expect(page.locator(".arrow.hint")).to_have_count(1)
        expect(page.locator("svg.board")).to_be_in_viewport(ratio=0.99)
        expect(page.locator(".transport")).to_be_in_viewport(ratio=1)


def test_a_logged_game_is_reviewed(page: Page, tab: Tab, site: Site) -> None:
    tab.goto("#/data/0%2Fgaiqi/1/0")
    tab.button("Review the game").click()
    expect(page.locator(".review .curve")).to_be_visible(timeout=60_000)
    logged = darkqi.replay(site.data / "gaiqi", 1)
    review = page.request.post(
        f"{tab.home}api/review", data={"dataset": "0/gaiqi", "game": 1}
    ).json()
    assert review["review"]["values"][-1] == list(logged.rewards)
    assert len(review["review"]["values"]) == len(logged.plies) + 1
    costs = [it["better_value"] - it["value"] for it in review["review"]["mistakes"]]
    assert costs == sorted(costs, reverse=True)


def test_a_game_that_goes_on_is_not_reviewed(page: Page, tab: Tab) -> None:
    key = tab.open_game("gaiqi", [None, None])
    expect(tab.button("Review the game")).to_have_count(0)
    for done in (
        page.request.post(f"{tab.home}api/play/{key}/review", data={"turn": 0}),
        page.request.get(f"{tab.home}api/play/{key}/file?kind=txt"),
    ):
        assert (done.status, "goes on" in done.json()["error"]) == (422, True)


def test_a_game_that_is_over_is_downloaded(page: Page, tab: Tab) -> None:
    state = tab.finished()
    links = page.locator(".downloads a").evaluate_all("links => links.map(link => link.href)")
    assert len(links) == 4
    files = {}
    for link in links:
        done = page.request.get(link)
        assert done.status == 200
        assert "attachment" in done.headers["content-disposition"]
        files[re.search(r"kind=(\w+)", link)[1]] = done.body()  # type: ignore[index]
    text = files["txt"].decode()
    assert "gaiqi, seed 7" in text
    assert f"to: {state.fen()}" in text
    assert "resignation" in text
    assert files["gif"].startswith(b"GIF89a")
    assert files["png"].startswith(b"\x89PNG")
    assert files["svg"].startswith(b"<svg")
    # A position of the past is another picture.
    page.locator(".moves button").first.click()
    expect(page.locator(".downloads a").nth(2)).to_have_attribute("href", re.compile("ply=1$"))
    # And another game begins there.
    tab.link("Play from here").click()
    expect(page.locator(".position-field svg.board")).to_be_visible()


@pytest.mark.parametrize(
    "address",
    [
        "#/edit?game=nonsense&fen=x",
        "#/edit?game=jieqi&fen=%00%ff",
        "#/edit?game=jieqi&fen=9/9/9/9/9/9/9/9/9/9",
        "#/edit?game=seven_kingdoms&seats=99&fen=19",
        f"#/?game=jieqi&fen={'X' * 5000}",
        "#/?game=__proto__&toString=1",
        "#/?game=jieqi&constructor=1&fen=%25",
    ],
)
def test_addresses_of_any_shape_are_lived_with(address: str, page: Page, tab: Tab) -> None:
    tab.goto(address)
    expect(page.locator(".new-game, .edit, .notice").first).to_be_visible()
    page.wait_for_timeout(500)
    expect(page.get_by_text("The page has failed")).to_have_count(0)


def test_a_game_of_another_server_is_over(running: Browser, tmp_path: Path) -> None:
    """A server with games of its own does not know it."""
    with serving(tmp_path) as first, visit(running, first.url) as tab:
        tab.open_game("jieqi", [None, "greedy"])
        first.stop(signal.SIGINT)
        expect(tab.locator(".notice.gone")).to_contain_text("The game is kept")
        with serving(tmp_path, port=first.port):
            expect(tab.locator(".notice.error")).to_contain_text("there is no such game")
            expect(tab.locator(".usable")).to_have_count(0)
            expect(tab.button("Hint")).to_have_count(0)
            tab.link("Begin another game").click()
            expect(tab.locator(".new-game")).to_be_visible()


def test_the_form_goes_on_when_the_server_is_back(running: Browser, tmp_path: Path) -> None:
    with serving(tmp_path) as first, visit(running, first.url) as tab:
        tab.goto()
        expect(tab.button("Play", exact=True)).to_be_enabled()
        first.stop(signal.SIGINT)
        tab.choose("banqi")
        expect(tab.locator(".new-game .notice")).to_contain_text("does not answer")
        with serving(tmp_path, port=first.port):
            expect(tab.locator(".new-game .notice")).to_have_count(0)
            tab.press_play()
