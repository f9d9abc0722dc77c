"""Simulated cards: what a worker is told of them, and what they are told of what it does."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

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
from gpuexplorer.lab.ledger import merged
from gpuexplorer.lab.wire import Command, Evaluate, Peek, Run
from gpuexplorer.simulation import reached
from gpuexplorer.simulation.course import Occupation
from gpuexplorer.simulation.faults import Fault, FaultKind
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.models import MIB, CardModel, Wire

HOST = -1
_CONTEXT_MIB = 118
_CONTEXT_MIB_OF_MULTIPROCESSOR = 3
# As "Dive into Deep Learning" shows it: 24 bytes take a card from 6 MiB to 925 MiB, of which
# 2 MiB are PyTorch's first block. PyTorch that loads kernels when needed takes less.
_CONTEXT_MIB_AS_SEEN = {"TitanRTX": 917}
# For so long a cell's work is shown: the counter of a wire is read as seldom.
_READ_EVERY = 2.0
# A program says what was seen of it about every half second; until it says it again, or seems
# to be at rest, its cards are at work as they were.
_SAID_AGAIN = 0.75
_NOTHING_SEEN = Watched(0, 0.0, 0.0)

Facts = Mapping[str, object]  # travels to the worker as JSON


def simulated_cards(
    machine: Machine,
    faults: "Sequence[Fault]" = (),
    elapsed: float = 0.0,
    visible: "Sequence[int] | None" = None,
) -> "tuple[list[Facts], list[Facts]]":
    """The cards and links for Start, as the machine is after so many seconds: what others hold,
    and what arrives wrong. The worker's cuda:0 is the first of the visible; links are numbered
    likewise.
    """
    spec = machine.spec
    shown = list(enumerate(range(len(spec.cards)) if visible is None else visible))
    wrong = {
        (each.card, each.to)
        for each in faults
        if each.kind is FaultKind.WRONG and each.start <= elapsed < each.end
    }
    links = [
        _link(HOST, number, reached.way_to_host(spec.cards[at].model)) for number, at in shown
    ]
    for (number, index), (further, other) in combinations(shown, 2):
        ways = ((index, other, further), (other, index, number))
        arrive_wrong = [end for begin, to, end in ways if (begin, to) in wrong]
        way = reached.way_between(spec, index, other)
        links.append({**_link(number, further, way), "wrong_to": arrive_wrong})
    return [_card(machine, index, elapsed) for _, index in shown], links


def _card(machine: Machine, index: int, elapsed: float) -> Facts:
    model = machine.spec.cards[index].model
    held = int(machine.reading(index, elapsed)["memory_used"])
    single, tensor = model.fp32 * reached.SINGLE_REACHED, model.bf16
    # V100, A100, H100 and their kin have wires enough for doubles at half the speed.
    doubles = 2 if model.wire is Wire.SWITCH else 64
    return {
        "name": model.name,
        "uuid": f"SIM-{index}",
        "memory_bytes": model.memory_bytes,
        "context_bytes": context_bytes(model),
        "elsewhere_bytes": model.reserved_bytes + held,
        "capability": list(model.compute_capability),
        "multiprocessors": model.multiprocessors,
        "flops": single,
        "half_flops": 2 * single if tensor is None else tensor * reached.TENSOR_REACHED,
        "double_flops": single / doubles,
        "bytes_per_second": model.memory_rate,
    }


def _link(one: int, other: int, way: reached.Way) -> Facts:
    return {
        "one": one,
        "other": other,
        "latency": way.latency,
        "peer": way.peer,
        "bytes_per_second": way.rate,
        "pageable_bytes_per_second": way.pageable_rate,
    }


def context_bytes(model: CardModel) -> int:
    """What a program pays on a card before its first tensor: more on larger chips."""
    estimated = _CONTEXT_MIB + _CONTEXT_MIB_OF_MULTIPROCESSOR * model.multiprocessors
    return _CONTEXT_MIB_AS_SEEN.get(model.key, estimated) * MIB


class Load:
    """Tells simulated cards what the lab does to them, so that the plots answer. `machine` is
    asked each time, since another may begin anew; `elapsed` tells the seconds that it counts
    in. For one thread. `live`: what runs is a program, which says while it runs what it did so
    far. A cell says it when it is over.
    """

    def __init__(
        self,
        machine: Callable[[], Machine],
        elapsed: Callable[[], float],
        *,
        live: bool = False,
    ) -> None:
        self._machine, self._elapsed, self._live = machine, elapsed, live
        self._told: Machine | None = None  # what is held of it
        self._indices: dict[str, int] = {}
        self._held: dict[int, int] = {}
        # Bytes of what runs now, by card and the wire's field of an Occupation.
        self._moved: Counter[tuple[int, str]] = Counter()
        self._seen = _NOTHING_SEEN  # of the program that runs
        self._until = 0.0  # so long its cards are at work as they were

    def apply(self, event: Event) -> None:
        now = self._elapsed()
        match event:
            case Hello(devices=devices):
                self._indices.clear()
                self._know(devices)
            case Transferred():
                self._move(event)
            case Asked():
                self._hold(event.memory)
            case Watched() if self._live:
                self._know(event.devices)
                self._hold(event.memory)
                self._go_on(event, now)
            case Finished() | Failed():
                self._hold(event.memory)
                busy = dict(event.busy) if isinstance(event, Finished) else {}
                seconds = max(_READ_EVERY, *busy.values(), 0.0)
                self._work(now, now + seconds, seconds, {} if self._live else busy)

    def told(self, command: Command, lost: "tuple[str, ...]") -> Command:
        """With what its cards cannot know by themselves: what their own programs hold now, and
        which are `lost`, by PyTorch's names of the cards.
        """
        if isinstance(command, Peek | Evaluate):
            return replace(command, lost=lost)
        if not isinstance(command, Run):
            return command
        now, machine = self._elapsed(), self._now_told()
        others = {
            name: int(machine.reading(index, now)["memory_used"])
            + machine.spec.cards[index].model.reserved_bytes
            - self._held.get(index, 0)
            for name, index in self._indices.items()
        }
        return replace(command, others=tuple(others.items()), lost=lost)

    def released(self) -> None:
        """The worker is gone: its memory with it. Another counts from its own beginning."""
        machine = self._now_told()
        for index, held in self._held.items():
            machine.hold(index, self._elapsed(), -held)
        self._held.clear()
        self._moved.clear()
        self._seen, self._until = _NOTHING_SEEN, 0.0

    def _now_told(self) -> Machine:
        """One that began anew knows of nothing that is held."""
        before, self._told = self._told, self._machine()
        if self._told is not before:
            self._held.clear()
        return self._told

    def _know(self, devices: "Sequence[Device]") -> None:
        for each in devices:
            if each.uuid.startswith("SIM-"):
                self._indices[each.name] = int(each.uuid.removeprefix("SIM-"))

    def _hold(self, memory: "Sequence[Memory]") -> None:
        machine = self._now_told()
        for each in memory:
            index = self._indices.get(each.device)
            held = (each.reserved_bytes or 0) + (each.context_bytes or 0)
            if index is not None and held != self._held.get(index, 0):
                machine.hold(index, self._elapsed(), held - self._held.get(index, 0))
                self._held[index] = held

    def _go_on(self, watched: Watched, now: float) -> None:
        """The cards work as they did on the program's own axis since this was last said."""
        before, self._seen = self._seen, merged(self._seen, watched)
        seconds = watched.seen_seconds - before.seen_seconds
        if seconds <= 0:
            return
        sent = {each.row: each.bytes for each in before.copies}
        for copy in watched.copies:
            self._move(replace(copy, bytes=copy.bytes - sent.get(copy.row, 0)))
        worked = dict(before.busy)
        busy = {device: each - worked.get(device, 0.0) for device, each in watched.busy}
        begin, self._until = max(now, self._until), now + _SAID_AGAIN
        self._work(begin, self._until, seconds, busy)

    def _work(
        self, begin: float, end: float, seconds: float, busy: "Mapping[str, float]"
    ) -> None:
        """What was done in so many of the lab's seconds is shown from `begin` to `end`."""
        moved, self._moved = self._moved, Counter()
        for device, index in self._indices.items():
            share = min(1.0, busy.get(device, 0.0) / seconds)
            rates = {wire: moved[at, wire] / seconds for at, wire in moved if at == index}
            if begin < end and (share or rates):
                self._machine().occupy(index, Occupation(begin, end, share, **rates))

    def _move(self, event: Transferred) -> None:
        source, target = map(self._indices.get, (event.source, event.target))
        wire = "pcie"
        if source is not None and target is not None and event.direct is not False:
            wire = "nvlink" if target in self._machine().spec.peers(source) else "pcie"
        for end, way in ((source, "transmit"), (target, "receive")):
            if end is not None and not event.already_there:
                self._moved[end, f"{wire}_{way}"] += event.bytes
