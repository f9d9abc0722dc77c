"""The columns of the table of processes: what they say of a row, and how they sort."""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainterPath, QPen

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.units import span_words
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
from gpuexplorer.gui.processes.process_lines import ProcessLine
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.tables.cell import NO_CELL, Cell, Chip, Column, chips_width
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.process_book import BookRow, Standing
from gpuexplorer.telemetry.processes import ProcessFigure, ProcessUse

_SPAN = 240.0  # seconds of the small history
_USES = {
    ProcessUse.COMPUTE: mark("computes"),
    ProcessUse.GRAPHICS: mark("draws on a screen"),
    ProcessUse.BOTH: mark("computes and draws on a screen"),
}
Written = Callable[[float], str]
Curve = tuple[Sequence[float], Sequence[float], int | None]  # times, figures, a card's colour


@dataclass(frozen=True, slots=True)
class Spark:
    """Small curves of the last minutes, from nothing at their foot to `top`. NaN is a gap."""

    curves: Sequence[Curve]
    now: float
    top: float

    def draw(self, drawing: Drawing, place: QRectF) -> None:
        """Where looks are further apart than usual, there is a gap, and no slope."""
        place = place.adjusted(0, 6, 0, -6)
        drawing.hairline(place.left(), place.right(), place.bottom())
        for times, values, card in self.curves:
            path, before, usual = QPainterPath(), -math.inf, (times[-1] - times[0]) / len(times)
            for at, value in zip(times, values, strict=True):
                x = place.right() + (at - self.now) / _SPAN * place.width()
                y = place.bottom() - value / self.top * place.height()
                if x < place.left() or math.isnan(y):
                    before = -math.inf
                    continue
                if at - before > 3 * usual:
                    path.moveTo(x - 1.5, y)  # one look between two gaps too
                path.lineTo(x, y)
                before = at
            colour = drawing.theme.level if card is None else drawing.theme.card(card)
            drawing.painter.strokePath(path, QPen(colour, 1.25))


def process_columns(machine: MachineState) -> Iterator[Column[ProcessLine]]:
    """In the order in which they are offered. Memory is in the units that hold now."""
    column, units = Column[ProcessLine], machine.settings.choices.units
    figure = partial(column, right=True, largest_first=True)
    unit, sizes = gigabyte(units), partial(gigabytes, units=units)

    def used(of: ProcessFigure, heading: str, told: str, kept: int) -> Column[ProcessLine]:
        cell, sorts = partial(_used, of, sizes), partial(_last, of)
        return figure(of.value, heading, cell, sorts, told, kept=kept)

    def host(fact: str, written: Written, line: ProcessLine) -> Cell:
        """What the computer, and not the card, tells of a process."""
        value = _of_host(fact, line)
        return _absent(line, soon=True) if value is None else Cell(written(value))

    def place(line: ProcessLine) -> int:
        return min(_place(machine, row) for row in line.rows)

    wide = round(chips_width(2))
    yield column("card", tr("Card"), partial(_card, machine), place, width=wide)
    command = partial(column, stretches=True, share=0.25, width=200)
    yield command("command", tr("Command"), _command, partial(_first, "command"))
    pid = partial(column, right=True, width=82, kept=11)  # of seven digits, as Linux gives
    yield pid("pid", tr("PID"), _pid, lambda line: line.pids[0])
    yield column("user", tr("User"), partial(_text, "user"), partial(_first, "user"), kept=10)
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
        cell, key = partial(_curve, machine, of, written, of_what), f"{of}_past"
        yield column(key, heading, cell, width=124, copied=False, kept=kept)
    told = tr("Share of the time in which it used the card's memory.\nnvidia-smi pmon: mem")
    yield used(ProcessFigure.MEMORY_CONTROLLER, tr("Memory ctrl, %"), told, 6)
    yield used(ProcessFigure.ENCODER, tr("Encoder, %"), tr("nvidia-smi pmon: enc"), 2)
    yield used(ProcessFigure.DECODER, tr("Decoder, %"), tr("nvidia-smi pmon: dec"), 1)
    told = tr("Of one core of the computer: 200 % are two cores at full work.")
    cell, held = partial(host, "cpu", percent), partial(_of_host, "cpu")
    yield figure("cpu", tr("CPU, %"), cell, held, told, kept=8)
    told = tr("Memory of the computer that it holds (resident set size).")
    cell, held = partial(host, "memory_bytes", sizes), partial(_of_host, "memory_bytes")
    yield figure("host_memory", tr("Host, {unit}", unit=unit), cell, held, told, kept=5)
    began, runs = partial(since, machine), partial(since, machine, runs=True)
    yield column("since", tr("Since"), began, _started, right=True, width=64, kept=5)
    age = partial(figure, width=92, kept=7)
    yield age("runs", tr("Runs for"), runs, lambda line: -(_started(line) or 0))
    told, sorts = tr("As nvidia-smi says it."), partial(_first, "process.use")
    yield column("use", tr("Kind"), use, sorts, told, width=52, kept=4)
    cell, sorts = partial(_text, "container"), partial(_first, "container")
    yield column("container", tr("Container"), cell, sorts, width=112, kept=3)


