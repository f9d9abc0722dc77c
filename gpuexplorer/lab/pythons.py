"""The lab's Python: which programs of this computer have PyTorch, what that was built for, and
whether it suits driver and cards.
"""

import contextlib
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from gpuexplorer.core.cards import Card
from gpuexplorer.core.records import KEPT_HERE
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import NOTHING, Message, mark, on, told
from gpuexplorer.lab import packaged

# That the lab runs with.
OLDEST_PYTHON, OLDEST_TORCH = (3, 10), (2, 4)
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
# Folders of environments: those that were chosen by whoever started us, and where people and
# their tools put them.
_CHOSEN = ("$VIRTUAL_ENV", "$CONDA_PREFIX", "$PWD/.venv", "$PWD/venv")
_PUT = (
    "$HOME/anaconda3",  # whose own list names the environments
    "$HOME/mini*3",
    "/opt/*conda*",
    "$HOME/.pyenv/versions/*",
    "$HOME/.local/share/uv/python/*",
    "$HOME/.local/share/virtualenvs/*",
    "$HOME/.virtualenvs/*",
    "$HOME/.cache/pypoetry/virtualenvs/*",
    "$LOCALAPPDATA/Programs/Python/*",  # where Windows' installer puts them for one person
    "$APPDATA/uv/python/*",
    "$WORKON_HOME/*",
    "$PYENV_ROOT/versions/*",
)
# Of macOS: a program that is opened by a click is told little of PATH.
_USUAL = {"darwin": ("/opt/homebrew/bin", "/usr/local/bin")}
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

    def fits(self, cards: "Sequence[Card]", driver_version: "str | None") -> "Suits":
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
        path = program_in(path) or path
        if not os.path.exists(path):  # noqa: PTH110 - as for candidates
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
    yield from programs(own_environment(environment, home))
    known = {**environment, "HOME": str(home)}
    yield from _programs(_CHOSEN, known)
    folders = environment.get("PATH", "").split(os.pathsep)
    for folder in filter(None, [*folders, *_USUAL.get(sys.platform, ())]):
        # pyenv's shims take long to choose a Python that is found by its own folder.
        if Path(folder).name != "shims":
            yield from (Path(folder, each) for each in ("python3", "python", "python.exe"))
            versions = sorted(Path(folder).glob("python3.*"))
            yield from (each for each in versions if _VERSIONED.fullmatch(each.name))
    with contextlib.suppress(OSError):
        noted = (home / ".conda" / "environments.txt").read_text("utf-8", "replace")
        for line in filter(None, noted.splitlines()):
            yield from programs(Path(line))
    yield from _programs(_PUT, known)


def _programs(patterns: "Sequence[str]", known: "Mapping[str, str]") -> "Iterator[Path]":
    for pattern in patterns:
        # What stands for nothing keeps its $, and is found nowhere.
        for prefix in sorted(glob.glob(Template(pattern).safe_substitute(known))):  # noqa: PTH207
            yield from programs(Path(prefix))


def programs(prefix: Path) -> "list[Path]":
    if os.name == "nt":
        return [prefix / "Scripts" / "python.exe", prefix / "python.exe"]
    return [prefix / "bin" / "python3", prefix / "bin" / "python"]


def program_in(prefix: Path) -> "Path | None":
    return next((each for each in programs(prefix) if os.path.isfile(each)), None)  # noqa: PTH113


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
        code, text = asked([path, "-c", _ASK], patience, given_up)
    except OSError as error:
        why = Message("It cannot be started: {why}.", why=error.strerror)
        return LabPython(path, trouble=why)
    lines = text.splitlines()
    answers = [each for each in lines if each.startswith(_ANSWER)]
    if code is None:
        trouble = Message("It did not answer within {seconds:g} s.", seconds=patience)
    elif code and lines:
        last = lines[-1][:200].rstrip(".")
        trouble = Message("It ended with code {code}: {last}.", code=code, last=last)
    elif code:
        trouble = Message("It ended with code {code}.", code=code)
    elif not answers:
        trouble = Message("It did not answer as a Python does.")
    else:
        said = json.loads(answers[0].removeprefix(_ANSWER))
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
    if not torch_too_old(build.version):
        return NOTHING
    return Message(
        "The lab needs PyTorch {oldest} or newer; this is {version}.",
        oldest="{}.{}".format(*OLDEST_TORCH),
        version=build.version,
    )


