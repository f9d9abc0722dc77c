"""WorkerBench: measures on the devices of this computer, in a process of its own; and which
card each of these devices is.
"""

import math
import queue
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from gpuexplorer.copies.datasheet.products import ProductResult
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.copies.measuring import STOPPED, OnSampled
from gpuexplorer.copies.result import SAMPLES, Busy, CopyResult
from gpuexplorer.copies.routes import Routes, Values
from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import Card, CardId, CardKind
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark, told
from gpuexplorer.lab.events import (
    BROKEN,
    Device,
    Event,
    Failed,
    Finished,
    Hello,
    Measured,
    Multiplied,
    Sampled,
)
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import CopyJob, Measure, Multiply, ProductJob
from gpuexplorer.lab.worker_process import WorkerProcess
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.topology import Topology

MOST_SHARE = 0.125  # of the free memory of each side
_PATIENCE = 0.5  # with what runs, when it was told to stop
_RESTED = 2.0  # seconds after which our own work no longer shows in a card's readings
_BUSY = 0.1
_LOADED = 4.0  # seconds in which a card's power is read; nobody tells the processor's
_LOADS = 1 << 20  # bytes of a copy that keep a link awake
_LANES = (
    *(m.PCIE_GENERATION, m.PCIE_WIDTH, m.PCIE_WIDTH_MAX),
    *(m.PCIE_WIDTH_SLOT, m.PCIE_GENERATION_MAX),
)
_ANOTHER = Message("A new worker measures what comes after it.")

_Said = Event | Message | None  # by the process, why it ended, or that it is to stop


