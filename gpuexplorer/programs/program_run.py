"""ProgramRun: one run of a person's program, and what is known beside what was watched. Line:
what each source line copied, and how long cards idled because of it; CardSum: what each card
did. How it ended, what of it was watched, and what that took: sentences.
"""

import signal
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import NamedTuple

from gpuexplorer.copies.copy_book import CopyRow
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.copies.routes import Route
from gpuexplorer.core.units import USUAL, Units, duration, grouped, plain, seconds_words
from gpuexplorer.core.words import NOTHING, Message, all_of, on, told
from gpuexplorer.lab.events import Frame, Hello, Idle, Loader, Transferred, Watched, Why
from gpuexplorer.lab.ledger import Cell

# Of the time watched. Two runs of the same program differ by about as much, and by less it
# gets no faster that a person would notice.
WORTH = 0.01
_NO_CARDS = {"cpu", "meta"}


class Spot(NamedTuple):
    """A line of the person's code: of a file by its whole path, or of a notebook's cell."""

    file: str
    cell: int
    line: int  # 0: not known


def spot_of(row: Transferred | Idle | Loader | Frame) -> Spot:
    """A file's lines are the same whichever cell called them."""
    return Spot(row.file, 0 if row.file else row.cell, row.line)


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """A `.py` is one cell, a notebook has several. May be asked while the program runs."""

    file: Path
    cells: Sequence[Cell]
    hello: Hello | None = None
    status: int | None = None  # as its process ended; negative: the signal. None: it runs
    route: Callable[[str, str], Route | None] | None = None  # devices as the worker names them
    units: Units = USUAL
    processors: int | None = None  # of the computer it ran on
    machine: str | None = None  # that computer, where it was not this one

    @property
    def seen(self) -> Sequence[tuple[Cell, Watched]]:
        """The cells of which anything was watched."""
        return [(cell, cell.seen) for cell in self.cells if cell.seen is not None]

    @property
    def running(self) -> bool:
        states = {each.state for each in self.cells}
        return self.status is None and not states.isdisjoint(("waiting", "running"))

    @property
    def idle(self) -> Sequence[Idle]:
        """Each pause once: those that are part of another are left out."""
        return [each for _, seen in self.seen for each in seen.idle if not each.part_of]

    @property
    def modelled(self) -> bool:
        return any(seen.modelled for _, seen in self.seen)

    @property
    def seconds(self) -> float | None:
        """So long it ran, as far as that was said."""
        ends = [each.finished or each.failed for each in self.cells if each.seen is None]
        known = [seen.seconds for _, seen in self.seen]
        known += [end.host_seconds for end in ends if end and end.host_seconds is not None]
        return sum(known) if known else None

    @property
    def stepping_seconds(self) -> float:
        """Those watched that came after the start."""
        return sum(max(0.0, seen.seen_seconds - seen.started) for _, seen in self.seen)

    def place(self, spot: Spot) -> Message:
        """ "train.py:84", "cell 3:2"; of files elsewhere the folder they are in."""
        if not spot.line:
            return Message("unknown line")
        if not spot.file:
            return Message("cell {cell}:{line}", cell=spot.cell, line=spot.line)
        path, folder = PurePath(spot.file), self.file.parent
        inside = path.is_relative_to(folder)
        name = path.relative_to(folder) if inside else PurePath(*path.parts[-2:])
        return Message("{file}:{line}", file=name.as_posix(), line=spot.line)


def sampled(seen: Watched) -> bool:
    """Some of its steps, or some of its time, was not watched."""
    if seen.step:
        return seen.seen_steps < seen.steps
    return 0.0 < seen.seen_seconds < 0.98 * seen.seconds  # begun slices are not left out


