"""Tracing: single stretches of what a program did, kept until they are said; and Tracks: when
devices were at work or waited, in so few stretches that they can be told.
"""

import threading

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
        self._computing: dict[str, int] = {}  # by card: the place of the last, which may go on

    def add(
        self, kind: str, device: str, begin: float, end: float, row: int = 0, size: int = 0
    ) -> None:
        """Seconds since the program began. `kind` is a Traced's, `device` the card whose time
        it is, or "cpu", `row` the number of the Transferred (of a copy, and of a wait for it),
        the Idle or the Loader, `size` the bytes of a copy.
        """
        if end <= begin:
            return
        stretch = kind, device, begin, end, row, size
        with self._lock:
            last = self._computing.get(device) if kind == "compute" else None
            if last is not None and begin - self._kept[last][3] <= _CLOSE:
                begin, until = self._kept[last][2:4]
                self._kept[last] = kind, device, begin, max(until, end), row, size
                return
            if kind == "compute":
                self._computing[device] = len(self._kept)
            self._kept.append(stretch)

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
            kept, self._kept, self._computing = self._kept, [], {}
            told, left_out = kept[: self._room], len(kept[self._room :])
            self._room -= len(told)
        told.sort(key=lambda each: each[3])
        return Traced(command, tuple(told), left_out) if kept else None


_MOST = 60  # spans of a device that computes, or waits for the same


class Tracks:
    """By device: when it computed, and when it waited for which other, and why. Where stretches
    get too many, neighbours are joined, so that each is about as long as the line allows; what
    touches is joined always.
    """

    def __init__(self) -> None:
        # By device, whom it waits for and why: begin, end, seconds at work, how many they were.
        self._tracks: dict[tuple[str, str, str], list[tuple[float, float, float, int]]] = {}
        self._longest: dict[tuple[str, str, str], float] = {}  # made by joining over a pause

    def add(
        self, device: str, begin: float, end: float, waits_for: str = "", why: str = ""
    ) -> None:
        key = device, waits_for, why
        track = self._tracks.setdefault(key, [])
        longest = self._longest.get(key, 0.0)
        _join(track, (begin, end, end - begin, 1), longest)
        if len(track) > _MOST:
            # Two neighbours together are longer than this, so a quarter as many stay at most
            # twice over.
            self._longest[key] = longest = (track[-1][1] - track[0][0]) / (_MOST / 4)
            self._tracks[key] = []
            for each in track:
                _join(self._tracks[key], each, longest)

    def spans(self) -> "list[Span]":
        """What was computed comes first."""
        return [
            Span(device, *stretch, whom, why)
            for device, whom, why in sorted(self._tracks, key=lambda key: bool(key[1]))
            for stretch in self._tracks[device, whom, why]
        ]


def _join(
    track: "list[tuple[float, float, float, int]]",
    new: "tuple[float, float, float, int]",
    longest: float,
) -> None:
    begin, end, busy, count = new
    # Sums of floats: what touches may seem to be apart by the last digit.
    if track and (begin - track[-1][1] <= 1e-12 or end - track[-1][0] <= longest):
        first, last, before, many = track.pop()
        new = first, max(last, end), before + busy, many + count
    track.append(new)
