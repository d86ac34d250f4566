#!/usr/bin/env bash
# Writes the golden playthroughs and lists and the generated parts of docs/games anew. Read the difference.
set -euo pipefail
cd "$(dirname "$0")/.."
DARKQI_BLESS=1 cargo test --locked --package darkqi-tests --test all -- --test-threads=1 playthroughs:: pages::
DARKQI_BLESS=1 cargo test --locked --package darkqi-cli --test selfplay -- cli:: bench:: arena_cli::