class WorkerBench:
    """Its process is started by the first job; `close` ends it, which gives all memory back.

    `routes_for` is asked once for each process, with the devices it offers. `busy` tells how
    busy each device is, from 0 to 1; it is asked while nothing of ours runs. `under_load` reads
    the links of devices while they copy, until each has told. Stop what runs before closing.
    """

    modelled = False

    def __init__(
        self,
        start: Start,
        routes_for: Callable[[Sequence[Device]], Routes | None] = lambda _devices: None,
        busy: Callable[[], Mapping[str, float]] = dict,
        under_load: Callable[[Sequence[str]], Values] = lambda _devices: {},
        clock: Clock | None = None,
    ) -> None:
        self._start, self._clock = start, clock or SystemClock()
        self._routes_for, self._busy, self._under_load = routes_for, busy, under_load
        self._said: queue.SimpleQueue[_Said] = queue.SimpleQueue()
        self._process: WorkerProcess | None = None
        self._hello: Hello | None = None
        self._routes: Routes | None = None
        self._looked_at: set[str] = set()  # while they copied
        self._number = 0
        self._busy_seen: Mapping[str, float] = {}
        self._quiet_since = -math.inf

    def greet(self) -> Hello:
        """Start the process where there is none; what it offers. Raises Trouble."""
        if (hello := self._greeted()) is None:
            raise Trouble(STOPPED)
        return hello

    def measure(self, job: CopyJob, on_sampled: OnSampled) -> CopyResult:
        def sampled(taken: int, samples: int) -> None:
            on_sampled(taken, samples)
            new = {job.source, job.target} - self._looked_at - {HOST}
            if taken == 1 and self._routes and new and not job.local and job.bytes >= _LOADS:
                # One that is left alone to rest tells nothing, and is asked again next time.
                self._looked_at |= self._routes.see_under_load(self._under_load(sorted(new)))

        def command(number: int) -> Measure:
            near = dict[str, str]()
            if self._routes is not None:
                near = {e: self._routes.processors_near(e) for e in chain(*job.ways)}
            told = tuple(each for each in near.items() if each[1])
            return Measure(
                number, **vars(job), samples=SAMPLES, most_share=MOST_SHARE, near=told
            )

        told = self._told((job.source, job.target), command, sampled)
        route = None if self._routes is None else self._routes.of_job(job)
        measured = told.answer if isinstance(told.answer, Measured) else None
        return CopyResult(job, measured, route, told.failure, told.hint, told.busy)

    def measure_product(self, job: ProductJob, on_sampled: OnSampled) -> ProductResult:
        warmed: list[float] = []

        def sampled(taken: int, samples: int) -> None:
            warmed.append(self._clock.now())
            on_sampled(taken, samples)

        def command(number: int) -> Multiply:
            seconds = 0.0 if job.device == HOST else _LOADED
            return Multiply(number, **vars(job), samples=SAMPLES, seconds=seconds)

        told = self._told((job.device,), command, sampled)
        if not isinstance(told.answer, Multiplied):
            return ProductResult(job, None, failure=told.failure, hint=told.hint)
        loaded = (warmed[0] - told.answer.loaded_s, warmed[0]) if warmed else None
        return ProductResult(job, told.answer, loaded, busy=told.busy)

    def stop(self) -> None:
        self._said.put(None)

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.stop()

    def _told(
        self,
        devices: Sequence[str],
        command: Callable[[int], Measure | Multiply],
        on_sampled: OnSampled,
    ) -> "_Told":
        """Raises Trouble where the process cannot be started."""
        while not self._said.empty():  # it was to stop what ran before
            self._said.get()
        if self._clock.now() - self._quiet_since > _RESTED:
            self._busy_seen = self._busy()
        self._number += 1
        told = None
        if self._greeted() is not None:
            told = self._carried_out(command(self._number), on_sampled)
        self._quiet_since = self._clock.now()
        if told is None:
            self._give_up()
            return _Told(failure=STOPPED)
        seconds = [] if told.answer is None else [told.answer.samples_s]
        if isinstance(told.answer, Measured):
            seconds += told.answer.back_samples_s, *told.answer.beside_samples_s
        if wrong := [each for each in chain(*seconds) if not 0 < each < math.inf]:
            why = Message(
                "The clock of the device says that this took {seconds} s, which cannot be. "
                "Measure it again.",
                seconds=wrong[0],
            )
            return _Told(failure=why)
        shares = {each: self._busy_seen.get(each, 0.0) for each in devices}
        busy = (Busy(*each) for each in shares.items() if told.answer and each[1] >= _BUSY)
        return told._replace(busy=tuple(busy))

    def _greeted(self) -> Hello | None:
        """None: it was stopped."""
        if self._process is not None and self._hello is not None and self._process.running:
            return self._hello
        self._give_up()
        # Of each process its own: one that was killed may still say so.
        said = self._said = queue.SimpleQueue()
        self._process = WorkerProcess(self._start, said.put, said.put)
        while True:
            match said.get():
                case Hello() as hello:
                    self._hello, self._looked_at = hello, set()
                    self._routes = self._routes_for(hello.devices)
                    return hello
                case Message() as why:
                    self._process = None
                    raise Trouble(
                        "PyTorch could not be started to measure copies. {why}",
                        "`{doctor}` says which Python has PyTorch.",
                        why=why,
                        doctor=self._start.doctor,
                    )
                case None:
                    return None

    def _carried_out(
        self, command: Measure | Multiply, on_sampled: OnSampled
    ) -> "_Told | None":
        """None: it was stopped, and did not heed."""
        process = self._process
        assert process is not None
        process.send(command)
        answer: Measured | Multiplied | None = None
        until: float | None = None  # it was told to stop
        while True:
            wait = None if until is None else max(0.0, until - self._clock.now())
            try:
                said = self._said.get(timeout=wait)
            except queue.Empty:
                return None
            match said:
                case None if until is None:
                    process.cancel(command.id)
                    until = self._clock.now() + _PATIENCE
                case Message() as why:
                    self._process = None
                    return _Told(failure=why, hint=_ANOTHER)
                case Sampled(taken=taken, samples=samples) if until is None:
                    on_sampled(taken, samples)
                case Measured() | Multiplied():
                    answer = said
                case Finished():
                    none = Message("The worker ended this measurement without a result.")
                    return _Told(answer, NOTHING if answer else none)
                case Failed(cause=cause, sentence=sentence, hint=hint):
                    lost = cause == "worker lost"
                    # A card's context that is broken stays so until its process ends.
                    if lost or cause in BROKEN:
                        self._give_up()
                    words = Message("{words}", words=said.message or said.error)
                    return _Told(failure=sentence or words, hint=_ANOTHER if lost else hint)

    def _give_up(self) -> None:
        """End the process, whatever it does; a new one starts when it is needed."""
        process, self._process = self._process, None
        if process is not None and process.running:
            process.kill()
            process.stop()


