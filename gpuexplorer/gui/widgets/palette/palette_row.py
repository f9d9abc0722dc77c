"""PaletteRow: draws one command: its words, what it is about, and its key."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.paint.key_cap import draw_key_caps
from gpuexplorer.gui.state.command_list import Match
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS

MATCH = Qt.ItemDataRole.UserRole
ROW_HEIGHT = 36
_MARGIN, _INNER = 8.0, 12.0


class PaletteRow(QStyledItemDelegate):
    """The letters that were typed stand out."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        match = index.data(MATCH)
        if not isinstance(match, Match):
            return
        painter.save()
        drawing = Drawing(painter, self._look)
        place = QRectF(option.rect)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        self._draw(drawing, place, match, selected)
        painter.restore()

    def _draw(self, drawing: Drawing, place: QRectF, match: Match, selected: bool) -> None:
        theme, letters = drawing.theme, drawing.letters
        if selected:
            drawing.painter.setPen(Qt.PenStyle.NoPen)
            drawing.painter.setBrush(theme.selection)
            ground = place.adjusted(_MARGIN, 1, -_MARGIN, -1)
            drawing.painter.drawRoundedRect(ground, CONTROL_RADIUS, CONTROL_RADIUS)
        command = match.command
        middle = place.center().y()
        left, right = place.left() + _MARGIN + _INNER, place.right() - _MARGIN - _INNER
        if command.keys:
            right = draw_key_caps(drawing, right, middle, command.keys) - 12
        group = Run(tr(command.group.value), letters.caption, theme.faint)
        baseline = middle + letters.body.cap_height / 2
        right = drawing.runs_right(right, baseline, [group]) - 16
        if command.holds:
            tick = QRectF(right - 16, middle - 8, 16, 16)
            drawing.icon(Icon.THERE, tick, theme.quiet)
            right -= 24
        words = letters.body.elided(command.words, right - left)
        plain = theme.quiet if match.letters else theme.text
        drawing.runs(
            left,
            baseline,
            [
                Run(text, letters.strong, theme.text)
                if typed
                else Run(text, letters.body, plain)
                for text, typed in _stretches(words, set(match.letters))
            ],
        )

    def sizeHint(
        self,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> QSize:
        return QSize(200, ROW_HEIGHT)


def _stretches(words: str, typed: set[int]) -> list[tuple[str, bool]]:
    """The words cut wherever typed letters begin or end."""
    parts: list[tuple[str, bool]] = []
    for at, letter in enumerate(words):
        is_typed = at in typed
        if parts and parts[-1][1] is is_typed:
            parts[-1] = (parts[-1][0] + letter, is_typed)
        else:
            parts.append((letter, is_typed))
    return parts