def chip(machine: MachineState, card: CardId) -> Chip:
    shown = machine.shown(card)
    return Chip(card, None) if shown is None else Chip(shown.number, shown.colour)


def _place(machine: MachineState, row: BookRow) -> int:
    """Of its card, among all; those that are not listed any more come last."""
    return [*parents(machine.cards()), row.key[0]].index(row.key[0])


def _card(machine: MachineState, line: ProcessLine) -> Cell:
    """One that is not listed any more goes by its lasting name."""
    cards = {row.key[0] for row in line.rows}
    every = (one for each in machine.cards() for one in (each, *each.instances))
    shown = [each for each in every if each.card.id in cards]
    chips = [Chip(each.number, each.colour) for each in shown] or [Chip(min(cards), None)]
    return Cell(chips=tuple(chips), hint="\n".join(each.title for each in shown))


def _curve(
    machine: MachineState, of: str, written: Written, unit: str, line: ProcessLine
) -> Cell:
    """Of a card in its colour. Of a program there is one in each of its rows."""
    if line.under:
        return NO_CELL
    session, of_card, curves = machine.session, of in [*ProcessFigure], list[Curve]()
    for row in line.rows:
        past, colour = session.process_book.past(*row.key), chip(machine, row.key[0]).colour
        if past.times:
            curves.append((past.times, getattr(past, of), colour if of_card else None))
    values = [each for _, its, _ in curves for each in its if math.isfinite(each)]
    if not values:
        return _absent(line, ProcessFigure.SM)
    least, most = min(values), max(values)
    hint = trn(
        "{least} to {most} {unit}, {mean} {unit} on average in {count} look",
        "{least} to {most} {unit}, {mean} {unit} on average in {count} looks",
        max(len(times) for times, *_ in curves),
        least=written(least),
        most=written(most),
        mean=written(sum(values) / len(values)),
        unit=unit,
    )
    top = max(most, 1.0 if written is percent else 1e-9)
    return Cell(drawn=Spark(curves, session.clock.now(), top), hint=hint)


def since(machine: MachineState, line: ProcessLine, *, runs: bool = False) -> Cell:
    started, now = _started(line), machine.session.clock.wall()
    if started is None or (runs and line.rows[0].standing is Standing.ENDED):
        return _absent(line)
    lasted = span_words(now - started)
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(started))
    hint = tr("Since {moment}, for {time}", moment=moment, time=lasted)
    return Cell(lasted if runs else short_since(started, now), tone=Tone.QUIET, hint=hint)


def texts(of: str, line: ProcessLine) -> Sequence[str]:
    found = dict.fromkeys(attrgetter(of)(row.named) for row in line.rows)
    return [*filter(None, found)]


def _first(of: str, line: ProcessLine) -> str | None:
    """To sort by."""
    return min(map(str.casefold, texts(of, line)), default=None)


def _last(figure: ProcessFigure, line: ProcessLine) -> float | None:
    """To sort by, as of the last look, also where it has ended: a row keeps its place until it
    goes. What is written alike must not change places.
    """
    return _sum(row.last_told.values.get(figure) for row in line.rows)


def _of_host(fact: str, line: ProcessLine) -> float | None:
    """The sum over its processes, each of which may use several cards."""
    there = (row.named for row in line.rows if row.standing is not Standing.ENDED)
    return _sum({named.process.pid: attrgetter(fact)(named) for named in there}.values())


def _sum(values: Iterable[float | None]) -> float | None:
    told = [each for each in values if each is not None]
    return round(sum(told), 2) if told else None


def _started(line: ProcessLine) -> float | None:
    return min((at for row in line.rows if (at := row.named.started_at)), default=None)


def _pid(line: ProcessLine) -> Cell:
    pids = [line.parent.pid] if line.parent is not None else line.pids
    numbers = [*map(str, pids)]
    text = numbers[0] if len(pids) == 1 else trn("{count} pid", "{count} pids", len(pids))
    return Cell(text, tone=Tone.QUIET, hint=listed(numbers))


def _text(of: str, line: ProcessLine) -> Cell:
    if words := ", ".join(texts(of, line)):
        return Cell(words, tone=Tone.QUIET)
    if of == "container" and line.rows[0].named.resolved:
        hint = tr("It does not run in a container that is known.")
        return Cell(absent=(tr("none"),), hint=hint)
    return _absent(line)


def use(line: ProcessLine) -> Cell:
    uses = sorted({row.named.process.use for row in line.rows})
    return Cell(" ".join(uses), tone=Tone.QUIET, hint=listed([tr(_USES[use]) for use in uses]))


def _used(of: ProcessFigure, sizes: Written, line: ProcessLine) -> Cell:
    """Shares of several cards do not add up: the lowest and the highest are told."""
    rows = len(line.rows)
    there = [row.named.process for row in line.rows if row.standing is Standing.THERE]
    values = [each.values[of] for each in there if of in each.values]
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