class _Told(NamedTuple):
    """What came of a job: an answer, or why there is none and a way out."""

    answer: Measured | Multiplied | None = None
    failure: Message = NOTHING
    hint: Message = NOTHING
    busy: Sequence[Busy] = ()


def worker_bench(start: Start, backend: Backend, topology: Topology | None) -> WorkerBench:
    """On the devices of its computer; nothing is started yet."""
    cards = {e.id: e for e in backend.cards() if e.kind is not CardKind.HOST}
    named = {f"cuda:{e.cuda_index}": e.id for e in cards.values() if e.cuda_index is not None}

    def routes_for(devices: Sequence[Device]) -> Routes:
        nonlocal named
        named = names_by_uuid(devices, [*cards.values()]) or named
        return routes_here(backend, devices, topology)

    def under_load(devices: Sequence[str]) -> Values:
        return _lanes_of(backend, [cards[named[each]] for each in devices if each in named])

    def busy() -> Mapping[str, float]:
        asked = [m.GPU_UTILIZATION]
        samples = {each: backend.read(card, asked).values for each, card in named.items()}
        return {each: values[asked[0]] for each, values in samples.items() if values}

    return WorkerBench(start, routes_for, busy, under_load)


def routes_here(
    backend: Backend, devices: Sequence[Device], topology: Topology | None
) -> Routes:
    """By the names of that worker's PyTorch."""
    cards = [card for card in backend.cards() if card.kind is not CardKind.HOST]
    known = topology or Topology((), (), {})
    return Routes(known, cards, names_by_uuid(devices, cards), _lanes_of(backend, cards))


def _lanes_of(backend: Backend, cards: Sequence[Card]) -> Values:
    """On how many lanes each runs. Cards that sleep are not woken, and tell nothing."""
    whole = {card.parent or card.id for card in cards}
    return {each: backend.read(each, _LANES).values for each in whole}


def offered(devices: Sequence[Device]) -> list[str]:
    """Those between which can be copied. A card that this PyTorch has no kernels for takes
    copies; one that stands for no card at all has no capability.
    """
    cards = (each for each in _cuda(devices) if each.usable or each.capability)
    return [*(each.name for each in devices if each.name == HOST), *(e.name for e in cards)]


def remarks(devices: Sequence[Device]) -> list[Message]:
    """Why this PyTorch has no card, with what to do about it; and of the devices that are
    offered, what is to be known of those that cannot compute.
    """
    lacking = [each for each in _cuda(devices) if not each.usable]
    none = [told(e.reason, e.way_out) for e in lacking if e.reason and not e.capability]
    words = mark("{device}, {name}: {reason}")
    return none + [
        Message(words, device=each.name, name=each.label, reason=each.reason)
        for each in lacking
        if each.capability
    ]


def names_by_uuid(devices: Sequence[Device], cards: Sequence[Card]) -> dict[str, CardId]:
    """Which card, or which instance of one, each device of PyTorch is. What cannot be told is
    left out.
    """

    def bare(uuid: str) -> str:
        """NVML says GPU- or MIG- before it, PyTorch does not."""
        return uuid.lower().removeprefix("gpu-").removeprefix("mig-")

    found = {}
    for device in (cuda := _cuda(devices)):
        meant = [card for card in cards if bare(str(card.id)) == bare(device.uuid)]
        if not device.uuid:
            # An older PyTorch tells none, nor does one for cards of another maker: then a card
            # is meant only if it alone has that name.
            twins = [each for each in cuda if not each.uuid and each.label == device.label]
            meant = [each for each in cards if not each.parent and each.name == device.label]
            meant = meant if len(meant) == len(twins) == 1 else []
        for card in meant:
            instances = [each for each in cards if each.parent == card.id]
            if len(instances) < 2:  # PyTorch may name the card of the one that it was given
                found[device.name] = (*instances, card)[0].id
    return found


def _cuda(devices: Sequence[Device]) -> list[Device]:
    return [each for each in devices if each.name.startswith("cuda:")]