@dataclass(frozen=True, slots=True)
class Line:
    """All that one source line did, as far as it was watched."""

    spot: Spot
    place: Message
    copied: Sequence[CopyRow]  # the largest first
    idled: Sequence[Idle]
    what: str  # the expression that stands for the line; empty where none is known
    copies: int
    bytes: int
    waited: float | None  # seconds for which copies kept the host
    device_seconds: float | None
    idle_seconds: float
    asked_words: Message  # whether its copies are explicit, or implied by something else
    way: Message  # from where to where; that of most bytes
    memory: Message  # what memory of the host took part
    share: float | None  # of the limit of the wire, by the copies of most bytes


def lines_of(run: ProgramRun) -> Sequence[Line]:
    """The costliest first."""
    copied: dict[Spot, list[CopyRow]] = defaultdict(list)
    idled: dict[Spot, list[Idle]] = defaultdict(list)
    for cell, seen in run.seen:
        for copy in seen.copies:
            if not copy.already_there:
                copied[spot_of(copy)].append(row_of(run, cell, copy))
    for idle in sorted(run.idle, key=lambda each: -each.seconds):
        if idle.why is not Why.START:
            idled[spot_of(idle)].append(idle)
    lines = [_line(run, spot, copied[spot], idled[spot]) for spot in {**copied, **idled}]
    return sorted(lines, key=lambda each: (-_cost(each), -each.bytes, each.spot))


def _cost(line: Line) -> float:
    """Seconds of host, wire or card, whichever lost most. The longest pause may be how a
    program begins, which cannot be changed in it.
    """
    again = sum(each.seconds - each.longest for each in line.idled)
    return max(line.waited or 0.0, line.device_seconds or 0.0, again)


def _line(run: ProgramRun, spot: Spot, copied: list[CopyRow], idled: list[Idle]) -> Line:
    copied.sort(key=lambda row: (-row.bytes, row.number))
    named: list[CopyRow | Idle] = [*copied, *idled]
    way = NOTHING
    if copied:
        ends = (copied[0].source, copied[0].target)
        source, target = (Message("host") if each == HOST else each for each in ends)
        way = Message("{source} to {target}", source=source, target=target)
    asked = (Message("explicit") if each.asked else Message("implicit") for each in copied)
    return Line(
        spot,
        run.place(spot),
        copied,
        idled,
        what=next(filter(None, (each.what for each in named)), ""),
        copies=sum(each.copies for each in copied),
        bytes=sum(each.bytes for each in copied),
        waited=total([each.host_seconds for each in copied if each.blocking]),
        device_seconds=total([each.seconds for each in copied]),
        idle_seconds=sum(each.seconds for each in idled),
        asked_words=_either(asked),
        way=way,
        memory=_either(each.host_side for each in copied),
        share=copied[0].share if copied else None,
    )


def _either(kinds: Iterable[Message]) -> Message:
    found = {each for each in kinds if each}
    return Message("both") if len(found) > 1 else next(iter(found), NOTHING)


def row_of(run: ProgramRun, cell: Cell, copy: Transferred) -> CopyRow:
    """With its way, so that it has a rate and a share of a limit."""
    return CopyRow(
        **vars(copy),
        number=copy.row,
        ran=cell.number,
        command=cell.id,
        code=copy.what,
        whole="",
        cards=cell.cards,
        route=None if run.route is None else run.route(copy.source, copy.target),
    )


def total(values: Sequence[float | None]) -> float | None:
    """None where there is none, or one is not known."""
    known = [each for each in values if each is not None]
    return sum(known) if known and len(known) == len(values) else None


def ended(run: ProgramRun) -> Message:
    """The first line: the file, its end, and how long that took."""
    how, lasted = on(run.machine, _end(run)), NOTHING
    if run.seconds is not None:
        seconds = str(duration(run.seconds))
        ends = [cell.finished or cell.failed for cell, seen in run.seen if seen.modelled]
        real = total([end.host_seconds for end in ends if end and not end.modelled])
        lasted = Message("It ran for {seconds}.", seconds=seconds)
        if run.running:
            lasted = Message("So far: {seconds}.", seconds=seconds)
        elif real is not None:
            lasted = Message(
                "It ran for {seconds} of modelled time; carrying that out took {real} here.",
                seconds=seconds,
                real=str(duration(real)),
            )
    return told(how, lasted)


