"""Datasets in object storage, against moto's S3 server, which fails where a test asks for it.

``scripts/test-storage.sh`` runs these tests; they need moto, and a package with the feature
``object-store``.
"""

import contextlib
import json
import os
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import darkqi
import darkqi.datasets

pytest.importorskip("moto", reason="scripts/test-storage.sh runs these tests")

from common import contents, dataset_of, environment, run, start
from s3 import SECRET, Answer, Environ, Server, forbid, refuse

GAMES = 120
RUN: dict[str, Any] = {"agents": "greedy", "seed": 3, "shard_games": 20}


local = dataset_of("gaiqi", GAMES, **RUN)


def test_a_run_has_the_bytes_of_one_in_a_folder(server: Server, local: Path) -> None:
    url = "s3://games/bytes/gaiqi"
    summary = darkqi.selfplay("gaiqi", url, GAMES, **RUN)
    assert summary.games == GAMES
    assert summary.bytes == sum(len(it) for name, it in contents(local).items() if "/" in name)
    assert server.objects("bytes/gaiqi") == contents(local)
    # What is there is neither played nor written again.
    server.requests.clear()
    again = darkqi.selfplay("gaiqi", url, GAMES, resume=True, **RUN)
    assert again.games == GAMES
    assert {it for it in server.requests if it.startswith(("PUT", "DELETE"))} <= {
        "PUT /games/bytes/gaiqi/dataset.json"
    }
    with pytest.raises(OSError, match="already holds a dataset"):
        darkqi.selfplay("gaiqi", url, GAMES, **RUN)


