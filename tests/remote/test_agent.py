"""The agent over there: what is sent, that any Python and any shell takes it, what it tells and
answers, and how it ends.
"""

import ast
import functools
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Self, TypeVar

import pytest
from _pytest.mark import ParameterSet

from bundle.contents import files
from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.harmless import line_of
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.records import from_text
from gpuexplorer.lab import packaged
from gpuexplorer.lab.pythons import LabPython, ask, candidates
from gpuexplorer.remote import parcel as parcels
from gpuexplorer.remote import wire
from gpuexplorer.remote.link import Ending, Link
from gpuexplorer.remote.parcel import Kind, Parcel, parcel
from gpuexplorer.remote.ssh import HostName
from gpuexplorer.remote.wire import Hello, Settings, told_of
from gpuexplorer.telemetry.facts import Cards, Notes, Users, Watch
from gpuexplorer.telemetry.processes import Way
from gpuexplorer.telemetry.system import psutil
from gpuexplorer.telemetry.topology import Topology
from tests.nvml_stub import stub
from tests.programs_that_end import Program, stubborn, willing
from tests.remote.waiting import becomes, gone_within

__all__ = ["stubborn", "willing"]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's own files")
T = TypeVar("T")
PATIENCE = 30.0
SIMULATED = Settings(simulate="2xH100", seed=7)
_BARE = {"PATH": os.defpath}


class OverThere:
    """Runs a parcel; what it tells and how it complains is kept. Ends with the block."""

    def __init__(
        self,
        sent: "Parcel | Settings" = SIMULATED,
        python: str = sys.executable,
        *,
        shell: str = "sh",
        folder: "Path | None" = None,
        environment: "Mapping[str, str]" = _BARE,
    ) -> None:
        if isinstance(sent, Settings):
            sent = parcel(Kind.AGENT, sent.environment)
        self.raw: list[bytes] = []  # the lines after the mark
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._over = threading.Event()
        surroundings = (f"{name}={value}" for name, value in environment.items())
        found = shutil.which(shell) or shell
        place = [] if folder is None else ["-C", str(folder)]
        command = ["env", "-i", *place, *surroundings, found]
        self.link = Link(
            HostName("there"), [*command, "-c", sent.command(python)], sent, self._hear
        )
        self.link.start(self._end)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        self.hang_up()
        self._over.wait(PATIENCE if error is None else 1.0)
        self.link.stop()

    @property
    def pid(self) -> int:
        return self.link._process.pid

    @property
    def complaints(self) -> bytes:
        return self.link.course.complained

    def order(self, *orders: wire.Order) -> None:
        for each in orders:
            self.link.send(line_of(each))

    def hang_up(self) -> None:
        self.link._outgoing.put(None)

    def until(self, kind: "type[T]", suits: "Callable[[T], bool]" = lambda _: True) -> T:
        """The next of this kind; what comes before is passed over."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            line = self._lines.get(timeout=PATIENCE)
            assert line is not None, self.complaints.decode("utf-8", "replace")
            told = told_of(line)
            if isinstance(told, kind) and suits(told):
                return told
        raise AssertionError(f"no {kind.__name__} came")

    def end(self) -> "int | None":
        """Its status, once it has ended by itself and everything was heard."""
        assert self._over.wait(PATIENCE)
        return self.link.course.status

    def _hear(self, line: bytes) -> None:
        self.raw.append(line)
        self._lines.put(line)

    def _end(self, _: Ending) -> None:
        self._lines.put(None)
        self._over.set()


def python_here(release: str) -> Path:
    """Where there is none of this release, the test is left out, and says which is missing."""
    found = _by_release().get(release)
    if found is None:
        pytest.skip(f"there is no Python {release} on this computer")
    return found


@functools.cache
def _by_release() -> dict[str, Path]:
    home = Path("~").expanduser()
    # A shim is a script that asks for a Python somewhere else.
    paths = [
        each
        for each in candidates({"PATH": os.environ.get("PATH", os.defpath)}, home)
        if "shims" not in each.parts
    ]
    found: dict[str, Path] = {}
    # Such as `python`, where an environment of pyenv has no `python3`.
    older = sorted((home / ".pyenv" / "versions").glob("*/bin/python"))
    for each in (*older, *paths):
        release = ask(each).release
        if release:
            found.setdefault(release, each)
    return found


needs_compiler = pytest.mark.skipif(stub.compiler() is None, reason="needs a C compiler")


def watch(*metrics: MetricId, processes: bool = False) -> Watch:
    return Watch(frozenset(metrics), processes, 0.1)


def test_it_greets_with_its_cards_and_who_it_is_and_reads_nothing_unwanted() -> None:
    with OverThere() as there:
        listed, noted = there.until(Cards), there.until(Notes)
        hello = there.until(wire.Hello)
        there.order(wire.AskWiring(id=3))
        wired = there.until(wire.Answer)
    assert [card.id for card in listed.cards] == ["SIM-0", "SIM-1"]
    assert listed.source.simulated
    assert "These cards are simulated: every figure is made up." in noted.notes
    assert hello.host.id == HOST_ID
    assert hello.system.startswith("Linux ")
    assert hello.python == sys.version.partition(" ")[0]
    assert hello.computer == os.uname().nodename
    assert psutil.Process().username() == hello.user
    assert not hello.attempts
    assert wired.id == 3
    assert from_text(Topology, wired.text).cards == ("SIM-0", "SIM-1")
    assert not [line for line in there.raw if b'"Sample"' in line]


@pytest.mark.long
@needs_compiler
def test_real_cards_are_read_and_their_processes_have_names(willing: Program) -> None:
    """A real process, of which NVIDIA's stand-in says that it uses the card over there."""
    surroundings = stub.environment(f"cards=1 pids=0:{willing.pid}")
    with OverThere(Settings(), environment=surroundings) as there:
        assert there.until(Cards).source.name == "nvml"
        there.order(watch(m.POWER_DRAW, processes=True))
        facts, later = (
            (there.until(Users, lambda told: bool(told.processes)).processes or [])[0]
            for _ in range(2)
        )
    theirs = psutil.Process(willing.pid)
    assert facts.process.pid == willing.pid
    assert facts.command == " ".join(theirs.cmdline())
    assert facts.user == theirs.username()
    assert facts.memory_bytes == theirs.memory_info().rss
    assert facts.started_at == pytest.approx(theirs.create_time(), abs=0.02)
    assert facts.of_this_user
    assert not facts.ended
    assert later.cpu is not None


