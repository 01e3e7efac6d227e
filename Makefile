.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

PACKAGES := libcurl4-openssl-dev liblzma-dev libssl-dev libsecp256k1-dev libmicrohttpd-dev libqrencode-dev libpng-dev libsodium-dev libsqlite3-dev libzbar0 pkg-config
BROWSER := chromium chromium-driver fonts-noto-color-emoji
OTHER_DHT := python3-libtorrent
POSTGRES := postgresql libpq5 openssl pgbouncer
CLIENTS := nodejs node-typescript python3-venv
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)
# Installs packages of Debian, unless they are there.
define apt
@dpkg -s $(1) >/dev/null 2>&1 || \
	{ $(SUDO) apt-get update && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y $(1); }
endef
FUZZ_INPUTS ?= 5000000
INTEROP_ROWS ?= 150
STANDARD_INPUTS ?= 2000000
SEEDS ?= 1000000
CONTROLS ?= 2000
LINK_SEEDS ?= 10000
WALLET_SEEDS ?= 20000
SERVE_SEEDS ?= 20000
KILLS ?= 200
RACES ?= 100
STOPS ?= 100
POSTGRES_KILLS ?= 200
POSTGRES_HISTORIES ?= 2000
POSTGRES_ATTEMPTS ?= 1000000
WALLET_KILLS ?= 100
WALLET_SEED ?= 0
SERVE_EXAMPLES ?= 300
SERVE_SEED ?= 1
PLANS ?= 1000
SCREENSHOTS ?= .build/screenshots
PREFIX ?= /usr/local
DESTDIR ?=
# For trying and testing: whole modules, not optimized, without debug information. It takes two thirds of the time of a plain
# `swift build`, which stands beside it for debugging. A module's interface comes from the process that compiles it: another
# one beside it would read and check all files once more, and SwiftPM waits for both.
QUICK := --scratch-path .build/quick -c release -Xswiftc -Onone -Xswiftc -enable-testing \
	-Xswiftc -no-emit-module-separately-wmo -debug-info-format none
# `swift test` would enable testing once more, with which everything is built again after `swift build`.
QUICK_TESTS := $(QUICK) --disable-testable-imports
QUICKLY = $$(swift build $(QUICK) --show-bin-path)
# With Swift's own libraries inside, the program runs where no Swift is; the system's are its only needs.
STATIC := $(if $(filter Darwin,$(shell uname)),,--static-swift-stdlib)
# One release build for all that is built for release: other options would build everything again.
RELEASE := -c release $(STATIC)
BUILT = $$(swift build $(RELEASE) --show-bin-path)

.PHONY: help deps build demo install test suites suites-release suites-sanitized nightly release stack new-provider-test \
	check-apple check-examples browser-test dht-test deps-postgres postgres-test postgres-bench kill-test bench fuzz fuzz-standards simulate simulate-mistakes \
	simulate-subscriptions simulate-links simulate-wallets simulate-serve interop deps-interop wallet-test serve-test mutants dist format lint docs site api cost clean

help: ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

deps: ## install the system libraries (Linux: apt; macOS: brew)
ifeq ($(shell uname),Darwin)
	@brew list secp256k1 libmicrohttpd libsodium libpng qrencode xz zbar >/dev/null 2>&1 || brew install secp256k1 libmicrohttpd libsodium libpng qrencode xz zbar
else
	$(call apt,$(PACKAGES))
endif

build: deps ## build everything but the tests, quickly and not optimized: the programs are in .build/quick/release
	swift build $(QUICK)

demo: deps ## route a mixed bag of links and pay one per scenario over loopback HTTP (not optimized)
	swift build $(QUICK) --product payroute
	@"$(QUICKLY)/payroute" demo

