# `make help` lists the targets; scripts/ has experiments and longer tests, which CONTRIBUTING.md names.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The package as tests import it, apart from the optimised one that scripts/python.sh installs.
TESTED := target/package
DATA := data/demo
DARKQI := target/release/darkqi
DEMO_GAMES := 20000
# `cargo fmt` does not find files that a macro names, as the registry of games does.
GAMES := $(wildcard env/src/games/*.rs env/src/games/*/*.rs tests/seventh_game/*.rs)

.DEFAULT_GOAL := help
.PHONY: help demo build check test fmt docs results gauntlet bench instructions clean compile-rust test-rust test-python package

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

# Without the page and pictures, which it does not show, unless they are compiled already.
demo: LEAN = $(if $(wildcard target/release/deps/libdarkqi_page-*),,--no-default-features)
demo: build ## Play 20,000 games each of jieqi and gaiqi to Parquet and write a page on what they tell
	rm -rf $(DATA)
	$(DARKQI) selfplay jieqi --games $(DEMO_GAMES) --agents greedy,greedy --seed 1 --out $(DATA)/jieqi
	$(DARKQI) selfplay gaiqi --games $(DEMO_GAMES) --agents greedy,greedy --seed 1 --out $(DATA)/gaiqi
	$(DARKQI) replay $(DATA)/gaiqi 7
	$(DARKQI) report $(DATA)/jieqi --out $(DATA)/jieqi.html
	$(DARKQI) report $(DATA)/gaiqi --out $(DATA)/gaiqi.html
	@echo
	@echo "The games are in $(DATA); watch one with: $(DARKQI) replay $(DATA)/jieqi 7"
	@echo "What they tell is in $(DATA)/jieqi.html and $(DATA)/gaiqi.html, for any browser.$(if $(LEAN), \`make build\` adds \`darkqi serve\` and pictures.)"

build: ## Build the command line, optimised
	cargo build --release --locked --package darkqi-cli $(LEAN)

# Clippy reads the crates of the workspace while they are compiled, so that nothing is compiled for it
# alone. Not in optimised builds: it turns off optimisations of the compiler's own.
check test test-rust package: export RUSTC_WORKSPACE_WRAPPER = clippy-driver
check test test-rust package: export CLIPPY_ARGS = -Dwarnings

# Without simulations of estimators, which take a minute.
check: $(VENV)/.tools ## The inner loop: formats, lints and types of all code, and the quick unit tests in Rust
	cargo fmt --all -- --check
	rustfmt --edition 2024 --check $(GAMES)
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	cargo test --workspace --lib --locked --quiet -- --skip simulated
	$(BIN)/ruff check python tests
	$(BIN)/ruff format --check python tests
	$(BIN)/mypy

# All that two processors can do at a time: packages are installed while Rust is compiled, all of it at
# once, and both languages are tested together. The same seeds each time; PROPTEST_RNG_SEED=N draws
# others.
test: export PROPTEST_RNG_SEED ?= 1
test: ## Run every check and test
	$(MAKE) --jobs=2 compile-rust $(VENV)/.tools
	$(MAKE) --jobs=2 test-rust test-python

fmt: ## Format all code
	cargo fmt --all
	rustfmt --edition 2024 $(GAMES)
	$(BIN)/ruff format python tests

docs: $(VENV)/.tools ## Build the documentation's site into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

results: ## Play what docs/research/results.md is about, for hours, and record its figures
	scripts/results.sh

gauntlet: build $(VENV)/.tools ## Play the engines of others in scripts/gauntlet.toml, and record the results
	$(BIN)/python python/docs/gauntlet.py scripts/gauntlet.toml

bench: build ## Measure how fast batches step on this machine
	$(DARKQI) bench

instructions: ## Count the instructions of a step with valgrind, without noise
	cargo run --quiet --release --locked --package darkqi-env --example instructions

clean: ## Remove what was built and the demo's data
	cargo clean
	rm -rf $(VENV) $(VENV)-* $(DATA) dist site

compile-rust:
	cargo fmt --all -- --check
	rustfmt --edition 2024 --check $(GAMES)
	cargo test --workspace --locked --no-run

# The agent `baseline` needs the library of ONNX Runtime, which Python's package brings.
test-rust: compile-rust $(VENV)/.tools
	ORT_DYLIB_PATH=$$(find $(abspath $(VENV))/lib -name 'libonnxruntime.so*' -o -name 'libonnxruntime*.dylib' | head -n 1) \
		cargo test --workspace --locked

# With the profile and the features of `cargo test`, which has compiled all but the face by then.
package: $(VENV)/.tools
	rm -rf $(TESTED)
	$(BIN)/maturin build --quiet --locked --profile dev --features darkqi-env/seventh-game --auditwheel skip --out $(TESTED)
	$(BIN)/pip install --quiet --no-deps --target $(TESTED) $(TESTED)/darkqi-*.whl

test-python: package
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/ruff check python tests
	$(BIN)/ruff format --check python tests
	$(BIN)/mypy
	PYTHONPATH=$(TESTED) $(BIN)/python -m mypy.stubtest darkqi._darkqi
	PYTHONPATH=$(TESTED) $(BIN)/python -m pytest tests/python --numprocesses 2 --dist worksteal

# Modules are compiled when they are imported: few of them are.
$(VENV)/.tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --no-compile --upgrade pip
	$(BIN)/pip install --quiet --no-compile --group dev --group docs
	touch $@
