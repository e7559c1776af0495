# make deps      install what is missing (Concurrency Kit), or say what to type
# make tools     install what only the checks need, or say what is missing
# make run       the example: a concurrent order pipeline over 10 000 orders
# make test      all tests of the library, in debug
# make test-release   the same in release, where a warning is an error
# make lint      formatting, boundaries, symbols, pictures, workflows
# make manifests each manifest under the rules of Swift 6.1, 6.2 and 6.3
# make snippets  the code in the README, the articles and the comments compiles
# make client    the library as somebody's dependency, in debug and in release
# make failures  what becomes of a test that asks for what is not registered
# make tsan      the tests under ThreadSanitizer, with those of what is behind traits, where a warning is an error; and that it still
#                finds a user's own race
# make tsan-release   histories of many threads (see linear) under ThreadSanitizer, in release
# make asan      the tests under AddressSanitizer, where a warning is an error
# make leaks     what programs leave behind: no leak, no instance that outlives its container, no heap that grows
# make integrations   the tests of what is behind traits, as `make tsan` runs them, and what each trait fetches
# make torture   the tests with HOP_LONG_TESTS=20: minutes of threads against threads
# make verify    the model of the protocol, searched to its end; weakened variants have to fail
# make schedules the C code itself, in every interleaving with two preemptions; planted bugs have to be found
# make interleavings  the Swift code itself, in every interleaving with two preemptions; planted bugs have to be found
# make linear    histories of many threads, each explained by some order of plain stacks, each instance created and disposed of
#                once; planted bugs have to be caught
# make scaling   the work of each operation at n and at 8 n against its documented bound, where there is valgrind
# make fuzz      a minute of programs on the library and on a reference at once; SECONDS=600 for ten
# make fuzz-facade   a minute of programs on lifetimes, creations, scopes and disposal, held to rules; SECONDS=3600 for an hour
# make soak      everything at once for SECONDS (15): flat memory, and no operation takes long; SECONDS=900 for the figures
# make bench     the benchmarks: a table, and pass or fail for each bar
# make test-charts    the tests of the drawing
# make gates     what the benchmarks hold on every machine: counts, and ratios with room for noise
# make instructions   the instructions of each operation, where there is valgrind
# make pictures  measure, and draw all pictures of the README and the articles; FROM=file.json draws an earlier run
# make example   the tests of the example
# make shop      all checks of the shop: its tests, that nothing warns, that it opens as its README says
# make shop-deps install what the shop needs (SQLite), or say what to type
# make serve     the shop: an HTTP service on 127.0.0.1:8080, with lines to type; PORT=… for another port
# make serve-test the tests of the shop, over sockets
# make load      the shop under load, wired by the container, by hand and by a dictionary; SECONDS=60 in all
# make deployment     the example as its Dockerfiles build it, in a Debian without Swift and without Concurrency Kit; as root
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
SHOP := $(ROOT)Examples/Shop
# The package manager reads all manifests anew where the environment has changed.
SHOP_BUILD := env -u PORT -u SECONDS swift build -c release --package-path $(SHOP)
CHECKOUT := swift run --quiet -c release --package-path $(ROOT)Examples/Checkout checkout

# A warning is an error.
STRICT := -Xswiftc -warnings-as-errors -Xcc -Wall -Xcc -Wextra -Xcc -Werror

# With all traits, so that what is behind them needs no build of its own. Swift 6.1 has none of them.
TSAN_TEST = swift test --disable-xctest --parallel --sanitize=thread --scratch-path .build/tsan -Xswiftc -warnings-as-errors \
    $(if $(findstring Swift version 6.1,$(shell swift --version 2>/dev/null)),,--traits $(TRAITS))

# The linearizability checker under ThreadSanitizer.
HISTORIES := -c release --sanitize=thread --package-path Verification/Linearizability --scratch-path .build/tsan-release

.PHONY: deps tools run test test-release lint manifests snippets client failures tsan tsan-release asan leaks integrations torture verify \
    schedules interleavings linear scaling fuzz fuzz-facade soak bench test-charts gates instructions pictures \
    example shop shop-deps serve \
    serve-test load deployment docs docs-preview format ci clean

deps:
	@$(ROOT).ci/deps

