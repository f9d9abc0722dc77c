"""The set-up of a fresh machine: what it says when it cannot go on, and when it has to."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def set_up(**environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["sh", "packaging/set_up.sh", "run"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def in_packaging(code: str) -> str:
    """Runs beside set_up.py, as it runs itself: without anything installed."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT / "packaging",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def test_a_python_that_is_too_old_gets_a_sentence(tmp_path: Path) -> None:
    old = tmp_path / "python3.9"
    old.write_text("#!/bin/sh\necho 3.9.18\nexit 1\n")
    old.chmod(0o755)
    done = set_up(PYTHON=str(old))
    assert done.returncode == 1
    assert done.stderr == (
        f"GPU Explorer needs Python 3.11 to 3.14, and PYTHON={old} is 3.9.18.\n"
    )


def test_a_python_that_is_not_there_gets_a_sentence() -> None:
    done = set_up(PYTHON="/nowhere/python3")
    assert done.returncode == 1
    assert "cannot be started" in done.stderr
    assert "Traceback" not in done.stderr


def test_system_libraries_that_are_missing_are_named_with_the_command_to_type() -> None:
    told = in_packaging(
        "import system_parts as s\n"
        "s.has_apt = lambda: True\n"
        "s.os.geteuid = lambda: 1000\n"
        "print(s.explain(s.missing([{'the window': {'libnothing.so.9': 'libnothing9'}}])))"
    )
    assert "libnothing.so.9, for the window" in told
    assert "sudo apt-get install libnothing9" in told


def test_what_was_set_up_is_used_until_what_it_was_made_from_changes() -> None:
    told = in_packaging(
        "from environment import Stamp\n"
        "made = Stamp('a', 'here', frozenset({'dev', 'bench'}))\n"
        "for content, place, extras in (\n"
        "    ('a', 'here', {'dev'}), ('b', 'here', {'dev'}),\n"
        "    ('a', 'there', {'dev'}), ('a', 'here', {'dev', 'lab'}),\n"
        "):\n"
        "    print(made.fits(Stamp(content, place, frozenset(extras))))"
    )
    assert told.split() == ["True", "False", "False", "False"]


def test_running_needs_no_developers_tools_and_testing_leaves_nothing_to_add() -> None:
    told = in_packaging(
        "from set_up import EXTRAS\n"
        "from environment import Stamp\n"
        "for purpose in ('run', 'test'):\n"
        "    made = Stamp('a', 'here', frozenset(EXTRAS[purpose]))\n"
        "    print(sorted(made.extras))\n"
        "    for next in ('run', 'test'):\n"
        "        print(made.fits(Stamp('a', 'here', frozenset(EXTRAS[next]))))\n"
    )
    assert told.splitlines() == ["[]", "True", "False", "['dev', 'lab']", "True", "True"]


def test_a_python_out_of_reach_gets_a_sentence() -> None:
    told = in_packaging(
        "from environment import ROOT, CannotGoOnError, Environment\n"
        "from pathlib import Path\n"
        "def refuse():\n"
        "    raise PermissionError\n"
        "venv = Environment(ROOT / '.venv')\n"
        "venv.stamp = type('Closed', (), {'is_file': staticmethod(refuse)})()\n"
        "venv.python = Path('/closed/bin/python')\n"
        "try:\n"
        "    venv.found()\n"
        "except CannotGoOnError as trouble:\n"
        "    print(trouble)"
    )
    assert told == (
        ".venv uses a Python that this user may not reach: /closed/bin/python\n"
        "Remove .venv with `make clean`, or let whoever made it do so; then begin again.\n"
    )


def test_a_python_that_changed_is_said_before_it_is_replaced() -> None:
    told = in_packaging(
        "from environment import ROOT, Environment\n"
        "venv = Environment(ROOT / '.venv')\n"
        "print(venv.why_anew(\"Python 3.11 '/a b'\", \"Python 3.12 '/a b'\"))\n"
        "print(venv.why_anew(\"Python 3.11 '/a b'\", \"Python 3.11 '/c'\"))"
    )
    assert told.splitlines() == [
        ".venv was made with Python 3.11, so it is removed and made anew with Python 3.12.",
        ".venv was made in another folder, so it is removed and made anew.",
    ]


def test_make_without_a_word_says_what_there_is() -> None:
    done = subprocess.run(
        ["make"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    for target in ("make run", "make test", "make bench"):
        assert target in done.stdout