install: deps ## build the command line for release as one file and install it with its manual and completions (PREFIX=/usr/local)
	swift build $(RELEASE) --product payroute
	@set -e; program="$(BUILT)/payroute"; to="$(DESTDIR)$(PREFIX)"; \
	install -d "$$to/bin" "$$to/share/man/man1" "$$to/share/bash-completion/completions" \
		"$$to/share/zsh/site-functions" "$$to/share/fish/vendor_completions.d"; \
	install -m 755 "$$program" "$$to/bin/payroute"; \
	"$$program" manual >"$$to/share/man/man1/payroute.1"; \
	"$$program" completion bash >"$$to/share/bash-completion/completions/payroute"; \
	"$$program" completion zsh >"$$to/share/zsh/site-functions/_payroute"; \
	"$$program" completion fish >"$$to/share/fish/vendor_completions.d/payroute.fish"; \
	"$$to/bin/payroute" doctor; echo "installed: $$to/bin/payroute"

test: suites ## run all tests, or those of one vendor or target (ONLY=Citcon)

# Swift Testing keeps the call stack of every error that is thrown, which costs the suites of private links a quarter of their
# time; no output of it has these stacks.
export SWT_SWIFT_ERROR_BACKTRACING_ENABLED := 0

# ONLY is read by Package.swift, which then leaves out all tests and programs that are not needed.
SUITES = $(if $(ONLY),ONLY='$(ONLY)' )swift test --parallel --experimental-maximum-parallelization-width 4
FOR_RELEASE := -c release -Xswiftc -enable-testing

suites: deps
	$(SUITES) $(QUICK_TESTS) $(TEST_OPTIONS)

suites-release: deps
	$(SUITES) $(FOR_RELEASE) --scratch-path .build/suites-release $(TEST_OPTIONS)

# Memory errors alone: Swift 6.3.1's optimizer leaks a few arrays in initialisers that run once.
suites-sanitized: export ASAN_OPTIONS := detect_leaks=0
suites-sanitized: deps
	$(SUITES) $(FOR_RELEASE) --sanitize=address --scratch-path .build/suites-sanitized $(TEST_OPTIONS)

nightly: deps ## run what takes too long for every change, and print a table of all steps (STEPS="simulate mutants")
	.ci/nightly $(STEPS)

release: deps
	for program in Simulate Fuzz payroute; do swift build $(RELEASE) --product "$$program" || exit; done

dist: deps ## make a release's archive, list of libraries, container's file and checksums in .build/dist (Linux)
	.ci/dist

stack: release ## compare what callers of asynchronous functions put on the stack with what these take (Linux, x86-64)
	.ci/stack "$(BUILT)/payroute" "$(BUILT)/Simulate"

new-provider-test: deps ## write a provider with `payroute new-provider`, as a separate package, run its tests, and say how long it took
	swift build $(QUICK) --product payroute
	@rm -rf .build/new-provider
	@set -e; begun=$$SECONDS; \
	"$(QUICKLY)/payroute" new-provider Sample --folder .build/new-provider --package "$(CURDIR)"; \
	swift format lint --strict -r .build/new-provider; \
	swift test --package-path .build/new-provider; \
	echo "from nothing to a provider that conforms: $$((SECONDS - begun)) s"

check-apple: deps ## type-check what needs Apple's modules against stand-ins of them (Linux)
	Tests/AppleStandIns/check

check-examples: build ## type-check the examples and the articles' code as another package compiles them (Linux)
	.ci/check-examples "$(QUICKLY)/Modules"

browser-test: deps ## drive the sandbox's pages in headless Chromium, with axe-core (SCREENSHOTS=.build/screenshots)
ifneq ($(shell uname),Darwin)
	$(call apt,$(BROWSER))
endif
	PAYROUTE_AXE="$$(.ci/axe)" PAYROUTE_BROWSER_TESTS=1 PAYROUTE_SCREENSHOTS=$(SCREENSHOTS) \
		swift test $(QUICK_TESTS) --filter 'BrowserTests|HomeLoadTests'

