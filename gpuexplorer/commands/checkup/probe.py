"""What the doctor looks with: this computer, in whose place a test puts another, and what
NVIDIA's driver says, asked once for all; and what it says: a Topic, one an examination.
"""

import ctypes
import getpass
import glob
import os
import re
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partialmethod
from pathlib import Path
from typing import Any

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardKind, CardState
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.packaged import folder
from gpuexplorer.lab.pythons import LabPython, ask, asked, candidates
from gpuexplorer.telemetry.backend import Backend, NoCards
from gpuexplorer.telemetry.card_course import USABLE
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.looked_for import (
    NVIDIA,
    DisplayController,
    Place,
    display_controllers,
    module_version,
)
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.sources import Vendor, first_that_answers

WSL = "WSL"
_X_PATIENCE = 5.0
_AT_ONCE = 16  # Pythons
_SETTLING = 0.1  # seconds between two looks whether a slow card has answered
_WELL = (CardState.WORKING, CardState.ASLEEP)


@dataclass(slots=True)
class Topic:
    """One part of the computer: how it is, and what to do about it, said by an examination as
    `fine`, worth a `look`, or `broken`.
    """

    topic: str  # by the name that programs know it by
    verdict: Verdict = Verdict.FINE
    sentence: Message = NOTHING
    do: Message = NOTHING
    details: list[str] = field(default_factory=list)  # one thing found each
    facts: Mapping[str, Any] = field(default_factory=dict)  # for programs: whatever JSON knows

    def judge(self, verdict: Verdict, sentence: str, do: str = "", /, **values: object) -> None:
        self.verdict, known = verdict, Trouble(sentence, do, **values)
        self.sentence, self.do = known.sentence, known.hint

    fine = partialmethod(judge, Verdict.FINE)
    look = partialmethod(judge, Verdict.LOOK)
    broken = partialmethod(judge, Verdict.BROKEN)

    def detail(self, template: str, /, **values: object) -> None:
        self.details.append(Message(template, **values))


def _user() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # of whom the system knows no name
        return ""


def group_name(number: int) -> str:
    if sys.platform == "win32":
        return ""
    import grp  # noqa: PLC0415 - Windows has none

    try:
        return grp.getgrgid(number).gr_name
    except KeyError:  # a container knows no name for a group of the computer outside
        return str(number)


def _groups() -> Sequence[str]:
    """That the user is in, but for the user's own."""
    names = map(group_name, os.getgroups()) if sys.platform != "win32" else ()
    return [each for each in names if each != _user()]


