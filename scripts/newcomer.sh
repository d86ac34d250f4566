#!/usr/bin/env bash
# Goes through all pages with the release wheel, in empty folders without Rust and sources.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/wheel.sh
exec "${PYTHON:-python3}" tests/python/newcomer.py dist/darkqi-*.whl
