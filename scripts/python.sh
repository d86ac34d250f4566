#!/usr/bin/env bash
# Builds the Python package into .venv, optimised.
set -euo pipefail
cd "$(dirname "$0")/.."
make .venv/.tools
exec .venv/bin/maturin develop --quiet --locked --release
