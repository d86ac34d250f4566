#!/usr/bin/env bash
# Tests datasets in object storage, by Ray, and in other readers, while an S3 server fails at times. The
# server brings half of Amazon's API; Ray and Spark are large.
set -euo pipefail
cd "$(dirname "$0")/.."
make .venv/.tools
export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings
"${PYTHON:-python3}" -m venv .venv-storage
.venv-storage/bin/pip install --quiet --upgrade pip
.venv-storage/bin/pip install --quiet numpy --group storage
cargo test --package darkqi-report --features object-store --test datasets --locked -- storage::
package=target/package-storage
rm -rf "$package"
.venv/bin/maturin build --quiet --locked --profile dev --features darkqi-env/seventh-game,object-store \
  --auditwheel skip --out "$package"
.venv-storage/bin/pip install --quiet --no-deps --target "$package" "$package"/darkqi-*.whl
PYTHONPATH="$PWD/$package" .venv-storage/bin/python -m pytest tests/python/test_storage.py \
  tests/python/test_stalls.py tests/python/test_ray_storage.py tests/python/test_readers.py
