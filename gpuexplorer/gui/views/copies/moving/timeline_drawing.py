"""Timeline drawing: axis, rows and stretches of one frame, and the session as a whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.lane import Bar
from gpuexplorer.copies.timeline import Engine, Role, Timeline, Track
from gpuexplorer.core.units import duration
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.paint.wrong_mark import draw_wrong
from gpuexplorer.gui.theme.palette import faded, mixed
from gpuexplorer.gui.views.copies.moving.timeline_rows import (
    AXIS,
    GUTTER,
    RIGHT,
    ROW,
    STRIP,
    TimelineRow,
)
from gpuexplorer.gui.wording.copies.moving.cells import chip_of
from gpuexplorer.gui.wording.copies.moving.time_frame import TimeFrame, ticks
from gpuexplorer.gui.wording.copies.moving.timeline_words import (
    label,
    lane_words,
    name_of,
    overlapped_words,
)
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

_BAR = 13.0
_CHIP = 18.0
_NAME, _LANE = 66, 64.0
_COARSE = 3  # pixels that are drawn together where there is very much
_LEAST_LABEL, _LETTERED = 34.0, 60.0
_NARROW = 3.5  # pixels, up to which a stretch is no more than a colour
_MOST_BARS = 2600  # of all rows together, so that a frame stays one
_TICK = 90  # pixels between two of them, at least
_COMPUTE, _HOST, _THIN, _PYTHON = 0.46, 0.55, 0.34, 0.24
_FLAG_ROOM, _LEAST_LINE = 22.0, 10.0  # pixels for a line's number
_STRIP_TOP, _STRIP_ROW = 4.0, 2.0


@dataclass(frozen=True, slots=True)
class Scene:
    """All that is drawn of one frame."""

    timeline: Timeline
    book: CopyBook
    rows: Sequence[TimelineRow]
    devices: Mapping[str, BenchDevice]
    frame: TimeFrame
    width: float
    height: float

    @property
    def left(self) -> float:
        return GUTTER

    @property
    def across(self) -> float:
        return max(1.0, self.width - GUTTER - RIGHT)

    def x_of(self, moment: float) -> float:
        return GUTTER + self.frame.share_of(moment) * self.across

    def moment_at(self, x: float) -> float:
        return self.frame.at((x - GUTTER) / self.across)


def draw_scene(drawing: Drawing, scene: Scene) -> None:
    """Everything but the session as a whole and what moves: the playhead and the focus."""
    _draw_axis(drawing, scene)
    _draw_gutter(drawing, scene)
    painter = drawing.painter
    painter.save()
    painter.setClipRect(QRectF(GUTTER, STRIP, scene.across + 1, scene.height - STRIP))
    _draw_lines(drawing, scene)
    for row in scene.rows:
        for track in row.tracks:
            _draw_track(drawing, scene, row, track)
    painter.restore()


def strip_window(scene: Scene) -> QRectF:
    """The frame, in the strip of the whole session."""
    whole, frame = scene.frame.whole, scene.frame
    left = GUTTER + frame.begin / whole * scene.across
    wide = max(6.0, frame.span / whole * scene.across)
    return QRectF(min(left, GUTTER + scene.across - wide), 1, wide, STRIP - 6)


def draw_session(drawing: Drawing, scene: Scene) -> None:
    """The strip above all, which is the same whatever of it is seen."""
    theme, letters = drawing.theme, drawing.letters.caption
    middle = (STRIP - 4) / 2
    word = Run(tr("Session, {time}", time=duration(scene.frame.whole)), letters, theme.quiet)
    drawing.text(0, middle + letters.cap_height / 2, word)
    place = QRectF(GUTTER, 2, scene.across, STRIP - 8)
    drawing.painter.fillRect(place, theme.well)
    timeline, whole = scene.timeline, scene.frame.whole
    scale = scene.across / whole
    copying = [
        track for track in timeline.tracks if track.engine in (Engine.COPY_IN, Engine.COPY_OUT)
    ]
    pixels = round(min(scene.across / _COARSE, _MOST_BARS / max(1, len(copying))))
    step = min(_STRIP_ROW + 1, (place.height() - 3) / max(1, len(copying)))
    for at, track in enumerate(copying):
        top = _STRIP_TOP + at * step
        colour = _colour(drawing, scene, track.device)
        for bar in timeline.visible(track, 0.0, whole, pixels):
            left = GUTTER + bar.begin * scale
            wide = max(1.0, (bar.end - bar.begin) * scale)
            drawing.painter.fillRect(QRectF(left, top, wide, min(_STRIP_ROW, step)), colour)


def draw_window(drawing: Drawing, scene: Scene) -> None:
    """Around what is seen of the session."""
    theme = drawing.theme
    window = strip_window(scene).adjusted(0.5, 0.5, -0.5, -0.5)
    drawing.painter.setPen(QPen(theme.text, 1.5))
    drawing.painter.setBrush(faded(theme.text, 0.08))
    drawing.painter.drawRoundedRect(window, CHIP_RADIUS, CHIP_RADIUS)


def _draw_axis(drawing: Drawing, scene: Scene) -> None:
    theme, letters = drawing.theme, drawing.letters.caption
    baseline = STRIP + 10 + letters.cap_height / 2
    for since, words in ticks(scene.frame.span, round(scene.across / _TICK)):
        x = GUTTER + since / scene.frame.span * scene.across
        run = Run(words, letters, theme.quiet)
        begin = x if since == 0 else x - run.width / 2
        if begin + run.width <= scene.width:
            drawing.text(begin, baseline, run)
        drawing.painter.fillRect(
            QRectF(round(x), STRIP + AXIS - 4, 1, scene.height - STRIP - AXIS), theme.line
        )


def _draw_gutter(drawing: Drawing, scene: Scene) -> None:
    theme, letters, frame = drawing.theme, drawing.letters, scene.frame
    small = letters.caption
    for row in scene.rows:
        middle = row.top + ROW / 2
        drawing.painter.fillRect(QRectF(GUTTER, middle, scene.across, 1), theme.line)
        lane = small.elided(lane_words(row.engine), _LANE)
        word = Run(lane, small, theme.quiet)
        drawing.runs_right(GUTTER - 10, middle + small.cap_height / 2, [word])
        if not row.first:
            continue
        chip = chip_of(row.device, scene.devices)
        width = max(_CHIP, small.width(chip.text) + 8)
        fill = None if chip.colour is None else theme.card(chip.colour)
        drawing.chip(QRectF(0, row.top, width, _CHIP), chip.text, small, fill)
        name = Run(name_of(row.device, scene.devices), small, theme.text)
        drawing.elided(width + 8, middle + small.cap_height / 2, name, _NAME)
        share = scene.timeline.overlapped(row.device, frame.begin, frame.end)
        said = Run(overlapped_words(share), small, theme.quiet)
        below = row.top + ROW * 1.5 + 3 + small.cap_height / 2
        drawing.elided(0, below, said, GUTTER - 72)


def _draw_lines(drawing: Drawing, scene: Scene) -> None:
    """Where a line of the lab begins, with its number where there is room."""
    theme, letters = drawing.theme, drawing.letters.caption
    lines = scene.timeline.lines_between(scene.frame.begin, scene.frame.end)
    if len(lines) > scene.across / 3:
        return
    after = GUTTER - _FLAG_ROOM
    for place in lines:
        x = scene.x_of(place.begin)
        if x < GUTTER - 1:
            continue
        top = STRIP + AXIS - 6
        drawing.painter.fillRect(QRectF(round(x), top, 1, scene.height), theme.faint)
        wide = scene.x_of(place.end) - x
        if x - after >= _FLAG_ROOM and wide >= _LEAST_LINE:
            run = Run(str(place.line), letters, theme.quiet)
            drawing.text(x + 3, top + 3, run)
            after = x


def _draw_track(drawing: Drawing, scene: Scene, row: TimelineRow, track: Track) -> None:
    frame = scene.frame
    tracks = sum(len(each.tracks) for each in scene.rows)
    pixels = round(min(scene.across / _COARSE, _MOST_BARS / max(1, tracks)))
    bars = scene.timeline.visible(track, frame.begin, frame.end, pixels)
    if not bars:
        return
    # Where several were put together, none of them is told apart.
    several = bars[-1].item - bars[0].item + 1 > len(bars)
    narrow = max(_NARROW, 1.6 * scene.across / pixels) if several else _NARROW
    scale, begin = scene.across / frame.span, frame.begin
    top, right = row.top + (ROW - _BAR) / 2, GUTTER + scene.across + 4
    plain, painter = _Plain(drawing, scene, track), drawing.painter
    # What touches and looks the same is drawn in one go.
    run_left, run_right, run_colour = 0.0, -1.0, plain.none
    for bar in bars:
        left = GUTTER + (bar.begin - begin) * scale
        wide = (bar.end - bar.begin) * scale
        if wide < narrow:
            colour = plain.of(bar)
            if colour is run_colour and left <= run_right + 1.0:
                run_right = max(run_right, left + wide)
                continue
            _fill(painter, run_left, run_right, top, run_colour)
            run_left, run_right, run_colour = left, left + max(1.0, wide), colour
            continue
        if left < GUTTER - 4:
            wide -= GUTTER - 4 - left
            left = GUTTER - 4
        place = QRectF(left, top, min(wide, right - left), _BAR)
        _draw_bar(drawing, scene, track, bar, place)
    _fill(painter, run_left, run_right, top, run_colour)


def _fill(painter: QPainter, left: float, right: float, top: float, colour: QColor) -> None:
    if right > left:
        painter.fillRect(QRectF(left, top, right - left, _BAR), colour)


class _Plain:
    """The colour of what is too narrow for more than a colour."""

    def __init__(self, drawing: Drawing, scene: Scene, track: Track) -> None:
        theme = drawing.theme
        colour = _colour(drawing, scene, track.device)
        self.none = theme.surface
        self._full = colour
        if track.engine is Engine.COMPUTE:
            self._full = mixed(theme.surface, colour, _COMPUTE)
        elif track.engine is Engine.PYTHON:
            self._full = mixed(theme.surface, theme.quiet, _HOST)
        elif track.engine is Engine.WAIT:
            self._full = theme.line
        elif track.engine is Engine.COPY_IN:
            self._full = mixed(theme.surface, theme.quiet, _HOST + 0.2)
        self._thin = mixed(theme.surface, self._full, _THIN)

    def of(self, bar: Bar) -> QColor:
        """Dimmer where most of it is a pause."""
        length = bar.end - bar.begin
        busy = bar.times <= 1 or length <= 0 or bar.busy >= length / 2
        return self._full if busy else self._thin


def _draw_bar(drawing: Drawing, scene: Scene, track: Track, bar: Bar, place: QRectF) -> None:
    theme, painter = drawing.theme, drawing.painter
    item = scene.timeline.item(track, bar.item)
    colour = _colour(drawing, scene, track.device)
    pen, fill, ink = Qt.PenStyle.NoPen, colour, theme.inverse
    edge: QColor | None = None
    if item.role is Role.WAITS and track.engine is Engine.WAIT:
        _draw_wait(drawing, scene, track, bar, place)
        return
    if item.role is Role.COPIES and item.row is not None:
        copy = scene.book.rows[item.row]
        if track.engine is Engine.COPY_IN and copy.source != "cpu":
            # Outlined where it arrives: the engine of the other card runs it.
            edge = _colour(drawing, scene, copy.source)
            fill, ink = mixed(theme.surface, edge, 0.14), theme.text
        elif copy.source == "cpu":
            fill, ink = mixed(theme.surface, theme.quiet, _HOST), theme.text
        if copy.wrong:
            draw_wrong(drawing, place, lettered=place.width() > _LETTERED)
            return
    elif item.role is Role.RUNS and track.engine is Engine.COMPUTE:
        fill, ink = mixed(theme.surface, colour, _COMPUTE), theme.text
    elif item.role is Role.WAITS:
        edge, fill, ink = theme.line, theme.well, theme.quiet
    elif track.engine is Engine.PYTHON:
        fill, ink = mixed(theme.surface, theme.quiet, _PYTHON), theme.text
        if item.role is Role.CALLS:
            fill = mixed(theme.surface, theme.quiet, _HOST)
    painter.setPen(pen if edge is None else QPen(edge, 1))
    painter.setBrush(fill)
    half = place if edge is None else place.adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawRoundedRect(half, 2, 2)
    _draw_label(drawing, label(scene.timeline, scene.book, track, bar), place, ink)


def _draw_wait(drawing: Drawing, scene: Scene, track: Track, bar: Bar, place: QRectF) -> None:
    """A line in dashes, from where it began to wait to where it went on."""
    theme, middle = drawing.theme, place.center().y()
    at = place.left()
    drawing.painter.fillRect(QRectF(at, place.top() + 2, 1, _BAR - 4), theme.faint)
    words = label(scene.timeline, scene.book, track, bar)
    run = Run(words, drawing.letters.caption, theme.quiet)
    if run.width + 30 < place.width():
        end = drawing.text(at + 8, middle + run.letters.cap_height / 2, run)
        at = end + 2
    while at < place.right() - 4:
        drawing.painter.fillRect(QRectF(at + 3, middle, 3, 1), theme.faint)
        at += 6


def _draw_label(drawing: Drawing, words: str, place: QRectF, ink: QColor) -> None:
    if place.width() < _LEAST_LABEL or not words:
        return
    letters = drawing.letters.caption
    left = max(place.left(), GUTTER) + 4
    shown = letters.elided(words, place.right() - left - 4)
    if len(shown) > 1:
        baseline = place.center().y() + letters.cap_height / 2
        drawing.text(left, baseline, Run(shown, letters, ink))


def _colour(drawing: Drawing, scene: Scene, device: str) -> QColor:
    known = scene.devices.get(device)
    return drawing.theme.card(None if known is None else known.colour)
