"""WorkerBench: measures on the devices of this computer, in a process of its own; and which
card each of these devices is.
"""

import math
import queue
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from gpuexplorer.copies.datasheet.products import ProductResult
from gpuexplorer.copies.jobs import HOST
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
_STOPPED = Message("It was stopped.")
_NO_RESULT = Message("The worker ended this measurement without a result.")
_ANOTHER = Message("A new worker measures what comes after it.")

RoutesFor = Callable[[Sequence[Device]], Routes | None]


class _Ended(NamedTuple):
    """The process is gone."""

    why: Message


class _Stop:
    """Somebody wants a job to end."""


_Said = Event | _Ended | _Stop


class WorkerBench:
    """Its process is started by the first job; `close` ends it, which gives all memory back.

    `routes_for` is asked once for each process, with the devices it offers. `busy` tells how
    busy each device is, from 0 to 1; it is asked while nothing of ours runs. `under_load` reads
    the links of devices while they copy, until each has told. Stop what runs before closing.
    """

    def __init__(
        self,
        start: Start,
        routes_for: RoutesFor = lambda _devices: None,
        busy: Callable[[], Mapping[str, float]] = dict,
        under_load: Callable[[Sequence[str]], Values] = lambda _devices: {},
        clock: Clock | None = None,
    ) -> None:
        self._start = start
        self._routes_for = routes_for
        self._busy = busy
        self._under_load = under_load
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._said: queue.SimpleQueue[_Said] = queue.SimpleQueue()
        self._process: WorkerProcess | None = None
        self._hello: Hello | None = None
        self._routes: Routes | None = None
        self._looked_at: set[str] = set()  # while they copied
        self._running: int | None = None
        self._unwanted: int | None = None
        self._last = 0
        self._busy_seen: Mapping[str, float] = {}
        self._quiet_since: float | None = None

    @property
    def modelled(self) -> bool:
        return False

    def greet(self) -> Hello:
        """Start the process where there is none; what it offers. Raises Trouble."""
        try:
            return self._greeted(self._begin())
        except _StoppedError:
            raise Trouble(_STOPPED) from None
        finally:
            self._running = None

    def _begin(self) -> int:
        with self._lock:
            self._last += 1
            self._running = self._last
        return self._last

    def measure(self, job: CopyJob, on_sampled: Callable[[int, int], None]) -> CopyResult:
        def sampled(taken: int, samples: int) -> None:
            on_sampled(taken, samples)
            if taken == 1:
                self._look_at_links(job)

        def command(number: int) -> Measure:
            near = self._near(job)
            return Measure(
                number, **vars(job), samples=SAMPLES, most_share=MOST_SHARE, near=near
            )

        told = self._told((job.source, job.target), command, sampled)
        route = None if self._routes is None else self._routes.of_job(job)
        measured = told.answer if isinstance(told.answer, Measured) else None
        busy = () if measured is None else told.busy
        return CopyResult(job, measured, route, told.failure, told.hint, busy)

    def measure_product(
        self, job: ProductJob, on_sampled: Callable[[int, int], None]
    ) -> ProductResult:
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

    def _told(
        self,
        devices: Sequence[str],
        command: Callable[[int], Measure | Multiply],
        on_sampled: Callable[[int, int], None],
    ) -> "_Told":
        """Raises Trouble where the process cannot be started."""
        number = self._begin()
        try:
            now = self._clock.now()
            if self._quiet_since is None or now - self._quiet_since > _RESTED:
                self._busy_seen = self._busy()
            shares = {each: self._busy_seen.get(each, 0.0) for each in devices}
            self._greeted(number)
            told = self._carried_out(command(number), on_sampled)
        except _StoppedError:
            self._give_up()
            return _Told(failure=_STOPPED)
        finally:
            self._quiet_since, self._running = self._clock.now(), None
        if not told.failure:
            why = _NO_RESULT if told.answer is None else _untimed(told.answer)
            told = told._replace(failure=why, answer=None if why else told.answer)
        busy = (Busy(*each) for each in shares.items() if each[1] >= _BUSY)
        return told._replace(busy=tuple(busy))

    def stop(self) -> None:
        with self._lock:
            self._unwanted = self._running
            self._said.put(_Stop())

    def close(self) -> None:
        process, self._process = self._process, None
        self._hello = None
        if process is not None:
            process.stop()

    def _greeted(self, number: int) -> Hello:
        if self._process is not None and self._hello is not None and self._process.running:
            return self._hello
        self._give_up()
        said: queue.SimpleQueue[_Said] = queue.SimpleQueue()
        with self._lock:
            self._said = said
            if self._unwanted == number:
                raise _StoppedError
        self._process = WorkerProcess(self._start, said.put, lambda why: said.put(_Ended(why)))
        while True:
            match said.get():
                case Hello() as hello:
                    self._hello = hello
                    self._routes = self._routes_for(hello.devices)
                    self._looked_at = set()
                    return hello
                case _Ended(why=why):
                    self._process = None
                    raise Trouble(
                        "PyTorch could not be started to measure copies. {why}",
                        "`{doctor}` says which Python has PyTorch.",
                        why=why,
                        doctor=self._start.doctor,
                    )
                case _Stop() if self._unwanted == number:
                    raise _StoppedError
                case _:
                    pass

    def _carried_out(
        self, command: Measure | Multiply, on_sampled: Callable[[int, int], None]
    ) -> "_Told":
        process, number = self._process, command.id
        assert process is not None
        process.send(command)
        answer: Measured | Multiplied | None = None
        until: float | None = None  # it was told to stop
        while True:
            wait = None if until is None else max(0.0, until - self._clock.now())
            try:
                said = self._said.get(timeout=wait)
            except queue.Empty:
                raise _StoppedError from None
            match said:
                case _Stop() if self._unwanted == number and until is None:
                    process.cancel(number)
                    until = self._clock.now() + _PATIENCE
                case _Ended(why=why):
                    self._process = None
                    return _Told(failure=why, hint=_ANOTHER)
                case Sampled(id=told) if told == number and until is None:
                    on_sampled(said.taken, said.samples)
                case Measured(id=told) | Multiplied(id=told) if told == number:
                    answer = said
                case Finished(id=told) if told == number:
                    return _Told(answer)
                case Failed(id=told) if told == number:
                    return self._failed(said)
                case _:
                    pass

    def _look_at_links(self, job: CopyJob) -> None:
        new = {job.source, job.target} - self._looked_at - {HOST}
        if self._routes is None or job.local or job.bytes < _LOADS or not new:
            return
        # One that is left alone to rest tells nothing, and is asked again at the next job.
        self._looked_at |= self._routes.see_under_load(self._under_load(sorted(new)))

    def _failed(self, failed: Failed) -> "_Told":
        if failed.cause == "worker lost":
            self._give_up()
            return _Told(failure=failed.sentence, hint=_ANOTHER)
        if failed.cause in BROKEN:
            self._give_up()  # a card's context that is broken stays so until its process ends
        said = Message("{words}", words=failed.message or failed.error)
        return _Told(failure=failed.sentence or said, hint=failed.hint)

    def _give_up(self) -> None:
        """End the process, whatever it does; a new one starts when it is needed."""
        process, self._process = self._process, None
        if process is not None and process.running:
            process.kill()
            process.stop()

    def _near(self, job: CopyJob) -> tuple[tuple[str, str], ...]:
        """Of each card that takes part, the processors that are close to it."""
        if self._routes is None:
            return ()
        devices = [end for way in ((job.source, job.target), *job.beside) for end in way]
        near = {device: self._routes.processors_near(device) for device in devices}
        return tuple(each for each in near.items() if each[1])


