# Each command does its own set-up, and may be run twice.
.DEFAULT_GOAL := help
WORKERS ?= 5
.PHONY: help setup demo test check eval bench

help:
	@echo "make demo    a real Slurm, a local Slack and the bot on this machine; prints the page's address"
	@echo "make test    all tests (ARGS='tests/unit -k parse' for some)"
	@echo "make check   formatting, lint, types, import contracts"
	@echo "make eval    how often the diagnosis is right, on logs whose cause is known (ARGS=--wrong: where not)"
	@echo "make bench   the figures of the design, measured"
	@echo "make setup   only what demo and test share; starts nothing"

setup:
	@scripts/setup && echo "setup: done; next: make demo"

demo:
	@scripts/setup demo && exec .venv/bin/python -m bot demo

# The kill tests first and alone, since they are many bots at once. The others are dealt to processes file
# by file, since the tests of a file share what is dear to set up. What the bot sent to Slack in all of
# them is checked last, when there is all of it.
export TEST_RUN := $(shell date +%s.%N)
PYTEST = .venv/bin/python -m pytest
DEALT = $(PYTEST) -n $(WORKERS) --dist loadfile

test:
	@scripts/setup test
ifdef ARGS
	$(DEALT) $(ARGS)
else
	@rm -f artifacts/payloads.jsonl
	$(PYTEST) tests/e2e/test_kill*.py
	$(DEALT) --ignore-glob='*/test_kill*.py'
	$(PYTEST) tests/payloads/test_sent.py
endif

check:
	@scripts/setup check
	.venv/bin/ruff format --check --quiet .
	.venv/bin/ruff check --quiet .
	.venv/bin/mypy
	.venv/bin/lint-imports

eval:
	@scripts/setup check && .venv/bin/python -m tests.failures $(ARGS)

bench:
	@scripts/setup demo && exec .venv/bin/python -m bot bench
