"""The rows of the table of processes, what its columns say of them, and the same as a file."""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from itertools import pairwise
from operator import attrgetter

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainterPath, QPen

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.harmless import csv_of, harmless
from gpuexplorer.core.units import Units, span_words
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.cards.programs import (
    absence_reason,
    gigabyte,
    gigabytes,
    name_reason,
    parents,
    percent,
    short_since,
    standing_reason,
)
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.tables.cell import NO_CELL, Cell, Chip, Column, chips_width
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.process_book import BookRow, Standing
from gpuexplorer.telemetry.processes import Ancestor, ProcessFigure, ProcessUse

_SPAN = 240.0  # seconds of the small history
_USES = {
    ProcessUse.COMPUTE: mark("computes"),
    ProcessUse.GRAPHICS: mark("draws on a screen"),
    ProcessUse.BOTH: mark("computes and draws on a screen"),
}
Written = Callable[[float], str]
Curve = tuple[Sequence[float], Sequence[float], int | None]  # times, figures, a card's colour


class Grouping(StrEnum):
    """How rows hang together."""

    LIST = "list"
    PROGRAM = "program"  # a program with its processes on all cards, such as torchrun's
    TREE = "tree"  # a process with those that it started


@dataclass(frozen=True, slots=True)
class ProcessLine:
    """One row of the table: a process on a card, or several of those together."""

    key: Hashable
    rows: tuple[BookRow, ...]
    under: tuple["ProcessLine", ...] = ()
    parent: Ancestor | None = None  # what started those under it, whether it uses a card or not

    def with_those_under(self) -> Iterator["ProcessLine"]:
        """From the top down, as they stand."""
        yield self
        for line in self.under:
            yield from line.with_those_under()

    @property
    def pids(self) -> Sequence[int]:
        return sorted({row.named.process.pid for row in self.rows})

    def told(self, figure: ProcessFigure) -> list[float]:
        """The figures of its rows that are known now."""
        there = (row for row in self.rows if row.standing is Standing.THERE)
        values = (row.named.process.values for row in there)
        return [each[figure] for each in values if figure in each]


def lines_of(
    rows: Sequence[BookRow],
    grouping: Grouping,
    words: str = "",
    cards: Iterable[CardId] | None = None,
) -> list[ProcessLine]:
    """Those of these cards, or of all, that have all of these words."""

    def takes(row: BookRow, above: Sequence[Ancestor]) -> bool:
        """`above`: those under which it stands; who looks for one finds what it started."""
        named = row.named
        facts = [named.command, str(named.process.pid), named.user, named.container]
        facts += [fact for each in above for fact in (each.command, str(each.pid))]
        said = " ".join(filter(None, facts)).casefold()
        here = cards is None or named.process.card in cards
        return here and all(word in said for word in words.casefold().split())

    if grouping is Grouping.TREE:
        return _tree(rows, takes)
    programs: dict[Hashable, list[BookRow]] = defaultdict(list)
    for row in (row for row in rows if takes(row, ())):
        # A process without a name is a program of its own.
        named = row.named
        by_name = "program", named.command, named.user, named.container
        alone = row.key if grouping is Grouping.LIST else named.process.pid
        together = grouping is Grouping.PROGRAM and named.command
        programs[by_name if together else alone].append(row)
    return [_line(key, its) for key, its in programs.items()]


def _line(key: Hashable, rows: Sequence[BookRow]) -> ProcessLine:
    if len(rows) == 1:
        return ProcessLine(rows[0].key, tuple(rows))
    return ProcessLine(key, tuple(rows), tuple(ProcessLine(row.key, (row,)) for row in rows))


