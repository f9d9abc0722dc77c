"""BesideBars: cards beside each other, a small group of bars for each kind of figure."""

import math
from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import mixed
from gpuexplorer.gui.views.copies.datasheet.promise_drawing import draw_promise
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.copies.datasheet.faces import Bar, Group

_COLUMN, _BETWEEN = 190.0, 28.0
_HEAD, _LINE, _UNDER = 22.0, 19.0, 9.0
_CHIP, _BAR, _GAP = 16.0, 8.0, 8.0
_FIGURE = 92.0
_HOST = 0.7


class BesideBars(Painted):
    """Read from top to bottom, and then on in the next column."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._groups: Sequence[Group] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(tr("Figures beside each other"))
        look.changed.connect(self.update)

    def show_groups(self, groups: Sequence[Group]) -> None:
        if groups == self._groups:
            return
        self._groups = groups
        self.setAccessibleDescription("; ".join(group.said for group in groups))
        self.updateGeometry()
        self.update()

    def draw(self, drawing: Drawing) -> None:
        columns = self._columns(self.width())
        high = self._high(columns)
        wide = (self.width() - _BETWEEN * (columns - 1)) / columns
        for at, group in enumerate(self._groups):
            x = (at // high) * (wide + _BETWEEN)
            self._draw_group(drawing, group, x, (at % high) * self._height(), wide)

    def _draw_group(
        self, drawing: Drawing, group: Group, x: float, top: float, wide: float
    ) -> None:
        theme, letters = drawing.theme, drawing.letters
        baseline = top + _HEAD / 2 + letters.body.cap_height / 2
        words = Run(group.words, letters.body, theme.quiet)
        drawing.elided(x, baseline, words, wide - 70)
        unit = Run(group.unit, letters.caption, theme.faint)
        drawing.runs_right(x + wide, baseline, [unit])
        figures = [self._figures(drawing, bar) for bar in group.bars]
        room = max(_FIGURE, *(sum(run.width for run in runs) + _GAP for runs in figures))
        for at, bar in enumerate(group.bars):
            line = QRectF(x, top + _HEAD + at * _LINE, wide, _LINE)
            self._draw_bar(drawing, bar, line, figures[at], room)
            drawing.hint(line, bar.hint)

    def _figures(self, drawing: Drawing, bar: Bar) -> list[Run]:
        theme, letters = drawing.theme, drawing.letters
        if not bar.number:
            return []
        runs = [Run(bar.number, letters.strong if bar.here else letters.body, theme.text)]
        if bar.promised:
            of = tr("of {whole}", whole=bar.promised)
            runs.append(Run(f" {of}", letters.caption, theme.quiet))
        return runs

    def _draw_bar(
        self, drawing: Drawing, bar: Bar, line: QRectF, figures: list[Run], figures_room: float
    ) -> None:
        theme, letters = drawing.theme, drawing.letters
        middle = line.center().y()
        chip = QRectF(line.left(), middle - _CHIP / 2, _CHIP, _CHIP)
        fill = theme.card(bar.colour) if bar.colour is not None else None
        drawing.chip(chip, bar.chip, letters.caption, fill)
        baseline = middle + letters.body.cap_height / 2
        right = line.right()
        if figures:
            drawing.runs_right(right, baseline, figures)
        else:
            room = right - chip.right() - _GAP
            why = Run(bar.why, letters.caption, theme.faint)
            drawing.elided(chip.right() + _GAP, baseline, why, room)
            return
        place = QRectF(chip.right() + _GAP, middle - _BAR / 2, 0, _BAR)
        place.setRight(max(place.left() + 20, right - figures_room))
        draw_promise(drawing, place, bar.limit, bar.fill, self._ink(drawing, bar))

    def _ink(self, drawing: Drawing, bar: Bar) -> QColor:
        theme = drawing.theme
        if bar.colour is not None:
            return theme.card(bar.colour)
        if bar.here and bar.chip != "H":
            return theme.level
        return mixed(theme.well, theme.quiet, _HOST)

    def _columns(self, width: int) -> int:
        if all(len(group.bars) < 2 for group in self._groups):
            return 1
        return max(1, min(4, int((width + _BETWEEN) // (_COLUMN + _BETWEEN))))

    def _high(self, columns: int) -> int:
        return max(1, math.ceil(len(self._groups) / columns))

    def _height(self) -> float:
        most = max((len(group.bars) for group in self._groups), default=1)
        return _HEAD + most * _LINE + _UNDER

    def heightForWidth(self, width: int) -> int:
        return round(self._high(self._columns(width)) * self._height() - _UNDER)

    def sizeHint(self) -> QSize:
        return QSize(int(_COLUMN), self.heightForWidth(max(self.width(), int(_COLUMN))))

    def minimumSizeHint(self) -> QSize:
        return QSize(220, 0)