class _Told(NamedTuple):
    """What came of a job: an answer, or why there is none and a way out."""

    answer: Measured | Multiplied | None = None
    failure: Message = NOTHING
    hint: Message = NOTHING
    busy: Sequence[Busy] = ()


class _StoppedError(Exception):
    """The job is not wanted any more."""


def _untimed(told: Measured | Multiplied) -> Message:
    """Why a rate cannot follow from these times; empty where it can."""
    more = (told.back_samples_s, *told.beside_samples_s) if isinstance(told, Measured) else ()
    wrong = [each for each in chain(told.samples_s, *more) if not 0 < each < math.inf]
    if not wrong:
        return NOTHING
    return Message(
        "The clock of the device says that this took {seconds} s, which cannot be. "
        "Measure it again.",
        seconds=wrong[0],
    )


def worker_bench(start: Start, backend: Backend, topology: Topology | None) -> WorkerBench:
    """On the devices of its computer; nothing is started yet."""
    cards = [card for card in backend.cards() if card.kind is not CardKind.HOST]
    whole = {card.id: card.parent or card.id for card in cards}
    named: dict[str, CardId] = {}

    def routes_for(devices: Sequence[Device]) -> Routes:
        named.update(names_by_uuid(devices, cards))
        return routes_here(backend, devices, topology)

    def under_load(devices: Sequence[str]) -> Values:
        return _lanes_of(backend, {whole[named[each]] for each in devices if each in named})

    def busy() -> Mapping[str, float]:
        at_work = {}
        numbered = {
            f"cuda:{card.cuda_index}": card.id for card in cards if card.cuda_index is not None
        }
        for device, card in (named or numbered).items():
            sample = backend.read(card, [m.GPU_UTILIZATION])
            if (share := sample.values.get(m.GPU_UTILIZATION)) is not None:
                at_work[device] = share
        return at_work

    return WorkerBench(start, routes_for, busy, under_load)


