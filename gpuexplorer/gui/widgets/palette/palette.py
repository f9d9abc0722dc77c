"""Palette: all commands under Ctrl+K, narrowed down as one types."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QListView, QWidget

from gpuexplorer.gui.state.command_list import Command, Match, find
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.palette.palette_model import MATCH, PaletteModel
from gpuexplorer.gui.widgets.palette.palette_row import ROW_HEIGHT, PaletteRow
from gpuexplorer.gui.widgets.remark import Sign
from gpuexplorer.gui.widgets.sheets.floating import Floating

_WIDTH, _HEAD, _MOST_ROWS = 600, 52, 11
_MOVES = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -_MOST_ROWS + 1,
    Qt.Key.Key_PageDown: _MOST_ROWS - 1,
}


class Palette(Floating):
    """Enter runs what is marked, arrows move the mark, Escape leaves everything as it was."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(look, _WIDTH, _HEAD + _MOST_ROWS * ROW_HEIGHT + 16, window)
        self._commands: Sequence[Command] = ()
        self.setAccessibleName("All commands")
        self._field = QLineEdit()
        self._field.setProperty("kind", "bare")
        self._field.setFont(look.letters.body.font)
        self._field.setPlaceholderText("Search screens, cards and commands")
        self._field.setAccessibleName("Search all commands")
        self._field.textChanged.connect(self._on_text_changed)
        self._field.installEventFilter(self)
        head = QHBoxLayout()
        head.setContentsMargins(20, 0, 20, 0)
        head.setSpacing(12)
        head.addWidget(Sign(look, Icon.SEARCH, Tone.QUIET, QSize(18, 18)))
        head.addWidget(self._field)
        self._field.setFixedHeight(_HEAD)
        line = QFrame()
        line.setProperty("panel", "line")
        line.setFixedHeight(1)
        self._model = PaletteModel(self)
        self._list = QListView()
        self._list.setProperty("kind", "bare")
        self._list.setAccessibleName("Commands found")
        self._list.setModel(self._model)
        self._list.setItemDelegate(PaletteRow(look, self))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setUniformItemSizes(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setMouseTracking(True)
        self._list.entered.connect(self._list.setCurrentIndex)
        self._list.clicked.connect(self._on_clicked)
        self._list.selectionModel().currentChanged.connect(self._on_current_changed)
        self._nothing = QLabel()
        self._nothing.setProperty("tone", Tone.QUIET.value)
        self._nothing.setFont(look.letters.body.font)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.setTextFormat(Qt.TextFormat.PlainText)
        self.panel.addLayout(head)
        self.panel.addWidget(line)
        self.panel.addSpacing(7)
        self.panel.addWidget(self._list, 1)
        self.panel.addWidget(self._nothing, 1)
        self.panel.addSpacing(8)

    def open_on(self, commands: Sequence[Command]) -> None:
        self._commands = commands
        self._field.clear()
        self._search("")
        self.open()
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)

    def wanted_height(self) -> int:
        rows = max(3, min(_MOST_ROWS, self._model.rowCount()))
        return _HEAD + rows * ROW_HEIGHT + 16

    def _search(self, text: str) -> None:
        found = find(self._commands, text)
        self._model.show_matches(found)
        if found:
            self._list.setCurrentIndex(self._model.index(0))
        else:
            self._nothing.setText(f"No command, screen or card is called “{text.strip()}”.")
            self._field.setAccessibleDescription(self._nothing.text())
        self._list.setVisible(bool(found))
        self._nothing.setVisible(not found)
        self.arrange()

    def _run(self, index: QModelIndex) -> None:
        match = index.data(MATCH)
        if isinstance(match, Match):
            # First the keyboard goes back, so that the command finds it where it was.
            self.hide()
            match.command.run()

    def _move(self, step: int) -> None:
        count = self._model.rowCount()
        if count:
            at = self._list.currentIndex().row() + step
            at = at % count if abs(step) == 1 else max(0, min(count - 1, at))
            self._list.setCurrentIndex(self._model.index(at))

    def _on_text_changed(self, text: str) -> None:
        self._search(text)

    def _on_clicked(self, index: QModelIndex) -> None:
        self._run(index)

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
