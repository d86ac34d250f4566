"""What scheduling costs: self-play by Ray on nodes of this machine against its tasks alone.

A node has one CPU, and each of its tasks plays one shard. The overhead is the share of the nodes'
time in which they do not work on a task: 1 - seconds of all tasks / (nodes * seconds of the call).
It includes preparing the folder, the list of shards, the summary, and the end of the run, where
nodes wait for the last task.

    python python/benchmarks/ray_overhead.py --seconds 10 --rounds 6
"""

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import darkqi

os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

import ray
from ray.cluster_utils import Cluster

import darkqi.ray

GAME = "jieqi"
AGENTS = "expectimax:depth=1,net=none,epsilon=0.1"


def main() -> None:
    """Prints the overhead of some runs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=10, help="about what a shard takes")
    parser.add_argument("--rounds", type=int, default=6, help="shards of each node")
    args = parser.parse_args()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    for _ in range(args.nodes):
        cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    cluster.wait_for_nodes()
    seconds: list[float] = []
    watch(seconds)
    with tempfile.TemporaryDirectory() as folder:
        # All nodes have started a worker after this.
        play(Path(folder, "warm"), 4 * args.nodes, 1)
        seconds.clear()
        play(Path(folder, "timed"), 4 * args.nodes, 4)
        games = max(1, round(4 * args.seconds / (sum(seconds) / len(seconds))))
        shards = args.nodes * args.rounds
        seconds.clear()
        begun = time.monotonic()
        play(Path(folder, "games"), games * shards, games)
        whole = time.monotonic() - begun
    share = 1 - sum(seconds) / (args.nodes * whole)
    print(f"{shards} shards of {sum(seconds) / len(seconds):.1f} s, {args.nodes} nodes of one CPU")
    print(f"call {whole:.1f} s, tasks {sum(seconds):.1f} s: overhead {100 * share:.1f} %")
    ray.shutdown()
    cluster.shutdown()


def play(out: Path, games: int, shard_games: int) -> None:
    """Plays games on the cluster."""
    darkqi.ray.selfplay(GAME, out, games, agents=AGENTS, shard_games=shard_games, seed=1)


def watch(seconds: list[float]) -> None:
    """Collects the seconds that tasks take."""
    get = ray.get

    def watched(task: Any) -> Any:
        done = get(task)
        seconds.append(done[0])
        return done

    ray.get = watched


if __name__ == "__main__":
    main()
