# make deps      install what is missing (Concurrency Kit), or say what to type
# make run       the example: a concurrent order pipeline over 10 000 orders
# make test      all tests of the library, in debug
# make lint      formatting, boundaries, symbols, README and documentation snippets
# make tsan      the tests under ThreadSanitizer, and that it still finds a user's own race
# make asan      the tests under AddressSanitizer
# make integrations  the tests of what is behind traits, and what each trait fetches
# make torture   the tests with HOP_LONG_TESTS=20: minutes of threads against threads
# make verify    the model of the protocol, searched to its end; weakened variants have to fail
# make schedules the C code itself, in every interleaving with two preemptions; planted bugs have to be found
# make linear    histories of many threads, each explained by some order of plain stacks; planted bugs have to be caught
# make fuzz      a minute of programs on the library and on a reference at once; SECONDS=600 for ten
# make soak      everything at once for SECONDS (15): flat memory, and no operation takes long; SECONDS=900 for the figures
# make bench     the benchmarks: a table, a chart, and pass or fail for each bar
# make example   the tests of the example
# make docs      the documentation, into .build/docs; says how to open it
# make docs-preview  the documentation, built anew whenever an article changes, at http://localhost:8080/documentation/hopoate
# make format    format the sources in place
# make ci        everything that guards a change
# make clean     remove what was built

SHELL := /bin/bash
ROOT := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))
ORDERS ?= $(ROOT)Examples/Checkout/Sample/orders.jsonl
TRAITS := ServiceLifecycle,Logging,Metrics,Tracing
comma := ,
CHECKOUT := swift run --quiet -c release --package-path $(ROOT)Examples/Checkout checkout

.PHONY: deps run test lint tsan asan integrations torture verify schedules linear fuzz soak bench example docs docs-preview format ci clean

deps:
	@$(ROOT).ci/deps

run: deps
	@echo 'Building Examples/Checkout; the first time takes a minute.'
	@$(CHECKOUT) --dry-run $(ORDERS)

test: deps
	swift test --disable-xctest --parallel

lint: deps
	$(ROOT).ci/lint

tsan: deps
	swift test --disable-xctest --parallel --sanitize=thread --scratch-path .build/tsan
	$(ROOT).ci/races

asan: deps
	ASAN_OPTIONS=detect_leaks=0 swift test --disable-xctest --parallel --sanitize=address --scratch-path .build/asan

integrations: deps
	swift test --disable-xctest --parallel --traits $(TRAITS) --scratch-path .build/integrations \
	    --filter '^Hopoate($(subst $(comma),|,$(TRAITS)))Tests\.'
	$(ROOT).ci/traits

torture: deps
	HOP_LONG_TESTS=20 swift test --disable-xctest --parallel -c release --scratch-path .build/release-tests

verify: deps
	Verification/Model/verify

schedules: deps
	Verification/Schedules/schedules

linear: deps
	swift run --quiet -c release --package-path Verification/Linearizability linearizability
	Verification/Linearizability/planted

fuzz: deps
	Verification/Fuzz/fuzz $(or $(SECONDS),60)

soak: deps
	Verification/Soak/soak $(or $(SECONDS),15)

bench: deps
	swift run --quiet -c release --package-path Benchmarks benchmark --svg Benchmarks/chart.svg
	cp Benchmarks/chart.svg Sources/Hopoate/Hopoate.docc/Resources/chart.svg

example: deps
	swift test --disable-xctest --package-path Examples/Checkout

docs: deps
	$(ROOT).ci/docs

docs-preview: docs
	"$$(command -v docc || xcrun --find docc)" preview Sources/Hopoate/Hopoate.docc --additional-symbol-graph-dir \
	    .build/symbol-graphs/Hopoate --output-dir .build/docs-preview --fallback-display-name Hopoate \
	    --fallback-bundle-identifier Hopoate

format:
	swift format -i -r Package.swift Sources Tests Examples/*/Package.swift Examples/*/Sources Examples/*/Tests \
	    Benchmarks/Package.swift Benchmarks/Sources
	clang-format -i Sources/CRegistry/*.[ch] Sources/CRegistry/include/*.h Tests/CTorture/*.c Tests/CTorture/include/*.h \
	    Verification/Schedules/*.[ch]

ci:
	$(ROOT).ci/run

clean:
	rm -rf .build Examples/*/.build Benchmarks/.build Tests/Fixtures/*/.build
