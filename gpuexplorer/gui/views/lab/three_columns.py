"""ThreeColumns: forms, shelves and code side by side; where it is narrow, two of them."""

from enum import StrEnum

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.headings import Headings

_GAP = 8
_FORM_WIDTH = 240
_NARROW = 900  # below, the shelves would have room for one device only
_CODE_SHARE = 4 / 9  # of what the form leaves
_LEAST_SIDE, _SIDE_SHARE = 300, 0.4


class Side(StrEnum):
    """What stands beside the shelves where there is room for one thing."""

    CODE = "code"
    FORMS = "forms"


class ThreeColumns(QWidget):
    """The shelves are always seen. The gaps between the columns can be drawn."""

    def __init__(
        self,
        look: Look,
        form: QWidget,
        bench: QWidget,
        code: QWidget,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._form, self._code = form, code
        self._side = Side.CODE
        self._narrow: bool | None = None
        self._tabs = Headings(
            look,
            tr("Beside the shelves"),
            ((Side.CODE, tr("Code")), (Side.FORMS, tr("Forms"))),
        )
        self._tabs.chosen.connect(self.show_side)
        self._columns = QSplitter()
        self._columns.setChildrenCollapsible(False)
        self._columns.setHandleWidth(_GAP)
        for column, least in ((form, _FORM_WIDTH), (bench, _LEAST_SIDE), (code, _LEAST_SIDE)):
            column.setMinimumWidth(least)
            self._columns.addWidget(column)
        for position, stretch in enumerate((0, 5, 4)):
            self._columns.setStretchFactor(position, stretch)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_GAP)
        layout.addWidget(self._tabs, 0, Qt.AlignmentFlag.AlignRight)
        layout.addWidget(self._columns, 1)
        self._arrange()

    @property
    def narrow(self) -> bool:
        return self.width() < _NARROW

    def show_side(self, side: Side) -> None:
        """Seen from now on, whether it has to share its place or not."""
        self._side = side
        self._arrange()

    def _arrange(self) -> None:
        self._narrow = self.narrow
        self._tabs.show_choice(self._side)
        self._tabs.setVisible(self.narrow)
        self._form.setVisible(not self.narrow or self._side is Side.FORMS)
        self._code.setVisible(not self.narrow or self._side is Side.CODE)
        if self.narrow:
            side = max(_LEAST_SIDE, round(self.width() * _SIDE_SHARE))
            self._columns.setSizes([side, self.width() - side - _GAP, side])
        else:
            rest = self.width() - _FORM_WIDTH - 2 * _GAP
            code = round(rest * _CODE_SHARE)
            self._columns.setSizes([_FORM_WIDTH, rest - code, code])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.narrow is not self._narrow:
            self._arrange()
