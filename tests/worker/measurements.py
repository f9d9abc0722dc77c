"""Copies and products, measured on cards that are not there or on real ones. Needs torch."""

import contextlib
import statistics
import weakref
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest
import torch

from gpuexplorer.lab.events import Event, Measured, Multiplied, Sampled
from gpuexplorer.lab.wire import Measure, Multiply
from gpuexplorer.worker.engines.measuring.measure import PRODUCT, measure
from gpuexplorer.worker.engines.measuring.products import multiply
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards

CYCLES_PER_SECOND = 1.5e9
PRODUCT_SECONDS = 1e-4
_QUEUE = 1024
T = TypeVar("T")


class _Room(bytearray):
    """Memory that can be seen to go."""


@dataclass(eq=False)
class FakeStream:
    """A queue: when the last thing in it will be done."""

    cards: "FakeCards"
    card: str
    ready: float = 0.0
    waiting: list[float] = field(default_factory=list)

    def wait_event(self, event: "FakeEvent") -> None:
        self.ready = max(self.ready, event.at)

    def take(self, seconds: float, not_before: float = 0.0) -> float:
        """Until when it will be busy with that. A full queue keeps the host waiting."""
        self.waiting = [end for end in self.waiting if end > self.cards.clock]
        if len(self.waiting) >= _QUEUE:
            self.cards.clock = max(self.cards.clock, self.waiting[0])
        before = self.cards.busy.get(self.card, 0.0) if self.cards.one_at_a_time else 0.0
        self.ready = max(self.ready, self.cards.clock, not_before, before) + seconds
        self.cards.busy[self.card] = self.ready
        self.waiting.append(self.ready)
        return self.ready


@dataclass(eq=False)
class FakeEvent:
    """A mark in a queue."""

    cards: "FakeCards"
    at: float = 0.0
    card: str = ""

    def record(self, stream: FakeStream) -> None:
        self.at, self.card = max(stream.ready, self.cards.clock), stream.card
        self.cards.log.append(("mark", stream, None))

    def query(self) -> bool:
        return self.cards.clock >= self.at

    def synchronize(self) -> None:
        self.cards.clock = max(self.cards.clock, self.at)

    def elapsed_time(self, other: "FakeEvent") -> float:
        assert self.card == other.card, "queues of two cards share no clock"
        return (other.at - self.at) * 1000


