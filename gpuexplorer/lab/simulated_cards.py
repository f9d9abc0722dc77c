"""Simulated cards: what a worker is told of them, and what they are told of what it does."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gpuexplorer.lab.cell_source import card_number
from gpuexplorer.lab.events import (
    Asked,
    Device,
    Event,
    Failed,
    Finished,
    Hello,
    Memory,
    Transferred,
    Watched,
)
from gpuexplorer.lab.wire import Command, Evaluate, Peek, Run
from gpuexplorer.simulation.computing import SINGLE_REACHED, TENSOR_REACHED
from gpuexplorer.simulation.copying import Way, way_between, way_to_host
from gpuexplorer.simulation.faults import Fault, FaultKind
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.models import MIB, CardModel, Wire
from gpuexplorer.simulation.occupied import Occupation
from gpuexplorer.simulation.specs import MachineSpec
from gpuexplorer.simulation.wiring import Wiring

HOST = -1
_CONTEXT_MIB = 118
_CONTEXT_MIB_OF_MULTIPROCESSOR = 3
# As "Dive into Deep Learning" shows it: 24 bytes take a card from 6 MiB to 925 MiB, of which
# 2 MiB are PyTorch's first block. PyTorch that loads kernels when needed takes less.
_CONTEXT_MIB_AS_SEEN = {"TitanRTX": 917}
# Of single precision, for cards made for computing and for all others.
_DOUBLE_OF_COMPUTING_CARDS = 1 / 2
_DOUBLE_OF_OTHERS = 1 / 64
_HALF_OF_OLDER_CARDS = 2.0


@dataclass(frozen=True)
class SimulatedCards:
    """For Start: plain dictionaries, since they travel to the worker as JSON."""

    cards: "tuple[Mapping[str, object], ...]"
    links: "tuple[Mapping[str, object], ...]"


@dataclass(frozen=True)
class Chosen:
    """Which cards the worker sees, in which order, and what others hold on them."""

    visible: "Sequence[int] | None" = None  # None: all of them
    elsewhere_bytes: "Mapping[int, int]" = field(default_factory=dict)
    wrong: "Sequence[tuple[int, int]]" = ()  # from which to which copies arrive wrong


def simulated_cards(spec: MachineSpec, chosen: "Chosen | None" = None) -> SimulatedCards:
    """The worker's cuda:0 is the first of the chosen; links are numbered likewise."""
    chosen = chosen or Chosen()
    wiring = Wiring(spec)
    visible = range(len(spec.cards)) if chosen.visible is None else chosen.visible
    cards = tuple(_card(spec, index, chosen) for index in visible)
    links = [
        {**_link(way_to_host(spec.cards[index].model)), "one": HOST, "other": number}
        for number, index in enumerate(visible)
    ]
    links += [
        {
            **_link(way_between(spec, wiring, index, other)),
            "one": number,
            "other": further,
            "wrong_to": _wrong_ends(chosen, (index, number), (other, further)),
        }
        for number, index in enumerate(visible)
        for further, other in enumerate(visible)
        if number < further
    ]
    return SimulatedCards(cards, tuple(links))


def present_cards(
    machine: Machine,
    faults: Sequence[Fault],
    elapsed: float,
    visible: "Sequence[int] | None" = None,
) -> SimulatedCards:
    """As the machine is after so many seconds: what others hold, and what arrives wrong."""
    spec = machine.spec
    held = {
        index: machine.reading(index, elapsed).memory_used + card.model.memory.reserved_bytes
        for index, card in enumerate(spec.cards)
    }
    wrong = [
        (each.card, each.to)
        for each in faults
        if each.kind is FaultKind.WRONG and each.start <= elapsed < each.end
        if each.card is not None and each.to is not None
    ]
    return simulated_cards(spec, Chosen(visible, held, wrong))


def _card(spec: MachineSpec, index: int, chosen: Chosen) -> "Mapping[str, object]":
    model = spec.cards[index].model
    single = model.speed.fp32 * SINGLE_REACHED
    tensor = model.speed.bf16
    double = _DOUBLE_OF_COMPUTING_CARDS if _computes(model) else _DOUBLE_OF_OTHERS
    return {
        "name": model.name,
        "uuid": f"SIM-{index}",
        "memory_bytes": model.memory.total_bytes,
        "context_bytes": context_bytes(model),
        "elsewhere_bytes": chosen.elsewhere_bytes.get(index, model.memory.reserved_bytes),
        "capability": list(model.compute_capability),
        "multiprocessors": model.multiprocessors,
        "flops": single,
        "half_flops": (
            _HALF_OF_OLDER_CARDS * single if tensor is None else tensor * TENSOR_REACHED
        ),
        "double_flops": double * single,
        "bytes_per_second": model.memory.bytes_per_second,
    }


