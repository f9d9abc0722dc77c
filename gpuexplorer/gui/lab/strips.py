"""Strips: what the cards did meanwhile, in one stack of plots, with a flag for each cell."""

import math
from bisect import bisect, bisect_left
from collections.abc import Sequence
from operator import attrgetter

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from gpuexplorer.core.metrics import GPU_UTILIZATION, MEMORY_USED, METRICS
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.content import FLAGS, Flag, Origin, PlotContent, PlotLine
from gpuexplorer.gui.plots.flags import flag_of
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.lab_course import CellFlag, strip_order, touched_devices
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.widgets.laid_out import GROWS, column
from gpuexplorer.gui.widgets.plot_stack import PlotStack

TALL, LOW = 200, 112
_LOW_BELOW, _AWAY_BELOW = 840, 600  # of the window's height
_MOST = 4  # cards whose figures have room
_TOGETHER = 8.0  # pixels: flags that would hide each other
_WORDS = 160.0  # pixels beside a flag that are its words
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class Strips(QFrame):
    """Brought up to date by `pull` while it is seen. Of many cards those come first that the
    cell had to do with, and that hold something. In a low window it is away.
    """

    def __init__(
        self, lab: Lab, time_window: TimeWindow, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._lab, self._time_window = lab, time_window
        self._known: object = None  # of what the flags are
        self._cells: Sequence[CellFlag] = ()
        self._flags: list[Flag] = []
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("What the cards did meanwhile"))
        self.plots = CellPlots(lab, time_window)
        column(self.plots, GROWS, within=self, margins=(12, 6, 12, 4))

    def pull(self) -> None:
        """The newest readings."""
        lab, height = self._lab, self.window().height()
        ledger, chosen = lab.ledger, lab.selection.cell_in(lab.ledger)
        picked = None if chosen is None else ledger.cell(chosen)
        newest = ledger.cells[-1:] if picked is None else [picked]
        touched = {name for each in newest for name in touched_devices(each, ledger)}
        there = strip_order(lab.devices(), ledger.memory, _MOST)
        near = sorted(there, key=lambda each: each.name not in touched)[:_MOST]
        cards = sorted(near, key=there.index)
        if not cards or height < _AWAY_BELOW:
            self.hide()  # so that the newest cell has room
            return
        self.show()
        low = height < _LOW_BELOW
        self.setFixedHeight(LOW if low else TALL)
        machine = lab.machine
        faces = [
            (each, machine.face(shown))
            for each in cards
            if (shown := machine.shown(each.card)) is not None
        ]
        start, end = self._time_window.stretch()
        past, columns = machine.past, self.plots.columns()
        contents: list[PlotContent] = []
        for metric, title in (
            (METRICS[GPU_UTILIZATION], tr("Busy")),
            (METRICS[MEMORY_USED], tr("Memory")),
        )[: 1 if low else 2]:
            lines, busy = [], metric.id == GPU_UTILIZATION
            for at, (device, face) in enumerate(faces):
                absent = (face.busy if busy else face.memory.figure).absent
                why = face.word or face.sentence or (absent[-1] if absent else "")
                reason = why if self._time_window.following else ""
                trace = past.trace(face.id, metric.id, start, end, columns)
                now = face.reading.values.get(metric.id)
                who = device.chip, face.colour, at, face.id, now
                lines.append(PlotLine("", metric, trace, reason, *who))
            drawn, highest = tuple(lines), 1.0 if busy else None
            contents.append(PlotContent(title, title, metric.unit, drawn, highest=highest))
        step, course = (end - start) / max(1, self.width()) * _TOGETHER, lab.course
        last_flag, ids = next(reversed(course.flags.values()), None), {e.id for _, e in faces}
        if self._known != (known := (last_flag, len(course.flags), step, ids)):
            self._known, self._flags = known, []
            self._cells = course.flags_of(ids, -math.inf, math.inf)
            for _, face in faces:
                # Of those that lie on each other the first and the last, between which all are.
                own = [each for each in self._cells if face.id in each.cards]
                last = {each.at // step: each for each in own}
                first = {each.at // step: each for each in reversed(own)}
                both = {*first.values(), *last.values()}
                self._flags += [flag_of(each, face.colour) for each in both]
        when = attrgetter("at")
        since = bisect_left(self._cells, start, key=when)
        found = self.plots.cells = self._cells[since : bisect(self._cells, end, key=when)]
        source = machine.session.source
        self.plots.show_origin(Origin(machine.session.host.name, source.simulated, past))
        self.plots.show_contents(contents, self._flags)
        said = [f"{device.name}: {face.spoken_briefly}" for device, face in faces]
        if found:
            one, many = mark("Cell {last}."), mark("Cells {first} to {last}.")
            ends = {"first": found[0].number, "last": found[-1].number}
            said.append(tr(many, **ends) if len(found) > 1 else tr(one, last=ends["last"]))
        self.setAccessibleDescription(" ".join(said))


class CellPlots(PlotStack):
    """A click on a flag selects its cell; so do the arrow keys, from flag to flag."""

    def __init__(self, lab: Lab, time_window: TimeWindow) -> None:
        super().__init__(time_window, lab.machine.settings)
        self._lab = lab
        self.cells: Sequence[CellFlag] = ()  # in the order of time
        self._marks = self.add_sheet(self._draw_marks, 2)
        for action in self.actions():
            action.setShortcut(QKeySequence())  # in the lab, they are of the session
        lab.selection.changed.connect(self.viewport().update)

    def flag_place(self, cell: CellFlag) -> QRectF:
        layout = self.layout_now()
        return QRectF(layout.x(cell.at), layout.foot.top(), _TOGETHER, FLAGS)

    def _draw_marks(self, drawing: Drawing) -> None:
        """What the plots show, and the cell that is selected."""
        theme, letters, layout = drawing.theme, drawing.letters, self.layout_now()
        for plot in layout.plots:
            title = Run(plot.content.title, letters.caption, theme.quiet)
            drawing.text(plot.area.left() + 4, plot.area.top() - 4, title)
        chosen = self._chosen()
        for each in self.cells:
            if each.cell != chosen or not layout.stretch.holds(each.at):
                continue
            ink = theme.bad if each.failed else theme.text
            place = self.flag_place(each).adjusted(0, 2, 0, -2)
            words, top = str(each.number), layout.plots[0].area.top()
            place.setWidth(max(14.0, letters.badge.width(words) + 8))
            drawing.painter.fillRect(QRectF(place.left(), top, 1, place.bottom() - top), ink)
            drawing.chip(place, words, letters.badge, ink)

    def _chosen(self) -> int | None:
        return self._lab.selection.cell_in(self._lab.ledger)

    def _select(self, command: int) -> None:
        """The cell, and what it made."""
        cell = self._lab.ledger.cell(command)
        there = self._lab.ledger.things.keys()
        placed = () if cell is None else [name for name in cell.placed if name in there]
        self._lab.selection.choose(command, placed)

    def _cell_at(self, point: QPointF) -> int | None:
        """The last whose flag, or the words beside it, lie there."""
        places = [(self.flag_place(each), each.cell) for each in self.cells]
        there = (
            cell
            for place, cell in reversed(places)
            if place.adjusted(-2, 0, _WORDS, 0).contains(point)
        )
        return next(there, None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._cell_at(event.position())
        if cell is not None and event.button() is Qt.MouseButton.LeftButton:
            self._select(cell)
            event.accept()
        else:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Without cells, and with Shift, the arrow keys move the crosshair."""
        step = _STEPS.get(Qt.Key(event.key()))
        cells = [each.cell for each in self.cells]
        if step is None or not cells or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            super().keyPressEvent(event)
            return
        chosen = self._chosen()
        at = cells.index(chosen) if chosen in cells else -1 if step > 0 else len(cells)
        self._select(cells[min(max(0, at + step), len(cells) - 1)])

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if event is not None:  # pyqtgraph calls this while it makes the view
            self._marks.put(QRectF(self.rect()))
