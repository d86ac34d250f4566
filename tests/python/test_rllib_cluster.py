"""RLlib's env runners sit on the nodes of a cluster, and training outlives one of them."""

import argparse
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from common import ROOT

pytest.importorskip("ray.rllib", reason="RLlib is large and needs its own version of Gymnasium")
pytest.importorskip("torch", reason="PyTorch is large")
pytestmark = pytest.mark.filterwarnings("default")

import ray  # noqa: E402
from clusters import cluster_of  # noqa: E402

from darkqi import rllib  # noqa: E402

SCRIPT = ROOT / "python" / "examples" / "rllib_ppo.py"


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A head that runs nothing, and three nodes of two CPUs with room for one env runner each."""
    with cluster_of(3, node={"num_cpus": 2, "resources": {"sampler": 1}}) as made:
        yield made


@pytest.fixture
def algorithm(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The algorithm of the example, with two env runners that say where they have sampled."""
    monkeypatch.syspath_prepend(SCRIPT.parent)
    monkeypatch.delitem(sys.modules, SCRIPT.stem, raising=False)
    import rllib_ppo

    # What is sent to env runners is defined here: they cannot import this module.
    def count(*, samples: Any, metrics_logger: Any, **_: Any) -> None:
        node = ray.get_runtime_context().get_node_id()
        plies = sum(len(episode) for episode in samples)
        metrics_logger.log_value(("plies_of_nodes", node), plies, reduce="sum")

    assert cluster.worker_nodes
    rllib.register("darkqi")
    args = argparse.Namespace(game="gaiqi", max_plies=20, workers=2, batch=400, seed=0)
    config = rllib_ppo.config(args).callbacks(on_sample_end=count)
    config = config.env_runners(custom_resources_per_env_runner={"sampler": 1})
    algorithm = config.build_algo()
    yield algorithm
    algorithm.stop()


def nodes(algorithm: Any) -> dict[int, str]:
    def where(runner: Any) -> tuple[int, str]:
        return runner.worker_index, ray.get_runtime_context().get_node_id()

    return dict(algorithm.env_runner_group.foreach_env_runner(where, local_env_runner=False))


def test_env_runners_sit_on_different_nodes_and_one_may_die(cluster: Any, algorithm: Any) -> None:
    first = nodes(algorithm)
    assert sorted(first) == [1, 2]
    assert len(set(first.values())) == 2
    result = algorithm.train()
    # Both have sampled for the iteration, and what they have sampled was learned from.
    plies = result["env_runners"]["plies_of_nodes"]
    assert plies.keys() == set(first.values())
    assert min(plies.values()) > 0
    assert sum(plies.values()) >= 400
    assert result["learners"]["shared"]["num_module_steps_trained"] > 0
    assert result["env_runners"]["episode_len_mean"] > 10

    (gone,) = (node for node in cluster.worker_nodes if node.node_id == first[1])
    cluster.remove_node(gone, allow_graceful=False)
    # Until Ray has noticed, which takes about a minute, the other one samples alone.
    end = time.monotonic() + 400
    while (second := nodes(algorithm)).get(1, first[1]) == first[1]:
        assert time.monotonic() < end, "the env runner did not come back"
        assert algorithm.train()["env_runners"]["num_env_steps_sampled"] >= 400
    assert second[2] == first[2]
    assert second[1] not in first.values()
    plies = algorithm.train()["env_runners"]["plies_of_nodes"]
    assert plies[second[1]] > 0
