"""Painted: a widget that draws itself and answers, by tooltip, what lies under the pointer; and
the small ones that every screen has.
"""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import Drawing, Hint, tell_hint
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone

_CHIP, _GAP, _ARROW = 20.0, 6.0, 16.0


class Painted(QWidget):
    """Subclasses implement `draw`. They repaint by `update()` when what they show changed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look()
        self.letters = self.look.letters  # those that were in use when it was made
        self._hints: list[Hint] = []

    def draw(self, drawing: Drawing) -> None:
        raise NotImplementedError

    def hints(self) -> list[str]:
        """Everything that can be asked for by pointing."""
        return [hint.text for hint in self._hints]

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        # Ended also where drawing fails: Qt does not survive a painter that is left open.
        with QPainter(self) as painter:
            drawing = Drawing(painter, self.letters, event.region())
            self.draw(drawing)
        self._hints = drawing.hints

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            told = tell_hint(event, self._hints, self)
            return told or not self.toolTip() or super().event(event)
        return super().event(event)


class Sign(Painted):
    """An icon by itself."""

    def __init__(self, icon: Icon, tone: Tone, size: QSize) -> None:
        super().__init__()
        self._sign = (icon, tone)
        self.setFixedSize(size)

    def show_sign(self, icon: Icon, tone: Tone) -> None:
        self._sign = (icon, tone)
        self.update()

    def draw(self, drawing: Drawing) -> None:
        icon, tone = self._sign
        drawing.icon(icon, QRectF(self.rect()), drawing.theme.tone(tone))


class ChipRow(Painted):
    """The cards that something is about, in their colours; the host is outlined. As wide as its
    chips. `arrows`: what is copied goes from each to the next.
    """

    def __init__(self, *, arrows: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips: Sequence[Chip] = ()
        self._between = _ARROW + 2 * _GAP if arrows else _GAP
        self._arrows = arrows
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_chips(self, chips: Sequence[Chip]) -> None:
        if chips != self._chips:
            self._chips = chips
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        x, middle = 0.0, self.height() / 2
        for at, chip in enumerate(self._chips):
            if at and self._arrows:
                arrow = QRectF(x - _ARROW - _GAP, middle - _ARROW / 2, _ARROW, _ARROW)
                drawing.icon(Icon.ARROW, arrow, drawing.theme.quiet)
            place = QRectF(x, middle - _CHIP / 2, self._width(chip), _CHIP)
            fill = None if chip.colour is None else drawing.theme.card(chip.colour)
            drawing.chip(place, chip.text, drawing.letters.strong, fill)
            x += place.width() + self._between

    def _width(self, chip: Chip) -> float:
        return max(_CHIP, self.letters.strong.width(chip.text) + 10)

    def sizeHint(self) -> QSize:
        wide = sum(self._width(chip) + self._between for chip in self._chips)
        return QSize(max(0, round(wide - self._between)), int(_CHIP))
