"""TimelinePanel: what host and cards did, in lanes over one axis of time, and the session above
them; with the way to take it along.
"""

import math
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
import shiboken6
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent, MouseDragEvent
from PySide6.QtCore import QEvent, QPointF, QRectF, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QPainter, QPen, QWheelEvent
from PySide6.QtWidgets import QFrame, QGraphicsItem, QScrollBar, QToolTip

from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.copies.timeline import (
    COPYING,
    Bar,
    Engine,
    Item,
    Role,
    Stretch,
    Timeline,
    Track,
    trace_pieces,
)
from gpuexplorer.core.units import duration
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.moving.timeline_words import (
    LEAST,
    TimeFrame,
    around,
    bar_words,
    frame_words,
    hint,
    seen_words,
    ticks,
)
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.curves import COLUMN_PIXELS, line_pen
from gpuexplorer.gui.plots.graph import Axis, Graph
from gpuexplorer.gui.state.lab.devices import Devices, chip_of
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, faded, mixed
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import GROWS, Space, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.saving import FileKind, Saving, Write, suggested_name
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.telemetry.whole_file import write_whole

TRACE = FileKind(mark("Trace for Perfetto and Chrome"), "json")
GUTTER, ROW = 178, 17  # pixels
_AXIS, _STRIP, _RIGHT, _FLAGS, _GROUP_GAP = 24, 20, 10, 20, 7
_LEFT, _BAR, _CHIP, _LANE = 6, 13, 18, 64
_EDGED, _LETTERED = 5, 26  # pixels, from which on a bar has its edge, and its words
_REACH, _TICK = 2.0, 90  # pixels beside a bar that still mean it; between two ticks
_ZOOM, _STEP, _FAR = 1.35, 0.01, 0.25  # for a key; of what is seen
_PAUSED = 0.34  # of the colour, where most of a bar is a pause
_SMALL = 0.03  # of its line
_PAUSE = 200  # milliseconds without a change, after which it is said what is seen


class Filling(StrEnum):
    """What fills the width."""

    COPY = mark("Copy")
    CELL = mark("Cell")
    ALL = mark("All")


class TimelinePanel(QFrame):
    """Hidden while nothing was copied. Follows the chosen copy until somebody zooms."""

    done = Signal(str)
    refused = Signal(str)

    def __init__(self, machine: MachineState) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("Timeline"))
        self._machine = machine
        self.timeline, self._book = Timeline(), CopyBook()
        self._writing = False
        self._seen: Filling | None = Filling.CELL
        self._own = True  # nobody has chosen yet what is seen
        self._copy: Stretch | None = None
        self._line: Stretch | None = None
        self.view = TimelineView()
        self.view.framed.connect(partial(self.choose, None))
        self._words = ElidedLabel(look().letters.body, Tone.QUIET)
        fillings = [(each, tr(each)) for each in Filling]
        self._choice = Segmented(tr("What fills the width"), fillings)
        self._choice.chosen.connect(self.choose)
        about = tr("Save it as a trace for Perfetto or Chrome")
        save = ToolButton("framed", Icon.EXPORT, tr("Save the trace"), about)
        save.clicked.connect(self.ask_trace)
        self._saving = Saving(machine.settings, self)
        self._saving.done.connect(self._on_written)
        self._saving.done.connect(self.done)
        self._saving.refused.connect(self._on_written)
        self._saving.refused.connect(self.refused)
        title = label(tr("Timeline"), look().letters.title)
        said = (title, Space(8), self._words, GROWS)
        head = row(*said, self._choice, save, margins=(6, 0, 0, 0))
        lanes = row(self.view, GROWS, self.view.scroll, gap=0)
        column(head, lanes, GROWS, within=self, gap=6, margins=(10, 10, 8, 4))

    def take(self, ledger: Ledger, book: CopyBook, devices: Devices) -> None:
        """Cells that are over. While a trace is being written it waits."""
        self._book = book
        if not self._writing:
            self.timeline.take(ledger, book)
            self.view.show_session(self.timeline, book, devices)
            self.refresh()

    def show_copy(
        self, copy: Stretch | None, line: Stretch | None, together: Stretch | None
    ) -> None:
        """Where the chosen copy, its line, and all its repeats lie; None: nobody knows."""
        if (copy, line) == (self._copy, self._line):
            return
        self._copy, self._line = copy, line
        if self._own and line is not None and together is not None:
            # In a line that mostly did something else the copy would not be seen.
            small = together[1] - together[0] < _SMALL * (line[1] - line[0])
            self._seen = Filling.COPY if small else Filling.CELL
        self.refresh()

    def commands(self) -> Sequence[tuple[str, str, Callable[[], None]]]:
        return (
            (tr("Save the trace of the timeline…"), "Ctrl+S", self.ask_trace),
            (tr("Timeline: the whole session"), "", partial(self.choose, Filling.ALL)),
            (tr("Timeline: the chosen copy"), "", partial(self.choose, Filling.COPY)),
        )

    def choose(self, seen: Filling | None) -> None:
        """None: what somebody zoomed to."""
        self._seen, self._own = seen, False
        self.refresh()

    def wanted_height(self, most: int) -> int:
        return min(most, self.view.sizeHint().height() + 60)

    def ask_trace(self) -> None:
        session = self._machine.session
        name = suggested_name("copies-trace", session.clock.wall(), simulated=session.simulated)
        self._saving.ask(tr("Save the trace"), name, [TRACE], self._trace_for)

    def save_trace(self, path: Path) -> None:
        self._saving.save(path, self._trace_for(path))

    def refresh(self) -> None:
        line, whole = self._line or self._copy, self.view.whole
        if self._seen is Filling.ALL or (self._seen and line is None):
            self.view.show_frame(TimeFrame(0.0, whole))
        elif self._seen and line is not None:
            copy = self._copy if self._seen is Filling.COPY else None
            self.view.show_frame(around(*(copy or line), whole))
        words = frame_words(self.view.frame, whole, modelled=self.timeline.modelled)
        self._words.show_text(words)
        self._choice.show_choice(self._seen)

    def _trace_for(self, path: Path) -> Write:
        """Written in a thread of its own; until it is, nothing is taken in."""
        self._writing, machine = True, self._machine
        simulated = machine.session.simulated
        pieces = trace_pieces(
            self.timeline, self._book, simulated=simulated, machine=machine.name
        )
        write: Callable[[], object] = partial(write_whole, path, pieces)
        return write

    def _on_written(self) -> None:
        self._writing = False