# Any: tensors are PyTorch's, of the processor, and known by where their memory begins.
class FakeCards(TorchCards):
    """`rate` in bytes per second; `asking`: what putting a copy into a queue takes the host."""

    def __init__(self, count: int = 2, *, asking: float = 5e-6, peers: bool = True) -> None:
        self.clock = 0.0
        self.rate = 10e9
        self.latency = 1e-6
        self.asking = asking
        self.one_at_a_time = False  # whatever queue of a card it is in
        self.busy: dict[str, float] = {}
        self.product_seconds = PRODUCT_SECONDS
        self.peers = peers
        self.holds_host = not peers  # while the driver takes bytes from card to card
        self.free = 8 << 30
        self.cache: int | None = None
        self.log: list[tuple[str, Any, Any]] = []
        self.taken: list[tuple[str, int, bool]] = []
        self.processors = frozenset(range(8))  # on which this process runs now
        self.taken_on: list[tuple[str, frozenset[int]]] = []
        self.asked_on: set[frozenset[int]] = set()  # for copies that nobody waits for
        self.held_when_given_back: list[int] = []
        # Called with target, its device, the source's device, after each copy.
        self.spoil: Callable[[Any, str, str], None] = lambda *_: None
        self.refuse: Callable[[str, int, bool], None] = lambda *_: None
        self.kernels = True
        self.broken = False  # whoever waits for a card is told so
        self.capabilities: dict[str, tuple[int, int]] = {}  # 9.0 where nothing else is said
        self.tf32_is_on: bool | None = None  # None: nobody has touched the switch
        self.waits = False  # whether the host waits for the copy that is being made
        self.synchronized: list[tuple[str, ...]] = []
        self._names = ("cpu", *(f"cuda:{index}" for index in range(count)))
        self._live: dict[int, int] = {}
        self._where: dict[int, tuple[str, bool]] = {}
        self._current = {name: FakeStream(self, name) for name in self._names[1:]}
        self._defaults = dict(self._current)
        self._streams = list(self._current.values())
        self._card = "cuda:0"

    def is_default(self, stream: FakeStream) -> bool:
        return stream is self._defaults[stream.card]

    def now(self) -> float:
        self.clock += 1e-7
        return self.clock

    def free_bytes(self, device: str) -> int:
        return self.free

    def cache_bytes(self, device: str) -> int | None:
        return None if device == "cpu" else self.cache

    def are_peers(self, source: str, target: str) -> bool:
        return self.peers

    def capability(self, device: str) -> tuple[int, int] | None:
        return None if device == "cpu" else self.capabilities.get(device, (9, 0))

    @contextlib.contextmanager
    def tf32(self, *, on: bool) -> Iterator[None]:
        before, self.tf32_is_on = self.tf32_is_on, on
        try:
            yield
        finally:
            self.tf32_is_on = before

    @contextlib.contextmanager
    def on_processors(self, numbers: Set[int]) -> Iterator[bool]:
        before, allowed = self.processors, self.processors & numbers
        self.processors = allowed or before
        try:
            yield bool(allowed)
        finally:
            self.processors = before

    def at_once(self, tasks: Sequence[Callable[[], T]]) -> list[T]:
        """Threads have clocks of their own."""
        began, ends, found = self.clock, [], []
        for task in tasks:
            self.clock = began
            found.append(task())
            ends.append(self.clock)
        self.clock = max(ends)
        return found

    def empty(self, device: str, size: int, *, pinned: bool = False) -> Any:
        self.taken.append((device, size, pinned))
        self.taken_on.append((device, self.processors))
        self.refuse(device, size, pinned)
        room = _Room(size)
        tensor = torch.frombuffer(room, dtype=torch.uint8)
        place = tensor.data_ptr()
        self._live[id(room)] = size
        self._where[place] = (device, pinned)
        weakref.finalize(room, self._gone, id(room), place)
        return tensor

    def stream(self, device: str) -> FakeStream:
        stream = FakeStream(self, device)
        self._streams.append(stream)
        return stream

    def event(self) -> FakeEvent:
        return FakeEvent(self)

    @contextlib.contextmanager
    def on(self, *streams: FakeStream) -> Iterator[None]:
        before, card = dict(self._current), self._card
        for stream in streams:
            self._current[stream.card] = stream
            self._card = stream.card
        try:
            yield
        finally:
            self._current, self._card = before, card

    def sleep(self, cycles: int) -> None:
        if not self.kernels:
            raise RuntimeError("CUDA error: no kernel image is available for execution")
        stream = self._current[self._card]
        stream.take(cycles / CYCLES_PER_SECOND)
        self.log.append(("sleep", stream, cycles))

    def copy(self, target: Any, source: Any, *, wait: bool) -> None:
        """Between cards on the source's queue, and the target's current queue waits too."""
        (to, to_pinned), (come_from, from_pinned) = self._place(target), self._place(source)
        target.copy_(source)
        self.waits = wait
        if not wait:
            self.asked_on.add(self.processors)
        self.spoil(target, to, come_from)
        self.clock += self.asking
        seconds = self.latency + target.nbytes / self.rate
        cards = [each for each in (come_from, to) if each != "cpu"]
        if not cards:
            self.clock += seconds
            return
        stream = self._current[cards[0]]
        others = [self._current[each] for each in cards[1:]]
        end = stream.take(seconds, max((each.ready for each in others), default=0.0))
        for each in others:
            each.ready = max(each.ready, end)
        self.log.append(("copy", stream, others))
        pageable = len(cards) == 1 and not (to_pinned or from_pinned)
        if wait or pageable or (others and self.holds_host):
            self.clock = max(self.clock, end)

    def multiply(self, out: Any, left: Any, right: Any) -> None:
        self.clock += self.asking
        stream = self._current[self._place(out)[0]]
        stream.take(self.product_seconds * len(out) / PRODUCT)
        self.log.append(("product", stream, None))

    def synchronize(self, *devices: str) -> None:
        self.synchronized.append(devices)
        if self.broken:
            raise RuntimeError("CUDA error: unspecified launch failure")
        for stream in self._streams:
            if stream.card in devices:
                self.clock = max(self.clock, stream.ready)

    def give_back(self) -> None:
        self.held_when_given_back.append(sum(self._live.values()))

    def _place(self, tensor: Any) -> tuple[str, bool]:
        return self._where.get(tensor.untyped_storage().data_ptr(), ("cpu", False))

    def _gone(self, room: int, place: int) -> None:
        del self._live[room]
        self._where.pop(place, None)


