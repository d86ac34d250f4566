#!/usr/bin/env bash
# Tests with PyTorch, RLlib, TorchRL, Stable-Baselines3, Minari and others: several gigabytes.
set -euo pipefail
cd "$(dirname "$0")/.."
"${PYTHON:-python3}" -m venv .venv-learning
.venv-learning/bin/pip install --quiet --upgrade pip
.venv-learning/bin/pip install --quiet '.[all]' --group learning
.venv-learning/bin/python -m pytest tests/python --ignore tests/python/test_site.py
