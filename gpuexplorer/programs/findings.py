"""What in a program keeps its cards waiting, or copies more than it needs, as sentences with
figures and cures. A rule finds the lines it holds for, and says what a cure can give back.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from gpuexplorer.copies.copy_row import HOST, CopyRow
from gpuexplorer.core.units import duration, grouped, memory, plain, rate, seconds_words
from gpuexplorer.core.words import Message, mark, told
from gpuexplorer.lab.events import Idle, Loader, Watched, Why
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.programs.program_run import (
    WORTH,
    ProgramRun,
    Spot,
    row_of,
    sampled,
    spot_of,
    total,
)


class Matter(StrEnum):
    """What a finding is about."""

    READ = "read"  # the host reads from a card so often that the card waits
    BLOCKING = "blocking"  # copies of pinned memory for which the host waits all the same
    PAGEABLE = "pageable"  # large copies from memory that is not pinned
    SMALL = "small"  # many small copies where one large would do
    TRIP = "trip"  # a tensor that goes to the host and back
    LOADER = "loader"  # batches come too slowly
    HOST = "host"  # the host itself keeps a card waiting


@dataclass(frozen=True, slots=True)
class Finding:
    """`sentence` begins with the place and has the figures."""

    matter: Matter
    spot: Spot
    place: Message  # "train.py:84"
    what: str  # the expression, such as "loss.item()"; empty where it is not known
    sentence: Message
    cure: Message
    # Of those watched, what the cure can give back at most. None: it cannot be estimated.
    seconds: float | None
    figures: Mapping[str, float | int]
    device: str = ""  # the card that waited
    other: Spot | None = None  # a second line that belongs to it, as of a trip
    rows: frozenset[int] = frozenset()  # of the copies that it is about

    def share(self, whole: float) -> str:
        """How many per cent of so many seconds the cure can give back at most: "23". Empty
        where it cannot be estimated.
        """
        if self.seconds is None or whole <= 0:
            return ""
        return plain(float(f"{min(1.0, self.seconds / whole) * 100:.2g}"))


def findings(run: ProgramRun) -> Sequence[Finding]:
    """Those first that can give back most. Empty where nothing is worth a change."""
    found: list[Finding] = []
    for cell, seen in run.seen:
        look = _Look(run, cell, seen)
        # What is said of a copy is said once: by what takes the copy away rather than by what
        # makes it cheaper.
        for rule in (_trips, _small, _reads, _large, _loaders, _hosts):
            said = {row for each in look.found for row in each.rows}
            look.found += [each for each in rule(look) if not each.rows & said]
        found += look.found
    return sorted(found, key=lambda each: (-(each.seconds or 0.0), each.spot))


# Of the time watched, as `WORTH`, where a cure has to be tried out and is more than a word.
_LEAST = dict.fromkeys((Matter.PAGEABLE, Matter.BLOCKING, Matter.LOADER), 0.04)
_LEAST[Matter.HOST] = 0.1  # since the program itself is changed
_SAID = {
    Matter.TRIP: mark(
        "{head} takes {size} from {device} to the host, and {back} brings it back, {times} "
        "times: about {part}."
    ),
    Matter.SMALL: mark(
        "{head} made {times} copies of {size}, about {pieces} at a time: {part}."
    ),
    Matter.READ: mark("{head} {times} times: {card} waited {part}."),
    Matter.PAGEABLE: mark("{head} copied {size} from pageable memory in {part}, at {rate}."),
    Matter.BLOCKING: mark(
        "{head} copied {size} from pinned memory, and the host waited for it: {part}."
    ),
    Matter.LOADER: mark("{head} kept {card} waiting for {times} batches: {part}."),
    Matter.HOST: mark("{head} kept {card} waiting for the host, {times} times: {part}."),
}
# What happens less often is no loop, but how a program begins or ends: the first call makes a
# context, the last reads a result.
_OFTEN = 10
_SELDOM = 20  # what is done in fewer than one of so many steps is done seldom already
_SUMS = ("seconds", "times", "longest")  # of pauses


class _Look:
    """What was watched of one cell, ready to be asked about; a `.py` has no other."""

    def __init__(self, run: ProgramRun, cell: Cell, seen: Watched) -> None:
        self.run, self.seen = run, seen
        self.found: list[Finding] = []
        self.whole = max(0.0, seen.seen_seconds - seen.started)  # without the start
        copies = [row_of(run, cell, copy) for copy in seen.copies if not copy.already_there]
        self.rows = {row.number: row for row in copies}
        self.reads = [row for row in copies if row.target == HOST and row.blocking]
        self._several = len({*(idle.device for idle in seen.idle), *dict(seen.busy)}) > 1
        self.steps = seen.seen_steps if seen.step else 0  # slices of time are none

    def worth(self, matter: Matter, seconds: float) -> bool:
        return seconds >= _LEAST.get(matter, WORTH) * self.whole and seconds > 0.0

    def seldom(self, times: int) -> bool:
        """No loop, or not in every so many steps of it."""
        return times < _OFTEN or times * _SELDOM < self.steps

    def lines(self, why: Why) -> list[Idle]:
        """Of each line the pauses of the card that idled longest, as one."""
        rows = [each for each in self.seen.idle if each.why is why and not each.part_of]
        joined: dict[Spot, Idle] = {}
        for each in sorted(rows, key=lambda idle: -idle.seconds):
            first = joined.setdefault(spot_of(each), each)
            if first is not each and first.device == each.device:
                sums = {name: getattr(first, name) + getattr(each, name) for name in _SUMS}
                joined[spot_of(each)] = replace(first, **sums)
        return list(joined.values())

    def head(self, row: CopyRow | Idle) -> Message:
        """What a sentence begins with: "train.py:84 `loss.item()`"."""
        place = self.run.place(spot_of(row))
        return Message("{place} `{what}`", place=place, what=row.what) if row.what else place

    def size(self, count: float) -> str:
        return str(memory(count, self.run.units))

    def finding(
        self,
        matter: Matter,
        at: CopyRow | Idle,
        cure: Message,
        spent: float,
        gain: float | None,
        *,
        sentence: str = "",
        times: int = 0,
        other: CopyRow | Loader | None = None,
        rows: Sequence[CopyRow] = (),
        **values: object,
    ) -> Iterator[Finding]:
        """One, or none where it is not worth a change. `sentence`: in place of the matter's;
        head, card, times and part of the whole are filled in. `spent`: the seconds that it
        names.
        """
        if not self.worth(matter, spent if gain is None else gain):
            return
        if isinstance(at, Idle):
            device, times = at.device, times or at.times
        else:
            device = at.source if at.target == HOST else at.target
            rows, times = rows or [at], times or at.copies
        whole, part, seen = duration(self.whole), duration(min(spent, self.whole)), self.seen
        spent_of = part.number if part.unit == whole.unit else str(part)
        said = Message(
            sentence or _SAID[matter],
            head=self.head(at),
            device=device,
            card=device if self._several else Message("the card"),
            times=grouped(times),
            part=Message("{spent} of {whole}", spent=spent_of, whole=str(whole)),
            **values,
        )
        if sampled(seen):
            time = seconds_words(spent * (seen.seconds - seen.started) / self.whole)
            said = told(said, Message("Over the whole run: about {time}.", time=time))
        yield Finding(
            matter,
            spot_of(at),
            self.run.place(spot_of(at)),
            at.what,
            said,
            cure,
            gain,
            {"times": times, "seconds": spent, "bytes": sum(row.bytes for row in rows)},
            device,
            None if other is None else spot_of(other),
            frozenset(row.number for row in rows),
        )


def _instead(then: float, now: float) -> Message:
    return Message(
        "Estimated: about {then} instead of {now}.",
        then=seconds_words(then),
        now=str(duration(now)),
    )


def _trips(look: _Look) -> Iterator[Finding]:
    ways = [
        (trip, look.rows[trip.out], look.rows[trip.row])
        for trip in look.seen.trips
        if {trip.out, trip.row} <= look.rows.keys() and not look.seldom(trip.times)
    ]
    # Gradients, which autograd copied, go the same way back: the same cure helps.
    gradients = [row for _, *rows in ways if rows[1].how == "backward" for row in rows]
    for trip, out, back in ways:
        if back.how == "backward":
            continue
        rows, gradients = [out, back, *gradients], []
        left = {spot_of(row) for row in rows if row.target == HOST}
        gain = sum(row.seconds or row.host_seconds or 0.0 for row in rows)
        gain += sum(each.seconds for each in look.lines(Why.READ) if spot_of(each) in left)
        cure = Message("Keep it on the card.")
        if trip.changed:
            cure = Message("Compute that on the card too, and keep it there.")
        yield from look.finding(
            Matter.TRIP,
            out,
            cure,
            gain,
            gain,
            times=trip.times,
            other=back,
            rows=rows,
            size=look.size(trip.bytes / trip.times),
            back=look.head(back),
        )


_PIECES = 8  # in a burst: fewer are the few tensors of a batch


def _small(look: _Look) -> Iterator[Finding]:
    for row in look.rows.values():
        bursts = max(1, row.bursts)
        # A library that copies piece by piece, such as a model's parameters, cannot be helped.
        if not row.small or row.copies < max(_OFTEN, _PIECES * bursts) or row.within:
            continue
        # While the host waits for what it reads, it waits for other work as well.
        now = row.seconds if row.target == HOST and row.seconds else row.host_seconds
        now = now or row.seconds or 0.0
        then = bursts * now / row.copies + (row.bytes / row.limit if row.limit else 0.0)
        cure = Message("Put them together there (torch.stack), and copy once.")
        if row.target == HOST:
            cure = Message("Put them together on the card (torch.stack), and fetch them once.")
        yield from look.finding(
            Matter.SMALL,
            row,
            told(cure, _instead(then, now)),
            now,
            now - then,
            size=look.size(row.bytes / row.copies),
            pieces=grouped(round(row.copies / bursts)),
        )


_MOST = 0.7  # of what a card waited: then the cure gives back about all of it
_FETCHED = mark("Collect it on the card, and fetch all of it at once at the end.")
_PRINTED = mark("Print it every 100 steps, or keep it on the card and print it once.")
_DECIDED = mark("Decide on the card, such as by torch.where, or every 100 steps.")
_INSTEAD_OF_READING = {
    "save": mark("Save less often, or copy the state to the host and write it in a thread."),
    "synchronize": mark(
        "Leave it out: PyTorch waits by itself where a value is needed. To take times, record "
        "events (torch.cuda.Event) and read them at the end."
    ),
    **dict.fromkeys(("print", "format", "display", "repr", "str", "write"), _PRINTED),
    **dict.fromkeys(("if", "while", "assert", "and", "or", "not", "bool"), _DECIDED),
    **dict.fromkeys(("equal", "allclose", "any", "all"), _DECIDED),
    **dict.fromkeys(("numpy", "tolist", "cpu", "to", "copy_", "array", "asarray"), _FETCHED),
}


def _reads(look: _Look) -> Iterator[Finding]:
    for idle in look.lines(Why.READ):
        copies = [each for each in look.reads if spot_of(each) == spot_of(idle)]
        same = [each for each in copies if each.what == idle.what] or copies
        how = same[0].how if same else "synchronize" * ("synchronize" in idle.what)
        times = sum(each.copies for each in same) or idle.times
        if look.seldom(times):
            continue
        # The card does nothing else while it answers. The longest wait may have been the first.
        again = idle.seconds - idle.longest + sum(each.seconds or 0.0 for each in copies)
        # Without its reads the host asks for the next work while the card computes: it can run
        # ahead by no more than it stood still for them.
        # Copies of about as many times are of the same loop: a card idles after the last read
        # of a step, the host waits at the first.
        loop = [each for each in look.reads if abs(each.copies - times) <= 0.1 * times]
        waited = total([each.host_seconds for each in loop]) if copies else None
        gain = min(again, idle.seconds, again if waited is None else waited)
        otherwise = mark("Keep the sum on the card and read it every 100 steps.")
        cure = Message(_INSTEAD_OF_READING.get(how, otherwise))
        if gain < _MOST * idle.seconds:
            too_slow = Message(
                "That gives back about {gain}: the host is too slow for the rest.",
                gain=seconds_words(gain),
            )
            cure = told(cure, too_slow)
        yield from look.finding(
            Matter.READ, idle, cure, idle.seconds, gain, times=times, rows=copies
        )


# Of what a link to the host could carry in theory, what copies of pinned memory reach:
# nvbandwidth finds 76 to 88 % on PCIe 3 to 5.
_REACHED = 0.8


def _large(look: _Look) -> Iterator[Finding]:
    """From memory that is not pinned; from pinned memory, where the host waits all the same."""
    for row in look.rows.values():
        # What moves once, such as a model at the beginning, gains nothing: pinning is a copy.
        if row.source != HOST or not row.asked or look.seldom(row.bursts):
            continue
        reached: str = str(rate(row.bytes / row.seconds)) if row.seconds else ""
        loader = None
        if row.pinned and row.blocking:
            matter, spent = Matter.BLOCKING, row.host_seconds or 0.0
            # The card is done no sooner than its work.
            left = look.whole - dict(look.seen.busy).get(row.target, look.whole)
            gain: float | None = min(spent, left)
            cure = Message(
                "Copy with non_blocking=True, and do not write to that memory before the copy "
                "is done."
            )
        elif row.pinned is False and not row.small and row.seconds:
            matter, spent, gain = Matter.PAGEABLE, row.seconds, None
            cure = Message(
                "Keep it in pinned memory (.pin_memory(), once), and copy with "
                "non_blocking=True."
            )
            for each in look.seen.loaders:
                # As far as numbers tell: one copy for each of its batches, or the same few.
                if not each.pins and row.bursts <= each.batches <= row.copies * 1.1:
                    loader = each
                    cure = Message(
                        "Give the loader of {place} pin_memory=True, and copy with "
                        "non_blocking=True.",
                        place=look.run.place(spot_of(each)),
                    )
            if row.limit:
                pinned, limit = row.bytes / (_REACHED * row.limit), str(rate(row.limit))
                reached = Message(
                    "{rate}; the wire could carry {limit}", rate=reached, limit=limit
                )
                cure, gain = told(cure, _instead(pinned, spent)), spent - pinned
        else:
            continue
        size = look.size(row.bytes)
        yield from look.finding(
            matter, row, cure, spent, gain, other=loader, size=size, rate=reached
        )


def _loaders(look: _Look) -> Iterator[Finding]:
    for idle in look.lines(Why.LOADER):
        if look.seldom(idle.times):
            continue
        there = [each for each in look.seen.loaders if spot_of(each) == spot_of(idle)]
        loader = max(there, key=lambda each: each.seconds, default=None)
        yield from look.finding(
            Matter.LOADER,
            idle,
            _more_workers(loader, look.run.processors),
            idle.seconds,
            idle.seconds - idle.longest,  # which may have been the first
            times=sum(each.batches for each in there),
        )


_MOST_WORKERS = 8  # to begin with: each takes memory
# Seconds. About as long a worker needs to hand a batch over, however soon it has made it.
_HANDING_OVER = 1e-3


def _more_workers(loader: Loader | None, processors: int | None) -> Message:
    if loader is None:
        return Message("Prepare batches while the card computes, in a DataLoader with workers.")
    if loader.seconds < _HANDING_OVER * loader.batches:
        return Message(
            "A worker needs about as long to hand a batch over, so more workers would not "
            "help. Take larger batches, or keep the data on the card and index it there."
        )
    known = processors or 2 * loader.workers + 5  # enough, where nobody said
    if max(1, loader.workers) >= known:
        enough = Message.counted(
            "This computer has one processor, so more workers would not help.",
            "This computer has {count} processors, so more than {workers} workers would not "
            "help.",
            known,
            workers=loader.workers,
        )
        less = Message("Do less for each sample, or prepare the data once and keep them.")
        return told(enough, less)
    return Message(
        "Let workers prepare batches while the card computes: num_workers={count}, "
        "persistent_workers=True; or do less for each sample.",
        count=min(2 * loader.workers, known) or min(_MOST_WORKERS, known - 1),
    )


# Seconds. A pause that is shorter on average is not one line's work: the host goes from one
# operation to the next, and each takes the card less time than the host needs to ask for it.
_BETWEEN_OPERATIONS = 1e-3
_OWN_WORK = mark(
    "Do it on the card, in the loader's workers, or only every 100 steps; or ask the card for "
    "the next work first."
)


def _hosts(look: _Look) -> Iterator[Finding]:
    # Pauses between small copies go with them, and what the host does after a trip's read.
    gone = {e.spot for e in look.found if e.matter in (Matter.SMALL, Matter.TRIP)}
    # It is the host that watches, and so makes some of its pauses. On simulated cards the clock
    # stands still meanwhile.
    lines, rest = look.lines(Why.HOST), []
    own, left = sum(each.seconds for each in lines), 1.0
    if own and not look.seen.modelled:
        left = max(0.0, 1.0 - (look.seen.cost_seconds or 0.0) / own)
    for idle in lines:
        if spot_of(idle) in gone:
            continue
        gain = (idle.seconds - idle.longest) * left
        between = idle.seconds < _BETWEEN_OPERATIONS * idle.times
        # A pause of now and then may come from what else runs on the computer.
        each_step = idle.times >= _OFTEN and 2 * idle.times >= look.steps
        if between or not each_step or not look.worth(Matter.HOST, gain):
            rest.append(idle)
            continue
        cure = Message(_OWN_WORK)
        here = [row for row in look.rows.values() if spot_of(row) == spot_of(idle)]
        if any(row.within.startswith("torch.nn.parallel") for row in here):
            cure = Message(
                "DataParallel copies the model to each card in every step, from one thread: "
                "use DistributedDataParallel, or one card."
            )
        yield from look.finding(Matter.HOST, idle, cure, idle.seconds, gain)
    if not rest:
        return
    # All other lines together, of the card that idled longest at one.
    longest = max(rest, key=lambda each: each.seconds)
    rest = [each for each in rest if each.device == longest.device]
    seconds, times = sum(each.seconds for each in rest), sum(each.times for each in rest)
    short = 0.0 if gone else dict(look.seen.pauses).get(longest.device, 0.0)
    if look.seldom(times) and not short:
        return
    cure = Message(_OWN_WORK)
    if seconds < _BETWEEN_OPERATIONS * times:
        cure = Message(
            "Give the card more at a time: larger batches, torch.compile, or CUDA graphs."
        )
    gain = (seconds + short - sum(each.longest for each in rest)) * left
    sentence = mark(
        "Between one operation and the next, {card} waited {part} for the host, longest at "
        "{head}."
    )
    yield from look.finding(
        Matter.HOST, longest, cure, seconds + short, gain, sentence=sentence, times=times
    )
