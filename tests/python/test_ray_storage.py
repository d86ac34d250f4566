"""Runs on a Ray cluster whose dataset has a URL give the files and figures of a folder.

``scripts/test-storage.sh`` runs these tests, against moto's S3 server.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from common import contents, dataset_of, until

import darkqi

ray = pytest.importorskip("ray", reason="scripts/test-storage.sh runs these tests")
pytest.importorskip("moto", reason="scripts/test-storage.sh runs these tests")
pytestmark = pytest.mark.filterwarnings("default")

from clusters import cluster_of  # noqa: E402
from s3 import SECRET, Environ, Server, forbid, refuse  # noqa: E402

import darkqi.ray  # noqa: E402

GAMES = 1200
RUN: dict[str, Any] = {
    "agents": "greedy:epsilon=0.3",
    "duplicate": True,
    "seed": 1,
    "shard_games": 100,
}


# The run in a folder, by one process.
local = dataset_of("gaiqi", GAMES, **RUN)


@pytest.fixture(scope="module")
def cluster(storage: Server) -> Iterator[Any]:
    """A head that runs no tasks, and two nodes of one CPU, started with credentials."""
    # A socket's path must be short.
    folder = tempfile.mkdtemp(prefix="ray")
    with pytest.MonkeyPatch.context() as environment:
        for name, value in storage.variables.items():
            environment.setenv(name, value)
        with cluster_of(2, node={"num_cpus": 1}, temp_dir=folder) as made:
            environment.undo()
            made.folder = Path(folder)
            yield made
    shutil.rmtree(folder)


def logs(cluster: Any) -> bytes:
    files = [it for it in cluster.folder.rglob("logs/**/*") if it.is_file()]
    return b"\n".join(it.read_bytes() for it in files)


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("shards_per_task", [1, 3])
def test_a_run_has_the_bytes_of_a_folder(server: Server, local: Path, shards_per_task: int) -> None:
    prefix = f"run-{shards_per_task}/gaiqi"
    together = darkqi.ray.selfplay(
        "gaiqi", f"s3://games/{prefix}", GAMES, shards_per_task=shards_per_task, **RUN
    )
    assert server.objects(prefix) == contents(local)
    alone = darkqi.selfplay("gaiqi", local, GAMES, resume=True, **RUN)
    elsewhere: dict[str, Any] = {"seconds": 0, "path": local, "kept_games": 0, "kept_plies": 0}
    assert replace(together, **elsewhere) == replace(alone, **elsewhere)


@pytest.mark.usefixtures("cluster")
def test_a_second_call_writes_only_what_is_missing_or_damaged(server: Server, local: Path) -> None:
    url = "s3://games/second/gaiqi"
    darkqi.selfplay("gaiqi", url, GAMES, shards=(2, 5), **RUN)
    sound = contents(local)["plies/00003.parquet"]
    server.client.put_object(Bucket="games", Key="second/gaiqi/plies/00003.parquet", Body=sound[1:])
    server.requests.clear()
    darkqi.ray.selfplay("gaiqi", url, GAMES, **RUN)
    puts = [it for it in server.requests if it.startswith("PUT")]
    assert server.objects("second/gaiqi") == contents(local)
    assert "PUT /games/second/gaiqi/plies/00003.parquet" in puts
    assert not [it for it in puts if it.endswith(("00002.parquet", "00004.parquet"))]


@pytest.mark.usefixtures("cluster", "server")
def test_figures_are_those_of_a_folder_bit_for_bit(local: Path, tmp_path: Path) -> None:
    url = "s3://games/figures/gaiqi"
    darkqi.ray.selfplay("gaiqi", url, GAMES, **RUN)
    for width in (None, 0.1):
        found = darkqi.ray.first_reveal(url, until=width, shards_per_task=3)
        assert found == darkqi.first_reveal(local, until=width)
    files = [tmp_path / name for name in ("values", "weights", "values_ray", "weights_ray")]
    alone = darkqi.piece_values(local, positions=4, output=files[0], weights=files[1])
    assert darkqi.ray.piece_values(url, positions=4, output=files[2], weights=files[3]) == alone
    assert [file.read_bytes() for file in files[:2]] == [file.read_bytes() for file in files[2:]]


@pytest.mark.usefixtures("cluster")
def test_faults_are_those_that_one_machine_finds(server: Server) -> None:
    url, key = "s3://games/faults/gaiqi", "faults/gaiqi"
    darkqi.ray.selfplay("gaiqi", url, GAMES, **RUN)
    sound = darkqi.ray.verify(url)
    assert (sound.fault_count, sound.games) == (0, GAMES)
    assert sound == darkqi.verify(url)
    server.client.delete_object(Bucket="games", Key=f"{key}/plies/00001.parquet")
    server.client.put_object(Bucket="games", Key=f"{key}/games/00004.parquet", Body=b"PAR1")
    server.client.put_object(Bucket="games", Key=f"{key}/games/foreign.parquet", Body=b"")
    found = darkqi.ray.verify(url, shards_per_task=2)
    assert found.fault_count == 3
    assert found == darkqi.verify(url)
    with pytest.raises(OSError, match="s3://games/nothing is not a dataset"):
        darkqi.ray.verify("s3://games/nothing")


@pytest.mark.usefixtures("cluster")
def test_a_file_url_is_a_folder(local: Path, tmp_path: Path) -> None:
    url = (tmp_path / "gaiqi").as_uri()
    darkqi.ray.selfplay("gaiqi", url, GAMES, **RUN)
    assert contents(tmp_path / "gaiqi") == contents(local)
    assert darkqi.ray.first_reveal(url) == darkqi.first_reveal(local)
    assert darkqi.ray.piece_values(url) == darkqi.piece_values(local)
    assert darkqi.ray.verify(url) == darkqi.verify(local)


@pytest.mark.usefixtures("cluster")
def test_observations_are_refused_before_a_game_is_played(server: Server) -> None:
    with pytest.raises(ValueError, match="observations: s3://games/rows is not a folder"):
        darkqi.ray.selfplay("gaiqi", "s3://games/rows", GAMES, observations=True, **RUN)
    assert server.objects("rows") == {}


def test_a_node_dies_while_storage_fails_in_passing(
    cluster: Any, server: Server, local: Path
) -> None:
    # This node has the credentials of this process.
    node = cluster.add_node(num_cpus=1)
    server.fault = refuse(0.2, "503 Slow Down")
    url = "s3://games/dies/gaiqi"

    def is_begun() -> bool:
        return any(it.startswith("PUT /games/dies/gaiqi/games/0000") for it in server.requests)

    with ThreadPoolExecutor(1) as caller:
        played = caller.submit(darkqi.ray.selfplay, "gaiqi", url, GAMES, **RUN)
        until(is_begun, or_done=played)
        cluster.remove_node(node, allow_graceful=False)
        played.result()
    assert server.objects("dies/gaiqi") == contents(local)
    assert darkqi.ray.first_reveal(url) == darkqi.first_reveal(local)


@pytest.mark.usefixtures("cluster")
def test_a_call_may_bring_other_credentials(server: Server, local: Path) -> None:
    found: list[str] = []

    def note(environ: Environ, _: Any) -> None:
        found.append(environ["HTTP_AUTHORIZATION"])

    server.fault = note
    options = {"runtime_env": {"env_vars": {"AWS_ACCESS_KEY_ID": "of-this-call"}}}
    darkqi.ray.selfplay("gaiqi", "s3://games/call/gaiqi", GAMES, task_options=options, **RUN)
    assert server.objects("call/gaiqi") == contents(local)
    ids = [one.split("Credential=")[1].split("/")[0] for one in found]
    # Tasks have theirs, and the caller its own.
    assert set(ids) == {"of-this-call", "the-id-of-a-key"}


def test_credentials_are_in_no_log_or_message(cluster: Any, server: Server) -> None:
    @ray.remote  # type: ignore[untyped-decorator]
    def log() -> bool:
        print("a word that a task has logged")
        return os.environ["AWS_SECRET_ACCESS_KEY"] == SECRET

    assert ray.get(log.remote())
    url = "s3://games/logs/gaiqi"
    darkqi.ray.selfplay("gaiqi", url, GAMES, **RUN)

    server.fault = lambda environ, start: (
        forbid(environ, start) if "plies/00003" in environ["PATH_INFO"] else None
    )
    with pytest.raises(OSError, match=r"cannot read s3://games/logs/gaiqi/plies/00003") as error:
        darkqi.ray.first_reveal(url)
    assert error.value.__notes__ == ["in a task on the cluster"]
    assert SECRET not in str(error.value)
    until(lambda: b"a word that a task has logged" in logs(cluster))
    assert SECRET.encode() not in logs(cluster)