class _Look(NamedTuple):
    """What bars look like that stand for alike things."""

    hue: str  # the device whose colour it is; the host has none
    share: float = 1.0  # of the colour, in the fill
    edge: float = 0.0  # and in the edge
    dashed: bool = False


_WRONG, _OF_HOST, _WAIT = _Look("wrong"), _Look(HOST, 0.55), _Look(HOST, 0.07, 0.3)


def _look_of(track: Track, item: Item, book: CopyBook) -> _Look:
    """Solid on the card whose engine runs a copy, outlined where it arrives, in dashes where
    nobody asked for it.
    """
    if item.role in (Role.WAITS, Role.CALLS):
        return _WAIT if item.role is Role.WAITS else _OF_HOST
    if item.row is None:
        host = track.engine is Engine.PYTHON
        return _Look(HOST, 0.24) if host else _Look(track.card or track.device, 0.46)
    copy = book.rows[item.row]
    if copy.wrong:
        return _WRONG
    if track.engine is Engine.COPY_IN and copy.source != HOST:
        return _Look(copy.source, 0.14, 1.0, dashed=not copy.asked)
    if not copy.asked:
        return _Look(copy.source, 0.3, 1.0, dashed=True)
    return _OF_HOST if copy.source == HOST else _Look(copy.source)


