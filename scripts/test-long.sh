#!/usr/bin/env bash
# Confirms all leaf counts, solves more endgames, ends programs by signals, soaks for a minute.
set -euo pipefail
cd "$(dirname "$0")/.."
make package
DARKQI_SOAK_SECONDS=60 cargo test --release --package darkqi-tests --tests --locked -- --ignored
DARKQI_TESTS=long PYTHONPATH=target/package .venv/bin/python -m pytest tests/python/test_kills.py \
  tests/python/test_machine.py tests/python/test_power_cuts.py
