#!/usr/bin/env bash
# Writes the pages of docs/reference, docs/command-line.md and the docstrings of the stub anew, from
# what is compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
make package
export PYTHONPATH=target/package
.venv/bin/python python/docs/reference.py
.venv/bin/python python/docs/command_line.py
