# The two that a newcomer needs: `make run` serves the app in the browser, `make test` runs the tests. Each first installs
# what it needs into .venv, with uv where that is installed, else with pip.

SHELL := /bin/bash
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
# One more than there are cores: some tests wait for a clock, an engine or a browser.
JOBS ?= $(shell expr $$(nproc 2>/dev/null || echo 2) + 1)
BIN := .venv/bin
PYTEST := $(BIN)/pytest -n $(JOBS) --dist worksteal
# Bounds checks are for compiled code. `make test` runs one file of the compiler's tests with them; `make test-slow` also the
# rest of those, and the rules and kernels of every game.
CHECKED := tests/core/test_compile.py
KERNELS := tests/test_registry.py tests/core tests/games tests/search tests/montecarlo tests/equilibrium --ignore=tests/core/test_cache.py
APP := .venv/.app
READY := .venv/.ready
UV := $(shell command -v uv)
# Extras, as in pyproject.toml: what the app needs, and all that tests, documentation and benchmarks need.
APP_EXTRAS := web,nets
ALL_EXTRAS := all,test,docs,bench
# Python compiles bytecode for what it imports, which is faster than compiling all files of all packages at once.
PIP_INSTALL = PYTHONUNBUFFERED=1 $(BIN)/python -m pip install --disable-pip-version-check --no-compile
# The oldest Numba that pyproject.toml allows, and the tests that depend on Numba most.
OLDEST := $(shell sed -n 's/.*"numba>=\([0-9.]*\),.*/\1/p' pyproject.toml)
NUMBA_TESTS := tests/core tests/games/test_kayles.py tests/search/test_lists.py

.DELETE_ON_ERROR:
.PHONY: help run test test-slow test-trust test-scale test-numba lint format bench docs setup system clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-10s %s\n", $$1, $$2}' Makefile

run: $(APP) ## serve the app: open the address that it prints
	@$(BIN)/counterplay serve

test: lint ## lint, then the tests: as they are, with bounds checks, and a part of them uncompiled
	$(PYTEST) -m 'not slow and not trust and not scale'
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -m 'not slow and not trust and not scale and not peer' $(CHECKED)
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -m plain

test-slow: setup ## the slow tests
	$(PYTEST) -m slow
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -m 'not slow and not trust and not scale and not peer' $(KERNELS)

test-trust: setup ## fuzzed input for every reader, kill -9 of every long job, full disks (takes long)
	$(PYTEST) -m trust -rP

test-scale: setup ## larger jobs on a simulated Ray cluster, with workers and nodes killed
	$(BIN)/pytest -m scale -rP

test-numba: .venv-numba-low/.ready .venv-numba-high/.ready ## the compiler's tests with the oldest and the newest supported Numba
	@set -e; for end in low high; do \
		.venv-numba-$$end/bin/python -c 'import numba; print("Numba", numba.__version__)'; \
		.venv-numba-$$end/bin/pytest -n $(JOBS) --dist worksteal -m 'not slow and not trust and not scale and not peer' $(NUMBA_TESTS); \
	done

.venv-numba-low/.ready: PINNED = 'numba==$(OLDEST)'
.venv-numba-%/.ready: pyproject.toml
	@echo 'Setting up $(@D) ...'
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/pip install -qq --disable-pip-version-check --upgrade $(PINNED) -e . pytest pytest-xdist hypothesis
	@touch $@

lint: setup ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup ## format the code with ruff
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup ## measure speed, side by side with other programs
	$(BIN)/python -m benchmarks

docs: setup ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

setup: $(READY) ## a .venv with the package and all its extras

$(APP): pyproject.toml constraints.txt
	@$(MAKE) -s --no-print-directory $(BIN)/python
	@echo 'Installing what the app needs (once; about a minute) ...'
	@$(call install,$(APP_EXTRAS))
	@touch $@

$(READY): pyproject.toml constraints.txt
	@$(MAKE) -s --no-print-directory system
	@$(MAKE) -s --no-print-directory $(BIN)/python
	@echo 'Installing the package with all its extras (once; about three minutes) ...'
	@$(call install,$(ALL_EXTRAS))
	@touch $(APP) $@

# Install the package with some extras, and name each package that is fetched. If uv cannot find one, pip is tried: it reads pip.conf.
define install
set -o pipefail; \
if [ -n "$(UV)" ] && "$(UV)" pip install --python $(BIN)/python -c constraints.txt -e '.[$(1)]'; then exit 0; fi; \
$(PIP_INSTALL) -c constraints.txt -e '.[$(1)]' 2> .venv/install.log \
	| awk '/^Collecting/ { sub(/[<>=!~\[].*/, "", $$2); print "  " $$2; fflush() } /^Installing collected/ { print "  unpacking ..."; fflush() }' \
	|| { cat .venv/install.log >&2; exit 1; }
endef

$(BIN)/python:
	@echo 'Creating .venv ...'
	@if [ -n "$(UV)" ] && "$(UV)" venv -q --seed --python '$(or $(PYTHON),3.13)' .venv; then exit 0; fi; \
	test -n "$(PYTHON)" || { echo 'Counterplay needs Python 3.11 or later, which is not on this machine.'; exit 1; }; \
	$(PYTHON) -m venv .venv || { \
		echo 'Python cannot make a virtual environment here; on Debian and Ubuntu: apt install python3-venv'; exit 1; }; \
	$(BIN)/python -m pip install -qq --disable-pip-version-check --upgrade pip || true # newer ones resolve twice as fast

# What pip cannot install, for tests and benchmarks. Without the right to install it, say what will be missing and go on.
system:
	@missing=; \
	command -v g++ >/dev/null || missing="$$missing g++"; \
	$(or $(PYTHON),false) -c 'import ensurepip' 2>/dev/null || missing="$$missing python3-venv"; \
	command -v chromium >/dev/null || missing="$$missing chromium"; \
	command -v chromedriver >/dev/null || missing="$$missing chromium-driver"; \
	for program in gnugo gnubg stockfish gnuchess polyglot fairy-stockfish gnushogi; do \
		PATH="$$PATH:/usr/games" command -v $$program >/dev/null || missing="$$missing $$program"; \
	done; \
	PATH="$$PATH:/usr/games" command -v gtp-rhino >/dev/null || missing="$$missing grhino"; \
	test -z "$$missing" && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing$$missing ..."; \
		{ apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y $$missing; } >/dev/null && exit 0; \
	fi; \
	echo "Not installed here:$$missing (\`make bench\` needs g++ for its C++ side; the tests need gnubg for backgammon, gnugo for Go, grhino for Othello, stockfish, gnuchess and polyglot for chess, fairy-stockfish and gnushogi for shogi, and chromium and chromium-driver for the app; python3-venv creates the .venv)."

clean: ## remove what the commands above made
	rm -rf .venv .venv-numba-* site build .pytest_cache .mypy_cache .ruff_cache .hypothesis src/*.egg-info