@dataclass(frozen=True, kw_only=True)
class Probe(Place):
    """A place, and what goes beyond reading files."""

    deep: bool = False  # load every PyTorch
    patience: float = 10.0  # seconds that a card has to answer
    prefix: str = sys.prefix  # of the Python that runs this
    parts: Path | None = field(default_factory=folder)  # of the packaged program
    # Where there is no home, it stays "~".
    home: str = field(default_factory=lambda: os.path.expanduser("~"))  # noqa: PTH111
    user: str = field(default_factory=_user)
    groups: Sequence[str] = field(default_factory=_groups)
    host: str = field(default_factory=socket.gethostname)

    def backend(self) -> Backend:
        # Imported here, so that the doctor can say that this very part is missing.
        from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend  # noqa: PLC0415

        return NvmlBackend()

    @cached_property
    def pythons(self) -> Iterator[LabPython]:
        """The likeliest first; they are asked from now on, many at once."""
        paths = candidates(self.environment, Path(self.home))
        return ThreadPoolExecutor(_AT_ONCE).map(ask, paths)

    @cached_property
    def on_the_bus(self) -> Sequence[DisplayController] | None:
        return display_controllers(self)

    @property
    def nvidia_on_the_bus(self) -> Sequence[DisplayController]:
        return [one for one in self.on_the_bus or () if one.vendor_id == NVIDIA]

    @property
    def asleep(self) -> bool:
        """No sleeping card is woken to be asked."""
        ours = self.nvidia_on_the_bus
        return bool(ours) and all(one.asleep for one in ours)

    @cached_property
    def session(self) -> Session:
        """The driver's, with one reading of each card. Its attempts say why there is none."""
        backend: Backend | None = None
        attempts: Sequence[Attempt] = ()
        try:
            if not self.asleep:
                backend, attempts = first_that_answers([Vendor("NVIDIA", self.backend)])
        except ImportError:
            lacks = Message("nvidia-ml-py, through which cards are read, is not installed.")
            attempts = [Attempt("NVIDIA", lacks, Message("Run: pip install nvidia-ml-py"))]
        stream = Local(backend or NoCards(), attempts, patience=self.patience, faults=False)
        session = Session(stream, host=False)
        session.want_metrics(USABLE)
        session.start()
        # One whose calls take long is not known at once, and is no broken card.
        until = time.monotonic() + self.patience
        while time.monotonic() < until and any(
            card.denied is Absence.NO_ANSWER for card in session.cards()
        ):
            time.sleep(_SETTLING)
        session.wait_for_sweeps(1, 2 * self.patience)
        session.stop()
        return session

    @property
    def seen(self) -> Sequence[Card]:
        """Cards that the driver lists, even if they do not answer."""
        return [card for card in self.session.cards() if card.kind is CardKind.GPU]

    @property
    def cards(self) -> Sequence[Card]:
        """Those that answer."""
        readings = ((card, self.session.reading(card.id)) for card in self.seen)
        return [card for card, each in readings if each is not None and each.state in _WELL]

    @cached_property
    def module(self) -> str | None:
        """The version of NVIDIA's kernel module that runs."""
        return module_version(self)

    @cached_property
    def inside(self) -> Sequence[str]:
        """Which systems this one runs inside of, by the names people know them by."""
        if self.platform != "linux":
            return []
        named = self.environment.get("container") or self.read("/run/systemd/container") or ""
        boxes = {
            "Flatpak": self.exists("/.flatpak-info"),
            "Kubernetes": "KUBERNETES_SERVICE_HOST" in self.environment,
            "Docker": self.exists("/.dockerenv"),
            "Podman": self.exists("/run/.containerenv"),
            "LXC": "lxc" in named,
            named.strip(): named,
        }
        wsl = [WSL] if self.found("/proc/version", "(?i)(microsoft)") else []
        return [*wsl, *[name for name, is_it in boxes.items() if is_it][:1]]

    def all(self, *patterns: str) -> list[str]:
        """What there is, as the person at this computer would write it."""
        return [
            self.shown(Path(each))
            for pattern in patterns
            for each in sorted(glob.glob(str(self.at(pattern))))  # noqa: PTH207 - or from a drive
        ]

    def found(self, path: str, pattern: str) -> str:
        """The first group of the first match in a file; empty where there is none."""
        match = re.search(pattern, self.read(path) or "", re.MULTILINE)
        return match[1] if match else ""

    def run_program(self, argv: Sequence[str], patience: float) -> tuple[int | None, str]:
        """Its status and what it printed; no status where it did not start, or not end."""
        try:
            return asked(argv, patience)
        except OSError as refusal:
            return None, refusal.strerror or str(refusal)

    def installed(self, name: str) -> str | None:
        """The version of a distribution of this Python."""
        import importlib.metadata  # noqa: PLC0415 - slow, and a window that opens asks for none

        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return None

    def may_use(self, path: Path) -> bool:
        return os.access(path, os.R_OK | os.W_OK)

    def opens(self, display: str) -> bool:
        """Whether an X server takes us in, asked by the library that Qt asks it by. True where
        that is missing, which is told as such.
        """
        try:
            library = ctypes.CDLL("libxcb.so.1")
        except OSError:
            return True
        library.xcb_connect.restype = ctypes.c_void_p

        def refused() -> bool:
            connection = ctypes.c_void_p(library.xcb_connect(display.encode(), None))
            refuses = bool(library.xcb_connection_has_error(connection))
            library.xcb_disconnect(connection)
            return refuses

        asking = Asked(refused)
        return asking.answered_within(_X_PATIENCE) and not asking.result()
