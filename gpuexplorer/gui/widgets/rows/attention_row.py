"""AttentionRow: why a card, or several, is worth a look; it leads to the first of them."""

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.rows.pressable_row import PressableRow
from gpuexplorer.gui.wording.cards.attention import Attention

HEIGHT = 44
_ICON = 16.0


class AttentionRow(PressableRow):
    """Rows are made once and shown again with other content."""

    chosen = Signal(str)  # the card it leads to

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._attention: Attention | None = None
        self.pressed.connect(self._on_pressed)

    def show_attention(self, attention: Attention) -> None:
        if attention != self._attention:
            self._attention = attention
            self.setAccessibleName(attention.spoken)
            self.update()

    def draw_row(self, drawing: Drawing, place: QRectF) -> None:
        attention = self._attention
        if attention is None:
            return
        theme, letters = drawing.theme, drawing.letters
        one = not attention.more
        first = place.center().y() + letters.body.cap_height / 2 if one else 19.0
        icon = QRectF(place.left(), first - 13, _ICON, _ICON)
        drawing.icon(attention.icon, icon, theme.tone(attention.tone))
        x = icon.right() + 12
        numbers = Run(attention.numbers, letters.body, theme.quiet)
        room = place.right() - x
        shown = Run(letters.body.elided(numbers.text, room * 0.5), letters.body, theme.quiet)
        right = drawing.runs_right(place.right(), first, [shown]) - 10
        words = Run(attention.words, letters.body, theme.text)
        drawing.elided(x, first, words, right - x, attention.spoken)
        if attention.more:
            more = Run(attention.more, letters.caption, theme.quiet)
            drawing.elided(x, first + 16, more, place.right() - x)

    def _on_pressed(self) -> None:
        if self._attention is not None:
            self.chosen.emit(self._attention.cards[0])

    def sizeHint(self) -> QSize:
        return QSize(240, HEIGHT)
