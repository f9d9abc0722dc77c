"""CommandPalette: all commands under Ctrl+K, narrowed down as one types."""

import re
from collections.abc import Sequence
from math import inf

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QHeaderView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.theme.icons import Icon, icon_of
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import GROWS, add, row
from gpuexplorer.gui.widgets.painted import Sign
from gpuexplorer.gui.widgets.sheets.sheet import Popup, line_between
from gpuexplorer.gui.window_commands import group_of, keys_of

_WIDTH, _HEIGHT, _HEAD = 600, 464, 52
_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class CommandPalette(Popup):
    """Enter runs what is marked, arrows move the mark; Escape, or the keys that opened it,
    leave everything as it was.
    """

    def __init__(
        self, commands: Sequence[QAction], opened_by: Sequence[QKeySequence], window: QWidget
    ) -> None:
        super().__init__(_WIDTH, _HEIGHT, window)
        self._commands = self._found = [each for each in commands if each.isEnabled()]
        self.setAccessibleName(tr("All commands"))
        self._field = QLineEdit(placeholderText=tr("Search screens, cards and commands"))
        self._field.setProperty("kind", "bare")
        self._field.setAccessibleName(tr("Search all commands"))
        self._field.setFixedHeight(_HEAD)
        self._field.textChanged.connect(self._search)
        self._field.returnPressed.connect(self._run)
        self._field.installEventFilter(self)
        self._list = QTreeWidget(columnCount=3)
        self._list.setHeaderHidden(True)
        self._list.setRootIsDecorated(False)
        self._list.setUniformRowHeights(True)
        self._list.setProperty("kind", "commands")
        self._list.setAccessibleName(tr("Commands found"))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setMouseTracking(True)
        self._list.header().setStretchLastSection(False)
        self._list.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self._list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._list.itemEntered.connect(self._list.setCurrentItem)
        self._list.itemClicked.connect(self._run)
        self._list.currentItemChanged.connect(self._on_current_changed)
        sign = Sign(Icon.SEARCH, Tone.QUIET, QSize(18, 18))
        head = row(sign, self._field, gap=12, margins=(20, 0, 20, 0))
        add(self.panel, head, line_between(), row(self._list, margins=8), GROWS)
        for each in opened_by:
            QShortcut(each, self, self.close)
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)
        self._search("")

    def place(self) -> QRect:
        """A little above the middle, where eyes look first."""
        room = self.anchor.size()
        size = QSize(_WIDTH, _HEIGHT).boundedTo(room)
        left, top = (room.width() - size.width()) // 2, (room.height() - size.height()) // 3
        return QRect(self.anchor.mapToGlobal(QPoint(left, top)), size)

    def _search(self, text: str) -> None:
        self._found = [*find(self._commands, text)]
        theme, letters = look().theme, look().letters.caption.font
        self._list.clear()
        for each in self._found:
            told = [name_of(each), tr(group_of(each)), keys_of(each)]
            item = QTreeWidgetItem(self._list, told)
            for column in (1, 2):
                item.setFont(column, letters)
                item.setForeground(column, theme.quiet)
            if each.isChecked():
                item.setIcon(1, icon_of(Icon.THERE))
        if self._found:
            self._list.setCurrentIndex(self._list.model().index(0, 0))
        else:
            words = tr("No command, screen or card is called “{text}”.", text=text.strip())
            QTreeWidgetItem(self._list, [words]).setDisabled(True)
            self._field.setAccessibleDescription(words)

    def _run(self) -> None:
        at = self._list.currentIndex().row()
        if at >= 0:
            # First the keyboard goes back, so that the command finds it where it was.
            self.close()
            self._found[at].trigger()

    def _on_current_changed(self) -> None:
        # A screen reader follows the keyboard, which stays in the field.
        at = self._list.currentIndex().row()
        if at >= 0:
            found = self._found[at]
            chosen = tr("chosen") if found.isChecked() else ""
            said = name_of(found), chosen, keys_of(found)
            self._field.setAccessibleDescription(", ".join(filter(None, said)))

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.KeyPress:
            return super().eventFilter(watched, event)
        return event.key() in _MOVES and QApplication.sendEvent(self._list, event)


def name_of(action: QAction) -> str:
    return action.text().replace("&", "").rstrip("….")


def find(commands: Sequence[QAction], text: str) -> Sequence[QAction]:
    """Those that have all words that were typed; the best first."""
    parts = text.casefold().split()
    costs = {each: sum(_cost(each, part) for part in parts) for each in commands}
    return sorted((each for each in commands if costs[each] < inf), key=costs.__getitem__)


def _cost(action: QAction, part: str) -> float:
    """Least where a word begins so, the earlier the better: of its name, its first letters, and
    other words for it; then where it is amid one.
    """
    words, also = name_of(action).casefold(), str(action.property("also")).casefold()
    said = " ".join((words, "".join(re.findall(r"\b\w", words)), also))
    begun = re.search(rf"\b{re.escape(part)}", said)
    at = begun.start() if begun else len(said) + said.find(part)
    return at if part in said else inf
