"""The lab's Python: which programs of this computer have PyTorch, and whether it suits."""

import contextlib
import json
import os
import re
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
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab import packaged
from gpuexplorer.lab.oldest import OLDEST_PYTHON, OLDEST_TORCH
from gpuexplorer.lab.torch_builds import Suits, TorchBuild, build_said, read_build, suits

_PATIENCE = 10.0
_NO_PYTHON = Message("It did not answer as a Python does.")
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
# Folders of environments, below the home folder.
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
)
# The same, where a variable names the folder.
_NAMED_ENVIRONMENTS = (
    ("WORKON_HOME", ""),
    ("UV_PYTHON_INSTALL_DIR", ""),
    ("PYENV_ROOT", "versions"),
    ("PROGRAMFILES", ""),
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
    if packaged.is_this_program(path):
        return _this_program(path)
    answer = _answered(path, _ASK, patience, given_up)
    if isinstance(answer, Message):
        return LabPython(path, trouble=answer)
    try:
        said = json.loads(answer)
        version = tuple(int(each) for each in said["version"])
        torch = said["torch"]
        build = None if torch is None else build_said(torch)
        prefix = str(said["prefix"])
        packages = tuple(Path(each) for each in said.get("packages", ()))
    except (ValueError, KeyError, TypeError, AttributeError):
        return LabPython(path, trouble=_NO_PYTHON)
    trouble = unfit(version, build)
    if not trouble and Path(prefix, UNFINISHED).exists():
        trouble = Message("Its PyTorch was only partly installed.")
    makes = bool(said.get("venv"))
    return LabPython(path, prefix, version, build, trouble, packages, makes)


def chosen(path: Path, given_up: "threading.Event | None" = None) -> LabPython:
    """The one a person picked. Raises Trouble where the lab cannot use it."""
    if os.path.isdir(path):  # noqa: PTH112 - as below
        inside = [each for each in programs(path) if os.path.isfile(each)]  # noqa: PTH113
        if not inside:
            raise Trouble(
                "There is no Python in {path}.", "Choose the program itself.", path=str(path)
            )
        path = inside[0]
    python = ask(path, given_up=given_up)
    if not python.usable:
        way_out = Message("Choose another.")
        if python.version >= OLDEST_PYTHON and not packaged.is_this_program(path):
            way_out = Message(
                "Choose another, or install PyTorch into it: `pip install torch`."
            )
            if python.build is not None and python.build.too_old:
                way_out = Message(
                    "Choose another, or update it: `pip install --upgrade torch`."
                )
        why = Message(
            "{path} cannot be the lab's Python. {why}", path=str(path), why=python.trouble
        )
        raise Trouble(why, way_out)
    return python


def _this_program(path: Path) -> LabPython:
    """It would not understand the question, and there is no need to ask it."""
    build = _torch_inside()
    without = Message("This is GPU Explorer itself, without PyTorch inside.")
    trouble = without if build is None else NOTHING
    parts = packaged.folder() or Path()
    return LabPython(path, str(parts), sys.version_info[:3], build, trouble, (parts,))


def _torch_inside() -> TorchBuild | None:
    """The PyTorch that was packaged with the program."""
    parts = packaged.folder()
    return None if parts is None else read_build(parts / "torch" / "version.py")


def _possible(environment: "Mapping[str, str]", home: Path) -> Iterator[Path]:
    # What runs us is a Python, or the packaged program, in which there may be a PyTorch.
    if packaged.folder() is None or _torch_inside() is not None:
        yield Path(sys.executable)
    yield from programs(own_environment(environment, home))
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if environment.get(name):
            yield from programs(Path(environment[name]))
    if environment.get("PWD"):
        for name in (".venv", "venv"):
            yield from programs(Path(environment["PWD"]) / name)
    for folder in environment.get("PATH", "").split(os.pathsep):
        if folder:
            yield from _on_path(Path(folder))
    for name in _CONDA_HOMES:
        for base in (home / name, Path("/opt", name)):
            yield from programs(base)
            yield from _programs_below(base / "envs")
    for line in _lines(home / ".conda" / "environments.txt"):
        yield from programs(Path(line))
    for name in _ENVIRONMENTS:
        yield from _programs_below(home / name)
    for variable, below in _NAMED_ENVIRONMENTS:
        if environment.get(variable):
            yield from _programs_below(Path(environment[variable], below))
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


def _programs_below(folder: Path) -> "Iterator[Path]":
    for each in _entries(folder):
        yield from programs(each)


def _entries(folder: Path) -> "list[Path]":
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _lines(path: Path) -> "list[str]":
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return []
    return [line.strip() for line in text.splitlines() if line.strip()]


def programs(prefix: Path) -> "list[Path]":
    if os.name == "nt":
        return [prefix / "Scripts" / "python.exe", prefix / "python.exe"]
    return [prefix / "bin" / "python3", prefix / "bin" / "python"]


def _answered(
    path: Path, question: str, patience: float, given_up: "threading.Event | None" = None
) -> "str | Message":
    """What it printed after our mark; a message says why there is no answer."""
    try:
        answer = asked([path, "-c", question], patience, given_up)
    except OSError as error:
        return Message("It cannot be started: {why}.", why=error.strerror)
    if answer.code is None:
        return Message("It did not answer within {seconds:g} s.", seconds=patience)
    lines = answer.text.splitlines()
    for line in lines:
        if answer.code == 0 and line.startswith(_ANSWER):
            return line.removeprefix(_ANSWER)
    # Another program complains of the question itself.
    if answer.code == 0 or any(_QUESTIONED in line for line in lines):
        return _NO_PYTHON
    if not lines:
        return Message("It ended with code {code}.", code=answer.code)
    last = lines[-1][:200].rstrip(".")
    return Message("It ended with code {code}: {last}.", code=answer.code, last=last)


def none_has_torch(asked: int, host: str = "") -> Message:
    """When so many were asked, on that computer or on the one that runs this."""
    if not asked and host:
        return Message("No Python was found on {host}.", host=host)
    if not asked:
        return Message("No Python was found here.")
    if host:
        return Message.counted(
            "The one Python program on {host} does not have PyTorch.",
            "None of the {count} Pythons on {host} has PyTorch.",
            asked,
            host=host,
        )
    return Message.counted(
        "The one Python program here does not have PyTorch.",
        "None of the {count} Pythons on this computer has PyTorch.",
        asked,
    )


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
