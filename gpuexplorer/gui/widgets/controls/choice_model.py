"""ChoiceModel: what a dropdown offers, as a list."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gpuexplorer.gui.widgets.controls.choice import Choice

CHOICE = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class ChoiceModel(QAbstractListModel):
    """Does not change while it is open."""

    def __init__(self, choices: Sequence[Choice], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._choices = choices

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._choices)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        choice = self._choices[index.row()]
        if role == CHOICE:
            return choice
        if role == Qt.ItemDataRole.DisplayRole:
            return choice.words
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return choice.said
        if role == Qt.ItemDataRole.ToolTipRole:
            return choice.refused or None
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if index.isValid() and self._choices[index.row()].refused:
            return Qt.ItemFlag.NoItemFlags
        return super().flags(index)
