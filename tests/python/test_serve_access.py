"""Who may open the page, by which names, and what nobody is told of agents."""

import sys
import textwrap
from pathlib import Path

import pytest
from servers import Server, serving

import darkqi


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
        port = server.address.rsplit(":", 1)[1]
        local = f"127.0.0.1:{port}"
        api = "/api/catalogue"
        for own, origin in (
            (local, f"http://{local}"),
            ("localhost:9000", "http://localhost:9000"),
            (f"localhost:{port}", f"https://localhost:{port}"),
            (local, "https://games.example"),
            ("games.example", "https://games.example"),
            ("Games.Example:8443", None),
        ):
            headers = {"Host": own, **({"Origin": origin} if origin else {})}
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
