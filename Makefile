.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

PACKAGES := libcurl4-openssl-dev libsecp256k1-dev libmicrohttpd-dev libqrencode-dev libsqlite3-dev pkg-config
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)
FUZZ_INPUTS ?= 5000000
KILLS ?= 200
LIBRARIES := PaymentCore PaymentRouting PaymentTransport PaymentStore PaymentWallet PaymentSandbox WalletConnectPayProvider

.PHONY: help deps demo test kill-test format lint clean

help: ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

deps: ## install the system libraries (Linux: apt; macOS: brew)
ifeq ($(shell uname),Darwin)
	@brew list secp256k1 libmicrohttpd qrencode >/dev/null 2>&1 || brew install secp256k1 libmicrohttpd qrencode
else
	@dpkg -s $(PACKAGES) >/dev/null 2>&1 || \
		{ $(SUDO) apt-get update && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y $(PACKAGES); }
endif

demo: deps ## route a mixed bag of links and pay one per scenario over loopback HTTP
	swift build -c release --product payroute
	@"$$(swift build -c release --show-bin-path)/payroute" demo

test: deps ## run all tests
	swift test --parallel --experimental-maximum-parallelization-width 4

kill-test: deps ## kill paying processes at random moments and resume them (KILLS=200)
	PAYROUTE_KILLS=$(KILLS) swift test --filter KillTests

format: ## format all sources
	swift format -i -r Package.swift Sources Plugins Tests Examples

lint: ## check the format
	swift format lint --strict -r Package.swift Sources Plugins Tests Examples

clean: ## remove everything built
	swift package clean
	rm -rf .build