def test_storage_that_cannot_write_on_a_condition(
    server: Server, local: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CONDITIONAL_PUT", "disabled")
    url = "s3://games/conditions/gaiqi"
    darkqi.selfplay("gaiqi", url, GAMES, shards=(0, 2), **RUN)
    darkqi.selfplay("gaiqi", url, GAMES, resume=True, **RUN)
    assert server.objects("conditions/gaiqi") == contents(local)


@pytest.mark.usefixtures("server")
def test_it_is_read_as_a_folder_is(local: Path, tmp_path: Path) -> None:
    url = "s3://games/read/gaiqi"
    darkqi.selfplay("gaiqi", url, GAMES, **RUN)
    assert darkqi.verify(url) == darkqi.verify(local)
    assert darkqi.first_reveal(url, until=0.1) == darkqi.first_reveal(local, until=0.1)
    assert darkqi.piece_values(url) == darkqi.piece_values(local)
    assert darkqi.replay(url, 7).plies == darkqi.replay(local, 7).plies
    darkqi.report(url, tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 10_000
    there, here = (darkqi.datasets.load(path) for path in (url, local))
    assert there.path == url
    assert there.files("games")[0] == f"{url}/games/00000.parquet"
    for table in ("games", "plies"):
        assert there.to_arrow(table) == here.to_arrow(table)
    assert there.games.collect().equals(here.games.collect())
    assert list(there.replays()) == list(here.replays())
    for one, other in zip(there.batches(500, seed=1), here.batches(500, seed=1), strict=True):
        for column, expected in zip(one, other, strict=True):
            assert (column is None) == (expected is None)
            assert column is None or expected is None or np.array_equal(column, expected)


def test_files_of_agents_are_kept_beside(server: Server, tmp_path: Path) -> None:
    values = tmp_path / "values.toml"
    values.write_text("[gaiqi]\nR = 7.5\n")
    settings = {**RUN, "agents": f"greedy:values={values}"}
    url = "s3://games/agents/gaiqi"
    darkqi.selfplay("gaiqi", url, GAMES, shards=(0, 2), **settings)
    values.unlink()
    run("selfplay", "--resume", "--quiet", "--out", url, env=environment(), check=True)
    values.write_text("[gaiqi]\nR = 7.5\n")
    darkqi.selfplay("gaiqi", tmp_path / "gaiqi", GAMES, **settings)
    assert server.objects("agents/gaiqi") == contents(tmp_path / "gaiqi")


def test_shards_and_their_list(server: Server, local: Path, tmp_path: Path) -> None:
    url = "s3://games/shards/gaiqi"
    for path in (url, tmp_path):
        for shards in ((4, 6), (0, 2)):
            darkqi.selfplay("gaiqi", path, GAMES, shards=shards, **RUN)
        found = darkqi.finish(path)
        assert (found.complete, found.missing, found.games) == (False, [(2, 4)], 80)
    assert darkqi.verify(url) == darkqi.verify(tmp_path)
    darkqi.selfplay("gaiqi", url, GAMES, shards=(1, 5), **RUN)
    assert darkqi.finish(url).complete
    assert server.objects("shards/gaiqi") == contents(local)


def test_only_damaged_objects_are_replaced(server: Server, local: Path) -> None:
    url = "s3://games/damaged/gaiqi"
    darkqi.selfplay("gaiqi", url, GAMES, **RUN)
    sound = contents(local)["plies/00003.parquet"]
    for damaged in (sound[:-100], sound[:2000] + bytes(1) + sound[2001:], b""):
        server.client.put_object(
            Bucket="games", Key="damaged/gaiqi/plies/00003.parquet", Body=damaged
        )
        assert darkqi.verify(url).fault_count > 0
        server.requests.clear()
        darkqi.selfplay("gaiqi", url, GAMES, resume=True, **RUN)
        assert server.objects("damaged/gaiqi") == contents(local)
        puts = {it for it in server.requests if it.startswith("PUT")}
        assert puts >= {"PUT /games/damaged/gaiqi/plies/00003.parquet"}
        assert not [it for it in puts if "00002" in it]


def slow(environ: Environ, _: Any) -> Answer | None:
    time.sleep(0.03)
    del environ
    return None


def cut(server: Server) -> Callable[[Environ, Any], Answer | None]:
    """Ends connections of a share of the requests: before the answer, or within it."""
    chooser = random.Random(2)

    def fault(environ: Environ, start: Any) -> Answer | None:
        kind = chooser.random()
        if kind > 0.3:
            return None
        if kind > 0.15:
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
            return []
        return half(server.app(environ, start), environ)

    return fault


def half(answer: Answer, environ: Environ) -> Iterator[bytes]:
    whole = b"".join(answer)
    yield whole[: len(whole) // 2]
    if whole:
        environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)


FAULTS: dict[str, Callable[[Server], Callable[[Environ, Any], Answer | None]]] = {
    "500": lambda _: refuse(0.3, "500 Internal Server Error"),
    "503": lambda _: refuse(0.3, "503 Slow Down"),
    "slow": lambda _: slow,
    "cut": cut,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_requests_that_fail_in_passing_are_tried_again(
    server: Server, local: Path, fault: str
) -> None:
    url = f"s3://games/fault-{fault}/gaiqi"
    server.fault = FAULTS[fault](server)
    darkqi.selfplay("gaiqi", url, GAMES, **RUN)
    assert darkqi.verify(url).faults == []
    assert darkqi.first_reveal(url) == darkqi.first_reveal(local)
    assert server.objects(f"fault-{fault}/gaiqi") == contents(local)


def test_a_killed_run_goes_on(server: Server, local: Path) -> None:
    url = "s3://games/killed/gaiqi"
    settings = json.dumps(RUN)
    code = f"import darkqi; darkqi.selfplay('gaiqi', {url!r}, {GAMES}, resume=True, **{settings})"
    chooser = random.Random(4)
    for kill in range(6):
        uploading = threading.Event()

        def hang(environ: Environ, _: Any, uploading: threading.Event = uploading) -> None:
            # The program dies within an upload: of its second, third, ... object.
            if environ["REQUEST_METHOD"] == "PUT" and chooser.random() < 0.5:
                environ["wsgi.input"].read(100)
                uploading.set()
                time.sleep(0.3)

        server.fault = hang
        process = start("-c", code)
        while not uploading.wait(0.05) and process.poll() is None:
            pass
        process.kill()
        process.communicate()
        server.fault = lambda _environ, _start: None
        time.sleep(0.4)
        found = server.objects("killed/gaiqi")
        whole = contents(local)
        shards = {name: it for name, it in found.items() if name.endswith(".parquet")}
        assert shards == {name: whole[name] for name in shards}, f"after kill {kill + 1}"
        if "dataset.json" in found:
            assert darkqi.verify(url).faults == []
    darkqi.selfplay("gaiqi", url, GAMES, resume=True, **RUN)
    assert server.objects("killed/gaiqi") == contents(local)


def test_messages_name_the_object_and_repeat_no_credentials(server: Server) -> None:
    with pytest.raises(OSError, match=r"s3://games/nothing is not a dataset"):
        darkqi.verify("s3://games/nothing")

    server.fault = forbid
    with pytest.raises(OSError, match=r"cannot read s3://games/x/dataset\.json") as error:
        darkqi.verify("s3://games/x")
    assert SECRET not in str(error.value)
    assert "\n" not in str(error.value)


def test_writers_that_need_a_folder_say_so(server: Server) -> None:
    with pytest.raises(OSError, match=r"s3://games/log is not a folder"):
        darkqi.make("banqi", 2, log="s3://games/log")
    with pytest.raises(ValueError, match="depends on the shards before"):
        darkqi.selfplay("gaiqi", "s3://games/until", 100, until=0.1)
    with pytest.raises(ValueError, match="observations are written once"):
        darkqi.selfplay("gaiqi", "s3://games/rows", 100, observations=True)
    assert server.objects("until") == server.objects("rows") == server.objects("log") == {}


@pytest.mark.usefixtures("server")
def test_calls_after_a_fork() -> None:
    url = "s3://games/fork/gaiqi"
    darkqi.selfplay("gaiqi", url, GAMES, **RUN)
    expected = len(darkqi.datasets.load(url).files("games"))
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            os._exit(0 if len(darkqi.datasets.load(url).files("games")) == expected else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
