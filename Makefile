# The front door. CMake does the work; this names the things people do.
#
#   make            build/tacit and the libraries       make install    DESTDIR=, PREFIX=/usr/local
#   make demo       set up, build, and run the demo     make format     clang-format in place
#   make test       set up, build, and run the tests    make bench      tables beside our peers
#   make check      format, lint, layers, sanitizers    make torture    every allocation fails once
#   make fuzz       search for inputs that break        make fresh      demo and test in a bare Debian
#   make deep       what takes longer than CI has       make papers     build/tacit-papers: the papers' experiments
#   make wheel      build-wheel/dist: pytacit for pip   make check-python  the wheel, with other packages
#   make clean      all but the sources

PREFIX ?= /usr/local
WERROR ?= OFF
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
# Tests that run at the same time: many of them wait for processes of theirs.
TESTS  ?= $(shell expr $(JOBS) + \( $(JOBS) + 1 \) / 2)

CONFIGURE = cmake --preset release --log-level=WARNING \
            -DTACIT_WERROR=$(WERROR) -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
BUILD     = cmake --build build --parallel $(JOBS)

.PHONY: all demo test check bench papers format install torture fuzz deep fresh wheel check-python clean

all:
	@tools/setup build
	@$(CONFIGURE)
	@$(BUILD) --target product

demo: all
	build/tacit demo --out build/demo

test:
	@tools/setup build test
	@$(CONFIGURE) -DTACIT_TESTS=ON -DTACIT_PAPERS=ON
	@$(BUILD)
	ctest --test-dir build --parallel $(TESTS) --output-on-failure

check:
	@tools/setup build test check wheel
	tools/check

bench: all
	@$(BUILD) --target benchmarks
	bench/run

papers:
	@tools/setup build papers
	@$(CONFIGURE) -DTACIT_PAPERS=ON
	@$(BUILD) --target tacit-papers papers_benchmarks

format:
	@tools/setup check
	tools/list-sources | xargs clang-format -i

install: all
	cmake --install build --prefix $(PREFIX)

torture:
	@tools/setup build test
	tools/torture

fuzz:
	@tools/setup build test fuzz
	tools/fuzz

deep:
	@tools/setup build test check wheel fuzz
	tools/deep

fresh:
	@tools/setup fresh
	tools/fresh

wheel:
	@tools/setup build wheel
	python/wheel/build

check-python:
	@tools/setup build wheel
	tools/check-python

clean:
	rm -rf build build-*
