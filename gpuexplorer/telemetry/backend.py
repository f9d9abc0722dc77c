"""Backend: what a vendor must provide, and the plain facts it hands over besides samples."""

import threading
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardState, Sample
from gpuexplorer.core.doctor import doctor
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.topology import Topology

# The note of every source whose cards do not exist.
MADE_UP = Message("These cards are simulated: every figure is made up.")
# Why a card has no certain number in CUDA, though it may well have one.
FASTEST_FIRST = Message(
    "CUDA sorts cards of different models by speed; set CUDA_DEVICE_ORDER=PCI_BUS_ID to be sure"
)
BEHIND_A_LOST_ONE = Message("whether CUDA still counts the lost card before it is not known")

# Hints that send a person to the doctor, who has no use for them.
INSTALL_IT = Message(
    "If there is an NVIDIA card, install its driver; `{doctor}` says more.", doctor=doctor()
)
ASK_THE_DOCTOR = Message("`{doctor}` looks for the cause.", doctor=doctor())


K = TypeVar("K")


def sorted_out(told: Mapping[K, float | Absence]) -> tuple[dict[K, float], dict[K, Absence]]:
    """What has a figure, and what has a reason in its place."""
    missing = {each: why for each, why in told.items() if isinstance(why, Absence)}
    return {x: figure for x, figure in told.items() if not isinstance(figure, Absence)}, missing


_STATES = {
    Absence.LOST: CardState.LOST,
    Absence.UNLISTED: CardState.UNLISTED,
    Absence.NO_ANSWER: CardState.NO_ANSWER,
    Absence.ASLEEP: CardState.ASLEEP,
    Absence.NO_DRIVER: CardState.NO_DRIVER,
}


def nothing(card: CardId, at: float, metrics: Collection[MetricId], why: Absence) -> Sample:
    """Of a card that says nothing at all: the one reason for everything."""
    state = _STATES.get(why, CardState.REFUSED)
    return Sample(card, at, {}, dict.fromkeys(metrics, why), state)


class Source(NamedTuple):
    """Who answers, and under which driver."""

    name: str  # "nvml", "simulated", "none"
    label: Message  # "NVIDIA driver 590.48, read through NVML"
    simulated: bool = False
    driver_version: str | None = None
    cuda_version: str | None = None  # the newest CUDA this driver can run
    facts: Mapping[str, str] = {}
    cards: bool = True  # False: none answers, and the computer alone is read
    figures_alone: Message = NOTHING  # why it tells nothing else, where it does not


class HardwareFault(NamedTuple):
    """Something the driver reported by itself, at once and once (an Xid, say)."""

    card: CardId | None
    code: int
    sentence: Message


# Seconds between two counts of bytes that make a rate: as long as NVIDIA's own call watches,
# which is exact enough, and PCIe 5 x16 wraps after 68 ms.
COUNTED_APART = 0.02


class Backend(Protocol):
    """One vendor's cards. Every method may be called from any thread but `open` and `close`.

    One whose counts make a rate only two at a time has `count_ahead` besides, which takes what
    `read` takes, and the first of them: many cards are then waited for once.

    Nothing here raises for what a card or a driver does: a reading that failed is a reason in
    `Sample.missing`, a card that is gone is a state. Only `open` raises, and only `Trouble`.
    """

    @property
    def source(self) -> Source: ...

    def open(self) -> None:
        """Reach the driver. Raises Trouble with the reason why this source cannot be used."""

    def close(self) -> None:
        """Close the connection to the driver. Harmless when called twice."""

    def cards(self) -> Sequence[Card]:
        """The cards as they are known now; cheap, and ordered as people list them. The same
        object as long as they are the same cards, and another one when not.
        """

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        """Ask one card: answers or explains each of the metrics, however long that takes."""

    def heard(self, card: CardId) -> float:
        """When the driver last answered one of the calls about the card, in steady seconds; 0
        where it is not known. A reading takes many.
        """

    def processes(self, card: CardId) -> Sequence[CardProcess] | None:
        """Who uses the card, as the driver knows it; None where it cannot be known now."""

    def topology(self) -> Topology:
        """Which card is wired to which. Costly: asked once, and again when cards change."""

    def wait_for_fault(self, seconds: float) -> Sequence[HardwareFault]:
        """Wait for the driver to report something by itself. Called from its own thread."""

    def notes(self) -> Sequence[Message]:
        """Sentences about the machine that a person should read."""


class NoCards:
    """Where no card answers: the computer itself is shown all the same."""

    source = Source("none", Message("No graphics card answers"), cards=False)

    def __init__(self) -> None:
        self._closing = threading.Event()

    def open(self) -> None:
        """There is nothing to reach."""

    def close(self) -> None:
        self._closing.set()

    def cards(self) -> Sequence[Card]:
        return ()

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        return nothing(card, 0.0, metrics, Absence.LOST)

    def heard(self, card: CardId) -> float:
        return 0.0

    def processes(self, card: CardId) -> Sequence[CardProcess]:
        return ()

    def topology(self) -> Topology:
        return Topology((), (), {})

    def wait_for_fault(self, seconds: float) -> Sequence[HardwareFault]:
        self._closing.wait(seconds)
        return ()

    def notes(self) -> Sequence[Message]:
        return ()
