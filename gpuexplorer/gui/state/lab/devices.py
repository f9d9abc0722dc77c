"""BenchDevice: all that the lab shows of one device, how it is put together, and which card of
this window PyTorch means by it, which is never guessed.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import MEMORY_FREE, MEMORY_TOTAL, MEMORY_USED, MetricId
from gpuexplorer.core.words import NOTHING, Message, told, tr
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.lab.events import Device, Hello, Memory
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.pythons import TorchBuild, suits
from gpuexplorer.lab.simulated_cards import context_bytes
from gpuexplorer.remote.stream import made_up
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.process_book import ProcessBook
from gpuexplorer.telemetry.processes import ProcessFigure
from gpuexplorer.telemetry.session import Session

Reason = tuple[Message, Message]  # why, and what to do about it; empty where nothing is said

_ON_CARDS = ("cuda", "xpu", "mps")
_NOT_READ = Message(
    "None of the cards that this window reads is the one that PyTorch means by it."
)
_OTHER_MAKER = Message(
    "It works; this window reads no cards of its maker, so that nothing is plotted."
)
_OTHER_PYTHON = Message("Choose another Python of the lab, or install another PyTorch into it.")
_LOST: Mapping[CardState, Reason] = {
    CardState.UNLISTED: (
        Message("The driver no longer lists this card: nothing on it answers any more."),
        Message("Release the cards. It can be used again when the driver lists it."),
    ),
    CardState.LOST: (
        Message("The driver has lost this card: nothing on it answers any more."),
        Message("Release the cards. Often only a restart of the computer brings it back."),
    ),
}


@dataclass(frozen=True, slots=True)
class BenchDevice:
    """None among the bytes: it cannot be told, or the device was not used yet."""

    name: str  # as PyTorch calls it: "cpu", "cuda:0", "meta"
    label: str  # "TITAN RTX"
    chip: str  # the card's number in this window; "H" for the host, empty for others
    colour: int | None = None
    card: CardId | None = None
    usable: bool = True
    computes: bool = True  # else it only takes copies
    reason: Message = NOTHING  # why it cannot be used, or what is special about it
    way_out: Message = NOTHING  # what to do about that
    total_bytes: int | None = None
    free_bytes: int | None = None
    context_bytes: int | None = None  # what PyTorch pays before the first tensor
    cache_bytes: int | None = None  # what PyTorch keeps, its tensors included
    tensor_bytes: int | None = None
    others_bytes: int | None = None  # other programs
    modelled: bool = False

    @property
    def is_card(self) -> bool:
        return self.card is not None

    @property
    def is_host(self) -> bool:
        return self.name == "cpu"


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """All that is known of the devices, and what is made of it."""

    ledger: Ledger
    cards: Sequence[Shown]
    reading: Callable[[CardId], Reading | None]
    host: tuple[str, Reading]  # its name, and its memory
    visible: Sequence[int] | None = None  # the cards' indices that the lab may see; None: all
    # When the ledger's memory was told: a newer reading knows better what is free.
    done_at: float = math.inf
    driver: str | None = None  # its version

    def devices(self) -> Sequence[BenchDevice]:
        """What PyTorch offers; before a worker has said that, what is to be expected. Behind it
        the cards that PyTorch cannot use, with the reason.
        """
        hello, found, unsure = self.ledger.hello, list[BenchDevice](), False
        meant: Mapping[str, Meant] = {} if hello is None else matches(hello, self.cards)
        offered = () if hello is None else hello.devices
        if hello is None:
            usable = [each for each in self.cards if each.card.cuda_index is not None]
            usable.sort(key=lambda each: each.card.cuda_index or 0)
            if self.visible is not None:
                by_index = {each.card.index: each for each in self.cards}
                usable = [by_index[index] for index in self.visible if index in by_index]
            meant = {f"cuda:{number}": (each, NOTHING) for number, each in enumerate(usable)}
            offered = (Device("cpu", ""), *(Device(each, "") for each in meant))
        for device in offered:
            card, why = meant.get(device.name, (None, NOTHING))
            if card is not None:
                found.append(self._of_card(device, card, why))
            elif device.name == "cpu":
                found.append(self._of_host(device))
            elif not (self.cards and _stands_for_none(device)):
                other = BenchDevice(device.name, _label(device), "", usable=device.usable)
                why, total = device.reason or why, device.total_bytes
                other = replace(other, reason=why, way_out=device.way_out, total_bytes=total)
                found.append(other)
                unsure |= device.name.startswith("cuda") and not device.uuid
        seen = {each.card for each in found}
        for each in self.cards:
            if not seen.intersection(one.card.id for one in (each, *each.instances)):
                why, way_out = self._left_out(each, unsure=unsure)
                left = Device("", each.card.name, usable=False, reason=why, way_out=way_out)
                found.append(self._of_card(left, each))
        return found

    def _of_host(self, device: Device) -> BenchDevice:
        name, reading = self.host
        total, held = _bytes(reading, MEMORY_TOTAL), self.ledger.held_bytes("cpu")
        free = _free(reading, total)
        return BenchDevice(
            "cpu",
            name or _label(device),
            "H",
            total_bytes=total,
            free_bytes=free,
            tensor_bytes=held,
            others_bytes=_others(total, free, held),
        )

    def _of_card(self, device: Device, shown: Shown, why: Message = NOTHING) -> BenchDevice:
        name, card, reading = device.name, shown.card, self.reading(shown.card.id)
        unused = 0 if name else None
        memory = self.ledger.memory.get(name) or Memory(
            name, unused, unused, None, None, unused
        )
        total = memory.total_bytes or _bytes(reading, MEMORY_TOTAL)
        total = total or device.total_bytes or card.memory_bytes or 0
        # Of a card that was not used yet, only the driver can tell.
        free = _free(reading, total)
        newer = reading is not None and reading.at > self.done_at
        if memory.free_bytes is not None and (free is None or not newer):
            free = memory.free_bytes
        ours = (memory.reserved_bytes or 0) + (memory.context_bytes or 0)
        gone, way_out = NOTHING, device.way_out
        if reading is not None:
            gone, way_out = _LOST.get(reading.state, (gone, way_out))
        number = name.partition(":")[2]
        if not why and number not in ("", shown.number):
            why = Message(
                "PyTorch's {name} is card {number} of nvidia-smi and of this window.",
                name=name,
                number=shown.number,
            )
        # Copies work where computing does not: it can be chosen for them.
        computes = bool(device.usable or device.capability is None or gone)
        return BenchDevice(
            name,
            card.name,
            shown.number,
            shown.colour,
            card.id,
            usable=not gone and (device.usable or not computes),
            computes=computes,
            reason=gone or device.reason or why,
            way_out=way_out if computes else self._advice(),
            total_bytes=total,
            free_bytes=free,
            context_bytes=memory.context_bytes,
            cache_bytes=memory.reserved_bytes,
            tensor_bytes=memory.tensors_bytes,
            others_bytes=_others(total, free, ours),
            modelled=card.simulated,
        )

    def _left_out(self, shown: Shown, *, unsure: bool) -> Reason:
        """Why this card is none of PyTorch's devices. `unsure`: one of them may be it."""
        hello = self.ledger.hello
        if self.visible is not None and shown.card.index not in self.visible:
            said = Message("It is not among the cards that the lab may see.")
            return said, Message("Release the cards, then choose it among the visible ones.")
        if hello is None:
            said = Message("CUDA gives it no number.")
            if why := shown.card.cuda_reason:
                said = Message("CUDA gives it no number ({why}).", why=why)
            return said, Message("When the lab has started, PyTorch says more.")
        if not hello.build.startswith("CUDA"):
            said = Message("This PyTorch is built for {build}.", build=hello.build)
            if hello.build == "CPU":
                said = Message("This PyTorch is a build for the processor only.")
            return said, self._advice()
        for each in filter(_stands_for_none, hello.devices):
            return each.reason, each.way_out
        if shown.instances:
            said = Message("It is split: CUDA uses its instances only, one at a time.")
            way_out = Message(
                "Set CUDA_VISIBLE_DEVICES to an instance's UUID, and start again."
            )
            return said, way_out
        if unsure:
            said = Message("It may be one of PyTorch's cards; this PyTorch does not say which.")
            return said, Message("A newer PyTorch does.")
        return Message("This PyTorch does not offer it."), _OTHER_PYTHON

    def _advice(self) -> Message:
        """Which PyTorch the cards here want."""
        hello = self.ledger.hello
        assert hello is not None  # before, nothing is known of a PyTorch
        kind, _, version = hello.build.partition(" ")
        build = TorchBuild(hello.torch, version if kind == "CUDA" else None)
        suited = suits(build, [each.card for each in self.cards], self.driver)
        if suited.install:
            return told(suited.do, Message("Or choose another Python of the lab."))
        return suited.do or _OTHER_PYTHON


