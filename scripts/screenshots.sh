#!/usr/bin/env bash
# Takes the pictures of the README, the games and docs/play.md anew. It needs Chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
make package
export PYTHONPATH=target/package:tests/python
.venv/bin/python python/docs/gallery.py
.venv/bin/python python/docs/screenshots.py
