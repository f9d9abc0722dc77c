"""TimelineBars: draws what the engines did in a stretch of time, however much it is."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.timeline import Engine, Fold, Item, Lane, Numbers, Role, Timeline, Track
from gpuexplorer.gui.copies.moving.timeline_words import (
    TimeFrame,
    label,
    lane_words,
    name_of,
    overlapped_words,
)
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.curves import COLUMN_PIXELS
from gpuexplorer.gui.state.lab.devices import BenchDevice, chip_of
from gpuexplorer.gui.theme.palette import mixed

FLAGS = 16  # above all rows, for the numbers of cells
ROW = 17
_GROUP_GAP = 7
_OF_CARD = (Engine.COMPUTE, Engine.COPY_IN, Engine.COPY_OUT)
_BAR = 13.0
_CHIP, _NAME, _LANE, _NARROW = 18.0, 66.0, 64.0, 150.0  # pixels, of names
_FEW = 250  # bars in sight, up to which even narrow ones have edges and round corners
_LEAST, _LEAST_OF_MANY = 3.5, 20.0  # pixels, below which a bar is no more than its colour
_LEAST_LABEL, _LETTERED = 34.0, 60.0
_LEAST_LINE, _LINE_ROOM = 10.0, 22.0
_OUT = 4.0  # pixels beyond the edges, where the ends of bars are hidden
_PAUSED = 0.34  # of the colour, where most of a bar is a pause
_FAINT = 0.07  # of the colour, where something waits
_STRIP_ROW = 2.0


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """`tracks` share it: what a card waits for stands where it would compute."""

    device: str
    card: str
    engine: Engine
    tracks: tuple[Track, ...]
    top: int
    first: bool  # of its device


def rows_of(timeline: Timeline) -> Sequence[TimelineRow]:
    """Every card that did anything has all its engines, so that what is empty is seen."""
    rows: list[TimelineRow] = []
    top = FLAGS
    for device, card in timeline.devices:
        engines: Sequence[Engine] = (Engine.PYTHON,) if device == "cpu" else _OF_CARD
        for at, engine in enumerate(engines):
            tracks = [Track(device, engine, card)]
            if engine is Engine.COMPUTE:
                tracks.append(Track(device, Engine.WAIT, card))
            rows.append(TimelineRow(device, card, engine, tuple(tracks), top, at == 0))
            top += ROW
        top += _GROUP_GAP
    return rows


def height_of(rows: Sequence[TimelineRow]) -> int:
    return rows[-1].top + ROW + 4 if rows else FLAGS


@dataclass(frozen=True, slots=True)
class _Look:
    """What bars look like that stand for alike things."""

    hue: str  # the device whose colour it is; the host has none
    share: float = 1.0  # of the colour, in the fill
    edge: float = 0.0  # and in the edge
    dashed: bool = False


_WRONG, _WAIT = _Look("wrong"), _Look("wait")
_OF_HOST = _Look("cpu", 0.55)


class TimelineBars:
    """What is narrower than a pixel is put together before it is drawn."""

    def __init__(self) -> None:
        self.timeline, self.book = Timeline(), CopyBook()
        self.rows: Sequence[TimelineRow] = ()
        self._devices: Mapping[str, BenchDevice] = {}
        # Of several in a pixel the first of these is seen.
        self._looks = {_WRONG: 0}
        self._look_of: dict[Track, array[int]] = {}  # of each item in a lane

    def take(
        self, timeline: Timeline, book: CopyBook, devices: Mapping[str, BenchDevice]
    ) -> None:
        """Again, after it became longer."""
        if timeline is not self.timeline:
            self._look_of.clear()
        self.timeline, self.book, self._devices = timeline, book, devices
        self.rows = rows_of(timeline)
        for track in timeline.tracks:
            looks = self._look_of.setdefault(track, array("H"))
            lane = timeline.lane(track)
            for item in range(len(looks), 0 if lane is None else len(lane)):
                looks.append(self._number(_look_of(track, timeline.item(track, item), book)))

    def draw(
        self,
        drawing: Drawing,
        place: QRectF,
        frame: TimeFrame,
        ticks: Sequence[tuple[float, str]],
    ) -> None:
        """The rows lie from the top of the place; none is drawn that lies outside the clip."""
        theme, seen = drawing.theme, drawing.painter.clipBoundingRect()
        rows = [
            row
            for row in self.rows
            if -ROW < row.top + place.top() - seen.top() < seen.height()
        ]
        scale = place.width() / frame.span
        for moment, _ in ticks:
            x = round(place.left() + (moment - frame.begin) * scale)
            drawing.painter.fillRect(QRectF(x, seen.top(), 1, seen.height()), theme.line)
        for row in rows:
            drawing.hairline(place.left(), place.right(), place.top() + row.top + ROW // 2)
        self._draw_lines(drawing, place, frame)
        folds = [
            (QRectF(place.left(), place.top() + row.top + 2, place.width(), _BAR), *found)
            for row in rows
            for found in self._folds(row.tracks, frame, place.width())
        ]
        edged = (np.sum((each[3].ends - each[3].begins) * scale >= _LEAST) for each in folds)
        least = _LEAST if sum(edged) <= _FEW else _LEAST_OF_MANY
        for found in folds:
            self._draw_track(drawing, *found, frame, least)

    def draw_names(self, drawing: Drawing, place: QRectF, frame: TimeFrame) -> None:
        """Beside the rows. Where it is narrow, chips stand for names."""
        theme, small = drawing.theme, drawing.letters.caption
        for row in self.rows:
            top, baseline = place.top() + row.top, small.cap_height / 2
            baseline += top + ROW / 2
            lane = Run(small.elided(lane_words(row.engine), _LANE), small, theme.quiet)
            drawing.runs_right(place.right() - 10, baseline, [lane])
            if not row.first:
                continue
            chip = chip_of(row.device, self._devices, row.card)
            width = max(_CHIP, small.width(chip.text) + 8)
            fill = None if chip.colour is None else theme.card(chip.colour)
            drawing.chip(QRectF(place.left(), top, width, _CHIP), chip.text, small, fill)
            if place.width() < _NARROW:
                continue
            name = Run(name_of(row.device, self._devices, row.card), small, theme.text)
            drawing.elided(place.left() + width + 8, baseline, name, _NAME)
            share = self.timeline.overlapped((row.device, row.card), frame.begin, frame.end)
            said = Run(overlapped_words(share), small, theme.quiet)
            drawing.elided(place.left(), baseline + ROW + 3, said, place.width() - 72)

    def draw_session(self, drawing: Drawing, place: QRectF, whole: float) -> None:
        """The copies of the whole session, a line for each engine."""
        drawing.painter.fillRect(place, drawing.theme.well)
        engines = (Engine.COPY_IN, Engine.COPY_OUT)
        copying = [each for each in self.timeline.tracks if each.engine in engines]
        step = min(_STRIP_ROW + 1, (place.height() - 3) / max(1, len(copying)))
        frame = TimeFrame(0.0, whole, whole)
        room = QRectF(place.left(), place.top() + 2, place.width(), min(_STRIP_ROW, step))
        for found in self._folds(copying, frame, place.width()):
            self._draw_track(drawing, room, *found, frame, np.inf)
            room.translate(0, step)

    def _folds(
        self, tracks: Sequence[Track], frame: TimeFrame, width: float
    ) -> Iterator[tuple[Track, Lane, Fold]]:
        for track in tracks:
            lane = self.timeline.lane(track)
            if lane is not None:
                fold = lane.visible(frame.begin, frame.end, round(width / COLUMN_PIXELS))
                if fold.first.size:
                    yield track, lane, fold

    def _draw_lines(self, drawing: Drawing, place: QRectF, frame: TimeFrame) -> None:
        """Where a line of the lab begins, with its number where there is room."""
        theme, letters = drawing.theme, drawing.letters.caption
        lines = self.timeline.places_between(frame.begin, frame.end)
        if len(lines) > place.width() / 3:
            return
        scale, after = place.width() / frame.span, place.left() - _LINE_ROOM
        top = drawing.painter.clipBoundingRect().top()
        for line in lines:
            x = place.left() + (line.begin - frame.begin) * scale
            if x < place.left() - 1:
                continue
            drawing.painter.fillRect(
                QRectF(round(x), top, 1, place.bottom() - top), theme.faint
            )
            if x - after >= _LINE_ROOM and (line.end - line.begin) * scale >= _LEAST_LINE:
                run = Run(str(line.cell), letters, theme.quiet)
                drawing.text(x + 4, top + 11, run)
                after = x

    def _draw_track(
        self,
        drawing: Drawing,
        room: QRectF,
        track: Track,
        lane: Lane,
        fold: Fold,
        frame: TimeFrame,
        least: float,
    ) -> None:
        """`least` pixels make a bar more than its colour."""
        scale = room.width() / frame.span
        x = room.left() + (fold.begins - frame.begin) * scale
        pixels = (fold.ends - fold.begins) * scale
        begins = fold.first - fold.first[0]
        every = np.asarray(self._look_of[track][fold.first[0] : fold.after[-1]])
        looks, most = np.minimum.reduceat(every, begins), np.maximum.reduceat(every, begins)
        mixture = (
            _Look(track.card or track.device) if track.engine is Engine.COPY_OUT else _OF_HOST
        )
        # What is wrong is seen among whatever else.
        looks[(looks != most) & (looks > 0)] = self._number(mixture)
        several, large = fold.after - fold.first > 1, pixels >= least
        # Beside a large one that begins in the same pixel, the others are a sliver.
        end = np.where(several & large, x, x + pixels)
        # Whole pixels, and between several of one pixel and those of the next no gap.
        left = np.where(several, np.floor(x), np.rint(x))
        right = np.where(several, np.ceil(end), np.rint(end))
        left = np.maximum(left, room.left() - _OUT)
        boxes = np.empty((x.size, 4))
        boxes[:, 0], boxes[:, 1], boxes[:, 3] = left, room.top(), room.height()
        boxes[:, 2] = np.maximum(np.minimum(right, room.right() + _OUT) - left, 1.0)
        boxes[:, 2] -= (boxes[:, 2] >= _OUT) & ~several  # so that two that touch are two
        paused = (fold.times > 1) & (fold.busy < (fold.ends - fold.begins) / 2)
        plain = ~large | several
        self._draw_plain(drawing, track, boxes[plain], looks[plain], paused[plain])
        for at in np.flatnonzero(large):
            item = int(fold.first[at])
            if several[at]:
                item = lane.longest(item, int(fold.after[at]))
            bar = lane.bar(item)
            begin = max(room.left() + (bar.begin - frame.begin) * scale, room.left() - _OUT)
            stop = min(room.left() + (bar.end - frame.begin) * scale, room.right() + _OUT)
            place = QRectF(begin, room.top(), stop - begin, room.height())
            self._draw_bar(drawing, place, track, lane, item, room.left())

    def _draw_plain(
        self,
        drawing: Drawing,
        track: Track,
        boxes: Numbers,
        looks: NDArray[np.uint16],
        paused: NDArray[np.bool_],
    ) -> None:
        painter = drawing.painter
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(Qt.PenStyle.NoPen)
        every = list(self._looks)
        for number in np.flatnonzero(np.bincount(looks)):
            if every[number] is _WAIT:
                boxes[looks == number, 1] += boxes[0, 3] // 2
                boxes[looks == number, 3] = 1.0
            colour = self._colour(drawing, every[number])
            dim = mixed(drawing.theme.surface, colour, _PAUSED)
            for brush, which in ((colour, ~paused), (dim, paused)):
                rows = boxes[(looks == number) & which]
                if len(rows):
                    painter.setBrush(brush)
                    # Qt reads the array itself: a list takes longer to make than to draw.
                    found = shiboken6.wrapInstance(rows.ctypes.data, QRectF)
                    assert isinstance(found, QRectF)
                    painter.drawRects(found, len(rows))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def _draw_bar(
        self, drawing: Drawing, place: QRectF, track: Track, lane: Lane, item: int, left: float
    ) -> None:
        look = _look_of(track, self.timeline.item(track, item), self.book)
        if look is _WRONG:
            drawing.wrong(place, lettered=place.width() > _LETTERED)
            return
        words, theme, painter = "", drawing.theme, drawing.painter
        if place.width() >= _LEAST_LABEL:
            words = label(self.timeline, self.book, track, lane.bar(item))
        if look is _WAIT:
            _draw_wait(drawing, place, words)
            return
        painter.setBrush(self._colour(drawing, look, look.share))
        painter.setPen(Qt.PenStyle.NoPen)
        shape = place
        if look.edge:
            style = Qt.PenStyle.DashLine if look.dashed else Qt.PenStyle.SolidLine
            painter.setPen(QPen(self._colour(drawing, look, look.edge), 1, style))
            shape = place.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(shape, 2, 2)
        letters = drawing.letters.caption
        begin = max(place.left(), left) + 4
        shown = letters.elided(words, place.right() - begin - 4)
        if len(shown) > 1:
            ink = theme.text if look.share > _FAINT else theme.quiet
            ink = theme.inverse if look.share == 1 else ink
            baseline = place.center().y() + letters.cap_height / 2
            drawing.text(begin, baseline, Run(shown, letters, ink))

    def _number(self, look: _Look) -> int:
        return self._looks.setdefault(look, len(self._looks))

    def _colour(self, drawing: Drawing, look: _Look, share: float | None = None) -> QColor:
        """All there is of what is too narrow for an edge, where no share is given."""
        theme = drawing.theme
        if look in (_WRONG, _WAIT):
            return theme.bad if look is _WRONG else theme.line
        known = self._devices.get(look.hue)
        colour = theme.card(known.colour if known else None)
        if look.hue == "cpu":
            colour = theme.quiet
        return mixed(
            theme.surface, colour, max(look.share, look.edge) if share is None else share
        )


def _look_of(track: Track, item: Item, book: CopyBook) -> _Look:
    """Solid on the card whose engine runs a copy, outlined where it arrives, in dashes where
    nobody asked for it.
    """
    host = track.engine is Engine.PYTHON
    if item.role is Role.WAITS:
        return _Look("cpu", _FAINT, 0.3) if host else _WAIT
    if item.role is not Role.COPIES or item.row is None:
        if item.role is Role.CALLS:
            return _OF_HOST
        return _Look("cpu", 0.24) if host else _Look(track.card or track.device, 0.46)
    copy = book.rows[item.row]
    if copy.wrong:
        return _WRONG
    if track.engine is Engine.COPY_IN and copy.source != "cpu":
        return _Look(copy.source, 0.14, 1.0, dashed=not copy.asked)
    if not copy.asked:
        return _Look(copy.source, 0.3, 1.0, dashed=True)
    return _OF_HOST if copy.source == "cpu" else _Look(copy.source)


def _draw_wait(drawing: Drawing, place: QRectF, words: str) -> None:
    """A line in dashes, from where the card began to wait to where it went on."""
    theme, middle = drawing.theme, place.center().y()
    at = place.left()
    drawing.painter.fillRect(QRectF(at, place.top() + 2, 1, place.height() - 4), theme.faint)
    run = Run(words, drawing.letters.caption, theme.quiet)
    if words and run.width + 30 < place.width():
        at = 2 + drawing.text(at + 8, middle + run.letters.cap_height / 2, run)
    pen = QPen(theme.faint, 1)
    pen.setDashPattern([3, 3])
    drawing.painter.setPen(pen)
    drawing.painter.drawLine(QPointF(at + 3, middle), QPointF(place.right() - 2, middle))