def context_bytes(model: CardModel) -> int:
    """What a program pays on a card before its first tensor: more on larger chips."""
    estimated = _CONTEXT_MIB + _CONTEXT_MIB_OF_MULTIPROCESSOR * model.multiprocessors
    return _CONTEXT_MIB_AS_SEEN.get(model.key, estimated) * MIB


def _link(way: Way) -> "dict[str, object]":
    link: dict[str, object] = {
        "bytes_per_second": way.rate,
        "latency": way.latency,
        "peer": way.peer,
    }
    if way.pageable_rate is not None:
        link["pageable_bytes_per_second"] = way.pageable_rate
    return link


def _wrong_ends(
    chosen: Chosen, one: "tuple[int, int]", other: "tuple[int, int]"
) -> "list[int]":
    """By the worker's numbers; each of the two has the machine's and the worker's."""
    ways = ((one, other), (other, one))
    return [end[1] for begin, end in ways if (begin[0], end[0]) in chosen.wrong]


def _computes(model: CardModel) -> bool:
    """V100, A100, H100 and their kin, which have as many wires for doubles as that takes."""
    return model.wires.nvlink is Wire.SWITCH


@dataclass(frozen=True)
class Expected:
    """Modelled, as everything simulated cards tell of time."""

    seconds: float
    way: str  # "NVLink", "PCIe"


def expected_copy(
    spec: MachineSpec,
    visible: "Sequence[int] | None",
    source: str,
    target: str,
    size: int,
) -> "Expected | None":
    """By PyTorch's names of the devices; None where the model knows no way between them."""
    ends = sorted((_number(source), _number(target)), key=lambda each: each or 0)
    if None in ends or ends[0] == ends[1]:
        return None
    for link in simulated_cards(spec, Chosen(visible)).links:
        if sorted((link["one"], link["other"])) == ends:  # type: ignore[type-var]  # numbers
            rate = link.get("pageable_bytes_per_second", link["bytes_per_second"])
            latency = link["latency"]
            assert isinstance(rate, float)
            assert isinstance(latency, float)
            return Expected(latency + size / rate, _way(spec, visible, ends))
    return None


def _number(device: str) -> "int | None":
    """The worker's number of a card, or the host's."""
    return HOST if device == "cpu" else card_number(device)


def _way(
    spec: MachineSpec, visible: "Sequence[int] | None", ends: "Sequence[int | None]"
) -> str:
    if HOST in ends:
        return "PCIe"
    cards = range(len(spec.cards)) if visible is None else visible
    one, other = (cards[each] for each in ends if each is not None)
    return "NVLink" if Wiring(spec).nvlinks_between(one, other) else "PCIe"


# As a driver counts: the share of its last sampling period in which a kernel ran.
_PERIOD = 0.25
# As the counter of a wire is read: what went over it, until it is read the next time.
_READ_EVERY = 2.0
# A program says what was seen of it about every half second; until it says it again, or seems
# to be at rest, its cards are at work as they were.
_SAID_AGAIN = 0.75