tools:
	@$(ROOT).ci/tools

run: deps
	@echo 'Building Examples/Checkout; the first time takes a minute.'
	@$(CHECKOUT) --dry-run $(ORDERS)

test: deps
	swift test --disable-xctest --parallel

test-release: deps
	swift test --disable-xctest --parallel -c release --scratch-path .build/strict-release $(STRICT)

lint: deps
	$(ROOT).ci/lint

manifests: deps
	$(ROOT).ci/manifests

snippets: deps
	$(ROOT).ci/snippets

client: deps
	$(ROOT).ci/client

failures: deps
	$(ROOT).ci/failures

tsan: deps
	$(TSAN_TEST)
	$(ROOT).ci/races

tsan-release: deps
	swift build --quiet $(HISTORIES)
	"$$(swift build --show-bin-path $(HISTORIES))/linearizability" --registrations --seconds 10
	"$$(swift build --show-bin-path $(HISTORIES))/linearizability" --instances --seconds 10

# Twice: with freed memory that waits long, so that uses of it are found; and with freed memory that is handed out again at once,
# so that what goes by an address of it is found. What leaks is looked for by `make leaks`: tests park threads, and hold on to
# what they make.
asan: deps
	ASAN_OPTIONS=detect_leaks=0 swift test --disable-xctest --parallel --sanitize=address --scratch-path .build/asan $(STRICT)
	ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=0:thread_local_quarantine_size_kb=0 \
	    swift test --skip-build --disable-xctest --parallel --sanitize=address --scratch-path .build/asan $(STRICT)

leaks: deps
	$(ROOT).ci/leaks

integrations: deps
	$(TSAN_TEST) --filter '^Hopoate($(subst $(comma),|,$(TRAITS)))Tests\.'
	$(ROOT).ci/traits

torture: deps
	HOP_LONG_TESTS=20 swift test --disable-xctest --parallel -c release --scratch-path .build/release-tests

verify: deps
	Verification/Model/verify

schedules: deps
	Verification/Schedules/schedules

interleavings: deps
	Verification/Interleavings/interleavings

linear: deps
	swift run --quiet -c release --package-path Verification/Linearizability linearizability
	Verification/Linearizability/planted

scaling: deps
	Verification/Scaling/scaling

fuzz: deps
	Verification/Fuzz/fuzz $(or $(SECONDS),60)

fuzz-facade: deps
	Verification/Facade/fuzz $(or $(SECONDS),60)

soak: deps
	Verification/Soak/soak $(or $(SECONDS),15)

bench: deps
	swift run --quiet -c release --package-path Benchmarks benchmark

test-charts: deps
	swift test --disable-xctest --package-path Benchmarks

gates: deps
	swift build -c release --package-path Benchmarks -Xswiftc -warnings-as-errors
	swift run --quiet -c release --package-path Benchmarks benchmark --gates

instructions: deps
	Benchmarks/instructions --check

pictures: deps
	$(ROOT).ci/pictures $(FROM)

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

shop: shop-deps
	$(ROOT).ci/shop

deployment: deps
	Examples/Deployment/check

docs: deps
	$(ROOT).ci/docs

docs-preview: docs
	"$$(command -v docc || xcrun --find docc)" preview Sources/Hopoate/Hopoate.docc --additional-symbol-graph-dir \
	    .build/symbol-graphs/Hopoate --output-dir .build/docs-preview --fallback-display-name Hopoate \
	    --fallback-bundle-identifier Hopoate

format:
	swift format -i -r Package.swift Sources Tests Examples/*/Package.swift Examples/*/Sources Examples/*/Tests \
	    Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests
	clang-format -i Sources/CRegistry/*.[ch] Sources/CRegistry/include/*.h Tests/CTorture/*.c Tests/CTorture/include/*.h \
	    Verification/Schedules/*.[ch] Verification/Interleavings/Sources/C*/*.[ch] \
	    Verification/Interleavings/Sources/CScheduler/include/*.h \
	    Verification/Facade/Sources/CExecutor/*.c Verification/Facade/Sources/CExecutor/include/*.h

ci:
	$(ROOT).ci/run

clean:
	rm -rf .build Examples/*/.build Benchmarks/.build Tests/Fixtures/*/.build
