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
from pathlib import Path

from gpuexplorer.core.cards import Card
from gpuexplorer.core.records import KEPT_HERE
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import NOTHING, Message, on
from gpuexplorer.lab import packaged
from gpuexplorer.lab.oldest import OLDEST_PYTHON, OLDEST_TORCH
from gpuexplorer.lab.torch_builds import Suits, TorchBuild, read_build, suits

_PATIENCE = 10.0
_ANSWER = "GPUEXPLORER "
# In an environment while PyTorch is fetched into it: a folder for what is fetched.
UNFINISHED = "pytorch-unfinished"
# Nothing of torch is imported: its own file says what it was built for. Any Python answers.
_ASK = """
import json, sys
sys.path[:] = [each for each in sys.path if each]
said = {"version": list(sys.version_info[:3]), "prefix": sys.prefix, "torch": None}
said["packages"] = [each for each in sys.path if each.endswith("-packages")]
if sys.version_info >= (3, 4):
    from importlib.util import find_spec
    torch = find_spec("torch")
    said["torch"] = torch and torch.origin
    # Debian keeps the second apart from Python.
    said["venv"] = all(find_spec(each) for each in ("venv", "ensurepip"))
print("GPUEXPLORER " + json.dumps(said))
"""
_CONDA_HOMES = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba")
# Folders of environments, below the home folder or where a variable says.
_ENVIRONMENTS = (
    ".pyenv/versions",
    ".local/share/uv/python",
    ".local/share/virtualenvs",
    ".virtualenvs",
    ".cache/pypoetry/virtualenvs",
    "AppData/Local/Programs/Python",  # where Windows' installer puts them for one person
    "AppData/Roaming/uv/python",
    "$WORKON_HOME",
    "$PYENV_ROOT/versions",
)
# Of macOS: a program that is opened by a click is told little of PATH.
_USUAL_FOLDERS = (
    "/opt/homebrew/bin",
    "/usr/local/bin",
    "/Library/Frameworks/Python.framework/Versions/Current/bin",
)
_VERSIONED = re.compile(r"python3\.\d+t?")
_GLANCE = 0.1  # seconds between two looks whether it was given up


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
        return ".".join(map(str, self.version[:2]))

    @property
    def label(self) -> Message:
        path, number = str(self.path), ".".join(map(str, self.version)) or "?"
        if self.build is None:
            return Message("{path} (Python {number})", path=path, number=number)
        build = self.build.label
        return Message(
            "{path} (Python {number}, {build})", path=path, number=number, build=build
        )

    def fits(self, cards: "Sequence[Card]", driver_version: "str | None") -> Suits:
        """For the driver and the cards that are here; simulated ones suit every build."""
        if self.trouble or self.build is None:
            return Suits(Verdict.BROKEN, self.trouble)
        return suits(self.build, cards, driver_version)


class PythonPlace:
    """A computer's Pythons: of this one, if it is no other. Waits; raises Trouble where nobody
    answers.
    """

    computer = ""  # its name; empty for this one

    def every(
        self, earlier: "Path | None" = None, given_up: "threading.Event | None" = None
    ) -> "Iterator[LabPython]":
        """Each as it answers: what was chosen `earlier`, then the likeliest first."""
        paths = candidates(os.environ, Path.home())
        for path in dict.fromkeys([earlier, *paths] if earlier else paths):
            if given_up is not None and given_up.is_set():
                return
            yield ask(path, given_up=given_up)

    def picked(self, path: Path, given_up: "threading.Event | None" = None) -> LabPython:
        """The one a person named, which the lab can use: a program, as a shell would find it,
        or the folder of an environment.
        """
        if os.path.isdir(path):  # noqa: PTH112 - as for candidates
            inside = program_in(path)
            if inside is None:
                raise Trouble(
                    "There is no Python in {path}.",
                    "Choose the program itself.",
                    path=str(path),
                )
            path = inside
        if not os.path.exists(path):  # noqa: PTH110
            path = Path(shutil.which(path) or path)
        path = path.absolute()  # it may be started elsewhere
        python = ask(path, given_up=given_up)
        if not python.usable:
            raise Trouble(
                "{path} cannot be the lab's Python. {why}",
                "Choose another."
                if python.version < OLDEST_PYTHON or packaged.is_this_program(path)
                else "Choose another, or get PyTorch into it: `pip install --upgrade torch`.",
                path=str(path),
                why=python.trouble,
            )
        return python


def candidates(environment: "Mapping[str, str]", home: Path) -> "list[Path]":
    """Programs that may be a Python with torch, the likeliest first; nobody is asked yet."""
    found: dict[tuple[Path, Path], Path] = {}
    for path in _possible(environment, home):
        # Path.is_file() raises where a folder above is closed to this user.
        if os.path.isfile(path) and os.access(path, os.X_OK):  # noqa: PTH113
            # The program alone would lead out of a virtual environment.
            found.setdefault((path.parent.resolve(), path.resolve()), path)
    return list(found.values())


