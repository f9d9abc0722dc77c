"""The lab's Python: which programs of this computer have PyTorch, and whether it suits."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Protocol

from gpuexplorer.core.cards import Card
from gpuexplorer.core.records import KEPT_HERE
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import NOTHING, Message, on
from gpuexplorer.lab import packaged
from gpuexplorer.lab.oldest import OLDEST_PYTHON, OLDEST_TORCH
from gpuexplorer.lab.torch_builds import Suits, TorchBuild, build_said, read_build, suits

_PATIENCE = 10.0
_ANSWER = "GPUEXPLORER "
_QUESTIONED = "import importlib.util"
# In an environment while PyTorch is fetched into it: a folder for what is fetched.
UNFINISHED = "pytorch-unfinished"
# Nothing of torch is imported: its own file says what it was built for.
_ASK = r"""
import json, os, re, sys
sys.path[:] = [each for each in sys.path if each]
said = {"version": list(sys.version_info[:3]), "prefix": sys.prefix, "torch": None}
said["packages"] = [each for each in sys.path if each.endswith("-packages")]
found = None
if sys.version_info >= (3, 4):
    import importlib.util
    found = importlib.util.find_spec("torch")
    # Debian keeps the second apart from Python.
    said["venv"] = all(importlib.util.find_spec(each) for each in ("venv", "ensurepip"))
if found is not None and found.origin:
    path = os.path.join(os.path.dirname(found.origin), "version.py")
    told = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as text:
            told = text.read()
    pattern = r"^(\w+)(?:\s*:[^=\n]+)?\s*=\s*['\"]([^'\"\n]*)['\"]"
    said["torch"] = dict(re.findall(pattern, told, re.M))
print("GPUEXPLORER " + json.dumps(said))
"""
# Folders of environments, below the home folder or where a variable says.
_ENVIRONMENTS = (
    ".pyenv/versions",
    ".asdf/installs/python",
    ".local/share/mise/installs/python",
    ".local/share/uv/python",
    ".local/share/uv/tools",
    ".local/share/pipx/venvs",
    ".local/share/virtualenvs",
    ".virtualenvs",
    ".cache/pypoetry/virtualenvs",
    "AppData/Local/Programs/Python",  # where Windows' installer puts them for one person
    "AppData/Roaming/uv/python",
    "AppData/Local/uv/python",
    "$WORKON_HOME",
    "$UV_PYTHON_INSTALL_DIR",
    "$PYENV_ROOT/versions",
    "$PROGRAMFILES",
)
_USUAL_FOLDERS = {
    "darwin": (
        "/opt/homebrew/bin",
        "/usr/local/bin",
        "/Library/Frameworks/Python.framework/Versions/Current/bin",
    )
}
_CONDA_HOMES = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba")
_VERSIONED = re.compile(r"python3\.\d+t?")
_GLANCE = 0.1  # seconds between two looks whether it was given up
_BURYING = 1.0
_SIGKILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has one way for both


@dataclass(frozen=True)
class LabPython:
    """One Python, as it answered. `trouble` says why the lab cannot use it."""

    path: Path
    prefix: str = ""
    version: "tuple[int, ...]" = ()
    build: "TorchBuild | None" = None
    trouble: Message = NOTHING
    # The folders its packages lie in.
    packages: "tuple[Path, ...]" = field(default=(), metadata=KEPT_HERE)
    makes_environments: bool = field(default=False, metadata=KEPT_HERE)

    @property
    def usable(self) -> bool:
        return not self.trouble

    @property
    def release(self) -> str:
        """Such as 3.12: what its folders are named by."""
        return ".".join(str(each) for each in self.version[:2])

    @property
    def label(self) -> Message:
        path, number = str(self.path), ".".join(str(each) for each in self.version)
        if self.build is None:
            return Message("{path} (Python {number})", path=path, number=number or "?")
        build = self.build.label
        return Message(
            "{path} (Python {number}, {build})", path=path, number=number or "?", build=build
        )

    def fits(self, cards: "Sequence[Card]", driver_version: "str | None") -> Suits:
        """For the driver and the cards that are here; simulated ones suit every build."""
        if self.trouble or self.build is None:
            return Suits(Verdict.BROKEN, self.trouble)
        return suits(self.build, cards, driver_version)


def candidates(environment: "Mapping[str, str]", home: Path) -> "list[Path]":
    """Programs that may be a Python with torch, the likeliest first; nobody is asked yet."""
    found: dict[tuple[Path, Path], Path] = {}
    for path in _possible(environment, home):
        # Path.is_file() raises where a folder above is closed to this user.
        if os.path.isfile(path) and os.access(path, os.X_OK):  # noqa: PTH113
            # The program alone would lead out of a virtual environment.
            found.setdefault((path.parent.resolve(), path.resolve()), path)
    return list(found.values())


class PythonPlace(Protocol):
    """A computer's Pythons, here or elsewhere. Waits; raises Trouble where nobody answers."""

    computer: str  # its name; empty for this one

    def every(
        self, earlier: "Path | None" = None, given_up: "threading.Event | None" = None, /
    ) -> "Iterator[LabPython]":
        """Each as it answers: what was chosen `earlier`, then the likeliest first."""

    def picked(self, path: Path, given_up: "threading.Event | None" = None, /) -> "LabPython":
        """The one a person named, which the lab can use."""