@pytest.mark.parametrize(
    ("program", "way", "by"),
    [("willing", Way.ASK, signal.SIGTERM), ("stubborn", Way.KILL, signal.SIGKILL)],
)
def test_a_process_is_ended_if_it_began_just_then(
    request: pytest.FixtureRequest, program: str, way: Way, by: int
) -> None:
    process: Program = request.getfixturevalue(program)
    began = psutil.Process(process.pid).create_time()
    with OverThere() as there:
        there.order(wire.AskProcess(process.pid, began - 5.0, Way.KILL, id=1))
        assert there.until(wire.Answer).trouble == "It has ended already."
        assert process.poll() is None
        there.order(wire.AskProcess(process.pid, began, way, id=2))
        assert there.until(wire.Answer) == wire.Answer(2, "null")
        assert process.wait(PATIENCE) == -by


def script(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return path


def test_pythons_over_there_are_found_and_one_that_was_named_is_asked(tmp_path: Path) -> None:
    no_python = script(tmp_path / "python", "echo hello")
    folder = Path(sys.executable).parent
    with OverThere(environment={"PATH": f"{folder}:{os.defpath}"}) as there:
        for number, named in enumerate((sys.executable, str(no_python), ""), 1):
            there.order(wire.AskPythons(named, id=number))
        told = [there.until(wire.Answer) for _ in range(3)]
    answers = {each.id: from_text(Sequence[LabPython], each.text) for each in told}
    assert answers[1][0].version == sys.version_info[:3]
    assert bool(answers[1][0].trouble) is (answers[1][0].build is None)
    assert "did not answer as a Python does" in answers[2][0].trouble
    assert sys.version_info[:3] in {each.version for each in answers[3]}


@pytest.mark.parametrize("number", [None, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_with_the_pipe_or_a_signal_wholly(number: int | None, tmp_path: Path) -> None:
    """Such as a Python which never answers, in a session of its own."""
    pid = tmp_path / "pid"
    python = script(
        tmp_path / "python", f"echo $$ > {pid}.new; mv {pid}.new {pid}", "exec sleep 600"
    )
    with OverThere() as there:
        there.order(wire.AskPythons(str(python), id=1))
        assert becomes(pid.exists, PATIENCE)
        child = psutil.Process(int(pid.read_text()))
        if number is None:
            there.hang_up()
        else:
            _agent_of(there).send_signal(number)
        assert there.end() == 0
    assert gone_within(child.pid, PATIENCE)


def test_it_ends_when_it_hears_nothing_for_long_though_it_tells() -> None:
    with OverThere(replace(SIMULATED, alone=0.5)) as there:
        there.until(wire.Hello)
        there.order(watch(m.POWER_DRAW))
        assert there.end() == 0
    assert [line for line in there.raw if b'"Sample"' in line]


def test_it_ends_when_nobody_reads_what_it_tells() -> None:
    sent = parcel(Kind.AGENT, SIMULATED.environment)
    there = subprocess.Popen(
        ["sh", "-c", sent.command(sys.executable)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with there:
        assert there.stdin is not None
        assert there.stdout is not None
        there.stdin.write(sent.preamble + line_of(watch(m.POWER_DRAW)))
        there.stdin.flush()
        there.stdout.close()
        assert there.wait(PATIENCE) == 0


def _agent_of(there: OverThere) -> psutil.Process:
    """A shell may have started it, or become it."""
    process = psutil.Process(there.pid)
    return next(iter(process.children()), process) if process.name() == "sh" else process


PACKAGE = Path(parcels.__file__).parents[1]
# What Python 3.10 does not have, by where it is.
NEWER = {
    "enum": {"StrEnum", "ReprEnum", "EnumCheck", "verify", "member", "nonmember", "property"},
    "typing": {
        *("Self", "assert_never", "assert_type", "reveal_type", "LiteralString", "Never"),
        *("Required", "NotRequired", "TypeVarTuple", "Unpack", "override"),
    },
    "datetime": {"UTC"},
    "contextlib": {"chdir"},
    "itertools": {"batched"},
    "asyncio": {"TaskGroup", "timeout", "Runner"},
    "hashlib": {"file_digest"},
    "warnings": {"deprecated"},
    "tomllib": set(),
}
# They stay here: nothing of the agent imports them.
UNUSED = {"core/html_page.py"}


def long(word: str) -> ParameterSet:
    return pytest.param(word, marks=pytest.mark.long)


def files_of(kind: Kind) -> set[str]:
    preamble = parcel(kind).preamble
    content = preamble[preamble.index(b"\n") + 1 :]
    with zipfile.ZipFile(BytesIO(content)) as files:
        return set(files.namelist())


@pytest.mark.parametrize("shell", ["sh", "fish", *map(long, ("bash", "dash", "tcsh"))])
def test_every_shell_starts_the_same(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} on this computer")
    folder = tmp_path / "two words; and (more)"
    folder.mkdir()
    (folder / "python").symlink_to(sys.executable)
    with OverThere(python=f"{folder}/python", shell=shell) as there:
        assert there.until(Cards).source.simulated


def imported_by(path: Path) -> set[str]:
    """Modules of ours, also those that are imported late; of packages also their files."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
    return {name for name in found if name.partition(".")[0] == "gpuexplorer"}


def file_of(module: str) -> str | None:
    path = PACKAGE.parent / module.replace(".", "/")
    for each in (path.with_suffix(".py"), path / "__init__.py"):
        if each.exists():
            return each.relative_to(PACKAGE.parent).as_posix()
    return None


@pytest.mark.parametrize("kind", Kind)
def test_all_that_it_imports_is_in_it(kind: Kind) -> None:
    there, seen = files_of(kind), set[str]()
    waiting = [file_of(kind.module), file_of(f"{kind.module}.__main__")]
    if kind is Kind.WORKER:
        waiting.append(file_of("gpuexplorer.worker.__main__"))  # it is run by the other
    while waiting:
        file = waiting.pop()
        if file is None or file in seen:
            continue
        assert file in there, file
        seen.add(file)
        waiting += [file_of(module) for module in imported_by(PACKAGE.parent / file)]
    assert len(seen) > 5


@pytest.mark.parametrize("kind", Kind)
def test_packaged_alike(kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = files_of(kind)
    for path, folder in files(PACKAGE.parent):
        if Path(path).is_file():
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
            shutil.copy(path, tmp_path / folder)
    monkeypatch.setattr(parcels, "_PACKAGE", tmp_path / "gpuexplorer")
    monkeypatch.setattr(packaged, "folder", lambda: tmp_path)
    parcels._zipped.cache_clear()
    try:
        assert files_of(kind) == before
        if kind is Kind.AGENT:
            with OverThere() as there:
                there.until(Hello)
    finally:
        parcels._zipped.cache_clear()


@pytest.mark.parametrize("kind", Kind)
def test_nothing_in_it_needs_more_than_python_3_10(kind: Kind) -> None:
    for name in files_of(kind) - {"pynvml.py", "gpuexplorer/core/newer_python.py"}:
        if name.removeprefix("gpuexplorer/") in UNUSED or name.endswith(".csv"):
            continue
        tree = ast.parse((PACKAGE.parent / name).read_text("utf-8"), feature_version=(3, 10))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in NEWER:
                assert not NEWER[node.module] & {each.name for each in node.names}, name
                assert node.module != "tomllib", name
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert node.attr not in NEWER.get(node.value.id, ()), name
            if isinstance(node, ast.Import):
                assert not {each.name for each in node.names} & {"tomllib"}, name
            if isinstance(node, ast.ClassDef):
                bases = {ast.unparse(each).partition("[")[0] for each in node.bases}
                assert not bases >= {"NamedTuple", "Generic"}, name


@pytest.mark.parametrize("release", ["3.10", "3.14", *map(long, ("3.11", "3.12", "3.13"))])
def test_it_runs_in_every_python_and_leaves_no_file(release: str, tmp_path: Path) -> None:
    surroundings = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    python = str(python_here(release))
    with OverThere(python=python, folder=tmp_path, environment=surroundings) as there:
        assert there.until(Hello).python.startswith(f"{release}.")
    assert not there.complaints
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("release", ["3.9", *map(long, ("2.7", "3.6", "3.7", "3.8"))])
def test_an_older_one_says_that_it_is_too_old(release: str, tmp_path: Path) -> None:
    surroundings = {"HOME": str(tmp_path), "PATH": "/nowhere"}
    sent = parcel(Kind.AGENT, SIMULATED.environment, any_python=False)
    with OverThere(sent, str(python_here(release)), environment=surroundings) as there:
        assert there.end() != 0
    assert re.fullmatch(rf"too old: {release}\.\d+\n", there.complaints.decode())
    assert not there.link.course.ready


@pytest.mark.parametrize("release", ["3.9", *map(long, ("2.7", "3.6", "3.7", "3.8"))])
def test_an_older_one_hands_over_to_a_newer_one(release: str, tmp_path: Path) -> None:
    for name, body in (("shims", "exit 127"), ("bin", f'exec "{sys.executable}" "$@"')):
        (tmp_path / name).mkdir()
        program = tmp_path / name / "python3.14"
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
    surroundings = {"HOME": str(tmp_path), "PATH": f"{tmp_path}/shims:{tmp_path}/bin"}
    with OverThere(python=str(python_here(release)), environment=surroundings) as there:
        assert there.until(Hello).python == sys.version.partition(" ")[0]