def _tree(
    rows: Sequence[BookRow], takes: Callable[[BookRow, Sequence[Ancestor]], bool]
) -> list[ProcessLine]:
    """As deep as they started each other; a filter leaves everybody where they stand. Who
    neither uses a card nor started several, as a shell, would be a row that says nothing.
    """
    started: dict[int, set[int]] = defaultdict(set)
    for row in rows:
        chain = row.named.process.pid, *(each.pid for each in row.named.ancestors)
        for child, parent in pairwise(chain):
            started[parent].add(child)
    own: dict[int, list[BookRow]] = {row.named.process.pid: [] for row in rows}
    # Each once: a number may have been given on to another process.
    placed: dict[int, tuple[Ancestor, int | None]] = {}
    for row in rows:
        process = Ancestor(row.named.process.pid, row.named.command or "")
        ancestors = row.named.ancestors
        above = [each for each in ancestors if each.pid in own or len(started[each.pid]) > 1]
        if takes(row, above):
            own[process.pid].append(row)
            for each, higher in zip((process, *above), (*above, None), strict=True):
                placed.setdefault(each.pid, (each, higher and higher.pid))

    def under(pid: int | None) -> list[ProcessLine]:
        return [line(each) for each, higher in placed.values() if higher == pid]

    def line(of: Ancestor) -> ProcessLine:
        key, its, children = ("tree", of.pid), own.get(of.pid, []), under(of.pid)
        if not children:
            return _line(key, its)
        every = (*its, *(row for each in children for row in each.rows))
        own_lines = (ProcessLine(row.key, (row,)) for row in its)
        return ProcessLine(key, every, (*own_lines, *children), of)

    return under(None)


def processes_of(
    picked: Iterable[ProcessLine], rows: Sequence[BookRow]
) -> Sequence[ProcessLine]:
    """Each process that was picked, by all its rows, of whichever cards; the living first."""
    pids = dict.fromkeys(row.named.process.pid for line in picked for row in line.rows)
    in_order = sorted(rows, key=lambda row: row.over)
    found = (tuple(row for row in in_order if row.named.process.pid == pid) for pid in pids)
    return [ProcessLine(its[0].named.process.pid, its) for its in found if its]


@dataclass(frozen=True, slots=True)
class Spark:
    """Small curves of the last minutes, from nothing at their foot to `top`. NaN is a gap."""

    curves: Sequence[
        tuple[Sequence[float], Sequence[float], int | None]
    ]  # time, figure, colour
    now: float
    top: float

    def draw(self, drawing: Drawing, place: QRectF) -> None:
        """Where looks are further apart than usual, there is a gap, and no slope."""
        place = place.adjusted(0, 6, 0, -6)
        drawing.hairline(place.left(), place.right(), place.bottom())
        for times, values, card in self.curves:
            path, before = QPainterPath(), -math.inf
            usual = (max(times, default=0.0) - min(times, default=0.0)) / max(1, len(times))
            for at, value in zip(times, values, strict=True):
                if at < self.now - _SPAN or not math.isfinite(value):
                    before = -math.inf
                    continue
                x = place.right() + (at - self.now) / _SPAN * place.width()
                y = place.bottom() - min(1.0, value / self.top) * place.height()
                if at - before > 3 * usual:
                    path.moveTo(x - 1.5, y)  # one look between two gaps too
                path.lineTo(x, y)
                before = at
            colour = drawing.theme.level if card is None else drawing.theme.card(card)
            drawing.painter.strokePath(path, QPen(colour, 1.25))