def _label(device: Device) -> str:
    """A card's name stays as it is."""
    return tr(device.label) if isinstance(device.label, Message) else device.label


def _bytes(reading: Reading | None, metric: MetricId) -> int | None:
    value = None if reading is None else reading.values.get(metric)
    return None if value is None else round(value)


def _free(reading: Reading | None, total: int | None) -> int | None:
    """The driver keeps a part for itself, which is neither used nor free."""
    free, used = _bytes(reading, MEMORY_FREE), _bytes(reading, MEMORY_USED)
    return total - used if free is None and total and used is not None else free


def _others(total: int | None, free: int | None, ours: int) -> int | None:
    return None if total is None or free is None else max(0, total - free - ours)


# The card, and why there is none, or what is to be known about this one.
Meant = tuple[Shown | None, Message]


def matches(hello: Hello, cards: Sequence[Shown]) -> Mapping[str, Meant]:
    """For each device that is on a card, under its name; by the UUID.

    An older PyTorch reports none. Then a card can be meant only where it is the only one, or
    the only one that is called so.
    """
    offered = [each for each in hello.devices if each.name.partition(":")[0] in _ON_CARDS]
    nvidia = not hello.build.startswith("ROCm")
    return {
        each.name: _meant(each, offered, cards)
        if nvidia and each.name.startswith("cuda")
        else (None, _OTHER_MAKER)
        for each in offered
    }


