# Fathom: what a person types. Each target installs what it misses (Debian, Ubuntu) and says so.
.PHONY: build demo test test-fast kills bench coverage scale causes alarms habit method dist lint report-bundle clean

CARGO ?= $(shell command -v cargo || echo $(HOME)/.cargo/bin/cargo)
FATHOM = target/release/fathom

build:
	@scripts/install-missing rust compiler
	$(CARGO) build --release --locked

demo:
	@scripts/install-missing rust compiler ceph || true
	$(CARGO) build --release --locked
	@scripts/demo $(FATHOM)

test:
	@scripts/install-missing rust compiler ceph headers browser fio sshd devices guest services
	$(CARGO) fmt --all --check
	$(CARGO) test --workspace --locked --no-run
	@CARGO=$(CARGO) scripts/test

# What needs neither root nor Ceph nor a browser; under two minutes once it is built.
FAST = texts results sounding tidy windows
test-fast:
	@scripts/install-missing rust compiler
	$(CARGO) test --workspace --locked --lib $(addprefix --test ,$(FAST))

# Kills runs, `restore`, and two runs in a row at random instants, and compares everything before and after; ten minutes for a hundred.
kills:
	@scripts/install-missing rust compiler ceph headers
	FATHOM_KILLS=$(or $(KILLS),100) $(CARGO) test --locked -p fathom --test program -- crash::kills crash::prove_kills guest::kills --nocapture

bench:
	@scripts/install-missing rust compiler ceph headers peers
	$(CARGO) build --release --locked
	@scripts/bench $(FATHOM)

# How often the intervals hold the truth: made-up series through the code that stops real runs; minutes.
coverage:
	@scripts/install-missing rust compiler
	$(CARGO) run --release --locked --package bench --bin coverage -- --recorded fixtures/series

# What a thousand agents cost, and a report of ten thousand OSDs; two minutes.
scale:
	@scripts/install-missing rust compiler browser
	$(CARGO) run --release --locked --package bench --bin scale -- agents
	$(CARGO) run --release --locked --package bench --bin scale -- report

# Every fault of the lab, and whether an audit and a diagnosis find it, five times each (REPEATS=1: once); writes docs/causes.md. A minute for each run.
causes:
	@scripts/install-missing rust compiler ceph headers
	$(CARGO) build --release --locked
	$(CARGO) run --release --locked --package bench --bin causes -- $(FATHOM) --repeats $(or $(REPEATS),5) --write docs/causes.md

# A against B in a lab, thirty times where nothing differs and thirty times where a tenth is lost; about an hour.
alarms:
	@scripts/install-missing rust compiler ceph headers
	$(CARGO) build --release --locked
	@scripts/alarms $(FATHOM)

# The whole sounding beside the same cells at a fixed minute each, and a verdict; over an hour for each of three rounds.
habit:
	@scripts/install-missing rust compiler ceph headers
	$(CARGO) build --release --locked
	@scripts/habit $(FATHOM)

# Every number of docs/method.md that was measured or simulated, with fio beside it; about two hours. An answer that stays open ends nothing.
method: coverage alarms
	@scripts/install-missing rust compiler ceph headers fio
	$(CARGO) build --release --locked
	@scripts/effort $(FATHOM)
	$(CARGO) test --release --locked -p engines -p run --lib -- --nocapture open_loop simulated::limits simulated::sides
	-$(FATHOM) crosscheck disk $(dir $(FATHOM))crosscheck.data
	-$(FATHOM) crosscheck rbd --lab

# Programs for other machines, and as agents for other kinds of them: glibc 2.28 and newer, x86_64 and aarch64.
dist:
	@scripts/install-missing rust compiler dist
	@scripts/dist

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

# The report's charts are bundled once and committed, so that building Fathom needs no Node.
report-bundle:
	cd crates/report/page && npm ci && npm run build

clean:
	$(CARGO) clean
