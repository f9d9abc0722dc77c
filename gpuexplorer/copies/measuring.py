"""Measuring: many copies and products one after another, in a thread, each told as it comes."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from gpuexplorer.copies.datasheet.products import ProductResult
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.wire import CopyJob, ProductJob

Job = CopyJob | ProductJob
OnSampled = Callable[[int, int], None]
STOPPED = Message("It was stopped.")
# A measurement takes warming up and samples of about the same length whatever is copied, and
# buffers that have to be filled and compared.
_EACH, _EACH_BYTE = 1.0, 1.0 / (256 << 20)
_PRODUCT = 6.0  # it is kept up for a while, so that the power can be read
_ENOUGH = 2


class Bench(Protocol):
    """Where copies and products are measured, or modelled."""

    @property
    def modelled(self) -> bool: ...

    def measure(self, job: CopyJob, on_sampled: OnSampled) -> CopyResult:
        """Takes its time. Raises Trouble where nothing at all can be measured.

        `on_sampled` hears how many of how many samples are taken, in the calling thread.
        """
        ...

    def measure_product(self, job: ProductJob, on_sampled: OnSampled) -> ProductResult:
        """The same, of matrices that are multiplied. 0 samples: the device has warmed up."""
        ...

    def stop(self) -> None:
        """From any thread: end the job that runs, at once. Nothing runs: nothing happens."""
        ...

    def close(self) -> None:
        """Give back what it holds; the next job would take it again."""
        ...


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a measurement has got."""

    done: int  # jobs
    of: int
    job: Job | None  # the one that runs; None when all are done
    taken: int  # samples of it
    samples: int
    seconds_left: float | None  # None: too little is done to tell

    @property
    def copy(self) -> CopyJob | None:
        """The job that runs, where it is a copy."""
        return self.job if isinstance(self.job, CopyJob) else None


class Measuring:
    """One run over some jobs. All is told from its own thread; the bench is not closed.

    `on_end` gets nothing when all was measured or failed by itself, `STOPPED`, or the sentence
    why nothing more can be measured.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        bench: Bench,
        on_result: Callable[[CopyResult], None],
        on_progress: Callable[[Progress], None],
        on_end: Callable[[Message], None],
        clock: Clock | None = None,
        on_product: Callable[[ProductResult], None] = lambda _result: None,
    ) -> None:
        self._jobs, self._bench, self._clock = tuple(jobs), bench, clock or SystemClock()
        self._on_result, self._on_product = on_result, on_product
        self._on_progress, self._on_end = on_progress, on_end
        self._ahead = sum(map(_weight, self._jobs))  # of the one that runs and all that follow
        self._took, self._weighed = 0.0, 0.0  # of those that tell how long others take
        self._stopping = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="measure copies", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """At once, and without waiting for it; `on_end` tells when it is so."""
        self._stopping.set()
        self._bench.stop()

    def wait(self, seconds: float | None = None) -> bool:
        """Until it has ended; False if it has not after so long."""
        return self._ended.wait(seconds)

    def _run(self) -> None:
        why = Message("A fault of the program itself ended this.")  # which is told elsewhere
        try:
            for place, job in enumerate(self._jobs):
                self._tell(place, job)
                if self._stopping.is_set() or not self._measured(place, job):
                    break
            else:
                self._tell(len(self._jobs), None)
            why = NOTHING
        except Trouble as trouble:
            why = told(trouble.sentence, trouble.hint)
        finally:
            try:
                self._on_end(STOPPED if self._stopping.is_set() else why)
            finally:
                self._ended.set()

    def _measured(self, place: int, job: Job) -> bool:
        """Its result is told; False where it was stopped and there is none."""

        def on_sampled(taken: int, samples: int) -> None:
            if self._stopping.is_set():
                self._bench.stop()  # since this job may have begun just after the first time
            self._tell(place, job, taken, samples)

        began = self._clock.now()
        copy = product = None
        if isinstance(job, ProductJob):
            product = self._bench.measure_product(job, on_sampled)
        else:
            copy = self._bench.measure(job, on_sampled)
        if self._stopping.is_set() and not any(e and e.measured for e in (copy, product)):
            return False
        # The first one pays for starting the worker and waking the cards.
        if place or len(self._jobs) == 1:
            self._took += self._clock.now() - began
            self._weighed += _weight(job)
        self._ahead -= _weight(job)
        if copy is not None:
            self._on_result(copy)
        if product is not None:
            self._on_product(product)
        return True

    def _tell(self, done: int, job: Job | None, taken: int = 0, samples: int = 0) -> None:
        left = 0.0 if job is None else None
        if job is not None and done >= _ENOUGH and self._weighed:
            ahead = self._ahead - _weight(job) * (taken / samples if samples else 0.0)
            left = ahead * self._took / self._weighed
        self._on_progress(Progress(done, len(self._jobs), job, taken, samples, left))


def _weight(job: Job) -> float:
    if isinstance(job, ProductJob):
        return _PRODUCT
    return _EACH + len(job.ways) * job.bytes * _EACH_BYTE
