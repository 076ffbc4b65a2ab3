# Fathom: what a person types. Each target installs what it misses (Debian, Ubuntu) and says so.
.PHONY: build demo test bench coverage lint report-bundle clean

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
	@scripts/install-missing rust compiler ceph headers browser fio
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) test --workspace --locked --no-fail-fast

bench:
	@scripts/install-missing rust compiler ceph headers peers
	$(CARGO) build --release --locked
	@scripts/bench $(FATHOM)

# How often the intervals hold the truth: made-up series through the code that stops real runs; minutes.
coverage:
	@scripts/install-missing rust compiler
	$(CARGO) run --release --locked --package coverage -- --recorded fixtures/series

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

# The report's charts are bundled once and committed, so that building Fathom needs no Node.
report-bundle:
	cd crates/faces/report && npm ci && npm run build

clean:
	$(CARGO) clean
