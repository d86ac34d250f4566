#!/usr/bin/env bash
# Checks what docs/results.md says of the first reveal, on the games of scripts/results.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/python.sh
exec .venv/bin/python python/docs/claims.py