class Here:
    computer = ""

    def every(
        self, earlier: "Path | None" = None, given_up: "threading.Event | None" = None
    ) -> "Iterator[LabPython]":
        paths = candidates(dict(os.environ), Path.home())
        others = (each for each in paths if each != earlier)
        for path in chain(filter(None, [earlier]), others):
            if given_up is not None and given_up.is_set():
                return
            yield ask(path, given_up=given_up)

    def picked(self, path: Path, given_up: "threading.Event | None" = None) -> LabPython:
        return chosen(path, given_up)


def own_environment(environment: "Mapping[str, str]", home: Path) -> Path:
    """Where the program puts a PyTorch that it fetches: beside a person's other data."""
    if sys.platform == "win32":
        data = environment.get("LOCALAPPDATA") or home / "AppData" / "Local"
    elif sys.platform == "darwin":
        data = home / "Library" / "Application Support"
    else:
        data = environment.get("XDG_DATA_HOME") or home / ".local" / "share"
    return Path(data, "gpuexplorer", "pytorch")


def ask(
    path: Path, patience: float = _PATIENCE, given_up: "threading.Event | None" = None
) -> LabPython:
    """Starts it once; whatever happens is an answer."""
    if packaged.is_this_program(path):  # it would not understand the question
        build = packaged_build()
        without = Message("This is GPU Explorer itself, without PyTorch inside.")
        parts = packaged.folder() or Path()
        trouble = without if build is None else NOTHING
        return LabPython(path, str(parts), sys.version_info[:3], build, trouble, (parts,))
    try:
        answer = asked([path, "-c", _ASK], patience, given_up)
    except OSError as error:
        why = Message("It cannot be started: {why}.", why=error.strerror)
        return LabPython(path, trouble=why)
    lines = answer.text.splitlines()
    if answer.code is None:
        trouble = Message("It did not answer within {seconds:g} s.", seconds=patience)
    # Another program complains of the question itself.
    elif answer.code == 0 or any(_QUESTIONED in line for line in lines):
        trouble = Message("It did not answer as a Python does.")
    elif lines:
        last = lines[-1][:200].rstrip(".")
        trouble = Message("It ended with code {code}: {last}.", code=answer.code, last=last)
    else:
        trouble = Message("It ended with code {code}.", code=answer.code)
    told = next((each for each in lines if each.startswith(_ANSWER)), "")
    try:
        said = json.loads(told.removeprefix(_ANSWER)) if answer.code == 0 else {}
        version = tuple(int(each) for each in said["version"])
        build = None if said["torch"] is None else build_said(said["torch"])
        prefix = str(said["prefix"])
        packages = tuple(Path(each) for each in said.get("packages", ()))
    except (ValueError, KeyError, TypeError, AttributeError):
        return LabPython(path, trouble=trouble)
    trouble = unfit(version, build)
    if not trouble and Path(prefix, UNFINISHED).exists():
        trouble = Message("Its PyTorch was only partly installed.")
    makes = bool(said.get("venv"))
    return LabPython(path, prefix, version, build, trouble, packages, makes)


def chosen(path: Path, given_up: "threading.Event | None" = None) -> LabPython:
    """The one a person named: a program, as a shell would find it, or the folder of an
    environment. Raises Trouble where the lab cannot use it.
    """
    if not os.path.exists(path):  # noqa: PTH110 - as for candidates
        path = Path(shutil.which(path) or path)
    elif os.path.isdir(path):  # noqa: PTH112
        inside = [each for each in programs(path) if os.path.isfile(each)]  # noqa: PTH113
        if not inside:
            raise Trouble(
                "There is no Python in {path}.", "Choose the program itself.", path=str(path)
            )
        path = inside[0]
    path = path.absolute()  # it may be started in another folder
    python = ask(path, given_up=given_up)
    if python.usable:
        return python
    way_out = "Choose another, or install PyTorch into it: `pip install torch`."
    if python.version < OLDEST_PYTHON or packaged.is_this_program(path):
        way_out = "Choose another."
    elif python.build is not None and python.build.too_old:
        way_out = "Choose another, or update it: `pip install --upgrade torch`."
    raise Trouble(
        "{path} cannot be the lab's Python. {why}",
        way_out,
        path=str(path),
        why=python.trouble,
    )


