"""ComparisonBars: a row per way with its bar, its rate and its time."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainterPath
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.units import Quantity
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, THIN_SPACE, Drawing, Run
from gpuexplorer.gui.paint.wrong_mark import draw_wrong
from gpuexplorer.gui.plots.graph import Graph
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import mixed
from gpuexplorer.gui.wording.copies.comparisons.comparison import Bar

_ROW, _LOW_ROW, _BAR = 40.0, 28.0, 10.0
_GAP, _FIGURE, _TIME = 12.0, 76.0, 68.0
_NAMES = 0.39  # of the width
_MOST_NAMES = 250.0
_OTHERS = 0.55  # how much of its colour a bar has that is not the best
_HOST = 0.7
_LEAST = 2.0  # pixels: a hair stays visible, so that little looks different from nothing


class ComparisonBars(Graph):
    """The best is drawn in full colour: the longest rate, or the shortest of two times."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._bars: Sequence[Bar] = ()
        self._colour: int | None = None
        self._of_host = False
        self._measuring: object = None
        # Along its view are shares of the longest, down it the pixels of this widget.
        self._view = self.add_plot()
        self._view.invertY()
        self._words = self.add_sheet(self._draw_words)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_bars(
        self, bars: Sequence[Bar], colour: int | None, measuring: object, *, of_host: bool
    ) -> None:
        """`colour` is the card's whose data it is; `measuring` the job that runs, or None."""
        shown = (bars, colour, of_host, measuring)
        if shown == (self._bars, self._colour, self._of_host, self._measuring):
            return
        grown = [bool(each.code) for each in bars] != [bool(b.code) for b in self._bars]
        self._bars, self._colour = bars, colour
        self._of_host, self._measuring = of_host, measuring
        self.setAccessibleName("; ".join(bar.said for bar in bars))
        if grown:
            self.updateGeometry()
        self.fill()

    def fill(self) -> None:
        track = self._track()
        right = self.width() - track.right()
        self.grid.setContentsMargins(track.left(), 0, right, 0)
        self._view.setRange(xRange=(0, 1), yRange=(0, self.height()), padding=0)
        self._words.put(QRectF(self.rect()))
        self.dress()

    def dress(self) -> None:
        self._view.clear()
        shown = [(bar, y) for bar, y in self._rows() if bar.share is not None and not bar.wrong]
        if not shown:
            return
        theme, middles = self.look.theme, [y for _, y in shown]
        shares = np.array([bar.share for bar, _ in shown], float)
        best = shares.max() if self._with_rates else None
        inks = [self._ink(full=best is None or share == best) for share in shares]
        least = np.where(shares > 0, _LEAST / self._track().width(), 0)
        for widths, brushes in (
            (np.ones(len(shown)), [theme.well] * len(shown)),
            (np.maximum(shares, least), inks),
        ):
            looks = {"height": _BAR, "pen": None, "brushes": brushes}
            self._view.addItem(pg.BarGraphItem(x0=0, width=widths, y=middles, **looks))

    def _rows(self) -> list[tuple[Bar, float]]:
        """With the height of the middle of each."""
        heights = [_ROW if bar.code else _LOW_ROW for bar in self._bars]
        ends = zip(self._bars, heights, accumulate(heights), strict=True)
        return [(bar, end - height / 2) for bar, height, end in ends]

    @property
    def _with_rates(self) -> bool:
        return any(bar.first is not None for bar in self._bars)

    def _track(self) -> QRectF:
        names = float(min(int(self.width() * _NAMES), _MOST_NAMES))
        right = self.width() - _TIME - (_FIGURE if self._with_rates else 0.0)
        return QRectF(names + _GAP, 0, max(40.0, right - names - 2 * _GAP), _BAR)

    def _draw_words(self, drawing: Drawing) -> None:
        track = self._track()
        for bar, middle in self._rows():
            place = track.translated(0, middle - _BAR / 2)
            self._draw_names(drawing, bar, track.left() - _GAP, middle)
            if bar.wrong:
                draw_wrong(drawing, place.adjusted(0, -5, 0, 5), lettered=True)
            elif bar.share is None:
                drawing.no_bar(place)
            else:
                corners = QPainterPath()
                corners.addRect(place)
                corners.addRoundedRect(place, CHIP_RADIUS, CHIP_RADIUS)
                drawing.painter.fillPath(corners, drawing.theme.surface)
                if bar.limit is not None and 0 < bar.limit <= 1:
                    x = min(place.left() + bar.limit * place.width(), place.right()) - 1
                    mark = QRectF(x, place.top() - 3, 1.5, place.height() + 6)
                    drawing.painter.fillRect(mark, drawing.theme.quiet)
            said = bar.trouble if bar.wrong else bar.limit_words
            drawing.hint(place.adjusted(0, -10, 0, 10), said)
            self._draw_figures(drawing, bar, middle, place)

    def _draw_names(self, drawing: Drawing, bar: Bar, width: float, middle: float) -> None:
        theme, letters = drawing.theme, drawing.letters
        words = Run(bar.words, letters.body, theme.text)
        if not bar.code:
            drawing.elided(0, middle + letters.body.cap_height / 2, words, width)
            return
        drawing.elided(0, middle - 3, words, width)
        code = Run(bar.code, letters.mono, theme.quiet)
        drawing.elided(0, middle + 13, code, width)

    def _draw_figures(self, drawing: Drawing, bar: Bar, middle: float, place: QRectF) -> None:
        theme, letters = drawing.theme, drawing.letters
        baseline = round(middle + letters.body.cap_height / 2)
        right = float(self.width())
        if bar.wrong:
            return
        if bar.first is None and bar.second is None:
            running = bar.job is not None and bar.job == self._measuring
            words = tr("measuring") if running else bar.trouble
            if bar.awaited and not running:
                drawing.hint(place.adjusted(0, -10, 0, 10), words)
                return
            run = Run(words, letters.caption, theme.faint)
            left = max(place.right() + 8, right - run.width)
            if run.width > right - left:
                # A sentence needs the place of the bar.
                left = place.left()
                ground = place.adjusted(-2, -8, right - place.right(), 8)
                drawing.painter.fillRect(ground, theme.surface)
            drawing.elided(left, baseline, run, right - left, bar.trouble)
            return
        if bar.second is not None:
            drawing.runs_right(
                right, baseline, _runs(drawing, bar.second, strong=bar.first is None)
            )
        if bar.first is not None:
            drawing.runs_right(right - _TIME, baseline, _runs(drawing, bar.first, strong=True))

    def _ink(self, *, full: bool) -> QColor:
        theme = self.look.theme
        if self._colour is not None:
            ink = theme.card(self._colour)
        elif self._of_host:
            ink = mixed(theme.well, theme.quiet, _HOST)
        else:
            ink = theme.level
        return ink if full else mixed(theme.well, ink, _OTHERS)

    def sizeHint(self) -> QSize:
        heights = [_ROW if bar.code else _LOW_ROW for bar in self._bars]
        return QSize(420, round(sum(heights)))

    def minimumSizeHint(self) -> QSize:
        return QSize(320, self.sizeHint().height())


def _runs(drawing: Drawing, figure: Quantity, *, strong: bool) -> list[Run]:
    theme, letters = drawing.theme, drawing.letters
    lettering = letters.strong if strong else letters.body
    runs = [Run(figure.number, lettering, theme.text if strong else theme.quiet)]
    if figure.unit:
        runs.append(Run(f"{THIN_SPACE}{figure.unit}", letters.caption, theme.quiet))
    return runs