def torch_too_old(version: str) -> bool:
    """One without a number is tried: whoever built it knows what it is."""
    return bool(line := _numbers(version)) and line < OLDEST_TORCH


def none_has_torch(asked: int, host: str = "") -> Message:
    """When so many were asked, here or on that computer."""
    none = Message("No Python was found.")
    if asked:
        none = Message.counted(
            "The one Python that was found does not have PyTorch.",
            "None of the {count} Pythons that were found has PyTorch.",
            asked,
        )
    return on(host or None, none)


def asked(
    command: "Sequence[str | Path]",
    patience: float,
    given_up: "threading.Event | None" = None,
    environment: "Mapping[str, str] | None" = None,
    tick: "Callable[[], None]" = lambda: None,
) -> "tuple[int | None, str]":
    """Its status and what it printed; None where it did not end by itself, and was ended.
    Raises OSError where it cannot be started. `tick` is called some times a second.
    """
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
                return program.returncode, said.decode("utf-8", "replace")
        finally:
            if program.returncode is None and hasattr(os, "killpg"):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(program.pid, signal.SIGKILL)
            elif program.returncode is None:
                program.kill()
    return None, ""


# PyTorch's own index, which alone has every build; a folder below it for each.
INDEX = "https://download.pytorch.org/whl"
Capability = tuple[int, int]

_ASSIGNMENT = re.compile(r"""^(\w+)(?:\s*:[^=\n]+)?\s*=\s*['"]([^'"\n]*)['"]""", re.MULTILINE)

# The oldest driver that runs programs made for a CUDA of this first number.
_OLDEST_DRIVER = {11: 450, 12: 525, 13: 580}
# The builds of PyTorch on offer, and the cards each was made for: first and last capability.
# The one for CUDA 12.8 ends with PyTorch 2.11, and is what a new card has under an old driver.
_FLAVOURS: Sequence[tuple[str, Capability, Capability]] = (
    ("13.0", (7, 5), (12, 9)),
    ("12.6", (5, 0), (9, 0)),
    ("12.8", (7, 5), (12, 9)),
)


@dataclass(frozen=True, slots=True)
class TorchBuild:
    """One installed PyTorch."""

    version: str
    cuda: str | None
    hip: str | None = None
    architectures: Sequence[str] = ()  # "sm_86", "compute_120"; empty: not asked

    @property
    def label(self) -> Message:
        said = mark("PyTorch {version}, built for the processor only")
        if self.cuda:
            said = mark("PyTorch {version}, built for CUDA {cuda}")
        elif self.hip:
            said = mark("PyTorch {version}, built for AMD cards (ROCm {rocm})")
        return Message(said, version=self.version, cuda=self.cuda, rocm=self.hip)

    def runs_on(self, card: Card) -> bool | None:
        """A card runs code for its own generation up to its own number, and any older PTX.
        None: it cannot be told.
        """
        own = card.compute_capability
        if own is None or not self.cuda:
            return None
        if not self.architectures:
            return self._probably_runs_on(own)
        for kind, first, last in re.findall(
            r"(sm|compute)_(\d+)(\d)", " ".join(self.architectures)
        ):
            built = int(first), int(last)
            if built <= own and (kind == "compute" or built[0] == own[0]):
                return True
        return False

    def _probably_runs_on(self, own: Capability) -> bool:
        """By what the official builds of a line hold; others may be built otherwise."""
        cuda, line = _numbers(self.cuda), _numbers(self.version)
        if cuda < (12, 8):
            return (5, 0) <= own < (10, 0)
        kept_volta = cuda < (13, 0) and (2, 8) <= line <= (2, 10)
        return own >= ((7, 0) if kept_volta else (7, 5))


