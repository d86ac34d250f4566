"""Object storage that does not answer: a signal ends the wait, whatever waits.

``scripts/test-storage.sh`` runs these tests; they need a package with the feature ``object-store``.
"""

import contextlib
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from common import environment, start

import darkqi

URL = "s3://games/data"
# Seconds between a signal and the end of a program. It looks every twentieth of one.
PATIENCE = 5 if os.environ.get("CI") else 3


def has_storage() -> bool:
    """Returns whether this package can read object storage."""
    try:
        darkqi.verify("az://nothing/x")
    except OSError as error:
        return "built without object storage" not in str(error)
    return True


with pytest.MonkeyPatch.context() as patch:
    # Nothing is asked: the address is none.
    patch.setenv("AZURE_STORAGE_ENDPOINT", "none")
    if not has_storage():
        pytest.skip("scripts/test-storage.sh runs these tests", allow_module_level=True)


def variables(port: int) -> dict[str, str]:
    """Returns the environment that leads to a port of this machine."""
    return environment(
        AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}",
        AWS_ALLOW_HTTP="true",
        AWS_ACCESS_KEY_ID="x",
        AWS_SECRET_ACCESS_KEY="y",
        AWS_REGION="us-east-1",
    )


class Storage(ThreadingHTTPServer):
    """A server of a dataset, as far as it answers."""

    daemon_threads = True

    def __init__(self, folder: Path, fault: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.fault = folder, fault
        # Set once a request is not answered.
        self.stalls = threading.Event()


class Handler(BaseHTTPRequestHandler):
    """Answers a request, or does not."""

    server: Storage
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def do_HEAD(self) -> None:
        """Answers as a GET, without the contents."""
        self.answer(is_head=True)

    def do_GET(self) -> None:
        """Answers with an object, or with a list of some."""
        self.answer(is_head=False)

    def do_PUT(self) -> None:
        """Never answers."""
        self.stall()

    def stall(self) -> None:
        """Waits until the client has gone."""
        self.server.stalls.set()
        self.close_connection = True
        with contextlib.suppress(OSError):
            while self.connection.recv(1 << 16):
                pass

    def answer(self, *, is_head: bool) -> None:
        """Answers unless the server is to fail."""
        url = urlsplit(self.path)
        key = url.path.removeprefix("/games").strip("/").removeprefix("data").strip("/")
        query = parse_qs(url.query)
        fault = self.server.fault
        if fault == "silent" or (fault == "late" and key.endswith(".parquet")):
            self.stall()
            return
        if "list-type" in query:
            self.send(self.page(query), "application/xml", is_head=is_head)
            return
        path = self.server.folder / key
        if not path.is_file():
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send(path.read_bytes(), "application/octet-stream", is_head=is_head)

    def page(self, query: dict[str, list[str]]) -> bytes:
        """Returns a list of objects."""
        prefix = query["prefix"][0].removeprefix("data").strip("/")
        folder = self.server.folder / prefix
        names = sorted(os.listdir(folder)) if folder.is_dir() else []
        files = "".join(
            f"<Contents><Key>data/{prefix}/{name}</Key><Size>1</Size><ETag>x</ETag>"
            "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
            for name in names
            if (folder / name).is_file()
        ).replace("//", "/")
        return (
            '<?xml version="1.0"?><ListBucketResult><Name>games</Name><KeyCount>1</KeyCount>'
            f"<IsTruncated>false</IsTruncated>{files}</ListBucketResult>"
        ).encode()

    def send(self, body: bytes, kind: str, *, is_head: bool) -> None:
        """Sends an answer, its end after a second or never if the server is slow."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"x"')
        self.send_header("Last-Modified", formatdate(usegmt=True))
        self.end_headers()
        if is_head:
            return
        if self.server.fault == "slow":
            self.wfile.write(body[:10])
            self.wfile.flush()
            self.stall()
            return
        self.wfile.write(body)


@contextlib.contextmanager
def serving(folder: Path, fault: str) -> Iterator[Storage]:
    """Serves a folder as `s3://games/data`."""
    server = Storage(folder, fault)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a dataset in a folder."""
    path = tmp_path_factory.mktemp("data") / "gaiqi"
    darkqi.selfplay("gaiqi", path, 40, agents="greedy", seed=3, shard_games=20)
    return path


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
def test_commands_that_wait(name: str, number: signal.Signals, dataset: Path) -> None:
    for fault in ("silent", "late") if name != "selfplay" else ("silent",):
        with serving(dataset, fault) as server:
            words = ["-m", "darkqi", *COMMANDS[name].split()]
            process = start(*words, env=variables(server.server_address[1]))
            assert server.stalls.wait(60), process.communicate()
            status, errors = stopped(process, number)
        assert status == 128 + number, errors
        said = "Ctrl-C" if number == signal.SIGINT else "SIGTERM"
        assert errors.splitlines()[-1].startswith(f"error: stopped by {said}: "), errors


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        process = start("-m", "darkqi", "verify", URL, env=variables(port))
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
def test_calls_that_wait(name: str, fault: str, dataset: Path) -> None:
    with serving(dataset, fault) as server:
        program = PROGRAM.format(call=CALLS[name])
        process = start("-c", program, env=variables(server.server_address[1]))
        assert server.stalls.wait(60), process.communicate()
        status, errors = stopped(process, signal.SIGINT)
    assert status == 77, errors
