#!/usr/bin/env bash
# Compares with OpenSpiel, Pgx and PettingZoo at the same work.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/python.sh
.venv/bin/pip install --quiet --group benchmarks
exec .venv/bin/python python/benchmarks/compare.py
