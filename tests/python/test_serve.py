"""The server of the page: games by keys, datasets, and what it refuses."""

import json
import random
import shutil
import socket
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from common import until
from servers import Server, refusal, serving

import darkqi
import darkqi.datasets

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dataset."""
    root = tmp_path_factory.mktemp("served")
    darkqi.selfplay("jieqi", root / "deep" / "jieqi", 40, agents="greedy", seed=3, threads=1)
    return root


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with serving(folder) as running:
        yield running


def play(server: Server, key: str, position: Any, action: int) -> Any:
    return server.post(f"/api/play/{key}/move", turn=position["turn"], action=action)


@pytest.mark.parametrize("game", darkqi.games())
def test_two_people_play_a_game_to_its_end(server: Server, game: str) -> None:
    seats = darkqi.spec(game).num_players
    keys = server.begin(game, [None] * seats, seed="7", options={"max_plies": 60})
    state = darkqi.State(game, seed=7, max_plies=60)
    chooser = random.Random(1)
    while not state.is_terminal and not state.is_truncated:
        mover = state.current_player
        position = server.get(f"/api/play/{keys[mover]}")
        assert [move["action"] for move in position["legal"]] == state.legal_actions()
        assert {move["name"] for move in position["legal"]} == set(state.legal_moves())
        assert position["fen"] == state.fen(viewer=mover)
        watched = server.get(f"/api/play/{keys[-1]}")
        assert (watched["fen"], watched["legal"]) == (state.fen(viewer="public"), [])
        action = chooser.choice(state.legal_actions())
        state.apply(action)
        play(server, keys[mover], position, action)
    for key in keys:
        position = server.get(f"/api/play/{key}")
        assert (position["is_over"], position["fen"], position["seed"]) == (True, state.fen(), "7")
        assert state.outcome is not None
        assert position["outcome"]["reason"] == state.outcome.reason


def test_only_the_holder_of_a_seat_plays_for_it(server: Server) -> None:
    red, black, onlooker = server.begin("flipping", [None, None])
    position = server.get(f"/api/play/{red}")
    action = position["legal"][0]["action"]
    for key in (black, onlooker):
        body = {"turn": 0, "action": action}
        for request in ("move", "odds"):
            assert server.ask(f"/api/play/{key}/{request}", body).status == 403
        assert server.ask(f"/api/play/{key}/hint", {"turn": 0}).status == 403
        assert server.ask(f"/api/play/{key}/back", {"turn": 0}).status == 422
    assert server.ask(f"/api/play/{onlooker}/resign", {"turn": 0}).status == 422
    assert server.ask(f"/api/play/{red}x").status == 404
    illegal = server.ask(f"/api/play/{red}/move", {"turn": 0, "action": 99999})
    assert illegal.status == 422
    assert "99999" in illegal.json["error"]
    assert server.get(f"/api/play/{red}") == position
    play(server, red, position, action)
    late = server.ask(f"/api/play/{red}/move", {"turn": 0, "action": action})
    assert (late.status, "turn" in late.json["error"]) == (409, True)
    # With two people at two screens nobody takes back for the other.
    assert server.ask(f"/api/play/{red}/back", {"turn": 1}).status == 422
    # The offer of a position that has passed is not accepted.
    server.post(f"/api/play/{red}/draw", turn=1)
    position = server.get(f"/api/play/{black}")
    play(server, black, position, position["legal"][0]["action"])
    assert server.ask(f"/api/play/{black}/draw", {"turn": 1}).status == 409
    over = server.post(f"/api/play/{black}/resign", turn=3)
    assert (over["outcome"]["reason"], over["outcome"]["winners"]) == ("resignation", [0])
    assert server.get(f"/api/play/{onlooker}")["viewer"] == "all"


def test_an_agent_answers_and_a_ply_is_taken_back(server: Server) -> None:
    (key, _) = server.begin("gaiqi", [None, "greedy"], seed="4", adviser="expectimax:depth=1")
    begun = server.get(f"/api/play/{key}")
    hint = server.post(f"/api/play/{key}/hint", turn=0)
    assert hint["name"] in {move["name"] for move in begun["legal"]}
    odds = server.post(f"/api/play/{key}/odds", turn=0, action=hint["action"])["odds"]
    assert sum(odd["probability"] for odd in odds) == pytest.approx(1)
    start = time.perf_counter()
    played = play(server, key, begun, hint["action"])
    assert (played["turn"], played["thinking"]) == (1, True)
    answered = server.get(f"/api/play/{key}/wait?turn=1")
    # The ply before can be seen.
    assert time.perf_counter() - start > 0.5
    assert (answered["turn"], answered["ply"], answered["mover"]) == (2, 2, 0)
    # Of the plies, what is new.
    assert [ply["ply"] for ply in answered["history"]] == [1]
    state = darkqi.State("gaiqi", seed=4)
    state.apply(hint["name"])
    state.apply(state.choose("greedy", seed=4))
    assert answered["fen"] == state.fen(viewer=0)
    back = server.post(f"/api/play/{key}/back", turn=2)
    assert (back["ply"], back["turn"], back["fen"]) == (0, 3, begun["fen"])


def test_a_waiting_page_is_told_of_a_ply(server: Server) -> None:
    red, black, _ = server.begin("flipping", [None, None])
    heard: list[Any] = []
    waiting = threading.Thread(
        target=lambda: heard.append(server.get(f"/api/play/{black}/wait?turn=0"))
    )
    waiting.start()
    position = server.get(f"/api/play/{red}")
    play(server, red, position, position["legal"][0]["action"])
    waiting.join(timeout=30)
    assert [(told["turn"], told["ply"]) for told in heard] == [(1, 1)]


def test_a_finished_game_is_added_to_a_dataset(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        (key, _) = server.begin("flipping", [None, "random"], options={"max_plies": 6})
        position = server.get(f"/api/play/{key}")
        early = server.ask(f"/api/play/{key}/save", {"turn": position["turn"], "name": "mine"})
        assert early.status == 422
        position = play_to_the_end(server, key)
        for name in ("../mine", "", ".hidden", "a/b"):
            body = {"turn": position["turn"], "name": name}
            assert server.ask(f"/api/play/{key}/save", body).status == 400
        saved = server.post(f"/api/play/{key}/save", turn=position["turn"], name="mine")
        assert saved["saved"] == {
            "dataset": "0/mine",
            "path": str(tmp_path / "mine"),
            "game_id": 0,
        }
        assert not saved["can_save"]
        # Other rules make another dataset.
        other, *_ = server.begin("flipping", [None, None], options={"max_plies": 1}, shared=True)
        begun = server.get(f"/api/play/{other}")
        over = play(server, other, begun, begun["legal"][0]["action"])
        refused = server.ask(f"/api/play/{other}/save", {"turn": over["turn"], "name": "mine"})
        assert (refused.status, refused.json["offer"]) == (422, "mine-2")
        body = {"turn": over["turn"], "name": refused.json["offer"]}
        assert server.ask(f"/api/play/{other}/save", body).json["saved"]["game_id"] == 0
        row, _ = server.get("/api/datasets")["datasets"]
        assert (row["id"], row["games"], row["agents"]) == ("0/mine", 1, ["human", "random"])
    assert darkqi.verify(tmp_path / "mine").fault_count == 0


def play_to_the_end(server: Server, key: str) -> Any:
    """Plays the first legal move whenever the key's seat is to move; returns the last position."""
    position = server.get(f"/api/play/{key}")
    while not position["is_over"]:
        if position["legal"]:
            position = play(server, key, position, position["legal"][0]["action"])
        else:
            position = server.get(f"/api/play/{key}/wait?turn={position['turn']}") or position
    return position


