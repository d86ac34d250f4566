"""An S3 server in the process of the tests, which fails where a test asks for it.

It needs moto, which ``scripts/test-storage.sh`` installs.
"""

import contextlib
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
from common import contents
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

SECRET = "a-secret-that-no-message-repeats"

Environ = dict[str, Any]
Answer = Iterable[bytes]
App = Callable[[Environ, Any], Answer]


@dataclass
class Server:
    """An S3 server in this process."""

    app: App
    port: int = 0
    # What is done with a request instead of answering it, if anything.
    fault: Callable[[Environ, Any], Answer | None] = lambda _environ, _start: None
    requests: list[str] = field(default_factory=list)
    # How many bytes of each object were sent.
    sent: Counter[str] = field(default_factory=Counter)

    def __call__(self, environ: Environ, start: Any) -> Answer:
        """Answers a request."""
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        self.requests.append(f"{method} {path}")

        def counting(status: str, headers: Any, *rest: Any) -> Any:
            if method == "GET":
                self.sent[path] += int(dict(headers).get("Content-Length", 0))
            return start(status, headers, *rest)

        answer = self.fault(environ, start)
        return self.app(environ, counting) if answer is None else answer

    @property
    def variables(self) -> dict[str, str]:
        """The environment that leads there."""
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "the-id-of-a-key",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
        }

    @property
    def client(self) -> Any:
        """Another client of it."""
        return boto3.client(
            "s3",
            endpoint_url=f"http://127.0.0.1:{self.port}",
            region_name="us-east-1",
            aws_access_key_id="x",
            aws_secret_access_key="y",
        )

    def objects(self, prefix: str) -> dict[str, bytes]:
        """Returns what is stored below a prefix."""
        fault, self.fault = self.fault, lambda _environ, _start: None
        try:
            found = self.client.list_objects_v2(Bucket="games", Prefix=prefix + "/")
            keys = [it["Key"] for it in found.get("Contents", [])]
            bodies = (self.client.get_object(Bucket="games", Key=key)["Body"] for key in keys)
            return {
                key.removeprefix(prefix + "/"): body.read()
                for key, body in zip(keys, bodies, strict=True)
            }
        finally:
            self.fault = fault

    def put(self, prefix: str, folder: Path) -> None:
        """Stores the files of a folder below a prefix."""
        for name, body in contents(folder).items():
            self.client.put_object(Bucket="games", Key=f"{prefix}/{name}", Body=body)

    def reset(self) -> None:
        self.fault = lambda _environ, _start: None
        self.requests.clear()
        self.sent.clear()


def refuse(share: float, status: str) -> Callable[[Environ, Any], Answer | None]:
    """Answers a share of the requests with an error."""
    chooser = random.Random(1)

    def fault(_: Environ, start: Any) -> Answer | None:
        if chooser.random() > share:
            return None
        start(status, [("Content-Length", "0")])
        return []

    return fault


def forbid(_: Environ, start: Any) -> Answer:
    """Refuses a request, and repeats the secret."""
    start("403 Forbidden", [])
    return [f"<?xml?><Error><Code>No</Code><X>{SECRET}</X></Error>".encode()]


@contextlib.contextmanager
def serving() -> Iterator[Server]:
    server = Server(DomainDispatcherApplication(create_backend_app))
    listening = make_server("127.0.0.1", 0, server, threaded=True)
    server.port = listening.server_port
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    server.client.create_bucket(Bucket="games")
    yield server
    listening.shutdown()
