#!/usr/bin/env bash
# Trains a policy in flipping, plays with it natively, logs, measures and fits it.
set -euo pipefail
cd "$(dirname "$0")/.."
make build
scripts/learning.sh
python=.venv-learning/bin/python
darkqi=target/release/darkqi
# Where the command line finds the library of ONNX Runtime.
ORT_DYLIB_PATH=$("$python" -m darkqi.onnx)
export ORT_DYLIB_PATH
rm -rf runs/loop
"$python" python/examples/ppo.py --game flipping --total-plies 1000000 --threads 2 --evaluations 1 --games 64 \
  --out runs/loop
"$darkqi" arena flipping --agents onnx:runs/loop/policy.onnx,temperature=1,greedy --games 1000 --seed 1
"$darkqi" selfplay flipping --agents onnx:runs/loop/policy.onnx,temperature=1,epsilon=0.05 --games 20000 --seed 1 \
  --out runs/loop/games
"$darkqi" first-reveal runs/loop/games
"$darkqi" values fit runs/loop/games
"$python" python/examples/distill.py runs/loop/games --out runs/loop/distilled
"$darkqi" arena flipping --agents onnx:runs/loop/distilled/policy.onnx,greedy --games 400 --seed 2
