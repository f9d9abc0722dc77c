"""What in a program keeps its cards waiting, or copies more than it needs, as sentences with
figures and cures. A rule finds the lines it holds for, and says what a cure can give back.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from gpuexplorer.copies.copy_row import HOST, CopyRow
from gpuexplorer.core.units import duration, grouped, memory, plain, rate, seconds_words
from gpuexplorer.core.words import NOTHING, Message, mark, told
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
    figures: Mapping[str, float | int | None] = field(default_factory=dict)
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
        look, said, of_cell = Look(run, cell, seen), set[int](), list[Finding]()
        # What is said of a copy is said once: by what takes the copy away rather than by what
        # makes it cheaper.
        for rule in (_trips, _small, _reads, _pageable, _blocking):
            of_cell += [each for each in rule(look) if not each.rows & said]
            said = {row for each in of_cell for row in each.rows}
        # Pauses between small copies go with them.
        small = {each.spot for each in of_cell if each.matter is Matter.SMALL}
        there = {each.spot for each in of_cell if each.matter is Matter.TRIP}
        found += [*of_cell, *_loaders(look), *_hosts(look, small, there)]
    return sorted(found, key=lambda each: (-(each.seconds or 0.0), each.spot))


# Of the time watched, as `WORTH`, where a cure has to be tried out and is more than a word.
_TRYING = 0.05
_PINNING = 0.04  # the host copies what it pins
_MANY_LINES = 0.1  # all of them together
_NOW_AND_THEN = 0.15  # a line that does not work in most steps
# What happens less often is no loop, but how a program begins or ends: the first call makes a
# context, the last reads a result.
_OFTEN = 10
_SELDOM = 20  # what is done in fewer than one of so many steps is done seldom already


class Look:
    """What was watched of one cell, ready to be asked about; a `.py` has no other."""

    def __init__(self, run: ProgramRun, cell: Cell, seen: Watched) -> None:
        self.run, self.seen = run, seen
        self.whole = max(0.0, seen.seen_seconds - seen.started)  # without the start
        self.rows: dict[int, CopyRow] = {}
        self.at: dict[Spot, list[CopyRow]] = defaultdict(list)
        for copy in seen.copies:
            if not copy.already_there:
                self.rows[copy.row] = row_of(run, cell, copy)
                self.at[spot_of(copy)].append(self.rows[copy.row])
        self.idle: dict[Why, list[Idle]] = defaultdict(list)
        self.idle_at: dict[tuple[Why, Spot], list[Idle]] = defaultdict(list)
        for each in seen.idle:
            if not each.part_of:
                self.idle[each.why].append(each)
                self.idle_at[each.why, spot_of(each)].append(each)
        self._several = len({*(idle.device for idle in seen.idle), *dict(seen.busy)}) > 1
        self._steps = seen.seen_steps if seen.step else 0  # slices of time are none
        self._reads = [row for row in self.rows.values() if row.target == HOST and row.blocking]
        self._waited: dict[int, float | None] = {}

    def worth(self, seconds: float, share: float = WORTH) -> bool:
        return seconds >= share * self.whole and seconds > 0.0

    def seldom(self, times: int) -> bool:
        """No loop, or not in every so many steps of it."""
        return times < _OFTEN or times * _SELDOM < self._steps

    def mostly(self, times: int) -> bool:
        """In a loop; a pause of now and then may come from what else runs on the computer."""
        return times >= _OFTEN and 2 * times >= self._steps

    def host_waited(self, times: int) -> float | None:
        """For reads of about so many times, which are of the same loop: a card idles after the
        last read of a step, the host waits at the first. None: they were not timed, or there
        are none.
        """
        if times not in self._waited:
            self._waited[times] = total(
                [r.host_seconds for r in self._reads if 0.9 * times <= r.copies <= 1.1 * times]
            )
        return self._waited[times]

    def head(self, row: CopyRow | Idle, what: str = "") -> Message:
        """What a sentence begins with: "train.py:84 `loss.item()`"."""
        place, what = self.run.place(spot_of(row)), what or row.what
        return Message("{place} `{what}`", place=place, what=what) if what else place

    def finding(
        self,
        matter: Matter,
        at: CopyRow | Idle,
        sentence: str,
        cure: Message,
        *,
        spent: float,
        gain: float | None,
        figures: Mapping[str, float | int | None],
        device: str = "",
        what: str = "",
        other: CopyRow | Loader | None = None,
        rows: Iterable[int] = (),
        **values: object,
    ) -> Finding:
        """`sentence`: a template; head, card and part of the whole are filled in. `spent`: the
        seconds that it names. `device`: if it is not that of `at`.
        """
        device = device or (at.device if isinstance(at, Idle) else at.target)
        whole, part = duration(self.whole), duration(min(spent, self.whole))
        values |= {
            "device": device,
            "head": self.head(at, what),
            "card": device if self._several else Message("the card"),
            "part": Message(
                "{spent} of {whole}",
                spent=part.number if part.unit == whole.unit else str(part),
                whole=str(whole),
            ),
        }
        return Finding(
            matter,
            spot_of(at),
            self.run.place(spot_of(at)),
            what or at.what,
            told(Message(sentence, **values), self._over_all(spent)),
            cure,
            gain,
            figures,
            device,
            None if other is None else spot_of(other),
            frozenset(rows),
        )

    def size(self, count: float) -> str:
        return str(memory(count, self.run.units))

    def _over_all(self, seconds: float) -> Message:
        """What it would be without sampling; empty where everything was watched."""
        seen = self.seen
        if not sampled(seen) or not self.whole:
            return NOTHING
        times = (seen.seconds - seen.started) / self.whole
        if seen.step and seen.steps > seen.seen_steps > 0:
            times = seen.steps / seen.seen_steps
        return Message("Over the whole run: about {time}.", time=seconds_words(seconds * times))


def _trips(look: Look) -> Iterator[Finding]:
    ways = [
        (trip, look.rows[trip.out], look.rows[trip.row])
        for trip in look.seen.trips
        if trip.out in look.rows and trip.row in look.rows and not look.seldom(trip.times)
    ]
    # Of gradients, which autograd copied: the same way back, which the same cure helps.
    backward = [each for each in ways if each[1].how == "backward"]
    for way in [each for each in ways if each[1].how != "backward"] or ways:
        trip, out, back = way
        both = [way] + [
            each
            for each in backward
            if each is not way and abs(each[0].times - trip.times) <= 0.1 * trip.times
        ]
        gain = 0.0
        for its, *copies in both:
            # Of both copies, and for which the card idled after the first.
            for row in copies:
                seconds = row.seconds if row.seconds is not None else row.host_seconds
                gain += (seconds or 0.0) * min(1.0, its.times / row.copies)
            gain += sum(
                each.seconds * min(1.0, its.times / max(1, each.times))
                for each in look.idle_at.get((Why.READ, spot_of(copies[0])), ())
                if each.device == its.device
            )
        if not look.worth(gain):
            continue
        sentence = mark(
            "{head} takes {size} from {device} to the host, and {back} brings it back, {times} "
            "times: about {part}."
        )
        cure = Message("Keep it on the card.")
        if trip.changed:
            sentence = mark(
                "{head} takes {size} from {device} to the host, and {back} brings back what "
                "became of it, {times} times: about {part}."
            )
            cure = Message("Compute that on the card too, and keep it there.")
        yield look.finding(
            Matter.TRIP,
            out,
            sentence,
            cure,
            spent=gain,
            gain=gain,
            figures={"times": trip.times, "bytes": trip.bytes, "seconds": gain},
            device=trip.device,
            other=back,
            rows={row.number for _, *copies in both for row in copies},
            size=look.size(trip.bytes / trip.times),
            back=look.head(back),
            times=grouped(trip.times),
        )


_PIECES = 8  # in a burst: fewer are the few tensors of a batch


def _small(look: Look) -> Iterator[Finding]:
    for row in look.rows.values():
        bursts = max(1, row.bursts)
        # A library that copies piece by piece, such as a model's parameters, cannot be helped.
        if not row.small or row.copies < max(_OFTEN, _PIECES * bursts) or row.within:
            continue
        # While the host waits for one of them, it waits for other work as well.
        known = [each for each in (row.host_seconds, row.seconds) if each is not None]
        now = (
            row.seconds
            if row.blocking and row.seconds is not None
            else max(known, default=None)
        )
        if now is None:
            continue
        then = row.bursts * now / row.copies + (row.bytes / row.limit if row.limit else 0.0)
        # The card also waits from one of the copies to the next.
        between = [
            each.seconds
            for each in look.idle_at.get((Why.HOST, spot_of(row)), ())
            if each.device == row.target
        ]
        short = [seconds for card, seconds in look.seen.pauses if card == row.target]
        now = max(now, min(now + sum(between) + sum(short), row.host_seconds or 0.0))
        if not look.worth(now - then):
            continue
        to_host = row.target == HOST
        cure = Message("Put them together there (torch.stack), and copy once.")
        if to_host:
            cure = Message("Put them together on the card (torch.stack), and fetch them once.")
        yield look.finding(
            Matter.SMALL,
            row,
            mark("{head} made {copies} copies of {size}, about {pieces} at a time: {part}."),
            told(cure, _instead(then, now)),
            spent=now,
            gain=now - then,
            figures={
                "copies": row.copies,
                "bursts": row.bursts,
                "bytes": row.bytes,
                "seconds": now,
                "at_once_s": then,
            },
            device=row.source if to_host else row.target,
            rows={row.number},
            copies=grouped(row.copies),
            size=look.size(row.bytes / row.copies),
            pieces=grouped(round(row.copies / bursts)),
        )


_SAVING = "save"
_SAVES = 3  # from so many on it is done again and again
_MOST = 0.7  # of what a card waited: then the cure gives back about all of it
_FETCHED = mark("Collect it on the card, and fetch all of it at once at the end.")
_PRINTED = mark("Print it every 100 steps, or keep it on the card and print it once.")
_DECIDED = mark("Decide on the card, such as by torch.where, or every 100 steps.")
_INSTEAD_OF_READING = {
    _SAVING: mark("Save less often, or copy the state to the host and write it in a thread."),
    **dict.fromkeys(("print", "format", "display", "repr", "str", "write"), _PRINTED),
    **dict.fromkeys(("if", "while", "assert", "and", "or", "not", "bool"), _DECIDED),
    **dict.fromkeys(("equal", "allclose", "any", "all"), _DECIDED),
    **dict.fromkeys(("numpy", "tolist", "cpu", "to", "copy_", "array", "asarray"), _FETCHED),
}


def _reads(look: Look) -> Iterator[Finding]:
    for idle in _by_line(look.idle[Why.READ]):
        worst, seconds = idle[0], _idled(idle)
        copies = [
            each
            for each in look.at.get(spot_of(worst), ())
            if each.target == HOST and each.blocking
        ]
        same = [each for each in copies if each.what == worst.what] or copies
        times = sum(each.copies for each in same) or worst.times
        waited = look.host_waited(times) if copies else None
        # The card does nothing else while it answers.
        gain = _repeated(idle) + sum(each.seconds or 0.0 for each in copies)
        if copies and all(each.how == _SAVING for each in copies):
            times = sum(each.bursts for each in copies)
            counts = times >= _SAVES and look.worth(gain, _TRYING)
            gain = min(gain, seconds)
        else:
            # Without its reads the host asks for the next work while the card computes: it can
            # run ahead by no more than it stood still for them.
            gain = min(gain, seconds, seconds if waited is None else waited)
            counts = not look.seldom(times) and look.worth(gain)
        if not counts:
            continue
        otherwise = mark("Keep the sum on the card and read it every 100 steps.")
        if not copies and "synchronize" in worst.what:
            otherwise = mark(
                "Leave it out: PyTorch waits by itself where a value is needed. To take times, "
                "record events (torch.cuda.Event) and read them at the end."
            )
        cure = Message(_INSTEAD_OF_READING.get(same[0].how if same else "", otherwise))
        if gain < _MOST * seconds:
            too_slow = Message(
                "That gives back about {gain}: the host is too slow for the rest.",
                gain=seconds_words(gain),
            )
            cure = told(cure, too_slow)
        yield look.finding(
            Matter.READ,
            worst,
            mark("{head} {times} times: {card} waited {part}."),
            cure,
            spent=seconds,
            gain=gain,
            figures={"times": times, "card_waited_s": seconds, "host_waited_s": waited},
            rows=(each.number for each in copies),
            times=grouped(times),
        )


# Of what a link to the host could carry in theory, what copies of pinned memory reach:
# nvbandwidth finds 76 to 88 % on PCIe 3 to 5.
_REACHED = 0.8


def _pageable(look: Look) -> Iterator[Finding]:
    for row in look.rows.values():
        if row.source != HOST or row.pinned is not False or not row.asked or row.small:
            continue
        # What moves once, such as a model at the beginning, gains nothing: pinning is a copy.
        if look.seldom(row.bursts) or row.seconds is None:
            continue
        now = row.seconds
        pinned = None if row.limit is None else row.bytes / (_REACHED * row.limit)
        gain = None if pinned is None else now - pinned
        if not look.worth(now if gain is None else gain, _PINNING):
            continue
        # As far as numbers tell: one copy for each of its batches, or the same few.
        fitting = (
            each
            for each in look.seen.loaders
            if not each.pins and row.bursts <= each.batches <= row.copies * 1.1
        )
        loader = next(fitting, None)
        cure = Message(
            "Keep it in pinned memory (.pin_memory(), once), and copy with non_blocking=True."
        )
        if loader is not None:
            cure = Message(
                "Give the loader of {place} pin_memory=True, and copy with non_blocking=True.",
                place=look.run.place(spot_of(loader)),
            )
        sentence = mark("{head} copied {size} from pageable memory in {part}, at {rate}.")
        if row.limit is not None:
            sentence = mark(
                "{head} copied {size} from pageable memory in {part}, at {rate}; the wire "
                "could carry {limit}."
            )
        yield look.finding(
            Matter.PAGEABLE,
            row,
            sentence,
            told(cure, NOTHING if pinned is None else _instead(pinned, now)),
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
            size=look.size(row.bytes),
            rate=str(rate(row.bytes / now)),
            limit=str(rate(row.limit or 0.0)),
        )


def _blocking(look: Look) -> Iterator[Finding]:
    """Pinned memory for which the host waits all the same."""
    busy = dict(look.seen.busy)
    for row in look.rows.values():
        if row.source != HOST or not (row.pinned and row.blocking and row.asked):
            continue
        if look.seldom(row.bursts) or row.host_seconds is None or row.target not in busy:
            continue
        # The card is done no sooner than its work.
        gain = min(row.host_seconds, look.whole - busy[row.target])
        if look.worth(gain, _TRYING):
            yield look.finding(
                Matter.BLOCKING,
                row,
                mark(
                    "{head} copied {size} from pinned memory, and the host waited for it: "
                    "{part}."
                ),
                Message(
                    "Copy with non_blocking=True, and do not write to that memory before the "
                    "copy is done."
                ),
                spent=row.host_seconds,
                gain=gain,
                figures={
                    "copies": row.copies,
                    "bytes": row.bytes,
                    "host_waited_s": row.host_seconds,
                },
                rows={row.number},
                size=look.size(row.bytes),
            )


def _instead(then: float, now: float) -> Message:
    return Message(
        "Estimated: about {then} instead of {now}.",
        then=seconds_words(then),
        now=str(duration(now)),
    )


def _loaders(look: Look) -> Iterator[Finding]:
    for idle in _by_line(look.idle[Why.LOADER]):
        worst, seconds, gain = idle[0], _idled(idle), _repeated(idle)
        if look.seldom(_times(idle)) or not look.worth(gain, _TRYING):
            continue
        there = [each for each in look.seen.loaders if spot_of(each) == spot_of(worst)]
        loader = max(there, key=lambda each: each.seconds, default=None)
        batches = sum(each.batches for each in there) or _times(idle)
        yield look.finding(
            Matter.LOADER,
            worst,
            mark("{head} kept {card} waiting for {batches} batches: {part}."),
            _more_workers(loader, worst, look.run.processors),
            spent=seconds,
            gain=gain,
            figures={
                "batches": batches,
                "card_waited_s": seconds,
                "host_waited_s": sum(each.seconds for each in there) if there else None,
                "workers": loader.workers if loader is not None else None,
                "processors": look.run.processors,
            },
            what=worst.what or (loader.what if loader is not None else ""),
            batches=grouped(batches),
        )


_FAR_LONGER = 20  # than the mean: workers that are started anew
_MOST_WORKERS = 8  # to begin with: each takes memory
# Seconds. About as long a worker needs to hand a batch over, however soon it has made it.
_HANDING_OVER = 1e-3


def _more_workers(loader: Loader | None, worst: Idle, processors: int | None) -> Message:
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
        return Message(
            "Give the loader workers, which prepare batches while the card computes: "
            "num_workers={count}, persistent_workers=True.",
            count=min(_MOST_WORKERS, (processors or 5) - 1),
        )
    anew = NOTHING
    if worst.longest * worst.times >= _FAR_LONGER * worst.seconds:
        anew = Message(
            "The longest wait was {longest}: persistent_workers=True keeps the workers from "
            "one epoch to the next.",
            longest=str(duration(worst.longest)),
        )
    if processors is not None and loader.workers >= processors:
        enough = Message.counted(
            "This computer has one processor, so more workers would not help.",
            "This computer has {count} processors, so more than {workers} workers would not "
            "help.",
            processors,
            workers=loader.workers,
        )
        return told(enough, less, anew)
    more = Message.counted(
        "Its worker does not keep up. Try num_workers={more}, or do less for each sample.",
        "Its {count} workers do not keep up. Try num_workers={more}, or do less for each "
        "sample.",
        loader.workers,
        more=min(2 * loader.workers, processors or 2 * loader.workers),
    )
    return told(more, anew)


# Seconds. A pause that is shorter on average is not one line's work: the host goes from one
# operation to the next, and each takes the card less time than the host needs to ask for it.
_BETWEEN_OPERATIONS = 1e-3
_ALL = 0.9  # of the host's own work: then the other lines are not worth a word


def _hosts(
    look: Look, small: Collection[Spot] = (), trips: Collection[Spot] = ()
) -> Iterator[Finding]:
    """`small`: where small copies are made. The pauses between them go with them. `trips`: the
    reads with which something leaves a card that comes back.
    """
    working: list[Sequence[Idle]] = []
    between: dict[str, list[Sequence[Idle]]] = defaultdict(list)
    for idle in _by_line([*look.idle[Why.HOST], *_behind_reads(look, trips)]):
        if spot_of(idle[0]) not in small:
            behind = any(each.part_of for each in idle)
            if not behind and _idled(idle) < _BETWEEN_OPERATIONS * _times(idle):
                between[idle[0].device].append(idle)
            else:
                working.append(idle)
    # It is the host that watches, and so makes some of its pauses. On simulated cards the clock
    # stands still meanwhile.
    own, left = _idled(look.idle[Why.HOST]), 1.0
    if own and not look.seen.modelled:
        left = max(0.0, 1.0 - (look.seen.cost_seconds or 0.0) / own)
    work, rest = sum(map(_idled, working)), []
    for idle in working:
        gain, times = _repeated(idle) * left, _times(idle)
        least = _TRYING if look.mostly(times) else _NOW_AND_THEN
        if look.seldom(times) or not look.worth(gain, least):
            rest.append(idle)
            continue
        sentence = mark("{head} kept {card} waiting for the host, {times} times: {part}.")
        if _idled(idle) < _ALL * work:
            sentence = mark(
                "{head} kept {card} waiting for the host, about {times} times: {part}, "
                "{share:.0f} % of what the host's own work cost."
            )
        yield _at_lines(look, [idle], sentence, gain, whole=work)
    gain = sum(map(_repeated, rest)) * left
    if not look.seldom(sum(map(_times, rest))) and look.worth(gain, _MANY_LINES):
        sentence = mark(
            "The host's own work at {count} lines kept {card} waiting: {part}, {share:.0f} % "
            "of that at {head}."
        )
        yield _at_lines(look, rest, sentence, gain)
    if not between:
        return
    # All lines together, of the card that has most of them.
    lines = max(between.values(), key=lambda each: sum(map(_idled, each)))
    short = 0.0 if small else dict(look.seen.pauses).get(lines[0][0].device, 0.0)
    seconds = sum(map(_idled, lines)) + short
    often = short or not look.seldom(sum(map(_times, lines)))
    if often and look.worth(seconds * left, _MANY_LINES):
        sentence = mark(
            "Between one operation and the next, {card} waited {part} for the host, most of it "
            "at {head}."
        )
        if 2 * max(map(_idled, lines)) < seconds:
            sentence = mark(
                "Between one operation and the next, {card} waited {part} for the host, "
                "longest at {head}."
            )
        cure = Message(
            "Give the card more at a time: larger batches, torch.compile, or CUDA graphs."
        )
        yield _at_lines(look, lines, sentence, seconds * left, short=short, cure=cure)


def _at_lines(
    look: Look,
    lines: Sequence[Sequence[Idle]],
    sentence: str,
    gain: float,
    *,
    whole: float | None = None,
    short: float = 0.0,
    cure: Message | None = None,
) -> Finding:
    """Told by the longest of the lines. `whole`: the seconds of which one alone has a share;
    None: of these together. `short`: the seconds of pauses at no line.
    """
    longest, seconds = max(lines, key=_idled), sum(map(_idled, lines)) + short
    worst = longest[0]
    if cure is None:
        cure = Message(
            "Do it on the card, in the loader's workers, or only every 100 steps; or ask the "
            "card for the next work first."
        )
        copies = look.at.get(spot_of(worst), ())
        if any(each.within.startswith("torch.nn.parallel") for each in copies):
            cure = Message(
                "DataParallel copies the model to each card in every step, from one thread: "
                "use DistributedDataParallel, or one card."
            )
    times = sum(map(_times, lines))
    counted = {} if whole is not None else {"lines": len(lines)}
    return look.finding(
        Matter.HOST,
        worst,
        sentence,
        cure,
        spent=seconds,
        gain=gain,
        figures={"times": times, "card_waited_s": seconds, **counted},
        times=grouped(times),
        count=len(lines),
        share=100 * _idled(longest) / (whole or seconds),
    )


def _behind_reads(look: Look, trips: Collection[Spot]) -> Iterator[Idle]:
    """The host's own work after reads, as far as a card would have waited for it without them:
    the host runs ahead by no more than it stood still for a read. `trips`: the reads with which
    the host begins what ends with a copy back.
    """
    reads = {each.row: each for each in look.idle[Why.READ]}
    for each in look.seen.idle:
        read = reads.get(each.part_of)
        if read is None or spot_of(read) in {spot_of(each), *trips}:
            continue
        copies = [row for row in look.at.get(spot_of(read), ()) if row.target == HOST]
        waited = look.host_waited(sum(row.copies for row in copies))
        if look.mostly(each.times) and waited is not None and waited < read.seconds:
            rest = 1.0 - waited / read.seconds
            yield replace(each, seconds=each.seconds * rest, longest=each.longest * rest)


def _by_line(rows: Iterable[Idle]) -> Sequence[Sequence[Idle]]:
    """Of each line those of the card that idled longest, the longest first."""
    lines: dict[Spot, dict[str, list[Idle]]] = defaultdict(lambda: defaultdict(list))
    for each in rows:
        lines[spot_of(each)][each.device].append(each)
    return [
        sorted(max(cards.values(), key=_idled), key=lambda each: -each.seconds)
        for cards in lines.values()
    ]


def _idled(rows: Iterable[Idle]) -> float:
    return sum(each.seconds for each in rows)


def _repeated(rows: Iterable[Idle]) -> float:
    """Without the longest time, which may have been the first or the last."""
    return sum(max(0.0, each.seconds - each.longest) for each in rows)


def _times(rows: Iterable[Idle]) -> int:
    return sum(each.times for each in rows)
