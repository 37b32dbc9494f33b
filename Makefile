# make run   installs and opens the dashboard        make test  installs and passes every test
# make lint  style, types, imports, packages and the image's files        make bench  measures the engine
# make docs  writes the reference of the library to build/docs

PYTHON ?= python3
PORT ?= 8501
TORCH_INDEX_URL ?= https://download.pytorch.org/whl/cpu
BIN := .venv/bin
TORCH := $(shell sed -n 's/^\(torch==.*\)/\1/p' requirements.txt)

.PHONY: setup run test lint docs bench clean

setup: .venv/.ready

.venv/.torch:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@# The CPU build: no user downloads gigabytes of CUDA by accident. Where that index is out of reach, the default one.
	$(BIN)/pip install --quiet --timeout 10 --retries 0 --index-url $(TORCH_INDEX_URL) $(TORCH) 2>/dev/null \
	  || $(BIN)/pip install --quiet $(TORCH)
	@touch $@

.venv/.ready: .venv/.torch requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

.venv/.dev: .venv/.ready requirements-dev.txt requirements-cluster.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

# Once, so that the first visitor does not wait for it.
.venv/.compiled: .venv/.ready $(shell find cvar_core -name '*.py')
	@echo "Compiling the kernels (a minute, once) …"
	@$(BIN)/python -m cvar_core compile
	@touch $@

run: .venv/.compiled
	@# Streamlit opens no browser for an app with a stream of its own, and "headless false" would only advertise.
	@($(BIN)/python -m tools.open_browser http://localhost:$(PORT) $$$$ </dev/null >/dev/null 2>&1 &); \
	  exec $(BIN)/streamlit run app.py --server.port $(PORT)

test: .venv/.dev
	@tools/install-chromium
	@# Bytecode is kept even where that is switched off: each worker and server would compile everything again.
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 3 --dist worksteal # neighbours share a server; three, because some wait for a browser

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.container.licences
	$(BIN)/python -m tools.audit
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml
	@# DL3057 asks for a HEALTHCHECK. There are builds of hadolint for Linux on x86-64 only.
	@if [ -x $(BIN)/hadolint ]; then $(BIN)/hadolint --warning DL3057 Dockerfile; else echo "The Dockerfile was not checked."; fi

# What a user of the library calls, from its docstrings.
docs: .venv/.dev
	$(BIN)/python -W error -m pdoc --docformat numpy -o build/docs cvar_core cvar_core.optim cvar_core.own_model '!cvar_core[.](?!(optim|own_model)$$)'

bench: .venv/.ready
	$(BIN)/python -m cvar_core bench

clean:
	rm -rf .venv build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
