"""ProgramRun: one run of a person's program, and what is known beside what was watched. Line:
what each source line copied, and how long cards idled because of it; CardSum: what each card
did. How it ended, what of it was watched, and what that took: sentences.
"""

import signal
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

from gpuexplorer.copies.copy_row import HOST, CopyRow
from gpuexplorer.core.units import USUAL, Units, duration, grouped, plain, seconds_words
from gpuexplorer.core.words import NOTHING, Message, all_of, on, told
from gpuexplorer.lab.events import Hello, Idle, Loader, Transferred, Watched, Why
from gpuexplorer.lab.ledger import Cell

if TYPE_CHECKING:  # the window has this before anybody asks for a copy
    from gpuexplorer.copies.route import Route


# Of the time watched. Two runs of the same program differ by about as much, and by less it
# gets no faster that a person would notice.
WORTH = 0.01


class Spot(NamedTuple):
    """A line of the person's code: of a file by its whole path, or of a notebook's cell."""

    file: str
    cell: int
    line: int  # 0: not known


def no_route(source: str, target: str) -> "Route | None":
    """Nobody knows how the devices are joined."""
    return None


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """A `.py` is one cell, a notebook has several. May be asked while the program runs."""

    file: Path
    cells: Sequence[Cell]
    hello: Hello | None = None
    status: int | None = None  # as its process ended; negative: the signal. None: it runs
    route: "Callable[[str, str], Route | None]" = no_route  # devices as the worker names them
    units: Units = USUAL
    processors: int | None = None  # of the computer it ran on
    machine: str | None = None  # that computer, where it was not this one

    @property
    def seen(self) -> Sequence[tuple[Cell, Watched]]:
        """The cells of which anything was watched."""
        return [(cell, cell.seen) for cell in self.cells if cell.seen is not None]

    @property
    def running(self) -> bool:
        going_on = any(each.state in ("waiting", "running") for each in self.cells)
        return going_on and self.status is None

    @property
    def cards(self) -> Sequence[str]:
        """Those that its PyTorch offers, by its names for them."""
        devices = self.hello.devices if self.hello is not None else ()
        return [
            each.name for each in devices if each.name not in ("cpu", "meta") and each.usable
        ]

    @property
    def simulated(self) -> bool:
        return self.hello is not None and self.hello.simulated

    @property
    def modelled(self) -> bool:
        return any(seen.modelled for _, seen in self.seen)

    @property
    def seconds(self) -> float | None:
        """So long it ran, as far as that was said."""
        ends = [each.seen or each.finished or each.failed for each in self.cells]
        known = [
            each.seconds if isinstance(each, Watched) else each.host_seconds
            for each in ends
            if each is not None
        ]
        told_of = [each for each in known if each is not None]
        return sum(told_of) if told_of else None

    @property
    def real_seconds(self) -> float | None:
        """So long it took by the clock on the wall, where `seconds` are modelled."""
        known = [
            end.host_seconds
            for cell, seen in self.seen
            if (end := cell.finished or cell.failed) and seen.modelled and not end.modelled
        ]
        return sum(each or 0.0 for each in known) if known else None

    @property
    def seen_seconds(self) -> float:
        return sum(seen.seen_seconds for _, seen in self.seen)

    @property
    def stepping_seconds(self) -> float:
        """Those of them that came after the start."""
        return sum(max(0.0, seen.seen_seconds - seen.started) for _, seen in self.seen)

    def place(self, spot: Spot) -> Message:
        """ "train.py:84", "cell 3:2"."""
        if not spot.line:
            return Message("unknown line")
        name = _shown(spot.file, self.file.parent) if spot.file else None
        if name is None:
            return Message("cell {cell}:{line}", cell=spot.cell, line=spot.line)
        return Message("{file}:{line}", file=name, line=spot.line)


@lru_cache(maxsize=1024)
def _shown(file: str, folder: Path) -> str:
    """From the program's folder on; of files elsewhere the folder they are in."""
    path = PurePath(file)
    if path.is_relative_to(folder):
        return path.relative_to(folder).as_posix()
    return PurePath(*path.parts[-2:]).as_posix()


