"""No word for people is put together or forgotten, in the source or on the terminal."""

import ast
import os
import re
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

import gpuexplorer
from gpuexplorer.core.words import CLOSE, OPEN, PSEUDO
from gpuexplorer.telemetry.backends.host import HostReader
from words import CALLS, ONE

PACKAGE = Path(gpuexplorer.__file__).parent
# Files whose f-strings with words are no words for people to translate, and why.
WRITES_NO_WORDS = {
    "commands/checkup/pytorch.py": "commands to type",
    "core/html_page.py": "HTML",
    "copies/timeline.py": "names in a trace, which other programs show",
    "core/resources.py": "an error of the installation, for whoever mends it",
    "gui/crash_dialog.py": "a traceback on the terminal",
    "gui/widgets/laid_out.py": "HTML",
    "gui/lab/head/words.py": "HTML",
    "lab/cures.py": "Python",
    "lab/cell_source.py": "Python",
    "lab/meaning.py": "a pattern of PyTorch's own words",
    "lab/session_files.py": "Python",
    "lessons/html.py": "HTML",
    "programs/trace.py": "names in a trace, which other programs show",
    "recording/export.py": "comments of a CSV file, which programs read",
    "recording/report.py": "HTML and SVG",
    "telemetry/trace.py": "comments of a CSV file, which programs read",
    "worker/engine.py": "an error raised in PyTorch's place",
}
PYTORCHS_WORDS = PACKAGE / "worker" / "engines"  # its errors are raised there as it words them
TWO_WORDS = re.compile(r"[a-z]{2,} [a-z]{2,}")


@cache
def sources() -> Sequence[tuple[Path, ast.Call | ast.JoinedStr]]:
    return [
        (path, node)
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call | ast.JoinedStr)
    ]


def name_of(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def is_put_together(argument: ast.expr) -> bool:
    match argument:
        case ast.JoinedStr() | ast.BinOp():
            return True
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="format")):
            return True
    return False


def place(path: Path, node: ast.expr) -> str:
    return f"{path.relative_to(PACKAGE).as_posix()}:{node.lineno}"


def test_no_template_is_put_together() -> None:
    wrong = [
        place(path, node)
        for path, node in sources()
        if isinstance(node, ast.Call) and name_of(node) in CALLS
        for argument in node.args[: 1 if CALLS[name_of(node)] == ONE else 2]
        if is_put_together(argument)
    ]
    assert wrong == []


def test_no_words_stand_in_an_f_string() -> None:
    exempt = {PACKAGE / name for name in WRITES_NO_WORDS}
    wrong = [
        place(path, node)
        for path, node in sources()
        if path not in exempt and PYTORCHS_WORDS not in path.parents
        if isinstance(node, ast.JoinedStr) and has_two_words(node)
    ]
    assert wrong == []


def has_two_words(node: ast.JoinedStr) -> bool:
    parts = [each.value for each in node.values if isinstance(each, ast.Constant)]
    return any(TWO_WORDS.search(str(part)) for part in parts)


# Data, and what stays as it is in every language.
DATA = re.compile(
    "|".join(
        (
            r"GPU Explorer \d|NVIDIA TITAN RTX|TITAN RTX",
            r"--?[a-z][a-z-]*",  # arguments
            r"gpuexplorer( \w+)?",
            # Commands, as they are typed.
            r"\b(snapshot|topology|doctor|copies|lab|lesson|record|export|report|serve)\b",
            r"\b(list|check|new|run)\b",
            r"\b(one-way|both-ways|latency|pageable|staged|blocking|overlap)\b",
            r"\b(cpu|cuda|sweep|all|dark|light|both|csv|jsonl|perfetto)\b",
            r"\b(NV#?|PHB|SYS|NODE|PIX|PXB|X|NUMA|SIMULATED|WRONG)\b",
            r"\b(GiB|MiB|MHz|GB/s|TB/s|MB/s|kB/s|KiB|rpm|µs|ms|min|PCIe|SM|CPU)\b",
            r"\b(grace|ada|alan|api|root|you)\b",  # users that do not exist
            r"(python|/usr|~)\S*( -m ipykernel_launcher| \S+\.py)?.*$",  # commands of processes
            r"/\S+",  # paths
        )
    )
)
A_WORD = re.compile(r"[a-z]{3,}")
SIMULATED = "--simulate 2xTitanRTX"
LINES = [
    *(f"snapshot {SIMULATED}", f"snapshot {SIMULATED} --fault lost:1@0s"),
    *(f"topology {SIMULATED}", "doctor", f"copies {SIMULATED} --mode one-way,latency"),
    *(f"copies {SIMULATED} --list", f"copies {SIMULATED} --sizes 1.5", "lab nothere.py"),
    *("lab --trace a.py pyproject.toml", "lesson check pyproject.toml", "lesson run --help"),
    *(
        "--frobnicate",
        "frobnicate",
        "--view shop",
        "--size 12",
        "--simulate 2xNothing",
        "--help",
    ),
    *(f"{verb} --help" for verb in ("snapshot", "copies", "lab", "doctor", "export", "lesson")),
]
COMMANDS = """
import sys
from gpuexplorer.__main__ import main
for line in sys.argv[1:]:
    print("$", line, flush=True)
    try:
        main(line.split())
    except SystemExit:
        pass
    sys.stdout.flush()
"""


@cache
def terminal() -> Mapping[str, str]:
    """What each says in the language for tests, on a terminal wide enough for anything."""
    environment = os.environ | {"LANGUAGE": PSEUDO, "COLUMNS": "10000", "NO_COLOR": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", COMMANDS, *LINES],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=True,
        timeout=300,
    )
    said = ran.stdout.decode("utf-8")
    for of_this_computer in (socket.gethostname(), HostReader().card.name, sys.prefix):
        said = said.replace(of_this_computer, "")
    found = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", said, re.MULTILINE)
    return dict(found)


def unmarked(text: str) -> str:
    """What is left of it beside the words that were translated, with what these hold."""
    depth, left = 0, []
    for letter in text:
        depth += letter == OPEN
        if depth == 0:
            left.append(letter)
        depth -= letter == CLOSE
    return "".join(left)


@pytest.mark.parametrize("line", LINES)
def test_every_word_on_the_terminal_is_translated(line: str) -> None:
    said = terminal()[line]
    assert OPEN in said
    lines = [DATA.sub("", unmarked(each)) for each in said.splitlines()]
    assert [each for each in lines if A_WORD.search(each)] == []
