# Two commands from a fresh clone to a result: `make ratio` and `make test`.
# Each sets up what it needs in .venv, once, and again when pyproject.toml or constraints.txt change.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --no-compile -qq --disable-pip-version-check -c constraints.txt

.NOTPARALLEL:
.PHONY: help ratio test test-slow test-sweep lint format notebooks clean

help:
	@echo 'make ratio      set up, then the main job: the table of competitive ratios'
	@echo 'make test       set up, then the quick tests'
	@echo 'make test-slow  set up, then the slower tests: about nine minutes'
	@echo 'make test-sweep set up, then the sweep of 60 exact solves: up to a quarter of an hour'
	@echo 'make lint       set up, then format check, ruff, mypy and the layer rules'
	@echo 'make format     set up, then rewrite the sources in the house format'
	@echo 'make notebooks  set up, then open the notebooks in a browser'
	@echo 'make clean      remove .venv and the caches'
	@echo 'PYTHON=python3.12 chooses another interpreter than python3 (3.11 or newer).'

ratio: $(VENV)/core.stamp
	$(BIN)/python -m benchmarks.ratio

test: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-slow: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m slow

test-sweep: $(VENV)/test.stamp
	$(BIN)/python -m pytest -m sweep

lint: $(VENV)/test.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy models solvers online benchmarks tests/toy/toyproblem
	$(BIN)/python -m pytest -q tests/test_layers.py

format: $(VENV)/test.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

notebooks: $(VENV)/notebooks.stamp
	$(BIN)/jupyter lab notebooks

clean:
	rm -rf $(VENV) .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache build *.egg-info
	find models solvers online benchmarks tests -name __pycache__ -prune -exec rm -rf {} +

# A stamp is written only after its installation has ended well.
$(VENV)/python.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "error: Python 3.11 or newer is needed; '$(PYTHON)' is `$(PYTHON) --version 2>&1`." >&2; \
	  echo "       Name another interpreter: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo 'Creating $(VENV) ...'
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "error: '$(PYTHON) -m venv' failed (on Debian, install python3-venv)." >&2; exit 1; }
	@touch $@

$(VENV)/core.stamp: $(VENV)/python.stamp pyproject.toml constraints.txt
	@echo 'Installing the toolkit and its libraries (once; about a minute) ...'
	@$(PIP_INSTALL) -e .
	@touch $@

$(VENV)/test.stamp: $(VENV)/python.stamp pyproject.toml constraints.txt
	@echo 'Installing the toolkit, its libraries and the test tools (once; about a minute) ...'
	@$(PIP_INSTALL) -e '.[test,check]'
	@touch $(VENV)/core.stamp $@

$(VENV)/notebooks.stamp: $(VENV)/python.stamp pyproject.toml constraints.txt
	@echo 'Installing the toolkit, its libraries and Jupyter (once; about a minute) ...'
	@$(PIP_INSTALL) -e '.[notebooks]'
	@touch $(VENV)/core.stamp $@
