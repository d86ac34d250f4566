#!/usr/bin/env bash
# Plays mixed games for DARKQI_SOAK_SECONDS, an hour unless told otherwise, and watches laws and memory.
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo test --release --package darkqi-tests --test all --locked -- --ignored --nocapture soak::
