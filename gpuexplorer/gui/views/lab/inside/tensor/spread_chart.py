"""SpreadChart: how many values lie where between the least and the most."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.lab.inside.spread import nothing, round_steps
from gpuexplorer.gui.wording.lab.inside.values import grouped, rounded_text
from gpuexplorer.lab.events import Peeked

_HEIGHT, _WITHOUT, _HEADROOM, _FOOT = 160, 28, 14.0, 22.0
_LINES, _TICKS, _APART = 3, 6, 10.0


class SpreadChart(Painted):
    """In the colours of the cells; what cannot be drawn is said."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._peeked: Peeked | None = None
        self._marked: float | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Spread of the values"))

    def show_spread(self, peeked: Peeked | None) -> None:
        self._peeked = peeked
        told = "" if peeked is None else nothing(peeked)
        drawn_not = bool(told)
        if peeked is not None and not told:
            least = rounded_text(peeked.least, peeked.dtype)
            most = rounded_text(peeked.most, peeked.dtype)
            fullest = max(peeked.histogram, default=0)
            told = tr(
                "From {least} to {most}, at most {count} in one step",
                least=least,
                most=most,
                count=grouped(fullest),
            )
        self.setFixedHeight(_WITHOUT if drawn_not else _HEIGHT)
        self.setAccessibleDescription(told)
        self.update()

    def mark(self, value: float | None) -> None:
        """Where the chosen cell lies."""
        if value != self._marked:
            self._marked = value
            self.update()

    def draw(self, drawing: Drawing) -> None:
        peeked = self._peeked
        if peeked is None:
            return
        told = nothing(peeked)
        if told or len(peeked.histogram) < 2 or peeked.least is None or peeked.most is None:
            letters = drawing.letters.body
            drawing.text(0, letters.ascent + 4, Run(told, letters, drawing.theme.quiet))
            return
        top = max(peeked.histogram) or 1
        left = 8 + max(
            (drawing.letters.caption.width(grouped(int(each))) for each in _counts(top)),
            default=0,
        )
        place = QRectF(
            left, _HEADROOM, self.width() - left - 2, self.height() - _HEADROOM - _FOOT
        )
        self._draw_lines(drawing, place, top)
        self._draw_bars(drawing, place, peeked, peeked.least, peeked.most, top)
        self._draw_ticks(drawing, place, peeked.least, peeked.most, peeked.dtype)

    def _draw_lines(self, drawing: Drawing, place: QRectF, top: int) -> None:
        letters, theme = drawing.letters.caption, drawing.theme
        for count in _counts(top):
            y = round(place.bottom() - count / top * place.height())
            drawing.hairline(place.left(), place.right(), y)
            if count:
                run = Run(grouped(int(count)), letters, theme.faint)
                drawing.text(
                    place.left() - 8 - run.width, y + letters.cap_height / 2 + 0.5, run
                )

    def _draw_bars(
        self,
        drawing: Drawing,
        place: QRectF,
        peeked: Peeked,
        least: float,
        most: float,
        top: int,
    ) -> None:
        theme, painter = drawing.theme, drawing.painter
        painter.setPen(Qt.PenStyle.NoPen)
        reach = place.width() / len(peeked.histogram)
        zero = place.left() + (0 - least) / (most - least) * place.width()
        around = least < 0 < most
        for number, count in enumerate(peeked.histogram):
            if not count:
                continue
            height = max(1.0, count / top * place.height())
            left = place.left() + number * reach
            bar = QRectF(left, place.bottom() - height, max(1.0, reach - 1.5), height)
            if not around:
                painter.fillRect(bar, theme.level)
                continue
            # The step that holds zero has two halves.
            below = QRectF(bar)
            below.setRight(min(bar.right(), max(bar.left(), zero)))
            above = QRectF(bar)
            above.setLeft(max(bar.left(), min(bar.right(), zero)))
            painter.fillRect(below, theme.below_zero)
            painter.fillRect(above, theme.above_zero)

    def _draw_ticks(
        self, drawing: Drawing, place: QRectF, least: float, most: float, dtype: str
    ) -> None:
        theme, letters = drawing.theme, drawing.letters.caption
        painter = drawing.painter
        if self._marked is not None and least <= self._marked <= most:
            x = place.left() + (self._marked - least) / (most - least) * place.width()
            painter.setPen(QPen(theme.text, 2))
            painter.drawLine(QPointF(x, place.bottom() + 1), QPointF(x, place.bottom() + 5))
        free_from = 0.0
        truth = dtype == "bool"
        for value in (least, most) if truth else round_steps(least, most, _TICKS):
            words = rounded_text(value, dtype) if truth else _tick(value)
            run = Run(words, letters, theme.faint)
            x = place.left() + (value - least) / (most - least) * place.width()
            x = min(x - run.width / 2, self.width() - run.width)
            if x >= free_from:
                drawing.text(x, place.bottom() + 7 + letters.ascent, run)
                free_from = x + run.width + _APART

    def sizeHint(self) -> QSize:
        return QSize(280, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, _HEIGHT)


def _counts(top: int) -> Sequence[float]:
    return [each for each in round_steps(0, top, _LINES) if each == int(each)]


def _tick(value: float) -> str:
    text = rounded_text(value)
    return text if "." not in text or "e" in text else text.rstrip("0").rstrip(".")
