# `make help` lists the targets, with the comment after `##` of each.

SHELL := /bin/bash
.DEFAULT_GOAL := help
ROOT := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))
ORDERS ?= $(ROOT)Examples/Checkout/Sample/orders.jsonl
TRAITS := ServiceLifecycle,Logging,Metrics,Tracing,Configuration
SHOP := $(ROOT)Examples/Shop
LOAD_BUILD := env -u SECONDS swift build -c release --package-path $(ROOT)Benchmarks/Load
CHECKOUT := swift run --quiet -c release --package-path $(ROOT)Examples/Checkout checkout

# The compiler's time for macros grows with the square of their number in one run, so no run gets more than ten files. This saves a
# quarter of the time of a build. Only lines in the debug information save another 7 %.
TEST := swift test --disable-xctest --parallel -Xswiftc -driver-batch-size-limit -Xswiftc 10 -Xswiftc -gline-tables-only

# The tests that depend on the fences of readers, once more as on a system that refuses membarrier. After a run of all tests.
REFUSED := env HOPOATE_MEMBARRIER=off $(TEST) --skip-build \
    --filter 'CRegistryTests.(Torture|Borrow|ThreadEnd|Fork|Denied|StoppedThread|Release)'

# Warnings are errors.
STRICT := -Xswiftc -warnings-as-errors -Xcc -Wall -Xcc -Wextra -Xcc -Werror

# With Swift 6.1, the manifest has no traits.
WITH_TRAITS = $(if $(findstring Swift version 6.1,$(shell swift --version 2>/dev/null)),,--traits $(TRAITS))

# With the folder and the options of Benchmarks/instructions, code-size and Verification/Soak, so that one build of the library serves all.
BENCHMARKS := swift build -c release --package-path Benchmarks -Xswiftc -warnings-as-errors

# The linearizability checker under ThreadSanitizer.
HISTORIES := -c release --sanitize=thread --package-path Verification/Linearizability --scratch-path .build/tsan-release

# The tests under AddressSanitizer. With a quarantine, the allocator reuses freed memory late, which finds uses after free. Without one,
# it reuses freed memory at once, which finds objects that are mistaken for others at the same address. `make leaks` looks for leaks,
# because tests park threads and so keep instances alive.
address = ASAN_OPTIONS=detect_leaks=0 $(TEST) --sanitize=address $(1) && \
    ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=0:thread_local_quarantine_size_kb=0 $(TEST) --sanitize=address $(1) --skip-build

# No target creates a file with its name.
.PHONY: $(shell awk -F : '/^[a-z0-9-]+:/ { print $$1 }' $(MAKEFILE_LIST))