def packaged_build() -> TorchBuild | None:
    """The PyTorch that was packaged with the program."""
    parts = packaged.folder()
    return None if parts is None else read_build(parts / "torch" / "version.py")


def _possible(environment: "Mapping[str, str]", home: Path) -> Iterator[Path]:
    # What runs us is a Python, or the packaged program, in which there may be a PyTorch.
    if packaged.folder() is None or packaged_build() is not None:
        yield Path(sys.executable)
    given = [environment.get(each) for each in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    working = environment.get("PWD")
    near = [Path(working, each) for each in (".venv", "venv")] if working else []
    for prefix in (own_environment(environment, home), *map(Path, filter(None, given)), *near):
        yield from programs(prefix)
    for folder in filter(None, environment.get("PATH", "").split(os.pathsep)):
        yield from _on_path(Path(folder))
    condas = [base for name in _CONDA_HOMES for base in (home / name, Path("/opt", name))]
    noted = home / ".conda" / "environments.txt"
    with contextlib.suppress(OSError):
        condas += map(Path, filter(None, noted.read_text("utf-8", "replace").splitlines()))
    folders = [base / "envs" for base in condas]
    for name in _ENVIRONMENTS:
        first, _, below = name.partition("/")
        root = environment.get(first[1:]) if first.startswith("$") else str(home / first)
        if root:
            folders.append(Path(root, below))
    for prefix in (*condas, *chain.from_iterable(map(_entries, folders))):
        yield from programs(prefix)
    # A program that is opened by a click is told little of PATH.
    for name in _USUAL_FOLDERS.get(sys.platform, ()):
        yield Path(name, "python3")


def _on_path(folder: Path) -> "Iterator[Path]":
    """A folder such as /usr/bin may hold several, one for each version."""
    if os.name == "nt":
        yield folder / "python.exe"
        return
    plain, there = [folder / "python3", folder / "python"], _entries(folder)
    if folder.name == "shims":
        # Each takes a fifth of a second to choose a Python that is found by its own folder.
        yield from [each for each in plain if each in there][:1]
        return
    yield from (*plain, *(each for each in there if _VERSIONED.fullmatch(each.name)))


def _entries(folder: Path) -> "list[Path]":
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def programs(prefix: Path) -> "list[Path]":
    if os.name == "nt":
        return [prefix / "Scripts" / "python.exe", prefix / "python.exe"]
    return [prefix / "bin" / "python3", prefix / "bin" / "python"]


def none_has_torch(asked: int, host: str = "") -> Message:
    """When so many were asked, here or on that computer."""
    if not asked:
        return on(host or None, Message("No Python was found."))
    none = Message.counted(
        "The one Python that was found does not have PyTorch.",
        "None of the {count} Pythons that were found has PyTorch.",
        asked,
    )
    return on(host or None, none)


def unfit(version: "tuple[int, ...]", build: "TorchBuild | None") -> Message:
    """Why the lab cannot use it; empty where it can."""
    if version < OLDEST_PYTHON:
        return Message(
            "The lab needs Python {oldest} or newer.", oldest="{}.{}".format(*OLDEST_PYTHON)
        )
    if build is None:
        return Message("It has no PyTorch.")
    if not build.too_old:
        return NOTHING
    return Message(
        "The lab needs PyTorch {oldest} or newer; this is {version}.",
        oldest="{}.{}".format(*OLDEST_TORCH),
        version=build.version,
    )


@dataclass(frozen=True)
class Answer:
    """What it printed. `code` is None where it did not end by itself, and was ended."""

    code: "int | None"
    text: str


def asked(
    command: "Sequence[str | Path]",
    patience: float,
    given_up: "threading.Event | None" = None,
    environment: "Mapping[str, str] | None" = None,
    tick: "Callable[[], None]" = lambda: None,
    stdin: int = subprocess.DEVNULL,
) -> Answer:
    """Raises OSError where it cannot be started. `tick` is called some times a second."""
    given_up = given_up or threading.Event()
    deadline = time.monotonic() + patience
    with subprocess.Popen(
        command,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        start_new_session=True,  # to be ended with all that it started
        env=environment,
    ) as program:
        try:
            while not given_up.is_set() and time.monotonic() < deadline:
                try:
                    said, _ = program.communicate(timeout=min(_GLANCE, patience))
                except subprocess.TimeoutExpired:
                    tick()
                    continue
                return Answer(program.returncode, said.decode("utf-8", "replace"))
        finally:
            if program.returncode is None:  # nobody waits for it any longer
                _end(program)
    return Answer(None, "")


def _end(program: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(program.pid, _SIGKILL)
        else:
            program.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        program.wait(_BURYING)