dht-test: deps ## store and find packets among libtorrent's DHT nodes on loopback (Linux: apt; elsewhere it is skipped)
ifneq ($(shell uname),Darwin)
	$(call apt,$(OTHER_DHT))
endif
	swift test $(QUICK_TESTS) --filter LibtorrentTests

deps-postgres: ## install a PostgreSQL server for the tests of PaymentPostgres (Linux: apt; macOS: brew)
ifeq ($(shell uname),Darwin)
	@brew list postgresql >/dev/null 2>&1 || brew install postgresql
else
	$(call apt,$(POSTGRES))
endif

postgres-test: deps deps-postgres ## pay over a PostgreSQL that is stopped, killed and cut off, by workers that are killed (POSTGRES_KILLS=200, POSTGRES_HISTORIES=2000)
	PAYROUTE_POSTGRES_KILLS=$(POSTGRES_KILLS) PAYROUTE_POSTGRES_HISTORIES=$(POSTGRES_HISTORIES) \
		PAYROUTE_POSTGRES_ATTEMPTS=$(POSTGRES_ATTEMPTS) swift test $(QUICK_TESTS) --filter PostgresTests

postgres-bench: deps deps-postgres ## measure workers and large tables of PostgreSQL beside SQLite, in release (POSTGRES_ATTEMPTS=1000000)
	swift build $(RELEASE) --product PostgresBenchmarks
	@"$(BUILT)/PostgresBenchmarks" $(POSTGRES_ATTEMPTS)

kill-test: deps ## kill and stop paying and charging processes at random moments, and race two (KILLS=200, RACES=100, STOPS=100)
	PAYROUTE_KILLS=$(KILLS) PAYROUTE_RACES=$(RACES) PAYROUTE_STOPS=$(STOPS) swift test $(QUICK_TESTS) --filter KillTests

bench: deps ## measure routing and transport beside Foundation's, payment texts, the journal and discovery, in release
	swift build -c release --product Benchmarks
	swift build -c release --product PaykitBenchmarkProcess
	swift build -c release --product payroute
	@"$$(swift build -c release --show-bin-path)/Benchmarks"
	@"$$(swift build -c release --show-bin-path)/PaykitBenchmarkProcess"

fuzz: deps ## check what must hold for every link, answer, notification and wallet call on generated inputs (FUZZ_INPUTS=5000000)
	swift build $(RELEASE) --product Fuzz
	@"$(BUILT)/Fuzz" $(FUZZ_INPUTS)

fuzz-standards: deps ## check each payment standard on generated texts of its own (STANDARD_INPUTS=2000000)
	swift build $(RELEASE) --product Fuzz
	@"$(BUILT)/Fuzz" standards $(STANDARD_INPUTS)

simulate: deps ## play payment histories with faults and crashes, in release (SEEDS=1000000, or SEED=n for one, told)
	swift build $(RELEASE) --product Simulate
	@"$(BUILT)/Simulate" $(if $(SEED),--seed $(SEED),$(SEEDS))

simulate-mistakes: deps ## plant each mistake in payment histories until one shows it, in release, and play some without (CONTROLS=2000)
	swift build $(RELEASE) --product Simulate
	@"$(BUILT)/Simulate" --mistakes $(CONTROLS)

simulate-subscriptions: deps ## charge plans for five years, with crashes, absences and wrong clocks, in release (PLANS=1000, SEED=7)
	swift build $(RELEASE) --product Simulate
	@"$(BUILT)/Simulate" --recurring $(PLANS) $(SEED)

simulate-links: deps ## play histories of two wallets with a private link, in release (LINK_SEEDS=10000)
	swift build $(RELEASE) --product Simulate
	@"$(BUILT)/Simulate" --links $(LINK_SEEDS)

simulate-wallets: deps ## play histories of payments from the payer's own Lightning wallet, in release (WALLET_SEEDS=20000, or SEED=n for one)
	swift build $(RELEASE) --product Simulate
	@"$(BUILT)/Simulate" --wallets $(if $(SEED),1 $(SEED),$(WALLET_SEEDS))

