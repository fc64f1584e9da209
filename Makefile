# `make help` lists the targets. PYTHON chooses the interpreter (3.10 to 3.13) that .venv is made from.
PYTHON ?= python3
ARGS ?=
PHOTOGRAPHS ?= ../shared/data/photos
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev demo test postgresql lint format bench soak openapi lock clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

setup: $(VENV)/.installed ## Make .venv with the printproof command, and fetch the default weights
	$(BIN)/printproof models pull

setup-dev: $(VENV)/.installed-dev ## The same with the tools for tests, and all weights
	$(BIN)/printproof models pull ppocr-v6-small ppocr-v4-mobile

demo: setup ## Start the service, post sample labels, keep serving until Ctrl-C (ARGS=--once: stop after them)
	$(BIN)/printproof demo $(ARGS)

test: setup-dev postgresql lint ## Lint, types, layers, then all tests (ARGS are pytest's)
	$(BIN)/python -m pytest $(ARGS)

postgresql:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || \
		{ test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -qq -y --no-install-recommends postgresql; } || \
		{ echo "the tests need PostgreSQL 15 or newer: install Debian's package postgresql, or put initdb on the PATH"; exit 1; }

lint: setup-dev ## Ruff, mypy, import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup-dev ## Format the code and mend what ruff can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup-dev ## Read photographs (where they are) and 200 sample labels beside the peers, into build/bench
	test ! -d $(PHOTOGRAPHS) || $(BIN)/printproof bench ocr --images $(PHOTOGRAPHS) --out build/bench/photographs $(ARGS)
	$(BIN)/printproof samples make --seed 3 --count 200 --out build/bench/labels
	$(BIN)/printproof bench ocr --images build/bench/labels --out build/bench/labels $(ARGS)

soak: setup-dev ## 2,000 inspections in 50 sizes through a real server: is its memory flat
	$(BIN)/python -m tests.soak $(ARGS)

openapi: setup-dev ## Write docs/openapi.json after a change of the API
	$(BIN)/python -m tests.contract > docs/openapi.json

lock: ## Write the lock files anew (needs uv); they hold hashes and no addresses
	uv pip compile -q --upgrade --universal --generate-hashes --no-header --no-annotate --python-version 3.10 \
		pyproject.toml --extra onnx -o requirements.lock
	uv pip compile -q --universal --generate-hashes --no-header --no-annotate --python-version 3.10 \
		-c requirements.lock pyproject.toml --extra onnx --extra paddle --extra bench --extra s3 --group dev -o requirements-dev.lock
	uv pip compile -q --upgrade --universal --generate-hashes --no-header --no-annotate --python-version 3.10 \
		models/requirements-convert.in -o models/requirements-convert.lock
	for peer in faster-paddle paddleocr rapidocr; do \
		uv pip compile -q --universal --generate-hashes --no-header --no-annotate --python-version 3.11 \
			models/bench/requirements-$$peer.in -o models/bench/requirements-$$peer.lock; done

clean: ## Remove .venv and what the demo wrote
	rm -rf $(VENV) .demo build

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if (3, 10) <= sys.version_info < (3, 14) else "Python 3.10 to 3.13 is needed")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements.lock pyproject.toml | $(VENV)/bin/python
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps -e .
	touch $@

$(VENV)/.installed-dev: requirements-dev.lock $(VENV)/.installed
	$(PIP) install --require-hashes -r requirements-dev.lock
	touch $@
