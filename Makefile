# - `make demo` sets everything up and replays the demo drive.
# - `make test` sets everything up and runs every test except the heavy ones.
# - `make test-all` also runs the heavy tests; screenshots of the report are in .build/screenshots.
# - `make install` installs the C library, with PREFIX=/usr/local, LIBDIR, INCLUDEDIR, DESTDIR; `make uninstall` removes
#   it. FENCEPOST_RUNTIME=full installs a large library that contains the Swift runtime. FENCEPOST_STORE=none installs a
#   library without stores. FENCEPOST_OPTIMIZE=size installs a smaller and slower library.
# - `make cross TARGET=aarch64-linux-gnu` builds the C library and the wheel for another target, into
#   .build/cross/TARGET. The targets are in bindings/c/targets.sh, and Tests/Cross/run.sh TARGET tests the result.
# - `make wheel` builds the Python wheel and the source distribution into .build/dist.
# - `make sql` builds the extensions for SQLite and DuckDB into .build/sql, and the one for PostgreSQL if its headers are
#   installed.
# - `make docs` builds the documentation, guides and references into .build/docs: open index.html.
# - `make qgis-plugin` builds the zip that QGIS installs; HOMEPAGE and EMAIL go into its metadata.
# - `make wasm` builds the WebAssembly module and the folder .build/js, from which `npm pack .build/js` makes the package.
# - `make soak` runs the randomized tests with full counts, such as thousands of kills, all tests of the wheel, and the
#   sanitizers. These tests take an hour.
# - `make setup` only sets everything up: it installs system packages (as root), creates .venv, and builds.
# - `make bench` runs the benchmarks.
# - `make bench-streams` runs the benchmarks for files with many tracks at full size (10 million points).
#   BEFORE=FOLDER also runs an earlier version of the package from that folder.
# - `make bench-spark` measures how fast a local Spark processes streams with Fencepost and, for comparison, without any
#   work on the rows.
# - `make million` follows a million devices (examples/c/million.c) and prints the fixes per second, the memory, and the
#   time to open the store.
# - `make mutants` puts defects into a copy of the engine, one by one, and shows which scenario or test detects each.
# - `make coverage` runs the Swift and Python tests with counters and writes the results into Tests/Coverage/README.md.
# - `make sanitize` runs the C cases and the fuzz corpora under the sanitizers; `make soak` includes it.
# - `make fuzz` fuzzes each target of Tests/Fuzz for SECONDS (default 60).
# - `make format` formats Swift, Python, C and C++.
# - `make format-check` lists the files that need formatting; `make test` includes it.
# - `make messages` prints every message that a user can read, grouped by source.
# - `make sample-text SEED=n` draws ten random sentences each of comments, docstrings, messages and guides.
# - `make release VERSION=1.2.3` checks, sets the version, builds, commits and tags; it prints what to push.
# - `make clean` removes all build results and .venv.
#
# All paths are relative, so that the tree can be anywhere. Finished steps are recorded in .build/stamps.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL:
.SUFFIXES:
.PHONY: demo test test-all soak setup setup-test setup-test-all setup-programs setup-lint install uninstall cross wheel docs docs-c docs-site clean-docs wasm sql \
  qgis-plugin bench bench-streams bench-spark million mutants coverage sanitize fuzz format format-check messages sample-text release clean

# The caller's environment must not redirect pip or Python.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV PIP_TARGET PIP_PREFIX PIP_USER PIP_REQUIRE_VIRTUALENV
export PIP_DISABLE_PIP_VERSION_CHECK := 1

stamps := .build/stamps
python := .venv/bin/python
library := $(shell root=.; . bindings/c/names.sh; echo "$$default_lib/$$soname")

