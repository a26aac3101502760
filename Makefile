# What a person does with this folder. `make` alone lists the targets.

GO     ?= go
SERVER ?=
PORTS  ?=
OUT    ?=
CACHE  ?= .cache
FUZZTIME ?= 60s

# IO=loop or goroutine is how the router serves sockets in what is measured.
with_io = $(if $(IO),BALLAST_IO=$(IO))
bench_flags = $(if $(SERVER),-server $(SERVER)) $(if $(WORKS),-works $(WORKS)) $(if $(THREADS),-threads $(THREADS)) $(if $(ROUTER),-router '$(ROUTER)')

# The packages whose tests run real servers: they run once for each kind of server. dbserver's own tests cover both kinds in one run.
server_packages = $$($(GO) list -f '{{.ImportPath}} {{.Imports}} {{.TestImports}} {{.XTestImports}}' ./... \
	| grep -E '[[ ]ballast/(dbserver|integration/cluster)[] ]' | cut -d' ' -f1 | grep -v '^ballast/dbserver')

.DEFAULT_GOAL := help
.PHONY: help build book test test-long lint bench bench-latency profile pgo soak up down clean status format vet clients

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## bin/ballast and bin/rulectl
	$(GO) build -o bin/ ./cmd/...

up: build ## a local cluster with sample data; SERVER=mysql (default) or mariadb; PORTS=… for other ports
	@bin/ballast up $(if $(SERVER),--server $(SERVER)) $(if $(PORTS),--ports $(PORTS))

down: bin/ballast ## stop the local cluster, keep its data
	@bin/ballast down

clean: bin/ballast ## stop the local cluster and remove its data
	@bin/ballast clean

status: bin/ballast ## what runs of the local cluster
	@bin/ballast status

bin/ballast:
	$(GO) build -o bin/ ./cmd/...

format: ## fail if a file is not formatted
	@unformatted="$$(gofmt -l $$(git ls-files '*.go'))"; test -z "$$unformatted" || { echo "not formatted (run gofmt -w):"; echo "$$unformatted"; exit 1; }

vet:
	$(GO) vet ./...

clients: ## install the clients and drivers that the client suite uses
	sh integration/clients/install.sh $(CACHE)

test: format vet build clients ## everything, on real MySQL and real MariaDB; at most 20 minutes on 2 cores
	BALLAST_SERVER=mysql $(GO) test -timeout 15m ./...
	BALLAST_SERVER=mariadb $(GO) test -timeout 15m $(server_packages)
	BALLAST_SERVER=mariadb BALLAST_IO=goroutine $(GO) test -timeout 15m $(server_packages)
	$(GO) test -race -timeout 15m ./sqlfront/... ./router/... ./master/client

test-long: test ## test, then ten times as many generated statements and every fuzzer for FUZZTIME (60s) each
	BALLAST_SERVER=mysql $(GO) test -timeout 60m ./integration/diff -statements 40000
	BALLAST_SERVER=mariadb $(GO) test -timeout 60m ./integration/diff -statements 40000
	@$(GO) list -f '{{.Dir}}' ./... | while read -r dir; do \
		for fuzz in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$$dir"/*_test.go 2>/dev/null | cut -d' ' -f2); do \
			echo "$$fuzz in $$dir"; $(GO) test -run '^$$' -fuzz "^$$fuzz\$$" -fuzztime $(FUZZTIME) "$$dir" || exit 1; \
		done; \
	done

book: ## write the pages and tables of docs that are taken from the code
	$(GO) test ./cmd/ballast -run 'SettingsDoc|Book' -update

lint: ## golangci-lint with .golangci.yml
	$(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...

bench: ## direct, relay, floor and Ballast in one run; SERVER=, WORKS=, THREADS=, ROUNDS=, OUT=file.json, HISTORY=1
	$(with_io) $(GO) run ./integration/bench $(bench_flags) $(if $(ROUNDS),-rounds $(ROUNDS)) $(if $(OUT),-out $(OUT)) $(if $(HISTORY),-history docs/bench/history.csv)

bench-latency: ## 100,000 calls of each middle by one client, in turns
	$(with_io) $(GO) run ./integration/bench -latency 100000 $(bench_flags) $(if $(OUT),-out $(OUT))

profile: ## profiles of the router under WORK (point_text) by THREADS (8) clients, in .cache/profile
	$(with_io) $(GO) run ./integration/bench -profile .cache/profile -time 10s -works $(or $(WORK),point_text) -threads $(or $(THREADS),8) $(if $(SERVER),-server $(SERVER)) $(if $(ROUTER),-router '$(ROUTER)')

pgo: ## a new cmd/ballast/default.pgo, the profile by which the compiler builds the router
	rm -rf .cache/pgo
	for work in point_text point_prepared update insert txn_4 scatter_count; do \
		$(GO) run ./integration/bench -profile .cache/pgo -time 13s -works $$work -threads 64 >/dev/null || exit 1; \
	done
	$(GO) tool pprof -proto .cache/pgo/*-cpu.prof > cmd/ballast/default.pgo

soak: ## storms, kills and slow readers for MINUTES (10), after which the router must hold nothing; IO=loop or goroutine
	$(if $(SERVER),BALLAST_SERVER=$(SERVER)) $(with_io) $(GO) test ./integration/soak -count 1 -v -timeout 0 -soak $(or $(MINUTES),10)m
