"""Track: when a device was at work or waited, in so few stretches that they can be told."""

from collections.abc import Sequence
from dataclasses import dataclass

_MOST = 60


@dataclass
class Stretch:
    """Seconds since the line's beginning."""

    begin: float
    end: float
    busy: float
    count: int = 1


class Track:
    """Stretches come in their order. Where they get too many, neighbours are joined, so that
    each is about as long as the line allows; what touches is joined always.
    """

    def __init__(self) -> None:
        self._stretches: list[Stretch] = []
        self._longest = 0.0  # that is made by joining over a pause

    @property
    def stretches(self) -> Sequence[Stretch]:
        return self._stretches

    def add(self, begin: float, end: float) -> None:
        self._put(Stretch(begin, end, end - begin))
        if len(self._stretches) > _MOST:
            old, self._stretches = self._stretches, []
            # Two neighbours together are longer than this, so a quarter as many stay at most
            # twice over.
            self._longest = (old[-1].end - old[0].begin) / (_MOST / 4)
            for each in old:
                self._put(each)

    def _put(self, new: Stretch) -> None:
        last = self._stretches[-1] if self._stretches else None
        # Sums of floats: what touches may seem to be apart by the last digit.
        if last is not None and (
            new.begin - last.end <= 1e-12 or new.end - last.begin <= self._longest
        ):
            last.end = max(last.end, new.end)
            last.busy += new.busy
            last.count += new.count
        else:
            self._stretches.append(new)