def started_by(process: int) -> list[str]:
    """Returns what a process has started and runs; nothing where the system does not say."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            name, fields = place.read_text().rsplit(")", 1)
            found += [name] if int(fields.split()[1]) == process else []
    return found


def test_an_allowed_engine_is_named_without_its_command_and_ends_with_its_game(
    tmp_path: Path,
) -> None:
    engine = f"uci:cmd={sys.executable} -m darkqi uci flipping --set max_plies=4,fen=darkqi"
    with serving(tmp_path, "--allow", engine) as server:
        (agent,) = server.get("/api/catalogue")["extra_agents"]
        key, _ = server.begin("flipping", [None, agent], options={"max_plies": 4})
        over = play_to_the_end(server, key)
        server.post(f"/api/play/{key}/save", turn=over["turn"], name="mine")
        logged = "dataset=0/mine&game=0"
        for path in ("datasets", f"games?{logged}", f"replay?{logged}", f"file?{logged}&kind=txt"):
            answer = server.ask(f"/api/{path}")
            assert (answer.status, sys.executable in answer.text) == (200, False), path
        assert server.get("/api/datasets")["datasets"][0]["agents"] == ["human", agent]
        until(lambda: not started_by(server.process))


def test_an_engine_that_fails_can_be_asked_again_where_nobody_plays(tmp_path: Path) -> None:
    log: list[str] = []
    with serving(tmp_path, "--allow", "uci:cmd=false", log=log) as server:
        (key,) = server.begin("flipping", ["uci:cmd=false", "uci:cmd=false"])
        until(lambda: bool(server.get(f"/api/play/{key}")["failure"]))
        turn = server.get(f"/api/play/{key}")["turn"]
        assert server.ask(f"/api/play/{key}/retry", {"turn": turn}).status == 200
        person, onlooker = server.begin("flipping", ["uci:cmd=false", None])
        until(lambda: bool(server.get(f"/api/play/{person}")["failure"]))
        turn = server.get(f"/api/play/{person}")["turn"]
        refused = server.ask(f"/api/play/{onlooker}/retry", {"turn": turn})
        assert (refused.status, "a seat of it" in refused.text) == (422, True)
        assert server.ask(f"/api/play/{person}/retry", {"turn": turn}).status == 200


def test_games_are_saved_at_the_same_time(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        rules = {"max_plies": 1}
        keys = [
            server.begin("flipping", [None, None], options=rules, shared=True)[0] for _ in range(6)
        ]
        turns = [play_to_the_end(server, key)["turn"] for key in keys]

        def save(at: int) -> int:
            body = {"turn": turns[at], "name": "all"}
            return server.ask(f"/api/play/{keys[at]}/save", body).status

        with ThreadPoolExecutor(6) as pool:
            assert list(pool.map(save, range(6))) == [200] * 6
    assert darkqi.datasets.Dataset(tmp_path / "all").num_games == 6


def test_a_review_is_of_the_dataset_that_is_there(tmp_path: Path) -> None:
    for game in ("flipping", "gaiqi"):
        darkqi.selfplay(game, tmp_path / "kept" / game, 1, agents="random", max_plies=6, seed=1)
    shutil.copytree(tmp_path / "kept" / "flipping", tmp_path / "served" / "x")
    asked = {"dataset": "0/x", "game": 0}

    with serving(tmp_path / "served") as running:

        def review() -> Any:
            return running.ask("/api/review", asked).json.get("review")

        until(lambda: bool(review()))
        first = review()
        assert running.ask("/api/review", asked).json["done"] == 6
        shutil.rmtree(tmp_path / "served" / "x")
        assert running.ask("/api/review", asked).status == 404
        shutil.copytree(tmp_path / "kept" / "gaiqi", tmp_path / "served" / "x")
        until(lambda: bool(review()))
        assert review() != first


def test_datasets_are_listed_filtered_and_stepped_through(server: Server, folder: Path) -> None:
    rows = {row["id"]: row for row in server.get("/api/datasets")["datasets"]}
    row = rows["0/deep/jieqi"]
    assert (row["games"], row["is_complete"], row["error"]) == (40, True, None)
    dataset = quote("0/deep/jieqi", safe="")
    page = server.get(f"/api/games?dataset={dataset}&limit=7&offset=3")
    assert (page["total"], page["matching"]) == (40, 40)
    assert [game["game_id"] for game in page["games"]] == list(range(3, 10))
    reasons = page["facets"]["reasons"]
    assert sum(reasons.values()) == 40
    for reason, count in reasons.items():
        found = server.get(f"/api/games?dataset={dataset}&reason={reason}")
        assert {game["reason"] for game in found["games"]} == {reason}
        assert found["matching"] == count
    long = server.get(f"/api/games?dataset={dataset}&min_plies=100&winner=draw")
    assert all(game["plies"] >= 100 and game["winner"] == -1 for game in long["games"])

    logged = darkqi.replay(folder / "deep" / "jieqi", 3)
    shown = server.get(f"/api/replay?dataset={dataset}&game=3")
    assert [ply["name"] for ply in shown["plies"]] == [ply.move for ply in logged.plies]
    assert shown["differences"] == []
    state = darkqi.State.from_fen("jieqi", logged.deal)
    for number, ply in enumerate(logged.plies[:40]):
        views = server.get(f"/api/position?dataset={dataset}&game=3&ply={number}")
        assert views["fen"] == state.fen()
        assert set(views["pictures"]) == {"0", "1", "public", "all"}
        assert views["pictures"]["1"]["is_rotated"]
        for viewer in ("0", "1", "public"):
            pieces = views["pictures"][viewer]["pieces"]
            assert all(piece["letter"] is None for piece in pieces if piece["covered"])
        state.apply(ply.action)
    asked = server.post("/api/ask", dataset="0/deep/jieqi", game=3, ply=0, agent="greedy")
    assert asked["name"] in darkqi.State.from_fen("jieqi", logged.deal).legal_moves()
    report = server.ask(f"/api/report?dataset={dataset}")
    assert (
        report.text
        == Path(darkqi.report(folder / "deep" / "jieqi", folder / "r.html").path).read_text()
    )
    assert "script" not in report.headers["content-security-policy"]


def test_a_fault_is_named(server: Server) -> None:
    begin = "/api/games"
    long, clock = {"max_plies": 2001}, {"minutes": 1, "increment": 1, "delay": 1}
    for path, body, words in [
        (begin, {"game": "jeiqi", "seats": [None, None]}, "did you mean `jieqi`"),
        (begin, {"game": "jieqi", "seats": [None]}, "seats: jieqi has 2"),
        (begin, {"game": "jieqi", "seats": [None, None], "seed": "x"}, "seed"),
        (begin, {"game": "jieqi", "seats": [None, None], "fen": "x"}, "bad FEN"),
        (begin, {"game": "jieqi", "seats": [None, None], "options": {"x": 1}}, "option"),
        (begin, {"game": "jieqi", "seats": [None, "nobody"]}, "nobody"),
        (begin, {"game": "jieqi", "seats": [None, None], "clock": {"minutes": 0}}, "clock.minutes"),
        (begin, {"game": "jieqi", "seats": [None, None], "clock": clock}, "clock.delay: expected"),
        (begin, {"game": "jieqi", "seats": [None, None], "options": long}, "at most 2000 here"),
        (begin, {"game": "jieqi", "seats": [None, "uci:cmd=touch x"]}, "starts a program"),
        (begin, {"game": "jieqi", "seats": [None, "onnx:x.onnx"]}, "reads a file"),
        (begin, {"game": "jieqi", "seats": [None, "greedy:values=/etc/passwd"]}, "reads a file"),
        (begin, {"game": "jieqi", "seats": [None, "greedy:values=none"]}, "reads a file"),
        ("/api/ask", {"dataset": "0/deep/jieqi", "game": 1, "ply": 9999, "agent": "greedy"}, "ply"),
        ("/api/ask", {"dataset": "0/x", "game": 1, "ply": 0, "agent": "greedy"}, "0/x"),
    ]:
        answer = server.ask(path, body)
        assert 400 <= answer.status < 500, answer
        assert words in answer.json["error"]


def test_every_seat_can_be_set_to_move(server: Server) -> None:
    for game, options in [("banqi", {"flips": 4}), ("seven_kingdoms", {"max_plies": 3})]:
        setup = server.ask("/api/setup", {"game": game, "options": options}).json
        seats = range(darkqi.spec(game).num_players)
        assert {mover["seat"] for mover in setup["movers"]} == set(seats)


def test_ten_equal_pieces_move(server: Server) -> None:
    # Books in Chinese count to nine.
    options = {f"pool.{kind}": 0 for kind in "AEHRC"} | {"pool.P": 15, "max_plies": 60}
    chooser, names = random.Random(1), set()
    for seed in range(3):
        key, *_ = server.begin("jieqi", [None, None], seed=str(seed), options=options, shared=True)
        position = server.get(f"/api/play/{key}")
        while not position["is_over"]:
            names |= {move["chinese"] for move in position["legal"]}
            action = chooser.choice(position["legal"])["action"]
            position = play(server, key, position, action)
    assert None in names


def test_a_misspelt_field_is_named(server: Server) -> None:
    game = {"game": "jieqi", "options": {}}
    key = server.begin("jieqi", [None, "random"])[0]
    logged = {"dataset": "0/deep/jieqi", "game": 1}
    turn = {"turn": 0}
    bodies: dict[str, dict[str, Any]] = {
        "spec": game,
        "rules": {"text": ""},
        "setup": game,
        "board": {**game, "fen": ""},
        "games": {**game, "seats": [None, None]},
        "ask": {**logged, "ply": 0, "agent": "greedy"},
        "review": logged,
        "studies/stop": {"study": "0/s"},
        "studies/resume": {"study": "0/s"},
        f"play/{key}/move": {**turn, "action": 0},
        f"play/{key}/save": {**turn, "name": "x"},
        f"play/{key}/objection": {**turn, "from": "a1"},
        f"play/{key}/resign": turn,
    }
    for path, body in bodies.items():
        answer = server.ask(f"/api/{path}", {**body, "sead": 3})
        assert (answer.status, "unknown field `sead`" in answer.text) == (422, True), (path, answer)


@pytest.mark.parametrize(
    "dataset", ["0/../x", "0//etc", "1", "-1", "x", "0/deep/../../x", "0/%2e%2e", "", "0/deep"]
)
def test_paths_outside_the_folders_are_refused(server: Server, dataset: str) -> None:
    answer = server.ask(f"/api/games?dataset={quote(dataset, safe='')}")
    assert answer.status == 404
    assert "error" in answer.json


def test_requests_of_other_sites_are_refused(server: Server) -> None:
    evil = {"Host": "evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}
    for headers in evil:
        assert server.ask("/api/datasets", headers=headers).status == 403, headers
    form = {"Content-Type": "text/plain"}
    assert server.ask("/api/games", {"game": "jieqi", "seats": [None, None]}, form).status == 415
    page = server.ask("/")
    assert page.status == 200
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert server.ask("/api/datasets", headers={"Origin": server.url.rstrip("/")}).status == 200


def test_what_the_server_cannot_use_is_named(server: Server, tmp_path: Path) -> None:
    arguments: list[tuple[tuple[str | Path, ...], str]] = [
        ((tmp_path, "--port", server.port), server.port),
        ((tmp_path / "none",), "none: expected a folder"),
        ((tmp_path, "--agent", "expectimax:hash=70000"), "a whole number from 1 to 65536"),
        ((tmp_path, "--allow", "onnx:missing"), "net missing: cannot be read"),
    ]
    for args, words in arguments:
        assert words in refusal(*args)


def test_work_is_rationed_and_ends_with_its_request(folder: Path) -> None:
    """Eight questions at a time; those that nobody waits for any more make room."""
    question = {"dataset": "0/deep/jieqi", "game": 0, "ply": 0}
    endless = json.dumps({**question, "agent": "expectimax:depth=64"})
    with serving(folder) as server:

        def is_free() -> bool:
            status = server.ask("/api/ask", {**question, "agent": "random"}).status
            assert status in (200, 503)
            return status == 200

        waiting = []

        def is_busy() -> bool:
            waiting.append(server.connection())
            waiting[-1].request("POST", "/api/ask", endless, JSON)
            return len(waiting) >= 8 and not is_free()

        until(is_busy)
        assert server.ask("/api/datasets").status == 200
        # What is slow keeps nothing else waiting.
        assert server.ask("/api/games", {"game": "gaiqi", "seats": [None, None]}).status == 201
        assert server.ask("/api/report?dataset=0%2Fdeep%2Fjieqi").status == 200
        for connection in waiting:
            connection.close()
        until(is_free)


def test_a_hint_ends_with_its_request(folder: Path) -> None:
    """Hints that nobody waits for any more make room, though their games stay as they are."""
    with serving(folder) as server:
        spec = {"game": "flipping", "seats": [None, None], "adviser": "expectimax:depth=64"}
        for _ in range(8):
            key = server.ask("/api/games", spec).json["keys"][0]["key"]
            connection = server.connection()
            connection.request("POST", f"/api/play/{key}/hint", json.dumps({"turn": 0}), JSON)
            time.sleep(0.1)
            connection.close()
        question = {"dataset": "0/deep/jieqi", "game": 0, "ply": 0, "agent": "random"}
        until(lambda: server.ask("/api/ask", question).status == 200)


def test_agents_of_a_page_have_limits(folder: Path) -> None:
    with serving(folder) as server:
        for hash_size, status in ((17, 400), (16, 201)):
            agent = f"expectimax:depth=1,net=none,hash={hash_size}"
            answer = server.ask("/api/games", {"game": "flipping", "seats": [agent, None]})
            assert answer.status == status, answer


def test_half_a_request_holds_no_work(folder: Path) -> None:
    """Questions whose bodies never come do not keep others waiting."""
    question = {"dataset": "0/deep/jieqi", "game": 0, "ply": 0, "agent": "random"}
    with serving(folder) as server, ExitStack() as connections:
        for _ in range(12):
            connection = server.connection()
            connections.callback(connection.close)
            connection.putrequest("POST", "/api/ask")
            connection.putheader("Content-Type", "application/json")
            connection.putheader("Content-Length", "100")
            connection.endheaders()
        # Long enough for the server to see them.
        time.sleep(0.5)
        assert server.ask("/api/ask", question).status == 200


def test_requests_for_work_are_limited(tmp_path: Path) -> None:
    """A hundred at once, then twenty a second."""
    with serving(tmp_path) as server:
        spec = {"game": "banqi", "seats": [None, None]}
        begun = 0
        while (answer := server.ask("/api/games", spec)).status == 201:
            begun += 1
            assert begun < 10_000
        assert begun >= 100
        assert answer.status == 429
        assert "20 a second" in answer.json["error"]


@pytest.fixture
def engine(tmp_path: Path) -> str:
    """Returns the command of an engine that repeats the position that it was told, and ends."""
    program = tmp_path / "private_engine.py"
    program.write_text(
        textwrap.dedent("""
            for line in iter(input, None):
                if line.startswith("position"):
                    print("info string I have", line)
                elif line.startswith("go"):
                    raise SystemExit
                print({"uci": "uciok", "isready": "readyok"}.get(line, ""), flush=True)
        """)
    )
    return f"{sys.executable} {program}"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0"])
def test_the_page_is_opened_through_tunnels_and_proxies(host: str, tmp_path: Path) -> None:
    with serving(
        tmp_path, "--host", host, *["--allow-host", "games.example"], warns=True
    ) as server:
        local = f"127.0.0.1:{server.port}"
        api = "/api/catalogue"
        for own, origin in (
            ("localhost:9000", "https://localhost:9000"),
            (local, "https://games.example"),
            ("Games.Example:8443", f"http://{local}"),
        ):
            headers = {"Host": own, "Origin": origin}
            assert server.ask(api, headers=headers).status == 200, headers
        beyond = server.ask(api, headers={"Host": "192.168.1.5:8080"}).status
        assert beyond == (200 if host == "0.0.0.0" else 403)
        # Of another name there is the page, which says why it has nothing to show.
        for headers in ({"Host": "mybox.local:80"}, {"Host": local, "Origin": "http://x.example"}):
            refused = server.ask(api, headers=headers)
            assert refused.status == 403
            assert "`darkqi serve --allow-host " in refused.json["error"]
            for path in ("/", "/app.js", "/app.css"):
                assert server.ask(path, headers=headers).status == 200, path


def test_the_page_lies_below_a_path(tmp_path: Path) -> None:
    with serving(tmp_path, "--base", "play/here") as server:
        assert server.url.endswith("/play/here/")
        top = server.ask("/play/here")
        assert (top.status, top.headers["location"]) == (307, "/play/here/")
        # With the path, and without it, as some proxies ask.
        for base in ("/play/here", ""):
            page = server.ask(f"{base}/")
            assert page.status == 200
            assert 'src="./app.js"' in page.text
            assert server.ask(f"{base}/app.js").status == 200
            assert server.ask(f"{base}/api/catalogue").status == 200
            foreign = {"Host": "evil.example"}
            assert server.ask(f"{base}/api/catalogue", headers=foreign).status == 403
        assert server.ask("/play/api/catalogue").status == 404


def wait_for_failure(server: Server, key: str) -> None:
    while not (position := server.get(f"/api/play/{key}"))["failure"]:
        server.ask(f"/api/play/{key}/wait?turn={position['turn']}")


def test_an_agents_failure_tells_nobody_what_it_knows(tmp_path: Path, engine: str) -> None:
    agent = f"uci:cmd={engine}"
    secrets = ("private_engine", "info string", "I have", "position fen", "bestmove")
    darkqi.selfplay("jieqi", tmp_path / "data", 2, agents="greedy", max_plies=20)
    log: list[str] = []
    with serving(tmp_path, "--allow", agent, log=log) as server:
        (named,) = server.get("/api/catalogue")["extra_agents"]
        assert named == f"uci:cmd={Path(sys.executable).name}"
        keys = server.begin("jieqi", [named, None], adviser=named)
        wait_for_failure(server, keys[0])
        answers = [server.ask(f"/api/play/{key}") for key in keys]
        assert f"{named} has failed" in answers[0].json["failure"]
        mine, *_ = server.begin("jieqi", [None, "greedy"], adviser=agent)
        answers.append(server.ask(f"/api/play/{mine}/hint", {"turn": 0}))
        question = {"dataset": "0/data", "game": 0, "ply": 0, "agent": named}
        answers.append(server.ask("/api/ask", question))
        assert [answer.status for answer in answers] == [200, 200, 422, 422]
        for answer in answers:
            assert "has failed" in answer.text
            assert not [secret for secret in secrets if secret in answer.text]
    # The person who runs the server is told.
    lines = log[0].splitlines()
    assert len(lines) == 3
    assert all("private_engine" in line and "position `" in line for line in lines)


def test_a_server_needs_no_variable_of_its_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for threads in ("0", "many", "-1"):
        monkeypatch.setenv("TOKIO_WORKER_THREADS", threads)
        with serving(tmp_path) as server:
            assert server.ask("/").status == 200


def ticks(server: Server) -> float:
    """Returns the seconds of processor time that a server has taken."""
    fields = Path(f"/proc/{server.process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def test_reading_ends_with_its_request(tmp_path: Path) -> None:
    darkqi.selfplay("gaiqi", tmp_path / "gaiqi", 3000, agents="random", seed=1)
    with serving(tmp_path) as server:
        path = "/api/games?dataset=0%2Fgaiqi&limit=1000"
        begun = ticks(server)
        assert [server.ask(path).status for _ in range(40)] == [200] * 40
        answered = ticks(server) - begun
        begun = ticks(server)
        for _ in range(400):
            connection = server.connection()
            connection.request("GET", path)
            connection.close()
        until(lambda: server.ask(path).status == 200)
        # Few of them were worked on, as nobody waited any more.
        assert ticks(server) - begun < 3 * answered + 0.1


def test_many_readers_wait_for_their_turn(tmp_path: Path) -> None:
    darkqi.selfplay("gaiqi", tmp_path / "gaiqi", 300, agents="random", seed=1)
    with serving(tmp_path) as server:
        connections = [server.connection() for _ in range(60)]
        for connection in connections:
            connection.request("GET", "/api/games?dataset=0%2Fgaiqi")
        assert [connection.getresponse().status for connection in connections] == [200] * 60
        # A game goes on beside them.
        key, *_ = server.begin("jieqi", [None, None])
        assert server.ask(f"/api/play/{key}").status == 200
        for connection in connections:
            connection.close()


def test_who_reads_nothing_makes_room(tmp_path: Path) -> None:
    """Connections to clients that never read are closed, so that others are answered."""
    with serving(tmp_path) as server:
        idle = []
        for _ in range(512):
            client = socket.create_connection(("127.0.0.1", int(server.port)))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.sendall(b"GET /app.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
            idle.append(client)
        assert server.ask("/").status == 200
        for client in idle:
            client.close()
