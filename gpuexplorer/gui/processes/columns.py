"""ProcessColumns: what can be said of a process, or of several together, column by column."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.units import USUAL, Units, memory
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.cards.programs import (
    Reason,
    absence_reason,
    gigabyte,
    gigabytes,
    name_reason,
    percent,
    short_since,
    standing_reason,
)
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.processes.model import ProcessLine
from gpuexplorer.gui.processes.picked_words import long_since
from gpuexplorer.gui.processes.words import CARD, COLUMN_WORDS, COMMAND, MEMORY
from gpuexplorer.gui.tables.cell import NO_CELL, Cell, Chip, Column
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.telemetry.process_book import BookRow, ProcessPast, Standing
from gpuexplorer.telemetry.processes import ProcessFigure, ProcessUse

Ask = Callable[[ProcessLine], Cell]
Sorts = Callable[[ProcessLine], float | None]
CARD_WIDTH = 56
SPAN = 240.0  # seconds of the small history
_PID_WIDTH = 82  # for seven digits, the most that Linux gives
_USES = {
    ProcessUse.COMPUTE: mark("C: it computes"),
    ProcessUse.GRAPHICS: mark("G: it draws on a screen"),
    ProcessUse.BOTH: mark("C+G: it computes and draws on a screen"),
}


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
        times, values = times[times >= self.now - SPAN], values[times >= self.now - SPAN]
        if times.size == 0:
            return
        colour = drawing.theme.level if self.colour is None else drawing.theme.card(self.colour)
        line = QPen(colour, 1.25)
        line.setCapStyle(Qt.PenCapStyle.SquareCap)
        x = place.right() + (times - self.now) / SPAN * place.width()
        y = place.bottom() - np.clip(values / self.top, 0.0, 1.0) * place.height()
        # Where looks are further apart than usual, there is a gap between them, and no slope.
        usual = (times[-1] - times[0]) / max(1, times.size - 1)
        there = np.isfinite(values)
        torn = np.flatnonzero((np.diff(times) > 3 * usual) | (there[1:] != there[:-1])) + 1
        for run in np.split(np.arange(times.size), torn):
            if not there[run[0]]:
                continue
            points = list(map(QPointF, x[run].tolist(), y[run].tolist()))
            if len(points) == 1:  # between two gaps
                points.insert(0, points[0] - QPointF(1.5, 0))
            if self.filled:
                # Smooth edges below the line would cost more than all the rest.
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(faded(colour, 0.16))
                ends = (QPointF(points[at].x(), place.bottom()) for at in (-1, 0))
                painter.drawPolygon(QPolygonF([*points, *ends]))
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(line)
            painter.drawPolyline(QPolygonF(points))


def _text_of(ask: Callable[[BookRow], str | None]) -> Callable[[ProcessLine], str | None]:
    """To sort by."""

    def first(line: ProcessLine) -> str | None:
        return min((text.casefold() for row in line.rows if (text := ask(row))), default=None)

    return first


_COMMAND = _text_of(lambda row: row.named.command)


class ProcessColumns:
    """Cells are asked anew with each look; the attributes say what holds then."""

    def __init__(
        self,
        cards: Mapping[CardId, Shown] | None = None,
        units: Units = USUAL,
        now: float = 0.0,
        wall: float = 0.0,
        past: Callable[[CardId, int], ProcessPast] = lambda card, pid: ProcessPast(),
    ) -> None:
        """`now` is in steady seconds, `wall` the time of day."""
        self.look_at(cards or {}, units, now, wall, past)

    def look_at(
        self,
        cards: Mapping[CardId, Shown],
        units: Units,
        now: float,
        wall: float,
        past: Callable[[CardId, int], ProcessPast],
    ) -> None:
        """From now on this holds."""
        self.cards = cards
        self.places = {card: place for place, card in enumerate(self.cards)}
        self.units = units
        self.now = now
        self.wall = wall
        self.past = past

    def all(self) -> list[Column[ProcessLine]]:
        """In the order in which they are offered. What they say of memory is in `units`."""

        def column(key: str, cell: Ask, sorts: Any, **layout: Any) -> Column[ProcessLine]:
            heading, meaning, name = (tr(each, unit=unit) for each in COLUMN_WORDS[key])
            return Column(key, heading, cell, sorts, meaning, name, **layout)

        def figure(key: str, cell: Ask, sorts: Sorts, width: int, kept: int) -> Any:
            its = {"width": width, "right": True, "largest_first": True, "kept": kept}
            return column(key, cell, _rounded(sorts), **its)

        def share(key: str, of: ProcessFigure, width: int, kept: int) -> Any:
            return figure(key, partial(_share, of), partial(_most, of), width, kept)

        unit = gigabyte(self.units)
        sm, controller = ProcessFigure.SM, ProcessFigure.MEMORY_CONTROLLER
        pid, narrow = _PID_WIDTH, 64
        return [
            column(CARD, self._card, self._first_place, width=CARD_WIDTH),
            column(COMMAND, self._command, _COMMAND, width=200, stretches=True, share=0.25),
            column("pid", self._pid, _pid, width=pid, right=True, kept=11),
            column("user", partial(_text, _user), _text_of(_user), width=76, kept=10),
            figure(MEMORY, self._memory, _memory_held, 104, 12),
            share("sm", sm, 88, 12),
            column(
                "history",
                self._history,
                partial(_most, sm),
                width=124,
                kept=9,
                largest_first=True,
                copied=False,
            ),
            share("controller", controller, 108, 6),
            share("encoder", ProcessFigure.ENCODER, narrow, 2),
            share("decoder", ProcessFigure.DECODER, narrow, 1),
            figure("cpu", _processor, _cores, 76, 8),
            figure("host_memory", self._host_memory, _resident, 84, 5),
            column("since", self._since, _started, width=84, right=True, kept=7),
            column("use", _use, _text_of(lambda row: row.named.process.use), width=52, kept=4),
            column("container", _container, _text_of(_container_name), width=112, kept=3),
        ]

    def chip(self, card: CardId) -> Chip:
        shown = self.cards.get(card)
        return Chip(card, None) if shown is None else Chip(shown.number, shown.colour)

    def _first_place(self, line: ProcessLine) -> int:
        return min(self._place(row.named.process.card) for row in line.rows)

    def _place(self, card: CardId) -> int:
        return self.places.get(card, len(self.cards))

    def _card(self, line: ProcessLine) -> Cell:
        cards = sorted({row.named.process.card for row in line.rows}, key=self._place)
        names = []
        for card in cards:
            shown, number = self.cards.get(card), self.chip(card).text
            if shown:
                names.append(tr("Card {number}: {name}", number=number, name=shown.card.name))
            else:
                names.append(tr("Card {number}", number=number))
        return Cell(chips=tuple(map(self.chip, cards)), hint="\n".join(names))

    def _command(self, line: ProcessLine) -> Cell:
        named = line.rows[0].named
        if line.parent is not None:
            return Cell(
                text=line.parent.command,
                short=_without_folder(line.parent.command),
                mono=True,
                mark="" if line.parent.pid in line.pids else tr("parent"),
                hint=trn(
                    "{command}\nIt started {count} process that uses a card.",
                    "{command}\nIt started {count} processes that use a card.",
                    len([pid for pid in line.pids if pid != line.parent.pid]),
                    command=line.parent.command,
                ),
            )
        if named.command is None:
            return _absent(name_reason(named))
        over = all(row.standing is not Standing.THERE for row in line.rows)
        return Cell(
            text=named.command,
            short=_without_folder(named.command),
            mono=True,
            tone=Tone.FAINT if over else Tone.QUIET if line.inner else Tone.TEXT,
            mark=tr("this window") if named.ours else "",
            hint=named.command,
        )

    def _pid(self, line: ProcessLine) -> Cell:
        pids = [line.parent.pid] if line.parent is not None else line.pids
        if len(pids) == 1:
            return Cell(text=str(pids[0]), tone=Tone.QUIET)
        hint = trn(
            "{count} process: {pids}",
            "{count} processes: {pids}",
            len(pids),
            pids=listed([*map(str, pids)]),
        )
        text = trn("{count} pid", "{count} pids", len(pids))
        return Cell(text=text, tone=Tone.QUIET, hint=hint)

    def _since(self, line: ProcessLine) -> Cell:
        started = _started(line)
        if started is None:
            return _unnamed(line)
        hint = long_since(started, self.wall)
        return Cell(text=short_since(started, self.wall), tone=Tone.QUIET, hint=hint)

    def _host_memory(self, line: ProcessLine) -> Cell:
        def written(value: float) -> str:
            return gigabytes(value, self.units)

        return _of_host(line, _resident(line), written, tr("not told"))

    def _memory(self, line: ProcessLine) -> Cell:
        values = line.told(ProcessFigure.MEMORY)
        if not values:
            return _not_told(line, ProcessFigure.MEMORY)
        hint = _by_rows(line, len(values), str(memory(sum(values), self.units)))
        return Cell(text=gigabytes(sum(values), self.units), hint=hint)

    def _history(self, line: ProcessLine) -> Cell:
        """Of a program on several cards there is one in each of its rows."""
        if line.under:
            return NO_CELL
        process = line.rows[0].named.process
        past = self.past(process.card, process.pid)
        shares = known(past.sm)
        if not shares:
            return _not_told(line, ProcessFigure.SM)
        colour = self.chip(process.card).colour
        spark = Spark(past.times, past.sm, self.now, 1.0, colour)
        mean, most = percent(sum(shares) / len(shares)), percent(max(shares))
        said = [tr("SM: mean {mean} %, most {most} %", mean=mean, most=most)]
        if held := known(past.memory):
            least, largest = memory(min(held), self.units), memory(max(held), self.units)
            said.append(tr("Memory: {least} to {largest}", least=least, largest=largest))
        said.append(trn("in {count} look", "in {count} looks", len(past.times)))
        return Cell(drawn=spark, hint="\n".join(said))


def known(values: Sequence[float]) -> list[float]:
    return [each for each in values if math.isfinite(each)]


def _without_folder(command: str) -> str:
    """Where the program lies would take the room of what tells it from others."""
    program, space, words = command.partition(" ")
    return f"{program.rpartition('/')[2] or program}{space}{words}"


def _rounded(sorts: Sorts) -> Sorts:
    """What is written alike must not change places."""

    def rounded(line: ProcessLine) -> float | None:
        value = sorts(line)
        return None if value is None else round(value, 2)

    return rounded


def _share(figure: ProcessFigure, line: ProcessLine) -> Cell:
    """Shares of several cards do not add up: the lowest and the highest are told."""
    values = line.told(figure)
    if not values:
        return _not_told(line, figure)
    low, high = percent(min(values)), percent(max(values))
    text = high if low == high else f"{low}–{high}"
    return Cell(text=text, hint=_by_rows(line, len(values), f"{text} %"))


def _most(figure: ProcessFigure, line: ProcessLine) -> float | None:
    return max(line.last_told(figure), default=None)


def _memory_held(line: ProcessLine) -> float | None:
    held = line.last_told(ProcessFigure.MEMORY)
    return sum(held) if held else None


def _pid(line: ProcessLine) -> int:
    return line.pids[0]


def _user(row: BookRow) -> str | None:
    return row.named.user


def _container_name(row: BookRow) -> str | None:
    return row.named.container


def _cores(line: ProcessLine) -> float | None:
    return line.over_pids(lambda row: row.named.cpu)


def _resident(line: ProcessLine) -> float | None:
    return line.over_pids(lambda row: row.named.memory_bytes)


def _processor(line: ProcessLine) -> Cell:
    return _of_host(line, _cores(line), percent, tr("soon"))


def _use(line: ProcessLine) -> Cell:
    uses = sorted({row.named.process.use for row in line.rows})
    hint = "\n".join(tr(_USES[use]) for use in uses)
    return Cell(text=" ".join(uses), tone=Tone.QUIET, hint=hint)


def _container(line: ProcessLine) -> Cell:
    if line.rows[0].named.resolved and not any(row.named.container for row in line.rows):
        hint = tr("It does not run in a container that is known.")
        return Cell(absent=(tr("none"),), hint=hint)
    return _text(_container_name, line)


def _started(line: ProcessLine) -> float | None:
    return min((at for row in line.rows if (at := row.named.started_at)), default=None)


def _absent(reason: Reason) -> Cell:
    return Cell(absent=reason[0], hint=reason[1])


def _unnamed(line: ProcessLine) -> Cell:
    """Why it is not known who it is, in the words that fit a narrow column."""
    return Cell(absent=("–",), hint=name_reason(line.rows[0].named)[1])


def _text(ask: Callable[[BookRow], str | None], line: ProcessLine) -> Cell:
    texts = dict.fromkeys(text for row in line.rows if (text := ask(row)))
    return Cell(text=", ".join(texts), tone=Tone.QUIET) if texts else _unnamed(line)


def _of_host(
    line: ProcessLine,
    value: float | None,
    written: Callable[[float], str],
    not_yet: str,
) -> Cell:
    """What the computer, and not the card, tells of a process."""
    if value is not None:
        pids = len(line.pids)
        hint = trn("Of {count} process", "Of {count} processes together", pids)
        return Cell(text=written(value), hint=hint if pids > 1 else "")
    row = line.rows[0]
    if row.standing is Standing.ENDED or row.named.ended:
        waits = tr("It has ended, and what started it has not collected it yet.")
        hint = waits if row.named.ended else tr("It has ended.")
        return Cell(absent=(tr("has ended"), tr("ended")), hint=hint)
    if row.named.resolved:
        return Cell(absent=(not_yet,), hint=tr("It comes with the next reading."))
    return _unnamed(line)


def _by_rows(line: ProcessLine, count: int, figure: str) -> str:
    rows = len(line.rows)
    if rows == 1:
        return figure
    return tr(
        "{figure}, known for {count} of {rows} rows", figure=figure, count=count, rows=rows
    )


def _not_told(line: ProcessLine, figure: ProcessFigure) -> Cell:
    row = line.rows[0]
    reason = standing_reason(row.standing)
    if reason is None:
        absence = row.named.process.missing.get(figure)
        if absence is None:
            return NO_CELL
        reason = absence_reason(absence)
    return _absent(reason)
