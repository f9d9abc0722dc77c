"""BesidePanel: up to three cards of the table beside the one that the sheet is about."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.copies.datasheet.beside_bars import BesideBars
from gpuexplorer.gui.widgets.controls.painted_button import PaintedButton
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.copies.datasheet.faces import Group, Other

HOW = mark(
    "Up to three cards can lie beside this one: click the box before a name, or press space."
)
_HEIGHT, _CHIP, _ICON, _GAP = 26, 18.0, 12.0, 8.0
_LEAST = 128


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
