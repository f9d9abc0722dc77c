"""The set-up of a fresh machine, and the workflows of the public CI, which are read as text."""

import os
import re
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
def test_a_python_that_will_not_do_is_told(tmp_path: Path, made: str | None, said: str) -> None:
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


def test_pytorch_is_fetched_once_by_the_program_itself_or_left_out(tmp_path: Path) -> None:
    made, failing = Made(tmp_path / "made"), Made(tmp_path / "failing", status=1)
    for _ in range(2):
        assert made.given_pytorch() == ""
        assert failing.given_pytorch().startswith("GPU Explorer opens without PyTorch")
    get = f"-m gpuexplorer doctor --get-pytorch --into {made.folder} --unless-found"
    assert made.asked == [f" {get}"]
    assert len(failing.asked) == 2
    assert "PYTORCH=no make test" in failing.given_pytorch(for_tests=True)
    bare = Made(tmp_path / "bare")
    assert bare.given_pytorch(PYTORCH="no").endswith("need it. `make run` fetches it.\n")
    assert bare.given_pytorch(PYTORCH="no", for_tests=True) == ""
    assert bare.asked == []


FOLDER = ROOT / ".github" / "workflows"
USED = re.compile(r"uses: (\S+)(.*)")

each = pytest.mark.parametrize("name", ["release", "tests"])


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.yml").read_text("utf-8")


@each
def test_every_action_is_pinned_and_the_same_everywhere(name: str) -> None:
    used, others = (
        USED.findall(text_of(name)),
        dict(USED.findall(text_of("tests") + text_of("release"))),
    )
    assert used
    for action, remark in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action)
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", remark)
    assert len({action.partition("@")[0] for action in others}) == len(others)


@each
def test_nothing_may_be_written_and_no_word_of_a_stranger_is_run(name: str) -> None:
    """A branch may be called like a command: such names are handed over as variables."""
    text = text_of(name)
    assert re.search(r"^permissions:\n  contents: read\n\n", text, re.MULTILINE)
    assert text.count("actions/checkout@") == text.count("persist-credentials: false") > 0
    for run in re.findall(r"run: \|\n((?:          .*\n|\n)+)|run: (.+)", text):
        assert set(re.findall(r"\$\{\{ *(\S+) *\}\}", "".join(run))) <= {"matrix.sizes"}


def test_only_the_last_job_may_write_and_it_checks_nothing_out() -> None:
    before, _, last = text_of("release").partition("\n  release:\n")
    assert ": write" not in before
    assert last.count(": write") == 1
    assert "actions/checkout" not in last
    assert "needs: [version, linux, windows, macos]" in last
    assert "github.ref_type == 'tag' && needs.linux.result == 'success'" in last