def _end(run: ProgramRun) -> Message:
    file, status = run.file.name, run.status
    failed = next((each.failed for each in run.cells if each.failed is not None), None)
    if run.running:
        return Message("{file} is running.", file=file)
    if failed is not None and failed.cause == "cancelled":
        return Message("{file} was stopped.", file=file)
    if status is not None and status < 0:
        name = signal.Signals(-status).name
        return Message("{file} was ended by {signal}.", file=file, signal=name)
    if failed is not None and failed.error:
        error = failed.error
        if not failed.frames:
            return Message("{file} failed with {error}.", file=file, error=error)
        place = run.place(spot_of(failed.frames[-1]))
        return Message(
            "{file} failed with {error} in {place}.", file=file, error=error, place=place
        )
    if status:
        return Message("{file} ended with status {status}.", file=file, status=status)
    if failed is not None:
        return told(Message("{file} did not come to its end.", file=file), failed.sentence)
    return Message("{file} ended.", file=file)


def watched(run: ProgramRun) -> Sequence[Message]:
    """What of it was watched, at what price, and what was not."""
    seen = [each for _, each in run.seen]
    known = [_how_much(each) for each in seen]
    if len(seen) > 1:
        cells = Message.counted(
            "{count} cell was watched, {time} of {whole}.",
            "{count} cells were watched, {time} of {whole}.",
            len(seen),
            time=str(duration(sum(each.seen_seconds for each in seen))),
            whole=str(duration(run.seconds or 0.0)),
        )
        known = [cells]
    costs = [each.cost_seconds for each in seen if each.cost_seconds is not None]
    if costs and run.seconds:
        price = Message(
            "Watching took about {seconds} ({share} %).",
            seconds=seconds_words(sum(costs)),
            share=plain(float(f"{sum(costs) / run.seconds * 100:.2g}")),
        )
        known.append(price)
    said = [told(*known)]
    if run.modelled:
        said.append(Message("The cards are simulated, and all times are modelled."))
    children = [each for one in seen for each in one.children]
    if children:
        unwatched = Message.counted(
            "Not watched: {count} other process ({kinds}).",
            "Not watched: {count} other processes ({kinds}).",
            sum(count for _, count in children),
            kinds=all_of([*dict(children)]),  # by what started them, such as "DataLoader"
        )
        said.append(unwatched)
    return [each for each in said if each]


def _how_much(seen: Watched) -> Message:
    count, every = seen.steps, grouped(seen.steps)
    steps = Message.counted(
        "{count} step of the optimizer", "{all} steps of the optimizer", count, all=every
    )
    if seen.step == "batch":
        steps = Message.counted("{count} batch", "{all} batches", count, all=every)
    said = Message("All of it was watched.")
    if sampled(seen):
        time, whole = str(duration(seen.seen_seconds)), str(duration(seen.seconds))
        part = Message("{time} of {whole}", time=time, whole=whole)
        if seen.step:
            some = grouped(seen.seen_steps)
            part = Message("{some} of {steps}, {part},", some=some, steps=steps, part=part)
        said = Message(
            "{part} were watched; figures are of these unless they say otherwise.", part=part
        )
    elif seen.step:
        said = Message("All of it was watched: {steps}.", steps=steps)
    if not 0.0 < seen.started < seen.seen_seconds:
        return said
    start = Message(
        "It took {start} to start; waits are measured against the {rest} watched after that.",
        start=str(duration(seen.started)),
        rest=str(duration(seen.seen_seconds - seen.started)),
    )
    return told(said, start)


