"""Delegate: what draws the rows or cells of a view; a bug in there spoils one of them."""

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.look import look

Index = QModelIndex | QPersistentModelIndex


class Delegate(QStyledItemDelegate):
    """Subclasses implement `draw`."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.look = look()

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        raise NotImplementedError

    @guarded
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        try:
            self.draw(Drawing(painter), QRectF(option.rect), option, index)
        finally:
            painter.restore()
