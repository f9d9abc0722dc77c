"""Tracing: single stretches of what a program did, kept until they are said; and Track: when
a device was at work or waited, in so few stretches that they can be told.
"""

import threading
from dataclasses import dataclass

from gpuexplorer.lab.events import Span, Traced, Transferred

MOST = 200_000  # stretches of one program; what comes later is counted alone
_CLOSE = 20e-6  # seconds: pauses of a card that computes which are no pauses to an eye

_Stretch = tuple[str, str, float, float, int, int]


class Tracing:
    """There is one only where a trace was asked for. Any thread may add."""

    def __init__(self, most: int = MOST) -> None:
        self._lock = threading.Lock()
        self._room = most
        self._kept: list[_Stretch] = []
        self._computing: dict[str, _Stretch] = {}  # by card: the last, which may go on
        self._left_out = 0

    def add(
        self, kind: str, device: str, begin: float, end: float, row: int = 0, size: int = 0
    ) -> None:
        """Seconds since the program began. `kind` is a Traced's: "copy", "compute", "idle",
        "loader", "wait" or "step". `device` is the card whose time it is; "cpu" where it is the
        program's own. `row` is the number of the Transferred (of a copy, and of a wait for it),
        the Idle or the Loader; 0: none. `size` is the bytes of a copy.
        """
        stretch = kind, device, begin, end, row, size
        if end <= begin:
            return
        with self._lock:
            if kind != "compute":
                self._keep(stretch)
                return
            last = self._computing.get(device)
            if last is not None and begin - last[3] <= _CLOSE:
                stretch = kind, device, last[2], max(last[3], end), row, size
            elif last is not None:
                self._keep(last)
            self._computing[device] = stretch

    def copied(self, copy: Transferred, row: int) -> None:
        """One copy, and the host that waited for it."""
        card = copy.source if copy.target == "cpu" else copy.target
        if copy.begin is not None and copy.end is not None:
            self.add("copy", card, copy.begin, copy.end, row, copy.bytes)
        if copy.blocking and copy.asked_at is not None and copy.host_seconds is not None:
            self.add("wait", card, copy.asked_at, copy.asked_at + copy.host_seconds, row)

    def taken(self, command: int) -> "Traced | None":
        """What came since this was last asked, in the order of their ends."""
        with self._lock:
            for each in self._computing.values():
                self._keep(each)
            self._computing.clear()
            kept, self._kept = self._kept, []
            left_out, self._left_out = self._left_out, 0
        if not (kept or left_out):
            return None
        kept.sort(key=lambda each: each[3])
        return Traced(command, tuple(kept), left_out)

    def _keep(self, stretch: _Stretch) -> None:
        if self._room:
            self._room -= 1
            self._kept.append(stretch)
        else:
            self._left_out += 1


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
        self.stretches: list[Stretch] = []
        self._longest = 0.0  # that is made by joining over a pause

    def add(self, begin: float, end: float) -> None:
        self._put(Stretch(begin, end, end - begin))
        if len(self.stretches) > _MOST:
            old, self.stretches = self.stretches, []
            # Two neighbours together are longer than this, so a quarter as many stay at most
            # twice over.
            self._longest = (old[-1].end - old[0].begin) / (_MOST / 4)
            for each in old:
                self._put(each)

    def _put(self, new: Stretch) -> None:
        last = self.stretches[-1] if self.stretches else None
        # Sums of floats: what touches may seem to be apart by the last digit.
        if last is not None and (
            new.begin - last.end <= 1e-12 or new.end - last.begin <= self._longest
        ):
            last.end = max(last.end, new.end)
            last.busy += new.busy
            last.count += new.count
        else:
            self.stretches.append(new)


class Tracks:
    """By device: when it computed, and when it waited for which other, and why."""

    def __init__(self) -> None:
        self._tracks: dict[tuple[str, str, str], Track] = {}

    def add(
        self, device: str, begin: float, end: float, waits_for: str = "", why: str = ""
    ) -> None:
        self._tracks.setdefault((device, waits_for, why), Track()).add(begin, end)

    def spans(self) -> "list[Span]":
        """What was computed comes first."""
        return [
            Span(device, each.begin, each.end, each.busy, each.count, whom, why)
            for device, whom, why in sorted(self._tracks, key=lambda key: bool(key[1]))
            for each in self._tracks[device, whom, why].stretches
        ]
