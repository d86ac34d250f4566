#!/usr/bin/env bash
# Confirms all leaf counts, solves gaiqi on eight squares, ends programs by signals, and runs the long
# tests of Python.
set -euo pipefail
cd "$(dirname "$0")/.."
make package
DARKQI_TESTS=long cargo test --release --package darkqi-tests --tests --locked -- --include-ignored
cargo test --release --package darkqi-cli --test selfplay --locked -- --ignored solve:: crash::
DARKQI_TESTS=long PYTHONPATH=target/package .venv/bin/python -m pytest tests/python/test_kills.py \
  tests/python/test_machine.py tests/python/test_openspiel_banqi.py tests/python/test_power_cuts.py
