#!/usr/bin/env bash
# Fuzzes every target for FUZZ_SECONDS and minimises its corpus. It needs nightly Rust and cargo-fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo +nightly run --quiet --locked --manifest-path fuzz/Cargo.toml --example seeds
for target in $(cargo +nightly fuzz list); do
  cargo +nightly fuzz run "$target" -- -max_total_time="${FUZZ_SECONDS:-120}" -timeout=60
  cargo +nightly fuzz cmin "$target"
done
