#!/usr/bin/env bash
# Builds the release wheel and tries it with nothing but numpy, in every Python of PYTHONS.
set -euo pipefail
cd "$(dirname "$0")/.."
make .venv/.tools
rm -rf dist
.venv/bin/maturin build --quiet --release --locked --out dist
for python in ${PYTHONS:-${PYTHON:-python3}}; do
  rm -rf .venv/wheel
  "$python" -m venv .venv/wheel
  .venv/wheel/bin/pip install --quiet --disable-pip-version-check dist/darkqi-*.whl
  .venv/wheel/bin/python -I -W error tests/wheel_smoke.py
done
