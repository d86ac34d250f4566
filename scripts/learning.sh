#!/usr/bin/env bash
# Installs darkqi with PyTorch into .venv-learning: apart, because RLlib needs an older Gymnasium. It is
# installed anew each time, so that nothing is learned with an older one.
set -euo pipefail
cd "$(dirname "$0")/.."
"${PYTHON:-python3}" -m venv .venv-learning
.venv-learning/bin/pip install --quiet --upgrade pip
.venv-learning/bin/pip install --quiet '.[datasets,onnx,torch]' tensorboard
