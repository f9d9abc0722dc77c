"""HourMap: how busy each rack, or host, was within the last hour; a mean per minute."""

import time
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Signal
from PySide6.QtGui import QImage, QMouseEvent, QPainter

from gpuexplorer.core.units import ratio
from gpuexplorer.core.words import tr
from gpuexplorer.fleet.hour import COLUMNS, STEP, Hour
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.machines.heat_drawing import draw_hatch
from gpuexplorer.gui.machines.model import natural
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.groups.group import HostGroup
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted

_HEAD, _ROW, _BAR, _NAMES, _FIGURES = 22, 26, 20, 150.0, 70.0
_SHADES = 60
_SEEN_THROUGH = 1 + 1 / _SHADES  # the share whose shade comes after the last


class HourRow(NamedTuple):
    """A place, and its figures from the first minute to the last."""

    name: str
    values: NDArray[np.float64]


def rows_of(hour: Hour, shown: Sequence[HostGroup], whole: bool) -> Sequence[HourRow]:
    """Of the places of these machines; of all cards together only where `whole`."""
    by_rack = any(group.place for group in shown)
    simulated: dict[str, list[bool]] = defaultdict(list)
    for group in shown:
        simulated[group.place if by_rack else group.name].append(group.simulated)
    rows = [
        _row(name or tr("no rack"), hour.places[name], simulated[name])
        for name in sorted(simulated, key=natural)
        if name in hour.places
    ]
    every = [group.simulated for group in shown]
    return [_row(tr("All cards"), hour.together, every), *rows] if whole else rows


def _row(name: str, values: NDArray[np.float64], simulated: Sequence[bool]) -> HourRow:
    if any(simulated):
        name = (
            tr("{place}, simulated", place=name)
            if all(simulated)
            else tr("{place}, partly simulated", place=name)
        )
    return HourRow(name, values)


class HourMap(Painted):
    """Time goes from left to right."""

    pointed = Signal(str)  # what is under the pointer, in words

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._start, self._rows = 0.0, tuple[HourRow, ...]()
        self._bars: Sequence[QImage] = ()
        self.setMouseTracking(True)
        self.setAccessibleName(tr("The last hour"))
        look.changed.connect(self._paint_bars)

    def show_hour(self, start: float, rows: Sequence[HourRow]) -> None:
        """The first minute by the clock on the wall."""
        self._start, self._rows = start, tuple(rows)
        self.setMinimumHeight(_HEAD + _ROW * len(rows))
        self.setAccessibleDescription(" ".join(self._words(each, COLUMNS - 1) for each in rows))
        self._paint_bars()

    def draw(self, drawing: Drawing) -> None:
        letters, theme = drawing.letters.body, drawing.theme
        place = self._place()
        for share in (0.0, 0.5, 1.0):
            moment = _clock(self._start + share * COLUMNS * STEP)
            words = Run(moment, drawing.letters.caption, theme.quiet)
            drawing.text(place.left() + share * (place.width() - words.width), 14, words)
        drawing.painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=False)
        for at, (each, bar) in enumerate(zip(self._rows, self._bars, strict=True)):
            here = place.translated(0, _HEAD + at * _ROW)
            if not drawing.needs(here.adjusted(-_NAMES, 0, _FIGURES, 0)):
                continue
            baseline = here.center().y() + letters.cap_height / 2
            name = Run(each.name, letters, theme.text)
            drawing.elided(0, baseline, name, place.left() - 12)
            draw_hatch(drawing, here, bad=False)
            drawing.painter.drawImage(here, bar)
            last = Run(_figure(each.values[-1]), letters, theme.text)
            drawing.runs_right(self.width() - 2, baseline, (last,))

    def _place(self) -> QRectF:
        """Of the first bar, as if there were nothing above."""
        names = min(_NAMES, self.width() / 4)
        return QRectF(names, 0, max(1.0, self.width() - names - _FIGURES), _BAR)

    def _paint_bars(self) -> None:
        # The last is seen through: what lies behind is hatched.
        heat = self.look.theme.heat
        table = [*(heat(at / _SHADES).rgb() for at in range(_SHADES + 1)), 0]
        bars = []
        for each in self._rows:
            shares = np.nan_to_num(np.clip(each.values, 0, 1), nan=_SEEN_THROUGH)
            line = np.rint(shares * _SHADES).astype(np.uint8).tobytes()
            bar = QImage(line, COLUMNS, 1, COLUMNS, QImage.Format.Format_Indexed8)
            bar.setColorTable(table)
            bars.append(bar.convertToFormat(QImage.Format.Format_ARGB32))
        self._bars = bars
        self.update()

    def _words(self, each: HourRow, minute: int) -> str:
        if not np.isfinite(each.values[minute]):
            said = tr("no figure")
        else:
            said = tr("{figure} on average", figure=str(ratio(each.values[minute])))
        moment = _clock(self._start + minute * STEP)
        return tr("{place}, {time}: {said}.", place=each.name, time=moment, said=said)

    def _pointed_at(self, at: QPointF) -> str:
        place, row_at = self._place(), int((at.y() - _HEAD) // _ROW)
        minute = int((at.x() - place.left()) / place.width() * COLUMNS)
        if not 0 <= row_at < len(self._rows):
            return ""
        if not 0 <= minute < COLUMNS:
            return ""
        return self._words(self._rows[row_at], minute)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.pointed.emit(self._pointed_at(event.position()))

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit("")


def _figure(share: float) -> str:
    return str(ratio(share)) if np.isfinite(share) else "–"


def _clock(wall: float) -> str:
    return time.strftime("%H:%M", time.localtime(wall))
