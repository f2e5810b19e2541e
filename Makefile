# Everything needs only Python 3.11 or newer and make; it all happens in .venv.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: versions sbom help install install-dev demo quick test slow lint types unit coverage mutants simulate bench docs site requirements build clean

VENV := .venv
BIN := $(VENV)/bin
# uv does what pip does, sooner.
PIP := $(if $(shell command -v uv),uv pip install --python $(BIN)/python,$(BIN)/python -m pip --disable-pip-version-check install)
PIP_COMPILE := CUSTOM_COMPILE_COMMAND="make requirements" $(BIN)/pip-compile --quiet --strip-extras \
	--no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options --upgrade

VERSION := sed -n 's/^VERSION = "\(.*\)"$$/\1/p' woo_harvester/utils/program.py

IS_NEW_ENOUGH := -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null

# The first of these that runs, is new enough and can make a virtual environment; or your own: make install PYTHON=...
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python $(IS_NEW_ENOUGH) \
	&& echo $$python && break; done)

help:
	@echo "make install       build .venv"
	@echo "make install-dev   and the test tools in it"
	@echo "make demo          harvest the bundled publishers"
	@echo "make quick         the tests of what you have changed, in a minute or two"
	@echo "make test          linters, type check and all tests but the slow ones"
	@echo "make slow          the tests with the mark slow, which .ci/run runs after the others"
	@echo "make coverage      all tests, and which lines they leave out"
	@echo "make mutants       small changes of the code, and which of them the unit tests notice"
	@echo "make simulate      an hour of simulated days with new seeds: publishers' mistakes, kills, shared documents, permits"
	@echo "make bench         speed and memory, a table each"
	@echo "make docs          what is made from the code: the reference pages, and the linter's list of settings"
	@echo "make site          all pages as a site with search, in site/"
	@echo "make versions      the unit tests with the newest versions, or RESOLUTION=lowest-direct with the oldest"
	@echo "make requirements  pins of the newest versions"
	@echo "make build         the wheel and the source distribution, in dist/, and a check of both"
	@echo "make sbom          and what the wheel brings along, as CycloneDX"
	@echo "make clean         remove .venv, what was built, and the files of the demo"

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "make: no Python 3.11 or newer with the venv module was found (on Debian: apt install python3-venv)" >&2; exit 1; }
	@$(PYTHON) $(IS_NEW_ENOUGH) || { echo "make: Python 3.11 or newer with the venv module is needed, and $(PYTHON) is none: $$($(PYTHON) --version 2>&1)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

# All extras; or only what a harvest and an audit of documents need: make install PINS=requirements.txt
PINS := requirements-all.txt

# The stamps make that a second run does nothing, until the requirements change. The project itself is installed as it stands in
# this folder, so that the command woo-harvester works in any folder, with what is changed here.
$(VENV)/.requirements-all.txt $(VENV)/.requirements.txt: $(VENV)/.%: % pyproject.toml | $(BIN)/python
	$(PIP) --requirement $< --editable .
	@touch $@ $(if $(findstring all,$@),$(VENV)/.demo)

$(VENV)/.installed-dev: requirements-dev.txt $(VENV)/.requirements-all.txt
	$(PIP) --requirement requirements-all.txt --requirement requirements-dev.txt
	@touch $@

# What the demo needs, which is a quarter of all.
$(VENV)/.demo: requirements-all.txt pyproject.toml | $(BIN)/python
	$(PIP) --constraint requirements-all.txt --editable '.[demo,portal]'
	@touch $@

# What `make site`, `make build` and `make sbom` need, in the versions of the tests: 140, 75 and 100 MB, not the 900 of install-dev.
$(VENV)/.site: TOOLS := zensical
$(VENV)/.build: TOOLS := build setuptools twine
$(VENV)/.sbom: TOOLS := build setuptools twine cyclonedx-bom
$(VENV)/.site $(VENV)/.build $(VENV)/.sbom: requirements-dev.txt | $(BIN)/python
	$(PIP) --constraint $< $(TOOLS)
	@touch $@

install: $(VENV)/.$(PINS)
	@echo "Now type: . $(VENV)/bin/activate   and then: woo-harvester --help"

install-dev: $(VENV)/.installed-dev

demo: $(VENV)/.demo
	@$(BIN)/woo-harvester demo

# mypy uses one core for a minute: the tests run beside it.
test: lint
	@$(MAKE) --no-print-directory --jobs=2 types unit

lint: install-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/scrapy-lint

types: install-dev
	$(BIN)/mypy

# Whole files, so that what a file sets up is set up once, in the order that tests/conftest.py gives them.
PARALLEL := --numprocesses=auto --dist=loadfile --no-loadscope-reorder
# Bytecode of the tests is kept, whatever the environment says: else each process compiles all of them anew.
unit slow coverage: export PYTHONDONTWRITEBYTECODE :=
MARKS := not slow
unit: install-dev
	$(BIN)/pytest $(PARALLEL) -m "$(MARKS)"

# In a minute: the tests of what is not committed yet (SINCE=main: of what differs from main) that start no process, the rules
# of the repository, and one history of each simulation.
SINCE := HEAD
quick: install-dev
	$(BIN)/ruff check
	$(BIN)/pytest -q --numprocesses=auto -m "not slow and not integration" $$($(BIN)/python -m tools.changed_tests $(SINCE))
	WOO_SIMULATE_EXAMPLES=1 $(BIN)/pytest -q --numprocesses=2 -m "simulation and not slow" tests/simulation/test_histories.py

# What needs minutes: fresh environments, servers that are killed, a year of days.
slow: install-dev
	$(BIN)/pytest $(PARALLEL) -m slow

# Apart from "test", since it takes half as long again: processes that the tests start are measured too.
coverage: install-dev
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest $(PARALLEL)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# A sample of the small changes that can be made to the code of a folder, against the tests of that folder:
# make mutants FOLDER=permits SAMPLE=60 SEED=1. Without FOLDER each of the core's folders gets a sample.
SAMPLE := 60
mutants: install-dev
	$(BIN)/python -m tools.mutants $(FOLDER) --sample $(SAMPLE) $(if $(SEED),--seed $(SEED))

# A few histories of this are in "test", the same each time. SECONDS is for the whole call: the simulations of documents and
# of permits play side by side, each with a state in SQLite and in PostgreSQL. ONLY=permits plays one of them, HISTORIES=100
# the first 100 histories, and SEED=123 one history again. The order of sets is part of a history, so it must not differ.
SECONDS := 3600
unit quick slow coverage simulate: export PYTHONHASHSEED := 0
simulate: install-dev
	@$(if $(SEED),WOO_SIMULATE_SEED=$(SEED),$(if $(HISTORIES),WOO_SIMULATE_EXAMPLES=$(HISTORIES),WOO_SIMULATE_UNTIL=$$(($$(date +%s) + $(SECONDS))))) \
	$(BIN)/pytest --capture=no --numprocesses=4 --dist=load -m simulation -k "$(ONLY)" tests/simulation

# About an hour: rescan harvests a million documents, and kills starts some hundred runs.
BENCHMARKS := register_reading sitemap_reading sitemap_scan crawl rescan document_fetching audit text_extraction permit_reading report_making compound_search text_storage indexing portal state_size shards kills
bench: install-dev
	@for name in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$name || exit 1; echo; done

docs: install
	$(BIN)/python -m tools.reference docs pyproject.toml

# Fails for a link or an anchor that leads nowhere.
site: $(VENV)/.site
	@$(BIN)/zensical build --clean --strict
	@echo "Open site/index.html in a browser."

# Pins of the newest versions within the ranges: of the package alone, with its extras, and with what tests need. Run it with the
# oldest Python that is supported, so that all have them.
requirements: install-dev
	$(PIP_COMPILE) --all-extras --allow-unsafe --output-file requirements-all.txt pyproject.toml
	$(PIP_COMPILE) --allow-unsafe --output-file requirements.txt pyproject.toml
	@# The standard library has zstd from 3.14 on, and the backport cannot be installed there.
	@sed -i.bak -E 's/^(backports-zstd==[^ ;]+)$$/\1 ; python_version < "3.14"/' requirements.txt requirements-all.txt
	@rm requirements.txt.bak requirements-all.txt.bak
	$(PIP_COMPILE) --allow-unsafe --output-file requirements-dev.txt requirements-dev.in

EXTRAS := demo,elasticsearch,permits,portal,postgresql,s3,speed,text

# The unit tests with what pip could install instead: RESOLUTION=lowest-direct or highest, or OVERRIDE="scrapy @ git+https://…" in the
# place of what pyproject.toml asks for; EXTRAS= for the base alone, whose newest dateutil the tests' S3 server refuses. The test tools
# are those that go with what is installed, and change none of it. It needs uv.
RESOLUTION ?= highest
TRIED := .cache/$(RESOLUTION)
UV_INSTALL := uv pip install --quiet --python $(TRIED)/bin/python
versions:
	uv venv --quiet --clear $(TRIED)
	echo "$(OVERRIDE)" > $(TRIED)/override.txt
	$(UV_INSTALL) --resolution $(RESOLUTION) --override $(TRIED)/override.txt --editable ".[$(EXTRAS)]"
	uv pip freeze --quiet --python $(TRIED)/bin/python --exclude-editable > $(TRIED)/installed.txt
	sed '/^-c/d$(if $(findstring s3,$(EXTRAS)),,;/^moto/d)' requirements-dev.in | \
	    $(UV_INSTALL) --constraint $(TRIED)/installed.txt --requirement -
	$(TRIED)/bin/pytest $(PARALLEL) -m "not slow and not integration"

# What the wheel brings along, in the versions of the tests, and under which licence, as CycloneDX beside the wheel.
sbom: $(VENV)/.sbom build
	$(BIN)/python -m venv --clear --without-pip .cache/sbom
	$(BIN)/python -m pip --disable-pip-version-check --python .cache/sbom/bin/python install --quiet --constraint requirements-all.txt \
	    "$$(echo dist/*.whl)[$(EXTRAS)]"
	sed "s/^dynamic = .*/version = \"$$($(VERSION))\"/" pyproject.toml > .cache/sbom/pyproject.toml
	$(BIN)/cyclonedx-py environment --output-reproducible --pyproject .cache/sbom/pyproject.toml \
	    --output-file dist/woo-harvester-$$($(VERSION)).cdx.json .cache/sbom

# What a release consists of (CONTRIBUTING.md). The pinned setuptools builds it, with the time of the commit in the wheel, so that a
# rebuild gives the same wheel.
build: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct 2>/dev/null || date +%s)
build: $(VENV)/.build
	rm -rf build dist *.egg-info
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/twine check --strict dist/*

clean:
	rm -rf $(VENV) build dist *.egg-info .coverage* .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache demo site .cache
