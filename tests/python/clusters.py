"""Ray clusters on one machine, for the tests of what runs on them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ray
from ray.cluster_utils import Cluster


@contextmanager
def cluster_of(nodes: int, *, node: dict[str, Any], **head: Any) -> Iterator[Any]:
    """Starts a head that runs no tasks, and nodes; these are the arguments of each."""
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **head})
    try:
        for _ in range(nodes):
            made.add_node(**node)
        ray.init(address=made.address, log_to_driver=False)
        made.wait_for_nodes()
        yield made
    finally:
        ray.shutdown()
        made.shutdown()