def meant_cards(hello: Hello | None, cards: Sequence[Shown]) -> dict[str, CardId]:
    """As far as it is known which they are."""
    found = {} if hello is None else matches(hello, cards)
    return {name: card.card.id for name, (card, _) in found.items() if card}


def _meant(device: Device, offered: Sequence[Device], cards: Sequence[Shown]) -> Meant:
    if _stands_for_none(device):
        return None, NOTHING
    if device.uuid:
        for card in cards:
            for one in (card, *card.instances):
                if _bare(one.card.id) == _bare(device.uuid):
                    return _whole_or_instance(device, card) if one is card else (one, NOTHING)
        return None, _NOT_READ
    nameless = [each for each in offered if not each.uuid]
    called = [each for each in cards if each.card.name == device.label]
    twins = [each for each in nameless if each.label == device.label]
    for ours, theirs in ((cards, nameless), (called, twins)):
        if len(ours) == len(theirs) == 1:
            return _whole_or_instance(device, ours[0])
    if not called:
        return None, _NOT_READ
    return None, Message(
        "This PyTorch reports no UUID, and {cards} cards here are called {label}: it is not "
        "known which of them {name} is.",
        cards=len(called),
        label=device.label,
        name=device.name,
    )


def _stands_for_none(device: Device) -> bool:
    """A PyTorch without cards says why of a "cuda:0" that it has not."""
    return not device.usable and not device.uuid and device.capability is None