class TimelineView(Graph):
    """Time is panned and zoomed by pyqtgraph, never out of the session. What is narrower than a
    pixel is put together before it is drawn.
    """

    scrubbed = Signal(float)  # the playhead, to this moment of the axis
    framed = Signal()  # by hand
    picked = Signal(int)  # a copy's number in the book

    def __init__(self) -> None:
        super().__init__()
        self._timeline, self._book = Timeline(), CopyBook()
        self._devices: Devices = {}
        self._tops: dict[Track, int] = {}  # pixels; of what the scroll bar moves
        self._looks = {_WRONG: 0, _OF_HOST: 1}  # of several kinds in a pixel WRONG is seen
        self._origin, self._added = 0.0, ""
        self._ticks: Sequence[tuple[float, str]] = ()
        self.playhead: float | None = None
        self.scroll = QScrollBar(Qt.Orientation.Vertical, self)
        self.scroll.setSingleStep(ROW)
        self._axis = _Ruler(self._scrub_to)
        self._axis.setHeight(_AXIS)
        self._strip, self._lanes = self.add_plot(), self.add_plot(row=2)
        self.grid.addItem(self._axis, 1, 1)
        self._axis.linkToView(self._lanes)
        self._lanes.setMouseEnabled(x=True, y=False)
        self.grid.setContentsMargins(0, 3, _RIGHT, 0)
        self.grid.layout.setRowFixedHeight(0, _STRIP)
        self.grid.layout.setColumnFixedWidth(0, GUTTER)
        at_top = {"position": 1, "anchors": [(0, 0), (1, 0)]}
        self._line = pg.InfiniteLine(movable=True, label="", labelOpts=at_top)
        self._line.label.setFont(self.look.letters.badge.font)
        self._lanes.addItem(self._line, ignoreBounds=True)
        self._region = pg.LinearRegionItem()
        self._strip.addItem(self._region, ignoreBounds=True)
        for draw in (self._draw_lanes, self._draw_session, self._draw_names):
            sheet = self.add_sheet(draw, -101)  # a view has -100: the lines lie over this
            # A moving playhead costs no more than itself.
            sheet.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.setProperty("kind", "ring")
        self.setAccessibleName(tr("Timeline"))
        self._saying = QTimer(self, singleShot=True, interval=_PAUSE)
        self._saying.timeout.connect(self._on_time_to_say)
        self._lanes.sigXRangeChanged.connect(self._on_range_changed)
        self._lanes.sigResized.connect(self.refresh)
        self._strip.sigResized.connect(self.refresh)
        self.scroll.valueChanged.connect(self._on_range_changed)
        self._lanes.sigRangeChangedManually.connect(self.framed)
        self._region.sigRegionChanged.connect(self._on_region_changed)
        self._line.sigDragged.connect(lambda line: self._scrub_to(line.value()))
        self.scene().sigMouseClicked.connect(self._on_clicked)
        self.show_session(self._timeline, self._book, {})
        self.dress()

    @property
    def whole(self) -> float:
        """How long the session is."""
        return max(self._timeline.length, LEAST)

    @property
    def frame(self) -> TimeFrame:
        return TimeFrame(*self._lanes.viewRange()[0])

    def show_session(self, timeline: Timeline, book: CopyBook, devices: Devices) -> None:
        """Again, after it became longer. Every card that did anything has all its engines, so
        that what is empty is seen; what it waits for stands where it would compute.
        """
        self._timeline, self._book, self._devices = timeline, book, devices
        self._tops, top = {}, _FLAGS
        for device, card in timeline.devices:
            for engine in Engine:
                if (device == HOST) == (engine is Engine.PYTHON):
                    self._tops[Track(device, engine, card)] = top
                    top += 0 if engine is Engine.COMPUTE else ROW
            top += _GROUP_GAP
        for track in timeline.tracks:
            lane = timeline.lane(track)
            for item in lane.items[len(lane.marks) :]:
                drawn = _look_of(track, item, book)
                lane.marks.append(self._looks.setdefault(drawn, len(self._looks)))
        self._lanes.setLimits(xMin=0.0, xMax=self.whole, minXRange=LEAST)
        self._strip.setXRange(0.0, self.whole, padding=0)
        self.refresh()

    def show_frame(self, frame: TimeFrame) -> None:
        self._lanes.setXRange(*frame, padding=0)

    def show_playhead(self, moment: float | None) -> None:
        self.playhead = moment
        self._line.setVisible(moment is not None)
        if moment is not None:
            self._line.setValue(moment)
            self._line.label.setFormat(str(duration(max(0.0, moment - self._origin))))

    def bar_at(self, position: QPointF) -> tuple[Track, Bar] | None:
        """What is drawn there, in the scene."""
        place = self._lanes.sceneBoundingRect()
        moment = self._lanes.mapSceneToView(position).x()
        near = _REACH / place.width() * self.frame.span
        y = position.y() - place.top() + self.scroll.value()
        for track, top in self._tops.items() if place.contains(position) else ():
            for at in (moment, moment - near, moment + near) if top <= y < top + ROW else ():
                if (bar := self._timeline.lane(track).at(at)) is not None:
                    return track, bar
        return None

    def dress(self) -> None:
        ink, ratio = self.look.theme.text, self.devicePixelRatioF()
        for line in (self._line, *self._region.lines):
            line.setCursor(Qt.CursorShape.SizeHorCursor)
            line.setPen(line_pen(ink, 2, ratio=ratio))
            line.setHoverPen(line_pen(ink, 4, ratio=ratio))
        self._line.label.fill = pg.mkBrush(ink)
        self._line.label.setColor(self.look.theme.ground)
        self._region.setBrush(faded(ink, 0.1))
        self._region.setHoverBrush(faded(ink, 0.16))
        self.refresh()

    def refresh(self) -> None:
        """All of it, in the room that there is now."""
        self._strip.updateMatrix()  # else its ends lie where they were until it is painted
        place, strip = self._lanes.sceneBoundingRect(), self._strip.sceneBoundingRect()
        lanes, session, names = self._sheets
        lanes.put(place)
        session.put(strip.adjusted(-strip.left(), 0, 0, 0))
        names.put(QRectF(0, place.top() - _AXIS, place.left(), place.height() + _AXIS))
        most = self.sizeHint().height() - self.height()
        self.scroll.setRange(0, max(0, most))
        self.scroll.setPageStep(round(place.height()))
        self.scroll.setVisible(most > 0)
        self._on_range_changed()

    def _on_range_changed(self) -> None:
        self._lanes.updateMatrix()  # else the hand's next move has the scale of before
        most = max(1, round(self._lanes.width() / _TICK))
        self._origin, self._added, self._ticks = ticks(self.frame, most)
        self._axis.show_ticks(self._ticks)
        with QSignalBlocker(self._region):
            self._region.setRegion(self.frame)
        self.show_playhead(self.playhead)
        self._sheets[0].update()
        self._sheets[2].update()
        self._saying.start()

    def _draw_lanes(self, drawing: Drawing) -> None:
        painter, theme, letters = drawing.painter, drawing.theme, drawing.letters.caption
        place, frame = self._lanes.sceneBoundingRect(), self.frame
        painter.setClipRect(place)
        left, top, scale = place.left(), place.top(), place.width() / frame.span
        for moment, _ in self._ticks:
            x = round(left + (moment - frame.begin) * scale)
            painter.fillRect(QRectF(x, top, 1, place.height()), theme.line)
        down = top - self.scroll.value()
        for y in self._tops.values():
            drawing.hairline(left, place.right(), down + y + ROW // 2)
        for cell in self._timeline.places_between(frame.begin, frame.end):
            x, wide = round(left + (cell.begin - frame.begin) * scale), cell.seconds * scale
            if wide > _EDGED:
                painter.fillRect(QRectF(x, top + 2, 1, place.height()), theme.faint)
            room = letters.width(str(cell.cell)) + 8
            if wide > room:
                tag = QRectF(max(x, left), top + 2, room, 15)
                drawing.filled(tag, theme.hover, 3)
                _write(drawing, tag.left() + 4, tag.center().y(), str(cell.cell), theme.quiet)
        for track, y in self._tops.items():
            if top - ROW < down + y < place.bottom():
                row_of = QRectF(left, down + y + 2, place.width(), _BAR)
                self._draw_track(drawing, row_of, track, frame)

    def _draw_session(self, drawing: Drawing) -> None:
        """The copies of the whole session, a line for each engine."""
        place, words = (
            self._strip.sceneBoundingRect(),
            tr("Session, {time}", time=duration(self.whole)),
        )
        _write(drawing, _LEFT, place.center().y(), words, drawing.theme.quiet)
        drawing.painter.fillRect(place, drawing.theme.well)
        copying = [each for each in self._timeline.tracks if each.engine in COPYING]
        step = min(3.0, (place.height() - 3) / max(1, len(copying)))
        for at, track in enumerate(copying):
            line = QRectF(place.left(), place.top() + 2 + at * step, place.width(), 0.7 * step)
            self._draw_track(drawing, line, track, TimeFrame(0.0, self.whole))

    def _draw_names(self, drawing: Drawing) -> None:
        """Beside the rows."""
        small, theme, place = (
            drawing.letters.caption,
            drawing.theme,
            self._lanes.sceneBoundingRect(),
        )
        right, room = place.left() - 10, place.left() - _LANE - 14
        x = right - small.width(self._added)
        _write(drawing, x, place.top() - 10, self._added, theme.faint)
        drawing.painter.setClipRect(QRectF(0, place.top(), place.left(), place.height()))
        for track, y in self._tops.items():
            top, name = place.top() - self.scroll.value() + y, tr(track.engine)
            middle = top + ROW / 2
            if track.engine is not Engine.WAIT:
                _write(drawing, right - small.width(name), middle, name, theme.quiet)
            if track.engine not in (Engine.PYTHON, Engine.COMPUTE):
                continue
            chip = chip_of(track.device, self._devices, track.card)
            width = max(_CHIP, small.width(chip.text) + 8)
            fill = None if chip.colour is None else theme.card(chip.colour)
            drawing.chip(QRectF(_LEFT, top, width, _CHIP), chip.text, small, fill)
            name, x = tr("host") if track.device == HOST else track.device, _LEFT + width + 8
            _write(drawing, x, middle, name, theme.text, room - x)
            share = self._timeline.overlapped(track.whose, *self.frame)
            if share is not None:
                words = tr("{share:.0f} % overlapped", share=share * 100)
                _write(drawing, _LEFT, middle + ROW + 3, words, theme.quiet, room - _LEFT)

    def _draw_track(
        self, drawing: Drawing, room: QRectF, track: Track, frame: TimeFrame
    ) -> None:
        lane, painter, theme = self._timeline.lane(track), drawing.painter, drawing.theme
        fold = lane.visible(frame.begin, frame.end, round(room.width() / COLUMN_PIXELS))
        # The ends of what goes beyond the edges are out of sight.
        x, scale = room.left(), room.width() / frame.span
        left = x + np.maximum((fold.begins - frame.begin) * scale, -4)
        right = x + np.minimum((fold.ends - frame.begin) * scale, room.width() + 4)
        large = (right - left >= _EDGED) & (room.height() >= _BAR)
        alike = (fold.least == fold.most) | (fold.least == 0)
        marks = np.asarray(lane.marks)[fold.longest].astype(np.int64)
        marks = np.where(large, marks, np.where(alike, fold.least, 1))
        boxes = np.empty((left.size, 4))
        boxes[:, 0], boxes[:, 1], boxes[:, 3] = np.floor(left), room.top(), room.height()
        boxes[:, 2] = np.maximum(np.rint(right) - boxes[:, 0] - large, 1.0)
        looks, kinds = list(self._looks), 4 * marks + 2 * large + (fold.paused & ~large)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        for kind in np.unique(kinds).tolist():
            drawn, rows = looks[kind // 4], boxes[kinds == kind]
            share = drawn.share if kind & 2 else max(drawn.share, drawn.edge)
            painter.setBrush(self._ink(drawn, share * _PAUSED if kind & 1 else share))
            painter.setPen(Qt.PenStyle.NoPen)
            if kind & 2 and drawn.edge:
                style = Qt.PenStyle.DashLine if drawn.dashed else Qt.PenStyle.SolidLine
                painter.setPen(QPen(self._ink(drawn, drawn.edge), 1, style))
                rows[:, 2:] -= 1
            # Qt reads the array itself: a list takes longer to make than to draw.
            found = shiboken6.wrapInstance(rows.ctypes.data, QRectF)
            assert isinstance(found, QRectF)
            painter.drawRects(found, len(rows))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ends = np.minimum(right, np.append(left[1:], np.inf)) - 4
        for at in np.flatnonzero(large):
            place, drawn = QRectF(*boxes[at]), looks[marks[at]]
            begin = max(place.left(), x) + 4
            if drawn is _WRONG:
                drawing.wrong(place, lettered=place.width() > 60)
                continue
            if fold.least[at] == 0:
                # One that is too short to be seen beside it.
                place.setWidth(COLUMN_PIXELS)
                painter.fillRect(place, theme.bad)
            if ends[at] - begin >= _LETTERED:
                words = bar_words(track, lane.bar(int(fold.longest[at])), self._book)
                ink = theme.inverse if drawn.share == 1 else theme.text
                _write(drawing, begin, place.center().y(), words, ink, ends[at] - begin)

    def _ink(self, drawn: _Look, share: float) -> QColor:
        theme, known = self.look.theme, self._devices.get(drawn.hue)
        colour = theme.card(known.colour if known else None)
        if drawn.hue == HOST or drawn is _WRONG:
            colour = theme.bad if drawn is _WRONG else theme.quiet
        return mixed(theme.surface, colour, share)

    def _on_time_to_say(self) -> None:
        words = seen_words(self._timeline, self._book, self.frame, self.playhead)
        self.setAccessibleDescription(words)

    def _scrub_to(self, moment: float) -> None:
        """No further than what is seen."""
        self._go_to(min(self.frame.end, max(self.frame.begin, moment)))

    def _go_to(self, moment: float) -> None:
        moment = min(self.whole, max(0.0, moment))
        if not self.frame.begin <= moment <= self.frame.end:
            self._move(moment - self.frame.middle)
        self.scrubbed.emit(moment)
        self._saying.start()

    def _move(self, seconds: float) -> None:
        self._lanes.translateBy(x=seconds)
        self.framed.emit()

    def _on_region_changed(self) -> None:
        begin, end = self._region.getRegion()
        if not math.isclose(end - begin, self.frame.span, rel_tol=1e-6):
            # One of its ends is dragged; it must not take the other one along.
            begin, end = max(0.0, begin), min(self.whole, end)
        self._lanes.setXRange(begin, end, padding=0)
        self._on_range_changed()  # it may have gone further than time does
        self.framed.emit()

    def _on_clicked(self, event: MouseClickEvent) -> None:
        at, bar = event.scenePos(), self.bar_at(event.scenePos())
        if event.button() is not Qt.MouseButton.LeftButton or at.x() < self._lanes.x() - 4:
            return
        if self._strip.sceneBoundingRect().contains(at):
            self._move(self._strip.mapSceneToView(at).x() - self.frame.middle)
            return
        if bar is not None and bar[1].item.row is not None:
            self.picked.emit(bar[1].item.row)
        self._scrub_to(self._lanes.mapSceneToView(at).x())

    def sizeHint(self) -> QSize:
        rows = max(self._tops.values(), default=0) + ROW + 4
        return QSize(GUTTER + 400, rows + _AXIS + _STRIP + 7)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and (found := self.bar_at(QPointF(event.pos()))):
            QToolTip.showText(event.globalPos(), hint(*found, self._book), self)
            return True
        return super().viewportEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned, shift = event.angleDelta(), Qt.KeyboardModifier.ShiftModifier
        aside = turned.x() or (turned.y() if event.modifiers() & shift else 0)
        if event.position().x() < self._lanes.x():
            self.scroll.wheelEvent(event)
        elif not self.takes(event):
            event.ignore()
        elif aside:
            self._move(-aside / 120 * self.frame.span / 8)  # a notch is 120
            event.accept()
        else:
            pg.GraphicsView.wheelEvent(self, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        frame, key, keys = self.frame, Qt.Key(event.key()), Qt.Key
        at = frame.middle if self.playhead is None else self.playhead
        on = key in (keys.Key_Right, keys.Key_End, keys.Key_Down, keys.Key_Plus, keys.Key_Equal)
        sign = 1 if on else -1
        if key in (keys.Key_Left, keys.Key_Right):
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self._move(sign * _FAR * frame.span)
            else:
                self._go_to(at + sign * _STEP * frame.span)
        elif key in (keys.Key_Plus, keys.Key_Equal, keys.Key_Minus):
            # The playhead stays where it is, where it is seen.
            at = at if frame.begin <= at <= frame.end else frame.middle
            self._lanes.scaleBy(x=_ZOOM**-sign, center=(at, 0))
            self.framed.emit()
        elif key in (keys.Key_Home, keys.Key_End):
            self._go_to(self.whole if on else 0.0)
        elif key in (keys.Key_Up, keys.Key_Down) and self.scroll.maximum():
            self.scroll.setValue(self.scroll.value() + sign * ROW)
        else:
            super().keyPressEvent(event)


def _write(
    drawing: Drawing, x: float, middle: float, words: str, ink: QColor, room: float = 1000.0
) -> None:
    letters = drawing.letters.caption
    run = Run(words, letters, ink)
    drawing.elided(x, middle + letters.cap_height / 2, run, room)


class _Ruler(Axis):
    """The playhead goes where one drags along it."""

    def __init__(self, scrub_to: Callable[[float], None]) -> None:
        super().__init__("top")
        self._scrub_to = scrub_to

    def mouseDragEvent(self, event: MouseDragEvent) -> None:
        event.accept()
        self._scrub_to(self.linkedView().mapSceneToView(event.scenePos()).x())
