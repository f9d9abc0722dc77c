"""DeviceList: cards, and the computer, as the rail and the small window list them."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, Qt
from PySide6.QtWidgets import QAbstractItemView, QListView

from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import Index, plain_tip

DEVICE = Qt.ItemDataRole.UserRole


class DeviceList(QAbstractListModel):
    """What is told of a device is worked out when somebody asks."""

    faces: Sequence[CardFace] = ()

    def show_faces(self, faces: Sequence[CardFace]) -> bool:
        """Whether there are others than before, or more or fewer."""
        before, self.faces = self.faces, faces
        if [each.id for each in before] != [each.id for each in faces]:
            self.beginResetModel()
            self.endResetModel()
            return True
        for row, (old, new) in enumerate(zip(before, faces, strict=True)):
            if old is not new and old != new:
                self.dataChanged.emit(self.index(row), self.index(row))
        return False

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.faces)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        face = self.faces[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return face.title
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                return face.spoken_in_a_line
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(face.hint)
            case _:
                return face if role == DEVICE else None


class DeviceView(QListView):
    """Draws a device anew that looks different. Qt would lay all of them out again."""

    @guarded
    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        QAbstractItemView.dataChanged(self, first, last, roles)
