"""BesidePanel: up to three cards of the table beside the one that the sheet is about."""

import math
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone, mixed
from gpuexplorer.gui.views.copies.datasheet.promise_drawing import draw_promise
from gpuexplorer.gui.widgets.controls.painted_button import PaintedButton
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.copies.datasheet.faces import Bar, Group, Other

HOW = mark(
    "Up to three cards can lie beside this one: click the box before a name, or press space."
)
_HEIGHT, _CHIP, _ICON, _GAP = 26, 18.0, 12.0, 8.0
_LEAST = 128
_COLUMN, _BETWEEN = 190.0, 28.0
_HEAD, _LINE, _UNDER = 22.0, 19.0, 9.0
_BARS_CHIP, _BAR, _BARS_GAP = 16.0, 8.0, 8.0
_FIGURE = 92.0
_HOST = 0.7


class BesidePanel(Panel):
    """`taken_away` brings the name of one that is no longer to lie beside."""

    taken_away = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, tr("Beside other cards"), parent=parent)
        self._look = look
        self._others: Sequence[Other] = ()
        self._names: list[QWidget] = []
        self._modelled = ElidedLabel(look.letters.caption, Tone.QUIET)
        self.head.addWidget(self._modelled)
        self._list = QHBoxLayout()
        self._list.setSpacing(4)
        self._how = wrapped_label(look, tr(HOW), Tone.QUIET)
        self._bars = BesideBars(look)
        self.body.addLayout(self._list)
        self.body.addWidget(self._how)
        self.body.addSpacing(10)
        self.body.addWidget(self._bars)
        self.body.addStretch(1)

    @property
    def stops(self) -> Sequence[QWidget]:
        """Where the Tab key comes to, in its order."""
        return tuple(self._names)

    def show_cards(
        self, others: Sequence[Other], groups: Sequence[Group], *, modelled: bool
    ) -> None:
        """`modelled`: what was reached is a model's."""
        self._modelled.show_text(tr("modelled") if modelled else "")
        self._modelled.setVisible(modelled)
        self._bars.show_groups(groups)
        self._bars.setVisible(bool(groups))
        self._how.setVisible(not others)
        if others != self._others:
            self._others = others
            self._make_names()

    def _make_names(self) -> None:
        for name in self._names:
            self._list.removeWidget(name)
            name.hide()
            name.deleteLater()
        self._names = []
        for other in self._others:
            name = OtherName(self._look, other)
            name.clicked.connect(partial(self.taken_away.emit, other.name))
            self._list.addWidget(name)
            self._names.append(name)


class OtherName(PaintedButton):
    """A card that lies beside; pressed, it no longer does."""

    def __init__(self, look: Look, other: Other, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._other = other
        self.setText(other.words)
        self.setAccessibleName(
            tr("{letter}: {card}. Take away", letter=other.letter, card=other.name)
        )
        self.setToolTip(tr("Take {card} away", card=other.name))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def draw(self, drawing: Drawing) -> None:
        place = QRectF(self.rect())
        self.draw_ground(drawing, place)
        theme, letters = drawing.theme, drawing.letters
        middle = place.center().y()
        chip = QRectF(2, middle - _CHIP / 2, _CHIP, _CHIP)
        drawing.chip(chip, self._other.letter, letters.caption, None)
        icon = QRectF(place.right() - _ICON - 6, middle - _ICON / 2, _ICON, _ICON)
        drawing.icon(Icon.CLOSE, icon, theme.quiet)
        left = chip.right() + _GAP
        words = Run(self._other.words, letters.body, theme.text)
        baseline = middle + letters.body.cap_height / 2
        drawing.elided(left, baseline, words, icon.left() - _GAP - left)

    def sizeHint(self) -> QSize:
        words = self.look.letters.body.width(self.text())
        return QSize(round(words + _CHIP + _ICON + 3 * _GAP + 6), _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(_LEAST, self.sizeHint().width()), _HEIGHT)


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
        room = max(_FIGURE, *(sum(run.width for run in runs) + _BARS_GAP for runs in figures))
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
        chip = QRectF(line.left(), middle - _BARS_CHIP / 2, _BARS_CHIP, _BARS_CHIP)
        fill = theme.card(bar.colour) if bar.colour is not None else None
        drawing.chip(chip, bar.chip, letters.caption, fill)
        baseline = middle + letters.body.cap_height / 2
        right = line.right()
        if figures:
            drawing.runs_right(right, baseline, figures)
        else:
            room = right - chip.right() - _BARS_GAP
            why = Run(bar.why, letters.caption, theme.faint)
            drawing.elided(chip.right() + _BARS_GAP, baseline, why, room)
            return
        place = QRectF(chip.right() + _BARS_GAP, middle - _BAR / 2, 0, _BAR)
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
