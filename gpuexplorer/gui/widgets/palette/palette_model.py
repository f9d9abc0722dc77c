"""PaletteModel: the commands that were found, as a list."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gpuexplorer.gui.state.command_list import Match

MATCH = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class PaletteModel(QAbstractListModel):
    """The best first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._matches: Sequence[Match] = ()

    def show_matches(self, matches: Sequence[Match]) -> None:
        self.beginResetModel()
        self._matches = matches
        self.endResetModel()

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._matches)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        match = self._matches[index.row()]
        command = match.command
        if role == MATCH:
            return match
        if role == Qt.ItemDataRole.DisplayRole:
            return command.words
        if role == Qt.ItemDataRole.AccessibleTextRole:
            said = (command.words, "chosen" if command.holds else "", command.keys)
            return ", ".join(part for part in said if part)
        return None
