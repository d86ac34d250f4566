#!/usr/bin/env bash
# Runs 200 shards over 4 Ray nodes 20 times, while two nodes die and one joins: half an hour. Ray is large,
# so it has an environment of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
"${PYTHON:-python3}" -m venv .venv-cluster
.venv-cluster/bin/pip install --quiet --upgrade pip
.venv-cluster/bin/pip install --quiet '.[ray]' hypothesis pytest
DARKQI_CLUSTER_REPETITIONS=20 DARKQI_CLUSTER_SHARDS=200 .venv-cluster/bin/python -m pytest tests/python/test_ray.py
.venv-cluster/bin/python python/benchmarks/ray_overhead.py
