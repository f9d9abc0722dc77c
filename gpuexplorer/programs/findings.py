"""What in a program keeps its cards waiting, or copies more than it needs, as sentences with
figures and cures.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from gpuexplorer.copies.copy_row import HOST, CopyRow
from gpuexplorer.core.units import duration, grouped, memory, rate, seconds_words
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.events import Idle, Loader, Trip, Why
from gpuexplorer.programs.look import (
    OFTEN,
    WORTH_TRYING,
    Finding,
    Look,
    Matter,
    by_spot,
    repeated,
    total,
)
from gpuexplorer.programs.program_run import ProgramRun, Spot, spot_of

__all__ = ["Finding", "Matter", "findings"]


def findings(run: ProgramRun) -> Sequence[Finding]:
    """Those first that can give back most. Empty where nothing is worth a change."""
    found = [each for cell, seen in run.seen for each in _of_cell(Look(run, cell, seen))]
    return sorted(found, key=lambda each: (-(each.seconds or 0.0), each.spot))


def _of_cell(look: Look) -> Sequence[Finding]:
    """What is said of a copy is said once: by what takes the copy away rather than by what
    makes it cheaper.
    """
    found: list[Finding] = []
    said: set[int] = set()
    for kind in (trips, small, reads, pageable, blocking):
        new = [each for each in kind(look) if not each.rows & said]
        found += new
        said |= {row for each in new for row in each.rows}
    small_ones = {each.spot for each in found if each.matter is Matter.SMALL}
    there = {each.spot for each in found if each.matter is Matter.TRIP}
    return [*found, *loaders(look), *hosts(look, small_ones, there)]


_PRINTING = frozenset({"print", "format", "display", "repr", "str", "write"})
_DECIDING = frozenset(
    {"if", "while", "assert", "and", "or", "not", "bool", "equal", "allclose", "any", "all"}
)
_FETCHING = frozenset({"numpy", "tolist", "cpu", "to", "copy_", "array", "asarray"})
_SAVING = "save"
_SAVES = 3  # from so many on it is done again and again
_ALL = 0.9  # of the host's own work: then the other lines are not worth a word
_MOST = 0.7  # of what a card waited: then the cure gives back about all of it


def reads(look: Look) -> Iterator[Finding]:
    for idle in by_spot(look.idle(Why.READ)):
        yield from _read(look, idle)


def _read(look: Look, idle: Sequence[Idle]) -> Iterator[Finding]:
    worst = idle[0]
    copies = [each for each in look.at(spot_of(worst)) if each.target == HOST and each.blocking]
    same = [each for each in copies if each.what == worst.what] or copies
    times = sum(each.copies for each in same) or worst.times
    waited = look.host_waited(times) if copies else None
    # The card does nothing else while it answers.
    gain = repeated(idle) + sum(each.seconds or 0.0 for each in copies)
    saving = bool(copies) and all(each.how == _SAVING for each in copies)
    if saving:
        times = sum(each.bursts for each in copies)
        if times < _SAVES or not look.worth(gain, WORTH_TRYING):
            return
    elif waited is not None:
        # Without its reads the host asks for the next work while the card computes: it can run
        # ahead by no more than it stood still for them.
        gain = min(gain, waited)
    gain = min(gain, total(idle))
    if not saving and (look.seldom(times) or not look.worth(gain)):
        return
    seconds = total(idle)
    yield look.finding(
        Matter.READ,
        worst,
        Message(
            "{head} {times} times: {card} waited {part}.",
            head=look.head(worst),
            times=grouped(times),
            card=look.card(worst.device),
            part=look.of_whole(seconds),
        ),
        _with_gain(_read_cure(same, worst), gain, seconds),
        spent=seconds,
        gain=gain,
        figures={"times": times, "card_waited_s": seconds, "host_waited_s": waited},
        rows=(each.number for each in copies),
    )


def _read_cure(copies: Sequence[CopyRow], idle: Idle) -> Message:
    how = copies[0].how if copies else ""
    if how == _SAVING:
        return Message(
            "Save less often, or copy the state to the host and write it in a thread."
        )
    if not copies and "synchronize" in idle.what:
        return Message(
            "Leave it out: PyTorch waits by itself where a value is needed. To take times, "
            "record events (torch.cuda.Event) and read them at the end."
        )
    if how in _PRINTING:
        return Message("Print it every 100 steps, or keep it on the card and print it once.")
    if how in _DECIDING:
        return Message("Decide on the card, such as by torch.where, or every 100 steps.")
    if how in _FETCHING:
        return Message("Collect it on the card, and fetch all of it at once at the end.")
    return Message("Keep the sum on the card and read it every 100 steps.")


def _with_gain(cure: Message, gain: float, seconds: float) -> Message:
    """Where the host is slow as well, a card waits on without the reads."""
    if gain >= _MOST * seconds:
        return cure
    return told(
        cure,
        Message(
            "That gives back about {gain}: the host is too slow for the rest.",
            gain=seconds_words(gain),
        ),
    )


# Seconds. A pause that is shorter on average is not one line's work: the host goes from one
# operation to the next, and each takes the card less time than the host needs to ask for it.
_BETWEEN_OPERATIONS = 1e-3
_DATA_PARALLEL = "torch.nn.parallel"  # the modules that copy for it
_SHARE_OF_MANY = 0.1  # of the time watched, of all such pauses together
_NOW_AND_THEN = 0.15  # the same, of a line that does not work in most steps
_FAR_LONGER = 20  # than the mean: workers that are started anew
_MOST_WORKERS = 8  # to begin with: each takes memory
# Seconds. About as long a worker needs to hand a batch over, however soon it has made it.
_HANDING_OVER = 1e-3


def loaders(look: Look) -> Iterator[Finding]:
    for idle in by_spot(look.idle(Why.LOADER)):
        gain = repeated(idle)
        times = sum(each.times for each in idle)
        if not look.seldom(times) and look.worth(gain, WORTH_TRYING):
            yield _loader(look, idle, gain)


def hosts(
    look: Look, small: Collection[Spot] = (), trips: Collection[Spot] = ()
) -> Iterator[Finding]:
    """`small`: where small copies are made. The pauses between them go with them. `trips`: the
    reads with which something leaves a card that comes back.
    """
    between: list[Sequence[Idle]] = []
    working: list[Sequence[Idle]] = []
    left = _left_of_watching(look)
    for idle in by_spot([*look.idle(Why.HOST), *look.behind_reads(trips)]):
        if spot_of(idle[0]) not in small:
            times = sum(each.times for each in idle)
            behind = any(each.part_of for each in idle)
            short = not behind and total(idle) < _BETWEEN_OPERATIONS * times
            (between if short else working).append(idle)
    whole = sum(map(total, working))
    rest = []
    for idle in working:
        times, gain = sum(each.times for each in idle), repeated(idle) * left
        least = WORTH_TRYING if look.mostly(times) else _NOW_AND_THEN
        if not look.seldom(times) and look.worth(gain, least):
            yield _at_a_line(look, idle, times, gain, whole)
        else:
            rest.append(idle)
    yield from _at_many_lines(look, rest, left)
    yield from _between_operations(look, between, left, {} if small else dict(look.seen.pauses))


def _loader(look: Look, idle: Sequence[Idle], gain: float) -> Finding:
    worst, seconds = idle[0], total(idle)
    there = [each for each in look.seen.loaders if spot_of(each) == spot_of(worst)]
    loader = max(there, key=lambda each: each.seconds, default=None)
    batches = sum(each.batches for each in there) or sum(each.times for each in idle)
    what = worst.what or (loader.what if loader is not None else "")
    return look.finding(
        Matter.LOADER,
        worst,
        Message(
            "{head} kept {card} waiting for {batches} batches: {part}.",
            head=look.head(worst, what),
            card=look.card(worst.device),
            part=look.of_whole(seconds),
            batches=grouped(batches),
        ),
        _workers(loader, idle, look.run.processors),
        spent=seconds,
        gain=gain,
        figures={
            "batches": batches,
            "card_waited_s": seconds,
            "host_waited_s": sum(each.seconds for each in there) if there else None,
            "workers": loader.workers if loader is not None else None,
            "processors": look.run.processors,
        },
        what=what,
    )


def _workers(loader: Loader | None, idle: Sequence[Idle], processors: int | None) -> Message:
    if loader is None:
        return Message("Prepare batches while the card computes, in a DataLoader with workers.")
    if loader.seconds < _HANDING_OVER * loader.batches:
        return Message(
            "A worker needs about as long to hand a batch over, so more workers would not "
            "help. Take larger batches, or keep the data on the card and index it there."
        )
    less = Message("Do less for each sample, or prepare the data once and keep them.")
    if not loader.workers:
        if processors is not None and processors < 2:
            return told(
                Message("This computer has one processor, so workers would not help."), less
            )
        count = min(_MOST_WORKERS, (processors or 5) - 1)
        return Message(
            "Give the loader workers, which prepare batches while the card computes: "
            "num_workers={count}, persistent_workers=True.",
            count=count,
        )
    anew = _anew(idle)
    if processors is not None and loader.workers >= processors:
        return told(
            Message.counted(
                "This computer has one processor, so more workers would not help.",
                "This computer has {count} processors, so more than {workers} workers would "
                "not help.",
                processors,
                workers=loader.workers,
            ),
            less,
            anew,
        )
    more = 2 * loader.workers
    return told(
        Message.counted(
            "Its worker does not keep up. Try num_workers={more}, or do less for each sample.",
            "Its {count} workers do not keep up. Try num_workers={more}, or do less for each "
            "sample.",
            loader.workers,
            more=more if processors is None else min(more, processors),
        ),
        anew,
    )


def _anew(idle: Sequence[Idle]) -> Message:
    worst = idle[0]
    if worst.longest * worst.times < _FAR_LONGER * worst.seconds:
        return NOTHING
    return Message(
        "The longest wait was {longest}: persistent_workers=True keeps the workers from one "
        "epoch to the next.",
        longest=str(duration(worst.longest)),
    )


def _left_of_watching(look: Look) -> float:
    """The share of pauses of the host that are not due to our watching: it is the host that
    watches. On simulated cards the clock stands still meanwhile.
    """
    whole = total(look.idle(Why.HOST))
    if look.seen.modelled or not whole:
        return 1.0
    return max(0.0, 1.0 - (look.seen.cost_seconds or 0.0) / whole)


def _at_a_line(
    look: Look, idle: Sequence[Idle], times: int, gain: float, whole: float
) -> Finding:
    """`whole`: seconds for which the host did work of its own, wherever."""
    worst, seconds = idle[0], total(idle)
    values = {
        "head": look.head(worst),
        "card": look.card(worst.device),
        "part": look.of_whole(seconds),
        "times": grouped(times),
    }
    sentence = Message(
        "{head} kept {card} waiting for the host, {times} times: {part}.", **values
    )
    if seconds < _ALL * whole:
        sentence = Message(
            "{head} kept {card} waiting for the host, about {times} times: {part}, {share} % "
            "of what the host's own work cost.",
            share=f"{seconds / whole:.0%}".rstrip("%"),
            **values,
        )
    return look.finding(
        Matter.HOST,
        worst,
        sentence,
        _cure(look, spot_of(worst)),
        spent=seconds,
        gain=gain,
        figures={"times": times, "card_waited_s": seconds},
    )


def _at_many_lines(
    look: Look, work: Sequence[Sequence[Idle]], left: float
) -> Iterator[Finding]:
    """Each too little to be told of by itself."""
    seconds = sum(map(total, work))
    gain = sum(map(repeated, work)) * left
    times = sum(each.times for idle in work for each in idle)
    if look.seldom(times) or not look.worth(gain, _SHARE_OF_MANY):
        return
    longest = max(work, key=total)
    worst = longest[0]
    yield look.finding(
        Matter.HOST,
        worst,
        Message(
            "The host's own work at {count} lines kept {card} waiting: {part}, {share} % of "
            "that at {head}.",
            count=len(work),
            card=look.card(worst.device),
            part=look.of_whole(seconds),
            share=f"{total(longest) / seconds:.0%}".rstrip("%"),
            head=look.head(worst),
        ),
        _cure(look, spot_of(worst)),
        spent=seconds,
        gain=gain,
        figures={"times": times, "card_waited_s": seconds, "lines": len(work)},
    )


def _cure(look: Look, spot: Spot) -> Message:
    if any(each.within.startswith(_DATA_PARALLEL) for each in look.at(spot)):
        return Message(
            "DataParallel copies the model to each card in every step, from one thread: use "
            "DistributedDataParallel, or one card."
        )
    return Message(
        "Do it on the card, in the loader's workers, or only every 100 steps; or ask the card "
        "for the next work first."
    )


def _between_operations(
    look: Look, pauses: Sequence[Sequence[Idle]], left: float, too_short: Mapping[str, float]
) -> Iterator[Finding]:
    """The pauses of all lines together, of the card that has most of them."""
    cards: dict[str, list[Sequence[Idle]]] = {}
    for each in pauses:
        cards.setdefault(each[0].device, []).append(each)
    if not cards:
        return
    lines = sorted(
        max(cards.values(), key=lambda groups: sum(map(total, groups))), key=total, reverse=True
    )
    short = too_short.get(lines[0][0].device, 0.0)
    seconds = sum(map(total, lines)) + short
    gain = seconds * left
    times = sum(each.times for idle in lines for each in idle)
    if (look.seldom(times) and not short) or gain < _SHARE_OF_MANY * look.whole:
        return
    worst = lines[0][0]
    values = {
        "card": look.card(worst.device),
        "part": look.of_whole(seconds),
        "head": look.head(worst),
    }
    sentence = Message(
        "Between one operation and the next, {card} waited {part} for the host, most of it at "
        "{head}.",
        **values,
    )
    if 2 * total(lines[0]) < seconds:
        sentence = Message(
            "Between one operation and the next, {card} waited {part} for the host, longest at "
            "{head}.",
            **values,
        )
    yield look.finding(
        Matter.HOST,
        worst,
        sentence,
        Message("Give the card more at a time: larger batches, torch.compile, or CUDA graphs."),
        spent=seconds,
        gain=gain,
        figures={"times": times, "card_waited_s": seconds, "lines": len(lines)},
    )


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
        now = max(now, min(now + _waits_between(look, row), row.host_seconds or 0.0))
        if look.worth(now - then):
            yield _small(look, row, now, then, now - then)


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
