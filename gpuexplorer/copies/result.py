"""CopyResult: what a measurement gave, beside what the way could carry."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.copies.route import Route
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.events import Measured
from gpuexplorer.lab.wire import CopyJob

_AT_ONCE = 0.9


@dataclass(frozen=True, slots=True)
class Busy:
    """A device that others used while something was measured on it: `share` of its time, from 0
    to 1, shortly before.
    """

    device: str
    share: float

    @property
    def sentence(self) -> Message:
        return Message(
            "{device} was busy: {share:.0f} %.", device=self.device, share=self.share * 100
        )


@dataclass(frozen=True, slots=True)
class CopyResult:
    """One job, once measured or modelled, or the sentence why it could not be."""

    job: CopyJob
    measured: Measured | None
    route: Route | None
    failure: Message = NOTHING
    hint: Message = NOTHING
    busy: Sequence[Busy] = ()  # what others used while it was measured

    @property
    def why(self) -> Message:
        """Why it could not be, and what to do."""
        return told(self.failure, self.hint)

    @property
    def bytes(self) -> int:
        """That were copied: fewer than asked for where so many did not fit."""
        return (self.measured and self.measured.fewer_bytes) or self.job.bytes

    @property
    def wrong(self) -> bool:
        return self.measured is not None and self.measured.intact is False

    @property
    def compared(self) -> Message:
        """What was compared with what had been sent; empty where nothing was."""
        measured = self.measured
        if measured is None or not measured.compared_samples:
            return NOTHING
        samples = Message.counted(
            "The last copy of {count} sample was compared with what was sent.",
            "The last copy of each of {count} samples was compared with what was sent.",
            measured.compared_samples,
        )
        if not measured.compared_copies:
            return samples
        copies = Message.counted(
            "{count} more was compared by itself.",
            "{count} more were compared one by one.",
            measured.compared_copies,
        )
        return told(samples, copies)

    @property
    def seconds(self) -> float | None:
        """The median of the samples. A copy that arrives wrong has no time worth telling."""
        if self.measured is None or not self.measured.samples_s or self.wrong:
            return None
        return statistics.median(self.measured.samples_s)

    @property
    def rate(self) -> float | None:
        """Bytes per second, one direction; a local copy's bytes count once."""
        seconds = self.seconds
        return self.bytes / seconds if seconds else None

    @property
    def unit(self) -> Message:
        """Of its rate: within a device no way is meant."""
        if self.job.local:
            return Message("GB/s")
        return Message("GB/s each way") if self.job.both_ways else Message("GB/s one way")

    @property
    def in_cache(self) -> bool:
        """The memory took no part: both ends fit into the card's cache."""
        return self.measured is not None and self.measured.in_cache

    @property
    def traffic(self) -> float | None:
        """Of a local copy, what its memory read and wrote, in bytes per second."""
        whole = self.job.mode in ("copy", "raw")  # else not each byte is read and written once
        if not self.job.local or not whole or self.in_cache or self.rate is None:
            return None
        return 2 * self.rate

    @property
    def back_rate(self) -> float | None:
        """Of the other direction, where both were measured at once."""
        if self.measured is None or not self.measured.back_samples_s or self.wrong:
            return None
        return self.bytes / statistics.median(self.measured.back_samples_s)

    @property
    def limit(self) -> float | None:
        return None if self.route is None else self.route.limit

    @property
    def share(self) -> float | None:
        """Of what the narrowest wire could carry. Converted ones are fewer bytes under way."""
        other = self.job.mode == "converted" or self.in_cache
        if self.rate is None or not self.limit or other:
            return None
        return self.rate / self.limit

    @property
    def beside_work(self) -> tuple[float, float, float] | None:
        """Seconds of computing alone, of copying alone and of both at once, for one copy."""
        told = self.measured
        if told is None or self.wrong or told.together_s is None:
            return None
        if not told.alone_s or not told.copying_s:
            return None
        loops = told.loops
        return told.alone_s / loops, told.copying_s / loops, told.together_s / loops

    @property
    def hidden(self) -> float | None:
        """Of the shorter of copies and computation, the share that cost no time of its own."""
        if self.beside_work is None:
            return None
        computing, copying, together = self.beside_work
        return min(1.0, max(0.0, (computing + copying - together) / min(computing, copying)))

    @property
    def overlap(self) -> float | None:
        """Of several copies, the share of the shortest in which all were under way; None where
        a gate let them begin at once, or there is but one.
        """
        return None if self.measured is None else self.measured.overlap

    @property
    def at_once(self) -> bool:
        """Its several copies ran at the same time, so that their rates can be added up."""
        return self.overlap is None or self.overlap >= _AT_ONCE

    @property
    def variation(self) -> float | None:
        """Standard deviation as a share of the mean."""
        return None if self.measured is None else variation_of(self.measured.samples_s)


def variation_of(samples: Sequence[float]) -> float | None:
    """statistics.stdev would compute it as a fraction: of 65 devices for 0.4 s."""
    if len(samples) < 2:
        return None
    mean = statistics.fmean(samples)
    return math.dist(samples, [mean] * len(samples)) / math.sqrt(len(samples) - 1) / mean
