"""HourPage: the last hour of each rack, or host, as a line of shades; a mean per minute."""

import time
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Signal
from PySide6.QtGui import QImage, QMouseEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.catalogue.memory import MEMORY_USED
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr
from gpuexplorer.fleet.hour import COLUMNS, STEP, Hour
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.machines.heat_drawing import draw_hatch
from gpuexplorer.gui.machines.heat_metric import HeatMetric
from gpuexplorer.gui.machines.heat_shades import colours, shades_of
from gpuexplorer.gui.machines.map_page import HatchLegend
from gpuexplorer.gui.machines.model import natural
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.groups.group import HostGroup
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.heat_legend import HeatLegend
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.scrolled import scrolled

_HEAD, _ROW, _BAR, _NAMES, _FIGURES = 22, 26, 20, 150.0, 70.0


class HourRow(NamedTuple):
    """A place, and its figures from the first minute to the last."""

    name: str
    values: NDArray[np.float64]


class HourShown(NamedTuple):
    """All of it, on one scale."""

    start: float  # wall clock
    rows: Sequence[HourRow]
    metric: HeatMetric
    highest: float
    units: Units


def rows_of(hour: Hour, shown: Sequence[HostGroup], whole: bool) -> Sequence[HourRow]:
    """Of the places of these machines; of all cards together only where `whole`."""
    there: dict[str, list[HostGroup]] = defaultdict(list)
    by_rack = any(group.place for group in shown)
    for group in shown:
        there[group.place if by_rack else group.name].append(group)
    found = [
        _row(name or tr("no rack"), there[name], hour.metric, hour.places[name])
        for name in sorted(there, key=natural)
        if name in hour.places
    ]
    return (
        [_row(tr("All cards"), shown, hour.metric, hour.together), *found] if whole else found
    )


def _row(
    name: str, groups: Sequence[HostGroup], metric: MetricId, values: NDArray[np.float64]
) -> HourRow:
    """Of used memory the share, as on the map: how much there is hardly ever changes."""
    if metric == MEMORY_USED:
        cells = [cell for group in groups for cell in group.cards]
        sizes = [cell.memory_total for cell in cells if cell.memory_total]
        values = values * len(sizes) / sum(sizes) if sizes else np.full(COLUMNS, np.nan)
    simulated = any(group.simulated for group in groups)
    return HourRow(tr("{place}, simulated", place=name) if simulated else name, values)


class HourPage(QWidget):
    """What stands below is of the minute under the pointer."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.map = HourMap(look)
        self.map.setObjectName("machines.hour")
        self.legend = HeatLegend(look)
        self._said = ElidedLabel(look.letters.caption, Tone.QUIET)
        below = row(self._said, GROWS, HatchLegend(look), self.legend, gap=20)
        column(scrolled(self.map), GROWS, below, within=self, gap=8)
        self.map.setAutoFillBackground(False)  # which Qt has just seen to
        self.map.pointed.connect(self._said.show_text)

    def show_hour(self, shown: HourShown) -> None:
        self.map.show_hour(shown)
        self.legend.show_ends(*shown.metric.ends(shown.highest, shown.units))


class HourMap(Painted):
    """Time goes from left to right."""

    pointed = Signal(str)  # what is under the pointer, in words

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._shown: HourShown | None = None
        self._bars: Sequence[QImage] = ()
        self.setMouseTracking(True)
        self.setAccessibleName(tr("The last hour"))
        look.changed.connect(self._paint_bars)

    def show_hour(self, shown: HourShown) -> None:
        self._shown = shown
        self.setMinimumHeight(_HEAD + _ROW * len(shown.rows))
        self.setAccessibleDescription(
            " ".join(self._words(each, COLUMNS - 1) for each in shown.rows)
        )
        self._paint_bars()

    def draw(self, drawing: Drawing) -> None:
        if self._shown is None:
            return
        shown, letters, theme = self._shown, drawing.letters.body, drawing.theme
        place = self._place()
        for share in (0.0, 0.5, 1.0):
            moment = _clock(shown.start + share * COLUMNS * STEP)
            words = Run(moment, drawing.letters.caption, theme.quiet)
            drawing.text(place.left() + share * (place.width() - words.width), 14, words)
        smooth = drawing.painter.RenderHint.SmoothPixmapTransform
        drawing.painter.setRenderHint(smooth, on=False)
        for at, (each, bar) in enumerate(zip(shown.rows, self._bars, strict=True)):
            here = place.translated(0, _HEAD + at * _ROW)
            if not drawing.needs(here.adjusted(-_NAMES, 0, _FIGURES, 0)):
                continue
            baseline = here.center().y() + letters.cap_height / 2
            name = Run(each.name, letters, theme.text)
            drawing.elided(0, baseline, name, place.left() - 12)
            draw_hatch(drawing, here, bad=False)
            drawing.painter.drawImage(here, bar)
            last = Run(self._figure(each.values[-1]), letters, theme.text)
            drawing.runs_right(self.width() - 2, baseline, (last,))

    def _place(self) -> QRectF:
        """Of the first bar, as if there were nothing above."""
        names = min(_NAMES, self.width() / 4)
        return QRectF(names, 0, max(1.0, self.width() - names - _FIGURES), _BAR)

    def _paint_bars(self) -> None:
        if self._shown is None:
            return
        # The first is seen through: what lies behind is hatched.
        metric, table = self._shown.metric, [each.rgb() for each in colours(self.look.theme)]
        table[0] = 0
        bars = []
        for each in self._shown.rows:
            shares = (each.values - metric.lowest) / (self._shown.highest - metric.lowest)
            shades = shades_of(shares, np.zeros(COLUMNS, np.bool_))
            line = np.where(np.isfinite(shares), shades, np.uint8(0)).tobytes()
            bar = QImage(line, COLUMNS, 1, COLUMNS, QImage.Format.Format_Indexed8)
            bar.setColorTable(table)
            bars.append(bar.convertToFormat(QImage.Format.Format_ARGB32))
        self._bars = bars
        self.update()

    def _figure(self, value: float) -> str:
        assert self._shown is not None
        if not np.isfinite(value):
            return "–"
        return str(self._shown.metric.words(float(value), self._shown.units))

    def _words(self, each: HourRow, minute: int) -> str:
        assert self._shown is not None
        if not np.isfinite(each.values[minute]):
            said = tr("no figure")
        else:
            said = tr("{figure} on average", figure=self._figure(each.values[minute]))
        moment = _clock(self._shown.start + minute * STEP)
        return tr("{place}, {time}: {said}.", place=each.name, time=moment, said=said)

    def _pointed_at(self, at: QPointF) -> str:
        place, row_at = self._place(), int((at.y() - _HEAD) // _ROW)
        minute = int((at.x() - place.left()) / place.width() * COLUMNS)
        if self._shown is None or not 0 <= row_at < len(self._shown.rows):
            return ""
        if not 0 <= minute < COLUMNS:
            return ""
        return self._words(self._shown.rows[row_at], minute)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.pointed.emit(self._pointed_at(event.position()))

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit("")


def _clock(wall: float) -> str:
    return time.strftime("%H:%M", time.localtime(wall))
