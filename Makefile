# awarc: `make demo` shows the main job, `make test` checks everything.

GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
REVIVE      := github.com/mgechev/revive@v1.13.0
FUZZTIME    ?= 3000x
# Tests of a package that run at once. More finish no sooner on two processors, and tests that depend on the pace of a crawl get rare faults.
PARALLEL    ?= 2
TOOLS       := .cache/tools
STORE_MARKS ?= 200000,1000000
STORE_DIR   ?= /tmp

# Packages whose tests share nothing between goroutines, but for those called Concurrent: the race
# detector has nothing to find in the others and makes them ten times slower.
SOLITARY    := ./relax ./yfilter ./plugins/module/... ./plugins/abi ./plugins/sdk/... ./plugins/examples/... ./engine/adapt ./engine/archive \
               ./engine/draft ./engine/endpoint ./engine/extract ./engine/form ./engine/graph ./engine/parse ./engine/quads ./engine/read/... \
               ./engine/sparql ./engine/ways ./cmd/internal/eval/... ./testsites ./testsites/corpora .

# Tests of the command start crawls, each in a process of its own, which the detector makes three times slower. With it run the crawls in
# which most goroutines meet: edits, reports, indexing and adaptation while pages are fetched, several crawls in one process, and nodes.
RACED       := Concurrent|While(Crawling|Running|ACrawlRuns)|AdaptsToARenamed|PoliteAcross|StartedByOneCommand

.PHONY: build demo figures pictures test test-long check cross unit plain fuzz e2e tools corpora plugins evaluator bench bench-archive bench-peers bench-cockpit store dates clean

build:
	$(GO) build -o bin/awarc ./cmd/awarc

# The main job on the built-in test sites: no network needed.
demo: build
	bin/awarc demo

# Everything that CI checks. What tests need is installed while the sources are checked; the scripts of e2e mostly wait, while unit computes.
test:
	@$(MAKE) --no-print-directory -j 2 --output-sync=target tools check
	@$(MAKE) --no-print-directory -j 2 --output-sync=target unit e2e
	@$(MAKE) --no-print-directory plain

# All tests, each of them whole, which takes hours: power cuts at every call that writes, hundreds of kills, soaks, all corpora in
# all ways.
test-long: build tools corpora dates
	AWARC_LONG=1 cmd/awarc/testdata/e2e/readback.sh bin/awarc $(TOOLS)
	AWARC_LONG=1 cmd/awarc/testdata/e2e/packed.sh bin/awarc $(TOOLS)
	AWARC_LONG=1 $(GO) test -v -timeout 4h ./...

check: cross
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not gofmt-ed:" $$unformatted; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	$(GO) run $(REVIVE) -config revive.toml -set_exit_status ./...

# awarc builds for the systems that releases are made for.
cross:
	GOOS=darwin $(GO) build -o /dev/null ./cmd/awarc
	GOOS=windows $(GO) build -o /dev/null ./cmd/awarc

# With the race detector. The log is kept whole; what failed and what was skipped, and
# why, is shown.
unit:
	@mkdir -p .cache
	@$(GO) test -race -shuffle=on -parallel $(PARALLEL) -timeout 40m -v $$($(GO) list ./... | grep -vxF "$$($(GO) list ./cmd/awarc $(SOLITARY))") \
	    >.cache/unit.log 2>&1; status=$$?; \
	  $(GO) test -race -shuffle=on -parallel $(PARALLEL) -timeout 20m -run '$(RACED)' -v ./cmd/awarc $(SOLITARY) >>.cache/unit.log 2>&1 || status=$$?; \
	  if [ $$status != 0 ]; then grep -aE -B 40 '^ *--- FAIL|^panic:|^FAIL' .cache/unit.log | tail -n 400; fi; \
	  grep -a -B 1 -- '--- SKIP' .cache/unit.log; \
	  grep -aE '^(ok|FAIL)\s' .cache/unit.log; exit $$status

# Without the race detector: the command, packages that share nothing, and the tests that unit
# skipped, because with it they would take minutes (saved pages, mirrors) or weigh the process
# wrongly; all tests, where unit did not run.
plain:
	$(GO) test -shuffle=on -parallel $(PARALLEL) -timeout 40m ./cmd/awarc $(SOLITARY)
	@skipped=$$(grep -aoE -- '^--- SKIP: Test[A-Za-z0-9_]+' .cache/unit.log 2>/dev/null | sed 's/.*: //' | sort -u | paste -sd '|'); \
	  set -x; $(GO) test -shuffle=on -parallel 1 -timeout 30m -run "^($${skipped:-.*})$$" ./engine ./engine/detect ./engine/fetch ./kb ./yfilter/xpath ./plugins