class ProcessColumns:
    """What is said of a line, as it is now."""

    def __init__(self, machine: MachineState) -> None:
        self.machine = machine

    @property
    def units(self) -> Units:
        return self.machine.settings.choices.units

    def all(self) -> Iterator[Column[ProcessLine]]:
        """In the order in which they are offered. What they say of memory is in `units`."""
        column, unit = Column[ProcessLine], gigabyte(self.units)
        figure = partial(column, right=True, largest_first=True)
        sizes = partial(gigabytes, units=self.units)

        def used(of: ProcessFigure, heading: str, told: str, kept: int) -> Column[ProcessLine]:
            cell, sorts = partial(_used, of, sizes), partial(_last, of)
            return figure(of.value, heading, cell, sorts, told, kept=kept, width=80)

        wide, place = round(chips_width(2)), lambda line: min(map(self._place, line.rows))
        yield column("card", tr("Card"), self._card, place, width=wide)
        command = partial(column, stretches=True, share=0.25, width=200)
        yield command("command", tr("Command"), _command, partial(_first, "command"))
        pid = partial(column, right=True, width=82, kept=11)  # of seven digits, as Linux gives
        yield pid("pid", tr("PID"), _pid, lambda line: line.pids[0])
        cell, sorts = partial(_text, "user"), partial(_first, "user")
        yield column("user", tr("User"), cell, sorts, kept=10)
        told = tr("Memory of the card that it holds.\nnvidia-smi: used_gpu_memory")
        yield used(ProcessFigure.MEMORY, tr("Memory, {unit}", unit=unit), told, 12)
        told = tr("Share of the time in which it ran on the card.\nnvidia-smi pmon: sm")
        yield used(ProcessFigure.SM, tr("SM, %"), told, 12)
        for of, heading, written, of_what, kept in (
            ("sm", tr("SM, last 4 min"), percent, "%", 9),
            ("memory", tr("Memory, last 4 min"), sizes, unit, 1),
            ("cpu", tr("CPU, last 4 min"), percent, "%", 1),
            ("host_memory", tr("Host, last 4 min"), sizes, unit, 1),
        ):
            cell, key = partial(self._curve, of, written, of_what), f"{of}_past"
            yield column(key, heading, cell, width=124, copied=False, kept=kept)
        told = tr("Share of the time in which it used the card's memory.\nnvidia-smi pmon: mem")
        yield used(ProcessFigure.MEMORY_CONTROLLER, tr("Memory ctrl, %"), told, 6)
        yield used(ProcessFigure.ENCODER, tr("Encoder, %"), tr("nvidia-smi pmon: enc"), 2)
        yield used(ProcessFigure.DECODER, tr("Decoder, %"), tr("nvidia-smi pmon: dec"), 1)
        told = tr("Of one core of the computer: 200 % are two cores at full work.")
        cell, held = partial(_host, "cpu", percent), partial(_of_host, "cpu")
        yield figure("cpu", tr("CPU, %"), cell, held, told, kept=8)
        told = tr("Memory of the computer that it holds (resident set size).")
        cell, held = partial(_host, "memory_bytes", sizes), partial(_of_host, "memory_bytes")
        yield figure("host_memory", tr("Host, {unit}", unit=unit), cell, held, told, kept=5)
        since, runs = partial(column, right=True, width=64), partial(self._since, runs=True)
        yield since("since", tr("Since"), self._since, _started, kept=5)
        age = partial(figure, sorts=lambda line: -(_started(line) or 0), width=92, kept=7)
        yield age("runs", tr("Runs for"), runs)
        told, sorts = tr("As nvidia-smi says it."), partial(_first, "process.use")
        yield column("use", tr("Kind"), _use, sorts, told, width=52, kept=4)
        cell, sorts = partial(_text, "container"), partial(_first, "container")
        yield column("container", tr("Container"), cell, sorts, width=112, kept=3)

    def chip(self, card: CardId) -> Chip:
        shown = self.machine.shown(card)
        return Chip(card, None) if shown is None else Chip(shown.number, shown.colour)

    def _place(self, row: BookRow) -> int:
        """Of its card, among all; those that are not listed any more come last."""
        order = [*parents(self.machine.cards())]
        return order.index(row.key[0]) if row.key[0] in order else len(order)

    def _card(self, line: ProcessLine) -> Cell:
        cards = dict.fromkeys(row.key[0] for row in sorted(line.rows, key=self._place))
        shown = filter(None, map(self.machine.shown, cards))
        chips = tuple(map(self.chip, cards))
        return Cell(chips=chips, hint="\n".join(each.title for each in shown))

    def _curve(self, of: str, written: Written, unit: str, line: ProcessLine) -> Cell:
        """Of a card in its colour. Of a program there is one in each of its rows."""
        session, of_card = self.machine.session, of in [*ProcessFigure]
        curves: list[Curve] = []
        for row in line.rows if of_card else line.rows[:1]:
            past, colour = session.process_book.past(*row.key), self.chip(row.key[0]).colour
            curves.append((past.times, getattr(past, of), colour if of_card else None))
        values = [each for _, its, _ in curves for each in its if math.isfinite(each)]
        if line.under or not values:
            return NO_CELL if line.under else _absent(line, ProcessFigure.SM)
        one = mark("{least} to {most} {unit}, {mean} {unit} on average in {count} look")
        many = mark("{least} to {most} {unit}, {mean} {unit} on average in {count} looks")
        figures = min(values), max(values), sum(values) / len(values)
        said = dict(zip(("least", "most", "mean"), map(written, figures), strict=True))
        top = max(figures[1], 1.0 if written is percent else 1e-9)
        hint = trn(one, many, max(len(times) for times, *_ in curves), unit=unit, **said)
        return Cell(drawn=Spark(curves, session.clock.now(), top), hint=hint)

    def _since(self, line: ProcessLine, *, runs: bool = False) -> Cell:
        started = _started(line)
        if started is None or (runs and line.rows[0].standing is Standing.ENDED):
            return _absent(line)
        now = self.machine.session.clock.wall()
        lasted = span_words(now - started)
        text = lasted if runs else short_since(started, now)
        moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(started))
        hint = tr("Since {moment}, for {time}", moment=moment, time=lasted)
        return Cell(text, tone=Tone.QUIET, hint=hint)


