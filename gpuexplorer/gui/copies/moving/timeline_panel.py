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
from PySide6.QtCore import QEvent, QPointF, QRectF, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QPainter, QPen, QWheelEvent
from PySide6.QtWidgets import QFrame, QGraphicsItem, QToolTip

from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.copies.timeline import (
    Bar,
    Engine,
    Role,
    Stretch,
    Timeline,
    Track,
    trace_pieces,
    words_of,
)
from gpuexplorer.core.units import duration, gigabytes_per_second
from gpuexplorer.core.words import listed, mark, paragraph, tr
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
_LEAST = 1e-6  # seconds that fill the width at most
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
_KEY = Qt.Key
_ON = (_KEY.Key_Right, _KEY.Key_End, _KEY.Key_Plus, _KEY.Key_Equal)
_BACK = (_KEY.Key_Left, _KEY.Key_Home, _KEY.Key_Minus)


class TimeFrame(NamedTuple):
    """In seconds of the axis; always within the session."""

    begin: float
    end: float

    @property
    def span(self) -> float:
        return self.end - self.begin


class Filling(StrEnum):
    """What fills the width."""

    COPY = mark("Copy")
    CELL = mark("Cell")
    ALL = mark("All")


class TimelinePanel(QFrame):
    """Hidden while nothing was copied. Follows the chosen copy until somebody zooms."""

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
        self.saving = Saving(machine.settings, self)
        self.saving.done.connect(self._on_written)
        self.saving.refused.connect(self._on_written)
        title = label(tr("Timeline"), look().letters.title)
        said = (title, Space(8), self._words, GROWS)
        head = row(*said, self._choice, save, margins=(6, 0, 0, 0))
        column(head, self.view, within=self, gap=6, margins=(10, 10, 8, 4))

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

    def ask_trace(self) -> None:
        session = self._machine.session
        name = suggested_name("copies-trace", session.clock.wall(), simulated=session.simulated)
        self.saving.ask(tr("Save the trace"), name, [TRACE], self._trace_for)

    def save_trace(self, path: Path) -> None:
        self.saving.save(path, self._trace_for(path))

    def refresh(self) -> None:
        whole = self.view.whole
        shown = {Filling.COPY: self._copy or self._line, Filling.CELL: self._line or self._copy}
        if self._seen is not None:
            stretch = shown.get(self._seen)
            frame = TimeFrame(0.0, whole) if stretch is None else around(*stretch, whole)
            self.view.show_frame(frame)
        begin, span = self.view.frame.begin, self.view.frame.span
        words = str(duration(span))
        if span < whole * 0.999:
            said = mark("{span} of {whole}, from {begin} on")
            words = tr(said, span=words, begin=duration(begin), whole=duration(whole))
        words = tr("{span}, modelled", span=words) if self.timeline.modelled else words
        self._words.show_text(words)
        self._choice.show_choice(self._seen)

    def _trace_for(self, path: Path) -> Write:
        """Written in a thread of its own; until it is, nothing is taken in."""
        self._writing, machine = True, self._machine
        told, simulated = (self.timeline, self._book), machine.session.simulated
        pieces = trace_pieces(*told, simulated=simulated, machine=machine.name)
        return partial(write_whole, path, pieces)

    def _on_written(self) -> None:
        self._writing = False


def around(begin: float, end: float, whole: float) -> TimeFrame:
    """All of it, and a little on both sides, as far as the session goes."""
    span = min(max((end - begin) * 1.08, _LEAST), whole)
    left = max(0.0, min((begin + end - span) / 2, whole - span))
    return TimeFrame(left, left + span)


def moment_words(moment: float, end: float, step: float) -> str:
    """In the unit that suits the end, with as many digits as the step has."""
    scale, unit = next((each for each in _UNITS if end >= each[0]), _UNITS[-1])
    digits = max(0, -math.floor(math.log10(step / scale) + 1e-9))
    return f"{moment / scale:.{digits}f} {unit}"


def ticks(frame: TimeFrame, most: int) -> Sequence[tuple[float, str]]:
    """Round moments with their words."""
    least = frame.span / max(1, most)
    power = 10.0 ** math.floor(math.log10(least))
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= least * (1 - 1e-9))
    first, last = math.ceil(frame.begin / step - 1e-6), math.floor(frame.end / step + 1e-6)
    moments = [at * step for at in range(first, last + 1)]
    return [(each, moment_words(each, frame.end, step)) for each in moments]


