# `make help` lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Apart, because RLlib needs an older Gymnasium.
LEARNING := .venv-learning
# Ray is large, and a cluster of several nodes takes its time.
CLUSTER := .venv-cluster
# A server of object storage brings half of Amazon's API. Ray and Spark are large.
STORAGE := .venv-storage
PYTHONS ?= $(PYTHON)
FUZZ_SECONDS ?= 120
SHARD ?= 0/200
# The package as tests import it, apart from the optimised one that `make python` installs.
TESTED := target/package
DATA := data/demo
# Where the command line finds the library of ONNX Runtime.
ONNX = ORT_DYLIB_PATH=$$($(LEARNING)/bin/python -m darkqi.onnx)
DARKQI := target/release/darkqi
DEMO_GAMES := 20000
# `cargo fmt` does not find files that a macro names, as the registry of games does.
GAMES := $(wildcard env/src/games/*.rs env/src/games/*/*.rs tests/seventh_game/*.rs)

# Agents of rising strength, and what their studies have in common.
LADDER := greedy,expectimax:depth=1,net=none,expectimax:depth=2,net=none,expectimax:depth=2
LONGER_LADDER := greedy,expectimax:depth=1,net=none,expectimax:depth=2,expectimax:depth=3
DEEP_LADDER := greedy,expectimax:depth=1,net=none,expectimax:depth=2,expectimax:depth=4
LADDER_OF_FLIPPING := greedy,expectimax:depth=1,net=none,expectimax:depth=2,expectimax:depth=4
STUDY := --match-games 200 --seed 1 --out data/results

.DEFAULT_GOAL := help
.PHONY: help demo results claims loop baselines learning check test compile-rust test-rust test-long package \
	test-python test-learning test-cluster test-storage lint-python python page screenshots docs wheel newcomer fuzz \
	mutants soak build bench instructions compare fmt bless clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

demo: build ## Play 20,000 games each of jieqi and gaiqi to Parquet and write a page on what they tell
	rm -rf $(DATA)
	$(DARKQI) selfplay jieqi --games $(DEMO_GAMES) --agents greedy,greedy --seed 1 --out $(DATA)/jieqi
	$(DARKQI) selfplay gaiqi --games $(DEMO_GAMES) --agents greedy,greedy --seed 1 --out $(DATA)/gaiqi
	$(DARKQI) replay $(DATA)/gaiqi 7
	$(DARKQI) report $(DATA)/jieqi --output $(DATA)/jieqi.html
	$(DARKQI) report $(DATA)/gaiqi --output $(DATA)/gaiqi.html
	@echo
	@echo "The games are in $(DATA); watch one with: $(DARKQI) replay $(DATA)/jieqi 7"
	@echo "What they tell is in $(DATA)/jieqi.html and $(DATA)/gaiqi.html, for any browser."

results: build ## Play and measure what docs/results.md says of strength and of rules, hours; goes on where it stopped
	$(DARKQI) strength flipping --agents $(LADDER_OF_FLIPPING) --games 8000 --random-plies 6 $(STUDY)/flipping
	$(DARKQI) strength gaiqi --agents $(LADDER) --games 8000 $(STUDY)/gaiqi
	$(DARKQI) strength gaiqi --agents $(DEEP_LADDER) --games 3000 $(STUDY)/gaiqi-deep
	$(DARKQI) strength seven_kingdoms --agents greedy,expectimax:depth=1,expectimax:depth=2 --games 1200 \
		--random-plies 14 $(STUDY)/seven_kingdoms
	$(DARKQI) strength mystery --agents $(LONGER_LADDER) --games 9000 $(STUDY)/mystery
	$(DARKQI) strength banqi --agents $(LONGER_LADDER) --games 7000 $(STUDY)/banqi
	$(DARKQI) strength jieqi --agents $(LONGER_LADDER) --games 9000 $(STUDY)/jieqi
	$(DARKQI) sweep banqi --vary quiet_limit=20,40,60 --vary cannon=step,jump \
		--vary ranking=standard,hongkong --agents expectimax:depth=1 --games 1000 $(STUDY)/banqi-rules
	$(DARKQI) sweep gaiqi --vary quiet_limit=20,40,60 --vary remove=none,R,C,P \
		--agents expectimax:depth=1 --games 1000 $(STUDY)/gaiqi-rules
	$(DARKQI) sweep jieqi --vary quiet_limit=40,80,120 --vary captured=captor,public \
		--vary chase=off,on --agents expectimax:depth=1 --games 300 $(STUDY)/jieqi-rules

claims: python ## Check what docs/results.md says of the first reveal, on the games of `make results`
	$(BIN)/python python/docs/claims.py

loop: build learning ## Train a policy in flipping, play with it natively, log, measure and fit it
	rm -rf runs/loop
	$(LEARNING)/bin/python python/examples/ppo.py --game flipping --total-plies 1000000 --threads 2 \
		--evaluations 1 --games 64 --out runs/loop
	$(ONNX) $(DARKQI) arena flipping --agents onnx:runs/loop/policy.onnx,temperature=1,greedy --games 1000 --seed 1
	$(ONNX) $(DARKQI) selfplay flipping --agents onnx:runs/loop/policy.onnx,temperature=1,epsilon=0.05 \
		--games 20000 --seed 1 --out runs/loop/games
	$(DARKQI) first-reveal runs/loop/games
	$(DARKQI) values fit runs/loop/games
	$(LEARNING)/bin/python python/examples/distill.py runs/loop/games --out runs/loop/distilled.onnx
	$(ONNX) $(DARKQI) arena flipping --agents onnx:runs/loop/distilled.onnx,greedy --games 400 --seed 2

TEACH := $(LEARNING)/bin/python python/examples/gumbel.py --attacks --teacher expectimax:depth=1,epsilon=0.1 \
	--search sims=32,root=gumbel
# From a taught net, mostly against its teacher.
GO_ON := $(LEARNING)/bin/python python/examples/ppo.py --opponents expectimax:depth=1 --opponent-share 0.75 --lam 0.7 \
	--learning-rate 3e-4 --entropy 0.005 --final-entropy 0.001 --total-plies 6000000 --evaluations 4
TAUGHT := runs/baseline-taught

baselines: learning ## Make nets as those of the agent `baseline`, six hours of one core; goes on where it stopped
	$(TEACH) --game banqi --teacher-games 20000 --games 1000 --generations 3 --width 256 --batch 512 \
		--out runs/baseline/banqi
	$(TEACH) --game flipping --teacher-games 120000 --games 4000 --generations 4 --width 256 --batch 512 \
		--out runs/baseline/flipping
	$(TEACH) --game gaiqi --teacher-games 40000 --generations 1 --width 256 --batch 512 --out $(TAUGHT)/gaiqi
	$(GO_ON) --game gaiqi --start $(TAUGHT)/gaiqi/policy.pt --lanes 1024 --minibatch 8192 --games 800 \
		--out runs/baseline/gaiqi
	for game in jieqi mystery; do \
		$(TEACH) --game $$game --teacher-games 40000 --generations 1 --width 192 --batch 2048 --learning-rate 2e-3 \
			--out $(TAUGHT)/$$game && \
		$(GO_ON) --game $$game --start $(TAUGHT)/$$game/policy.pt --lanes 512 --minibatch 4096 --games 100 \
			--out runs/baseline/$$game || exit 1; \
	done
	$(LEARNING)/bin/python python/examples/baseline.py runs/baseline/*/policy.pt --out runs/baseline

# Clippy reads the crates of the workspace while they are compiled, so that nothing is compiled for it
# alone. Not in optimised builds: it turns off optimisations of the compiler's own.
check test test-rust test-storage package: export RUSTC_WORKSPACE_WRAPPER = clippy-driver
check test test-rust test-storage package: export CLIPPY_ARGS = -Dwarnings

check: $(VENV)/.tools ## The inner loop: formats, lints and types of all code, and the unit tests in Rust
	cargo fmt --all -- --check
	rustfmt --edition 2024 --check $(GAMES)
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	cargo test --workspace --lib --locked --quiet
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

compile-rust:
	cargo fmt --all -- --check
	rustfmt --edition 2024 --check $(GAMES)
	cargo test --workspace --locked --no-run

# The agent `baseline` needs the library of ONNX Runtime, which Python's package brings.
test-rust: compile-rust $(VENV)/.tools ## Format, clippy and tests of the Rust crates
	ORT_DYLIB_PATH=$$(find $(abspath $(VENV))/lib -name 'libonnxruntime.so*' -o -name 'libonnxruntime*.dylib' | head -n 1) \
		cargo test --workspace --locked

test-long: package ## Confirm all leaf counts, solve more endgames, end programs by signals, soak; not in test
	DARKQI_SOAK_SECONDS=60 cargo test --release --package darkqi-tests --tests --locked -- --ignored
	DARKQI_TESTS=long PYTHONPATH=$(TESTED) $(BIN)/python -m pytest tests/python/test_kills.py \
		tests/python/test_machine.py tests/python/test_power_cuts.py

fuzz: ## Fuzz every target for FUZZ_SECONDS and minimise its corpus; needs nightly Rust and cargo-fuzz
	cargo +nightly run --quiet --locked --manifest-path fuzz/Cargo.toml --example seeds
	@for target in $$(cargo +nightly fuzz list); do \
		cargo +nightly fuzz run $$target -- -max_total_time=$(FUZZ_SECONDS) -timeout=60 || exit 1; \
		cargo +nightly fuzz cmin $$target || exit 1; \
	done

# The same random cases for all changes.
mutants: export PROPTEST_RNG_SEED ?= 1
mutants: ## Change single lines and see whether tests notice: SHARD of all changes; needs cargo-mutants
	cargo mutants --shard $(SHARD) --sharding round-robin

soak: ## Play mixed games for DARKQI_SOAK_SECONDS, an hour unless told otherwise, watching laws and memory
	cargo test --release --package darkqi-tests --test all --locked -- --ignored --nocapture soak::

# With the profile and the features of `cargo test`, which has compiled all but the face by then.
package: $(VENV)/.tools
	rm -rf $(TESTED)
	$(BIN)/maturin build --quiet --locked --profile dev --features darkqi-env/seventh-game --auditwheel skip --out $(TESTED)
	$(BIN)/pip install --quiet --no-deps --target $(TESTED) $(TESTED)/darkqi-*.whl

test-python: package lint-python ## Build the Python package and run its checks and tests
	PYTHONPATH=$(TESTED) $(BIN)/python -m pytest tests/python --numprocesses 2 --dist worksteal

test-learning: ## Test with PyTorch, RLlib, TorchRL, Stable-Baselines3, Minari and others, gigabytes that test leaves out
	$(PYTHON) -m venv $(LEARNING)
	$(LEARNING)/bin/pip install --quiet --upgrade pip
	$(LEARNING)/bin/pip install --quiet '.[all]' --group learning
	$(LEARNING)/bin/python -m pytest tests/python --ignore tests/python/test_site.py

test-cluster: ## Run 200 shards over 4 Ray nodes 20 times, while two nodes die and one joins; takes half an hour
	$(PYTHON) -m venv $(CLUSTER)
	$(CLUSTER)/bin/pip install --quiet --upgrade pip
	$(CLUSTER)/bin/pip install --quiet '.[ray]' pytest
	DARKQI_CLUSTER_REPETITIONS=20 DARKQI_CLUSTER_SHARDS=200 \
		$(CLUSTER)/bin/python -m pytest tests/python/test_ray.py
	$(CLUSTER)/bin/python python/benchmarks/ray_overhead.py

test-storage: $(VENV)/.tools ## Test datasets in object storage, by Ray, and in other readers; an S3 server fails at times
	$(PYTHON) -m venv $(STORAGE)
	$(STORAGE)/bin/pip install --quiet --upgrade pip
	$(STORAGE)/bin/pip install --quiet numpy --group storage
	cargo test --package darkqi-datasets --features object-store --test datasets --locked -- storage::
	rm -rf $(TESTED)-storage
	$(BIN)/maturin build --quiet --locked --profile dev --features darkqi-env/seventh-game,object-store --auditwheel skip \
		--out $(TESTED)-storage
	$(STORAGE)/bin/pip install --quiet --no-deps --target $(TESTED)-storage $(TESTED)-storage/darkqi-*.whl
	PYTHONPATH=$(abspath $(TESTED)-storage) $(STORAGE)/bin/python -m pytest tests/python/test_storage.py \
		tests/python/test_stalls.py tests/python/test_ray_storage.py tests/python/test_readers.py

# The package is installed anew each time, so that nothing is learned with an older one.
learning:
	$(PYTHON) -m venv $(LEARNING)
	$(LEARNING)/bin/pip install --quiet --upgrade pip
	$(LEARNING)/bin/pip install --quiet '.[datasets,onnx,torch]' tensorboard

lint-python: package
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/ruff check python tests
	$(BIN)/ruff format --check python tests
	$(BIN)/mypy
	PYTHONPATH=$(TESTED) $(BIN)/python -m mypy.stubtest darkqi._darkqi

python: $(VENV)/.tools ## Build the Python package into .venv, optimised
	$(BIN)/maturin develop --quiet --locked --release

# Modules are compiled when they are imported: few of them are.
$(VENV)/.tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --no-compile --upgrade pip
	$(BIN)/pip install --quiet --no-compile --group dev --group docs
	touch $@

page: ## Check and build the page in the browser, which the binary embeds; needs Node
	cd selfplay/web && npm ci --silent && npm run --silent check && npm run --silent build

screenshots: package ## Take the pictures of the README, the gallery and docs/browser.md anew; needs Chromium
	PYTHONPATH=$(TESTED) $(BIN)/python python/docs/gallery.py
	PYTHONPATH=$(TESTED):tests/python $(BIN)/python python/docs/screenshots.py

docs: python ## Build the documentation's site into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

wheel: $(VENV)/.tools ## Build the release wheel and try it with nothing but numpy, in every Python of PYTHONS
	rm -rf dist
	$(BIN)/maturin build --quiet --release --locked --out dist
	@for python in $(PYTHONS); do \
		rm -rf $(VENV)/wheel && $$python -m venv $(VENV)/wheel && \
		$(VENV)/wheel/bin/pip install --quiet --disable-pip-version-check dist/darkqi-*.whl && \
		$(VENV)/wheel/bin/python -I -W error tests/wheel_smoke.py || exit 1; \
	done

newcomer: wheel ## Go through all pages with the release wheel, in empty folders without Rust and sources
	$(PYTHON) tests/python/newcomer.py dist/darkqi-*.whl

build: ## Build the command line, optimised
	cargo build --release --locked --package darkqi-selfplay

bench: build ## Measure how fast batches step on this machine
	$(DARKQI) bench

instructions: ## Count the instructions of a step with valgrind, without noise
	cargo run --quiet --release --locked --package darkqi-env --example instructions

compare: python ## Compare with OpenSpiel, Pgx and PettingZoo at the same work
	$(BIN)/pip install --quiet --group benchmarks
	$(BIN)/python python/benchmarks/compare.py

fmt: ## Format all code
	cargo fmt --all
	rustfmt --edition 2024 $(GAMES)
	$(BIN)/ruff format python tests

bless: ## Write the golden playthroughs and the generated parts of docs/games anew; read the difference
	DARKQI_BLESS=1 cargo test --locked --package darkqi-tests --test all -- --test-threads=1 playthroughs:: pages::

clean: ## Remove what was built and the demo's data
	cargo clean
	rm -rf $(VENV) $(LEARNING) $(CLUSTER) $(STORAGE) $(DATA) dist site
