#!/usr/bin/env bash
# Compares with OpenSpiel, Pgx and PettingZoo at the same work, and records how fast each is in
# docs/research/results.json.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/python.sh
.venv/bin/pip install --quiet --group benchmarks
.venv/bin/python python/docs/record.py simulators --table simulators -- \
  .venv/bin/python python/benchmarks/compare.py
.venv/bin/python python/docs/figures.py
