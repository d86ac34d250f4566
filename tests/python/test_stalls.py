"""Object storage that does not answer: a signal ends the wait, whatever waits.

``scripts/test-storage.sh`` runs these tests; they need moto, and a package with the feature
``object-store``.
"""

import contextlib
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from common import environment, start

import darkqi

pytest.importorskip("moto", reason="scripts/test-storage.sh runs these tests")

from s3 import Answer, Environ, Server

URL = "s3://games/stalls"
# Seconds between a signal and the end of a program. It looks every twentieth of one.
PATIENCE = 5 if os.environ.get("CI") else 3


@pytest.fixture(scope="module", autouse=True)
def _dataset(storage: Server, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Stores a dataset where `URL` leads."""
    path = tmp_path_factory.mktemp("data") / "gaiqi"
    darkqi.selfplay("gaiqi", path, 40, agents="greedy", seed=3, shard_games=20)
    storage.put("stalls", path)


def let_stall(server: Server, fault: str) -> threading.Event:
    """Lets a server not answer, or not to the end. Returns what is set once it does so."""
    stalls = threading.Event()

    def stall(environ: Environ) -> Answer:
        """Waits until the client has gone."""
        stalls.set()
        with contextlib.suppress(OSError):
            while environ["werkzeug.socket"].recv(1 << 16):
                pass
        return []

    def begun(answer: Answer, environ: Environ) -> Iterator[bytes]:
        yield b"".join(answer)[:10]
        yield from stall(environ)

    def stalling(environ: Environ, start: Any) -> Answer | None:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        is_late = fault == "late" and path.endswith(".parquet")
        if fault == "silent" or is_late or method == "PUT":
            return stall(environ)
        if fault == "slow" and method == "GET":
            return begun(server.app(environ, start), environ)
        return None

    server.fault = stalling
    return stalls


def stopped(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str]:
    """Sends a signal; returns how the program ends, which it does soon, and what it says."""
    begun = time.monotonic()
    process.send_signal(number)
    try:
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert time.monotonic() - begun < PATIENCE
    return process.returncode, errors


COMMANDS = {
    "selfplay": f"selfplay gaiqi --games 40 --quiet --out {URL}",
    "resume": f"selfplay --resume --quiet --out {URL}",
    "finish": f"finish --quiet {URL}",
    "verify": f"verify --quiet {URL}",
    "report": f"report {URL} --out page.html",
    "first-reveal": f"first-reveal {URL}",
    "values": f"values fit {URL}",
    "replay": f"replay {URL} 3",
}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_that_wait(name: str, number: signal.Signals, server: Server) -> None:
    for fault in ("silent", "late") if name != "selfplay" else ("silent",):
        stalls = let_stall(server, fault)
        process = start("-m", "darkqi", *COMMANDS[name].split())
        assert stalls.wait(60), process.communicate()
        status, errors = stopped(process, number)
        assert status == 128 + number, errors
        said = "Ctrl-C" if number == signal.SIGINT else "SIGTERM"
        assert errors.splitlines()[-1].startswith(f"error: stopped by {said}: "), errors


@pytest.mark.usefixtures("server")
def test_a_server_that_is_not_there() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nowhere = environment(AWS_ENDPOINT_URL=f"http://127.0.0.1:{closed.getsockname()[1]}")
        process = start("-m", "darkqi", "verify", URL, env=nowhere)
        # It is asked again and again.
        time.sleep(3)
        assert process.poll() is None
        status, errors = stopped(process, signal.SIGTERM)
    assert status == 128 + signal.SIGTERM, errors


CALLS = {
    "selfplay": f"darkqi.selfplay('gaiqi', {URL!r}, 40, seed=3, shard_games=20, resume=True)",
    "finish": f"darkqi.finish({URL!r})",
    "verify": f"darkqi.verify({URL!r})",
    "first_reveal": f"darkqi.first_reveal({URL!r})",
    "piece_values": f"darkqi.piece_values({URL!r})",
    "by_phase": f"darkqi.piece_values_by_phase({URL!r})",
    "compare": f"darkqi.compare([{URL!r}, {URL!r}])",
    "report": f"darkqi.report({URL!r}, 'page.html')",
    "replay": f"darkqi.replay({URL!r}, 0)",
    "load": f"list(darkqi.datasets.load({URL!r}).replays())",
    "batches": f"next(darkqi.datasets.load({URL!r}).batches(10, threads=2))",
}
PROGRAM = """
import darkqi, darkqi.datasets
try:
    {call}
except KeyboardInterrupt:
    raise SystemExit(77)
"""


@pytest.mark.parametrize("fault", ["silent", "slow", "late"])
@pytest.mark.parametrize("name", CALLS)
def test_calls_that_wait(name: str, fault: str, server: Server) -> None:
    stalls = let_stall(server, fault)
    process = start("-c", PROGRAM.format(call=CALLS[name]))
    assert stalls.wait(60), process.communicate()
    status, errors = stopped(process, signal.SIGINT)
    assert status == 77, errors
