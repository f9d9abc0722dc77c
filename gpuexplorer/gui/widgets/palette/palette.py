"""Palette: all commands under Ctrl+K, narrowed down as one types."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QPainter,
    QShortcut,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.paint.key_cap import draw_key_caps
from gpuexplorer.gui.state.command_list import Command, Match, find
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS
from gpuexplorer.gui.widgets.remark import Sign
from gpuexplorer.gui.widgets.sheets.popup import Popup
from gpuexplorer.gui.widgets.sheets.sheet import line_between, text_label

_WIDTH, _HEAD, _LEAST_ROWS, _MOST_ROWS = 600, 52, 3, 11
_HIGHEST = 96  # below the window's upper edge
_MOVES = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -_MOST_ROWS + 1,
    Qt.Key.Key_PageDown: _MOST_ROWS - 1,
}
MATCH = Qt.ItemDataRole.UserRole
ROW_HEIGHT = 36
_MARGIN, _INNER = 8.0, 12.0


class Palette(Popup):
    """Enter runs what is marked, arrows move the mark; Escape, or the keys that opened it,
    leave everything as it was.
    """

    def __init__(
        self,
        look: Look,
        commands: Sequence[Command],
        opened_by: Sequence[QKeySequence],
        window: QWidget,
    ) -> None:
        super().__init__(look, _WIDTH, _height(_MOST_ROWS), window)
        self._commands = commands
        self.setAccessibleName(tr("All commands"))
        self._field = QLineEdit()
        self._field.setProperty("kind", "bare")
        self._field.setFont(look.letters.body.font)
        self._field.setPlaceholderText(tr("Search screens, cards and commands"))
        self._field.setAccessibleName(tr("Search all commands"))
        self._field.setFixedHeight(_HEAD)
        self._field.textChanged.connect(self._search)
        self._field.installEventFilter(self)
        head = QHBoxLayout()
        head.setContentsMargins(20, 0, 20, 0)
        head.setSpacing(12)
        head.addWidget(Sign(look, Icon.SEARCH, Tone.QUIET, QSize(18, 18)))
        head.addWidget(self._field)
        self._model = QStandardItemModel(self)
        self._list = QListView()
        self._list.setProperty("kind", "bare")
        self._list.setAccessibleName(tr("Commands found"))
        self._list.setModel(self._model)
        self._list.setItemDelegate(PaletteRow(look, self))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setUniformItemSizes(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setMouseTracking(True)
        self._list.entered.connect(self._list.setCurrentIndex)
        self._list.clicked.connect(self._run)
        self._list.selectionModel().currentChanged.connect(self._on_current_changed)
        self._nothing: QLabel = text_label("", look.letters.body.font, Tone.QUIET)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.panel.addLayout(head)
        self.panel.addWidget(line_between())
        self.panel.addSpacing(7)
        self.panel.addWidget(self._list, 1)
        self.panel.addWidget(self._nothing, 1)
        self.panel.addSpacing(8)
        for each in opened_by:
            QShortcut(each, self, self.close)
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)
        self._search("")

    def corner(self, size: QSize) -> QPoint:
        """A little above the middle, where eyes look first, and steady while it grows."""
        window = self.anchor
        top = max(16, min(_HIGHEST, (window.height() - _height(_MOST_ROWS)) // 3))
        return window.mapToGlobal(QPoint((window.width() - size.width()) // 2, top))

    def _search(self, text: str) -> None:
        found = find(self._commands, text)
        self._model.clear()
        for match in found:
            self._model.appendRow(_item(match))
        if found:
            self._list.setCurrentIndex(self._model.index(0, 0))
        else:
            words = tr("No command, screen or card is called “{text}”.", text=text.strip())
            self._nothing.setText(words)
            self._field.setAccessibleDescription(words)
        self._list.setVisible(bool(found))
        self._nothing.setVisible(not found)
        rows = max(_LEAST_ROWS, min(_MOST_ROWS, len(found)))
        self.arrange(QSize(_WIDTH, _height(rows)))

    def _run(self, index: QModelIndex) -> None:
        match = index.data(MATCH)
        if isinstance(match, Match):
            # First the keyboard goes back, so that the command finds it where it was.
            self.close()
            match.command.run()

    def _move(self, step: int) -> None:
        count = self._model.rowCount()
        if count:
            at = self._list.currentIndex().row() + step
            at = at % count if abs(step) == 1 else max(0, min(count - 1, at))
            self._list.setCurrentIndex(self._model.index(at, 0))

    def _on_current_changed(self, index: QModelIndex) -> None:
        # A screen reader follows the keyboard, which stays in the field.
        said = index.data(Qt.ItemDataRole.AccessibleTextRole)
        self._field.setAccessibleDescription(said if isinstance(said, str) else "")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            key = Qt.Key(event.key())
            if key in _MOVES:
                self._move(_MOVES[key])
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run(self._list.currentIndex())
                return True
        return super().eventFilter(watched, event)


def _height(rows: int) -> int:
    return _HEAD + rows * ROW_HEIGHT + 16


def _item(match: Match) -> QStandardItem:
    command = match.command
    item = QStandardItem(command.words)
    item.setEditable(False)
    item.setData(match, MATCH)
    said = (command.words, tr("chosen") if command.holds else "", command.keys)
    item.setAccessibleText(", ".join(part for part in said if part))
    return item


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