def routes_here(
    backend: Backend, devices: Sequence[Device], topology: Topology | None
) -> Routes:
    """By the names of that worker's PyTorch."""
    cards = [card for card in backend.cards() if card.kind is not CardKind.HOST]
    readings = _lanes_of(backend, {card.parent or card.id for card in cards})
    known = topology or Topology((), (), {})
    return Routes(known, cards, names_by_uuid(devices, cards), readings)


def offered(devices: Sequence[Device]) -> list[str]:
    """Those between which can be copied. A card that this PyTorch has no kernels for takes
    copies; one that stands for no card at all has no capability.
    """
    return [
        each.name
        for each in devices
        if each.name == "cpu" or (_is_cuda(each) and (each.usable or each.capability))
    ]


def remarks(devices: Sequence[Device]) -> list[Message]:
    """Why this PyTorch has no card, with what to do about it; and of the devices that are
    offered, what is to be known of those that cannot compute.
    """
    lacking = [each for each in devices if _is_cuda(each) and not each.usable]
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
    cuda = [each for each in devices if _is_cuda(each)]
    by_uuid = {_bare(str(card.id)): card for card in cards}
    found = {}
    for device in cuda:
        card = by_uuid.get(_bare(device.uuid)) if device.uuid else _called(device, cuda, cards)
        if card is None:
            continue
        instances = [each for each in cards if each.parent == card.id]
        if len(instances) < 2:  # PyTorch may name the card of the one that it was given
            found[device.name] = instances[0].id if instances else card.id
    return found


def _called(device: Device, cuda: Sequence[Device], cards: Sequence[Card]) -> Card | None:
    """An older PyTorch tells no UUID, nor does one for cards of another maker: then a card is
    meant only if it alone has that name.
    """
    twins = [each for each in cuda if not each.uuid and each.label == device.label]
    named = [card for card in cards if card.parent is None and card.name == device.label]
    return named[0] if len(named) == len(twins) == 1 else None


def _lanes_of(backend: Backend, cards: Collection[CardId]) -> Values:
    """On how many lanes each runs. Cards that sleep are not woken, and tell nothing."""
    return {card: backend.read(card, _LANES).values for card in cards}


def _is_cuda(device: Device) -> bool:
    return device.name.startswith("cuda:")


def _bare(uuid: str) -> str:
    """NVML says GPU- or MIG- before it, PyTorch does not."""
    return uuid.lower().removeprefix("gpu-").removeprefix("mig-")