# Random search for inputs that break a fuzz target, each package built once. It is not part of
# `make test`: its outcome depends on chance and on the load of the machine. Seeds and inputs found
# earlier (testdata/fuzz) are ordinary tests, which `unit` and `plain` run. FUZZTIME=10m searches longer.
# A number of runs has no deadline, which go test takes for a failure when the machine is busy.
fuzz:
	@set -e; mkdir -p .cache/fuzz; $(GO) list -f '{{.Dir}}' ./... | while read -r dir; do \
	  targets=$$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go 2>/dev/null | sed 's/^func //'); \
	  if [ -z "$$targets" ]; then continue; fi; \
	  $(GO) test -c -fuzz . -o .cache/fuzz/package.test $$dir; \
	  for target in $$targets; do \
	    echo "fuzz $$target"; \
	    (cd $$dir && $(CURDIR)/.cache/fuzz/package.test -test.run '^$$' -test.fuzz "^$$target\$$" -test.fuzztime $(FUZZTIME) \
	      -test.fuzzminimizetime 1x -test.fuzzcachedir $(CURDIR)/.cache/fuzz/$${dir#$(CURDIR)/}) </dev/null || exit 1; \
	  done; \
	done

# The program as its users run it, its output read by other people's tools. The scripts share nothing;
# two of them run at once, the longest first.
E2E := readback packed replay report schema
e2e: build tools
	@$(MAKE) --no-print-directory -j 2 --output-sync=target $(E2E:%=e2e-%)

e2e-%:
	cmd/awarc/testdata/e2e/$*.sh bin/awarc $(TOOLS)

# What only tests need, installed where it is not there.
tools:
	cmd/awarc/testdata/e2e/tools.sh $(TOOLS)

# The open data of which TestPackagedCorporaAreFetchedWhole makes corpora.
corpora:
	testsites/corpora/testdata/tools.sh .cache/corpora

# Builds the copies of plugins in C, Rust and AssemblyScript that tests use, from what
# tools installs.
plugins: build tools
	@set -e; rm -rf .cache/plugins; for lang in c rust assemblyscript; do \
	  name=$$(echo $$lang | sed s/assemblyscript/as/)-keywords; \
	  bin/awarc plugin new --lang $$lang --dir .cache/plugins/$$name $$name; \
	  $(MAKE) -s -C .cache/plugins/$$name AWARC=$(CURDIR)/bin/awarc ASC=$(CURDIR)/$(TOOLS)/node_modules/.bin/asc; \
	  cp .cache/plugins/$$name/$$name.wasm plugins/testdata/examples/; \
	done
	plugins/testdata/echo/build.sh $(CURDIR)/bin/awarc $(CURDIR)/$(TOOLS)/node_modules/.bin/asc $(CURDIR)/plugins/testdata/echo

# Builds the evaluator of SPARQL, with a Rust that has the target wasm32-wasip1.
evaluator:
	engine/sparql/evaluator/build.sh .cache/evaluator

# Prints the figures of BENCHMARKS.md as ratios measured in one run.
bench:
	$(GO) test -run '^$$' -bench Scale -benchtime 1x -timeout 60m ./engine/detect
	cd engine/detect/testdata/contains && $(GO) run . -pages $(CURDIR)/../shared/pages
	$(GO) test -run '^$$' -bench . -skip Scale -benchmem ./yfilter ./frontier ./engine/...
	$(GO) test -run '^$$' -bench . -benchtime 20x ./plugins/module
	$(GO) test -run '^$$' -bench . -skip Soak -benchtime 12x -timeout 60m ./plugins
	$(GO) test -run '^$$' -bench Soak -benchtime 1x -timeout 60m ./plugins
	$(GO) test -run '^$$' -bench 'Crawl$$' -benchtime 12x -timeout 30m ./cmd/awarc

# How long pages of the cockpit take while a million URLs wait, and what watching costs a crawl.
bench-cockpit: build
	python3 cmd/awarc/testdata/e2e/cockpitbench.py bin/awarc

# A crawl without waits beside wget's, of the site in ../shared/bench, and how it scales.
bench-peers: build
	python3 cmd/awarc/testdata/e2e/peersbench.py bin/awarc ../shared/bench/site
	python3 cmd/awarc/testdata/e2e/scalebench.py bin/awarc ../shared/bench/site

# What is done with a finished archive, against what others take for it and against the crawl that made it.
bench-archive: build tools
	python3 cmd/awarc/testdata/e2e/archivebench.py bin/awarc $(TOOLS)

# Makes the pictures of the README; needs Chromium.
pictures:
	AWARC_PICTURES=$(CURDIR)/docs/pictures $(GO) test -count 1 -run TestPictures -v ./cmd/awarc

# Measures docs/figures again, from the saved pages and mirrors beside the repository, in some
# ten minutes, and shows what is different. EVALUATION.md quotes these files and says
# which figures are not among them.
figures: build
	bin/awarc eval quality >docs/figures/quality.txt
	bin/awarc eval adaptation --only mutations --type phpbb,xenforo,blogger,discourse,smf,mybb --sample 2 >docs/figures/mutations.txt
	bin/awarc eval adaptation --only new-sites >docs/figures/newsites.txt
	bin/awarc eval adaptation --only recrawl >docs/figures/recrawls.txt
	bin/awarc eval frontier --web 20000 --crawl 1000 --topics 1 --starts 1 >docs/figures/focused.txt 2>/dev/null
	sed -i '/^cost of a page/d' docs/figures/*.txt # times
	git diff --exit-code -- docs/figures

# The frontier's store against bbolt, Pebble and DRUM. It takes about 210 bytes a URL
# below STORE_DIR. Pebble is a dependency of this command only.
store:
	cd frontier/testdata/store && $(GO) run . -marks $(STORE_MARKS) -dir $(STORE_DIR)

# Dates against the tables of CLDR and the parser of others, dependencies of this command only.
dates:
	cd engine/dates/testdata/library && $(GO) test .

clean:
	rm -rf bin .cache
