"""CardProcess: one program's use of one card, as far as it can be told; and by name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.records import KEPT_HERE
from gpuexplorer.core.words import NOTHING, Message

_INTERPRETER = re.compile(r"^(python|pypy|ipython)[0-9.]*w?(\.exe)?$", re.IGNORECASE)


class ProcessUse(StrEnum):
    """What a process does with the card; the letters nvidia-smi uses."""

    COMPUTE = "C"
    GRAPHICS = "G"
    BOTH = "C+G"


class ProcessFigure(StrEnum):
    """What can be known of a process on a card; each has a value or a reason."""

    MEMORY = "memory"  # bytes of the card's memory
    SM = "sm"  # ratios of the card, from here on
    MEMORY_CONTROLLER = "memory_controller"
    ENCODER = "encoder"
    DECODER = "decoder"


class Way(StrEnum):
    """How hard one is ended."""

    ASK = "ask"  # it may save what it has, or refuse
    KILL = "kill"  # the system takes it away, and nothing is saved


class CardProcess(NamedTuple):
    """One process on one card or MIG instance, before anybody looked the pid up."""

    card: CardId
    pid: int
    use: ProcessUse
    values: Mapping[ProcessFigure, float] = {}
    missing: Mapping[ProcessFigure, Absence] = {}
    simulated_command: str | None = None  # make-believe processes bring their own name
    simulated_user: str | None = None


class Ancestor(NamedTuple):
    """The process that started another, such as torchrun its workers."""

    pid: int
    command: str


@dataclass(frozen=True, slots=True)
class NamedProcess:
    """A card's process and what this computer knows of it. `reason` where it knows nothing, or
    nothing more.
    """

    process: CardProcess
    resolved: bool
    reason: Message = NOTHING
    user: str | None = None
    command: str | None = None
    cpu: float | None = None  # cores' worth of time since the look before
    memory_bytes: int | None = None
    started_at: float | None = None  # seconds since 1970
    container: str | None = None
    ours: bool = False
    of_this_user: bool = False  # or anybody's, where we are the administrator
    ancestors: tuple[Ancestor, ...] = ()  # its parent first, without the system's own
    # Who exactly it is, should its number be given to another process.
    # Any: psutil's Process, whose module takes long to import; or, for one of another computer,
    # what answers to the same names and waits for nobody, and has a `refused`.
    identity: Any = field(default=None, compare=False, repr=False, metadata=KEPT_HERE)
    ended: bool = False  # the system has its entry still, and no figures
    elsewhere: bool = False  # its pid is one of the host's, and means nothing in here

    @property
    def simulated(self) -> bool:
        return self.process.simulated_command is not None


def program_name(command: str) -> str:
    """The script where an interpreter runs one, the module after -m, else the program."""
    first, *words = command.split() or [command]
    name = _base(first)
    for word, following in pairwise([*words, ""]):
        if word == "-c" or not _INTERPRETER.match(name):
            return name
        if word == "-m" and following:
            return following
        if not word.startswith("-"):
            return _base(word)
    return name


def _base(path: str) -> str:
    return (PureWindowsPath(path) if "\\" in path else PurePosixPath(path)).name or path
