"""ProcessColumns: what is said of a process, or of several together, column by column."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.units import USUAL, Units, memory
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.cards.programs import (
    absence_reason,
    gigabyte,
    gigabytes,
    name_reason,
    percent,
    short_since,
    standing_reason,
)
from gpuexplorer.gui.cards.reasons import span_words
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.processes.rows import ProcessLine
from gpuexplorer.gui.tables.cell import NO_CELL, Cell, Chip, Column
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.telemetry.process_book import ProcessPast, Standing
from gpuexplorer.telemetry.processes import ProcessFigure, ProcessUse

CARD, COMMAND, MEMORY = "card", "command", "memory"
CARD_WIDTH = 56
_SPAN = 240.0  # seconds of the small history
_PID_WIDTH = 82  # for seven digits, the most that Linux gives
USES = {
    ProcessUse.COMPUTE: mark("computes"),
    ProcessUse.GRAPHICS: mark("draws on a screen"),
    ProcessUse.BOTH: mark("computes and draws on a screen"),
}
_Line = Column[ProcessLine]


@dataclass(frozen=True, slots=True)
class Spark:
    """A small curve of the last minutes, from nothing at its foot to `top`. NaN is a gap."""

    times: Sequence[float]
    values: Sequence[float]
    now: float
    top: float
    colour: int | None
    filled: bool = True  # down to its foot; not where others lie over it

    def draw(self, drawing: Drawing, place: QRectF) -> None:
        """A line, and a fill below it; where nothing was told there is neither."""
        painter, place = drawing.painter, place.adjusted(0, 6, 0, -6)
        drawing.hairline(place.left(), place.right(), place.bottom())
        times, values = np.array(self.times, float), np.array(self.values, float)
        times, values = times[times >= self.now - _SPAN], values[times >= self.now - _SPAN]
        if times.size == 0:
            return
        colour = drawing.theme.level if self.colour is None else drawing.theme.card(self.colour)
        x = place.right() + (times - self.now) / _SPAN * place.width()
        y = place.bottom() - np.clip(values / self.top, 0.0, 1.0) * place.height()
        # Where looks are further apart than usual, there is a gap between them, and no slope.
        usual = (times[-1] - times[0]) / max(1, times.size - 1)
        there = np.isfinite(values)
        torn = np.flatnonzero((np.diff(times) > 3 * usual) | (there[1:] != there[:-1])) + 1
        for run in np.split(np.arange(times.size), torn):
            if not there[run[0]]:
                continue
            points = list(map(QPointF, x[run].tolist(), y[run].tolist()))
            points = [points[0] - QPointF(1.5, 0), *points]  # one look between two gaps too
            if self.filled:
                # Smooth edges below the line would cost more than all the rest.
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(faded(colour, 0.16))
                ends = (QPointF(points[at].x(), place.bottom()) for at in (-1, 0))
                painter.drawPolygon(QPolygonF([*points, *ends]))
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(colour, 1.25))
            painter.drawPolyline(QPolygonF(points))


@dataclass
class ProcessColumns:
    """Cells are asked anew with each look; the attributes say what holds then."""

    cards: Mapping[CardId, Shown] = field(default_factory=dict)
    units: Units = USUAL
    now: float = 0.0  # in steady seconds
    wall: float = 0.0  # the time of day
    past: Callable[[CardId, int], ProcessPast] = lambda card, pid: ProcessPast()

    def all(self) -> Iterator[Column[ProcessLine]]:
        """In the order in which they are offered. What they say of memory is in `units`."""
        column, figure = _Line, partial(_Line, right=True, largest_first=True)
        unit, wide = gigabyte(self.units), partial(_Line, stretches=True, share=0.25)

        def share(
            of: ProcessFigure, heading: str, meaning: str, name: str, kept: int
        ) -> Column[ProcessLine]:
            cell, sorts = partial(_share, of), partial(_most, of)
            return figure(of.value, heading, cell, sorts, meaning, name, kept=kept)

        told = tr("The card, or the MIG instance, that it uses.")
        yield column(CARD, tr("Card"), self._card, self._place, told, width=CARD_WIDTH)
        told, sorts = tr("How the program was started."), _first("named.command")
        yield wide(COMMAND, tr("Command"), self._command, sorts, told, width=200)
        told, pid = tr("The number of the process."), partial(column, width=_PID_WIDTH)
        yield pid("pid", tr("PID"), _pid, lambda line: line.pids[0], told, right=True, kept=11)
        told, sorts = tr("Whose process it is."), _first("named.user")
        yield column("user", tr("User"), partial(_text, "named.user"), sorts, told, kept=10)
        heading, name = tr("Memory, {unit}", unit=unit), tr("Memory of the card")
        told = tr("Memory of the card that it holds.\nnvidia-smi: used_gpu_memory")
        yield figure(MEMORY, heading, self._memory, _held, told, name, width=104, kept=12)
        told = tr(
            "Share of the last moment in which one of its kernels ran on the card.\n"
            "nvidia-smi pmon: sm"
        )
        yield share(ProcessFigure.SM, tr("SM, %"), told, tr("SM (computing)"), 12)
        heading, name = tr("SM, last 4 min"), tr("SM of the last 4 minutes")
        told, most = tr("The same share over time."), partial(_most, ProcessFigure.SM)
        curve = partial(column, width=124, largest_first=True, copied=False)
        yield curve("history", heading, self._history, most, told, name, kept=9)
        heading, name = tr("Memory ctrl, %"), tr("Memory controller")
        told = tr(
            "Share of the last moment in which it read or wrote the card's memory.\n"
            "nvidia-smi pmon: mem"
        )
        yield share(ProcessFigure.MEMORY_CONTROLLER, heading, told, name, 6)
        told = tr("Time in which it used the video encoder.\nnvidia-smi pmon: enc")
        yield share(ProcessFigure.ENCODER, tr("Enc, %"), told, tr("Video encoder"), 2)
        told = tr("Time in which it used the video decoder.\nnvidia-smi pmon: dec")
        yield share(ProcessFigure.DECODER, tr("Dec, %"), told, tr("Video decoder"), 1)
        told = tr("Of one core of the computer: 200 % are two cores at full work.")
        heading, name = tr("CPU, %"), tr("Processor (CPU)")
        yield figure("cpu", heading, _processor, _cores, told, name, kept=8)
        heading, name = tr("Host, {unit}", unit=unit), tr("Memory of the computer")
        told = tr("Memory of the computer that it holds (resident set size).")
        yield figure("host_memory", heading, self._of_host, _resident, told, name, kept=5)
        told, name = tr("When it was started."), tr("Started at")
        since = partial(column, right=True, width=64, kept=5)
        yield since("since", tr("Since"), self._since, _started, told, name)
        told, age = tr("How long it has been running."), lambda line: -(_started(line) or 0)
        runs = partial(self._since, runs=True)
        yield figure("runs", tr("Runs for"), runs, age, told, width=92, kept=7)
        heading, name = tr("Kind"), tr("Kind (computes, draws)")
        told = tr("As nvidia-smi says it. C: it computes. G: it draws on a screen.")
        sorts = _first("named.process.use")
        yield column("use", heading, _use, sorts, told, name, width=52, kept=4)
        told, sorts = tr("The container it runs in, where it does."), _first("named.container")
        name = tr("Container")
        yield column("container", name, _container, sorts, told, width=112, kept=3)

    def chip(self, card: CardId) -> Chip:
        shown = self.cards.get(card)
        return Chip(card, None) if shown is None else Chip(shown.number, shown.colour)

    def _place(self, line: ProcessLine) -> int:
        cards = {row.named.process.card for row in line.rows}
        places = (at for at, card in enumerate(self.cards) if card in cards)
        return next(places, len(self.cards))

    def _card(self, line: ProcessLine) -> Cell:
        cards = {row.named.process.card: None for row in line.rows}
        if len(cards) > 1:
            cards = dict.fromkeys(each for each in (*self.cards, *cards) if each in cards)
        titles = [self.cards[card].title for card in cards if card in self.cards]
        return Cell(chips=tuple(map(self.chip, cards)), hint="\n".join(titles))

    def _command(self, line: ProcessLine) -> Cell:
        named, parent = line.rows[0].named, line.parent
        command = parent.command if parent else named.command
        if command is None:
            words, sentence = name_reason(named)
            return Cell(absent=words, hint=sentence)
        # Where the program lies would take the room of what tells it from others.
        program, space, rest = command.partition(" ")
        short = f"{program.rpartition('/')[2] or program}{space}{rest}"
        over = all(row.standing is not Standing.THERE for row in line.rows)
        tone = Tone.FAINT if over else Tone.QUIET if line.inner and not parent else Tone.TEXT
        marked, hint = tr("this window") if named.ours else "", command
        if parent is not None:
            marked = "" if parent.pid in line.pids else tr("parent")
            hint = trn(
                "{command}\nIt started {count} process that uses a card.",
                "{command}\nIt started {count} processes that use a card.",
                len([pid for pid in line.pids if pid != parent.pid]),
                command=command,
            )
        return Cell(command, short=short, mono=True, tone=tone, mark=marked, hint=hint)

    def _memory(self, line: ProcessLine) -> Cell:
        values = line.told(ProcessFigure.MEMORY)
        if not values:
            return _not_told(line, ProcessFigure.MEMORY)
        hint = _by_rows(line, len(values), str(memory(sum(values), self.units)))
        return Cell(gigabytes(sum(values), self.units), hint=hint)

    def _history(self, line: ProcessLine) -> Cell:
        """Of a program on several cards there is one in each of its rows."""
        if line.under:
            return NO_CELL
        process = line.rows[0].named.process
        past = self.past(process.card, process.pid)
        shares, held = known(past.sm), known(past.memory) or [0.0]
        if not shares:
            return _not_told(line, ProcessFigure.SM)
        mean, most = percent(sum(shares) / len(shares)), percent(max(shares))
        least, largest = memory(min(held), self.units), memory(max(held), self.units)
        said = [
            tr("SM: mean {mean} %, most {most} %", mean=mean, most=most),
            tr("Memory: {least} to {largest}", least=least, largest=largest),
            trn("in {count} look", "in {count} looks", len(past.times)),
        ]
        colour = self.chip(process.card).colour
        spark = Spark(past.times, past.sm, self.now, 1.0, colour)
        return Cell(drawn=spark, hint="\n".join(said))

    def _of_host(self, line: ProcessLine) -> Cell:
        written = partial(gigabytes, units=self.units)
        return _of_computer(line, _resident(line), written, tr("not told"))

    def _since(self, line: ProcessLine, *, runs: bool = False) -> Cell:
        if (started := _started(line)) is None:
            return _unnamed(line)
        if runs and line.rows[0].standing is Standing.ENDED:
            return _not_told(line, ProcessFigure.MEMORY)
        lasted = span_words(self.wall - started)
        text = lasted if runs else short_since(started, self.wall)
        moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(started))
        hint = tr("Since {moment}, for {time}", moment=moment, time=lasted)
        return Cell(text, tone=Tone.QUIET, hint=hint)


def known(values: Sequence[float]) -> list[float]:
    return [each for each in values if math.isfinite(each)]


def _texts(of: str, line: ProcessLine) -> list[str]:
    found = map(attrgetter(of), line.rows)
    return [*dict.fromkeys(text for text in found if text)]


def _first(of: str) -> Callable[[ProcessLine], str | None]:
    """To sort by."""
    return lambda line: min(map(str.casefold, _texts(of, line)), default=None)


def _held(line: ProcessLine) -> float | None:
    held = line.last_told(ProcessFigure.MEMORY)
    return sum(held) if held else None


def _most(figure: ProcessFigure, line: ProcessLine) -> float | None:
    """To sort by: what is written alike must not change places."""
    return max((round(each, 2) for each in line.last_told(figure)), default=None)


def _cores(line: ProcessLine) -> float | None:
    cores = line.over_pids(lambda named: named.cpu)
    return None if cores is None else round(cores, 2)


def _resident(line: ProcessLine) -> float | None:
    return line.over_pids(lambda named: named.memory_bytes)


def _started(line: ProcessLine) -> float | None:
    return min((at for row in line.rows if (at := row.named.started_at)), default=None)


def _pid(line: ProcessLine) -> Cell:
    pids = [line.parent.pid] if line.parent is not None else line.pids
    numbers = [*map(str, pids)]
    text = numbers[0] if len(pids) == 1 else trn("{count} pid", "{count} pids", len(pids))
    return Cell(text, tone=Tone.QUIET, hint=listed(numbers))


def _text(of: str, line: ProcessLine) -> Cell:
    texts = _texts(of, line)
    return Cell(", ".join(texts), tone=Tone.QUIET) if texts else _unnamed(line)


def _container(line: ProcessLine) -> Cell:
    if line.rows[0].named.resolved and not _texts("named.container", line):
        hint = tr("It does not run in a container that is known.")
        return Cell(absent=(tr("none"),), hint=hint)
    return _text("named.container", line)


def _use(line: ProcessLine) -> Cell:
    uses = sorted({row.named.process.use for row in line.rows})
    return Cell(" ".join(uses), tone=Tone.QUIET, hint="\n".join(tr(USES[use]) for use in uses))


def _share(figure: ProcessFigure, line: ProcessLine) -> Cell:
    """Shares of several cards do not add up: the lowest and the highest are told."""
    values = line.told(figure)
    if not values:
        return _not_told(line, figure)
    low, high = percent(min(values)), percent(max(values))
    text = high if low == high else f"{low}–{high}"
    return Cell(text, hint=_by_rows(line, len(values), f"{text} %"))


def _by_rows(line: ProcessLine, count: int, figure: str) -> str:
    if len(line.rows) == 1:
        return figure
    words = mark("{figure}, known for {count} of {rows} rows")
    return tr(words, figure=figure, count=count, rows=len(line.rows))


def _not_told(line: ProcessLine, figure: ProcessFigure) -> Cell:
    row = line.rows[0]
    absence = row.named.process.missing.get(figure)
    reason = standing_reason(row.standing) or (absence and absence_reason(absence))
    return Cell(absent=reason[0], hint=reason[1]) if reason else NO_CELL


def _processor(line: ProcessLine) -> Cell:
    return _of_computer(line, _cores(line), percent, tr("soon"))


def _of_computer(
    line: ProcessLine, value: float | None, written: Callable[[float], str], not_yet: str
) -> Cell:
    """What the computer, and not the card, tells of a process."""
    row, pids = line.rows[0], len(line.pids)
    if value is not None:
        hint = trn("Of {count} process", "Of {count} processes together", pids)
        return Cell(written(value), hint=hint if pids > 1 else "")
    if row.named.ended:
        hint = tr("It has ended, and what started it has not collected it yet.")
        return Cell(absent=(tr("has ended"), tr("ended")), hint=hint)
    if row.standing is Standing.ENDED:
        return _not_told(line, ProcessFigure.MEMORY)
    if row.named.resolved:
        return Cell(absent=(not_yet,), hint=tr("It comes with the next reading."))
    return _unnamed(line)


def _unnamed(line: ProcessLine) -> Cell:
    """Why it is not known who it is, in the words that fit a narrow column."""
    words, sentence = name_reason(line.rows[0].named)
    return Cell(absent=words[1:], hint=sentence)
