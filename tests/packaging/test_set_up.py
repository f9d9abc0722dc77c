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
    assert told.splitlines() == ["[]", "True", "False", "['dev']", "True", "True"]


class Made:
    """A .venv whose Python writes down what it is asked for, and ends with this status."""

    def __init__(self, folder: Path, status: int = 0, torch: str = "") -> None:
        self.folder, self._asked = folder, folder / "asked"
        self._packages = folder / "lib/python3.11/site-packages"
        self._packages.mkdir(parents=True)
        self.python = folder / "python"
        script = f'#!/bin/sh\necho "$PIP_CONSTRAINT $@" >> {self._asked}\nexit {status}\n'
        self.python.write_text(script)
        self.python.chmod(0o755)
        self.has(torch)

    def has(self, torch: str) -> None:
        if torch:
            (self._packages / f"torch-{torch}.dist-info").mkdir()

    @property
    def asked(self) -> list[str]:
        return self._asked.read_text().splitlines() if self._asked.exists() else []

    def given_pytorch(self, *, for_tests: bool = False, **environment: str) -> str:
        """What is said."""
        code = (
            "import sys; from pathlib import Path; from types import SimpleNamespace as Made\n"
            "from set_up import CannotGoOnError, get_pytorch\n"
            "made = Made(folder=Path(sys.argv[1]), python=Path(sys.argv[2]))\n"
            f"try: get_pytorch(made, for_tests={for_tests})\n"
            "except CannotGoOnError as trouble: sys.exit(str(trouble))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(self.folder), str(self.python)],
            cwd=ROOT / "packaging",
            env={**os.environ, "PYTORCH": "yes", "PIP_CONSTRAINT": "", **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode in ({0, 1} if for_tests else {0}), done.stderr
        return done.stdout + done.stderr


def test_pytorch_is_fetched_once_by_the_program_itself(tmp_path: Path) -> None:
    made = Made(tmp_path / "venv")
    assert made.given_pytorch() == ""
    get = f"-m gpuexplorer doctor --get-pytorch --into {made.folder} --unless-found"
    assert made.asked == [f" {get}"]
    made.given_pytorch()
    assert made.asked == [f" {get}"]


def test_a_pytorch_that_could_not_be_fetched_keeps_no_window_shut(tmp_path: Path) -> None:
    made = Made(tmp_path / "venv", status=1)
    for _ in range(2):
        said = made.given_pytorch()
        assert said.startswith("GPU Explorer opens without PyTorch")
        assert said.endswith("The next `make run` tries again.\n")
    assert len(made.asked) == 2


def test_one_that_is_half_there_is_fetched_again(tmp_path: Path) -> None:
    made = Made(tmp_path / "venv", torch="2.13.0+cpu")
    made.given_pytorch()
    assert len(made.asked) == 1


def test_pytorch_is_left_out_where_that_is_asked_for(tmp_path: Path) -> None:
    made = Made(tmp_path / "venv")
    assert made.given_pytorch(PYTORCH="no").endswith("need it. `make run` fetches it.\n")
    assert made.given_pytorch(PYTORCH="no", for_tests=True) == ""
    assert made.asked == []


def test_tests_run_with_the_pytorch_that_is_pinned(tmp_path: Path) -> None:
    pinned = next(
        line.removeprefix("torch==")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if line.startswith("torch==")
    )
    other = Made(tmp_path / "other", torch="0.1.0")
    other.given_pytorch()
    other.given_pytorch(for_tests=True)
    uninstalled, fetched = other.asked[1:]
    assert uninstalled == " -I -m pip uninstall --yes torch"
    assert fetched.startswith("constraints.txt -m gpuexplorer")
    right = Made(tmp_path / "right", torch=f"{pinned}+cpu")
    right.given_pytorch()
    right.given_pytorch(for_tests=True)
    assert len(right.asked) == 1


def test_tests_do_not_begin_without_pytorch_unless_they_are_told_to(tmp_path: Path) -> None:
    said = Made(tmp_path / "venv", status=1).given_pytorch(for_tests=True)
    assert "PYTORCH=no make test" in said


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