help: ## list the targets
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } /^[a-z0-9-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ Daily work

run: deps ## run the example: concurrent workers process 10 000 orders
	@echo 'Building Examples/Checkout; the first time takes a minute.'
	@$(CHECKOUT) --dry-run $(ORDERS)

test: deps ## run the tests in debug; some of them with and without membarrier
	$(TEST)
	$(REFUSED)

lint: deps ## check formatting, boundaries between modules, C symbols and links
	$(ROOT).ci/lint

format: ## format the sources in place
	$(ROOT).ci/format

ci: ## run all checks that .ci/checks lists; takes most of an hour
	$(ROOT).ci/run

deps: ## install Concurrency Kit, or print the command that installs it
	@$(ROOT).ci/deps

tools: ## install the tools that only the checks need, or list the missing ones
	@$(ROOT).ci/tools

clean: ## remove build outputs
	rm -rf .build Examples/*/.build Benchmarks/.build Tests/Fixtures/*/.build

##@ Tests

test-release: deps ## run the tests in release; warnings are errors
	$(TEST) -c release --scratch-path .build/strict-release $(STRICT)
	$(REFUSED) -c release --scratch-path .build/strict-release $(STRICT)

torture: deps ## run the tests in release with 20 times the rounds
	HOP_LONG_TESTS=20 $(TEST) -c release --scratch-path .build/release-tests
	HOP_LONG_TESTS=20 $(REFUSED) -c release --scratch-path .build/release-tests

tsan: deps ## run the tests, with all traits, under ThreadSanitizer; check that it reports races in services
	$(TEST) --sanitize=thread --scratch-path .build/tsan -Xswiftc -warnings-as-errors $(WITH_TRAITS)
	$(REFUSED) --sanitize=thread --scratch-path .build/tsan -Xswiftc -warnings-as-errors $(WITH_TRAITS)
	$(ROOT).ci/races

tsan-release: deps ## run the linearizability checker under ThreadSanitizer in release
	swift build --quiet $(HISTORIES)
	program="$$(swift build --show-bin-path $(HISTORIES))/linearizability"; \
	    "$$program" --registrations --seconds 10 && "$$program" --instances --seconds 10

asan: deps ## run the tests under AddressSanitizer
	$(call address,--scratch-path .build/asan $(STRICT))

# The optimizer shortens the lives of objects, and it takes ten minutes for the tests. `make leaks` and the fuzzers run optimized code
# under AddressSanitizer too.
asan-release: deps ## run the tests under AddressSanitizer, in release
	$(call address,-c release --scratch-path .build/asan $(STRICT))

leaks: deps ## check whole programs for leaks, retained instances and heap growth
	$(ROOT).ci/leaks

##@ Checks as a client

client: deps ## build a package that depends on the library by URL, in debug and release
	$(ROOT).ci/client

check-wiring: deps ## check that `swift package check-wiring` finds each planted mistake, and nothing else
	$(ROOT).ci/check-wiring

api: deps ## list changes that break the public API since the last version
	$(ROOT).ci/api

refused: deps ## check that the compiler refuses services that are not Sendable, in each language mode
	$(ROOT).ci/refused

traits: deps ## check what each trait fetches, and build clients with and without traits
	$(ROOT).ci/traits

failures: deps ## check the failures of tests that resolve missing services
	$(ROOT).ci/failures

manifests: deps ## evaluate the manifests under the rules of Swift 6.1, 6.2 and 6.3
	$(ROOT).ci/manifests

snippets: deps ## compile the snippets of README, articles and comments; follow the tutorial
	$(ROOT).ci/snippets

##@ Verification

verify: deps ## check the model of the protocol exhaustively; weakened variants must fail
	Verification/Model/verify

schedules: deps ## run the C code in every interleaving with up to two preemptions; planted bugs must be found
	Verification/Schedules/schedules

arm64: ## run the C code and its loads as arm64 under an emulator (needs Debian's cross compiler and qemu-user)
	Verification/Arm64/arm64

interleavings: deps ## run the Swift code in every interleaving with up to two preemptions; planted bugs must be found
	Verification/Interleavings/interleavings

linear: deps ## check that concurrent histories are linearizable; planted bugs must be found
	swift run --quiet -c release --package-path Verification/Linearizability linearizability
	Verification/Linearizability/planted

scaling: deps ## compare instruction counts at n and 8 n with the documented complexity (needs valgrind)
	Benchmarks/instructions --scaling

fuzz: deps ## fuzz registrations for SECONDS (60)
	Verification/fuzz Fuzz $(or $(SECONDS),60)

fuzz-facade: deps ## fuzz lifetimes, creations, scopes and disposal for SECONDS (60)
	Verification/fuzz Facade $(or $(SECONDS),60)

soak-build: deps
	Verification/Soak/soak --build

graphs: deps ## resolve 100 000 random graphs in every order, compare with validation; planted bugs must be found
	Verification/Graphs/graphs $(if $(SECONDS),--seconds $(SECONDS))

soak: deps ## run all operations concurrently for SECONDS (15); memory and latency must stay bounded
	Verification/Soak/soak $(or $(SECONDS),15)

##@ Benchmarks

bench: deps ## measure all operations and print a table
	swift run --quiet -c release --package-path Benchmarks benchmark

gates: deps ## check allocations, retains, and ratios with room for noise
	$(BENCHMARKS)
	program="$$($(BENCHMARKS) --show-bin-path)/benchmark"; \
	    "$$program" --gates && HOPOATE_MEMBARRIER=off "$$program" --gates --rows cycle

instructions: deps ## check the instruction counts of operations (needs valgrind)
	Benchmarks/instructions --check

code-size: deps ## check the bytes of machine code that each resolved type adds to a module
	Benchmarks/BuildCost/code-size --check

build-cost: deps ## measure build time and size of a module with 300 services, compared with a dictionary; needs an idle machine
	Benchmarks/BuildCost/build-cost

tables: deps ## compare the hash table with those of Concurrency Kit
	Benchmarks/Tables/tables

pictures: deps ## measure and draw the pictures of README and articles; FROM=FILE.json draws an earlier run
	$(ROOT)Benchmarks/Charts/pictures $(FROM)

##@ Examples

example: deps ## run the tests of the example
	swift test --disable-xctest --package-path Examples/Checkout

deployment: deps ## build the example as its Dockerfiles do, and run it in a minimal system (as root)
	Examples/Deployment/check

serve: shop-deps ## run the shop, an HTTP service, on 127.0.0.1:8080; PORT=8081 for another port
	@env SNAPSHOT=$(or $(SNAPSHOT),true) $(SHOP)/serve

serve-test: shop-deps ## run the tests of the shop, over sockets
	$(TEST) --package-path $(SHOP)

load: shop-deps ## put the shop under load for SECONDS (60): wired by the container, by hand and by a dictionary
	@echo 'Building Benchmarks/Load; the first time takes some minutes.'
	@$(LOAD_BUILD) --quiet
	@env SECONDS=$(or $(SECONDS),60) "$$($(LOAD_BUILD) --show-bin-path)/load"

shop: shop-deps ## run all checks of the shop: tests, warnings, the session that it prints, leaks
	$(SHOP)/check

page: shop-deps tools ## look at the page of a container in headless Chromium; PICTURES=FOLDER keeps the screenshots
	$(ROOT).build/tools/bin/python $(SHOP)/Tests/page $(PICTURES)

wiring: shop-deps ## test a service that is wired by hand and by the container, and compare the lines of code
	$(ROOT)Examples/Wiring/check

greeter: deps ## run all checks of HopoateGRPC and of its example, a gRPC service
	$(ROOT)Examples/Greeter/check

protos: deps ## generate the messages of HopoateGRPC from their .proto file (needs protoc)
	$(ROOT)Examples/Greeter/protos

shop-deps: ## install SQLite for the shop, or print the command that installs it
	@$(SHOP)/deps

##@ Documentation

docs: deps ## build the documentation into .build/docs
	$(ROOT).ci/docs

docs-preview: docs ## serve the documentation on http://localhost:8080/documentation/hopoate; rebuild it on changes
	"$$(command -v docc || xcrun --find docc)" preview Sources/Hopoate/Hopoate.docc --additional-symbol-graph-dir \
	    .build/symbol-graphs/Hopoate --output-dir .build/docs-preview --fallback-display-name Hopoate \
	    --fallback-bundle-identifier Hopoate