@dataclass(frozen=True, slots=True)
class CardSum:
    """Seconds of those that were watched. A card may copy while it computes."""

    device: str
    busy: float | None  # it computed, or copied; None: nobody said
    copied: float | None  # None: not all copies were timed
    idle: Mapping[Why, float]  # between its first and its last work, by reason
    pauses: float | None  # between operations, too short for `idle`; None: not known

    @property
    def used(self) -> bool:
        return bool(self.busy or self.copied or self.idle)

    @property
    def idle_seconds(self) -> float:
        return sum(self.idle.values())


def cards_of(run: ProgramRun) -> Sequence[CardSum]:
    """All that its PyTorch offers, and whatever else was seen."""
    busy, pauses = Counter[str](), Counter[str]()
    copied: dict[str, list[float | None]] = defaultdict(list)
    idle: dict[str, dict[Why, float]] = defaultdict(dict)
    for _, seen in run.seen:
        busy.update(dict(seen.busy))
        pauses.update(dict(seen.pauses))
        for copy in seen.copies:
            for device in {copy.source, copy.target}:
                copied[device].append(copy.seconds)
    for each in run.idle:
        its = idle[each.device]
        its[each.why] = its.get(each.why, 0.0) + each.seconds
    offered = [each.name for each in (run.hello.devices if run.hello else ()) if each.usable]
    names = dict.fromkeys((*offered, *busy, *copied, *idle))
    return [
        CardSum(each, busy.get(each), total([0.0, *copied[each]]), idle[each], pauses.get(each))
        for each in names
        if each not in _NO_CARDS
    ]


def lacks_cards(run: ProgramRun) -> bool:
    """Whether it is known that there was none it could have used."""
    known = run.hello is not None and bool(run.hello.devices)
    return bool(run.seen) and known and not cards_of(run)


def as_a_whole(run: ProgramRun, found: bool) -> Sequence[Message]:
    """What stands where findings would, the gist first; or beside them, where they do not say
    it all.
    """
    if not run.seen or run.hello is None:
        return [Message("Nothing was watched.")]
    if lacks_cards(run):
        return [Message("This PyTorch has no card, so nothing could be copied.")]
    cards = cards_of(run)
    unused = [each.device for each in cards if not each.used]
    if len(unused) < len(cards):
        said = [] if found else [_no_line(run, cards), _LOOKED_AT]
        if unused:
            names = all_of(unused)
            said.append(
                Message.counted(
                    "{cards} was not used.", "{cards} were not used.", len(unused), cards=names
                )
            )
        return said
    if any(seen.children for _, seen in run.seen):
        return [Message("The program used no card itself. What it started was not watched.")]
    return [Message("No card was used.")]


_LOOKED_AT = Message(
    "Looked at: reads that make a card wait, pageable and small copies, tensors that go there "
    "and back, loaders, and the host's own work."
)


def _no_line(run: ProgramRun, cards: Sequence[CardSum]) -> Message:
    """Where a card idles at so many lines that none of them is to blame, the worst is named."""
    waits = {
        each.device: each.idle_seconds - each.idle.get(Why.START, 0.0) + (each.pauses or 0.0)
        for each in cards
    }
    worst, seconds = max(waits.items(), key=lambda each: each[1])
    if seconds < WORTH * run.stepping_seconds:
        return Message("Nothing stands out.")
    said = Message(
        "No line stands out, but {card} had nothing to do for {part} of {whole}.",
        card=worst if len(cards) > 1 else Message("the card"),
        part=str(duration(seconds)),
        whole=str(duration(run.stepping_seconds)),
    )
    idle = [each for line in lines_of(run) for each in line.idled if each.device == worst]
    longest = max(idle, key=lambda each: each.seconds, default=None)
    if longest is None:
        return told(said, Message("It did so in pauses from one operation to the next."))
    place, time = run.place(spot_of(longest)), str(duration(longest.seconds))
    return told(said, Message("Longest at {place}: {time}.", place=place, time=time))
