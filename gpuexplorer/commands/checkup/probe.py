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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial, partialmethod
from pathlib import Path
from typing import Any, Literal, NamedTuple

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardKind, CardState, Sample
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.packaged import folder
from gpuexplorer.lab.pythons import LabPython, ask, asked, candidates
from gpuexplorer.telemetry.backend import Backend, Source
from gpuexplorer.telemetry.card_course import USABLE, why_no_figures
from gpuexplorer.telemetry.looked_for import (
    NVIDIA,
    DisplayController,
    Place,
    display_controllers,
    module_version,
)
from gpuexplorer.telemetry.patience import Asked

WSL = "WSL"
_X_PATIENCE = 5.0
_SETTLING = 0.1  # seconds between two looks whether a slow card has answered


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


class Seen(NamedTuple):
    """A card that the driver lists, even if it does not answer."""

    card: Card
    state: CardState
    no_figures: Absence | None = None  # why it answers and gives none that a person could use

    @property
    def answers(self) -> bool:
        """It could be read, or sleeps and can be."""
        return self.state in (CardState.WORKING, CardState.ASLEEP)


class Answer(NamedTuple):
    """What the driver says of itself and its cards, or the trouble that stood in the way."""

    asleep: bool = False  # not asked, so that the cards can go on sleeping
    trouble: Trouble | None = None
    source: Source | None = None
    seen: Sequence[Seen] = ()
    notes: Sequence[Message] = ()

    @property
    def cards(self) -> Sequence[Card]:
        """Those that answer."""
        return [each.card for each in self.seen if each.answers]


def _user() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # of whom the system knows no name
        return ""


def _groups() -> Sequence[str]:
    """That the user is in, but for the user's own."""
    if sys.platform == "win32":
        return ()
    import grp  # noqa: PLC0415 - Windows has none

    names = []
    for number in os.getgroups():
        with suppress(KeyError):  # of a computer outside of this container
            names.append(grp.getgrgid(number).gr_name)
    return [each for each in names if each != _user()]


@dataclass(frozen=True, kw_only=True)
class Probe(Place):
    """A place, and what goes beyond reading files."""

    deep: bool = False  # load every PyTorch
    patience: float = 10.0  # seconds that the driver has to answer
    prefix: str = sys.prefix  # of the Python that runs this
    parts: Path | None = field(default_factory=folder)  # of the packaged program
    # Where there is no home, it stays "~".
    home: str = field(default_factory=lambda: os.path.expanduser("~"))  # noqa: PTH111
    user: str = field(default_factory=_user)
    groups: Sequence[str] = field(default_factory=_groups)
    host: str = field(default_factory=socket.gethostname)

    def backend(self) -> Backend:
        try:
            # Imported here, so that the doctor can say that this very part is missing.
            from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend  # noqa: PLC0415
        except ImportError as absence:
            raise Trouble(
                "The package nvidia-ml-py, through which cards are read, is not installed.",
                "Run: pip install nvidia-ml-py",
            ) from absence
        return NvmlBackend()

    @cached_property
    def pythons(self) -> Sequence[Asked[LabPython]]:
        """The likeliest first; they are asked from now on, all of them at once."""
        paths = candidates(self.environment, Path(self.home))
        return [Asked(partial(ask, path)) for path in paths]

    @cached_property
    def on_the_bus(self) -> Sequence[DisplayController] | None:
        return display_controllers(self)

    @property
    def nvidia_on_the_bus(self) -> Sequence[DisplayController]:
        return [one for one in self.on_the_bus or () if one.vendor_id == NVIDIA]

    @cached_property
    def answer(self) -> Answer:
        """The driver's. No sleeping card is woken for it."""
        ours = self.nvidia_on_the_bus
        if ours and all(one.asleep for one in ours):
            return Answer(asleep=True)
        return ask_driver(self)

    @cached_property
    def module(self) -> str | None:
        """The version of NVIDIA's kernel module that runs."""
        return module_version(self)

    @cached_property
    def inside(self) -> Sequence[str]:
        """Which systems this one runs inside of, by the names people know them by."""
        if self.platform != "linux":
            return []
        cgroup, environment = self.read("/proc/1/cgroup") or "", self.environment
        named = environment.get("container") or self.read("/run/systemd/container") or ""
        boxes = {
            "Flatpak": self.exists("/.flatpak-info"),
            "Kubernetes": "KUBERNETES_SERVICE_HOST" in environment or "kubepods" in cgroup,
            "Docker": self.exists("/.dockerenv") or "docker" in cgroup,
            "Podman": self.exists("/run/.containerenv"),
            "LXC": "lxc" in named + cgroup,
            named.strip(): named.strip(),
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

    def reachable(self, address: str | tuple[str, int]) -> bool:
        """A socket's path, or host and port."""
        try:
            if not isinstance(address, str):
                socket.create_connection(address, timeout=1.0).close()
                return True
            with socket.socket(socket.AF_UNIX) as unix:
                unix.settimeout(1.0)
                unix.connect(address)
                return True
        except (OSError, ValueError):
            return False

    def x_refuses(self, display: str) -> bool:
        """Asked by the library that Qt asks it by. False where it cannot be asked."""
        try:
            library = ctypes.CDLL("libxcb.so.1")
        except OSError:
            return False
        library.xcb_connect.restype = ctypes.c_void_p

        def refuses() -> bool:
            connection = ctypes.c_void_p(library.xcb_connect(display.encode(), None))
            refused = bool(library.xcb_connection_has_error(connection))
            library.xcb_disconnect(connection)
            return refused

        asking = Asked(refuses)
        return not asking.answered_within(_X_PATIENCE) or asking.result()


def ask_driver(probe: Probe) -> Answer:
    """A driver that hangs, and a card that hangs, is given up."""

    def opened() -> Backend:
        backend = probe.backend()
        backend.open()
        return backend

    opening = Asked(opened)
    try:
        if not opening.answered_within(probe.patience):
            raise Trouble(
                "NVIDIA's driver did not answer within {seconds:g} s.",
                "Restart the computer if this goes on; `sudo dmesg` may say what it waits for.",
                seconds=probe.patience,
            )
        backend = opening.result()
    except Trouble as trouble:
        return Answer(trouble=trouble)
    until = time.monotonic() + probe.patience
    while True:
        cards = [card for card in backend.cards() if card.kind is CardKind.GPU]
        slow = any(card.denied is Absence.NO_ANSWER for card in cards)
        if not slow or time.monotonic() > until:
            break
        time.sleep(_SETTLING)
    until = time.monotonic() + probe.patience
    read = partial(backend.read, metrics=frozenset(USABLE))
    # All of them at once.
    asking = [card.denied is None and Asked(partial(read, card.id)) for card in cards]
    seen = list(map(partial(_seen, until), cards, asking))
    answer = Answer(source=backend.source, seen=seen, notes=backend.notes())
    Asked(backend.close).answered_within(probe.patience)
    return answer


def _seen(until: float, card: Card, asking: Asked[Sample] | Literal[False]) -> Seen:
    if not (asking and asking.answered_within(max(0.0, until - time.monotonic()))):
        return Seen(card, CardState.NO_ANSWER)
    sample = asking.result()
    if sample.state is not CardState.WORKING:
        return Seen(card, sample.state)
    return Seen(card, sample.state, why_no_figures(sample.values, sample.missing))
