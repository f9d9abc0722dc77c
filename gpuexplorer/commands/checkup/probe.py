"""What the doctor looks with: this computer, handed in so that it can be replaced, and what
NVIDIA's driver says, asked once for all examinations; and the form in which each one answers.
"""

import getpass
import os
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.newer_python import StrEnum
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
)
from gpuexplorer.telemetry.patience import Asked

FINE, LOOK, BROKEN = Verdict
Fact: TypeAlias = "str | int | float | bool | None | Sequence[Fact] | Mapping[str, Fact]"
Judged: TypeAlias = "tuple[Verdict, Message, Message]"  # how it is, and what to do about it
_SETTLING = 0.1  # seconds between two looks whether a slow card has answered


class Ran(NamedTuple):
    """A program that ran. `code` is None where it could not be started, or did not end."""

    code: int | None
    text: str


class Subject(StrEnum):
    """A part of the computer, by the name that programs know it by."""

    CARDS = "cards"
    DRIVER = "driver"
    PERMISSIONS = "permissions"
    CONTAINER = "container"
    PYTORCH = "pytorch"
    TOOLKITS = "toolkits"
    DISPLAY = "display"
    PARTS = "parts"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Topic:
    """What the doctor says about one part of the computer."""

    subject: Subject
    verdict: Verdict
    sentence: Message
    do: Message = NOTHING
    details: Sequence[str] = ()  # one thing found each
    facts: Mapping[str, Fact] = field(default_factory=dict)  # the same, for programs


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe(Place):
    """A place, and what goes beyond reading files."""

    open_backend: Callable[[], Backend]
    pythons: Callable[[], Sequence[Asked[LabPython]]]  # from then on, the likeliest first
    run_program: Callable[[Sequence[str], float], Ran]
    installed: Callable[[str], str | None]  # the version of a distribution of this Python
    may_use: Callable[[Path], bool]  # whether this user may read and write the file
    reachable: Callable[[str | tuple[str, int]], bool]  # a socket's path, or host and port
    x_refuses: Callable[[str], bool]  # whether the X server of this name lets nobody in
    prefix: str | None = None  # of the Python that runs this; None in a packaged program
    parts: str | None = None  # where the packaged program's own parts are; None under a Python
    home: str = ""
    user: str = ""
    groups: Sequence[str] = ()  # that the user is in, but for the user's own
    host: str = ""
    patience: float = 10.0  # seconds that the driver has to answer
    deep: bool = False  # load every PyTorch


def this_computer(open_backend: Callable[[], Backend], *, deep: bool = False) -> Probe:
    from gpuexplorer.commands.checkup.program import x_refuses  # noqa: PLC0415 - it needs a Probe

    parts = folder()
    home = os.path.expanduser("~")  # noqa: PTH111 - where there is no home, it stays "~"
    return Probe(
        open_backend=open_backend,
        pythons=lambda: [
            Asked(partial(ask, path)) for path in candidates(dict(os.environ), Path(home))
        ],
        run_program=_run,
        installed=_installed,
        may_use=lambda path: os.access(path, os.R_OK | os.W_OK),
        reachable=_reachable,
        x_refuses=x_refuses,
        prefix=None if parts is not None else sys.prefix,
        parts=None if parts is None else str(parts),
        home=home,
        user=_user(),
        groups=_groups(),
        host=socket.gethostname(),
        deep=deep,
    )


def _run(argv: Sequence[str], patience: float) -> Ran:
    try:
        return Ran(*asked(argv, patience))
    except OSError as refusal:
        return Ran(None, refusal.strerror or str(refusal))


def _installed(name: str) -> str | None:
    import importlib.metadata  # noqa: PLC0415 - slow, and a window that opens asks for none

    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _user() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # of whom the system knows no name
        return ""


def _groups() -> Sequence[str]:
    if sys.platform == "win32":
        return ()
    import grp  # noqa: PLC0415 - Windows has none

    names = []
    for number in os.getgroups():
        with suppress(KeyError):  # of a computer outside of this container
            names.append(grp.getgrgid(number).gr_name)
    return [each for each in names if each != _user()]


