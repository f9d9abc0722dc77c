"""Copies that cost more than they need: pageable, in small pieces, or there and back."""

from collections.abc import Iterator
from typing import NamedTuple

from gpuexplorer.copies.copy_row import HOST, CopyRow
from gpuexplorer.core.units import duration, grouped, memory, rate, seconds_words
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.events import Loader, Trip, Why
from gpuexplorer.programs.finding import Finding, Matter
from gpuexplorer.programs.look import OFTEN, WORTH_TRYING, Look, total
from gpuexplorer.programs.program_run import spot_of

# Of what a link to the host could carry in theory, what copies of pinned memory reach:
# nvbandwidth finds 76 to 88 % on PCIe 3 to 5.
_REACHED = 0.8
_WORTH_PINNING = 0.04  # of the time: the host copies what it pins
_PIECES = 8  # in a burst: fewer are the few tensors of a batch


def trips(look: Look) -> Iterator[Finding]:
    known = [
        (trip, look.rows.get(trip.out), look.rows.get(trip.row)) for trip in look.seen.trips
    ]
    ways = [
        _Way(trip, out, back)
        for trip, out, back in known
        if out is not None and back is not None and not look.seldom(trip.times)
    ]
    forward = [each for each in ways if not each.backward] or ways
    for way in forward:
        # What is differentiated goes the same way back, and the same cure helps both.
        both = [way, *(each for each in ways if each.backward and each.follows(way))]
        gain = sum(_of_way(look, each) for each in both)
        if look.worth(gain):
            rows = {row.number for each in both for row in (each.out, each.back)}
            yield _trip(look, way, gain, rows)


def pageable(look: Look) -> Iterator[Finding]:
    for row in look.rows.values():
        if row.source != HOST or row.pinned is not False or not row.asked or row.small:
            continue
        # What moves once, such as a model at the beginning, gains nothing: pinning is a copy.
        if look.seldom(row.bursts) or row.seconds is None:
            continue
        pinned = None if row.limit is None else row.bytes / (_REACHED * row.limit)
        gain = None if pinned is None else row.seconds - pinned
        if look.worth(row.seconds if gain is None else gain, _WORTH_PINNING):
            yield _pageable(look, row, pinned, gain)


def blocking(look: Look) -> Iterator[Finding]:
    """Pinned memory for which the host waits all the same."""
    busy = dict(look.seen.busy)
    for row in look.rows.values():
        if row.source != HOST or not (row.pinned and row.blocking and row.asked):
            continue
        if look.seldom(row.bursts) or row.host_seconds is None or row.target not in busy:
            continue
        # The card is done no sooner than its work.
        gain = min(row.host_seconds, look.whole - busy[row.target])
        if look.worth(gain, WORTH_TRYING):
            yield _blocking(look, row, row.host_seconds, gain)


def small(look: Look) -> Iterator[Finding]:
    for row in look.rows.values():
        pieces = row.copies / max(1, row.bursts)
        # A library that copies piece by piece, such as a model's parameters, cannot be helped.
        if not row.small or pieces < _PIECES or row.copies < OFTEN or row.within:
            continue
        now = _cost(row)
        if now is None:
            continue
        each = now / row.copies
        then = row.bursts * each + (row.bytes / row.limit if row.limit else 0.0)
        gain = max(now, min(now + _waits_between(look, row), row.host_seconds or 0.0)) - then
        if look.worth(gain):
            yield _small(look, row, now, then, gain)


def _waits_between(look: Look, row: CopyRow) -> float:
    """The card also waits from one of the copies to the next."""
    idle = [each for each in look.idle(Why.HOST, spot_of(row)) if each.device == row.target]
    return total(idle) + sum(each for card, each in look.seen.pauses if card == row.target)


class _Way(NamedTuple):
    """A trip, and the copies of which it is."""

    trip: Trip
    out: CopyRow
    back: CopyRow

    @property
    def backward(self) -> bool:
        """Of gradients: autograd copied them."""
        return self.out.how == "backward"

    def follows(self, other: "_Way") -> bool:
        """It is another, of the same loop."""
        times = other.trip.times
        return self is not other and abs(self.trip.times - times) <= 0.1 * times


def _of_way(look: Look, way: _Way) -> float:
    """Seconds of both copies, and for which the card idled after the first."""
    trip = way.trip
    idle = sum(
        each.seconds * min(1.0, trip.times / max(1, each.times))
        for each in look.idle(Why.READ, spot_of(way.out))
        if each.device == trip.device
    )
    return _wire(way.out, trip.times) + _wire(way.back, trip.times) + idle


def _wire(row: CopyRow, times: int) -> float:
    """Seconds of so many of its copies, as far as they are known."""
    seconds = row.seconds if row.seconds is not None else row.host_seconds
    return (seconds or 0.0) * min(1.0, times / row.copies)


