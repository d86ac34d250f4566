"""What the server of the page does for many, for the slow and for those who have left."""

import http.client
import json
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from common import until
from servers import Server, serving

import darkqi

CHARIOTS = "3k4r/9/9/9/9/9/9/9/9/R3K4 w - 0 0"


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
            connection = http.client.HTTPConnection(server.address, timeout=60)
            connection.request("GET", path)
            connection.close()
        until(lambda: server.ask(path).status == 200)
        # Few of them were worked on, as nobody waited any more.
        assert ticks(server) - begun < 3 * answered + 0.1


def test_many_readers_wait_for_their_turn(tmp_path: Path) -> None:
    darkqi.selfplay("gaiqi", tmp_path / "gaiqi", 300, agents="random", seed=1)
    with serving(tmp_path) as server:
        connections = [http.client.HTTPConnection(server.address, timeout=120) for _ in range(60)]
        for connection in connections:
            connection.request("GET", "/api/games?dataset=0%2Fgaiqi")
        assert [connection.getresponse().status for connection in connections] == [200] * 60
        # A game goes on beside them.
        key, *_ = server.begin("jieqi", [None, None])
        assert server.ask(f"/api/play/{key}").status == 200
        for connection in connections:
            connection.close()


@pytest.mark.parametrize("shared", [False, True])
def test_answers_carry_what_is_new(tmp_path: Path, shared: bool) -> None:
    with serving(tmp_path) as server:
        options = {"repetition": "off", "quiet_limit": "65535", "max_plies": "65535"}
        seats: list[str | None] = [None, None]
        keys = server.begin("jieqi", seats, options=options, fen=CHARIOTS, shared=shared)
        connection = http.client.HTTPConnection(server.address, timeout=60)

        def post(key: str, what: str, body: Any) -> bytes:
            headers = {"Content-Type": "application/json"}
            connection.request("POST", f"/api/play/{key}/{what}", json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status == 200, text
            return text

        state = darkqi.State.from_fen("jieqi", CHARIOTS, **options)
        sizes = []
        for turn in range(400):
            name = ("a1a2", "i10i9", "a2a1", "i9i10")[turn % 4]
            key = keys[0] if shared else keys[turn % 2]
            text = post(key, "move", {"turn": turn, "action": state.action_index(name)})
            state.apply(name)
            sizes.append(len(text))
            assert [ply["name"] for ply in json.loads(text)["history"]] == [name]
        assert max(sizes[-4:]) < max(sizes[:4]) + 200
        whole = server.get(f"/api/play/{keys[-1]}")
        assert [ply["ply"] for ply in whole["history"]] == list(range(400))
        news = server.get(f"/api/play/{keys[-1]}/wait?turn=390")
        assert [ply["ply"] for ply in news["history"]] == list(range(390, 400))
        connection.close()


def test_who_reads_nothing_makes_room(tmp_path: Path) -> None:
    """Connections to clients that never read are closed, so that others are answered."""
    with serving(tmp_path) as server:
        host, port = server.address.split(":")
        idle = []
        for _ in range(512):
            client = socket.create_connection((host, int(port)))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.sendall(b"GET /app.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
            idle.append(client)
        assert server.ask("/").status == 200
        for client in idle:
            client.close()


def test_games_that_are_watched_are_kept(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        spec = {"game": "flipping", "seats": [None, None]}
        key, *_ = server.begin("flipping", [None, None])
        waiting = http.client.HTTPConnection(server.address, timeout=60)
        waiting.request("GET", f"/api/play/{key}/wait?turn=0")
        begun = 0
        while begun < 201:
            status = server.ask("/api/games", spec).status
            assert status in (201, 429)
            begun += status == 201
            time.sleep(0.05 * (status == 429))
        assert server.ask(f"/api/play/{key}").status == 200
        waiting.close()


def test_agents_with_much_memory_are_refused(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        for agent, option in (
            ("ismcts:sims=1000000", "sims"),
            ("baseline:sims=1000000", "sims"),
            ("baseline:sims=16,root=gumbel,batch=65536", "batch"),
        ):
            answer = server.ask("/api/games", {"game": "banqi", "seats": [agent, None]})
            assert answer.status == 400
            assert f"agent: {option}: expected at most" in answer.json["error"]
        # Each is allowed; in use, they are not all.
        spec = {"game": "banqi", "seats": ["ismcts:sims=16384", None], "adviser": "greedy"}
        keys = []
        while (answer := server.ask("/api/games", spec)).status == 201:
            keys.append(answer.json["keys"][0]["key"])
            server.get(f"/api/play/{keys[-1]}")
            assert len(keys) < 100
        assert answer.status == 503
        assert "fewer `sims`" in answer.json["error"]
        for key in keys:
            resign = f"/api/play/{key}/resign"
            # The agent may move between the two questions.
            while (
                answer := server.ask(resign, {"turn": server.get(f"/api/play/{key}")["turn"]})
            ).status == 409:
                pass
            assert answer.status == 200, answer