def bar_words(track: Track, bar: Bar, book: CopyBook) -> str:
    """In the stretch, as far as there is room."""
    words, copies = words_of(track, bar, book), bar.role is Role.COPIES
    rate = book.rows[bar.row].rate if bar.row is not None and copies else None
    if rate is None:
        return words
    return tr("{what}, {rate} GB/s", what=words, rate=gigabytes_per_second(rate))


def hint(track: Track, bar: Bar, book: CopyBook) -> str:
    """Several lines of text."""
    took = str(duration(bar.end - bar.begin))
    if bar.times > 1:
        several = mark("{count} of them in {time}, busy for {busy}")
        took = tr(several, count=bar.times, time=took, busy=duration(bar.busy))
    device = tr("host") if track.device == HOST else track.device
    where = tr("{time}; {device}, {lane}", time=took, device=device, lane=tr(track.engine))
    line = tr("Cell {cell}: {code}", cell=bar.place.cell, code=bar.place.line)
    return f"{bar_words(track, bar, book)}\n{where}\n{line}"


class _Look(NamedTuple):
    """What bars look like that stand for alike things."""

    hue: str  # the device whose colour it is; the host has none
    share: float = 1.0  # of the colour, in the fill
    edge: float = 0.0  # and in the edge
    dashed: bool = False


_WRONG, _OF_HOST, _WAIT = _Look("wrong"), _Look(HOST, 0.55), _Look(HOST, 0.07, 0.3)


def _look_of(track: Track, bar: Bar, book: CopyBook) -> _Look:
    """Solid on the card whose engine runs a copy, outlined where it arrives, in dashes where
    nobody asked for it.
    """
    if bar.role in (Role.WAITS, Role.CALLS):
        return _WAIT if bar.role is Role.WAITS else _OF_HOST
    if bar.row is None:
        host = track.engine is Engine.PYTHON
        return _Look(HOST, 0.24) if host else _Look(track.card or track.device, 0.46)
    copy = book.rows[bar.row]
    if copy.wrong:
        return _WRONG
    if track.engine is Engine.COPY_IN and copy.source != HOST:
        return _Look(copy.source, 0.14, 1.0, dashed=not copy.asked)
    if not copy.asked:
        return _Look(copy.source, 0.3, 1.0, dashed=True)
    return _OF_HOST if copy.source == HOST else _Look(copy.source)


