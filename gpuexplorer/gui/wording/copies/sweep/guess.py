"""Guessing how long a copy takes: from where to where one may guess, and what a guess means."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.core.units import duration, gigabytes_per_second
from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.copies.sweep.rows import SweepRow

SIZES = (4, 4 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20, 1 << 30)
USUAL_SIZE = 256 << 20
_FASTEST = 268e9  # bytes per second at the left end, where size is all that counts
_SHORTEST = 1e-6
_DECADES = 3
_HIT = 0.1  # of the truth
_ALIKE = 0.25


@dataclass(frozen=True, slots=True)
class GuessRange:
    """Seconds; both are powers of ten."""

    least: float
    most: float

    @property
    def decades(self) -> int:
        return round(math.log10(self.most / self.least))

    def share(self, seconds: float) -> float:
        """Where it stands, from 0 to 1."""
        at = math.log10(seconds / self.least) / math.log10(self.most / self.least)
        return min(1.0, max(0.0, at))

    def seconds(self, share: float) -> float:
        return self.least * math.pow(self.most / self.least, min(1.0, max(0.0, share)))

    def ticks(self) -> Sequence[float]:
        return [self.least * 10.0**step for step in range(self.decades + 1)]


def guess_range(size: int, truth: float | None) -> GuessRange:
    """By the size alone, so that it does not give the answer away, unless it would not fit."""
    least = max(_SHORTEST, _decade(size / _FASTEST))
    most = least * 10.0**_DECADES
    if truth is not None:
        least = min(least, _decade(truth))
        most = max(most, 10.0 * _decade(truth))
    return GuessRange(least, most)


def first_guess(of: GuessRange) -> float:
    """In the middle."""
    return of.seconds(0.5)


def slowed_words(truth: float, shown: float) -> str:
    """How much longer, or shorter, it is shown than it takes."""
    if shown >= truth:
        return tr("slowed ×{factor}", factor=f"{shown / truth:,.0f}".replace(",", " "))
    return tr("sped up ×{factor}", factor=f"{truth / shown:.1f}")


def answer(row: SweepRow, rows: Sequence[SweepRow], size: int, guess: float) -> str:
    """What it is in truth, and what else would be as the guess says; empty: nobody knows."""
    truth = row.seconds(size)
    if truth is None:
        return ""
    curve = row.curve
    floor = None if curve is None else curve.floor_bytes
    if curve is not None and floor is not None and size <= floor and curve.floor is not None:
        return tr(
            "{truth}. {meaning}", truth=duration(truth), meaning=_beside_floor(truth, guess)
        )
    means = tr(
        "Your guess means {rate} GB/s: {meaning}.",
        rate=gigabytes_per_second(size / guess),
        meaning=_meaning(row, rows, size, guess, truth),
    )
    rate = gigabytes_per_second(size / truth)
    return tr("{rate} GB/s. {meaning}", rate=rate, meaning=means)


def _meaning(
    row: SweepRow, rows: Sequence[SweepRow], size: int, guess: float, truth: float
) -> str:
    off = guess / truth
    if abs(off - 1) <= _HIT:
        return tr("well guessed, {share:.0f} % off", share=abs(off - 1) * 100)
    alike = [
        (abs(math.log(guess / seconds)), other)
        for other in rows
        if other is not row and (seconds := other.seconds(size)) is not None
    ]
    if alike:
        apart, nearest = min(alike, key=lambda each: each[0])
        if apart <= _ALIKE and apart < abs(math.log(off)):
            return tr("about what {way} gives", way=_named(nearest, row))
    limit = row.limit
    if limit is not None and size / guess > limit.rate:
        return tr("more than {wire} can carry", wire=limit.name)
    if off > 1:
        return tr("it is {times} times as fast", times=_times(off))
    return tr("it takes {times} times as long", times=_times(1 / off))


def _named(other: SweepRow, row: SweepRow) -> str:
    """The other way, in as few words as it takes beside this one."""
    ends = (other.way.source, other.way.target)
    how = other.how
    if ends == (row.way.source, row.way.target):
        return tr("{how} memory", how=how) if other.way.with_host else how
    return tr("{way} ({how})", way=other.ends, how=how) if how else other.words


def _beside_floor(truth: float, guess: float) -> str:
    off = guess / truth
    if abs(off - 1) <= _HIT:
        return tr(
            "So few bytes cost only the beginning, and you guessed it: {share:.0f} % off.",
            share=abs(off - 1) * 100,
        )
    if off > 1:
        return tr(
            "So few bytes cost only the beginning: {times} times as fast as your guess.",
            times=_times(off),
        )
    return tr(
        "So few bytes cost only the beginning, which takes {times} times as long as your "
        "guess.",
        times=_times(1 / off),
    )


def _times(factor: float) -> str:
    return f"{factor:.1f}" if factor < 10 else f"{factor:.0f}"


def _decade(seconds: float) -> float:
    return 10.0 ** math.floor(math.log10(seconds) + 1e-9)
