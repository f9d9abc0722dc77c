# Every target sets up what it needs by itself. `make help` says what there is.

.DEFAULT_GOAL := help
.PHONY: help run test test-long test-machines bench package test-package words format clean

# The Python to use; empty means the one in .venv, else the newest that fits.
PYTHON ?=
# What to hand to the program, to pytest or to the benchmark.
ARGS ?=

# "no" fetches no PyTorch; the tests that need it are then left out, and say so.
PYTORCH ?= yes

# COMPUTER=odd runs the tests as on a computer of odd figures.
COMPUTER ?=
pytest := $(if $(filter odd,$(COMPUTER)),sh tests/odd_computer.sh) .venv/bin/python -m pytest

set_up = @PYTHON='$(PYTHON)' PYTORCH='$(PYTORCH)' sh packaging/set_up.sh
bin := .venv/bin

help:
	@echo 'make run      set up what is missing, then open GPU Explorer'
	@echo 'make test     check the layout, the types and the layers, then run the tests'
	@echo 'make test-long the tests that take long: real windows, floods, wide property tests'
	@echo 'make test-machines    reach other machines for real: sshd, shapes, cuts; needs root'
	@echo 'make bench    measure the program and print a table'
	@echo 'make package  build the program and its packages for this system into dist/'
	@echo 'make test-package     try these packages in a bare Debian; needs root'
	@echo 'make words    collect the words for people into resources/locale'
	@echo 'make format   lay the code out and mend what the linter can mend'
	@echo 'make clean    remove .venv and every cache'
	@echo
	@echo 'ARGS hands arguments on:      make run ARGS="--simulate 4xH100"'
	@echo 'PYTHON chooses the Python:    make run PYTHON=python3.12'
	@echo 'PYTORCH=no fetches no PyTorch, 200 MB or with an NVIDIA card more: PYTORCH=no make run'

run:
	$(set_up) run
	@$(bin)/gpuexplorer --or-simulate $(ARGS)

test:
	$(set_up) test
	$(bin)/ruff format --check .
	$(bin)/ruff check .
	$(bin)/mypy
	$(bin)/lint-imports
	QT_QPA_PLATFORM=offscreen $(pytest) -n auto --dist worksteal $(ARGS)

test-long:
	$(set_up) test
	QT_QPA_PLATFORM=offscreen $(pytest) -n auto --dist worksteal -m 'long and not gpu and not xvfb' $(ARGS)

test-machines:
	$(set_up) test
	QT_QPA_PLATFORM=offscreen $(bin)/python -m pytest -m machines tests/machines $(ARGS)

bench:
	$(set_up) bench
	@$(bin)/python -m bench $(ARGS)

package:
	$(set_up) package $(ARGS)

test-package:
	$(set_up) trial
	@$(bin)/python packaging/trial.py $(ARGS)

words:
	$(set_up) check
	@$(bin)/python packaging/words.py

format:
	$(set_up) check
	$(bin)/ruff check --fix .
	$(bin)/ruff format .

clean:
	rm -rf .venv build dist *.egg-info
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