def _reachable(address: str | tuple[str, int]) -> bool:
    try:
        if not isinstance(address, str):
            socket.create_connection(address, timeout=1.0).close()
            return True
        with socket.socket(socket.AF_UNIX) as unix:
            unix.settimeout(1.0)
            unix.connect(address)
            return True
    except (OSError, ValueError, AttributeError):  # Windows has no such sockets
        return False


@dataclass(frozen=True, slots=True)
class Answer:
    """What the driver says of itself and its cards, or the trouble that stood in the way; what
    the PCI bus shows; and the Pythons, which were asked meanwhile.
    """

    pythons: Sequence[Asked[LabPython]] = ()
    on_the_bus: Sequence[DisplayController] | None = None
    asleep: bool = False  # not asked, so that the cards can go on sleeping
    trouble: Trouble | None = None
    source: Source | None = None
    cards: Sequence[Card] = ()  # all that the driver lists, even those that do not answer
    readings: Mapping[CardId, Sample] = field(default_factory=dict)
    notes: Sequence[Message] = ()

    def state(self, card: Card) -> CardState:
        reading = self.readings.get(card.id)
        return CardState.NO_ANSWER if reading is None else reading.state

    def no_figures(self, card: Card) -> Absence | None:
        """Why a card that answers gives none of the figures that a person could use."""
        reading = self.readings.get(card.id)
        if reading is None or reading.state is not CardState.WORKING:
            return None
        return why_no_figures(reading.values, reading.missing)

    @property
    def answering(self) -> Sequence[Card]:
        """The cards that could be read, or that sleep and can be."""
        fine = (CardState.WORKING, CardState.ASLEEP)
        return [card for card in self.cards if self.state(card) in fine]

    @property
    def nvidia_on_the_bus(self) -> Sequence[DisplayController]:
        return [one for one in self.on_the_bus or () if one.vendor_id == NVIDIA]


def ask_driver(probe: Probe) -> Answer:
    """No sleeping card is woken; a driver that hangs, and a card that hangs, is given up."""
    pythons = probe.pythons()  # they take longest to answer
    on_the_bus = display_controllers(probe)
    known = Answer(pythons, on_the_bus)
    if known.nvidia_on_the_bus and all(one.asleep for one in known.nvidia_on_the_bus):
        return Answer(pythons, on_the_bus, asleep=True)
    opening = Asked(lambda: _opened(probe))
    try:
        if not opening.answered_within(probe.patience):
            raise Trouble(
                "NVIDIA's driver did not answer within {seconds:g} s.",
                "Restart the computer if this goes on; `sudo dmesg` may say what it waits for.",
                seconds=probe.patience,
            )
        backend = opening.result()
    except Trouble as trouble:
        return Answer(pythons, on_the_bus, trouble=trouble)
    cards, readings = _read(backend, probe.patience)
    answer = Answer(
        pythons,
        on_the_bus,
        source=backend.source,
        cards=cards,
        readings=readings,
        notes=backend.notes(),
    )
    Asked(backend.close).answered_within(probe.patience)
    return answer


def _opened(probe: Probe) -> Backend:
    backend = probe.open_backend()
    backend.open()
    return backend


def _read(backend: Backend, patience: float) -> tuple[list[Card], dict[CardId, Sample]]:
    """The cards, and a reading of each that answers in time, all of them asked at once."""
    until = time.monotonic() + patience
    while True:
        cards = [card for card in backend.cards() if card.kind is CardKind.GPU]
        slow = any(card.denied is Absence.NO_ANSWER for card in cards)
        if not slow or time.monotonic() > until:
            break
        time.sleep(_SETTLING)
    until = max(until, time.monotonic() + patience / 2)
    asking = {
        card.id: Asked(partial(backend.read, card.id, frozenset(USABLE)))
        for card in cards
        if not card.nameless and card.denied is None
    }
    return cards, {
        card: reading.result()
        for card, reading in asking.items()
        if reading.answered_within(max(0.0, until - time.monotonic()))
    }
