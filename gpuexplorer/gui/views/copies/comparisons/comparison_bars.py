"""ComparisonBars: a row per way with its bar, its rate and its time."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.units import Quantity
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.paint.wrong_mark import draw_wrong
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import mixed
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.copies.comparisons.comparison import Bar

_ROW, _LOW_ROW, _BAR = 40.0, 28.0, 10.0
_GAP, _FIGURE, _TIME = 12.0, 76.0, 68.0
_NAMES = 0.39  # of the width
_MOST_NAMES = 250.0
_OTHERS = 0.55  # how much of its colour a bar has that is not the best
_HOST = 0.7


class ComparisonBars(Painted):
    """The best is drawn in full colour: the longest rate, or the shortest of two times."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._bars: Sequence[Bar] = ()
        self._colour: int | None = None
        self._of_host = False
        self._measuring: object = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        look.changed.connect(self.update)

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
        self.update()

    def draw(self, drawing: Drawing) -> None:
        names = min(self.width() * _NAMES, _MOST_NAMES)
        rates = any(bar.first is not None for bar in self._bars)
        right = self.width() - _TIME - (_FIGURE if rates else 0.0)
        track = QRectF(names + _GAP, 0, max(40.0, right - names - 2 * _GAP), _BAR)
        best = max((bar.share or 0.0 for bar in self._bars), default=0.0) if rates else None
        top = 0.0
        for bar in self._bars:
            height = _ROW if bar.code else _LOW_ROW
            middle = top + height / 2
            self._draw_names(drawing, bar, names, middle)
            place = QRectF(track.left(), middle - _BAR / 2, track.width(), _BAR)
            full = best is None or bar.share == best
            self._draw_bar(drawing, bar, place, full=full)
            self._draw_figures(drawing, bar, middle, place)
            top += height

    def _draw_names(self, drawing: Drawing, bar: Bar, width: float, middle: float) -> None:
        theme, letters = drawing.theme, drawing.letters
        words = Run(bar.words, letters.body, theme.text)
        if not bar.code:
            drawing.elided(0, middle + letters.body.cap_height / 2, words, width)
            return
        drawing.elided(0, middle - 3, words, width)
        code = Run(bar.code, letters.mono, theme.quiet)
        drawing.elided(0, middle + 13, code, width)

    def _draw_bar(self, drawing: Drawing, bar: Bar, place: QRectF, *, full: bool) -> None:
        theme, painter = drawing.theme, drawing.painter
        if bar.wrong:
            draw_wrong(drawing, place.adjusted(0, -5, 0, 5), lettered=True)
            drawing.hint(place.adjusted(0, -10, 0, 10), bar.trouble)
            return
        if bar.share is None:
            drawing.no_bar(place)
            return
        drawing.bar(place, [(bar.share, self._ink(drawing, full=full))])
        if bar.limit is not None and 0 < bar.limit <= 1:
            x = min(place.left() + bar.limit * place.width(), place.right()) - 1
            painter.fillRect(QRectF(x, place.top() - 3, 1.5, place.height() + 6), theme.quiet)
        drawing.hint(place.adjusted(0, -10, 0, 10), bar.limit_words)

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

    def _ink(self, drawing: Drawing, *, full: bool) -> QColor:
        theme = drawing.theme
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