@dataclass(frozen=True, slots=True)
class Suits:
    """Whether a build suits this computer, and what to do where it does not."""

    verdict: Verdict
    sentence: Message
    do: Message = NOTHING
    install: str | None = None  # the CUDA of a build that would suit, for the same Python


def read_build(version_file: Path) -> TorchBuild | None:
    """From torch/version.py, without importing anything; None where it says no version."""
    try:
        said = dict(_ASSIGNMENT.findall(version_file.read_text("utf-8", "replace")))
    except OSError:
        return None
    version = said.get("__version__")
    if version is None:
        return None
    return TorchBuild(version, said.get("cuda"), said.get("hip"))


def suits(build: TorchBuild, cards: Sequence[Card], driver_version: str | None) -> Suits:
    if not cards and driver_version is None:
        without = "Without an NVIDIA card it works on the processor and on simulated cards."
        return Suits(Verdict.FINE, Message(without))
    capabilities = [card.compute_capability for card in cards if card.compute_capability]
    cuda = flavour(driver_version, capabilities)
    do = advice(cuda, driver_version, capabilities)
    if not build.cuda:
        sentence = Message("It does not use NVIDIA cards; it is enough for simulated ones.")
        return Suits(Verdict.LOOK, sentence, do, cuda)
    driver, own = _major(driver_version), _major(build.cuda)
    needed = _OLDEST_DRIVER.get(own or 0)
    if driver is not None and needed is not None and driver < needed:
        too_old = Message(
            "CUDA {cuda} needs driver {needed} or newer; this one is {driver}.",
            cuda=own,
            needed=needed,
            driver=driver_version,
        )
        update = Message("{advice} Or update the driver to {needed}.", advice=do, needed=needed)
        return Suits(Verdict.BROKEN, too_old, update)
    wanting = [card for card in cards if build.runs_on(card) is False]
    if not wanting:
        fine = Message("It suits the driver and the cards.")
        return Suits(Verdict.FINE, fine if cards else Message("It suits the driver."))
    no_code = mark("It holds no code for {cards} (compute capability {capabilities}).")
    if not build.architectures:
        no_code = mark(
            "It probably holds no code for {cards} (compute capability {capabilities})."
        )
    numbers = {card.compute_capability for card in wanting if card.compute_capability}
    sentence = Message(
        no_code,
        cards=", ".join(sorted({card.name for card in wanting})),
        capabilities=", ".join("{}.{}".format(*each) for each in sorted(numbers)),
    )
    if len(wanting) == len(cards):
        return Suits(Verdict.BROKEN, sentence, do, cuda)
    return Suits(Verdict.LOOK, told(sentence, Message("It suits the others.")), do, cuda)


def flavour(driver_version: str | None, capabilities: Collection[Capability]) -> str | None:
    """The CUDA of the build that suits driver and cards; None where no single one does."""
    driver = _major(driver_version)
    for cuda, first, last in _FLAVOURS:
        new_enough = driver is None or driver >= _OLDEST_DRIVER[_major(cuda) or 0]
        if new_enough and all(first <= one <= last for one in capabilities):
            return cuda
    return None


def advice(
    cuda: str | None, driver_version: str | None, capabilities: Collection[Capability]
) -> Message:
    if cuda:
        return Message("Install PyTorch built for CUDA {cuda} into this Python.", cuda=cuda)
    if any(one < (5, 0) for one in capabilities):
        return Message(
            "No PyTorch of today is built for the oldest card here; it can only be watched."
        )
    driver, then = _major(driver_version), flavour("580", capabilities)
    if driver is None or driver >= _OLDEST_DRIVER[13] or then is None:
        return Message(
            "No single build suits all these cards; use one Python for the old, one for the "
            "new."
        )
    # No driver after the 580 line knows the cards before compute capability 7.5.
    return Message(
        "Update NVIDIA's driver to 580, then install PyTorch built for CUDA {cuda}.", cuda=then
    )


def _numbers(version: str | None) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version or "")[:2]))


def _major(version: str | None) -> int | None:
    return next(iter(_numbers(version)), None)
