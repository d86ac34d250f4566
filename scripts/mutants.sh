#!/usr/bin/env bash
# Changes single lines and sees whether tests notice: part SHARD (K/N) of all changes. It needs cargo-mutants.
set -euo pipefail
cd "$(dirname "$0")/.."
# The same random cases for all changes.
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-1}
exec cargo mutants --shard "${SHARD:-0/200}" --sharding round-robin