def sampled(seen: Watched) -> bool:
    """Some of its steps, or some of its time, was not watched."""
    if seen.step:
        return seen.seen_steps < seen.steps
    return 0.0 < seen.seen_seconds < 0.98 * seen.seconds  # begun slices are not left out


def spot_of(row: Transferred | Idle | Loader) -> Spot:
    """A file's lines are the same whichever cell called them."""
    return Spot(row.file, 0 if row.file else row.cell, row.line)


@dataclass(slots=True)
class Line:
    """All that one source line did, as far as it was watched."""

    spot: Spot
    place: Message
    copied: list[CopyRow] = field(default_factory=list)  # the largest first
    idled: list[Idle] = field(default_factory=list)

    @property
    def what(self) -> str:
        """The expression that stands for the line; empty where none is known."""
        named: Sequence[Idle | CopyRow] = (*self.copied, *self.idled)
        return next((each.what for each in named if each.what), "")

    @property
    def copies(self) -> int:
        return sum(each.copies for each in self.copied)

    @property
    def bytes(self) -> int:
        return sum(each.bytes for each in self.copied)

    @property
    def waits(self) -> int:
        """So often the host waited for a copy."""
        return sum(each.copies for each in self.copied if each.blocking)

    @property
    def waited(self) -> float | None:
        """Seconds for which copies kept the host."""
        return total([each.host_seconds for each in self.copied if each.blocking])

    @property
    def device_seconds(self) -> float | None:
        return total([each.seconds for each in self.copied])

    @property
    def asked_words(self) -> Message:
        """Whether its copies were asked for, or are hidden in something else."""
        kinds = {each.asked for each in self.copied}
        if len(kinds) != 1:
            return Message("both") if kinds else NOTHING
        return Message("asked") if kinds.pop() else Message("hidden")

    @property
    def idle_seconds(self) -> float:
        return sum(each.seconds for each in self.idled)

    @property
    def way(self) -> Message:
        """From where to where; that of most bytes, where there are several."""
        ways = list(dict.fromkeys((each.source, each.target) for each in self.copied))
        if not ways:
            return NOTHING
        ends = [Message("host") if each == HOST else each for each in ways[0]]
        if len(ways) > 1:
            return Message(
                "{source} to {target} +{more}",
                source=ends[0],
                target=ends[1],
                more=len(ways) - 1,
            )
        return Message("{source} to {target}", source=ends[0], target=ends[1])

    @property
    def memory(self) -> Message:
        """What memory of the host took part: pinned, pageable, or both."""
        kinds = list(dict.fromkeys(each.host_side for each in self.copied if each.host_side))
        if len(kinds) > 1:
            return Message("both")
        return kinds[0] if kinds else NOTHING

    @property
    def share(self) -> float | None:
        """Of the limit of the wire, by the copies of most bytes."""
        return self.copied[0].share if self.copied else None

    @property
    def cost(self) -> float:
        """Seconds by which lines are ordered: of host, wire or card, whichever lost most. One
        time of each is left out: what happens once is how a program begins, not what can be
        changed in it.
        """
        again = [(row, 1.0 - 1.0 / max(1, row.copies)) for row in self.copied]
        return max(
            sum((row.host_seconds or 0.0) * part for row, part in again if row.blocking),
            sum((row.seconds or 0.0) * part for row, part in again),
            sum(each.seconds - each.longest for each in self.idled),
        )


def lines_of(run: ProgramRun) -> Sequence[Line]:
    """The costliest first."""
    lines: dict[Spot, Line] = {}

    def line(spot: Spot) -> Line:
        if spot not in lines:
            lines[spot] = Line(spot, run.place(spot))
        return lines[spot]

    for cell, seen in run.seen:
        for copy in seen.copies:
            if not copy.already_there:
                line(spot_of(copy)).copied.append(row_of(run, cell, copy))
        for idle in seen.idle:
            if idle.why != Why.START and not idle.part_of:
                line(spot_of(idle)).idled.append(idle)
    for each in lines.values():
        each.copied.sort(key=lambda row: (-row.bytes, row.number))
        each.idled.sort(key=lambda idle: -idle.seconds)
    return sorted(lines.values(), key=lambda each: (-each.cost, -each.bytes, each.spot))


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
        route=run.route(copy.source, copy.target),
    )


