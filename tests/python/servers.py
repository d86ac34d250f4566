"""A server of the page for tests."""

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urlsplit

COMMAND = [sys.executable, "-m", "darkqi", "serve", "--port", "0", "--no-open"]


class Answer(NamedTuple):
    """An answer of the server."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Server:
    """A running server."""

    def __init__(self, url: str, process: int) -> None:
        self.url = url
        self.process = process
        self.address = urlsplit(url).netloc
        self.port = self.address.rsplit(":", 1)[1]

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Ends it, as a service is ended unless otherwise told."""
        os.kill(self.process, how)

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.address, timeout=120)

    def ask(self, path: str, body: object = None, headers: dict[str, str] | None = None) -> Answer:
        """Sends a GET, or a POST of JSON."""
        connection = self.connection()
        given = dict(headers or {})
        try:
            if body is None:
                connection.request("GET", path, headers=given)
            else:
                given = {"Content-Type": "application/json", **given}
                connection.request("POST", path, json.dumps(body), given)
            answer = connection.getresponse()
            text = answer.read().decode()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, names, text)
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        """Returns the JSON of an answer that succeeds."""
        answer = self.ask(path)
        assert answer.status == 200, answer
        return answer.json

    def post(self, path: str, **body: object) -> Any:
        """Returns the JSON of an answer that succeeds."""
        answer = self.ask(path, body)
        assert answer.status in (200, 201), answer
        return answer.json

    def begin(self, game: str, seats: list[str | None], **more: object) -> list[str]:
        """Begins a game. Returns its keys."""
        keys = self.post("/api/games", game=game, seats=seats, **more)["keys"]
        return [key["key"] for key in keys]


def refusal(*args: str | Path) -> str:
    # Of two ports the command line takes none.
    command = [word for word in COMMAND if "--port" not in args or word not in ("--port", "0")]
    command += map(str, args)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


@contextmanager
def serving(
    *args: str | Path, port: str = "0", log: list[str] | None = None, warns: bool = False
) -> Iterator[Server]:
    """Runs ``darkqi serve`` and ends it as Ctrl-C does, unless it has been killed.

    Its log is added to a list; without one, nothing is logged, unless it warns. Games are kept in a
    folder of their own, unless the arguments name one.
    """
    command = [port if word == "0" else word for word in COMMAND]
    with (
        TemporaryDirectory() as games,
        subprocess.Popen(
            [*command, *([] if "--games" in args else ["--games", games]), *map(str, args)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        try:
            yield Server(url, process.pid)
        finally:
            # One that was killed is not signalled again.
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        if log is not None:
            log.append(errors)
        assert process.returncode in (0, -signal.SIGKILL), errors
        assert errors == "" or log is not None or warns, errors
