"""RevealBars: own prediction, measurement and limit, one below the other on one scale."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.core.units import figure
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.widgets.painted import Painted


@dataclass(frozen=True, slots=True)
class Bar:
    """One of them. The measured one is solid, the predicted one pale, a limit outlined."""

    name: str
    value: float
    kind: str  # "said", "measured", "limit"


class RevealBars(Painted):
    """`big`: what was measured is read from the last row of a room."""

    def __init__(self, unit: str, *, big: bool = False) -> None:
        super().__init__()
        self._unit, self._big = unit, big
        self._bars: Sequence[Bar] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        look().changed.connect(self.update)

    def show_bars(self, bars: Sequence[Bar]) -> None:
        if bars == self._bars:
            return
        self._bars = bars
        told = [
            tr("{name}: {figure} {unit}", name=e.name, figure=figure(e.value), unit=self._unit)
            for e in bars
        ]
        self.setAccessibleName(", ".join(map(str.strip, told)))
        self.updateGeometry()
        self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, caption = drawing.theme, drawing.letters.caption
        values = [0.0, *(each.value for each in self._bars)]
        least, span = min(values), max(values) - min(values) or 1.0
        width, top, thick = self.width() - 1.0, 0.0, self._thick
        for each in self._bars:
            number = self._number(each)
            baseline = top + number.ascent
            runs = [Run(figure(each.value), number, theme.text)]
            if self._unit:
                runs.append(Run(f"{THIN_SPACE}{self._unit}", caption, theme.quiet))
            left = drawing.runs_right(width, baseline, runs)
            name = Run(each.name, caption, theme.quiet)
            drawing.elided(0, baseline, name, max(0.0, left - 12))
            top += number.height + 3
            track = QRectF(0, top, width, thick)
            drawing.filled(track, theme.well, thick / 2)
            begin, end = sorted((-least / span, (each.value - least) / span))
            # A hair of it stays visible, so that little looks different from nothing.
            wide = max(2.0, (end - begin) * width)
            place = QRectF(min(begin * width, width - wide), top, wide, thick)
            self._draw_bar(drawing, each, place)
            top += thick + self._gap

    def _draw_bar(self, drawing: Drawing, bar: Bar, place: QRectF) -> None:
        theme = drawing.theme
        radius = min(place.width(), place.height()) / 2
        match bar.kind:
            case "limit":
                drawing.painter.setPen(QPen(theme.quiet, 1))
                drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
                inner = place.adjusted(0.5, 0.5, -0.5, -0.5)
                drawing.painter.drawRoundedRect(inner, radius, radius)
            case "said":
                drawing.filled(place, faded(theme.text, 0.42), radius)
            case _:
                drawing.filled(place, theme.text, radius)

    def _number(self, bar: Bar) -> Lettering:
        letters = self.look.letters
        if bar.kind != "measured":
            return letters.strong
        return letters.hero if self._big else letters.number

    @property
    def _thick(self) -> float:
        return round(self.look.letters.caption.height * 0.55)

    @property
    def _gap(self) -> float:
        return round(self.look.letters.caption.height * 0.7)

    def sizeHint(self) -> QSize:
        rows = [self._number(each).height + 3 + self._thick + self._gap for each in self._bars]
        return QSize(200, round(sum(rows)))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())
