"""CommandPalette: all commands under Ctrl+K, narrowed down as one types."""

from collections.abc import Sequence
from itertools import groupby

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QShortcut,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import QLineEdit, QListView, QStyle, QStyleOptionViewItem, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Delegate, Drawing, Index, Run
from gpuexplorer.gui.state.command_list import Command, CommandMatch, find
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import CONTROL_RADIUS
from gpuexplorer.gui.widgets.laid_out import GROWS, Space, add, label, row
from gpuexplorer.gui.widgets.painted import Sign
from gpuexplorer.gui.widgets.sheets.sheet import Popup, line_between

_WIDTH, _HEAD, _ROW, _LEAST_ROWS, _MOST_ROWS = 600, 52, 36, 3, 11
_HIGHEST = 96  # below the window's upper edge
_MARGIN, _INNER = 8.0, 12.0
_STEPS = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -_MOST_ROWS + 1,
    Qt.Key.Key_PageDown: _MOST_ROWS - 1,
}
_MATCH, _SAID = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.AccessibleTextRole


class CommandPalette(Popup):
    """Enter runs what is marked, arrows move the mark; Escape, or the keys that opened it,
    leave everything as it was.
    """

    def __init__(
        self, commands: Sequence[Command], opened_by: Sequence[QKeySequence], window: QWidget
    ) -> None:
        super().__init__(_WIDTH, 0, window)
        self._commands = commands
        self.setAccessibleName(tr("All commands"))
        self._field = QLineEdit()
        self._field.setProperty("kind", "bare")
        self._field.setPlaceholderText(tr("Search screens, cards and commands"))
        self._field.setAccessibleName(tr("Search all commands"))
        self._field.setFixedHeight(_HEAD)
        self._field.textChanged.connect(self._search)
        self._field.installEventFilter(self)
        sign = Sign(Icon.SEARCH, Tone.QUIET, QSize(18, 18))
        self._model = QStandardItemModel(self)
        self._list = QListView(uniformItemSizes=True)
        self._list.setMouseTracking(True)
        self._list.setProperty("kind", "bare")
        self._list.setAccessibleName(tr("Commands found"))
        self._list.setModel(self._model)
        self._list.setItemDelegate(_Row(self))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.entered.connect(self._list.setCurrentIndex)
        self._list.clicked.connect(self._run)
        self._list.selectionModel().currentChanged.connect(self._on_current_changed)
        self._nothing = label("", look().letters.body, Tone.QUIET)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        head = row(sign, self._field, gap=12, margins=(20, 0, 20, 0))
        found = (self._list, GROWS, self._nothing, GROWS)
        add(self.panel, head, line_between(), Space(7), *found, Space(8))
        for each in opened_by:
            QShortcut(each, self, self.close)
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)
        self._search("")

    def place(self) -> QRect:
        """A little above the middle, where eyes look first, and steady while it grows."""
        window, most = self.anchor, _height(_MOST_ROWS)
        rows = max(_LEAST_ROWS, min(_MOST_ROWS, self._model.rowCount()))
        size = QSize(_WIDTH, _height(rows)).boundedTo(window.size())
        top = max(16, min(_HIGHEST, (window.height() - most) // 3))
        corner = window.mapToGlobal(QPoint((window.width() - size.width()) // 2, top))
        return QRect(corner, size)

    def _search(self, text: str) -> None:
        found = find(self._commands, text)
        self._model.clear()
        for match in found:
            command, chosen = match.command, tr("chosen") if match.command.holds else ""
            item = QStandardItem(command.words)
            item.setData(match, _MATCH)
            said = ", ".join(part for part in (command.words, chosen, command.keys) if part)
            item.setAccessibleText(said)
            self._model.appendRow(item)
        self._list.setCurrentIndex(self._model.index(0, 0))
        if not found:
            words = tr("No command, screen or card is called “{text}”.", text=text.strip())
            self._nothing.setText(words)
            self._field.setAccessibleDescription(words)
        self._list.setVisible(bool(found))
        self._nothing.setVisible(not found)
        self.setGeometry(self.place())

    def _run(self, index: QModelIndex) -> None:
        match = index.data(_MATCH)
        if isinstance(match, CommandMatch):
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
        self._field.setAccessibleDescription(str(index.data(_SAID) or ""))

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            key = Qt.Key(event.key())
            if key in _STEPS:
                self._move(_STEPS[key])
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run(self._list.currentIndex())
                return True
        return super().eventFilter(watched, event)


def _height(rows: int) -> int:
    return _HEAD + rows * _ROW + 18


class _Row(Delegate):
    """The letters that were typed stand out."""

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        match = index.data(_MATCH)
        if not isinstance(match, CommandMatch):
            return
        theme, letters, command = drawing.theme, drawing.letters, match.command
        ground = place.adjusted(_MARGIN, 1, -_MARGIN, -1)
        if option.state & QStyle.StateFlag.State_Selected:
            drawing.filled(ground, theme.selection, CONTROL_RADIUS)
        middle, left, right = (
            place.center().y(),
            ground.left() + _INNER,
            ground.right() - _INNER,
        )
        if command.keys:
            right = drawing.keys(right, middle, command.keys) - 12
        baseline = middle + letters.body.cap_height / 2
        group = Run(tr(command.group.value), letters.caption, theme.faint)
        right = drawing.runs_right(right, baseline, [group]) - 16
        if command.holds:
            drawing.icon(Icon.THERE, QRectF(right - 16, middle - 8, 16, 16), theme.quiet)
            right -= 24
        words = letters.body.elided(command.words, right - left)
        plain = theme.quiet if match.letters else theme.text
        for typed, part in groupby(enumerate(words), lambda each: each[0] in match.letters):
            style = (letters.strong, theme.text) if typed else (letters.body, plain)
            left = drawing.text(left, baseline, Run("".join(c for _, c in part), *style))

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(200, _ROW)