swift_sources := Package.swift $(wildcard include/*) $(shell find Sources -type f | grep -v ' ')
python_sources := $(addprefix bindings/python/,pyproject.toml setup.py systems.py MANIFEST.in README.md) \
  $(shell find bindings/python/native bindings/python/src -name '*.[ch]' -o -name '*.py' -o -name '*.pyi' -o -name py.typed)

demo: $(stamps)/python
	@echo "== the demo drive: Google's campus to Apple's headquarters"
	@.venv/bin/fencepost replay examples/data/drive.csv --conditions examples/data/places.geojson \
	  --sightings examples/data/sightings.jsonl --summary

# The rules below run make as `$(again)`, because make executes every line that contains $(MAKE), even in a dry run.
again := $(MAKE) --no-print-directory

setup: $(stamps)/python

setup-test: $(stamps)/python-test $(stamps)/archive

# Building the library uses only one core, so the Swift tests are built at the same time; the test part `build` waits
# until they are built.
test: $(stamps)/system
	@mkdir -p .build/test-logs; Tests/swift.sh build --build-tests > .build/test-logs/build-early.log 2>&1 & early=$$!; \
	  $(again) setup-test || { kill $$early; exit 1; }; Tests/run.sh

setup-lint: $(stamps)/lint

# `setup-test-all` also sets up what `make docs` needs. Each of these set-up steps reinstalls the package, so all of
# them run before the tests, which import the package. To use a second core, the WebAssembly module is built while
# programs are installed. The test parts `wasm` and `docs` need the module, and wait until it is built. If the early
# build of the module fails, the parts `wasm` and `docs` run the build again, and print why it fails.
setup-test-all: $(stamps)/library
	@.ci/wasm.sh  # installs before others do: apt's lists have one lock
	@mkdir -p .build/test-logs; $(again) $(stamps)/wasm > .build/test-logs/wasm-early.log 2>&1 & early=$$!; \
	  $(again) setup-programs || { kill $$early; exit 1; }

setup-programs: $(stamps)/python-test-all $(stamps)/python-tools $(stamps)/site $(stamps)/sql

test-all: setup-test-all
	@Tests/run.sh heavy

install: $(stamps)/archive
	@bindings/c/install.sh install

uninstall:
	@bindings/c/install.sh uninstall

cross: $(stamps)/python-tools
	@.ci/cross.sh "$(TARGET)"
	@export FENCEPOST_TARGET="$(TARGET)"; bindings/c/build.sh && bindings/c/archive.sh && bindings/python/cross.sh

wheel: $(stamps)/python-tools $(stamps)/library $(stamps)/sql
	@bindings/python/dist.sh

docs: clean-docs docs-c docs-site
	@echo "the documentation is .build/docs/index.html"

docs-c: $(stamps)/system
	@bindings/c/docs/build.sh

# Builds one site from the guides and the references. The site reads the output of docs-c: Doxygen's XML and DocC's
# pages. Chromium takes the pictures of reports.
docs-site: $(stamps)/site $(stamps)/wasm $(stamps)/browser
	@$(python) bindings/site/build.py

clean-docs:
	@rm -rf .build/docs

sql: $(stamps)/sql
	@ls -l .build/sql

wasm: $(stamps)/wasm
	@ls -l .build/js/fencepost.wasm

qgis-plugin: $(stamps)/python
	@$(python) bindings/qgis/build_plugin.py

soak: setup-test $(stamps)/spark $(stamps)/python-tools $(stamps)/sql
	@FENCEPOST_SOAK=1 Tests/run.sh build swift python store spark musl wheels sanitize

bench: setup-test
	@if [ -x Tests/Benchmarks/run.sh ]; then Tests/Benchmarks/run.sh; \
	else echo "bench: Tests/Benchmarks/run.sh is not there" >&2; exit 1; fi

bench-streams: setup-test
	@$(python) Tests/Benchmarks/streams.py --full --json .build/bench.json $(if $(BEFORE),--before "$(BEFORE)")

bench-spark: $(stamps)/spark
	@$(python) Tests/Benchmarks/spark_streams.py

# The last line printed shows the fixes per second, the memory, and the time to open the store.
million: $(stamps)/library
	@cc -O2 -std=c11 -Iinclude examples/c/million.c -L.build/lib -lfencepost -lpthread -Wl,-rpath,"$$PWD/.build/lib" -o .build/million
	@.build/million 1000000 100000 20

format-check: $(stamps)/python-test
	@Tests/Style/run.sh

format: $(stamps)/python-test
	@Tests/Style/run.sh write

# The targets `messages` and `sample-text` only read the sources; they build nothing.
messages:
	@python3 Tests/Style/messages.py --print

sample-text: SEED ?= 1
sample-text:
	@python3 Tests/Style/sample.py "$(SEED)"

mutants: setup-test
	@$(python) Tests/Mutants/run.py

coverage: setup-test
	@$(python) Tests/Coverage/run.py

sanitize: setup-test
	@Tests/Sanitize/run.sh

fuzz: SECONDS ?= 60
fuzz: setup-test
	@Tests/Fuzz/run.sh run $(SECONDS)

release:
	@.ci/release.py make "$(VERSION)"

clean:
	rm -rf .build .venv bindings/python/build bindings/python/src/*.egg-info

# The stamp `system` is renewed if its script has changed, or if the Python that the script found no longer exists.
ifneq ($(shell test -x "$$(tail -n 1 $(stamps)/system 2>/dev/null)" && echo there),there)
.PHONY: $(stamps)/system
endif
$(stamps)/system: .ci/system.sh
	@mkdir -p $(stamps)
	@echo "== looking at the machine"
	@.ci/system.sh > $@.new
	@mv $@.new $@

# Creates the virtual environment again if it is broken.
ifneq ($(shell $(python) -c 'print("works")' 2>/dev/null),works)
.PHONY: $(stamps)/venv
endif
$(stamps)/venv: $(stamps)/system
	@echo "== making .venv with $$(tail -n 1 $(stamps)/system)"
	@rm -rf .venv $(stamps)/python $(stamps)/python-test $(stamps)/python-tools
	@"$$(tail -n 1 $(stamps)/system)" -m venv .venv
	@$(python) -m pip --version > /dev/null
	@touch $@

# Rewrites the file `runtime` if the library is to be built in another way (FENCEPOST_RUNTIME, FENCEPOST_STORE,
# FENCEPOST_OPTIMIZE).
runtime := $(shell root=.; . bindings/c/names.sh; echo $$runtime$$variant)
ifneq ($(shell cat $(stamps)/runtime 2>/dev/null),$(runtime))
.PHONY: $(stamps)/runtime
endif
$(stamps)/runtime:
	@mkdir -p $(stamps)
	@echo "$(runtime)" > $@

$(stamps)/library: $(stamps)/system $(stamps)/runtime $(shell find bindings/c/embedded -type f) $(addprefix bindings/c/,embedded.sh targets.sh build.sh names.sh system.sh fencepost.map older-glibc.sh missing.c order.c) $(swift_sources)
	@echo "== building the C library (release, self-contained)"
	@bindings/c/build.sh
	@touch $@

# Builds the JavaScript package: the library as WebAssembly, and the code that calls it.
$(stamps)/wasm: $(stamps)/system .ci/wasm.sh $(addprefix bindings/c/,embedded.sh targets.sh fencepost.map) $(shell find bindings/js bindings/c/embedded -type f) Tests/Determinism/replay.c $(swift_sources)
	@echo "== building the WebAssembly module and the npm package"
	@.ci/wasm.sh
	@flock $(stamps) bindings/js/build.sh  # a second build waits for the first, and finds its objects
	@touch $@

$(stamps)/archive: $(stamps)/library bindings/c/archive.sh
	@bindings/c/archive.sh > /dev/null
	@touch $@

# The package's extras that the tests, guides and notebooks use, and the pip options that select the groups of
# development requirements.
extras := cli,files,geo,report,nmea,parquet
group = $(addprefix --group bindings/python/pyproject.toml:,$(1))

$(stamps)/python: $(stamps)/venv $(stamps)/library $(python_sources)
	@echo "== installing the Python package into .venv"
	@$(python) -m pip install --quiet --disable-pip-version-check 'pip>=25.1'  # it knows dependency groups
	@FENCEPOST_LIBRARY="$$PWD/$(library)" FENCEPOST_ROOT="$$PWD" \
	  $(python) -m pip install --quiet './bindings/python[cli,files]'
	@touch $@

# Installs the package with everything that its tests need, including the tools that build the wheel.
$(stamps)/python-test: $(stamps)/python .ci/data.sh
	@echo "== installing what the Python tests need"
	@FENCEPOST_LIBRARY="$$PWD/$(library)" FENCEPOST_ROOT="$$PWD" \
	  $(python) -m pip install --quiet './bindings/python[$(extras)]' $(call group,test dist format)
	@.ci/data.sh $(python) geopandas 0.14.4
	@touch $@

# Installs the tools that build the wheel.
$(stamps)/python-tools: $(stamps)/python
	@echo "== installing what makes the wheel"
	@$(python) -m pip install --quiet $(call group,dist)
	@touch $@

# Installs the package with the tools that build the site.
$(stamps)/site: $(stamps)/python
	@echo "== installing what makes the site"
	@$(python) -m pip install --quiet $(call group,site browser)
	@touch $@

# Installs what the heavy tests need: a browser and its driver.
ifeq ($(shell command -v chromium),)
.PHONY: $(stamps)/browser
endif
$(stamps)/browser: $(stamps)/system .ci/browser.sh
	@.ci/browser.sh
	@touch $@

# Installs gpsd, because the tests run `fencepost watch` against it.
ifeq ($(shell command -v gpsfake),)
.PHONY: $(stamps)/gpsd
endif
$(stamps)/gpsd: $(stamps)/system .ci/gpsd.sh
	@.ci/gpsd.sh
	@touch $@

# Installs the broker mosquitto, because the tests run `fencepost watch` against it.
ifeq ($(shell PATH="$$PATH:/usr/sbin" command -v mosquitto),)
.PHONY: $(stamps)/mosquitto
endif
$(stamps)/mosquitto: $(stamps)/system .ci/mosquitto.sh
	@.ci/mosquitto.sh
	@touch $@

# Installs the tools that test the workflows, the release and the container files.
$(stamps)/lint: $(stamps)/python-test .ci/lint.sh
	@.ci/lint.sh
	@$(python) -m pip install --quiet $(call group,lint)
	@touch $@

# The SQL extensions. Installs PostgreSQL together with the requirements of the heavy tests.
$(stamps)/sql: $(stamps)/archive $(stamps)/venv .ci/duckdb.sh bindings/sql/build.sh $(shell find bindings/sql -name '*.[ch]' -o -name '*.map' -o -name Makefile)
	@echo "== building the SQL extensions"
	@bindings/sql/build.sh sqlite > /dev/null
	@bindings/sql/build.sh duckdb > /dev/null
	@! command -v pg_config > /dev/null || [ ! -e "$$(pg_config --includedir-server)/postgres.h" ] || bindings/sql/build.sh postgresql > /dev/null
	@touch $@

# Installs Spark and the Java that it needs.
$(stamps)/spark: $(stamps)/python-test .ci/java.sh
	@echo "== installing Spark"
	@.ci/java.sh
	@FENCEPOST_LIBRARY="$$PWD/$(library)" FENCEPOST_ROOT="$$PWD" \
	  $(python) -m pip install --quiet './bindings/python[spark]'
	@touch $@

$(stamps)/python-test-all: $(stamps)/python-test $(stamps)/browser $(stamps)/gpsd $(stamps)/mosquitto .ci/data.sh .ci/gdal.sh .ci/postgresql.sh .ci/duckdb.sh $(stamps)/spark $(stamps)/lint
	@echo "== installing what the heavy tests need"
	@.ci/data.sh $(python) traffic 2.13
	@.ci/gdal.sh
	@.ci/postgresql.sh
	@for version in 1.2.0 2.0.1; do .ci/duckdb.sh .build/duckdb/$$version $$version; done
	@FENCEPOST_LIBRARY="$$PWD/$(library)" FENCEPOST_ROOT="$$PWD" \
	  $(python) -m pip install --quiet './bindings/python[$(extras),live]' \
	    $(call group,test tools sql browser dist services site format)
	@touch $@
