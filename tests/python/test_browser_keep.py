"""Games that are kept, taken up again, reviewed and begun anywhere, in the browser."""

import json
import os
import signal
import stat
from pathlib import Path
from typing import Any

import pytest

import darkqi

pytest.importorskip("playwright", reason="the page is tested with playwright")

from browser import Site, click, executable, key_of, open_game, plies, settle, visit
from playwright.sync_api import Browser, Page, expect
from servers import Server, serving

if executable() is None:
    pytest.skip("no browser: install Debian's chromium", allow_module_level=True)


def stop(server: Server, how: signal.Signals) -> None:
    os.kill(server.process, how)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_game_goes_on_with_the_next_server(
    how: signal.Signals, running: Browser, tmp_path: Path
) -> None:
    games = tmp_path / "games"
    arguments = (tmp_path, "--games", games)
    with serving(*arguments, log=[]) as first, visit(running, first.url) as page:
        port = first.address.rsplit(":", 1)[1]
        open_game(page, Site(first.url, tmp_path), "jieqi", [None, "greedy"])
        for _ in range(2):
            state = darkqi.State("jieqi", seed=7)
            for name in plies(page):
                state.apply(name)
            click(page, state.legal_moves()[0])
        before = plies(page)
        assert len(before) == 4
        (kept,) = games.glob("*.json")
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        key = key_of(page)
        assert key in kept.read_text()
        assert key not in kept.name
        stop(first, how)
        expect(page.locator(".notice.gone")).to_contain_text("The game is kept")
        with serving(*arguments, port=port):
            # The page goes on by itself.
            expect(page.locator(".notice")).to_have_count(0, timeout=20_000)
            assert (plies(page), key_of(page)) == (before, key)
            state = darkqi.State("jieqi", seed=7)
            for name in before:
                state.apply(name)
            click(page, state.legal_moves()[0])
            assert plies(page)[:5] == [*before, state.legal_moves()[0]]
            page.goto(first.url)
            expect(page.locator(".under-way a")).to_have_count(1)


def test_an_agent_moves_on_after_a_restart(tmp_path: Path) -> None:
    """It was to move when the server was killed."""
    arguments = (tmp_path, "--games", tmp_path / "games")
    slow = "expectimax:time=60000"
    with serving(*arguments, log=[]) as first:
        (key, _) = first.begin("gaiqi", [slow, None], seed="7")
        assert first.get(f"/api/play/{key}")["thinking"]
        stop(first, signal.SIGKILL)
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
        assert "/bin/engine" not in json.dumps(second.get("/api/catalogue"))
    for name in "abcde":
        assert f"{name}.json: not a game" in log[0]
        assert (games / f"{name}.json").is_symlink() or (games / f"{name}.json").exists()


def test_a_folder_of_games_has_one_server(tmp_path: Path) -> None:
    games = tmp_path / "games"
    with serving(tmp_path, "--games", games) as first:
        done = darkqi_serve(tmp_path, "--games", games)
        assert "another `darkqi serve` keeps its games there" in done
        assert first.get("/api/catalogue")["keeps_games"]


def darkqi_serve(*arguments: Path | str) -> str:
    """Returns what a server says that cannot begin."""
    import subprocess

    from servers import COMMAND

    done = subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