def _bare(uuid: str) -> str:
    """NVML says GPU- before it, PyTorch does not."""
    return uuid.lower().removeprefix("gpu-").removeprefix("mig-")


def _whole_or_instance(device: Device, shown: Shown) -> Meant:
    """PyTorch may name the card of the one instance that it was given."""
    if len(shown.instances) < 2:
        return (*shown.instances, shown)[0], NOTHING
    return shown, Message(
        "{name} is one of the {instances} instances of card {number}; PyTorch does not say "
        "which.",
        name=device.name,
        instances=len(shown.instances),
        number=shown.number,
    )


Devices = Mapping[str, BenchDevice]  # by PyTorch's names now, and by the cards' UUIDs


def chip_of(device: str, devices: Devices, card: str = "") -> Chip:
    """H for the host; the number of a card in its colour. The card it was then counts."""
    known = devices.get(card or device)
    if known is not None:
        return Chip(known.chip or device, known.colour)
    return Chip("H" if device == "cpu" else device.partition(":")[2] or device, None)


def named_cards(devices: Sequence[BenchDevice]) -> dict[str, CardId]:
    """By PyTorch's names."""
    return {each.name: each.card for each in devices if each.name and each.card is not None}


def lost_devices(
    machine: MachineState, devices: Callable[[], Sequence[BenchDevice]]
) -> tuple[str, ...]:
    """By PyTorch's names. `devices` is asked only where a card is lost."""
    readings = (machine.session.reading(each.card.id) for each in machine.cards())
    lost = {each.card for each in readings if each is not None and each.state in _LOST}
    if not lost:
        return ()
    return tuple(each.name for each in devices() if each.card in lost and each.name)


def lab_devices(
    machine: MachineState,
    ledger: Ledger,
    visible: Sequence[int] | None,
    done_at: float,
    worker: int | None,
) -> Sequence[BenchDevice]:
    """`worker`: its process, if there is one."""
    session, hello, cards = machine.session, ledger.hello, machine.cards()
    # Not where pids are those of another namespace.
    if hello is not None and not hello.simulated and not session.stream.elsewhere:
        meant = meant_cards(hello, cards)
        find_contexts(ledger, meant, session.process_book, worker, done_at)
    host, driver = (session.host.name, machine.host_reading()), session.source.driver_version
    return DeviceFacts(ledger, cards, session.reading, host, visible, done_at, driver).devices()


def find_contexts(
    ledger: Ledger,
    cards: Mapping[str, CardId],
    book: ProcessBook,
    worker: int | None,
    done_at: float,
) -> None:
    """By the driver's figure for the worker's process, where it was told since the last cell
    was done; `cards` by the names of devices.
    """
    if worker is None or ledger.unfinished:
        return
    held = {
        each.process.card: each.process.values.get(ProcessFigure.MEMORY)
        for each in book.living()
        if each.process.pid == worker and each.resolved
    }
    for device, memory in tuple(ledger.memory.items()):
        card = cards.get(device)
        told, whole = card and book.looked_at(card), card and held.get(card)
        if told and whole and told > done_at and memory.reserved_bytes is not None:
            context = max(0, round(whole) - memory.reserved_bytes)
            ledger.memory[device] = replace(memory, context_bytes=context)


def expected_contexts(session: Session, devices: Sequence[BenchDevice]) -> Mapping[str, int]:
    """By device, of those not used yet. Simulated cards tell it; real ones learn it from an
    equal card that was used.
    """
    unused = [each for each in devices if each.name and not each.context_bytes]
    if (backend := made_up(session.backend)) is not None:
        listed, modelled = session.cards(), backend.machine.spec.cards
        sizes = {
            each.id: context_bytes(modelled[each.index].model)
            for each in listed
            if each.index < len(modelled)
        }
        return {each.name: sizes[each.card] for each in unused if each.card in sizes}
    seen = {each.label: each.context_bytes for each in devices if each.context_bytes}
    return {each.name: seen[each.label] for each in unused if each.label in seen}