class Load:
    """`machine` is asked each time, since another may begin anew; `elapsed` tells the seconds
    that it counts in. For one thread.

    `live`: what runs is a program, which says while it runs what it did so far. A cell says it
    when it is over.
    """

    def __init__(
        self,
        machine: Callable[[], Machine],
        elapsed: Callable[[], float],
        *,
        live: bool = False,
    ) -> None:
        self._machine = machine
        self._told: Machine | None = None  # what is held of it
        self._elapsed = elapsed
        self._indices: dict[str, int] = {}
        self._held: dict[int, int] = {}
        # Bytes over each card's wires, by the field of an Occupation; of what runs now.
        self._moved: dict[int, Counter[str]] = defaultdict(Counter)
        self._program = _Program() if live else None

    def apply(self, event: Event) -> None:
        match event:
            case Hello(devices=devices):
                self._know(devices)
            case Transferred():
                self._move(event)
            case Watched() if self._program is not None:
                self._know(event.devices)
                self._hold(event.memory)
                self._go_on(event, self._program)
            case Finished():
                self._hold(event.memory)
                if self._program is None:
                    self._occupy(event)
                self._tell_moved()
            case Asked():
                self._hold(event.memory)
            case Failed():
                self._tell_moved()
            case _:
                pass

    def told(self, command: Command, lost: "tuple[str, ...]") -> Command:
        """With what its cards cannot know by themselves. `lost`: by PyTorch's names."""
        match command:
            case Run():
                return replace(command, others=self.others(), lost=lost)
            case Peek() | Evaluate():
                return replace(command, lost=lost)
            case _:
                return command

    def others(self) -> "tuple[tuple[str, int], ...]":
        """What the cards' own programs hold now, by PyTorch's names of the cards."""
        now, machine = self._elapsed(), self._now_told()
        cards = machine.spec.cards
        return tuple(
            (
                name,
                machine.reading(index, now).memory_used
                + cards[index].model.memory.reserved_bytes
                - self._held.get(index, 0),
            )
            for name, index in self._indices.items()
        )

    def released(self) -> None:
        """The worker is gone: its memory with it."""
        machine = self._now_told()
        for index, held in self._held.items():
            if held:
                machine.hold(index, self._elapsed(), -held)
        self._held.clear()
        self._moved.clear()
        if self._program is not None:
            self._program = _Program()  # another counts from its own beginning

    def _now_told(self) -> Machine:
        """One that began anew knows of nothing that is held."""
        machine = self._machine()
        if machine is not self._told:
            self._told = machine
            self._held.clear()
        return machine

    def _know(self, devices: "Sequence[Device]") -> None:
        self._indices.update(
            (each.name, int(each.uuid.removeprefix("SIM-")))
            for each in devices
            if each.uuid.startswith("SIM-")
        )

    def _hold(self, memory: "Sequence[Memory]") -> None:
        machine = self._now_told()
        for each in memory:
            index = self._indices.get(each.device)
            if index is None:
                continue
            held = (each.reserved_bytes or 0) + (each.context_bytes or 0)
            more = held - self._held.get(index, 0)
            if more:
                machine.hold(index, self._elapsed(), more)
                self._held[index] = held

    def _occupy(self, finished: Finished) -> None:
        now = self._elapsed()
        for device, seconds in finished.busy:
            index = self._indices.get(device)
            if index is None or seconds <= 0:
                continue
            length = max(seconds, _PERIOD)
            self._machine().occupy(index, Occupation(now, now + length, seconds / length))

    def _go_on(self, watched: Watched, program: "_Program") -> None:
        """The cards work as they did on the program's own axis since this was last said."""
        now = self._elapsed()
        seconds, busy, copies = program.since(watched)
        if seconds <= 0:
            return
        for copy in copies:
            self._move(copy)
        moved, self._moved = self._moved, defaultdict(Counter)
        begin = max(now, program.until)
        program.until = now + _SAID_AGAIN
        for device, index in self._indices.items():
            share = min(1.0, busy.get(device, 0.0) / seconds)
            if begin < program.until and (share or index in moved):
                rates = _rates(moved[index], seconds)
                self._machine().occupy(index, Occupation(begin, program.until, share, **rates))

    def _move(self, event: Transferred) -> None:
        if event.already_there:
            return
        source, target = (self._indices.get(each) for each in (event.source, event.target))
        linked = (
            source is not None
            and target is not None
            and target in self._machine().wiring.peers(source)
            and event.direct is not False
        )
        wire = "nvlink" if linked else "pcie"
        if source is not None:
            self._moved[source][f"{wire}_transmit"] += event.bytes
        if target is not None:
            self._moved[target][f"{wire}_receive"] += event.bytes

    def _tell_moved(self) -> None:
        """Once for each cell: a loop of thousands of copies is one stretch of traffic."""
        now = self._elapsed()
        for index, moved in self._moved.items():
            rates = _rates(moved, _READ_EVERY)
            self._machine().occupy(index, Occupation(now, now + _READ_EVERY, 0.0, **rates))
        self._moved.clear()


class _Program:
    """What was seen of the program that runs, as it was last said."""

    def __init__(self) -> None:
        self.until = 0.0  # so long its cards are at work as they were
        self._seconds = 0.0
        self._busy: dict[str, float] = {}
        self._bytes: dict[int, int] = {}  # by row

    def since(
        self, watched: Watched
    ) -> "tuple[float, Mapping[str, float], Sequence[Transferred]]":
        """Seconds on its own axis, seconds of work by device, and what was copied in them."""
        seconds = watched.seen_seconds - self._seconds
        busy = {name: all_of_it - self._busy.get(name, 0.0) for name, all_of_it in watched.busy}
        copies = [
            replace(each, bytes=each.bytes - self._bytes.get(each.row, 0))
            for each in watched.copies
        ]
        self._seconds = watched.seen_seconds
        self._busy.update(watched.busy)
        self._bytes.update((each.row, each.bytes) for each in watched.copies)
        return seconds, busy, copies


def _rates(moved: "Counter[str]", seconds: float) -> "dict[str, float]":
    """As the bytes went in so many seconds."""
    return {wire: count / seconds for wire, count in moved.items()}