SIZE = 1 << 20
ROWS = 64


# Any: tensors are PyTorch's.
class MultiplyingCards(FakeCards):
    """Products are computed in truth, and take the card as long as it is told."""

    def __init__(self) -> None:
        super().__init__(1)
        self.product_seconds = 2e-3
        self.switches: list[bool | None] = []
        self.spoil_product: Callable[[Any], None] = lambda _product: None

    def multiply(self, out: Any, left: Any, right: Any) -> None:
        torch.mm(left, right, out=out)
        self.switches.append(self.tf32_is_on)
        self.clock += self.asking
        self._current[self._place(out)[0]].take(self.product_seconds)
        self.spoil_product(out)


def asked_for(source: str = "cpu", target: str = "cuda:0", **changes: object) -> Measure:
    wanted: dict[str, object] = {"bytes": SIZE, "samples": 3, **changes}
    if "cpu" in (source, target) and source != target:
        wanted = {"pinned": True, **wanted}
    return Measure(1, source, target, **wanted)  # type: ignore[arg-type]  # a test's own


def said_by(
    cards: TorchCards,
    command: Measure | Multiply,
    checkpoint: Callable[[], None] = lambda: None,
) -> list[Event]:
    said: list[Event] = []
    if isinstance(command, Measure):
        measure(command, cards, said.append, checkpoint)
    else:
        multiply(command, cards, said.append, checkpoint)
    return said


def measured_on(
    cards: TorchCards, source: str = "cpu", target: str = "cuda:0", **changes: object
) -> Measured:
    """All that was said before is the progress."""
    *progress, last = said_by(cards, asked_for(source, target, **changes))
    assert all(isinstance(each, Sampled) for each in progress)
    assert isinstance(last, Measured)
    return last


def multiplied_on(
    cards: TorchCards, device: str = "cuda:0", kind: str = "fp32", **changes: Any
) -> Multiplied:
    wanted = {"size": ROWS, "samples": 3, "seconds": 0.0, **changes}
    first, *_, last = said_by(cards, Multiply(1, device, kind, **wanted))
    assert first == Sampled(1, 0, wanted["samples"])  # it has warmed up
    assert isinstance(last, Multiplied)
    return last


def skip_without_cards(count: int) -> None:
    """The first ones: a card may be there that this PyTorch has no kernels for."""
    here = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if here < count:
        pytest.skip("one card only" if here else "no card that PyTorch can use")
    for index in range(count):
        try:
            torch.zeros(1, device=f"cuda:{index}").add_(1)
        except RuntimeError as error:
            pytest.skip(f"cuda:{index} cannot be used: {str(error).splitlines()[0]}")


def usual(measured: Measured) -> float:
    return statistics.median(measured.samples_s)


def rate_of(measured: Measured, size: int) -> float:
    """Bytes per second."""
    return size / usual(measured)


def cache_bytes() -> int:
    """What the first card keeps of its memory in its L2; 0 where PyTorch does not say."""
    return int(getattr(_properties(), "L2_cache_size", 0))


def beyond_caches(least: int) -> int:
    """Bytes of which no more than a few could still be in the cache when they are read."""
    size = least
    while size < 8 * cache_bytes():
        size *= 2
    return size


def memory_rate() -> float:
    """Bytes per second, read and written, as the card itself tells it, where it does."""
    kilohertz = getattr(_properties(), "memory_clock_rate", 0)
    bits = getattr(_properties(), "memory_bus_width", 0)
    return 2 * kilohertz * 1e3 * bits / 8 or float("inf")


def _properties() -> Any:  # PyTorch's own
    return torch.cuda.get_device_properties(0)