def total(values: Sequence[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return sum(known) if known and len(known) == len(values) else None


def ended(run: ProgramRun) -> Message:
    """The first line: the file, its end, and how long that took."""
    how = on(run.machine, _end(run))
    if run.seconds is None:
        return how
    seconds = str(duration(run.seconds))
    if run.running:
        return told(how, Message("So far: {seconds}.", seconds=seconds))
    if run.real_seconds is None:
        return told(how, Message("It ran for {seconds}.", seconds=seconds))
    ran = Message(
        "It ran for {seconds} of modelled time; carrying that out took {real} here.",
        seconds=seconds,
        real=str(duration(run.real_seconds)),
    )
    return told(how, ran)


def _end(run: ProgramRun) -> Message:
    file, status = run.file.name, run.status
    failed = next((each.failed for each in run.cells if each.failed is not None), None)
    if run.running:
        return Message("{file} is running.", file=file)
    if failed is not None and failed.cause == "cancelled":
        return Message("{file} was stopped.", file=file)
    if status is not None and status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = Message("signal {number}", number=-status)
        return Message("{file} was ended by {signal}.", file=file, signal=name)
    if failed is not None and failed.cause == "cannot start":
        return told(Message("{file} was not run.", file=file), failed.sentence)
    if failed is not None and failed.error and failed.frames:
        frame = failed.frames[-1]
        return Message(
            "{file} failed with {error} in {place}.",
            file=file,
            error=failed.error,
            place=run.place(Spot(frame.file, frame.cell, frame.line)),
        )
    if failed is not None and failed.error:
        return Message("{file} failed with {error}.", file=file, error=failed.error)
    if status:
        return Message("{file} ended with status {status}.", file=file, status=status)
    if failed is not None:
        return told(Message("{file} did not come to its end.", file=file), failed.sentence)
    return Message("{file} ended.", file=file)


def watched(run: ProgramRun) -> Sequence[Message]:
    """What of it was watched, at what price, and what was not."""
    seen = [each for _, each in run.seen]
    known = [_steps(each) for each in seen] + [_start(each) for each in seen]
    if len(seen) > 1:
        cells = Message.counted(
            "{count} cell was watched, {time} of {whole}.",
            "{count} cells were watched, {time} of {whole}.",
            len(seen),
            time=str(duration(run.seen_seconds)),
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
    said = [told(*known) if seen else NOTHING]
    if run.modelled:
        said.append(Message("The cards are simulated, and all times are modelled."))
    children = Counter[str]()  # by what started them, such as "DataLoader"
    for each in seen:
        for kind, count in each.children:
            children[kind] += count
    if children:
        unwatched = Message.counted(
            "Not watched: {count} other process ({several}).",
            "Not watched: {count} other processes ({several}).",
            children.total(),
            several=all_of(
                [
                    Message("{count} of {kind}", count=n, kind=kind)
                    for kind, n in children.items()
                ]
            ),
        )
        said.append(unwatched)
    if dropped := sum(each.dropped for each in seen):
        more = Message.counted(
            "{count} copy came from yet another line and is not shown.",
            "{count} copies came from yet other lines and are not shown.",
            dropped,
        )
        said.append(more)
    return [each for each in said if each]


def _steps(seen: Watched) -> Message:
    values: dict[str, object] = {
        "seen": grouped(seen.seen_steps),
        "all": grouped(seen.steps),
        "time": str(duration(seen.seen_seconds)),
        "whole": str(duration(seen.seconds)),
    }
    match seen.step, sampled(seen):
        case "", False:
            return Message("All of it was watched.")
        case "batch", False:
            return Message.counted(
                "All of it was watched: {count} batch.",
                "All of it was watched: {all} batches.",
                seen.steps,
                **values,
            )
        case _, False:
            return Message.counted(
                "All of it was watched: {count} step of the optimizer.",
                "All of it was watched: {all} steps of the optimizer.",
                seen.steps,
                **values,
            )
        case "", True:
            return Message(
                "{time} of {whole} were watched; figures are of these unless they say "
                "otherwise.",
                **values,
            )
        case "batch", True:
            return Message(
                "{seen} of {all} batches were watched, {time} of {whole}; figures are of "
                "these unless they say otherwise.",
                **values,
            )
    return Message(
        "{seen} of {all} steps of the optimizer were watched, {time} of {whole}; figures are "
        "of these unless they say otherwise.",
        **values,
    )


def _start(seen: Watched) -> Message:
    if not 0.0 < seen.started < seen.seen_seconds:
        return NOTHING
    return Message(
        "It took {start} to start; waits are measured against the {rest} watched after that.",
        start=str(duration(seen.started)),
        rest=str(duration(seen.seen_seconds - seen.started)),
    )


_NO_CARDS = frozenset(("cpu", "meta"))


@dataclass(frozen=True, slots=True)
class CardSum:
    """Seconds of those that were watched. A card may copy while it computes."""

    device: str
    busy: float | None  # it computed, or copied; None: nobody said
    copied: float | None  # None: not all copies were timed
    idle: Mapping[Why, float]  # between its first and its last work, by reason
    pauses: (
        float | None
    )  # from one operation to the next, too short for `idle`; None: not known

    @property
    def used(self) -> bool:
        return bool(self.busy or self.copied or self.idle)

    @property
    def idle_seconds(self) -> float:
        return sum(self.idle.values())


def cards_of(run: ProgramRun) -> Sequence[CardSum]:
    """All that its PyTorch offers, and whatever else was seen."""
    busy: dict[str, float] = defaultdict(float)
    pauses: dict[str, float] = defaultdict(float)
    copied: dict[str, list[float | None]] = defaultdict(list)
    idle: dict[str, dict[Why, float]] = defaultdict(lambda: defaultdict(float))
    for _, seen in run.seen:
        for sums, said in ((busy, seen.busy), (pauses, seen.pauses)):
            for device, seconds in said:
                sums[device] += seconds
        for copy in seen.copies:
            for device in {copy.source, copy.target} - _NO_CARDS:
                copied[device].append(copy.seconds)
        for each in seen.idle:
            if not each.part_of:
                idle[each.device][each.why] += each.seconds
    return [
        CardSum(
            name,
            busy.get(name),
            total([0.0, *copied.get(name, ())]),
            idle.get(name, {}),
            pauses.get(name),
        )
        for name in dict.fromkeys((*run.cards, *busy, *copied, *idle))
        if name not in _NO_CARDS
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
    if len(unused) == len(cards):
        if any(seen.children for _, seen in run.seen):
            return [
                Message("The program used no card itself. What it started was not watched.")
            ]
        return [Message("No card was used.")]
    if found:
        return _unused(unused)
    looked_at = Message(
        "Looked at: reads that make a card wait, pageable and small copies, tensors that go "
        "there and back, loaders, and the host's own work."
    )
    return [_no_line(run, cards), looked_at, *_unused(unused)]


def _no_line(run: ProgramRun, cards: Sequence[CardSum]) -> Message:
    """Where a card idles at so many lines that none of them is to blame, the worst is named."""
    seconds = {
        each.device: each.idle_seconds - each.idle.get(Why.START, 0.0) + (each.pauses or 0.0)
        for each in cards
    }
    worst = max(seconds, key=lambda each: seconds[each])
    if seconds[worst] < WORTH * run.stepping_seconds:
        return Message("Nothing stands out.")
    lines: dict[Spot, float] = defaultdict(float)
    for each in (each for _, seen in run.seen for each in seen.idle):
        if each.device == worst and each.why != Why.START and not each.part_of:
            lines[spot_of(each)] += each.seconds
    longest = max(lines, key=lambda each: lines[each], default=None)
    values = {
        "card": worst if len(cards) > 1 else Message("the card"),
        "part": str(duration(seconds[worst])),
        "whole": str(duration(run.stepping_seconds)),
    }
    if longest is None:
        return Message(
            "No line stands out, but {card} had nothing to do for {part} of {whole}, in pauses "
            "from one operation to the next.",
            **values,
        )
    return Message(
        "No line stands out, but {card} had nothing to do for {part} of {whole}: longest at "
        "{place}, for {longest}.",
        place=run.place(longest),
        longest=str(duration(lines[longest])),
        **values,
    )


def _unused(devices: Sequence[str]) -> Sequence[Message]:
    if not devices:
        return []
    cards = all_of(devices)
    return [
        Message.counted(
            "{cards} was not used.", "{cards} were not used.", len(devices), cards=cards
        )
    ]
