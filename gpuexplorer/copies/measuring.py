"""Measuring: many copies one after the other in a thread of its own, told as they come."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Protocol

from gpuexplorer.copies.datasheet.product_result import ProductResult
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.wire import CopyJob, ProductJob

STOPPED = Message("It was stopped.")
_ASKED_AGAIN = 0.05


Job = CopyJob | ProductJob
# A measurement takes warming up and samples of about the same length whatever is copied, and
# buffers that have to be filled and compared.
_EACH = 1.0
_EACH_BYTE = 1.0 / (256 << 20)
_PRODUCT = 6.0  # it is kept up for a while, so that the power can be read
_ENOUGH = 2


class Bench(Protocol):
    """Where copies and products are measured, or modelled."""

    @property
    def modelled(self) -> bool: ...

    def measure(self, job: CopyJob, on_sampled: Callable[[int, int], None]) -> CopyResult:
        """Takes its time. Raises Trouble where nothing at all can be measured.

        `on_sampled` hears how many of how many samples are taken, in the calling thread.
        """
        ...

    def measure_product(
        self, job: ProductJob, on_sampled: Callable[[int, int], None]
    ) -> ProductResult:
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
        self._jobs = tuple(jobs)
        self._bench = bench
        self._on_result = on_result
        self._on_product = on_product
        self._on_progress = on_progress
        self._on_end = on_end
        self._left = TimeLeft(self._jobs, clock or SystemClock())
        self._stopping = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="measure copies", daemon=True)

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """At once, and without waiting for it; `on_end` tells when it is so."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        threading.Thread(target=self._stop, name="stop measuring", daemon=True).start()

    def wait(self, seconds: float | None = None) -> bool:
        """Until it has ended; False if it has not after so long."""
        return self._ended.wait(seconds)

    def _stop(self) -> None:
        # Asked again, since the next job may have begun just before the first time.
        self._bench.stop()
        while self._thread.is_alive() and not self._ended.wait(_ASKED_AGAIN):
            self._bench.stop()

    def _run(self) -> None:
        why = Message("A fault of the program itself ended this.")  # which is told elsewhere
        try:
            for place, job in enumerate(self._jobs):
                self._tell(place, job, 0, 0)
                if self._stopping.is_set():
                    break
                self._left.begin(job)
                tell = self._measured(job, self._listener(place, job))
                if tell is None:
                    break
                self._left.end(job)
                tell()
            else:
                self._tell(len(self._jobs), None, 0, 0)
            why = STOPPED if self._stopping.is_set() else NOTHING
        except Trouble as trouble:
            why = told(trouble.sentence, trouble.hint)
            if self._stopping.is_set():
                why = STOPPED
        finally:
            try:
                self._on_end(why)
            finally:
                self._ended.set()

    def _measured(
        self, job: Job, on_sampled: Callable[[int, int], None]
    ) -> Callable[[], None] | None:
        """What tells the result; None where it was stopped and there is none."""
        if isinstance(job, ProductJob):
            product = self._bench.measure_product(job, on_sampled)
            stopped = self._stopping.is_set() and product.measured is None
            return None if stopped else partial(self._on_product, product)
        result = self._bench.measure(job, on_sampled)
        stopped = self._stopping.is_set() and result.measured is None
        return None if stopped else partial(self._on_result, result)

    def _listener(self, place: int, job: Job) -> Callable[[int, int], None]:
        def on_sampled(taken: int, samples: int) -> None:
            self._tell(place, job, taken, samples)

        return on_sampled

    def _tell(self, done: int, job: Job | None, taken: int, samples: int) -> None:
        share = taken / samples if samples else 0.0
        left = self._left.seconds(done, share)
        self._on_progress(Progress(done, len(self._jobs), job, taken, samples, left))


class TimeLeft:
    """Asked and told from one thread."""

    def __init__(self, jobs: Sequence[CopyJob | ProductJob], clock: Clock) -> None:
        self._weights = [_weight(job) for job in jobs]
        # Of each job and all that follow it.
        self._ahead = [*accumulate(reversed(self._weights))][::-1]
        self._clock = clock
        self._began = 0.0
        self._seconds = 0.0
        self._weighed = 0.0
        self._done = 0

    def begin(self, job: CopyJob | ProductJob) -> None:
        self._began = self._clock.now()

    def end(self, job: CopyJob | ProductJob) -> None:
        spent = self._clock.now() - self._began
        self._done += 1
        # The first one pays for starting the worker and waking the cards.
        if self._done == 1 and len(self._weights) > 1:
            return
        self._seconds += spent
        self._weighed += _weight(job)

    def seconds(self, done: int, share: float = 0.0) -> float | None:
        """With so many jobs done, and so much of the one that runs. None: it is too early."""
        if done >= len(self._weights):
            return 0.0
        if self._done < _ENOUGH or not self._weighed:
            return None
        left = self._ahead[done] - share * self._weights[done]
        return left * self._seconds / self._weighed


def _weight(job: CopyJob | ProductJob) -> float:
    if isinstance(job, ProductJob):
        return _PRODUCT
    both = 2 if job.both_ways else 1
    return _EACH + both * (1 + len(job.beside)) * job.bytes * _EACH_BYTE
