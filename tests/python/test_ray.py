"""What runs on a Ray cluster gives the results of one machine, whatever happens to its nodes.

`scripts/test-cluster.sh` repeats the test of nodes that die, with more of everything.
"""

import hashlib
import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common import contents, dataset_of, start, until

import darkqi
from darkqi.train import Settings, train

ray = pytest.importorskip("ray", reason="Ray is large: pip install 'darkqi[ray]'")
pytestmark = pytest.mark.filterwarnings("default")

from clusters import cluster_of  # noqa: E402

import darkqi.ray  # noqa: E402

# How often nodes die, in runs of how many shards. `scripts/test-cluster.sh` asks for 20 and 200.
REPETITIONS = int(os.environ.get("DARKQI_CLUSTER_REPETITIONS", "1"))
SHARDS = int(os.environ.get("DARKQI_CLUSTER_SHARDS", "40"))

RUN: dict[str, Any] = {"agents": ["greedy", "random"], "duplicate": True, "seed": 3}
SELF: dict[str, Any] = {"agents": "greedy:epsilon=0.3", "duplicate": True, "seed": 1}
RUN_OF_SHARDS: dict[str, Any] = {**SELF, "shard_games": 30}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head that runs no tasks, and three nodes of one CPU."""
    with cluster_of(3, node={"num_cpus": 1}) as made:
        yield made


# Games of an agent against itself in twelve shards.
dataset = dataset_of("gaiqi", 1200, shard_games=100, **SELF)


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("shards_per_task", [1, 3])
def test_selfplay_gives_the_files_of_one_machine(tmp_path: Path, shards_per_task: int) -> None:
    alone = darkqi.selfplay("gaiqi", tmp_path / "alone", 70, shard_games=10, **RUN)
    together = darkqi.ray.selfplay(
        "gaiqi", tmp_path / "ray", 70, shard_games=10, shards_per_task=shards_per_task, **RUN
    )
    assert contents(tmp_path / "ray") == contents(tmp_path / "alone")
    elsewhere: dict[str, Any] = {"seconds": 0, "path": tmp_path, "kept_games": 0, "kept_plies": 0}
    assert replace(together, **elsewhere) == replace(alone, **elsewhere)


@pytest.mark.usefixtures("cluster")
def test_files_are_relative_to_the_folder_of_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("values.toml").write_text("[gaiqi]\nR = 7\n")
    Path("openings.txt").write_text("")
    run: dict[str, Any] = {"agents": "greedy:values=values.toml", "shard_games": 5}
    darkqi.selfplay("gaiqi", "alone", 20, **run)
    darkqi.ray.selfplay("gaiqi", "ray", 20, observations=True, **run)
    files = contents(Path("ray"))
    written = [name for name in files if name.startswith("observations")]
    assert len(written) == 4
    assert {name: files[name] for name in files if name not in written} == contents(Path("alone"))


@pytest.mark.usefixtures("cluster")
def test_a_second_call_keeps_what_is_there(tmp_path: Path) -> None:
    out = tmp_path / "games"
    darkqi.selfplay("gaiqi", out, 60, shard_games=10, shards=(2, 5), **RUN)
    kept = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    damaged = out / "games" / "00003.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    darkqi.ray.selfplay("gaiqi", out, 60, shard_games=10, **RUN)
    darkqi.selfplay("gaiqi", tmp_path / "alone", 60, shard_games=10, **RUN)
    assert contents(out) == contents(tmp_path / "alone")
    changed = {path.stem for path in kept if path.stat().st_mtime_ns != kept[path]}
    assert changed == {"00003"}


@pytest.mark.usefixtures("cluster")
def test_figures_are_those_of_one_machine_bit_for_bit(dataset: Path, tmp_path: Path) -> None:
    for size in (None, 1, 5, 12):
        found = darkqi.ray.first_reveal(dataset, until=0.1, shards_per_task=size)
        assert found == darkqi.first_reveal(dataset, until=0.1)
    found = darkqi.ray.first_reveal(dataset)
    assert found == darkqi.first_reveal(dataset)
    files = [tmp_path / name for name in ("values", "weights", "values_ray", "weights_ray")]
    alone = darkqi.piece_values(dataset, positions=4, output=files[0], weights=files[1])
    assert darkqi.ray.piece_values(dataset, positions=4, output=files[2], weights=files[3]) == alone
    assert [file.read_bytes() for file in files[:2]] == [file.read_bytes() for file in files[2:]]


@pytest.mark.usefixtures("cluster")
def test_faults_are_those_that_one_machine_finds(tmp_path: Path) -> None:
    out = tmp_path / "games"
    darkqi.selfplay("gaiqi", out, 60, shard_games=10, **RUN)
    assert darkqi.ray.verify(out) == darkqi.verify(out)
    with pytest.raises(ValueError, match="expected games of an agent against itself"):
        darkqi.ray.first_reveal(out)
    (out / "plies" / "00001.parquet").unlink()
    cut = out / "games" / "00004.parquet"
    cut.write_bytes(cut.read_bytes()[:-1])
    (out / "games" / "foreign.parquet").write_bytes(b"")
    found = darkqi.ray.verify(out, threads=1, shards_per_task=2)
    assert found.fault_count == 3
    assert found == darkqi.verify(out)
    with pytest.raises(FileNotFoundError):
        darkqi.ray.verify(tmp_path / "nothing")


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("sprt", [None, (0.0, 100.0)])
def test_a_match_is_that_of_one_machine(tmp_path: Path, sprt: tuple[float, float] | None) -> None:
    agents = ["greedy", "greedy:epsilon=0.4", "random"][: 3 if sprt is None else 2]
    out = tmp_path / "match"
    call: dict[str, Any] = {"seed": 2, "sprt": sprt, "max_plies": 150}
    alone = darkqi.arena("gaiqi", agents, 120, **call)
    begun = darkqi.arena("gaiqi", agents, 10, out=out, shard_games=12, seed=2, max_plies=150)
    found = darkqi.ray.arena("gaiqi", agents, 120, out=out, shard_games=12, **call)
    assert without_times(found) == without_times(alone)
    assert found.resumed_games >= sum(pair.games for pair in begun.pairs) // 12 * 12
    # All games are there, so nothing is played.
    again = darkqi.arena("gaiqi", agents, 120, out=out, shard_games=12, **call)
    assert again.resumed_games == sum(pair.games for pair in alone.pairs)
    assert without_times(again) == without_times(alone)
    whole = tmp_path / "whole"
    darkqi.arena("gaiqi", agents, 120, out=whole, shard_games=12, **call)
    assert contents(out) == contents(whole)


def without_times(results: darkqi.MatchResults) -> darkqi.MatchResults:
    """Returns the results of a match without what depends on the machine."""
    agents = [
        replace(one, seconds=0, decisions=0, decisions_per_second=None) for one in results.agents
    ]
    return replace(results, seconds=0, resumed_games=0, agents=agents)


@pytest.mark.usefixtures("cluster")
def test_policies_are_sent_to_the_nodes(tmp_path: Path) -> None:
    def first(_o: np.ndarray, mask: np.ndarray, _p: np.ndarray) -> np.ndarray:
        return np.asarray(np.argmax(mask, axis=1))

    run: dict[str, Any] = {"agents": [first, "random"], "shard_games": 10, "max_plies": 60}
    darkqi.selfplay("gaiqi", tmp_path / "alone", 40, **run)
    darkqi.ray.selfplay("gaiqi", tmp_path / "ray", 40, **run)
    assert contents(tmp_path / "ray") == contents(tmp_path / "alone")

    def illegal(_o: np.ndarray, mask: np.ndarray, _p: np.ndarray) -> np.ndarray:
        return np.asarray(np.argmin(mask, axis=1))

    with pytest.raises(darkqi.IllegalActionError, match="game ") as raised:
        darkqi.ray.selfplay("gaiqi", tmp_path / "illegal", 40, agents=illegal)
    kept = f"the finished shards are in {tmp_path / 'illegal'}; the same call goes on"
    assert raised.value.__notes__ == [kept, "in a task on the cluster"]
    lock = threading.Lock()

    def locked(_o: np.ndarray, mask: np.ndarray, _p: np.ndarray) -> np.ndarray:
        with lock:
            return np.asarray(np.argmax(mask, axis=1))

    with pytest.raises(TypeError, match="agents: expected what Ray can serialise"):
        darkqi.ray.selfplay("gaiqi", tmp_path / "locked", 40, agents=locked)


@pytest.mark.usefixtures("cluster")
def test_what_depends_on_who_plays_it_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "games"
    with pytest.raises(ValueError, match="agent expectimax:time=5 plays by the clock"):
        darkqi.ray.selfplay("gaiqi", out, 10, agents="expectimax:time=5")
    with pytest.raises(ValueError, match="agent expectimax:time=5"):
        darkqi.ray.arena("gaiqi", ["expectimax:time=5", "random"], 10)
    with pytest.raises(ValueError, match="until: the number of shards would depend on results"):
        darkqi.ray.selfplay("gaiqi", out, 10, until=0.1)
    with pytest.raises(ValueError, match="threads: expected an integer from 1 on, got 0"):
        darkqi.ray.selfplay("gaiqi", out, 10, threads=0)
    # Ray would wait for a node that has them.
    with pytest.raises(ValueError, match="threads: expected at most 1, the CPUs of the largest"):
        darkqi.ray.selfplay("gaiqi", out, 10, threads=2)
    with pytest.raises(ValueError, match="num_cpus: expected at most 1, the CPUs of the largest"):
        darkqi.ray.selfplay("gaiqi", out, 10, task_options={"num_cpus": 3})
    with pytest.raises(ValueError, match="shards_per_task: expected an integer from 1 on, got 0"):
        darkqi.ray.selfplay("gaiqi", out, 10, shards_per_task=0)
    assert not out.exists() or not list(out.rglob("*.parquet"))


@pytest.mark.usefixtures("cluster")
def test_a_straggler_is_played_again(tmp_path: Path) -> None:
    marker = tmp_path / "marker"

    def waits(_o: np.ndarray, mask: np.ndarray, _p: np.ndarray) -> np.ndarray:
        try:
            marker.touch(exist_ok=False)
        except FileExistsError:
            return np.asarray(np.argmax(mask, axis=1))
        time.sleep(120)
        raise RuntimeError("expected to be cancelled")

    run: dict[str, Any] = {"agents": [waits, "random"], "shard_games": 5, "max_plies": 60}
    begun = time.monotonic()
    darkqi.ray.selfplay("gaiqi", tmp_path / "ray", 30, **run)
    assert time.monotonic() - begun < 100
    assert marker.exists()
    darkqi.selfplay("gaiqi", tmp_path / "alone", 30, **run)
    assert contents(tmp_path / "ray") == contents(tmp_path / "alone")


def test_a_call_goes_on_after_an_interrupt(cluster: Any, tmp_path: Path) -> None:
    call = """darkqi.ray.selfplay(
        "jieqi", "games", 400, agents="greedy", shard_games=10, seed=4, progress=True
    )"""
    out = tmp_path / "games"
    assert 3 < interrupted(call, cluster, tmp_path, out) < 40
    darkqi.selfplay("jieqi", tmp_path / "alone", 400, agents="greedy", shard_games=10, seed=4)
    assert contents(out) == contents(tmp_path / "alone")


def interrupted(call: str, cluster: Any, folder: Path, games: Path) -> int:
    """Presses Ctrl-C after some shards of a call in a folder, which is then made again.

    Returns the number of shards that were there in between.
    """
    code = f"import ray, darkqi.ray; ray.init({cluster.address!r}, log_to_driver=False)"

    def shards() -> int:
        return len(list(games.glob("games/*.parquet")))

    script = start("-c", f"{code}\n{call}", cwd=folder)
    until(lambda: shards() > 3)
    script.send_signal(signal.SIGINT)
    _, error = script.communicate(timeout=60)
    assert "KeyboardInterrupt" in error
    there = shards()
    script = start("-c", f"{code}\n{call}", cwd=folder)
    _, error = script.communicate(timeout=300)
    assert script.returncode == 0, error
    return there


TRAINING = Settings(
    "flipping",
    generations=2,
    games=200,
    nodes=30,
    units=16,
    epochs=1,
    match_games=60,
    elo=40.0,
    overlap=True,
)
LEARNER: dict[str, Any] = {"num_cpus": 1, "resources": {"learner": 1}}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[bytes, dict[str, Any]]]:
    """The nets of a training by one process, and what its generations say."""
    pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    out = tmp_path_factory.mktemp("trained")
    train(TRAINING, out, threads=1, report=lambda _: None)
    return generations(out)


def generations(out: Path) -> list[tuple[bytes, dict[str, Any]]]:
    folders = sorted(out.glob("generation-*"))
    return [
        (
            (folder / "net.safetensors").read_bytes(),
            json.loads((folder / "result.json").read_text()),
        )
        for folder in folders
    ]


def test_a_training_gives_the_nets_of_one_machine_though_its_learner_dies(
    cluster: Any, trained: list[tuple[bytes, dict[str, Any]]], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    learner = cluster.add_node(**LEARNER)
    lines: list[str] = []
    call = partial(
        darkqi.ray.train,
        TRAINING,
        out,
        shard_games=20,
        learner_options=LEARNER,
        report=lines.append,
    )
    with ThreadPoolExecutor(1) as caller:
        training = caller.submit(call)
        # The first games have been played, and the fit has begun.
        until(lambda: bool(lines), or_done=training)
        cluster.remove_node(learner, allow_graceful=False)
        learner = cluster.add_node(**LEARNER)
        net = training.result()
    assert generations(out) == trained
    accepted = [result["net"] for _, result in trained if result["is_accepted"]]
    assert net == (out / accepted[-1] if accepted else None)
    assert sum(line.startswith("epoch ") for line in lines) == 2
    # The games of the second generation began before the first had its net, and name who played.
    second = out / "generation-2/games"
    first_shard = min(path.stat().st_mtime_ns for path in second.glob("games/*.parquet"))
    assert first_shard < (out / "generation-1/result.json").stat().st_mtime_ns
    dataset = json.loads((second / "dataset.json").read_text())
    assert all("net=none" in agent for agent in dataset["agents"])
    # Everything is there already.
    assert call(report=pytest.fail) == net
    cluster.remove_node(learner, allow_graceful=False)


@pytest.mark.usefixtures("cluster")
def test_games_are_labelled_with_the_net_that_played_them(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    settings = TRAINING._replace(overlap=False, games=400, nodes=60, epochs=6, match_games=400)
    darkqi.ray.train(settings, tmp_path, shard_games=20, report=lambda _: None)
    first, second = generations(tmp_path)
    assert first[1]["is_accepted"]
    assert first[1]["digest"] == hashlib.sha256(first[0]).hexdigest()
    assert second[1]["fit"]["positions"] > first[1]["fit"]["positions"]
    games = tmp_path / "generation-2/games"
    dataset = json.loads((games / "dataset.json").read_text())
    net = tmp_path / "generation-1/net.safetensors"
    assert all(f"net={net}" in agent for agent in dataset["agents"])
    assert [path.read_bytes() for path in (games / "agents").iterdir()] == [first[0]]


def test_a_training_goes_on_after_an_interrupt(
    cluster: Any, trained: list[tuple[bytes, dict[str, Any]]], tmp_path: Path
) -> None:
    call = "from darkqi.train import Settings\n"
    call += f"darkqi.ray.train({TRAINING!r}, 'run', shard_games=20)"
    interrupted(call, cluster, tmp_path, tmp_path / "run/generation-1/games")
    assert generations(tmp_path / "run") == trained


def is_played(out: Path, share: float) -> bool:
    return len(list(out.glob("games/*.parquet"))) >= share * SHARDS


@pytest.fixture(scope="module")
def whole(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[dict[str, bytes], darkqi.FirstReveal, darkqi.PieceValues]:
    """The run whose nodes die, by one process: its files and figures."""
    out = tmp_path_factory.mktemp("whole") / "games"
    darkqi.selfplay("jieqi", out, 30 * SHARDS, **RUN_OF_SHARDS)
    return contents(out), darkqi.first_reveal(out), darkqi.piece_values(out)


@pytest.mark.parametrize("seed", range(REPETITIONS))
def test_nodes_may_die_and_join(
    cluster: Any,
    whole: tuple[dict[str, bytes], darkqi.FirstReveal, darkqi.PieceValues],
    tmp_path: Path,
    seed: int,
) -> None:
    rng = random.Random(seed)
    out = tmp_path / "games"
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    moments = sorted(rng.uniform(0.05, 0.9) for _ in range(3))
    # Two die and one joins, in any order.
    joined: list[Any] = []

    def die(node: Any) -> None:
        cluster.remove_node(node, allow_graceful=False)

    def join() -> None:
        joined.append(cluster.add_node(num_cpus=1))

    events: list[Callable[[], None]] = [partial(die, nodes[0]), partial(die, nodes[1]), join]
    rng.shuffle(events)
    # Ray starts nodes in the main thread only.
    with ThreadPoolExecutor(1) as caller:
        played = caller.submit(darkqi.ray.selfplay, "jieqi", out, 30 * SHARDS, **RUN_OF_SHARDS)
        for moment, event in zip(moments, events, strict=True):
            until(partial(is_played, out, moment), or_done=played)
            event()
        played.result()
    files, reveal, values = whole
    assert contents(out) == files
    assert darkqi.ray.first_reveal(out) == reveal
    assert darkqi.ray.piece_values(out) == values
    found = darkqi.ray.verify(out)
    assert (found.fault_count, found.games, found.shards) == (0, 30 * SHARDS, SHARDS)
    cluster.remove_node(joined[0], allow_graceful=False)