class TimelineView(Graph):
    """Time is panned and zoomed by pyqtgraph, never out of the session. What is narrower than a
    pixel is put together before it is drawn. As high as its rows.
    """

    scrubbed = Signal(float)  # the playhead, to this moment of the axis
    framed = Signal()  # by hand
    picked = Signal(int)  # a copy's number in the book

    def __init__(self) -> None:
        super().__init__()
        self._tops: dict[Track, int] = {}  # pixels
        self._looks = {_WRONG: 0}  # of several kinds in a pixel WRONG is seen
        self._ticks: Sequence[tuple[float, str]] = ()
        self.playhead: float | None = None
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
        for draw in (self._draw_lanes, self._draw_names):
            sheet = self.add_sheet(draw, -101)  # a view has -100: the lines lie over this
            # A moving playhead costs no more than itself.
            sheet.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.setProperty("kind", "ring")
        self.setAccessibleName(tr("Timeline"))
        self._saying = QTimer(self, singleShot=True, interval=_PAUSE)
        self._saying.timeout.connect(self._on_time_to_say)
        self.show_session(Timeline(), CopyBook(), {})
        self._lanes.sigXRangeChanged.connect(self._on_range_changed)
        self._lanes.sigResized.connect(self.refresh)
        self._strip.sigResized.connect(self.refresh)
        self._lanes.sigRangeChangedManually.connect(self.framed)
        self._region.sigRegionChanged.connect(self._on_region_changed)
        self._line.sigDragged.connect(lambda line: self._scrub_to(line.value()))
        self.scene().sigMouseClicked.connect(self._on_clicked)
        self.dress()

    @property
    def whole(self) -> float:
        """How long the session is."""
        return max(self._timeline.length, _LEAST)

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
            for bar in lane.bars[len(lane.marks) :]:
                drawn = _look_of(track, bar, book)
                lane.marks.append(self._looks.setdefault(drawn, len(self._looks)))
        self.setFixedHeight(max(self._tops.values(), default=0) + ROW + _AXIS + _STRIP + 11)
        self._lanes.setLimits(xMin=0.0, xMax=self.whole, minXRange=_LEAST)
        self._strip.setXRange(0.0, self.whole, padding=0)
        self.refresh()

    def show_frame(self, frame: TimeFrame) -> None:
        self._lanes.setXRange(*frame, padding=0)

    def show_playhead(self, moment: float | None) -> None:
        self.playhead = moment
        self._line.setVisible(moment is not None)
        if moment is not None:
            self._line.setValue(moment)
            step = self.frame.span / 100
            self._line.label.setFormat(moment_words(moment, self.frame.end, step))

    def bar_at(self, position: QPointF) -> tuple[Track, Bar] | None:
        """What is drawn there, in the scene."""
        place = self._lanes.sceneBoundingRect()
        moment = self._lanes.mapSceneToView(position).x()
        near, y = _REACH / place.width() * self.frame.span, position.y() - place.top()
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
        self._strip.setBackgroundColor(self.look.theme.well)
        self._region.setBrush(faded(ink, 0.1))
        self._region.setHoverBrush(faded(ink, 0.16))
        self.refresh()

    def refresh(self) -> None:
        """All of it, in the room that there is now."""
        self._strip.updateMatrix()  # else its ends lie where they were until it is painted
        place = self._lanes.sceneBoundingRect()
        lanes, names = self._sheets
        lanes.put(place)
        names.put(QRectF(0, 0, place.left(), place.bottom()))
        self._on_range_changed()

    def _on_range_changed(self) -> None:
        self._lanes.updateMatrix()  # else the hand's next move has the scale of before
        self._ticks = ticks(self.frame, round(self._lanes.width() / _TICK))
        self._axis.show_ticks(self._ticks)
        with QSignalBlocker(self._region):
            self._region.setRegion(self.frame)
        self.show_playhead(self.playhead)
        for sheet in self._sheets:
            sheet.update()
        self._saying.start()

    def _draw_lanes(self, drawing: Drawing) -> None:
        painter, theme, letters = drawing.painter, drawing.theme, drawing.letters.caption
        place, frame = self._lanes.sceneBoundingRect(), self.frame
        painter.setClipRect(place)
        left, top, scale = place.left(), place.top(), place.width() / frame.span
        for moment, _ in self._ticks:
            x = round(left + (moment - frame.begin) * scale)
            painter.fillRect(QRectF(x, top, 1, place.height()), theme.line)
        for y in self._tops.values():
            drawing.hairline(left, place.right(), top + y + ROW // 2)
        for cell in self._timeline.places_between(*frame):
            wide = (cell.end - cell.begin) * scale
            if wide > _EDGED:
                x, number = round(left + (cell.begin - frame.begin) * scale), str(cell.cell)
                painter.fillRect(QRectF(x, top + 2, 1, place.height()), theme.faint)
                room, x = letters.width(number) + 8, max(x, round(left))
                if wide > room:
                    drawing.filled(QRectF(x, top + 2, room, 15), theme.hover, 3)
                    _write(drawing, x + 4, top + 9.5, number, theme.quiet)
        for track in self._timeline.tracks:
            row_of = QRectF(left, top + self._tops[track] + 2, place.width(), _BAR)
            self._draw_track(drawing, row_of, track, frame)

    def _draw_names(self, drawing: Drawing) -> None:
        """Beside the rows, and beside the session above them."""
        small, theme, place = drawing.letters.caption, drawing.theme, self._lanes.geometry()
        words = tr("Session, {time}", time=duration(self.whole))
        _write(drawing, _LEFT, 3 + _STRIP / 2, words, theme.quiet)
        right, room = place.left() - 10, place.left() - _LANE - 14
        for track, y in self._tops.items():
            top, name = place.top() + y, tr(track.engine)
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
        fold = lane.visible(*frame, round(room.width() / COLUMN_PIXELS))
        # The ends of what goes beyond the edges are out of sight.
        x, scale = room.left(), room.width() / frame.span
        left = x + np.maximum((fold.begins - frame.begin) * scale, -4)
        right = x + np.minimum((fold.ends - frame.begin) * scale, room.width() + 4)
        large = right - left >= _EDGED
        wrong = fold.least == 0
        marks = np.asarray(lane.marks)[fold.longest].astype(int)
        marks[wrong & ~large] = 0
        boxes = np.empty((left.size, 4))
        boxes[:, 0], boxes[:, 1], boxes[:, 3] = np.floor(left), room.top(), room.height()
        boxes[:, 2] = np.maximum(np.rint(right) - boxes[:, 0] - large, 1.0)
        looks, kinds = list(self._looks), 4 * marks + 2 * large + (fold.paused & ~large)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        for kind in np.flatnonzero(np.bincount(kinds)).tolist():
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
            if wrong[at]:
                # One that is too short to be seen beside it.
                place.setWidth(COLUMN_PIXELS)
                painter.fillRect(place, theme.bad)
            if ends[at] - begin >= _LETTERED:
                words = bar_words(track, lane.bars[fold.longest[at]], self._book)
                ink = theme.inverse if drawn.share == 1 else theme.text
                _write(drawing, begin, place.center().y(), words, ink, ends[at] - begin)

    def _ink(self, drawn: _Look, share: float) -> QColor:
        theme, known = self.look.theme, self._devices.get(drawn.hue)
        colour = theme.card(known.colour if known else None)
        if drawn.hue == HOST or drawn is _WRONG:
            colour = theme.bad if drawn is _WRONG else theme.quiet
        return mixed(theme.surface, colour, share)

    def _on_time_to_say(self) -> None:
        """For screen readers: what is seen, and what goes on where the playhead stands."""
        book, at, begin = self._book, self.playhead, duration(self.frame.begin)
        span, told = duration(self.frame.span), mark("{span} from {begin} on is shown.")
        said = [tr(told, span=span, begin=begin)]
        if at is not None:
            bars = [(on, self._timeline.lane(on).at(at)) for on in self._tops]
            what = [f"{tr(on.engine)}: {bar_words(on, bar, book)}" for on, bar in bars if bar]
            what = what or [tr("nothing is copied or computed")]
            said.append(tr("At {time}: {what}.", time=duration(at), what=listed(what)))
        self.setAccessibleDescription(paragraph(said))

    def _scrub_to(self, moment: float) -> None:
        """No further than what is seen."""
        self._go_to(min(self.frame.end, max(self.frame.begin, moment)))

    def _go_to(self, moment: float) -> None:
        moment, frame = min(self.whole, max(0.0, moment)), self.frame
        if not frame.begin <= moment <= frame.end:
            self._move(moment - (frame.begin + frame.end) / 2)
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
            middle = sum(self.frame) / 2
            self._move(self._strip.mapSceneToView(at).x() - middle)
            return
        if bar is not None and bar[1].row is not None:
            self.picked.emit(bar[1].row)
        self._scrub_to(self._lanes.mapSceneToView(at).x())

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and (found := self.bar_at(QPointF(event.pos()))):
            QToolTip.showText(event.globalPos(), hint(*found, self._book), self)
            return True
        return super().viewportEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned, shift = event.angleDelta(), Qt.KeyboardModifier.ShiftModifier
        aside = turned.x() or (turned.y() if event.modifiers() & shift else 0)
        if not self.takes(event):
            event.ignore()
        elif aside:
            self._move(-aside / 120 * self.frame.span / 8)  # a notch is 120
            event.accept()
        else:
            pg.GraphicsView.wheelEvent(self, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        frame, key, sign = self.frame, _KEY(event.key()), 1 if event.key() in _ON else -1
        middle = sum(frame) / 2
        at = middle if self.playhead is None else self.playhead
        if key not in (*_ON, *_BACK):
            super().keyPressEvent(event)
        elif key in (_KEY.Key_Home, _KEY.Key_End):
            self._go_to(self.whole if sign > 0 else 0.0)
        elif key not in (_KEY.Key_Left, _KEY.Key_Right):
            # The playhead stays where it is, where it is seen.
            at = at if frame.begin <= at <= frame.end else middle
            self._lanes.scaleBy(x=_ZOOM**-sign, center=(at, 0))
            self.framed.emit()
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._move(sign * _FAR * frame.span)
        else:
            self._go_to(at + sign * _STEP * frame.span)


def _write(
    drawing: Drawing, x: float, middle: float, words: str, ink: QColor, room: float = 1000.0
) -> None:
    letters = drawing.letters.caption
    drawing.elided(x, middle + letters.cap_height / 2, Run(words, letters, ink), room)


class _Ruler(Axis):
    """The playhead goes where one drags along it."""

    def __init__(self, scrub_to: Callable[[float], None]) -> None:
        super().__init__("top")
        self._scrub_to = scrub_to

    def mouseDragEvent(self, event: MouseDragEvent) -> None:
        event.accept()
        self._scrub_to(self.linkedView().mapSceneToView(event.scenePos()).x())
