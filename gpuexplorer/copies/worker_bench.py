"""WorkerBench: measures on the devices of this computer, in a process of its own."""

import math
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from gpuexplorer.copies.datasheet.product_result import ProductResult
from gpuexplorer.copies.result import Busy, CopyResult
from gpuexplorer.copies.route import Route
from gpuexplorer.copies.routes import HOST, Routes, Values
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message
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

SAMPLES = 7
MOST_SHARE = 0.125  # of the free memory of each side
_PATIENCE = 0.5  # with what runs, when it was told to stop
_RESTED = 2.0  # seconds after which our own work no longer shows in a card's readings
_BUSY = 0.1
_LOADED = 4.0  # seconds in which a card's power is read; nobody tells the processor's
_LOADS = 1 << 20  # bytes of a copy that keep a link awake
_STOPPED = Message("It was stopped.")
_NO_RESULT = Message("The worker ended this measurement without a result.")
_ANOTHER = Message("A new worker measures what comes after it.")

RoutesFor = Callable[[Sequence[Device]], Routes | None]


@dataclass(frozen=True, slots=True)
class _Ended:
    """The process is gone."""

    why: Message


@dataclass(frozen=True, slots=True)
class _Stop:
    """Somebody wants the job of that number to end."""

    number: int


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
        self._last = 0
        self._busy_seen: Mapping[str, float] = {}
        self._quiet_since: float | None = None

    @property
    def modelled(self) -> bool:
        return False

    def greet(self) -> Hello:
        """Start the process where there is none; what it offers. Raises Trouble."""
        with self._lock:
            self._running = 0
        try:
            return self._greeted(0)
        except _StoppedError:
            raise Trouble(_STOPPED) from None
        finally:
            with self._lock:
                self._running = None

    def measure(self, job: CopyJob, on_sampled: Callable[[int, int], None]) -> CopyResult:
        def sampled(taken: int, samples: int) -> None:
            on_sampled(taken, samples)
            if taken == 1:
                self._look_at_links(job)

        ends = job.source, job.target
        told = self._told(ends, lambda number: _command(number, job, self._near(job)), sampled)
        if isinstance(told.answer, Measured):
            return CopyResult(job, told.answer, self._route(job), busy=told.busy)
        return CopyResult(job, None, self._route(job), told.failure, told.hint)

    def measure_product(
        self, job: ProductJob, on_sampled: Callable[[int, int], None]
    ) -> ProductResult:
        warmed: list[float] = []

        def sampled(taken: int, samples: int) -> None:
            if not warmed:
                warmed.append(self._clock.now())
            on_sampled(taken, samples)

        told = self._told((job.device,), lambda number: _multiply(number, job), sampled)
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
            busy = self._busy_now(devices)
            self._greeted(number)
            told = self._carried_out(command(number), on_sampled)
        except _StoppedError:
            self._give_up()
            return _Told(failure=_STOPPED)
        finally:
            self._end()
        failure = told.failure
        if not failure:
            failure = _NO_RESULT if told.answer is None else _untimed(told.answer)
        return _Told(None if failure else told.answer, failure, told.hint, busy)

    def stop(self) -> None:
        with self._lock:
            if self._running is not None:
                self._said.put(_Stop(self._running))

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
                case _Stop(number=meant) if meant == number:
                    raise _StoppedError
                case _:
                    pass

    def _begin(self) -> int:
        with self._lock:
            self._last += 1
            self._running = self._last
        return self._last

    def _end(self) -> None:
        self._quiet_since = self._clock.now()
        with self._lock:
            self._running = None

    def _carried_out(
        self, command: Measure | Multiply, on_sampled: Callable[[int, int], None]
    ) -> "_Told":
        process, number = self._process, command.id
        assert process is not None
        process.send(command)
        answer: Measured | Multiplied | None = None
        until: float | None = None  # it was told to stop; who stops it says so again and again
        while True:
            try:
                said = self._said.get(timeout=self._patience(until))
            except queue.Empty:
                raise _StoppedError from None
            match said:
                case _Stop(number=meant) if meant == number:
                    if until is None:
                        process.cancel(number)
                        until = self._clock.now() + _PATIENCE
                case _Ended(why=why):
                    self._process = None
                    return _Told(failure=why, hint=_ANOTHER)
                case Sampled(id=told) if told == number:
                    if until is None:
                        on_sampled(said.taken, said.samples)
                case Measured(id=told) | Multiplied(id=told) if told == number:
                    answer = said
                case Finished(id=told) if told == number:
                    return _Told(answer)
                case Failed(id=told) if told == number:
                    return self._failed(said)
                case _:
                    pass

    def _patience(self, until: float | None) -> float | None:
        """Seconds; None while nobody wants it to end."""
        return None if until is None else max(0.0, until - self._clock.now())

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

    def _route(self, job: CopyJob) -> Route | None:
        return None if self._routes is None else self._routes.of_job(job)

    def _near(self, job: CopyJob) -> Mapping[str, str]:
        """Of each card that takes part, the processors that are close to it."""
        if self._routes is None:
            return {}
        devices = [end for way in ((job.source, job.target), *job.beside) for end in way]
        near = {device: self._routes.processors_near(device) for device in devices}
        return {device: listed for device, listed in near.items() if listed}

    def _busy_now(self, devices: Sequence[str]) -> tuple[Busy, ...]:
        now = self._clock.now()
        if self._quiet_since is None or now - self._quiet_since > _RESTED:
            self._busy_seen = self._busy()
        shares = {device: self._busy_seen.get(device, 0.0) for device in devices}
        return tuple(Busy(device, share) for device, share in shares.items() if share >= _BUSY)


class _Told(NamedTuple):
    """What came of a job: an answer, or why there is none and a way out."""

    answer: Measured | Multiplied | None = None
    failure: Message = NOTHING
    hint: Message = NOTHING
    busy: Sequence[Busy] = ()


class _StoppedError(Exception):
    """The job is not wanted any more."""


def _command(number: int, job: CopyJob, near: Mapping[str, str]) -> Measure:
    return Measure(
        number,
        **vars(job),
        samples=SAMPLES,
        most_share=MOST_SHARE,
        near=tuple(near.items()),
    )


def _multiply(number: int, job: ProductJob) -> Multiply:
    seconds = 0.0 if job.device == HOST else _LOADED
    return Multiply(number, job.device, job.kind, job.size, SAMPLES, MOST_SHARE, seconds)


def _untimed(told: Measured | Multiplied) -> Message:
    """Why a rate cannot follow from these times; empty where it can."""
    samples = [*told.samples_s]
    if isinstance(told, Measured):
        samples += chain(told.back_samples_s, *told.beside_samples_s)
    wrong = [each for each in samples if not 0 < each < math.inf]
    if not wrong:
        return NOTHING
    return Message(
        "The clock of the device says that this took {seconds} s, which cannot be. "
        "Measure it again.",
        seconds=wrong[0],
    )