def _texts(of: str, line: ProcessLine) -> list[str]:
    found = (attrgetter(of)(row.named) for row in line.rows)
    return [*dict.fromkeys(text for text in found if text)]


def _first(of: str, line: ProcessLine) -> str | None:
    """To sort by."""
    return min(map(str.casefold, _texts(of, line)), default=None)


def _last(figure: ProcessFigure, line: ProcessLine) -> float | None:
    """To sort by, as of the last look, also where it has ended: a row keeps its place until it
    goes. What is written alike must not change places.
    """
    values = (row.last_told.values for row in line.rows)
    told = [each[figure] for each in values if figure in each]
    return round(sum(told), 2) if told else None


def _of_host(fact: str, line: ProcessLine) -> float | None:
    """The sum over its processes, each of which may use several cards."""
    there = (row.named for row in line.rows if row.standing is not Standing.ENDED)
    values = {named.process.pid: attrgetter(fact)(named) for named in there}.values()
    told = [value for value in values if value is not None]
    return round(sum(told), 2) if told else None


def _started(line: ProcessLine) -> float | None:
    return min((at for row in line.rows if (at := row.named.started_at)), default=None)


def _pid(line: ProcessLine) -> Cell:
    pids = [line.parent.pid] if line.parent is not None else line.pids
    numbers = [*map(str, pids)]
    text = numbers[0] if len(pids) == 1 else trn("{count} pid", "{count} pids", len(pids))
    return Cell(text, tone=Tone.QUIET, hint=listed(numbers))


def _text(of: str, line: ProcessLine) -> Cell:
    texts = _texts(of, line)
    if not texts and of == "container" and line.rows[0].named.resolved:
        hint = tr("It does not run in a container that is known.")
        return Cell(absent=(tr("none"),), hint=hint)
    return Cell(", ".join(texts), tone=Tone.QUIET) if texts else _absent(line)


def _use(line: ProcessLine) -> Cell:
    uses = sorted({row.named.process.use for row in line.rows})
    return Cell(" ".join(uses), tone=Tone.QUIET, hint=listed([tr(_USES[use]) for use in uses]))