simulate-serve: deps ## play histories of the tenants of payroute serve, in release (SERVE_SEEDS=20000, or SEED=n for one)
	swift build $(RELEASE) --product Simulate
	@"$(BUILT)/Simulate" --serve $(if $(SEED),1 $(SEED),$(SERVE_SEEDS))

deps-interop: ## install what makes and runs clients in other languages (Linux: apt; macOS: brew)
ifeq ($(shell uname),Darwin)
	@brew list node typescript >/dev/null 2>&1 || brew install node typescript
else
	$(call apt,$(CLIENTS))
endif

interop: deps deps-interop ## play Python libraries of others against our readers, writers and subscriptions (INTEROP_ROWS=150)
	swift build $(QUICK) --product payroute
	swift build $(QUICK) --product InteropWriter
	swift build $(QUICK) --product PaykitSubscriptionProcess
	@Tests/Interop/run "$(QUICKLY)" $(INTEROP_ROWS)

wallet-test: deps ## pay from a real LNbits from PyPI, measured, and while it and our processes are killed (WALLET_KILLS=100, SERVE_KILLS=200, WALLET_SEED=7)
	swift build $(QUICK) --product payroute
	swift build $(QUICK) --product paykit-contacts
	swift build $(RELEASE) --product Benchmarks
	@BENCHMARKS="$(BUILT)/Benchmarks" SERVE_KILLS="$(SERVE_KILLS)" Tests/Wallets/run "$(QUICKLY)" $(WALLET_KILLS) $(WALLET_SEED)

serve-test: deps deps-interop ## call `payroute serve` from its own description by schemathesis from PyPI (SERVE_EXAMPLES=300, SERVE_SEED=1)
	swift build $(QUICK) --product payroute
	@Tests/ServeFuzz/run "$(QUICKLY)" $(SERVE_EXAMPLES) $(SERVE_SEED)

mutants: deps deps-postgres ## change one line at a time so that money could go wrong, and see which test notices (Linux; see the article Development)
	swift build --build-tests $(QUICK)
	@"$(QUICKLY)/Mutants" $(if $(GENERATED),--generated) $(if $(SURVIVORS),--survivors) $(if $(DRAW),--draw $(DRAW)) \
		$(if $(CHANGED),--changed $(or $(BASE),auto) $(if $(DRAW),,--draw 60) --within $(or $(WITHIN),240)) \
		$(if $(SEED),--seed '$(SEED)') $(if $(CHANGED),,$(if $(WITHIN),--within $(WITHIN))) $(if $(MUTANTS),'$(MUTANTS)')

format: ## format all sources
	swift format -i -r Package.swift Sources Plugins Tests Examples

lint: ## check the format
	swift format lint --strict -r Package.swift Sources Plugins Tests Examples

docs: build ## convert all libraries' documentation to one archive under .build/docs, without a warning, and count it
	.ci/documentation/build "$(QUICKLY)/Modules"

site: docs ## make the documentation a static site with a search under .build/site (SITE=/path/it/is/hosted/at)
	@rm -rf .build/site
	docc process-archive transform-for-static-hosting .build/docs/payment-router.doccarchive --output-path .build/site \
		$(if $(SITE),--hosting-base-path '$(SITE)')
	@swift .ci/documentation/search.swift .build/site
	@echo "to look at it:  python3 -m http.server 8000 -d .build/site    then http://localhost:8000$(SITE)"

api: deps ## say which public declarations changed in a way that breaks others, since the last tag or BASE=commit
	.ci/api $(BASE)

cost: ## print what a change in each library costs, and write it to .build/cost.md: lines, public types, and all that depends on it
	@mkdir -p .build
	@swift package dump-package | swift .ci/cost.swift | tee .build/cost.md

clean: ## remove everything built
	swift package clean
	rm -rf .build