def _trip(look: Look, way: _Way, gain: float, rows: set[int]) -> Finding:
    trip, out, back = way
    values = {
        "head": look.head(out),
        "device": trip.device,
        "back": look.head(back),
        "size": str(memory(trip.bytes / trip.times, look.run.units)),
        "times": grouped(trip.times),
        "part": look.of_whole(gain),
    }
    sentence = Message(
        "{head} takes {size} from {device} to the host, and {back} brings it back, {times} "
        "times: about {part}.",
        **values,
    )
    cure = Message("Keep it on the card.")
    if trip.changed:
        sentence = Message(
            "{head} takes {size} from {device} to the host, and {back} brings back what became "
            "of it, {times} times: about {part}.",
            **values,
        )
        cure = Message("Compute that on the card too, and keep it there.")
    return look.finding(
        Matter.TRIP,
        out,
        sentence,
        cure,
        spent=gain,
        gain=gain,
        figures={"times": trip.times, "bytes": trip.bytes, "seconds": gain},
        device=trip.device,
        other=back,
        rows=rows,
    )


def _pageable(look: Look, row: CopyRow, pinned: float | None, gain: float | None) -> Finding:
    now = row.seconds or 0.0
    loader = _loader_of(look, row)
    values = {
        "head": look.head(row),
        "size": str(memory(row.bytes, look.run.units)),
        "part": look.of_whole(now),
        "rate": str(rate(row.bytes / now)),
    }
    sentence = Message(
        "{head} copied {size} from pageable memory in {part}, at {rate}.", **values
    )
    if row.limit is not None:
        sentence = Message(
            "{head} copied {size} from pageable memory in {part}, at {rate}; the wire could "
            "carry {limit}.",
            limit=str(rate(row.limit)),
            **values,
        )
    return look.finding(
        Matter.PAGEABLE,
        row,
        sentence,
        told(_pin(look, loader), NOTHING if pinned is None else _instead(pinned, now)),
        spent=now,
        gain=gain,
        figures={
            "copies": row.copies,
            "bytes": row.bytes,
            "seconds": now,
            "pinned_s": pinned,
            "rate": row.bytes / now,
            "limit": row.limit,
        },
        other=loader,
        rows={row.number},
    )


def _blocking(look: Look, row: CopyRow, waited: float, gain: float) -> Finding:
    return look.finding(
        Matter.BLOCKING,
        row,
        Message(
            "{head} copied {size} from pinned memory, and the host waited for it: {part}.",
            head=look.head(row),
            size=str(memory(row.bytes, look.run.units)),
            part=look.of_whole(waited),
        ),
        Message(
            "Copy with non_blocking=True, and do not write to that memory before the copy is "
            "done."
        ),
        spent=waited,
        gain=gain,
        figures={"copies": row.copies, "bytes": row.bytes, "host_waited_s": waited},
        rows={row.number},
    )


def _pin(look: Look, loader: Loader | None) -> Message:
    if loader is None:
        return Message(
            "Keep it in pinned memory (.pin_memory(), once), and copy with non_blocking=True."
        )
    return Message(
        "Give the loader of {place} pin_memory=True, and copy with non_blocking=True.",
        place=look.run.place(spot_of(loader)),
    )


def _loader_of(look: Look, row: CopyRow) -> Loader | None:
    """The loader whose batches are copied there, as far as numbers tell: one copy for each, or
    the same few.
    """
    for each in look.seen.loaders:
        if not each.pins and each.batches <= row.copies * 1.1 and row.bursts <= each.batches:
            return each
    return None


def _small(look: Look, row: CopyRow, now: float, then: float, gain: float) -> Finding:
    to_host = row.target == HOST
    cure = Message("Put them together there (torch.stack), and copy once.")
    if to_host:
        cure = Message("Put them together on the card (torch.stack), and fetch them once.")
    return look.finding(
        Matter.SMALL,
        row,
        Message(
            "{head} made {copies} copies of {size}, about {pieces} at a time: {part}.",
            head=look.head(row),
            copies=grouped(row.copies),
            size=str(memory(row.bytes / row.copies, look.run.units)),
            pieces=grouped(round(row.copies / max(1, row.bursts))),
            part=look.of_whole(now),
        ),
        told(cure, _instead(then, now)),
        spent=now,
        gain=gain,
        figures={
            "copies": row.copies,
            "bursts": row.bursts,
            "bytes": row.bytes,
            "seconds": now,
            "at_once_s": then,
        },
        device=row.source if to_host else row.target,
        rows={row.number},
    )


def _instead(then: float, now: float) -> Message:
    return Message(
        "Estimated: about {then} instead of {now}.",
        then=seconds_words(then),
        now=str(duration(now)),
    )


def _cost(row: CopyRow) -> float | None:
    """What the copies took. While it waits for one, the host waits for other work as well."""
    if row.blocking and row.seconds is not None:
        return row.seconds
    known = [each for each in (row.host_seconds, row.seconds) if each is not None]
    return max(known, default=None)
