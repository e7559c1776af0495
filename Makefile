# make deps      install what is missing (Concurrency Kit), or say what to type
# make run       the example: a concurrent order pipeline over 10 000 orders
# make test      all tests of the library, in debug
# make lint      formatting, boundaries, symbols, README and documentation snippets
# make tsan      the tests under ThreadSanitizer, and that it still finds a user's own race
# make asan      the tests under AddressSanitizer
# make torture   the tests with HOP_LONG_TESTS=20: minutes of threads against threads
# make verify    the model of the protocol, searched to its end; weakened variants have to fail
# make schedules the C code itself, in every interleaving with two preemptions; planted bugs have to be found
# make linear    histories of many threads, each explained by some order of plain stacks; planted bugs have to be caught
# make fuzz      a minute of programs on the library and on a reference at once; SECONDS=600 for ten
# make soak      everything at once for SECONDS (15): flat memory, and no operation takes long; SECONDS=900 for the figures
# make bench     the benchmarks: a table, a chart, and pass or fail for each bar
# make example   the tests of the example
# make shop-deps install what the shop needs (SQLite), or say what to type
# make serve     the shop: an HTTP service on 127.0.0.1:8080, with lines to type; PORT=… for another port
# make serve-test the tests of the shop, over sockets
# make load      the shop under load, wired by the container, by hand and by a dictionary; SECONDS=60 in all
# make docs      the documentation, into .build/docs; says how to open it
# make docs-preview  the documentation, built anew whenever an article changes, at http://localhost:8080/documentation/hopoate
# make format    format the sources in place
# make ci        everything that guards a change
# make clean     remove what was built

SHELL := /bin/bash
ROOT := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))
ORDERS ?= $(ROOT)Examples/Checkout/Sample/orders.jsonl
SHOP := $(ROOT)Examples/Shop
# The package manager reads all manifests anew where the environment has changed.
SHOP_BUILD := env -u PORT -u SECONDS swift build -c release --package-path $(SHOP)
CHECKOUT := swift run --quiet -c release --package-path $(ROOT)Examples/Checkout checkout

.PHONY: deps run test lint tsan asan torture verify schedules linear fuzz soak bench example \
    shop-deps serve serve-test load docs docs-preview format ci clean

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

shop-deps:
	@$(SHOP)/deps

serve: shop-deps
	@echo 'Building Examples/Shop; the first time takes some minutes.'
	@$(SHOP_BUILD) --quiet --product shop
	@exec "$$($(SHOP_BUILD) --show-bin-path)/shop"

serve-test: shop-deps
	swift test --disable-xctest --parallel --package-path $(SHOP)

load: shop-deps
	@echo 'Building Examples/Shop; the first time takes some minutes.'
	@$(SHOP_BUILD) --quiet --product shop-load
	@env SECONDS=$(or $(SECONDS),60) "$$($(SHOP_BUILD) --show-bin-path)/shop-load"

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
