"""WorkerBench: copies measured on the devices of this computer, in a process of their own."""

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from gpuexplorer.copies.notes import busy_note
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.route import Route
from gpuexplorer.copies.routes import HOST, Routes, Values
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.copy_job import CopyJob
from gpuexplorer.lab.events import Device, Event, Failed, Finished, Hello, Measured, Sampled
from gpuexplorer.lab.wire import Measure
from gpuexplorer.lab.worker_process import Start, WorkerProcess

SAMPLES = 7
MOST_SHARE = 0.125  # of the free memory of each side
_PATIENCE = 0.5  # with what runs, when it was told to stop
_RESTED = 2.0  # seconds after which our own work no longer shows in a card's readings
_BUSY = 0.1
_LOADS = 1 << 20  # bytes of a copy that keep a link awake
_STOPPED = "It was stopped."

RoutesFor = Callable[[Sequence[Device]], Routes | None]


@dataclass(frozen=True, slots=True)
class _Ended:
    """The process is gone."""

    why: str


@dataclass(frozen=True, slots=True)
class _Stop:
    """Somebody wants the job of that number to end."""

    number: int


_Said = Event | _Ended | _Stop


class WorkerBench:
    """Its process is started by the first job; `close` ends it, which gives all memory back.

    `routes_for` is asked once for each process, with the devices it offers. `busy` tells how
    busy each device is, from 0 to 1; it is asked while nothing of ours runs. `under_load` reads
    the links of devices, once each while they copy. Stop what runs before closing.
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
        with self._lock:
            self._last += 1
            number = self._running = self._last
        try:
            notes = self._busy_notes(job)
            self._greeted(number)
            result = self._measured(number, job, on_sampled)
        except _StoppedError:
            self._give_up()
            return CopyResult(job, None, self._route(job), _STOPPED)
        finally:
            self._quiet_since = self._clock.now()
            with self._lock:
                self._running = None
        if notes and result.measured is not None:
            measured = replace(result.measured, notes=(*result.measured.notes, *notes))
            return replace(result, measured=measured)
        return result

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
                        f"PyTorch could not be started to measure copies. {why}",
                        "`gpuexplorer doctor` says which Python has PyTorch.",
                    )
                case _Stop(number=meant) if meant == number:
                    raise _StoppedError
                case _:
                    pass

    def _measured(
        self, number: int, job: CopyJob, on_sampled: Callable[[int, int], None]
    ) -> CopyResult:
        assert self._process is not None
        self._process.send(_command(number, job))
        measured: Measured | None = None
        cancelled = False
        while True:
            try:
                said = self._said.get(timeout=_PATIENCE if cancelled else None)
            except queue.Empty:
                raise _StoppedError from None
            match said:
                case _Stop(number=meant) if meant == number:
                    self._process.cancel(number)
                    cancelled = True
                case _Ended(why=why):
                    self._process = None
                    return self._lost(job, why)
                case Sampled(id=told) if told == number and not cancelled:
                    on_sampled(said.taken, said.samples)
                    self._look_at_links(job)
                case Measured(id=told) if told == number:
                    measured = said
                case Finished(id=told) if told == number:
                    if measured is None:
                        sentence = "The worker ended this measurement without a result."
                        return CopyResult(job, None, self._route(job), sentence)
                    return CopyResult(job, measured, self._route(job))
                case Failed(id=told) if told == number:
                    return self._failed(job, said)
                case _:
                    pass

    def _look_at_links(self, job: CopyJob) -> None:
        new = {job.source, job.target} - self._looked_at - {HOST}
        if self._routes is None or job.local or job.bytes < _LOADS or not new:
            return
        self._looked_at |= new
        self._routes.see_under_load(self._under_load(sorted(new)))

    def _failed(self, job: CopyJob, failed: Failed) -> CopyResult:
        if failed.cause == "worker lost":
            self._give_up()
            return self._lost(job, failed.sentence)
        if failed.cause == "device broken":
            self._give_up()  # a card's context that is broken stays so until its process ends
        sentence = failed.sentence or failed.message or failed.error
        return CopyResult(job, None, self._route(job), sentence, failed.hint)

    def _lost(self, job: CopyJob, why: str) -> CopyResult:
        return CopyResult(
            job, None, self._route(job), why, "A new worker measures what comes after it."
        )

    def _give_up(self) -> None:
        """End the process, whatever it does; a new one starts when it is needed."""
        process, self._process = self._process, None
        if process is not None and process.running:
            process.kill()
            process.stop()

    def _route(self, job: CopyJob) -> Route | None:
        if self._routes is None:
            return None
        if job.mode == "staged":
            return self._routes.staged(job.source, job.target)
        return self._routes.route(job.source, job.target)

    def _busy_notes(self, job: CopyJob) -> tuple[str, ...]:
        now = self._clock.now()
        if self._quiet_since is None or now - self._quiet_since > _RESTED:
            self._busy_seen = self._busy()
        shares = {
            device: self._busy_seen.get(device, 0.0) for device in (job.source, job.target)
        }
        return tuple(
            busy_note(device, share) for device, share in shares.items() if share >= _BUSY
        )


class _StoppedError(Exception):
    """The job is not wanted any more."""


def _command(number: int, job: CopyJob) -> Measure:
    return Measure(
        number,
        job.source,
        job.target,
        job.bytes,
        job.mode,
        job.pinned,
        job.both_ways,
        job.pieces,
        job.beside,
        SAMPLES,
        MOST_SHARE,
    )