def _possible(environment: "Mapping[str, str]", home: Path) -> "Iterator[Path]":
    # What runs us is a Python, or the packaged program, in which there may be a PyTorch.
    if packaged.folder() is None or _packaged_build() is not None:
        yield Path(sys.executable)
    given = [environment.get(each) for each in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    if working := environment.get("PWD"):
        given += [os.path.join(working, each) for each in (".venv", "venv")]  # noqa: PTH118
    for prefix in (own_environment(environment, home), *map(Path, filter(None, given))):
        yield from programs(prefix)
    for folder in filter(None, environment.get("PATH", "").split(os.pathsep)):
        plain = [Path(folder, each) for each in ("python3", "python", "python.exe")]
        if Path(folder).name == "shims":
            # Each takes a fifth of a second to choose a Python that is found by its own folder.
            yield from [each for each in plain if os.path.exists(each)][:1]  # noqa: PTH110
            continue
        yield from plain
        yield from (each for each in _entries(folder) if _VERSIONED.fullmatch(each.name))
    condas = [base for name in _CONDA_HOMES for base in (home / name, Path("/opt", name))]
    with contextlib.suppress(OSError):
        noted = (home / ".conda" / "environments.txt").read_text("utf-8", "replace")
        condas += map(Path, filter(None, noted.splitlines()))
    folders = [base / "envs" for base in condas]
    for each in _ENVIRONMENTS:
        first, _, below = each.partition("/")
        root = environment.get(first[1:]) if first.startswith("$") else home / first
        folders += [Path(root, below)] if root else []
    for prefix in (*condas, *(each for folder in folders for each in _entries(folder))):
        yield from programs(prefix)
    if sys.platform == "darwin":
        yield from (Path(each, "python3") for each in _USUAL_FOLDERS)


def _entries(folder: "str | Path") -> "list[Path]":
    try:
        return sorted(Path(folder).iterdir())
    except OSError:
        return []


def programs(prefix: Path) -> "list[Path]":
    if os.name == "nt":
        return [prefix / "Scripts" / "python.exe", prefix / "python.exe"]
    return [prefix / "bin" / "python3", prefix / "bin" / "python"]


def program_in(prefix: Path) -> "Path | None":
    return next((each for each in programs(prefix) if each.is_file()), None)


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
        build, parts = _packaged_build(), packaged.folder() or Path()
        without = Message("This is GPU Explorer itself, without PyTorch inside.")
        trouble = without if build is None else NOTHING
        return LabPython(path, str(parts), sys.version_info[:3], build, trouble, (parts,))
    try:
        answer = asked([path, "-c", _ASK], patience, given_up)
    except OSError as error:
        why = Message("It cannot be started: {why}.", why=error.strerror)
        return LabPython(path, trouble=why)
    lines = answer.text.splitlines()
    told = [each for each in lines if each.startswith(_ANSWER)]
    if answer.code is None:
        trouble = Message("It did not answer within {seconds:g} s.", seconds=patience)
    elif answer.code and lines:
        last = lines[-1][:200].rstrip(".")
        trouble = Message("It ended with code {code}: {last}.", code=answer.code, last=last)
    elif answer.code or not told:
        trouble = Message("It did not answer as a Python does.")
    else:
        said = json.loads(told[0].removeprefix(_ANSWER))
        version, prefix = tuple(said["version"]), said["prefix"]
        torch = said["torch"]
        build = read_build(Path(torch).with_name("version.py")) if torch else None
        trouble = unfit(version, build)
        if not trouble and Path(prefix, UNFINISHED).exists():
            trouble = Message("Its PyTorch was only partly installed.")
        packages = tuple(map(Path, said["packages"]))
        makes = bool(said.get("venv"))
        return LabPython(path, prefix, version, build, trouble, packages, makes)
    return LabPython(path, trouble=trouble)


def _packaged_build() -> "TorchBuild | None":
    """The PyTorch that was packaged with the program."""
    parts = packaged.folder()
    return None if parts is None else read_build(parts / "torch" / "version.py")


def unfit(version: "tuple[int, ...]", build: "TorchBuild | None") -> Message:
    """Why the lab cannot use it; empty where it can."""
    if version < OLDEST_PYTHON:
        oldest = "{}.{}".format(*OLDEST_PYTHON)
        return Message("The lab needs Python {oldest} or newer.", oldest=oldest)
    if build is None:
        return Message("It has no PyTorch.")
    if not build.too_old:
        return NOTHING
    return Message(
        "The lab needs PyTorch {oldest} or newer; this is {version}.",
        oldest="{}.{}".format(*OLDEST_TORCH),
        version=build.version,
    )


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
) -> Answer:
    """Raises OSError where it cannot be started. `tick` is called some times a second."""
    deadline = time.monotonic() + patience
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        start_new_session=True,  # to be ended with all that it started
        env=environment,
    ) as program:
        try:
            while time.monotonic() < deadline and not (given_up and given_up.is_set()):
                try:
                    said, _ = program.communicate(timeout=min(_GLANCE, patience))
                except subprocess.TimeoutExpired:
                    tick()
                    continue
                return Answer(program.returncode, said.decode("utf-8", "replace"))
        finally:
            if program.returncode is None and hasattr(os, "killpg"):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(program.pid, signal.SIGKILL)
            elif program.returncode is None:
                program.kill()
    return Answer(None, "")