def _used(of: ProcessFigure, sizes: Written, line: ProcessLine) -> Cell:
    """Shares of several cards do not add up: the lowest and the highest are told."""
    rows, values = len(line.rows), line.told(of)
    if not values:
        return _absent(line, of)
    hint = tr("Known for {count} of {rows} rows", count=len(values), rows=rows)
    low, high = percent(min(values)), percent(max(values))
    text = high if low == high else f"{low}–{high}"
    text = sizes(sum(values)) if of is ProcessFigure.MEMORY else text
    return Cell(text, hint=hint if rows > 1 else "")


def _command(line: ProcessLine) -> Cell:
    named, parent = line.rows[0].named, line.parent
    command = parent.command if parent else named.command
    if command is None:
        return _absent(line)
    # Where the program lies would take the room of what tells it from others.
    program, space, rest = command.partition(" ")
    short = f"{program.rpartition('/')[2] or program}{space}{rest}"
    over = all(row.standing is not Standing.THERE for row in line.rows)
    marked = tr("this window") if named.ours else ""
    if parent is not None:
        marked = "" if parent.pid in line.pids else tr("parent")
    tone = Tone.FAINT if over else Tone.TEXT
    return Cell(command, short=short, mono=True, tone=tone, mark=marked)


def _host(fact: str, written: Written, line: ProcessLine) -> Cell:
    """What the computer, and not the card, tells of a process."""
    value = _of_host(fact, line)
    return _absent(line, soon=True) if value is None else Cell(written(value))


def _absent(
    line: ProcessLine, figure: ProcessFigure | None = None, *, soon: bool = False
) -> Cell:
    """Why the card does not tell a figure; or else why the computer does not know."""
    row, named = line.rows[0], line.rows[0].named
    reason = standing_reason(row.standing)
    if reason is not None and (figure is not None or row.standing is Standing.ENDED):
        words, sentence = reason
    elif figure is not None:
        words, sentence = absence_reason(named.process.missing.get(figure, Absence.NOT_YET))
    elif named.ended:
        words = (tr("has ended"),)
        sentence = tr("It has ended, and what started it has not collected it yet.")
    elif named.resolved and soon:
        words, sentence = (tr("soon"),), tr("It comes with the next reading.")
    else:
        words, sentence = name_reason(named)
    return Cell(absent=words, hint=sentence)


def as_csv(rows: Sequence[BookRow], columns: ProcessColumns) -> str:
    """In SI units. The last column says for each blank why, so that no blank is a riddle."""
    session = columns.machine.session
    now = datetime.fromtimestamp(session.clock.wall()).astimezone()

    def line(row: BookRow) -> Mapping[str, object]:
        named, process = row.named, row.named.process
        missing = [f"{figure.value}: {why.sentence}" for figure, why in process.missing.items()]
        if named.reason and named.cpu is None:
            what = "cpu, host_memory" if named.resolved else "name"
            missing.append(f"{what}: {named.reason}")
        return {
            "taken_at": now.isoformat(timespec="seconds"),
            "simulated": session.simulated,
            "card": columns.chip(process.card).text,
            "card_id": process.card,
            "pid": process.pid,
            "kind": process.use.value,
            "user": harmless(named.user or ""),
            "command": harmless(named.command or ""),
            "container": harmless(named.container or ""),
            "started_at": _plain(named.started_at),
            "standing": row.standing.value,
            **{
                f"{each} [{'B' if each is ProcessFigure.MEMORY else 'ratio'}]": _plain(
                    process.values.get(each)
                )
                for each in ProcessFigure
            },
            "cpu [cores]": _plain(named.cpu),
            "host_memory [B]": _plain(named.memory_bytes),
            "missing": "; ".join(missing),
        }

    lines = [line(row) for row in rows]
    return csv_of([*lines[0]], lines)


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}"
