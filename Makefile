# SPDX-License-Identifier: Apache-2.0
# Two commands for people (demo, test), the rest for those who change kbx. Everything real is in tools/.
.DEFAULT_GOAL := help
.PHONY: help demo setup test lint format bench clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' Makefile
	@echo "  KBX_PYTHON=/path/to/python  uses an environment of yours that has torch 2.11, triton 3.6 and apache-tvm-ffi"

demo:  ## install what is missing, build, judge examples/submission on this machine
	@tools/setup demo
	@tools/build release
	@tools/demo

setup:  ## only install what is missing
	@tools/setup demo

test:  ## build and run all tests: what CI runs
	@tools/setup test
	@tools/build ci
	@tools/test

lint:  ## formatting (clang-format 14), clang-tidy on what changed, house rules
	@tools/lint

format:  ## rewrite the C++ sources in the project's format
	@tools/lint --fix

bench:  ## measure kbx itself: start-up, latency of one candidate, memory
	@tools/setup demo
	@tools/build release
	@bench/latency.py

clean:  ## remove build/ and the launcher; the shared environment in the cache stays
	rm -rf build kbx
