# Everything the book needs, in targets. `make` alone lists them.
# GNU Make 3.81 (macOS) or newer. Without make (Windows): the README has the same steps.

PYTHON ?= python3
LAB_ARGS ?=
LOCK_ARGS ?=
GPU_ARGS ?=
CLASS_ARGS ?=
SERVE_ARGS ?=
# Chapters to work on, by number: `make notebooks CHAPTERS="02 03"`. Empty: all of them.
CHAPTERS ?=
# Where `make workshop` writes.
OUT ?=

VENV := .venv
PY := $(VENV)/bin/python
PIP_INSTALL := $(PY) -m pip install --disable-pip-version-check --constraint constraints.txt
NOTEBOOKS = $(if $(CHAPTERS),$(foreach n,$(CHAPTERS),$(wildcard chapters/$(n)_*.ipynb)),$(wildcard chapters/*.ipynb))
# Those in BESIDE take one core each, run beside one another, and are shown one after the other.
STAGES := lint types sync unit nbval pages
BESIDE := lint types sync

.DEFAULT_GOAL := help
.PHONY: help lab serve setup dev model test check lint types unit soak sync nbval pages notebooks bench \
  class gpu workshop web web-serve web-audit lock clean

help:  ## List the targets
	@printf 'Paged Attention, Cell by Cell\n\nFor readers\n'
	@grep -hE '^(lab|serve):.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/'
	@printf '\nFor people who change the book\n'
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | grep -vE '^(lab|serve):' | sed -E 's/^([a-z-]+):.*## /  make \1\t/'

lab: setup model  ## Set up once, then open your copy of the book in JupyterLab at chapter 0
	@$(PY) -m bookbuild lab $(LAB_ARGS)

serve: setup model  ## Serve the model on this machine over the OpenAI protocol, at port 8000
	@$(PY) -m paged_attention serve $(SERVE_ARGS)

setup: $(VENV)/.stamp-reader  ## Install what readers need into .venv

dev: $(VENV)/.stamp-dev  ## Install what people who change the book need, too

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null || { \
	  echo "The book needs Python 3.11, 3.12 or 3.13; '$(PYTHON)' is $$($(PYTHON) --version 2>/dev/null || echo not there)."; \
	  echo "Name another one, for example:  make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@echo "Making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "Python could not make a virtual environment. On Debian and Ubuntu: apt install python3-venv"; exit 1; }

$(VENV)/.stamp-reader: pyproject.toml constraints.txt | $(PY)
	@echo "Installing what the book needs into $(VENV) (a few minutes, the first time only)"
	@$(PIP_INSTALL) --editable . || { \
	  echo "The installation stopped; pip's message is above. Nothing is lost: run the same make command again."; exit 1; }
	@touch $@

$(VENV)/.stamp-dev: $(VENV)/.stamp-reader
	@echo "Installing the tools for tests and notebooks into $(VENV)"
	@$(PIP_INSTALL) --quiet --editable '.[dev]' || { \
	  echo "The installation stopped; pip's message is above. Nothing is lost: run the same make command again."; exit 1; }
	@touch $@

model: setup  ## Fetch and convert SmolLM2-135M, once; without network the book uses its tiny model
	@$(PY) -m paged_attention model || { \
	  echo "The language model could not be set up (the reason is above)."; \
	  echo "Every chapter still works with the book's tiny model; only the generated prose is nonsense."; \
	  echo "To try again later: make model"; }

test: dev model  ## Everything that must hold: lint, types, tests, sync, every notebook and every page
	@logs=$$(mktemp -d); trap 'rm -rf "$$logs"' EXIT; failed=''; report=''; \
	for stage in $(BESIDE); do ( start=$$(date +%s); \
	  if $(MAKE) --no-print-directory $$stage >"$$logs/$$stage" 2>&1; then word=passed; else word=FAILED; fi; \
	  echo "$$word in $$(( $$(date +%s) - start )) s" >"$$logs/$$stage.end" ) & done; wait; \
	for stage in $(STAGES); do \
	  printf '\n==== %s\n' "$$stage"; start=$$(date +%s); \
	  if [ -f "$$logs/$$stage.end" ]; then cat "$$logs/$$stage"; end=$$(cat "$$logs/$$stage.end"); \
	  elif $(MAKE) --no-print-directory $$stage; then end="passed in $$(( $$(date +%s) - start )) s"; \
	  else end="FAILED in $$(( $$(date +%s) - start )) s"; fi; \
	  case $$end in FAILED*) failed="$$failed $$stage";; esac; \
	  report="$$report$$(printf '%-8s %s' $$stage "$$end")|"; \
	done; \
	printf '\n==== summary\n'; printf '%s' "$$report" | tr '|' '\n'; \
	if [ -n "$$failed" ]; then echo "Run a failed stage alone with:$$(printf ' make %s' $$failed)"; exit 1; fi

check: lint types sync  ## The quick part of `make test`: nothing is executed

lint: dev  ## Style of the Python code
	@$(PY) -m ruff check src tests
	@$(PY) -m ruff format --check src tests

types: dev  ## Types of src
	@$(PY) -m mypy

# Two workers with two threads each would spend their time waiting for one another.
unit nbval: export OMP_NUM_THREADS := 1

unit: dev  ## Unit and property tests
	@$(PY) -m pytest -n 2 --dist loadgroup --ignore=tests/web

soak: dev  ## Slow tests, all shapes of all kernels, RUNS (10,000) random serving runs; an hour
	@OMP_NUM_THREADS=1 $(PY) -m pytest -n 2 --ignore=tests/web -m slow
	@cd tests && ../$(PY) -m helpers.random_serving $(or $(RUNS),10000) $(FIRST)

sync: dev  ## Texts and notebooks agree, and chapters keep the rules for readers
	@$(PY) -m bookbuild check $(CHAPTERS)

nbval: export HF_HUB_OFFLINE := 1
nbval: export TRANSFORMERS_OFFLINE := 1
nbval: export TOKENIZERS_PARALLELISM := false
nbval: dev  ## Execute every notebook again and compare what it prints
	@$(if $(strip $(NOTEBOOKS)),$(PY) -m pytest --nbval --nbval-current-env --nbval-cell-timeout=900 \
	  --nbval-sanitize-with=src/bookbuild/measured.cfg -n 2 --dist loadfile $(NOTEBOOKS),echo "No notebooks here.")

pages: dev  ## The web book in a real browser; skipped without Chromium or Node
	@$(PY) -m pytest -n 2 --dist loadfile tests/web

notebooks: dev  ## Execute the chapters whose text changed
	@$(PY) -m bookbuild build $(CHAPTERS)

workshop: dev  ## Sets for a class, into new folders: OUT=DIR gives DIR/student and DIR/instructor
	@test -n "$(OUT)" || { echo "Name a folder that isn't there yet:  make workshop OUT=DIR"; exit 1; }
	@$(PY) -m bookbuild edition student --out "$(OUT)/student" $(CHAPTERS)
	@$(PY) -m bookbuild edition instructor --out "$(OUT)/instructor" $(CHAPTERS)

web: dev  ## Build the web book into _build/html; BASE_URL=/name for a host that has it below a path
	@$(PY) -m bookbuild.web build

web-serve: dev  ## Build the web book and show it on this machine
	@$(PY) -m bookbuild.web serve

web-audit: dev  ## Have Lighthouse judge every page, and write tests/web/audit/RESULTS.md
	@$(PY) -m bookbuild.web audit

bench: dev  ## Time the engine beside its naive twins (and other engines, see CONTRIBUTING); minutes
	@cd tests && for name in decode_cpu decode_model prefill_cpu prefill_model block_size prefix_cache \
	  serving_load; do \
	  ../$(PY) -m benchmarks.$$name --out benchmarks/results/$$(date +%F)-$$(echo $$name | tr _ -).json || exit 1; done
	@cd tests && for name in decode prefill block_size prefix serving; do \
	  ../$(PY) -m benchmarks.$${name}_page || exit 1; done

class: dev model  ## A room of LEARNERS (30) on a real JupyterHub on this machine: 12 minutes at most, needs Node
	@cd tests && ../$(PY) -m benchmarks.class_setup
	@cd tests && OMP_NUM_THREADS=1 ../$(PY) -m benchmarks.class_room --learners $(or $(LEARNERS),30) $(CLASS_ARGS) \
	  --out benchmarks/results/$$(date +%F)-class-room.json && ../$(PY) -m benchmarks.class_room_page

gpu: dev  ## On a machine with an NVIDIA GPU: kernel tests, benchmarks, pages; 8 minutes
	@cd tests && ../$(PY) -m benchmarks.on_gpu $(GPU_ARGS)

lock: dev  ## Resolve constraints.txt again; LOCK_ARGS=--upgrade takes newer versions
	@$(PY) -m uv pip compile pyproject.toml --quiet --universal --all-extras --python-version 3.11 \
	  --fork-strategy fewest --no-annotate --custom-compile-command 'make lock' $(LOCK_ARGS) -o constraints.txt
	@grep -v '^torch==' constraints.txt > hub/constraints.txt

clean:  ## Remove caches and build folders; .venv stays
	@rm -rf build dist _build .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage src/*.egg-info
	@find src tests chapters -name __pycache__ -o -name .ipynb_checkpoints | xargs rm -rf
