"""What is said of a sweep: of a row, of all curves at one size, and of a guess."""

import math
from collections.abc import Sequence

from gpuexplorer.core.units import Quantity, duration, gigabytes_per_second, memory, ratio
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.shared_parts import factor_words, size_words
from gpuexplorer.gui.copies.sweep.model import SweepRow

NOT_MEASURED = mark("not measured yet")
STILL_RISES = mark("the rate still rises at the largest size that was measured")
_NOT_REACHED = mark("no size that was measured is below half of the rate")
_NO_FLOOR = mark("no size that was measured is small enough")
_IN_CACHE = mark("all sizes that were measured fit into the card's cache")
_HIT = 0.1  # of the truth
_ALIKE = 0.25


def figures_of(row: SweepRow) -> Sequence[tuple[Quantity | None, str]]:
    """Rate, share of the limit, half-rate size and floor; None comes with its reason."""
    curve = row.curve
    if curve is None:
        return [(None, row.trouble or tr(NOT_MEASURED))] * 4
    share, half, floor = row.share, row.half_rate_bytes, curve.floor
    no_share = tr(_IN_CACHE) if curve.in_cache else row.no_limit
    return [
        (Quantity(gigabytes_per_second(curve.top)), ""),
        (None, no_share) if share is None else (ratio(share), ""),
        (None, tr(STILL_RISES if row.still_rises else _NOT_REACHED))
        if half is None
        else (memory(half), ""),
        (None, tr(_NO_FLOOR)) if floor is None else (duration(floor), ""),
    ]


def floor_words(row: SweepRow) -> Sequence[str]:
    """What is to be said of small copies, in two lines; none where none was small enough."""
    if row.curve is None or row.curve.floor is None or row.curve.floor_bytes is None:
        return ()
    size, price = size_words(row.curve.floor_bytes), str(duration(row.curve.floor))
    return (
        tr("Up to {size} it takes {price},", size=size, price=price),
        tr("whatever the size"),
    )


def row_said(row: SweepRow) -> str:
    """All of a row, for whoever does not see it."""
    if row.curve is None:
        why = row.trouble or tr(NOT_MEASURED)
        return tr("{way}: {why}", way=row.words, why=why)
    told = []
    (rate, _), (share, _), (half, _), (floor, _) = figures_of(row)
    if rate is not None:
        told.append(f"{rate.number} GB/s")
    if share is not None:
        told.append(tr("{share} of the limit", share=str(share)))
    if half is not None:
        told.append(tr("half at {size}", size=str(half)))
    if floor is not None:
        told.append(tr("floor {time}", time=str(floor)))
    if row.wrong:
        told.append(tr("some sizes arrive WRONG"))
    return tr("{way}: {figures}", way=row.words, figures=", ".join(told))


def said_at(rows: Sequence[SweepRow], size: int) -> str:
    """The same for anyone who does not see it."""
    told = []
    for row in rows:
        seconds = dict(row.times).get(size)
        if seconds is None:
            told.append(tr("{way} not measured", way=row.words))
        else:
            told.append(f"{row.words} {figures_at(size, seconds)}")
    return tr("{size}: {figures}", size=size_words(size), figures="; ".join(told))


def figures_at(size: int, seconds: float) -> str:
    return f"{fine_rate(size / seconds)} GB/s, {duration(seconds)}"


def fine_rate(rate: float) -> str:
    """Small copies reach thousandths of a GB/s, which are not nothing."""
    gigabytes = rate / 1e9
    if gigabytes >= 0.1:
        return gigabytes_per_second(rate)
    return f"{gigabytes:.2g}" if gigabytes >= 1e-4 else f"{gigabytes:.5f}"


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
        return tr("it is {times} times as fast", times=factor_words(off))
    return tr("it takes {times} times as long", times=factor_words(1 / off))


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
            "So few bytes cost only the start of a copy, and you guessed it: {share:.0f} % "
            "off.",
            share=abs(off - 1) * 100,
        )
    if off > 1:
        return tr(
            "So few bytes cost only the start of a copy: {times} times as fast as your guess.",
            times=factor_words(off),
        )
    return tr(
        "So few bytes cost only the start of a copy, which takes {times} times as long as "
        "your guess.",
        times=factor_words(1 / off),
    )
