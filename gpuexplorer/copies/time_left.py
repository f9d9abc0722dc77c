"""TimeLeft: how long the jobs that are still to be measured will take."""

from collections.abc import Sequence
from itertools import accumulate

from gpuexplorer.core.clock import Clock
from gpuexplorer.lab.copy_job import CopyJob
from gpuexplorer.lab.product_job import ProductJob

# A measurement takes warming up and samples of about the same length whatever is copied, and
# buffers that have to be filled and compared.
_EACH = 1.0
_EACH_BYTE = 1.0 / (256 << 20)
_PRODUCT = 6.0  # it is kept up for a while, so that the power can be read
_ENOUGH = 2


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
