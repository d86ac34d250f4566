#!/usr/bin/env bash
# Checks and builds the page in the browser, which the program embeds. It needs Node.
set -euo pipefail
cd "$(dirname "$0")/.."
cd selfplay/page/web
npm ci --silent
npm run --silent check
npm run --silent build
