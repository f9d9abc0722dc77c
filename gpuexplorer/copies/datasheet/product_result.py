"""ProductResult: what a measurement of matrix products gave."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.copies.result import Busy, variation_of
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.events import Multiplied
from gpuexplorer.lab.wire import ProductJob


@dataclass(frozen=True, slots=True)
class ProductResult:
    """One job, once measured or modelled, or the sentence why it could not be."""

    job: ProductJob
    measured: Multiplied | None
    loaded: tuple[float, float] | None = None  # at work without a pause, on the steady clock
    watts: float | None = None  # where they are modelled too
    failure: Message = NOTHING
    hint: Message = NOTHING
    busy: Sequence[Busy] = ()  # what others used while it was measured

    @property
    def why(self) -> Message:
        """Why it could not be, and what to do."""
        return told(self.failure, self.hint)

    @property
    def wrong(self) -> bool:
        return self.measured is not None and self.measured.right is False

    @property
    def modelled(self) -> bool:
        return self.measured is not None and self.measured.modelled

    @property
    def rates(self) -> tuple[float, ...]:
        """Operations per second, of each sample. Wrong products have no rate worth telling."""
        if self.measured is None or self.wrong:
            return ()
        return tuple(self.job.operations / each for each in self.measured.samples_s)

    @property
    def rate(self) -> float | None:
        """Of the median."""
        return statistics.median(self.rates) if self.rates else None

    @property
    def variation(self) -> float | None:
        """Standard deviation as a share of the mean."""
        if self.measured is None or self.wrong:
            return None
        return variation_of(self.measured.samples_s)
