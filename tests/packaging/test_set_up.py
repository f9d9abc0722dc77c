"""The set-up of a fresh machine: what it says when it cannot go on, and when it has to."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMES = "import sys; from pathlib import Path; from types import SimpleNamespace as Names\n"


def in_packaging(code: str, *words: str, **environment: str) -> str:
    """What is said by code beside set_up.py, as it runs itself: without anything installed."""
    done = subprocess.run(
        [sys.executable, "-c", NAMES + code, *words],
        cwd=ROOT / "packaging",
        env={**os.environ, "PYTORCH": "yes", "PIP_CONSTRAINT": "", **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            "#!/bin/sh\necho 3.9.18\nexit 1\n",
            "needs Python 3.11 to 3.14, and PYTHON={} is 3.9.18.",
        ),
        (None, "and PYTHON={} cannot be started."),
    ],
)
def test_a_python_that_will_not_do_gets_a_sentence(
    tmp_path: Path, made: str | None, said: str
) -> None:
    python = tmp_path / "python3.9"
    if made is not None:
        python.write_text(made)
        python.chmod(0o755)
    done = subprocess.run(
        ["sh", "packaging/set_up.sh", "run"],
        cwd=ROOT,
        env={**os.environ, "PYTHON": str(python)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.endswith(f"{said.format(python)}\n")


def test_system_libraries_that_are_missing_are_named_with_the_command_to_type() -> None:
    told = in_packaging(
        "import system_parts as s\n"
        "s.has_apt = lambda: True\n"
        "s.os.geteuid = lambda: 1000\n"
        "print(s.explain(s.missing([{'the window': {'libnothing.so.9': 'libnothing9'}}])))"
    )
    assert "libnothing.so.9, for the window" in told
    assert "sudo apt-get install libnothing9" in told


def test_what_was_set_up_is_used_until_what_it_was_made_from_changes(tmp_path: Path) -> None:
    """Each line: for what, and how often pip and venv were asked."""
    told = in_packaging(
        "import environment as e, set_up\n"
        "e.ROOT = Path(sys.argv[1])\n"
        "for name in ('pyproject.toml', 'constraints.txt'): (e.ROOT / name).touch()\n"
        "asked, e.print = [], lambda *words, **how: None\n"
        "def run(command, failure):\n"
        "    asked.append(command[3])\n"
        "    Path(e.ROOT, '.venv/bin').mkdir(parents=True, exist_ok=True)\n"
        "    Path(e.ROOT, '.venv/bin/python').touch()\n"
        "e.run = run\n"
        "def ready(what):\n"
        "    asked.clear()\n"
        "    e.Environment(e.ROOT / '.venv').make_ready(set_up.EXTRAS[what])\n"
        "    print(what, asked.count('venv'), asked.count('pip'))\n"
        "for what in ('run', 'run', 'test', 'run', 'bench', 'test'): ready(what)\n"
        "(e.ROOT / 'constraints.txt').write_text('another'); ready('run')\n"
        "stamp = e.ROOT / '.venv/.ready'\n"
        "stamp.write_text(stamp.read_text().replace('Python 3', 'Python 2'))\n"
        "ready('run'); ready('test')\n",
        str(tmp_path),
    )
    assert told.splitlines() == [
        *("run 1 2", "run 0 0", "test 0 2", "run 0 0", "bench 0 2", "test 0 0"),
        *("run 0 2", "run 1 2", "test 0 2"),
    ]


class Made:
    """A .venv whose Python writes down what it is asked for, and ends with this status."""

    def __init__(self, folder: Path, status: int = 0) -> None:
        self.folder, self._asked, self._python = folder, folder / "asked", folder / "python"
        self._packages = folder / "lib/python3.11/site-packages"
        self._packages.mkdir(parents=True)
        script = f'#!/bin/sh\necho "$PIP_CONSTRAINT $@" >> {self._asked}\nexit {status}\n'
        self._python.write_text(script)
        self._python.chmod(0o755)

    def has(self, torch: str) -> None:
        (self._packages / f"torch-{torch}.dist-info").mkdir()

    @property
    def asked(self) -> list[str]:
        return self._asked.read_text().splitlines() if self._asked.exists() else []

    def given_pytorch(self, *, for_tests: bool = False, **environment: str) -> str:
        """What is said."""
        code = (
            "from set_up import CannotGoOnError, get_pytorch\n"
            "made = Names(folder=Path(sys.argv[1]), python=Path(sys.argv[2]))\n"
            f"try: get_pytorch(made, for_tests={for_tests})\n"
            "except CannotGoOnError as trouble: sys.exit(str(trouble))"
        )
        return in_packaging(code, str(self.folder), str(self._python), **environment)


def test_pytorch_is_fetched_once_by_the_program_itself(tmp_path: Path) -> None:
    made = Made(tmp_path)
    for _ in range(2):
        assert made.given_pytorch() == ""
    get = f"-m gpuexplorer doctor --get-pytorch --into {made.folder} --unless-found"
    assert made.asked == [f" {get}"]


def test_a_pytorch_that_could_not_be_fetched_keeps_no_window_shut_but_tests(
    tmp_path: Path,
) -> None:
    made = Made(tmp_path, status=1)
    for _ in range(2):
        said = made.given_pytorch()
        assert said.startswith("GPU Explorer opens without PyTorch")
        assert said.endswith("The next `make run` tries again.\n")
    assert len(made.asked) == 2
    assert "PYTORCH=no make test" in made.given_pytorch(for_tests=True)


def test_pytorch_is_left_out_where_that_is_asked_for(tmp_path: Path) -> None:
    made = Made(tmp_path)
    assert made.given_pytorch(PYTORCH="no").endswith("need it. `make run` fetches it.\n")
    assert made.given_pytorch(PYTORCH="no", for_tests=True) == ""
    assert made.asked == []


def test_tests_run_with_the_pytorch_that_is_pinned(tmp_path: Path) -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    (pinned,) = [line[len("torch==") :] for line in lines if line.startswith("torch==")]
    other, right = Made(tmp_path / "other"), Made(tmp_path / "right")
    for made, version in ((other, "0.1.0"), (right, f"{pinned}+cpu")):
        made.has(version)
        made.given_pytorch()
        made.given_pytorch(for_tests=True)
    uninstalled, fetched = other.asked[1:]
    assert uninstalled == " -I -m pip uninstall --yes torch"
    assert fetched.startswith("constraints.txt -m gpuexplorer")
    assert len(right.asked) == 1


def test_make_without_a_word_says_what_there_is() -> None:
    told = subprocess.check_output(["make"], cwd=ROOT, text=True)
    assert all(target in told for target in ("make run", "make test", "make bench"))
